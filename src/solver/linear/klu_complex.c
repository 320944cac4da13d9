// SPDX-License-Identifier: Apache-2.0
// Sparse complex LU through KLU, ordered as the real solver it was made from. Pivots are kept while
// the growth of the entries stays small, as there.
#include "solver/linear/complex_solver.h"
#include "solver/linear/klu.h"

#include <math.h>
#include <string.h>

// max|A_j| / max|U_j| over all columns j below which new pivots are chosen: about six digits are
// lost then. It is computed where a pivot has fallen to this part of its value when chosen.
static const double SMALLEST_GROWTH = 1e-6, PIVOT_FALL = 1e-3;

typedef struct klu_complex {
    trmi_complex_solver base;
    trmi_klu_structure structure; // borrowed, but for `common`
    klu_numeric *numeric;
    double complex *chosen_matrix; // of the last full factorization, which determines the pivots
    double *chosen;                // its pivots: |re| + |im|
    bool kept;                     // the factors are of a later matrix, with those pivots
} klu_complex;

// the interface of KLU has real and imaginary parts in turn, as complex numbers lie in memory
static double *parts_of(double complex *value)
{
    return (double *)value;
}

static double size_of(double complex number)
{
    return fabs(creal(number)) + fabs(cimag(number));
}

static bool factors_finite(const klu_complex *klu)
{
    const double complex *u = klu->numeric->Udiag;
    double sum = 0;
    for (int i = 0; i < klu->base.n; i++)
        sum += size_of(u[i]);
    return isfinite(sum);
}

static bool pivots_have_fallen(const klu_complex *klu)
{
    const double complex *u = klu->numeric->Udiag;
    for (int i = 0; i < klu->base.n; i++)
        if (!(size_of(u[i]) >= PIVOT_FALL * klu->chosen[i]))
            return true;
    return false;
}

static bool growth_is_small(klu_complex *klu)
{
    trmi_klu_structure *s = &klu->structure;
    return klu_z_rgrowth(s->column_start, s->row, parts_of(klu->base.value), s->symbolic,
                         klu->numeric, &s->common) &&
           s->common.rgrowth > SMALLEST_GROWTH;
}

static bool refactor(klu_complex *klu)
{
    trmi_klu_structure *s = &klu->structure;
    double *parts = parts_of(klu->base.value);
    return klu_z_refactor(s->column_start, s->row, parts, s->symbolic, klu->numeric, &s->common) &&
           s->common.status == KLU_OK && factors_finite(klu) &&
           (!pivots_have_fallen(klu) || growth_is_small(klu));
}

static bool choose_pivots(klu_complex *klu, double complex *matrix)
{
    trmi_klu_structure *s = &klu->structure;
    klu_z_free_numeric(&klu->numeric, &s->common);
    klu->numeric = klu_z_factor(s->column_start, s->row, parts_of(matrix), s->symbolic, &s->common);
    klu->kept = false;
    for (int i = 0; i < klu->base.n && klu->numeric; i++)
        klu->chosen[i] = size_of(((const double complex *)klu->numeric->Udiag)[i]);
    return klu->numeric != NULL;
}

static trmi_factor_status factor(trmi_complex_solver *solver)
{
    klu_complex *klu = (klu_complex *)solver;
    klu->kept = solver->n > 0 && klu->numeric && refactor(klu);
    if (solver->n == 0 || klu->kept)
        return TRMI_FACTOR_OK;
    memcpy(klu->chosen_matrix, solver->value, (size_t)solver->value_count * sizeof *solver->value);
    if (!choose_pivots(klu, solver->value))
        return klu->structure.common.status == KLU_SINGULAR ? TRMI_FACTOR_SINGULAR
                                                            : TRMI_FACTOR_MEMORY;
    return factors_finite(klu) ? TRMI_FACTOR_OK : TRMI_FACTOR_SINGULAR;
}

static void solve(trmi_complex_solver *solver, double complex *x)
{
    klu_complex *klu = (klu_complex *)solver;
    if (solver->n > 0 && klu->numeric)
        klu_z_solve(klu->structure.symbolic, klu->numeric, solver->n, 1, parts_of(x),
                    &klu->structure.common);
}

// the same factors as before: the pivots from the matrix they were chosen for, then the present one
static trm_status factor_again(klu_complex *klu)
{
    trmi_klu_structure *s = &klu->structure;
    bool kept = klu->kept;
    if (!choose_pivots(klu, klu->chosen_matrix))
        return s->common.status == KLU_SINGULAR ? TRM_ERR_RANGE : TRM_ERR_MEMORY;
    klu->kept = kept;
    if (!kept || klu_z_refactor(s->column_start, s->row, parts_of(klu->base.value), s->symbolic,
                                klu->numeric, &s->common))
        return TRM_OK;
    return TRM_ERR_RANGE;
}

static void archive(trmi_complex_solver *solver, trmi_archive *a)
{
    klu_complex *klu = (klu_complex *)solver;
    size_t size = (size_t)solver->value_count * sizeof *solver->value;
    bool factored = klu->numeric != NULL;
    trmi_archive_bool(a, &factored);
    trmi_archive_bool(a, &klu->kept);
    if (factored)
        trmi_archive_bytes(a, klu->chosen_matrix, size);
    if (factored && klu->kept)
        trmi_archive_bytes(a, solver->value, size);
    if (!a->loading || a->status != TRM_OK)
        return;
    if (factored)
        a->status = factor_again(klu);
    else
        klu_z_free_numeric(&klu->numeric, &klu->structure.common);
}

static void destroy(trmi_complex_solver *solver)
{
    klu_complex *klu = (klu_complex *)solver;
    klu_z_free_numeric(&klu->numeric, &klu->structure.common);
}

trmi_complex_solver *trmi_klu_complex_create(trmi_memory *memory, const trmi_solver *real)
{
    static const trmi_complex_type type = {
        .factor = factor, .solve = solve, .archive = archive, .destroy = destroy};
    klu_complex *klu;
    if (!TRMI_TAKE(memory, klu, 1) || !TRMI_TAKE(memory, klu->base.value, real->value_count) ||
        !TRMI_TAKE(memory, klu->chosen_matrix, real->value_count) ||
        !TRMI_TAKE(memory, klu->chosen, real->n))
        return NULL;
    klu->base.type = &type;
    klu->base.n = real->n;
    klu->base.value_count = real->value_count;
    klu->structure = trmi_klu_structure_of(real);
    return &klu->base;
}
