// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/sparse_constraints.h"

#include "base/quantities.h"
#include "solver/system/difference.h"

#include <string.h>

// entries of a G by differences of all its rows at most
static const double MAX_DIFFERENCES = 2e7;

bool trmi_find_bodies(const trmi_evaluator *e, trmi_memory *scratch, bool wanted, trmi_bodies *out)
{
    const trm_system *u = &e->user;
    int *of;
    *out = (trmi_bodies){0};
    if (!wanted || u->n_bodies == 0)
        return true;
    if (!TRMI_TAKE(scratch, of, e->n_q))
        return false;
    for (int b = 0; b < u->n_bodies; b++)
        for (int i = u->body_first[b]; i < u->body_first[b + 1]; i++)
            of[i] = b;
    *out = (trmi_bodies){u->n_bodies, of};
    return true;
}

// entries of G, one after the other
typedef struct entry_list {
    int count, *row, *column;
    double *value;
} entry_list;

static bool create_entries(entry_list *list, trmi_memory *scratch, int most)
{
    *list = (entry_list){0};
    return TRMI_TAKE(scratch, list->row, most) && TRMI_TAKE(scratch, list->column, most) &&
           TRMI_TAKE(scratch, list->value, most);
}

static void add_entry(entry_list *list, int row, int column, double value)
{
    list->row[list->count] = row;
    list->column[list->count] = column;
    list->value[list->count++] = value;
}

bool trmi_list_constraints(const trmi_values *values, trmi_memory *scratch, trmi_sparse_rows *rows)
{
    const trmi_evaluator *e = values->e;
    const trmi_matrix blocks[] = {trmi_matrix_of(values, TRMI_TOTAL),
                                  trmi_matrix_of(values, TRM_QUANTITY_ROLLING)};
    entry_list list;
    if (!create_entries(&list, scratch, blocks[0].count + blocks[1].count))
        return false;
    for (int b = 0; b < 2; b++)
        for (trmi_cursor at = trmi_pattern_begin(&blocks[b].pattern); at.k < blocks[b].count;
             trmi_pattern_next(&at))
            add_entry(&list, at.row, at.column, blocks[b].value[at.k]);
    return trmi_sparse_rows_create(rows, scratch, e->n_r, e->n_q, list.count, list.row, list.column,
                                   list.value);
}

// G over all rows by differences of g, column by column; with z in g this is only g_q
static int difference_full_rows(const trmi_values *values, const trmi_point *p, double *q,
                                double *lambda, entry_list *list)
{
    trmi_evaluator *e = values->e;
    trm_state s = {p->t, q, p->v, p->a, p->x, p->z, lambda, values->input, e->held};
    double *plus = lambda + e->n_r_full, *minus = plus + e->n_r_full;
    int result = 0;
    memcpy(q, p->q, (size_t)e->n_q * sizeof *q);
    for (int j = 0; j < e->n_q && result == 0; j++) {
        double delta = trmi_increment_q(e, p->q[j], j);
        q[j] = p->q[j] + delta;
        result = trmi_call(e, &s, TRM_QUANTITY_CONSTRAINT, plus);
        q[j] = p->q[j] - delta;
        if (result == 0)
            result = trmi_call(e, &s, TRM_QUANTITY_CONSTRAINT, minus);
        q[j] = p->q[j];
        for (int i = 0; i < e->user.n_g; i++)
            add_entry(list, i, j, (plus[i] - minus[i]) / (2 * delta));
    }
    return result;
}

bool trmi_list_full_constraints(const trmi_values *values, const trmi_point *p,
                                trmi_memory *scratch, trmi_sparse_rows *rows)
{
    const trmi_evaluator *e = values->e;
    const trm_quantity blocks[] = {TRM_QUANTITY_CONSTRAINT_Q, TRM_QUANTITY_ROLLING};
    // without rows of positions there is no g to form differences of
    bool known = trmi_has(e->supplied | e->absent, TRM_QUANTITY_CONSTRAINT_Q);
    if (!known && (double)e->n_q * e->user.n_g > MAX_DIFFERENCES)
        return false;
    int most = e->block[TRM_QUANTITY_ROLLING].count +
               (known ? e->block[TRM_QUANTITY_CONSTRAINT_Q].count : e->n_q * e->user.n_g);
    entry_list list;
    double *q, *lambda; // zeros, and rows on both sides
    if (!create_entries(&list, scratch, most) || !TRMI_TAKE(scratch, q, e->n_q) ||
        !TRMI_TAKE(scratch, lambda, 3 * (size_t)e->n_r_full))
        return false;
    for (int b = known ? 0 : 1; b < 2; b++) {
        const trmi_quantity *block = &e->block[blocks[b]];
        for (trmi_cursor at = trmi_pattern_begin(&block->pattern); at.k < block->count;
             trmi_pattern_next(&at))
            add_entry(&list, trmi_full_row(block, &at), at.column, values->of[blocks[b]][at.k]);
    }
    return (known || difference_full_rows(values, p, q, lambda, &list) == 0) &&
           trmi_sparse_rows_create(rows, scratch, e->n_r_full, e->n_q, list.count, list.row,
                                   list.column, list.value);
}
