// SPDX-License-Identifier: Apache-2.0
// Dense complex LU with partial pivoting (LAPACK), and what complex solvers share.
#include "linear/complex_solver.h"
#include "linear/lapack.h"

#include <math.h>

typedef struct dense_complex {
    trmi_complex_solver base;
    int *pivots; // row exchanges, from 1
} dense_complex;

static trmi_factor_status factor(trmi_complex_solver *solver)
{
    dense_complex *dense = (dense_complex *)solver;
    int n = solver->n, info = 0;
    if (n == 0)
        return TRMI_FACTOR_OK;
    zgetrf_(&n, &n, solver->value, &n, dense->pivots, &info);
    for (int i = 0; i < n && info == 0; i++)
        info = !isfinite(cabs(solver->value[(size_t)i * (size_t)(n + 1)]));
    return info == 0 ? TRMI_FACTOR_OK : TRMI_FACTOR_SINGULAR;
}

static void solve(trmi_complex_solver *solver, double complex *x)
{
    dense_complex *dense = (dense_complex *)solver;
    int n = solver->n, one = 1, info = 0;
    if (n > 0)
        zgetrs_("N", &n, &one, solver->value, &n, dense->pivots, x, &n, &info);
}

static void archive(trmi_complex_solver *solver, trmi_archive *a)
{
    dense_complex *dense = (dense_complex *)solver;
    trmi_archive_bytes(a, solver->value, (size_t)solver->value_count * sizeof *solver->value);
    for (int i = 0; i < solver->n; i++) // 0 before the first factors
        trmi_archive_int(a, &dense->pivots[i], 0, solver->n);
}

trmi_complex_solver *trmi_dense_complex_create(trmi_memory *memory, const trmi_solver *real)
{
    static const trmi_complex_type type = {.factor = factor, .solve = solve, .archive = archive};
    dense_complex *dense;
    if (!TRMI_TAKE(memory, dense, 1) || !TRMI_TAKE(memory, dense->base.value, real->value_count) ||
        !TRMI_TAKE(memory, dense->pivots, real->n))
        return NULL;
    dense->base.type = &type;
    dense->base.n = real->n;
    dense->base.value_count = real->value_count;
    return &dense->base;
}

trmi_complex_solver *trmi_complex_create(trmi_memory *memory, const trmi_solver *real)
{
    return real->type->create_complex ? real->type->create_complex(memory, real) : NULL;
}

void trmi_complex_archive(trmi_complex_solver *solver, trmi_archive *a)
{
    solver->type->archive(solver, a);
}

void trmi_complex_destroy(trmi_complex_solver *solver)
{
    if (solver && solver->type->destroy)
        solver->type->destroy(solver);
}
