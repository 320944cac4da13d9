// SPDX-License-Identifier: Apache-2.0
// Names of coordinates and rows for messages, and the search for values that are not numbers.
#include "base/error.h"
#include "base/quantities.h"
#include "solver/system/evaluator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *name_or_index(const char *const *names, const char *symbol, int i, char *buffer,
                                 size_t size)
{
    if (names && names[i])
        snprintf(buffer, size, "%s", names[i]);
    else
        snprintf(buffer, size, "%s[%d]", symbol, i);
    return buffer;
}

const char *trm_coordinate_name(const trm_system *s, int i, char *buffer, size_t size)
{
    if (!s || !buffer)
        return "";
    bool known = i >= 0 && i < s->n_q;
    if (!known || s->q_names || !s->q_name)
        return name_or_index(known ? s->q_names : NULL, "q", i, buffer, size);
    s->q_name(i, buffer, size, s->user);
    return buffer;
}

const char *trm_row_name(const trm_system *s, int i, char *buffer, size_t size)
{
    if (!s || !buffer)
        return "";
    bool known = i >= 0 && i < s->n_g + s->n_a;
    if (!known || s->g_names || !s->g_name)
        return name_or_index(known ? s->g_names : NULL, "row", i, buffer, size);
    s->g_name(i, buffer, size, s->user);
    return buffer;
}

const char *trmi_name_q(const trmi_evaluator *e, int i, char *buffer, size_t size)
{
    return trm_coordinate_name(&e->user, i, buffer, size);
}

const char *trmi_name_full_row(const trmi_evaluator *e, int row, char *buffer, size_t size)
{
    return trm_row_name(&e->user, row, buffer, size);
}

const char *trmi_name_row(const trmi_evaluator *e, int active_row, char *buffer, size_t size)
{
    return trmi_name_full_row(e, trmi_given_row(e, active_row), buffer, size);
}

const char *trmi_name_unknown(const trmi_evaluator *e, int i, char *buffer, size_t size)
{
    char name[48];
    if (i < e->n_q)
        snprintf(buffer, size, "dynamics of %s", trmi_name_q(e, i, name, sizeof name));
    else if ((i -= e->n_q) < e->n_x)
        snprintf(buffer, size, "rate of %s",
                 name_or_index(e->user.x_names, "x", i, name, sizeof name));
    else if ((i -= e->n_x) < e->n_z)
        snprintf(buffer, size, "algebraic equation of %s",
                 name_or_index(e->user.z_names, "z", i, name, sizeof name));
    else
        snprintf(buffer, size, "constraint %s", trmi_name_row(e, i - e->n_z, name, sizeof name));
    return buffer;
}

// What the system calls row i of a quantity, in the buffer; NULL when it has no name.
static const char *row_name(const trmi_evaluator *e, trm_quantity quantity, int i, char *buffer,
                            size_t size)
{
    const trm_system *s = &e->user;
    int first;
    if (trmi_rows_are_constraints(s, quantity, &first)) {
        bool matrix = e->block[quantity].pattern.count > 0, named = s->g_names || s->g_name;
        bool active = i < e->n_r && (matrix || e->n_r == e->n_r_full);
        return named && active
                   ? trm_row_name(s, matrix ? trmi_given_row(e, i) : i + first, buffer, size)
                   : NULL;
    }
    const char *name = trm_quantity_name(quantity);
    if (quantity == TRM_QUANTITY_INPUT || quantity == TRM_QUANTITY_ENERGY ||
        quantity == TRM_QUANTITY_POWER)
        return NULL;
    if (strncmp(name, "INVARIANT", 9) == 0)
        return s->i_names ? s->i_names[i] : NULL;
    bool rate = strncmp(name, "RATE", 4) == 0, algebraic = strncmp(name, "ALGEBRAIC", 9) == 0;
    if (!rate && !algebraic)
        return s->q_names || s->q_name ? trm_coordinate_name(s, i, buffer, size) : NULL;
    const char *const *names = rate ? s->x_names : s->z_names;
    return names ? names[i] : NULL;
}

static void report_not_finite(const trmi_values *values, trm_quantity quantity, int i,
                              trm_error *error)
{
    const trmi_quantity *b = &values->e->block[quantity];
    double value = values->of[quantity][i];
    const char *name = trm_quantity_name(quantity);
    const trmi_cursor at =
        b->pattern.count > 0 ? trmi_pattern_at(&b->pattern, i) : (trmi_cursor){.row = i};
    char buffer[80];
    const char *row = row_name(values->e, quantity, at.row, buffer, sizeof buffer);
    if (row) {
        trmi_error_item(error, "%s of %.40s", name, row);
        trmi_error_set(error, TRM_ERR_CALLBACK, "%s of %.60s is %g", name, row,
                       isnan(value) ? fabs(value) : value); // no "-nan"
    } else {
        trmi_error_item(error, "%s[%d]", name, i);
        trmi_error_set(error, TRM_ERR_CALLBACK,
                       "the callback for %s returned %g in entry %d (row %d, column %d)", name,
                       value, i, at.row, at.column);
    }
    trmi_error_advise(error, "guard the formula; a callback may return 1 where it has no value");
}

bool trmi_find_not_finite(const trmi_values *values, uint64_t want, trm_error *error)
{
    want &= ~values->e->absent;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        const trmi_quantity *b = &values->e->block[k];
        int count = b->pattern.count > 0 ? b->count : b->rows;
        for (int i = 0; i < count && (want & TRM_BIT_OF(k)) && values->of[k]; i++)
            if (!isfinite(values->of[k][i])) {
                report_not_finite(values, (trm_quantity)k, i, error);
                return true;
            }
    }
    return false;
}
