// SPDX-License-Identifier: Apache-2.0
// Dense complex LU with partial pivoting (LAPACK, by hand where that is quicker), and what complex
// solvers share. Pivots are chosen as if the largest entry of every row were 1: rows of algebraic
// equations have powers of the shift up to the second in them, and as first pivots would cover the
// digits of the others. With W the powers of two that scale the rows,
//
//     P W A = L U,   P A = (W'^-1 L W') (W'^-1 U),   W' = P W P^T
//
// so that the factors are those of A, without rounding, and the solution knows nothing of W.
#include "base/lapack.h"
#include "solver/linear/complex_solver.h"
#include "solver/linear/small.h"

#include <math.h>
#include <string.h>

typedef struct dense_complex {
    trmi_complex_solver base;
    int *pivots;   // row exchanges, from 1
    double *scale; // W, while factors are formed
} dense_complex;

// as trmi_small_lu, in the norm |re| + |im| that LAPACK chooses pivots by
static double size_of(double complex number)
{
    return fabs(creal(number)) + fabs(cimag(number));
}

static void factor_small(double complex *a, int *pivots, int n)
{
    for (int k = 0; k < n; k++) {
        double complex *pivot_column = a + (size_t)k * (size_t)n;
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = size_of(pivot_column[i]) > size_of(pivot_column[p]) ? i : p;
        pivots[k] = p + 1;
        for (int j = 0; j < n && p != k; j++) {
            double complex *column = a + (size_t)j * (size_t)n, swapped = column[p];
            column[p] = column[k];
            column[k] = swapped;
        }
        double complex reciprocal = 1 / pivot_column[k];
        for (int i = k + 1; i < n; i++)
            pivot_column[i] *= reciprocal;
        for (int j = k + 1; j < n; j++) {
            double complex *restrict column = a + (size_t)j * (size_t)n, y = column[k];
            for (int i = k + 1; i < n; i++)
                column[i] -= y * pivot_column[i];
        }
    }
}

static void substitute(const double complex *lu, const int *pivots, int n, double complex *x)
{
    for (int i = 0; i < n; i++) {
        int other = pivots[i] - 1;
        double complex swapped = x[other];
        x[other] = x[i];
        x[i] = swapped;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            x[i] -= x[k] * lu[(size_t)k * (size_t)n + (size_t)i];
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= lu[(size_t)k * (size_t)(n + 1)];
        for (int i = 0; i < k; i++)
            x[i] -= x[k] * lu[(size_t)k * (size_t)n + (size_t)i];
    }
}

// W A
static void scale_rows(double complex *a, double *scale, int n)
{
    memset(scale, 0, (size_t)n * sizeof *scale);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            scale[i] = fmax(scale[i], size_of(a[(size_t)j * (size_t)n + (size_t)i]));
    for (int i = 0; i < n; i++) {
        int exponent = 0;
        if (isfinite(scale[i]))
            frexp(scale[i], &exponent); // 0 of a row of zeros
        scale[i] = ldexp(1, -exponent);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[(size_t)j * (size_t)n + (size_t)i] *= scale[i];
}

// from the factors of W A to those of A
static void unscale_factors(double complex *lu, const int *pivots, double *scale, int n)
{
    for (int i = 0; i < n; i++) {
        double swapped = scale[pivots[i] - 1];
        scale[pivots[i] - 1] = scale[i];
        scale[i] = swapped;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            lu[(size_t)j * (size_t)n + (size_t)i] *= (i > j ? scale[j] : 1) / scale[i];
}

static trmi_factor_status factor(trmi_complex_solver *solver)
{
    dense_complex *dense = (dense_complex *)solver;
    int n = solver->n, info = 0;
    if (n == 0)
        return TRMI_FACTOR_OK;
    scale_rows(solver->value, dense->scale, n);
    if (n <= TRMI_SMALL)
        factor_small(solver->value, dense->pivots, n);
    else
        zgetrf_(&n, &n, solver->value, &n, dense->pivots, &info);
    unscale_factors(solver->value, dense->pivots, dense->scale, n);
    for (int i = 0; i < n && info == 0; i++) {
        double size = size_of(solver->value[(size_t)i * (size_t)(n + 1)]);
        info = !(isfinite(size) && size > 0);
    }
    return info == 0 ? TRMI_FACTOR_OK : TRMI_FACTOR_SINGULAR;
}

static void solve(trmi_complex_solver *solver, double complex *x)
{
    dense_complex *dense = (dense_complex *)solver;
    int n = solver->n, one = 1, info = 0;
    if (n <= TRMI_SMALL)
        substitute(solver->value, dense->pivots, n, x);
    else
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
        !TRMI_TAKE(memory, dense->pivots, real->n) || !TRMI_TAKE(memory, dense->scale, real->n))
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
