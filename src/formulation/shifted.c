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

static bool create_small(trmi_shifted *s, trmi_memory *memory)
{
    trmi_shifted_small *small = &s->small;
    trmi_motions *motions = &small->motions;
    if (!trmi_motions_create(motions, memory, &s->saddle))
        return false;
    const trmi_structure structure = {.n = motions->n};
    small->exists = true;
    small->real = trmi_dense_create(memory, &structure);
    bool good = small->real && TRMI_TAKE(memory, small->left, motions->n * motions->n_w) &&
                TRMI_TAKE(memory, small->w, 2 * motions->n_w) &&
                TRMI_TAKE(memory, small->omega, 2 * motions->n) &&
                TRMI_TAKE(memory, small->omega_pair, motions->n);
    for (int k = 0; k < TRMI_SHIFT_PARTS && good; k++)
        good = TRMI_TAKE(memory, small->part[k], small->real->value_count);
    for (int k = 0; k < s->pairs && good; k++)
        good = (small->pair[k] = trmi_complex_create(memory, small->real)) != NULL;
    return good;
}

trm_status trmi_shifted_create(trmi_shifted *s, trmi_memory *memory, trmi_evaluator *e,
                               trm_solver choice, int pairs, bool reducible, trm_error *error)
{
    *s = (trmi_shifted){.pairs = pairs};
    trm_status status = trmi_saddle_create_plain(&s->saddle, memory, e, choice, true, error);
    if (status != TRM_OK)
        return status;
    bool small = reducible && trmi_motions_suits(&s->saddle);
    if (!take_memory(s, memory) || (small && !create_small(s, memory)))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for %d matrices of order %d",
                                pairs + 1, s->saddle.n);
    return status;
}

// ---- the set ----

static void reduce_parts(trmi_shifted *s)
{
    trmi_shifted_small *small = &s->small;
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++) {
        if (!s->present[k])
            continue;
        memset(small->part[k], 0, (size_t)small->real->value_count * sizeof *small->part[k]);
        trmi_motions_left(&small->motions, s->part[k], small->left);
        trmi_motions_right(&small->motions, small->left, small->motions.n, small->part[k]);
    }
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
    s->small.serves = s->small.exists && trmi_motions_split(&s->small.motions, s->part[2]);
    if (s->small.serves)
        reduce_parts(s);
}

// ---- factors ----

// value = sum_k alpha^k part_k
static void add_real(const trmi_shifted *s, double *const *part, double alpha, trmi_solver *solver)
{
    const double power[] = {1 / (alpha * alpha), 1 / alpha, 1, alpha, alpha * alpha};
    double *restrict value = solver->value;
    trmi_solver_clear(solver);
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
        for (int i = 0; i < solver->value_count && s->present[k]; i++)
            value[i] += power[k] * part[k][i];
}

static void add_complex(const trmi_shifted *s, double *const *part, double complex alpha,
                        trmi_complex_solver *solver)
{
    const double complex power[] = {1 / (alpha * alpha), 1 / alpha, 1, alpha, alpha * alpha};
    double complex *restrict value = solver->value;
    memset(value, 0, (size_t)solver->value_count * sizeof *value);
    for (int k = 0; k < TRMI_SHIFT_PARTS; k++)
        for (int i = 0; i < solver->value_count && s->present[k]; i++)
            value[i] += power[k] * part[k][i];
}

static trmi_factor_status factor_real(trmi_shifted *s, double alpha)
{
    trmi_solver *solver = s->small.serves ? s->small.real : s->saddle.solver;
    add_real(s, s->small.serves ? s->small.part : s->part, alpha, solver);
    for (int i = s->saddle.n - s->saddle.e->n_r; i < s->saddle.n && !s->small.serves; i++)
        solver->value[solver->type->position(solver, i, i)] -= s->regularization;
    return solver->type->factor(solver);
}

static trmi_factor_status factor_pair(trmi_shifted *s, int k, double complex alpha)
{
    const trmi_solver *real = s->saddle.solver;
    trmi_complex_solver *pair = s->small.serves ? s->small.pair[k] : s->pair[k];
    add_complex(s, s->small.serves ? s->small.part : s->part, alpha, pair);
    for (int i = s->saddle.n - s->saddle.e->n_r; i < s->saddle.n && !s->small.serves; i++)
        pair->value[real->type->position(real, i, i)] -= s->regularization;
    return pair->type->factor(pair);
}

trmi_factor_status trmi_shifted_factor(trmi_shifted *s, double real, const double complex *shift,
                                       int count)
{
    trmi_factor_status status = factor_real(s, real);
    for (int k = 0; k < count && status == TRMI_FACTOR_OK; k++)
        status = factor_pair(s, k, shift[k]);
    s->saddle.e->statistics->factorizations += 1 + count;
    return status;
}

// ---- solutions ----

// multipliers: not found
static void solve_small(trmi_shifted *s, double *x)
{
    trmi_shifted_small *small = &s->small;
    int n_w = small->motions.n_w;
    trmi_motions_restrict(&small->motions, x, small->omega);
    small->real->type->solve(small->real, small->omega, 1);
    trmi_motions_expand(&small->motions, small->omega, x);
    memset(x + n_w, 0, (size_t)(s->saddle.n - n_w) * sizeof *x);
}

static void solve_small_pair(trmi_shifted *s, int k, double complex *x)
{
    trmi_shifted_small *small = &s->small;
    const trmi_motions *motions = &small->motions;
    int n = motions->n, n_w = motions->n_w;
    double *re = small->w, *im = re + n_w, *omega_re = small->omega, *omega_im = omega_re + n;
    for (int i = 0; i < n_w; i++) {
        re[i] = creal(x[i]);
        im[i] = cimag(x[i]);
    }
    trmi_motions_restrict(motions, re, omega_re);
    trmi_motions_restrict(motions, im, omega_im);
    for (int i = 0; i < n; i++)
        small->omega_pair[i] = omega_re[i] + omega_im[i] * I;
    small->pair[k]->type->solve(small->pair[k], small->omega_pair);
    for (int i = 0; i < n; i++) {
        omega_re[i] = creal(small->omega_pair[i]);
        omega_im[i] = cimag(small->omega_pair[i]);
    }
    trmi_motions_expand(motions, omega_re, re);
    trmi_motions_expand(motions, omega_im, im);
    for (int i = 0; i < s->saddle.n; i++)
        x[i] = i < n_w ? re[i] + im[i] * I : 0;
}

void trmi_shifted_solve(trmi_shifted *s, double *x)
{
    if (s->small.serves)
        solve_small(s, x);
    else
        s->saddle.solver->type->solve(s->saddle.solver, x, 1);
    s->saddle.e->statistics->solves++;
}

void trmi_shifted_solve_pair(trmi_shifted *s, int k, double complex *x)
{
    if (s->small.serves)
        solve_small_pair(s, k, x);
    else
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

static void archive_small(trmi_shifted *s, trmi_archive *a)
{
    trmi_shifted_small *small = &s->small;
    trmi_archive_bool(a, &small->serves);
    trmi_motions_archive(&small->motions, a);
    trmi_solver_archive(small->real, a);
    for (int k = 0; k < s->pairs; k++)
        trmi_complex_archive(small->pair[k], a);
    if (a->loading && a->status == TRM_OK && small->serves)
        reduce_parts(s);
}

double trmi_shifted_stiffness(const trmi_shifted *s, double alpha)
{
    const trmi_values *mass = &s->saddle.e->block[TRM_MASS];
    double stiffness = trmi_max_abs(s->part[0], s->saddle.solver->value_count) / (alpha * alpha);
    double inertia =
        trmi_max_abs(s->kept[TRMI_KEPT_MASS], s->kept[TRMI_KEPT_MASS] ? mass->count : 0);
    return inertia > 0 ? stiffness / inertia : 0;
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
    if (s->small.exists)
        archive_small(s, a);
}

void trmi_shifted_destroy(trmi_shifted *s)
{
    for (int k = 0; k < s->pairs; k++)
        trmi_complex_destroy(s->pair[k]);
    trmi_saddle_destroy(&s->saddle);
}
