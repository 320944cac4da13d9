// SPDX-License-Identifier: Apache-2.0
// Dense LU with partial pivoting (LAPACK): E A = L U, column-major.
#include "base/lapack.h"
#include "solver/linear/complex_solver.h"
#include "solver/linear/small.h"
#include "solver/linear/solver.h"

#include <limits.h>

typedef struct dense_solver {
    trmi_solver base;
    int *pivots; // row exchanges, from 1
    int *order;  // original row of each row of U
} dense_solver;

// order[i]: row of A that the exchanges bring to place i
static void find_row_order(dense_solver *dense)
{
    int n = dense->base.n;
    for (int i = 0; i < n; i++)
        dense->order[i] = i;
    for (int i = 0; i < n; i++) {
        int other = dense->pivots[i] - 1;
        int row = dense->order[i];
        dense->order[i] = dense->order[other];
        dense->order[other] = row;
    }
}

static trmi_factor_status dense_factor(trmi_solver *solver)
{
    dense_solver *dense = (dense_solver *)solver;
    int n = solver->n, info = 0;
    solver->pivot = (trmi_pivot){1, 0};
    if (n == 0)
        return TRMI_FACTOR_OK;
    if (n <= TRMI_SMALL)
        trmi_small_lu(solver->value, n, n, n, dense->pivots);
    else
        dgetrf_(&n, &n, solver->value, &n, dense->pivots, &info);
    find_row_order(dense);
    solver->pivot = trmi_smallest_pivot(solver->value, (size_t)n + 1, n);
    solver->pivot.row = dense->order[solver->pivot.row];
    return solver->pivot.smallest > 0 ? TRMI_FACTOR_OK : TRMI_FACTOR_SINGULAR;
}

static void dense_solve(trmi_solver *solver, double *x, int count)
{
    dense_solver *dense = (dense_solver *)solver;
    int n = solver->n, info = 0;
    if (count == 1 && n <= TRMI_SMALL)
        trmi_small_solve(solver->value, dense->pivots, n, x);
    else if (n > 0)
        dgetrs_("N", &n, &count, solver->value, &n, dense->pivots, x, &n, &info);
}

static int dense_position(const trmi_solver *solver, int row, int col)
{
    int n = solver->n;
    bool inside = row >= 0 && row < n && col >= 0 && col < n;
    return inside ? row + col * n : -1;
}

static void dense_archive(trmi_solver *solver, trmi_archive *a)
{
    dense_solver *dense = (dense_solver *)solver;
    int n = solver->n;
    trmi_archive_doubles(a, solver->value, solver->value_count);
    for (int i = 0; i < n; i++) // 0 before the first factors
        trmi_archive_int(a, &dense->pivots[i], 0, n);
    trmi_archive_indices(a, dense->order, n, n);
}

static trmi_solver *create_twin(trmi_memory *memory, const trmi_solver *solver)
{
    const trmi_structure structure = {.n = solver->n};
    return trmi_dense_create(memory, &structure);
}

trmi_solver *trmi_dense_create(trmi_memory *memory, const trmi_structure *structure)
{
    static const trmi_solver_type type = {.name = "dense",
                                          .factor = dense_factor,
                                          .solve = dense_solve,
                                          .position = dense_position,
                                          .archive = dense_archive,
                                          .create_twin = create_twin,
                                          .create_complex = trmi_dense_complex_create};
    dense_solver *dense;
    int n = structure->n;
    if (n < 0 || (n > 0 && n > INT_MAX / n))
        return NULL;
    if (!TRMI_TAKE(memory, dense, 1) || !TRMI_TAKE(memory, dense->base.value, n * n) ||
        !TRMI_TAKE(memory, dense->pivots, n) || !TRMI_TAKE(memory, dense->order, n))
        return NULL;
    dense->base.type = &type;
    dense->base.n = n;
    dense->base.value_count = n * n;
    return &dense->base;
}
