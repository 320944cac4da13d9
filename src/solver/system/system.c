// SPDX-License-Identifier: Apache-2.0
// The system description: shapes, names and validation.
#include "trammel/system.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/quantities.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

const char *trm_quantity_name(trm_quantity quantity)
{
    static const char *const names[] = {
#define QUANTITY_NAME(name, rows, columns, symbol, text) #name,
        TRM_QUANTITY_LIST(QUANTITY_NAME)};
    return (unsigned)quantity < TRM_QUANTITY_COUNT ? names[quantity] : "unknown";
}

void trm_system_shape(const trm_system *s, trm_quantity quantity, int *rows, int *columns)
{
    if (rows)
        *rows = 0;
    if (columns)
        *columns = 0;
    if (!s || !rows || !columns)
        return;
    const int n_q = s->n_q, n_x = s->n_x, n_z = s->n_z, n_g = s->n_g, n_a = s->n_a, n_u = s->n_u,
              n_i = s->n_i, n_p = s->n_p;
    const int n_r = n_g + n_a, one = 1, three = 3;
    const int shapes[][2] = {
#define QUANTITY_SHAPE(name, r, c, symbol, text) {r, c},
        TRM_QUANTITY_LIST(QUANTITY_SHAPE)};
    *rows = shapes[quantity][0];
    *columns = shapes[quantity][1];
}

bool trmi_rows_are_constraints(const trm_system *s, trm_quantity quantity, int *first)
{
    *first = 0;
    switch (quantity) {
    case TRM_QUANTITY_CONSTRAINT:
    case TRM_QUANTITY_CONSTRAINT_Q:
    case TRM_QUANTITY_CONSTRAINT_T:
    case TRM_QUANTITY_CONSTRAINT_Z:
    case TRM_QUANTITY_GAMMA:
    case TRM_QUANTITY_VELOCITY_Q:
        return true;
    case TRM_QUANTITY_ROLLING:
    case TRM_QUANTITY_ROLLING_OFFSET:
        *first = s->n_g;
        return true;
    default:
        return false;
    }
}

bool trmi_is_vector(trm_quantity quantity)
{
    const uint64_t vectors = TRM_BIT(FORCE) | TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC) |
                             TRM_BIT(CONSTRAINT) | TRM_BIT(ROLLING_OFFSET) | TRM_BIT(INPUT) |
                             TRM_BIT(ENERGY) | TRM_BIT(POWER) | TRM_BIT(CONSTRAINT_T) |
                             TRM_BIT(GAMMA) | TRM_BIT(ALGEBRAIC_T) | TRM_BIT(INVARIANT) |
                             TRM_BIT(RESIDUAL) | TRM_BIT(ACCELERATION);
    return trmi_has(vectors, quantity);
}

static bool supplied(const trm_system *s, trm_quantity quantity)
{
    return s->function[quantity] || (s->evaluate && (s->evaluates & TRM_BIT_OF(quantity)));
}

// each position once: entries chained by column, rows marked with the column seen last
static trm_status check_duplicates(const trm_pattern *p, int rows, int columns, const char *name,
                                   trm_error *error)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, NULL);
    int *head = NULL, *next = NULL, *row_of = NULL, *mark = NULL;
    trm_status status = TRM_OK;
    if (!TRMI_TAKE(&scratch, head, columns) || !TRMI_TAKE(&scratch, next, p->count) ||
        !TRMI_TAKE(&scratch, row_of, p->count) || !TRMI_TAKE(&scratch, mark, rows))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory to check the patterns");
    for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count && status == TRM_OK;
         trmi_pattern_next(&at)) { // heads and marks are counted from 1
        row_of[at.k] = at.row;
        next[at.k] = head[at.column];
        head[at.column] = at.k + 1;
    }
    for (int j = 0; j < columns && status == TRM_OK; j++)
        for (int k = head[j]; k > 0 && status == TRM_OK; k = next[k - 1]) {
            int row = row_of[k - 1];
            if (mark[row] == j + 1)
                status =
                    trmi_error_set(error, TRM_ERR_SYSTEM,
                                   "the pattern of %s names position (%d, %d) twice", name, row, j);
            mark[row] = j + 1;
        }
    trmi_memory_release_all(&scratch);
    return status;
}

static trm_status check_pattern(const trm_system *s, trm_quantity quantity, trm_error *error)
{
    int rows, columns;
    trm_system_shape(s, quantity, &rows, &columns);
    const trm_pattern *p = &s->pattern[quantity];
    const char *name = trm_quantity_name(quantity);
    if (trmi_is_vector(quantity) && p->count != TRM_PATTERN_DENSE && p->count != TRM_PATTERN_ZERO)
        return trmi_error_set(error, TRM_ERR_SYSTEM,
                              "%s is a vector: its pattern is TRM_PATTERN_DENSE or _ZERO", name);
    if (p->count < TRM_PATTERN_ZERO)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "pattern of %s has count %d", name, p->count);
    if (p->count == TRM_PATTERN_DIAGONAL && rows != columns)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "%s is %d x %d and cannot be diagonal", name,
                              rows, columns);
    if (p->count > 0 && !p->block && (!p->row || !p->column))
        return trmi_error_set(error, TRM_ERR_SYSTEM, "pattern of %s has no rows or columns", name);
    if (p->count > 0 && p->block && (p->row || p->column))
        return trmi_error_set(error, TRM_ERR_SYSTEM,
                              "pattern of %s has blocks, and rows or columns beside them", name);
    if (p->count > 0 && p->block && trmi_blocks_count(p->block, p->blocks) != p->count)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "the blocks of %s have %d entries, not %d",
                              name, trmi_blocks_count(p->block, p->blocks), p->count);
    for (trmi_cursor at = trmi_pattern_begin(p); at.k < p->count; trmi_pattern_next(&at))
        if (at.row < 0 || at.row >= rows || at.column < 0 || at.column >= columns)
            return trmi_error_set(error, TRM_ERR_SYSTEM,
                                  "entry %d of the pattern of %s is (%d, %d), outside %d x %d",
                                  at.k, name, at.row, at.column, rows, columns);
    return p->count > 0 ? check_duplicates(p, rows, columns, name, error) : TRM_OK;
}

static trm_status check_partition(const int *first, int parts, int total, const char *what,
                                  trm_error *error)
{
    bool good = first != NULL && first[0] == 0;
    for (int k = 0; good && k < parts; k++)
        good = first[k] < first[k + 1];
    if (good && first[parts] == total)
        return TRM_OK;
    return trmi_error_set(error, TRM_ERR_SYSTEM,
                          "%s_first must rise from 0 to %d in %d steps, one per %s", what, total,
                          parts, what);
}

static trm_status check_required(const trm_system *s, trm_error *error)
{
    const struct {
        trm_quantity quantity;
        int needed;
    } required[] = {{TRM_QUANTITY_MASS, s->n_q},       {TRM_QUANTITY_FORCE, s->n_q},
                    {TRM_QUANTITY_RATE, s->n_x},       {TRM_QUANTITY_ALGEBRAIC, s->n_z},
                    {TRM_QUANTITY_CONSTRAINT, s->n_g}, {TRM_QUANTITY_ROLLING, s->n_a},
                    {TRM_QUANTITY_INPUT, s->n_u},      {TRM_QUANTITY_INVARIANT, s->n_i}};
    for (size_t k = 0; k < sizeof required / sizeof *required; k++)
        if (required[k].needed > 0 && !supplied(s, required[k].quantity)) {
            trmi_error_advise(error, "set system.function[TRM_QUANTITY_%s]",
                              trm_quantity_name(required[k].quantity));
            return trmi_error_set(error, TRM_ERR_SYSTEM, "the system has no callback for %s",
                                  trm_quantity_name(required[k].quantity));
        }
    return TRM_OK;
}

// a metric of its own belongs to M = 1, of which the pattern is known here
static trm_status check_metric(const trm_system *s, trm_error *error)
{
    if (!supplied(s, TRM_QUANTITY_METRIC) ||
        s->pattern[TRM_QUANTITY_MASS].count == TRM_PATTERN_DIAGONAL)
        return TRM_OK;
    trmi_error_advise(error,
                      "leave TRM_QUANTITY_METRIC out, or give the system solved for v' with M = 1");
    return trmi_error_set(error, TRM_ERR_SYSTEM,
                          "METRIC is for systems with M = 1, whose pattern of MASS is diagonal");
}

static trm_status check_sizes(const trm_system *s, trm_error *error)
{
    if (s->size != 0 && s->size != sizeof *s) {
        trmi_error_advise(error, "compile the program with the headers of this version");
        return trmi_error_set(error, TRM_ERR_SYSTEM,
                              "the system has %zu bytes, that of this version of the library %zu",
                              s->size, sizeof *s);
    }
    const int sizes[] = {s->n_q, s->n_x, s->n_z, s->n_g, s->n_a, s->n_u, s->n_i, s->n_p, s->n_held};
    const char *const names[] = {"n_q", "n_x", "n_z", "n_g", "n_a", "n_u", "n_i", "n_p", "n_held"};
    for (int k = 0; k < 9; k++)
        if (sizes[k] < 0 || sizes[k] > 100000000)
            return trmi_error_set(error, TRM_ERR_SYSTEM, "%s = %d is outside 0 .. 100000000",
                                  names[k], sizes[k]);
    if (s->n_q + s->n_x == 0)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "the system has neither positions nor states");
    return TRM_OK;
}

// typical sizes of the unknowns
static trm_status check_scales(const trm_system *s, trm_error *error)
{
    const double *const scales[] = {s->q_scale, s->v_scale, s->x_scale, s->z_scale};
    const char *const names[] = {"q_scale", "v_scale", "x_scale", "z_scale"};
    const int sizes[] = {s->n_q, s->n_q, s->n_x, s->n_z};
    for (int k = 0; k < 4; k++)
        for (int i = 0; scales[k] && i < sizes[k]; i++)
            if (!(scales[k][i] > 0) || isinf(scales[k][i]))
                return trmi_error_set(error, TRM_ERR_SYSTEM, "%s[%d] = %g is not a positive number",
                                      names[k], i, scales[k][i]);
    if (s->q_size_period < 0)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "q_size_period = %d is negative",
                              s->q_size_period);
    for (int i = 0; i < s->n_q; i++)
        if (!(trmi_q_size(s, i) >= 0) || isinf(trmi_q_size(s, i)))
            return trmi_error_set(error, TRM_ERR_SYSTEM, "q_size[%d] = %g is not 0 or positive", i,
                                  trmi_q_size(s, i));
    return TRM_OK;
}

// held values, switches, warnings, bodies and joints, each with what belongs to it
static trm_status check_parts(const trm_system *s, trm_error *error)
{
    if (s->n_held > 0 && !s->held)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "n_held = %d, but held is NULL", s->n_held);
    if (s->n_switches < 0 || s->first_lock < 0 || s->n_switches > s->n_held - s->first_lock)
        return trmi_error_set(error, TRM_ERR_SYSTEM,
                              "n_switches = %d locks from %d on do not fit into n_held = %d",
                              s->n_switches, s->first_lock, s->n_held);
    if (s->n_warnings < 0)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "n_warnings = %d is negative", s->n_warnings);
    if (s->n_warnings > 0 && !s->warning)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "n_warnings = %d, but warning is NULL",
                              s->n_warnings);
    if (s->n_switches > 0 && !s->switches)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "n_switches = %d, but switches is NULL",
                              s->n_switches);
    if (s->n_bodies < 0 || s->n_joints < 0)
        return trmi_error_set(error, TRM_ERR_SYSTEM, "n_bodies = %d, n_joints = %d: negative",
                              s->n_bodies, s->n_joints);
    return TRM_OK;
}

trm_status trm_system_validate(const trm_system *s, trm_error *error)
{
    trmi_error_clear(error);
    if (!s)
        return trmi_refuse_null(error, __func__, "system");
    trm_status status = check_sizes(s, error);
    if (status == TRM_OK)
        status = check_scales(s, error);
    if (status == TRM_OK)
        status = check_parts(s, error);
    if (status == TRM_OK)
        status = check_required(s, error);
    if (status == TRM_OK)
        status = check_metric(s, error);
    for (int k = 0; status == TRM_OK && k < TRM_QUANTITY_COUNT; k++)
        status = check_pattern(s, (trm_quantity)k, error);
    if (status == TRM_OK && s->n_bodies > 0)
        status = check_partition(s->body_first, s->n_bodies, s->n_q, "body", error);
    if (status == TRM_OK && s->n_bodies > 0 && s->n_joints > 0)
        status = check_partition(s->joint_first, s->n_joints, s->n_g + s->n_a, "joint", error);
    return status;
}
