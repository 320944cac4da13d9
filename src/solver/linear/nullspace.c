// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/nullspace.h"

#include "base/lapack.h"
#include "solver/linear/small.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct nullspace {
    trmi_solver head;
    trmi_split split;
    int n, m, p;
    double *s;       // n x n
    double *gt;      // n x m, G^T
    double *sn;      // n x p, S N
    double *reduced; // p x p, N^T S N and its LU
    int *pivots;     // p
    double *work_n, *work_m, *work_p;
    bool prepared;
} nullspace;

static int position(const trmi_solver *solver, int row, int col)
{
    const nullspace *ns = (const nullspace *)solver;
    int n = ns->n;
    if (row < n && col < n)
        return row + n * col;
    if (row < n)
        return n * n + row + n * (col - n);
    return col < n ? n * n + col + n * (row - n) : -1;
}

bool trmi_nullspace_split(trmi_solver *solver)
{
    nullspace *ns = (nullspace *)solver;
    ns->prepared = trmi_split_factor(&ns->split, ns->gt, TRMI_SPLIT_KEEP);
    solver->pivot = (trmi_pivot){1, -1};
    if (ns->m > 0)
        solver->pivot = (trmi_pivot){ns->split.pivot, ns->n + ns->split.pivot_column};
    return ns->prepared;
}

// SN = S_X - S_Y Q, reduced = N^T SN = (SN)_X - Q^T (SN)_Y
static void reduce(nullspace *ns)
{
    const trmi_split *split = &ns->split;
    for (int k = 0; k < ns->p; k++) {
        double *column = ns->sn + ns->n * k;
        memcpy(column, ns->s + ns->n * split->independent[k], (size_t)ns->n * sizeof *column);
        for (int j = 0; j < ns->m; j++) {
            const double *s = ns->s + ns->n * split->dependent[j];
            double q = split->q[j + ns->m * k];
            for (int i = 0; i < ns->n && q != 0; i++)
                column[i] -= q * s[i];
        }
        trmi_split_reduce(split, column, ns->reduced + ns->p * k);
    }
}

static trmi_factor_status factor(trmi_solver *solver)
{
    nullspace *ns = (nullspace *)solver;
    if (!ns->prepared && !trmi_nullspace_split(solver))
        return TRMI_FACTOR_SINGULAR;
    ns->prepared = false;
    reduce(ns);
    int info = 0;
    if (ns->p <= TRMI_SMALL)
        trmi_small_lu(ns->reduced, ns->p, ns->p, ns->p, ns->pivots);
    else
        dgetrf_(&ns->p, &ns->p, ns->reduced, &ns->p, ns->pivots, &info);
    for (int k = 0; k < ns->p && info == 0; k++) {
        const double pivot = ns->reduced[k + ns->p * k];
        if (!isfinite(pivot) || pivot == 0)
            info = k + 1;
    }
    if (info == 0)
        return TRMI_FACTOR_OK;
    solver->pivot = (trmi_pivot){0, ns->split.independent[info - 1]};
    return TRMI_FACTOR_SINGULAR;
}

// y := y - S x
static void subtract_s_product(const nullspace *ns, const double *x, double *restrict y)
{
    const double *column = ns->s;
    for (int j = 0; j < ns->n; j++, column += ns->n)
        for (int i = 0; i < ns->n && x[j] != 0; i++)
            y[i] -= column[i] * x[j];
}

static void solve_one(nullspace *ns, double *x)
{
    const trmi_split *split = &ns->split;
    double *r = x, *s = x + ns->n, *dq = ns->work_n;
    int info, one = 1;
    // particular solution y = (GY)^-1 s, right-hand side of the reduced system
    memcpy(ns->work_m, s, (size_t)ns->m * sizeof *s);
    trmi_split_solve(split, ns->work_m);
    memset(ns->work_p, 0, (size_t)ns->p * sizeof *ns->work_p);
    trmi_split_expand(split, ns->work_p, ns->work_m, dq);
    double *rest = dq + ns->n;
    memcpy(rest, r, (size_t)ns->n * sizeof *r);
    subtract_s_product(ns, dq, rest);
    trmi_split_reduce(split, rest, ns->work_p);
    if (ns->p <= TRMI_SMALL)
        trmi_small_solve(ns->reduced, ns->pivots, ns->p, ns->work_p);
    else
        dgetrs_("N", &ns->p, &one, ns->reduced, &ns->p, ns->pivots, ns->work_p, &ns->p, &info);
    trmi_split_expand(split, ns->work_p, ns->work_m, dq);
    // multipliers nu = (GY)^-T Y^T (r - S dq)
    subtract_s_product(ns, dq, r);
    for (int j = 0; j < ns->m; j++)
        s[j] = r[split->dependent[j]];
    trmi_split_solve_transposed(split, s);
    memcpy(r, dq, (size_t)ns->n * sizeof *r);
}

static void solve(trmi_solver *solver, double *x, int count)
{
    for (int k = 0; k < count; k++)
        solve_one((nullspace *)solver, x + k * solver->n);
}

static void forget(trmi_solver *solver)
{
    nullspace *ns = (nullspace *)solver;
    ns->split.chosen = ns->prepared = false;
}

// factors are not kept from one matrix to the next
static void archive(trmi_solver *solver, trmi_archive *a)
{
    nullspace *ns = (nullspace *)solver;
    trmi_split_archive(&ns->split, a);
    trmi_archive_bool(a, &ns->prepared);
}

static const trmi_solver_type nullspace_type = {.name = "null-space",
                                                .factor = factor,
                                                .solve = solve,
                                                .position = position,
                                                .forget = forget,
                                                .archive = archive};

trmi_solver *trmi_nullspace_create(trmi_memory *memory, const trmi_structure *structure)
{
    int n = structure->node_first[1], m = structure->n - n, p = n - m;
    nullspace *ns;
    if (p < 0 || !TRMI_TAKE(memory, ns, 1))
        return NULL;
    ns->n = n;
    ns->m = m;
    ns->p = p;
    ns->head = (trmi_solver){.type = &nullspace_type, .n = n + m, .value_count = n * n + n * m};
    if (!trmi_split_create(&ns->split, memory, n, m) ||
        !TRMI_TAKE(memory, ns->head.value, ns->head.value_count) ||
        !TRMI_TAKE(memory, ns->sn, n * p) || !TRMI_TAKE(memory, ns->reduced, p * p) ||
        !TRMI_TAKE(memory, ns->pivots, p) || !TRMI_TAKE(memory, ns->work_n, 2 * n) ||
        !TRMI_TAKE(memory, ns->work_m, m) || !TRMI_TAKE(memory, ns->work_p, p))
        return NULL;
    ns->s = ns->head.value;
    ns->gt = ns->head.value + n * n;
    return &ns->head;
}

double trmi_nullspace_roundoff(const trmi_solver *solver)
{
    double p = ((const nullspace *)solver)->p;
    return p * (p + 1) * DBL_EPSILON;
}

bool trmi_nullspace_definite(trmi_solver *solver, double relief)
{
    nullspace *ns = (nullspace *)solver;
    int info = 0;
    reduce(ns);
    for (int i = 0; i < ns->p; i++)
        ns->reduced[i + ns->p * i] *= 1 + relief;
    if (ns->p > 0)
        dpotrf_("L", &ns->p, ns->reduced, &ns->p, &info);
    return info == 0;
}

bool trmi_is_nullspace(const trmi_solver *solver)
{
    return solver->type == &nullspace_type;
}

const trmi_split *trmi_nullspace_get_split(const trmi_solver *solver)
{
    return &((const nullspace *)solver)->split;
}
