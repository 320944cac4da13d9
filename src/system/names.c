// SPDX-License-Identifier: Apache-2.0
// Names of coordinates and rows for messages, and the search for values that are not numbers.
#include "base/error.h"
#include "system/evaluator.h"

#include <math.h>
#include <stdio.h>

static const char *name_or_index(const char *const *names, const char *symbol, int i, char *buffer,
                                 size_t size)
{
    if (names && names[i])
        snprintf(buffer, size, "%s", names[i]);
    else
        snprintf(buffer, size, "%s[%d]", symbol, i);
    return buffer;
}

const char *trmi_name_q(const trmi_evaluator *e, int i, char *buffer, size_t size)
{
    return name_or_index(e->user.q_names, "q", i, buffer, size);
}

const char *trmi_name_full_row(const trmi_evaluator *e, int row, char *buffer, size_t size)
{
    return name_or_index(e->user.g_names, "row", row, buffer, size);
}

const char *trmi_name_row(const trmi_evaluator *e, int active_row, char *buffer, size_t size)
{
    return trmi_name_full_row(e, e->full[active_row], buffer, size);
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

bool trmi_find_not_finite(const trmi_evaluator *e, uint64_t want, trm_error *error)
{
    want &= ~e->absent;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        if (!(want & TRM_BIT(k)) || !e->block[k].value)
            continue;
        const trmi_values *b = &e->block[k];
        int count = b->row ? b->count : b->rows;
        for (int i = 0; i < count; i++)
            if (!isfinite(b->value[i])) {
                trmi_error_item(error, "%s[%d]", trm_quantity_name((trm_quantity)k), i);
                trmi_error_set(error, TRM_ERR_CALLBACK,
                               "the callback for %s returned %g in entry %d (row %d, column %d)",
                               trm_quantity_name((trm_quantity)k), b->value[i], i,
                               b->row ? b->row[i] : i, b->row ? b->column[i] : 0);
                trmi_error_advise(error, "guard the formula, or return 1 where it has no value");
                return true;
            }
    }
    return false;
}
