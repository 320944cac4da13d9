// SPDX-License-Identifier: Apache-2.0
// Sparse LU through KLU. The ordering is found once; later factorizations keep the pivots of the
// last full one while the growth of the entries stays small.
#include "linear/klu.h"

#include "linear/block.h"

#include "linear/complex_solver.h"

#include <float.h>
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
static const double most_entries = 83e6;

typedef struct klu_solver {
    trmi_solver base;
    int *column_start, *row; // compressed columns, rows ascending
    klu_common common;
    klu_symbolic *symbolic;
    bool borrowed; // the structure and its ordering are those of another solver
    klu_numeric *numeric;
    double room;           // entries of L and of U that KLU begins with; 0: as it likes
    double *chosen;        // |U_ii| of the last full factorization
    double *chosen_matrix; // and its matrix, from which the pivots can be found again
    bool kept;             // the factors are of a later matrix, with those pivots
} klu_solver;

// smallest = min|U_ii| / max|U_ii|; false when a pivot is zero or not finite
static bool judge_pivots(klu_solver *klu)
{
    int n = klu->base.n;
    const double *u = klu->numeric->Udiag;
    double largest = 0, smallest = INFINITY;
    int worst = 0;
    for (int i = 0; i < n; i++) {
        double size = fabs(u[i]);
        if (!(size <= DBL_MAX)) {
            klu->base.pivot = (trmi_pivot){0, klu->numeric->Pnum[i]};
            return false;
        }
        if (size > largest)
            largest = size;
        if (size < smallest) {
            smallest = size;
            worst = i;
        }
    }
    double relative = smallest > 0 ? smallest / largest : 0;
    klu->base.pivot = (trmi_pivot){relative, klu->numeric->Pnum[worst]};
    return smallest > 0;
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
    return klu_rgrowth(klu->column_start, klu->row, klu->base.value, klu->symbolic, klu->numeric,
                       &klu->common) &&
           klu->common.rgrowth > smallest_growth;
}

// with the pivots of the last full factorization; false when they no longer fit
static bool refactor(klu_solver *klu)
{
    return klu_refactor(klu->column_start, klu->row, klu->base.value, klu->symbolic, klu->numeric,
                        &klu->common) &&
           klu->common.status == KLU_OK && judge_pivots(klu) &&
           (!pivots_have_fallen(klu) || growth_is_small(klu));
}

// Factors with klu->room entries at most: KLU cannot be given a bound, but gives up where the next
// size of its memory would overflow an int.
static void factor_within_room(klu_solver *klu, double *matrix)
{
    klu_common *c = &klu->common;
    const klu_common usual = *c;
    double estimate = klu->symbolic->Lnz[0];
    c->memgrow = 1e12;
    c->initmem_amd = estimate > 0 ? klu->room / estimate : 1;
    c->initmem = klu->room / klu->base.value_count; // without an estimate
    klu->numeric = klu_factor(klu->column_start, klu->row, matrix, klu->symbolic, c);
    c->memgrow = usual.memgrow;
    c->initmem_amd = usual.initmem_amd;
    c->initmem = usual.initmem;
}

// A matrix whose dense factors are within the bound is left to KLU; a larger one has its room made
// four times as large until it suffices.
static void factor_bounded(klu_solver *klu, double *matrix)
{
    double n = klu->base.n, estimate = fmax(klu->symbolic->Lnz[0], 10.0 * klu->base.value_count);
    if (0.5 * n * n <= most_entries) {
        klu->numeric = klu_factor(klu->column_start, klu->row, matrix, klu->symbolic, &klu->common);
        return;
    }
    if (klu->room == 0)
        klu->room = fmin(most_entries, 2 * estimate + 4 * n);
    factor_within_room(klu, matrix);
    while (klu->common.status == KLU_TOO_LARGE && klu->room < most_entries) {
        klu->room = fmin(most_entries, 4 * klu->room);
        factor_within_room(klu, matrix);
    }
}

// factors of the matrix, with pivots chosen for it; false when there are none
static bool choose_pivots(klu_solver *klu, double *matrix)
{
    klu_free_numeric(&klu->numeric, &klu->common);
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
        bool singular = klu->common.status == KLU_SINGULAR;
        int column = klu->common.singular_col;
        solver->pivot = (trmi_pivot){0, singular && column < solver->n ? column : 0};
        return singular ? TRMI_FACTOR_SINGULAR : TRMI_FACTOR_MEMORY;
    }
    return judge_pivots(klu) ? TRMI_FACTOR_OK : TRMI_FACTOR_SINGULAR;
}

static void solve(trmi_solver *solver, double *x, int count)
{
    klu_solver *klu = (klu_solver *)solver;
    if (solver->n > 0 && klu->numeric)
        klu_solve(klu->symbolic, klu->numeric, solver->n, count, x, &klu->common);
}

static int position(const trmi_solver *solver, int row, int col)
{
    const klu_solver *klu = (const klu_solver *)solver;
    if (row < 0 || row >= solver->n || col < 0 || col >= solver->n)
        return -1;
    int low = klu->column_start[col], high = klu->column_start[col + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (klu->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < klu->column_start[col + 1] && klu->row[low] == row ? low : -1;
}

static void forget(trmi_solver *solver)
{
    klu_solver *klu = (klu_solver *)solver;
    klu_free_numeric(&klu->numeric, &klu->common);
}

// the same factors as before: the pivots from the matrix they were chosen for, then the present one
static trm_status factor_again(klu_solver *klu)
{
    bool kept = klu->kept;
    if (!choose_pivots(klu, klu->chosen_matrix))
        return klu->common.status == KLU_SINGULAR ? TRM_ERR_RANGE : TRM_ERR_MEMORY;
    klu->kept = kept;
    if (!kept || klu_refactor(klu->column_start, klu->row, klu->base.value, klu->symbolic,
                              klu->numeric, &klu->common))
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
    klu_free_numeric(&klu->numeric, &klu->common);
    if (!klu->borrowed)
        klu_free_symbolic(&klu->symbolic, &klu->common);
}

// start[k+1] = number of positions with key <= k; then each place is filled once
static void count_keys(int *start, const int *key, int count, int n)
{
    for (int i = 0; i < count; i++)
        start[key[i] + 1]++;
    for (int k = 0; k < n; k++)
        start[k + 1] += start[k];
}

// positions by column, rows ascending, each once: bucket sort by row, then by column
static bool compress_columns(klu_solver *klu, trmi_memory *memory, trmi_memory *scratch,
                             const trmi_structure *structure)
{
    int n = structure->n, count = structure->count;
    int *by_row, *start, *place, *column;
    if (!TRMI_TAKE(scratch, by_row, count) || !TRMI_TAKE(scratch, start, n + 2) ||
        !TRMI_TAKE(scratch, place, n + 2) || !TRMI_TAKE(scratch, column, count) ||
        !TRMI_TAKE(memory, klu->column_start, n + 1))
        return false;
    count_keys(place, structure->row, count, n);
    for (int i = 0; i < count; i++)
        by_row[place[structure->row[i]]++] = i;
    count_keys(start, structure->col, count, n);
    for (int k = 0; k <= n; k++)
        place[k] = start[k];
    for (int i = 0; i < count; i++)
        column[place[structure->col[by_row[i]]]++] = structure->row[by_row[i]];
    int kept = 0;
    for (int k = 0; k < n; k++) {
        int first = kept;
        for (int i = start[k]; i < start[k + 1]; i++)
            if (kept == first || column[kept - 1] != column[i])
                column[kept++] = column[i];
        klu->column_start[k + 1] = kept;
    }
    if (!TRMI_TAKE(memory, klu->row, kept) || !TRMI_TAKE(memory, klu->base.value, kept))
        return false;
    for (int i = 0; i < kept; i++)
        klu->row[i] = column[i];
    klu->base.value_count = kept;
    return TRMI_TAKE(memory, klu->chosen_matrix, kept);
}

// A constraint has no diagonal entry and takes the row of one of its unknowns as pivot. Where such
// an unknown is coupled to nearly all others (the frame of a beam), its row spreads over the whole
// matrix if that happens early: the constraint has to wait. order: n, of the ordering.
static bool postpone(const klu_solver *klu, trmi_memory *scratch, int constraints, int *order)
{
    int n = klu->base.n, late = 0, early = 0, *tail;
    const double dense = fmax(16, 10 * sqrt((double)n)); // as AMD judges
    if (!TRMI_TAKE(scratch, tail, n))
        return false;
    for (int k = 0; k < n; k++) {
        int column = klu->symbolic->Q[k];
        bool wide = false;
        for (int i = klu->column_start[column]; i < klu->column_start[column + 1]; i++) {
            int row = klu->row[i];
            wide = wide || klu->column_start[row + 1] - klu->column_start[row] > dense;
        }
        if (wide && column >= n - constraints)
            tail[late++] = column;
        else
            order[early++] = column;
    }
    for (int k = 0; k < late; k++)
        order[early + k] = tail[k];
    return late > 0;
}

// Bodies and joints have an order in which no pivot has to be searched for: a joint comes after its
// bodies and has a diagonal block by then. Other orders meet zeros there, and with what KLU takes
// instead the factors of a spatial chain are full.
static bool order_nodes(trmi_memory *scratch, const trmi_structure *structure, int *order)
{
    const int *first = structure->node_first;
    trmi_block_order nodes;
    int *node_of, count = 0;
    if (structure->node_count == 0 || !TRMI_TAKE(scratch, node_of, structure->n))
        return false;
    for (int k = 0; k < structure->node_count; k++)
        for (int i = first[k]; i < first[k + 1]; i++)
            node_of[i] = k;
    if (!trmi_block_find_order(&nodes, scratch, structure, node_of))
        return false;
    for (int k = 0; k < nodes.count; k++)
        for (int i = first[nodes.order[k]]; i < first[nodes.order[k] + 1]; i++)
            order[count++] = i;
    return count == structure->n;
}

static bool analyze(klu_solver *klu, const trmi_memory *memory, const trmi_structure *structure)
{
    int n = klu->base.n, *order;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    bool good = TRMI_TAKE(&scratch, order, n);
    if (good && order_nodes(&scratch, structure, order))
        klu->symbolic =
            klu_analyze_given(n, klu->column_start, klu->row, order, order, &klu->common);
    else
        klu->symbolic = klu_analyze(n, klu->column_start, klu->row, &klu->common);
    if (klu->symbolic && good && structure->node_count == 0 &&
        postpone(klu, &scratch, structure->constraints, order)) {
        klu_free_symbolic(&klu->symbolic, &klu->common);
        klu->symbolic =
            klu_analyze_given(n, klu->column_start, klu->row, order, order, &klu->common);
    }
    trmi_memory_release_all(&scratch);
    return klu->symbolic != NULL;
}

static trmi_solver *create_twin(trmi_memory *memory, const trmi_solver *solver)
{
    const klu_solver *of = (const klu_solver *)solver;
    klu_solver *klu;
    if (!TRMI_TAKE(memory, klu, 1) || !TRMI_TAKE(memory, klu->chosen, solver->n) ||
        !TRMI_TAKE(memory, klu->base.value, solver->value_count) ||
        !TRMI_TAKE(memory, klu->chosen_matrix, solver->value_count))
        return NULL;
    klu->base.type = solver->type;
    klu->base.n = solver->n;
    klu->base.value_count = solver->value_count;
    klu->column_start = of->column_start;
    klu->row = of->row;
    klu->common = of->common;
    klu->symbolic = of->symbolic;
    klu->borrowed = true;
    return &klu->base;
}

trmi_klu_structure trmi_klu_structure_of(const trmi_solver *solver)
{
    const klu_solver *klu = (const klu_solver *)solver;
    return (trmi_klu_structure){klu->column_start, klu->row, klu->symbolic, klu->common};
}

bool trmi_klu_pivots(const trmi_solver *solver, int *row, int *col)
{
    const klu_solver *klu = (const klu_solver *)solver;
    for (int k = 0; k < solver->n && klu->numeric; k++) {
        row[k] = klu->numeric->Pnum[k];
        col[k] = klu->symbolic->Q[k];
    }
    return klu->numeric != NULL;
}

bool trmi_klu_reorder(trmi_solver *solver, int *row, int *col)
{
    klu_solver *klu = (klu_solver *)solver;
    forget(solver);
    klu_free_symbolic(&klu->symbolic, &klu->common);
    klu->symbolic =
        klu_analyze_given(solver->n, klu->column_start, klu->row, row, col, &klu->common);
    return klu->symbolic != NULL;
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
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    bool done = compress_columns(klu, memory, &scratch, structure);
    trmi_memory_release_all(&scratch);
    if (!done)
        return NULL;
    klu_defaults(&klu->common);
    klu->common.btf = 0;   // a mechanism is one block nearly always
    klu->common.scale = 2; // rows by their largest entry: dynamics and constraints differ in unit
    if (structure->n > 0 && !analyze(klu, memory, structure))
        return NULL;
    return &klu->base;
}
