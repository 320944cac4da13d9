// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// delta in units of the largest diagonal entry of C M^-1 C^T
static const double REGULARIZATION = 1e-12;

static int by_place(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static bool find_diagonal(trmi_tangent *t, trmi_memory *memory)
{
    const trmi_solver *solver = t->saddle->solver;
    int count = t->saddle->e->n_r, *place;
    if (!TRMI_TAKE(memory, place, count))
        return false;
    for (int i = 0; i < count; i++) {
        int row = t->saddle->n - count + i;
        place[i] = solver->type->position(solver, row, row);
    }
    if (count > 0)
        qsort(place, (size_t)count, sizeof *place, by_place);
    t->diagonal = (trmi_diagonal){count, place};
    return true;
}

static bool take_shared(trmi_tangent *t, trmi_memory *memory, const trmi_tangent *of)
{
    const trmi_evaluator *e = t->saddle->e;
    int rows = e->n_r + 1, longer = e->n_q > rows ? e->n_q : rows;
    if (of) {
        t->diagonal = of->diagonal;
        t->scratch = of->scratch;
        return true;
    }
    return find_diagonal(t, memory) && TRMI_TAKE(memory, t->scratch, e->n_q + longer);
}

bool trmi_tangent_create(trmi_tangent *t, trmi_memory *memory, trmi_saddle *saddle,
                         const trmi_tangent *of)
{
    const trmi_evaluator *e = saddle->e;
    *t = (trmi_tangent){.saddle = saddle};
    t->solver = saddle->solver->type->create_twin(memory, saddle->solver);
    bool constant = e->user.constant & TRM_BIT(MASS);
    if (constant) // no copy is needed
        t->mass = t->saddle->values->of[TRM_QUANTITY_MASS];
    if (!t->solver ||
        (!constant && !TRMI_TAKE(memory, t->mass, e->block[TRM_QUANTITY_MASS].count)) ||
        !TRMI_TAKE(memory, t->constraint, e->block[TRMI_TOTAL].count) ||
        !TRMI_TAKE(memory, t->rolling, e->block[TRM_QUANTITY_ROLLING].count) ||
        !take_shared(t, memory, of))
        return false;
    t->metric = t->mass;
    return !trmi_has_metric(e) || TRMI_TAKE(memory, t->metric, e->block[TRM_QUANTITY_METRIC].count);
}

static void copy(double *to, const trmi_values *values, int quantity)
{
    int count = values->e->block[quantity].count;
    const double *from = values->of[quantity];
    if (count > 0 && from && to != from)
        memcpy(to, from, (size_t)count * sizeof *to);
}

void trmi_tangent_take(trmi_tangent *t)
{
    const trmi_values *values = t->saddle->values;
    copy(t->mass, values, TRM_QUANTITY_MASS);
    if (t->metric != t->mass)
        copy(t->metric, values, TRM_QUANTITY_METRIC);
    copy(t->constraint, values, TRMI_TOTAL);
    copy(t->rolling, values, TRM_QUANTITY_ROLLING);
}

// The inertia each coordinate shares in: the largest M_kk among those that M couples it with. A
// quaternion has three inertias for four coordinates, and a diagonal entry of its M may vanish.
static void find_inertia(const trmi_matrix m, int n, double *diagonal, double *inertia)
{
    memset(diagonal, 0, (size_t)n * sizeof *diagonal);
    memset(inertia, 0, (size_t)n * sizeof *inertia);
    for (trmi_cursor at = trmi_pattern_begin(&m.pattern); at.k < m.count; trmi_pattern_next(&at))
        if (at.row == at.column)
            diagonal[at.row] += m.value[at.k];
    for (trmi_cursor at = trmi_pattern_begin(&m.pattern); at.k < m.count; trmi_pattern_next(&at))
        inertia[at.row] = fmax(inertia[at.row], diagonal[at.column]);
}

// The largest diagonal entry of C M^-1 C^T, with inertias in place of M: its size is what matters.
// Coordinates without mass are left out.
static double size_of_rows(const trmi_tangent *t)
{
    const trmi_evaluator *e = t->saddle->e;
    const trmi_matrix rows[] = {trmi_matrix_of(t->saddle->values, TRMI_TOTAL),
                                trmi_matrix_of(t->saddle->values, TRM_QUANTITY_ROLLING)};
    double *inertia = t->scratch, *size = inertia + e->n_q, largest = 0;
    find_inertia(trmi_matrix_of(t->saddle->values, trmi_metric(e)), e->n_q, size, inertia);
    memset(size, 0, (size_t)(e->n_r + 1) * sizeof *size);
    for (int b = 0; b < 2; b++)
        for (trmi_cursor at = trmi_pattern_begin(&rows[b].pattern);
             at.k < rows[b].count && rows[b].value; trmi_pattern_next(&at)) {
            double mass = inertia[at.column], entry = rows[b].value[at.k];
            size[at.row] += mass > 0 ? entry * entry / mass : 0;
        }
    for (int i = 0; i < e->n_r; i++)
        largest = fmax(largest, size[i]);
    return largest;
}

trmi_factor_status trmi_tangent_factor(trmi_tangent *t)
{
    return trmi_tangent_factor_with(t, REGULARIZATION * size_of_rows(t));
}

trmi_factor_status trmi_tangent_factor_with(trmi_tangent *t, double regularization)
{
    t->regularization = regularization;
    t->saddle->values->statistics->factorizations++;
    trmi_factor_status status =
        trmi_saddle_factor_tangent(t->saddle, t->solver, &t->diagonal, regularization);
    trmi_tangent_take(t);
    return status;
}

void trmi_tangent_solve(trmi_tangent *t, double *x, int count)
{
    t->solver->type->solve(t->solver, x, count);
    t->saddle->values->statistics->solves += count;
}

void trmi_tangent_solve_rows(trmi_tangent *t, double *x)
{
    const trmi_solver_type *type = t->solver->type;
    if (type->solve_constraints)
        type->solve_constraints(t->solver, x);
    else
        type->solve(t->solver, x, 1);
    t->saddle->values->statistics->solves++;
}

void trmi_tangent_solve_from_rows(trmi_tangent *t, double *x)
{
    const trmi_solver_type *type = t->solver->type;
    if (type->solve_from_constraints) {
        type->solve_from_constraints(t->solver, x);
    } else {
        memset(x, 0, (size_t)(t->saddle->n - t->saddle->e->n_r) * sizeof *x);
        type->solve(t->solver, x, 1);
    }
    t->saddle->values->statistics->solves++;
}

// out = the quantity with these values times x
static void multiply(const trmi_quantity *block, const double *value, int n, const double *x,
                     double *restrict out)
{
    const trmi_matrix b = trmi_matrix_with(block, value);
    memset(out, 0, (size_t)n * sizeof *out);
    trmi_matrix_multiply(&b, x, out);
}

void trmi_tangent_mass(const trmi_tangent *t, const double *x, double *restrict out)
{
    const trmi_evaluator *e = t->saddle->e;
    if (e->user.pattern[TRM_QUANTITY_MASS].count != TRM_PATTERN_DIAGONAL) {
        multiply(&e->block[TRM_QUANTITY_MASS], t->mass, e->n_q, x, out);
        return;
    }
    for (int i = 0; i < e->n_q; i++)
        out[i] = t->mass[i] * x[i];
}

void trmi_tangent_inertia(const trmi_tangent *t, const double *force, const double *a,
                          double *restrict out)
{
    const trmi_evaluator *e = t->saddle->e;
    bool diagonal = e->user.pattern[TRM_QUANTITY_MASS].count == TRM_PATTERN_DIAGONAL;
    if (!diagonal)
        trmi_tangent_mass(t, a, out);
    for (int i = 0; i < e->n_q; i++)
        out[i] = force[i] - (diagonal ? t->mass[i] * a[i] : out[i]);
}

void trmi_tangent_metric(const trmi_tangent *t, const double *x, double *restrict out)
{
    const trmi_evaluator *e = t->saddle->e;
    if (trmi_has_metric(e))
        multiply(&e->block[TRM_QUANTITY_METRIC], t->metric, e->n_q, x, out);
    else
        trmi_tangent_mass(t, x, out);
}

void trmi_tangent_balance(const trmi_tangent *t, const double *residual, double *restrict out)
{
    const trmi_evaluator *e = t->saddle->e;
    if (trmi_has_metric(e))
        trmi_tangent_metric(t, residual, out);
    else
        memcpy(out, residual, (size_t)e->n_q * sizeof *out);
}

void trmi_tangent_force(const trmi_tangent *t, const double *lambda, double sign,
                        double *restrict out)
{
    const trmi_evaluator *e = t->saddle->e;
    trmi_add_total_force(e, t->constraint, lambda, sign, out);
    const trmi_quantity *a = &e->block[TRM_QUANTITY_ROLLING];
    for (trmi_cursor at = trmi_pattern_begin(&a->pattern); at.k < a->count && e->n_a > 0;
         trmi_pattern_next(&at))
        if (at.row < e->n_r)
            out[at.column] += sign * t->rolling[at.k] * lambda[at.row];
}

void trmi_tangent_rows(const trmi_tangent *t, const double *x, double *restrict out)
{
    const trmi_evaluator *e = t->saddle->e;
    memset(out, 0, (size_t)e->n_r * sizeof *out);
    trmi_add_total_product(e, t->constraint, x, out);
    const trmi_quantity *a = &e->block[TRM_QUANTITY_ROLLING];
    for (trmi_cursor at = trmi_pattern_begin(&a->pattern); at.k < a->count && e->n_a > 0;
         trmi_pattern_next(&at))
        if (at.row < e->n_r)
            out[at.row] += t->rolling[at.k] * x[at.column];
}

// the factors are those of one attempt, but what earlier matrices left in the solver stays
void trmi_tangent_archive(trmi_tangent *t, trmi_archive *a)
{
    trmi_solver_archive(t->solver, a);
}

void trmi_tangent_destroy(trmi_tangent *t)
{
    trmi_solver_destroy(t->solver);
}
