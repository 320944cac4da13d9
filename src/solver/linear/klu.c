// SPDX-License-Identifier: Apache-2.0
// Sparse LU through KLU. The ordering is found once; later factorizations keep the pivots of the
// last full one while the growth of the entries stays small.
#include "solver/linear/klu.h"

#include "solver/linear/complex_solver.h"

#include <math.h>
#include <string.h>

// The pivots chosen by the last full factorization are kept while none of them has fallen below
// this part of its size then (rows are scaled, so the factors stay bounded with it) ...
static const double pivot_fall = 0.01;
// ... or while max|A_j| / max|U_j| over all columns j is not smaller; about six digits are lost
// then
static const double smallest_growth = 1e-6;

// L and U may have this many entries each, which take 24 bytes together: 2 GB. Pivots far from the
// ordering can fill them up, and KLU alone would go on to 16 GB.
static const double max_entries = 83e6;

typedef struct klu_solver {
    trmi_solver base;
    trmi_klu_structure of;
    bool borrowed; // the structure and its ordering are those of another solver
    klu_numeric *numeric;
    double capacity;       // entries of L and of U that KLU reserves; 0: its own estimate
    double *chosen;        // |U_ii| of the last full factorization
    double *chosen_matrix; // and its matrix, from which the pivots can be found again
    bool kept;             // the factors are of a later matrix, with those pivots
} klu_solver;

// false when a pivot is zero or not finite
static bool judge_pivots(klu_solver *klu)
{
    klu->base.pivot = trmi_smallest_pivot(klu->numeric->Udiag, 1, klu->base.n);
    klu->base.pivot.row = klu->numeric->Pnum[klu->base.pivot.row];
    return klu->base.pivot.smallest > 0;
}

static bool pivots_have_fallen(const klu_solver *klu)
{
    const double *u = klu->numeric->Udiag;
    for (int i = 0; i < klu->base.n; i++)
        if (!(fabs(u[i]) >= pivot_fall * klu->chosen[i]))
            return true;
    return false;
}

static bool growth_is_small(klu_solver *klu)
{
    return klu_rgrowth(klu->of.column_start, klu->of.row, klu->base.value, klu->of.symbolic,
                       klu->numeric, &klu->of.common) &&
           klu->of.common.rgrowth > smallest_growth;
}

// with the pivots of the last full factorization; false when they no longer fit
static bool refactor(klu_solver *klu)
{
    return klu_refactor(klu->of.column_start, klu->of.row, klu->base.value, klu->of.symbolic,
                        klu->numeric, &klu->of.common) &&
           klu->of.common.status == KLU_OK && judge_pivots(klu) &&
           (!pivots_have_fallen(klu) || growth_is_small(klu));
}

// Factors with klu->capacity entries at most: KLU cannot be given a bound, but fails where the next
// size of its memory would overflow an int.
static void factor_within_capacity(klu_solver *klu, double *matrix)
{
    klu_common *c = &klu->of.common;
    const klu_common usual = *c;
    double estimate = klu->of.symbolic->Lnz[0];
    c->memgrow = 1e12;
    c->initmem_amd = estimate > 0 ? klu->capacity / estimate : 1;
    c->initmem = klu->capacity / klu->base.value_count; // without an estimate
    klu->numeric = klu_factor(klu->of.column_start, klu->of.row, matrix, klu->of.symbolic, c);
    c->memgrow = usual.memgrow;
    c->initmem_amd = usual.initmem_amd;
    c->initmem = usual.initmem;
}

// A matrix whose dense factors are within the bound is left to KLU; for a larger one the capacity
// is multiplied by four until it suffices.
static void factor_bounded(klu_solver *klu, double *matrix)
{
    double n = klu->base.n, estimate = fmax(klu->of.symbolic->Lnz[0], 10.0 * klu->base.value_count);
    if (0.5 * n * n <= max_entries) {
        klu->numeric = klu_factor(klu->of.column_start, klu->of.row, matrix, klu->of.symbolic,
                                  &klu->of.common);
        return;
    }
    if (klu->capacity == 0)
        klu->capacity = fmin(max_entries, 2 * estimate + 4 * n);
    factor_within_capacity(klu, matrix);
    while (klu->of.common.status == KLU_TOO_LARGE && klu->capacity < max_entries) {
        klu->capacity = fmin(max_entries, 4 * klu->capacity);
        factor_within_capacity(klu, matrix);
    }
}

// factors of the matrix, with pivots chosen for it; false when there are none
static bool choose_pivots(klu_solver *klu, double *matrix)
{
    klu_free_numeric(&klu->numeric, &klu->of.common);
    factor_bounded(klu, matrix);
    klu->kept = false;
    for (int i = 0; i < klu->base.n && klu->numeric; i++)
        klu->chosen[i] = fabs(((const double *)klu->numeric->Udiag)[i]);
    return klu->numeric != NULL;
}

static trmi_factor_status factor(trmi_solver *solver)
{
    klu_solver *klu = (klu_solver *)solver;
    solver->pivot = (trmi_pivot){1, 0};
    klu->kept = solver->n > 0 && klu->numeric && refactor(klu);
    if (solver->n == 0 || klu->kept)
        return TRMI_FACTOR_OK;
    memcpy(klu->chosen_matrix, solver->value, (size_t)solver->value_count * sizeof(double));
    solver->full_factors++;
    if (!choose_pivots(klu, solver->value)) {
        // the matrix of a mechanism is structurally symmetric: the column names the row as well
        bool singular = klu->of.common.status == KLU_SINGULAR;
        int column = klu->of.common.singular_col;
        solver->pivot = (trmi_pivot){0, singular && column < solver->n ? column : 0};
        return singular ? TRMI_FACTOR_SINGULAR : TRMI_FACTOR_MEMORY;
    }
    return judge_pivots(klu) ? TRMI_FACTOR_OK : TRMI_FACTOR_SINGULAR;
}

static void solve(trmi_solver *solver, double *x, int count)
{
    klu_solver *klu = (klu_solver *)solver;
    if (solver->n > 0 && klu->numeric)
        klu_solve(klu->of.symbolic, klu->numeric, solver->n, count, x, &klu->of.common);
}

static int position(const trmi_solver *solver, int row, int col)
{
    const klu_solver *klu = (const klu_solver *)solver;
    if (row < 0 || row >= solver->n || col < 0 || col >= solver->n)
        return -1;
    int low = klu->of.column_start[col], high = klu->of.column_start[col + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (klu->of.row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < klu->of.column_start[col + 1] && klu->of.row[low] == row ? low : -1;
}

static void forget(trmi_solver *solver)
{
    klu_solver *klu = (klu_solver *)solver;
    klu_free_numeric(&klu->numeric, &klu->of.common);
}

// the same factors as before: the pivots from the matrix they were chosen for, then the present one
static trm_status factor_again(klu_solver *klu)
{
    bool kept = klu->kept;
    if (!choose_pivots(klu, klu->chosen_matrix))
        return klu->of.common.status == KLU_SINGULAR ? TRM_ERR_RANGE : TRM_ERR_MEMORY;
    klu->kept = kept;
    if (!kept || klu_refactor(klu->of.column_start, klu->of.row, klu->base.value, klu->of.symbolic,
                              klu->numeric, &klu->of.common))
        return TRM_OK;
    return TRM_ERR_RANGE;
}

static void archive(trmi_solver *solver, trmi_archive *a)
{
    klu_solver *klu = (klu_solver *)solver;
    bool factored = klu->numeric != NULL;
    trmi_archive_bool(a, &factored);
    trmi_archive_bool(a, &klu->kept);
    if (factored)
        trmi_archive_doubles(a, klu->chosen_matrix, solver->value_count);
    if (factored && klu->kept)
        trmi_archive_doubles(a, solver->value, solver->value_count);
    if (!a->loading || a->status != TRM_OK)
        return;
    if (factored)
        a->status = factor_again(klu);
    else
        forget(solver);
}

static void destroy(trmi_solver *solver)
{
    klu_solver *klu = (klu_solver *)solver;
    klu_free_numeric(&klu->numeric, &klu->of.common);
    if (!klu->borrowed)
        klu_free_symbolic(&klu->of.symbolic, &klu->of.common);
}

static trmi_solver *create_twin(trmi_memory *memory, const trmi_solver *solver)
{
    klu_solver *klu;
    if (!TRMI_TAKE(memory, klu, 1) || !TRMI_TAKE(memory, klu->chosen, solver->n) ||
        !TRMI_TAKE(memory, klu->base.value, solver->value_count) ||
        !TRMI_TAKE(memory, klu->chosen_matrix, solver->value_count))
        return NULL;
    klu->base.type = solver->type;
    klu->base.n = solver->n;
    klu->base.value_count = solver->value_count;
    klu->of = ((const klu_solver *)solver)->of;
    klu->borrowed = true;
    return &klu->base;
}

trmi_klu_structure trmi_klu_structure_of(const trmi_solver *solver)
{
    return ((const klu_solver *)solver)->of;
}

bool trmi_klu_pivots(const trmi_solver *solver, int *row, int *col)
{
    const klu_solver *klu = (const klu_solver *)solver;
    for (int k = 0; k < solver->n && klu->numeric; k++) {
        row[k] = klu->numeric->Pnum[k];
        col[k] = klu->of.symbolic->Q[k];
    }
    return klu->numeric != NULL;
}

bool trmi_klu_reorder(trmi_solver *solver, int *row, int *col)
{
    klu_solver *klu = (klu_solver *)solver;
    forget(solver);
    klu_free_symbolic(&klu->of.symbolic, &klu->of.common);
    klu->of.symbolic =
        klu_analyze_given(solver->n, klu->of.column_start, klu->of.row, row, col, &klu->of.common);
    return klu->of.symbolic != NULL;
}

trmi_solver *trmi_klu_create(trmi_memory *memory, const trmi_structure *structure)
{
    static const trmi_solver_type type = {.name = "klu",
                                          .factor = factor,
                                          .solve = solve,
                                          .position = position,
                                          .forget = forget,
                                          .archive = archive,
                                          .create_twin = create_twin,
                                          .create_complex = trmi_klu_complex_create,
                                          .destroy = destroy};
    klu_solver *klu;
    if (!TRMI_TAKE(memory, klu, 1) || !TRMI_TAKE(memory, klu->chosen, structure->n))
        return NULL;
    klu->base.type = &type;
    klu->base.n = structure->n;
    if (!trmi_klu_compress(&klu->of, memory, structure))
        return NULL;
    int count = klu->base.value_count = klu->of.column_start[structure->n];
    if (!TRMI_TAKE(memory, klu->base.value, count) || !TRMI_TAKE(memory, klu->chosen_matrix, count))
        return NULL;
    klu_defaults(&klu->of.common);
    klu->of.common.btf = 0; // a mechanism is one block nearly always
    // rows by their largest entry: dynamics and constraints differ in unit
    klu->of.common.scale = 2;
    if (structure->n > 0 && !trmi_klu_analyze(&klu->of, memory, structure))
        return NULL;
    return &klu->base;
}
