// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/row_choice.h"

#include "solver/formulation/sparse_constraints.h"

#include <float.h>
#include <string.h>

bool trmi_rows_exchangeable(const trmi_evaluator *e)
{
    if (e->n_r == e->n_r_full)
        return false;
    bool supplied = true;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        supplied = supplied && (!e->block[k].full_row || (e->supplied & TRM_BIT_OF(k)));
    return supplied && e->user.n_a == 0 && !e->lambda_enters && !e->constraint_uses_z;
}

// Rows follow from each other to the accuracy of the positions, which is not known here: the first
// of growing tolerances at which as many do as are dropped.
static bool find_dependences(trmi_row_choice *choice, const trmi_evaluator *e,
                             const trmi_sparse_rows *rows, trmi_bodies bodies)
{
    int wanted = e->n_r_full - e->n_r;
    choice->all.count = 0;
    for (double tolerance = 1e3 * DBL_EPSILON; choice->all.count < wanted && tolerance < 1;
         tolerance *= 10)
        if (!trmi_dependences_find(&choice->all, &choice->memory, rows, bodies, tolerance) ||
            choice->all.too_large >= 0)
            return false;
    return choice->all.count == wanted;
}

bool trmi_row_choice_find(trmi_row_choice *choice, const trmi_values *values, const trmi_point *p,
                          const trmi_memory *memory)
{
    const trmi_evaluator *e = values->e;
    trmi_sparse_rows rows;
    trmi_bodies bodies;
    *choice = (trmi_row_choice){0};
    trmi_memory_init(&choice->memory, &memory->allocator);
    if (!TRMI_TAKE(&choice->memory, choice->dropped, e->n_r_full) ||
        !TRMI_TAKE(&choice->memory, choice->full, e->n_r_full) ||
        !trmi_list_full_constraints(values, p, &choice->memory, &rows) ||
        !trmi_find_bodies(e, &choice->memory, e->by_bodies, &bodies) ||
        !find_dependences(choice, e, &rows, bodies))
        return false;
    bool other = false;
    for (int k = 0; k < choice->all.count; k++) {
        int row = choice->all.list[k].row;
        choice->dropped[row] = true;
        other = other || e->active[row] < e->n_r;
    }
    return other;
}

// A row that is dropped from now on is a sum of the others, and so is its force.
void trmi_row_choice_convert(const trmi_row_choice *choice, const trmi_evaluator *e, double *lambda)
{
    trmi_expand_rows(e, lambda, choice->full);
    for (int k = 0; k < choice->all.count; k++) {
        const trmi_dependence *d = &choice->all.list[k];
        for (int i = 0; i < d->count; i++)
            choice->full[d->from[i]] += d->weight[i] * choice->full[d->row];
    }
    int count = 0;
    for (int i = 0; i < e->n_r_full; i++)
        if (!choice->dropped[i])
            lambda[count++] = choice->full[i];
    lambda[count] = 0;
}

void trmi_row_choice_release(trmi_row_choice *choice)
{
    trmi_memory_release_all(&choice->memory);
}
