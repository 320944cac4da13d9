// SPDX-License-Identifier: Apache-2.0
// Creation of an evaluator: patterns, differences, dropped rows.
#include "solver/system/evaluator.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/system/difference.h"

#include <stdint.h>
#include <string.h>

// algebraic variables are eliminated from the constraints with dense matrices
enum { MAX_ALGEBRAIC = 5000 };

static bool columns_are_constraints(trm_quantity quantity)
{
    return quantity == TRM_QUANTITY_FORCE_LAMBDA || quantity == TRM_QUANTITY_RATE_LAMBDA ||
           quantity == TRM_QUANTITY_ALGEBRAIC_LAMBDA;
}

// The pattern of the user, or one spelled out.
static bool create_pattern(trmi_quantity *b, trmi_memory *memory, const trm_pattern *p)
{
    int *row, *column;
    if (p->count > 0) {
        b->count = p->count;
        b->pattern = *p;
        return true;
    }
    bool diagonal = p->count == TRM_PATTERN_DIAGONAL;
    b->count = diagonal ? b->rows : b->rows * b->columns;
    if (!TRMI_TAKE(memory, row, b->count) || !TRMI_TAKE(memory, column, b->count))
        return false;
    for (int k = 0; k < b->count; k++) {
        row[k] = diagonal ? k : k % b->rows;
        column[k] = diagonal ? k : k / b->rows;
    }
    b->pattern = (trm_pattern){.count = b->count, .row = row, .column = column};
    return true;
}

// Lists in place of blocks.
static bool list_pattern(trmi_quantity *b, trmi_memory *memory)
{
    int *row, *column;
    if (!b->pattern.block)
        return true;
    if (!TRMI_TAKE(memory, row, b->count) || !TRMI_TAKE(memory, column, b->count))
        return false;
    trm_pattern_list(&b->pattern, row, column);
    b->pattern = (trm_pattern){.count = b->count, .row = row, .column = column};
    return true;
}

// list := number[list + first], in an array of its own; number may be NULL: the same
static bool renumber_list(trmi_memory *memory, const int **list, int count, const int *number,
                          int first)
{
    int *own;
    if (!TRMI_TAKE(memory, own, count))
        return false;
    for (int k = 0; k < count; k++)
        own[k] = number ? number[(*list)[k] + first] : (*list)[k] + first;
    *list = own;
    return true;
}

// Constraint rows and columns from full (row 0 of the block is row `first`) to active numbering. At
// first they differ in `first` only. False when there is no memory.
static bool renumber(trmi_evaluator *e, trmi_memory *memory, trm_quantity quantity, bool created)
{
    trmi_quantity *b = &e->block[quantity];
    int first;
    if (b->pattern.count == 0)
        return true;
    bool rows = trmi_rows_are_constraints(&e->user, quantity, &first) && (!created || first > 0);
    bool columns = columns_are_constraints(quantity) && !created;
    if ((rows || columns) && !list_pattern(b, memory))
        return false;
    if (rows && !created)
        b->full_row = b->pattern.row;
    return (!rows ||
            renumber_list(memory, &b->pattern.row, b->count, e->active, created ? first : 0)) &&
           (!columns || renumber_list(memory, &b->pattern.column, b->count, e->active, 0));
}

// whether a dense matrix is small enough for memory and for int
static bool fits(const trmi_quantity *b)
{
    return (double)b->rows * b->columns <= 4e7;
}

static trm_status create_block(trmi_evaluator *e, trmi_memory *memory, trm_quantity quantity,
                               trm_error *error)
{
    trmi_quantity *b = &e->block[quantity];
    trm_system_shape(&e->user, quantity, &b->rows, &b->columns);
    const trm_pattern *p = &e->user.pattern[quantity];
    bool matrix = !trmi_is_vector(quantity);
    if (trmi_has(e->absent, quantity) && matrix)
        return TRM_OK; // vectors that are zero keep their zeros
    if (matrix && p->count == TRM_PATTERN_DENSE && !fits(b)) {
        trmi_error_advise(error, "declare system.pattern[TRM_QUANTITY_%s]",
                          trm_quantity_name(quantity));
        return trmi_error_set(error, TRM_ERR_SYSTEM, "%s would be a dense matrix of %d x %d",
                              trm_quantity_name(quantity), b->rows, b->columns);
    }
    if (matrix && !create_pattern(b, memory, p))
        return TRM_ERR_MEMORY;
    if (!trmi_has(e->supplied, quantity) && !list_pattern(b, memory))
        return TRM_ERR_MEMORY;
    if (!matrix)
        b->count = b->rows * b->columns;
    return renumber(e, memory, quantity, true) ? TRM_OK : TRM_ERR_MEMORY;
}

static bool create_scratch(trmi_evaluator *e, trmi_memory *memory)
{
    return TRMI_TAKE(memory, e->held, e->user.n_held) &&
           TRMI_TAKE(memory, e->bz, (size_t)e->n_z * (size_t)e->n_z) &&
           TRMI_TAKE(memory, e->bz_rhs, (size_t)e->n_z * (size_t)(e->n_q + 2)) &&
           TRMI_TAKE(memory, e->bz_pivots, e->n_z);
}

// whether no row is dropped and none comes before an earlier one
static bool in_order(const trmi_quantity *b, int rows)
{
    const int *row = b->pattern.row;
    for (int k = 0; k < b->count; k++)
        if (row[k] >= rows || (k > 0 && row[k] < row[k - 1]))
            return false;
    return true;
}

// entries of `total` sorted by row, dropped constraint rows left out
static void fill_order(trmi_evaluator *e)
{
    const trmi_quantity *b = &e->block[TRMI_TOTAL];
    trmi_order *order = &e->by_row;
    int n = e->n_r, *start = order->start;
    const int *row = b->pattern.row;
    memset(start, 0, (size_t)(n + 2) * sizeof *start);
    for (int k = 0; k < b->count; k++)
        if (row[k] < n)
            start[row[k] + 2]++; // one place further: while they are listed, start[i + 1] grows
    for (int i = 2; i <= n; i++)
        start[i] += start[i - 1];
    for (int k = 0; k < b->count; k++)
        if (row[k] < n) {
            int place = start[row[k] + 1]++;
            if (order->entry)
                order->entry[place] = k;
        }
}

static bool create_order(trmi_evaluator *e, trmi_memory *memory)
{
    const trmi_quantity *b = &e->block[TRMI_TOTAL];
    trmi_order *order = &e->by_row;
    *order = (trmi_order){.n = e->n_r};
    if (b->pattern.block)
        return true;
    if (!TRMI_TAKE(memory, order->start, e->n_r + 2) ||
        (!in_order(b, e->n_r) && !TRMI_TAKE(memory, order->entry, b->count)))
        return false;
    fill_order(e);
    return true;
}

static trm_status create_total(trmi_evaluator *e, trmi_memory *memory, trm_error *error)
{
    trmi_quantity *total = &e->block[TRMI_TOTAL];
    const trm_pattern dense = {0};
    *total = e->block[TRM_QUANTITY_CONSTRAINT_Q];
    if (!e->constraint_uses_z)
        return TRM_OK;
    if (!fits(total)) {
        trmi_error_advise(error, "make what the constraints need of z coordinates or states");
        return trmi_error_set(error, TRM_ERR_SYSTEM,
                              "the constraints depend on z: their derivative would be a dense "
                              "matrix of %d x %d",
                              total->rows, total->columns);
    }
    return create_pattern(total, memory, &dense) ? TRM_OK : TRM_ERR_MEMORY;
}

// what is written while differences are formed
static bool create_difference_work(trmi_evaluator *e, trmi_memory *memory)
{
    int size = e->n_q + e->n_x + e->n_z + e->n_r_full + e->user.n_i + 1;
    const uint64_t quantities[] = {trmi_difference_bases(e) | TRMI_ELIMINATION_QUANTITIES,
                                   TRM_BIT(CONSTRAINT) | TRM_BIT(ALGEBRAIC)};
    bool good = true;
    for (int depth = 0; depth < 2 && good; depth++) {
        trmi_difference_work *w = &e->work[depth];
        good = TRMI_TAKE(memory, w->moved, size) && TRMI_TAKE(memory, w->middle, size) &&
               TRMI_TAKE(memory, w->width, size) && TRMI_TAKE(memory, w->plus, size) &&
               TRMI_TAKE(memory, w->minus, size) && TRMI_TAKE(memory, w->base, size) &&
               TRMI_TAKE(memory, w->z, e->n_z) &&
               trmi_values_create(&w->values, memory, e, quantities[depth], NULL);
    }
    return good;
}

static trm_status create_blocks(trmi_evaluator *e, trmi_memory *memory, uint64_t quantities,
                                trm_error *error)
{
    trm_status status = TRM_OK;
    for (int k = 0; k < TRM_QUANTITY_COUNT && status == TRM_OK; k++) {
        if (!trmi_has(quantities, (trm_quantity)k))
            continue;
        status = create_block(e, memory, (trm_quantity)k, error);
        if (!trmi_has(e->absent, (trm_quantity)k) || trmi_is_vector((trm_quantity)k))
            e->prepared |= TRM_BIT_OF(k);
    }
    return status;
}

// What a start needs, whatever the method.
static uint64_t start_quantities(const trmi_evaluator *e)
{
    return TRM_BIT(CONSTRAINT) | TRM_BIT(FORCE) | TRM_BIT(MASS) | TRM_BIT(RATE) |
           TRM_BIT(ALGEBRAIC) | TRM_BIT(ROLLING) | TRM_BIT(ROLLING_OFFSET) | TRM_BIT(ENERGY) |
           TRM_BIT(POWER) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA) |
           (e->supplied & (TRM_BIT(RESIDUAL) | TRM_BIT(ACCELERATION) | TRM_BIT(METRIC)));
}

// Quantities of the start, and what they show at the initial state: which of the others are zero.
static trm_status create_start(trmi_evaluator *e, trmi_values *values, trmi_memory *memory,
                               const trm_initial *initial, trm_statistics *statistics,
                               trm_error *error)
{
    const uint64_t first = start_quantities(e);
    trm_status status = create_blocks(e, memory, first, error);
    if (status == TRM_OK && !trmi_values_create(values, memory, e, first, statistics))
        status = TRM_ERR_MEMORY;
    if (status == TRM_OK)
        status = trmi_evaluator_probe(e, values, memory, initial, error);
    e->constraint_uses_z = !trmi_has(e->absent, TRM_QUANTITY_CONSTRAINT_Z);
    e->force_uses_lambda = !trmi_has(e->absent, TRM_QUANTITY_FORCE_LAMBDA);
    e->lambda_enters = e->force_uses_lambda || !trmi_has(e->absent, TRM_QUANTITY_RATE_LAMBDA) ||
                       !trmi_has(e->absent, TRM_QUANTITY_ALGEBRAIC_LAMBDA);
    return status;
}

// The other quantities that are needed, and what is needed to form differences.
static trm_status create_needed(trmi_evaluator *e, trmi_values *values, trmi_memory *memory,
                                uint64_t needed, trm_statistics *statistics, trm_error *error)
{
    const uint64_t first = start_quantities(e);
    if (e->constraint_uses_z)
        needed |= TRM_BIT(CONSTRAINT_Z) | TRM_BIT(ALGEBRAIC_Q) | TRM_BIT(ALGEBRAIC_T);
    if (e->n_z > 0)
        needed |= TRM_BIT(ALGEBRAIC_Z);
    trm_status status = create_blocks(e, memory, needed & ~first, error);
    if (status == TRM_OK)
        status = create_total(e, memory, error);
    if (status != TRM_OK)
        return status;
    if (!trmi_values_create(values, memory, e, needed | first, statistics))
        return TRM_ERR_MEMORY;
    needed |= TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA);
    e->differences = (needed & ~(e->supplied | e->absent)) != 0;
    bool good = create_order(e, memory) &&
                (!e->differences ||
                 (create_difference_work(e, memory) && trmi_evaluator_create_columns(e, memory)));
    return good ? TRM_OK : TRM_ERR_MEMORY;
}

trm_status trmi_evaluator_create(trmi_evaluator *e, trmi_values *values, trmi_memory *memory,
                                 const trm_system *system, uint64_t needed,
                                 const trm_initial *initial, trm_statistics *statistics,
                                 trm_error *error)
{
    *e = (trmi_evaluator){.user = *system,
                          .n_q = system->n_q,
                          .n_x = system->n_x,
                          .n_z = system->n_z,
                          .n_u = system->n_u,
                          .n_g = system->n_g,
                          .n_a = system->n_a,
                          .n_r = system->n_g + system->n_a,
                          .n_r_full = system->n_g + system->n_a};
    *values = (trmi_values){0};
    trmi_evaluator_declared(e);
    if (e->n_z > MAX_ALGEBRAIC)
        return trmi_error_set(error, TRM_ERR_SYSTEM,
                              "n_z = %d algebraic variables are more than %d; their equations are "
                              "solved with a dense matrix",
                              e->n_z, MAX_ALGEBRAIC);
    if (!create_scratch(e, memory))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the system");
    if (system->n_held > 0)
        memcpy(e->held, system->held, (size_t)system->n_held * sizeof *e->held);
    trm_status status = create_start(e, values, memory, initial, statistics, error);
    if (status == TRM_OK)
        status = create_needed(e, values, memory, needed, statistics, error);
    if (status == TRM_ERR_MEMORY)
        trmi_error_set(error, status, "no memory for the system");
    return status;
}

// active and full numbers of the rows that are left
static void number_rows(trmi_evaluator *e, const bool *dropped)
{
    e->n_g = e->n_r = 0;
    for (int i = 0; i < e->n_r_full; i++)
        if (!dropped[i]) {
            e->full[e->n_r] = i;
            e->active[i] = e->n_r++;
            e->n_g += i < e->user.n_g;
        }
    for (int i = 0; i < e->n_r_full; i++)
        if (dropped[i])
            e->active[i] = e->n_r;
    e->n_a = e->n_r - e->n_g;
    e->constant_done = 0; // vectors over rows must be shortened
}

bool trmi_evaluator_drop_rows(trmi_evaluator *e, trmi_memory *memory, const bool *dropped)
{
    if (!TRMI_TAKE(memory, e->lambda_full, e->n_r_full + 1) ||
        !TRMI_TAKE(memory, e->row_full, e->n_r_full + 1) ||
        !TRMI_TAKE(memory, e->active, e->n_r_full + 1) ||
        !TRMI_TAKE(memory, e->full, e->n_r_full + 1))
        return false;
    number_rows(e, dropped);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (!renumber(e, memory, (trm_quantity)k, false))
            return false;
    trmi_quantity *total = &e->block[TRMI_TOTAL];
    if (!e->constraint_uses_z)
        *total = e->block[TRM_QUANTITY_CONSTRAINT_Q];
    else if (!renumber_list(memory, &total->pattern.row, total->count, e->active, 0))
        return false;
    return create_order(e, memory) && (!e->differences || trmi_evaluator_create_columns(e, memory));
}

void trmi_evaluator_exchange_rows(trmi_evaluator *e, const bool *dropped)
{
    number_rows(e, dropped);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        trmi_quantity *b = &e->block[k];
        int *row = (int *)(uintptr_t)b->pattern.row; // a list of our own since rows were dropped
        for (int i = 0; i < b->count && b->full_row; i++)
            row[i] = e->active[b->full_row[i]];
    }
    fill_order(e); // total has the list of CONSTRAINT_Q
}
