// SPDX-License-Identifier: Apache-2.0
#include "formulation/shifted.h"

#include "base/error.h"

#include <string.h>

static const trm_quantity kept_quantity[TRMI_KEPT_COUNT] = {
    [TRMI_KEPT_MASS] = TRM_MASS,       [TRMI_KEPT_DAMPING] = TRM_DAMPING,
    [TRMI_KEPT_RATE_V] = TRM_RATE_V,   [TRMI_KEPT_ALGEBRAIC_V] = TRM_ALGEBRAIC_V,
    [TRMI_KEPT_ROLLING] = TRM_ROLLING,
};

static bool block_present(const trmi_evaluator *e, int which)
{
    trm_quantity quantity = kept_quantity[which];
    return !(e->absent & TRM_BIT(quantity)) && e->block[quantity].value;
}

static bool take_memory(trmi_shifted *s, trmi_memory *memory)
{
    const trmi_evaluator *e = s->saddle.e;
    const trmi_solver *solver = s->saddle.solver;
    bool good = true;
    for (int k = 0; k < TRMI_SHIFT_PARTS && good; k++)
        good = TRMI_TAKE(memory, s->part[k], solver->value_count);
    for (int k = 0; k < TRMI_KEPT_COUNT && good; k++)
        if (block_present(e, k))
            good = TRMI_TAKE(memory, s->kept[k], e->block[kept_quantity[k]].count);
    for (int k = 0; k < s->pairs && good; k++)
        good = (s->pair[k] = trmi_complex_create(memory, solver)) != NULL;
    return good;
}

trm_status trmi_shifted_create(trmi_shifted *s, trmi_memory *memory, trmi_evaluator *e,
                               trm_solver choice, int pairs, trm_error *error)
{
    *s = (trmi_shifted){.pairs = pairs};
    trm_status status = trmi_saddle_create_plain(&s->saddle, memory, e, choice, true, error);
    if (status == TRM_OK && !take_memory(s, memory))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for %d matrices of order %d",
                                pairs + 1, s->saddle.n);
    return status;
}

void trmi_shifted_take(trmi_shifted *s, double regularization)
{
    const trmi_evaluator *e = s->saddle.e;
    s->regularization = regularization;
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
        s->present[k] = trmi_saddle_part(&s->saddle, k - 2, s->part[k]);
    for (int k = 0; k < TRMI_KEPT_COUNT; k++)
        if (s->kept[k]) {
            const trmi_values *block = &e->block[kept_quantity[k]];
            memcpy(s->kept[k], block->value, (size_t)block->count * sizeof *block->value);
        }
}

// value += factor * part, and the regularization on the diagonal
static void add_real(trmi_shifted *s, int k, double factor)
{
    trmi_solver *solver = s->saddle.solver;
    double *restrict value = solver->value;
    for (int i = 0; i < solver->value_count; i++)
        value[i] += factor * s->part[k][i];
}

static void add_complex(const trmi_shifted *s, trmi_complex_solver *solver, int k,
                        double complex factor)
{
    double complex *restrict value = solver->value;
    for (int i = 0; i < solver->value_count; i++)
        value[i] += factor * s->part[k][i];
}

static trmi_factor_status factor_real(trmi_shifted *s, double alpha)
{
    trmi_solver *solver = s->saddle.solver;
    const double power[] = {1 / (alpha * alpha), 1 / alpha, 1, alpha, alpha * alpha};
    trmi_solver_clear(solver);
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
        if (s->present[k])
            add_real(s, k, power[k]);
    for (int i = s->saddle.n - s->saddle.e->n_r; i < s->saddle.n; i++)
        solver->value[solver->type->position(solver, i, i)] -= s->regularization;
    return solver->type->factor(solver);
}

static trmi_factor_status factor_pair(trmi_shifted *s, trmi_complex_solver *pair,
                                      double complex alpha)
{
    const trmi_solver *solver = s->saddle.solver;
    const double complex power[] = {1 / (alpha * alpha), 1 / alpha, 1, alpha, alpha * alpha};
    memset(pair->value, 0, (size_t)pair->value_count * sizeof *pair->value);
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
        if (s->present[k])
            add_complex(s, pair, k, power[k]);
    for (int i = s->saddle.n - s->saddle.e->n_r; i < s->saddle.n; i++)
        pair->value[solver->type->position(solver, i, i)] -= s->regularization;
    return pair->type->factor(pair);
}

trmi_factor_status trmi_shifted_factor(trmi_shifted *s, double real, const double complex *shift,
                                       int count)
{
    trmi_factor_status status = factor_real(s, real);
    for (int k = 0; k < count && status == TRMI_FACTOR_OK; k++)
        status = factor_pair(s, s->pair[k], shift[k]);
    s->saddle.e->statistics->factorizations += 1 + count;
    return status;
}

void trmi_shifted_solve(trmi_shifted *s, double *x)
{
    trmi_saddle_solve(&s->saddle, x, 1);
}

void trmi_shifted_solve_pair(trmi_shifted *s, int k, double complex *x)
{
    s->pair[k]->type->solve(s->pair[k], x);
    s->saddle.e->statistics->solves++;
}

void trmi_shifted_multiply(const trmi_shifted *s, trmi_kept which, const double *x, double *y)
{
    if (!s->kept[which])
        return;
    trmi_values block = s->saddle.e->block[kept_quantity[which]];
    block.value = s->kept[which];
    trmi_values_multiply(&block, x, y);
}

void trmi_shifted_archive(trmi_shifted *s, trmi_archive *a)
{
    const trmi_evaluator *e = s->saddle.e;
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++) {
        trmi_archive_bool(a, &s->present[k]);
        trmi_archive_doubles(a, s->part[k], s->saddle.solver->value_count);
    }
    for (int k = 0; k < TRMI_KEPT_COUNT; k++)
        if (s->kept[k])
            trmi_archive_doubles(a, s->kept[k], e->block[kept_quantity[k]].count);
    trmi_archive_doubles(a, &s->regularization, 1);
    trmi_solver_archive(s->saddle.solver, a);
    for (int k = 0; k < s->pairs; k++)
        trmi_complex_archive(s->pair[k], a);
}

void trmi_shifted_destroy(trmi_shifted *s)
{
    for (int k = 0; k < s->pairs; k++)
        trmi_complex_destroy(s->pair[k]);
    trmi_saddle_destroy(&s->saddle);
}
