// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/position_assembly.h"

#include "base/lapack.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 100, MAX_ROWS = 2000 };
// |g| relative to the size of q at which the point lies on the constraints
static const double ENOUGH = 1e-13;

// work space of the iteration
typedef struct assembly {
    double *gt;   // n_q x n_r, G^T
    double *gram; // n_r x n_r
    double *nu;   // n_r
    double *q;    // before the step
} assembly;

static bool evaluate(trmi_values *values, trmi_point *p)
{
    trmi_evaluator *e = values->e;
    return trmi_settle_z(e, p, values) == 0 &&
           trmi_evaluate(e, p, TRMI_POSITION_QUANTITIES, values) == 0 &&
           !trmi_find_not_finite(values, TRMI_POSITION_QUANTITIES, NULL);
}

// nu from (G G^T + mu I) nu = -g over the holonomic rows; false when the matrix is not definite
static bool solve(const trmi_values *values, assembly *a, double mu)
{
    const trmi_evaluator *e = values->e;
    const int n = e->n_q, m = e->n_g, one = 1;
    const double plus = 1, zero = 0;
    int info;
    dgemm_("T", "N", &m, &m, &n, &plus, a->gt, &n, a->gt, &n, &zero, a->gram, &m);
    for (int i = 0; i < m; i++) {
        a->gram[(size_t)i * ((size_t)m + 1)] += mu;
        a->nu[i] = -trmi_position_level(values)[i];
    }
    dpotrf_("L", &m, a->gram, &m, &info);
    if (info == 0)
        dpotrs_("L", &m, &one, a->gram, &m, a->nu, &m, &info);
    return info == 0;
}

// one step, with mu raised until |g| falls; the new |g|, or HUGE_VAL when nothing helps
static double step(trmi_values *values, trmi_point *p, assembly *a, double size)
{
    const trmi_evaluator *e = values->e;
    const int n = e->n_q, m = e->n_g, one = 1;
    const double plus = 1;
    trmi_dense_constraints(values, a->gt);
    memcpy(a->q, p->q, (size_t)n * sizeof *a->q);
    double mu = fmax(size * size, 1e-30);
    for (int attempt = 0; attempt < 12; attempt++, mu = 10 * mu + 1e-8) {
        if (!solve(values, a, mu))
            continue;
        memcpy(p->q, a->q, (size_t)n * sizeof *a->q);
        dgemv_("N", &n, &m, &plus, a->gt, &n, a->nu, &one, &plus, p->q, &one);
        bool defined = evaluate(values, p);
        double next = trmi_max_abs(values->of[TRM_QUANTITY_CONSTRAINT], e->n_g);
        if (defined && next < size)
            return next;
        memcpy(p->q, a->q, (size_t)n * sizeof *a->q); // g and G of the point before
        if (!evaluate(values, p))
            return HUGE_VAL;
    }
    return HUGE_VAL;
}

bool trmi_assemble(trmi_values *values, trmi_memory *memory, trmi_point *p, int *iterations)
{
    const trmi_evaluator *e = values->e;
    trmi_memory scratch;
    assembly a;
    if (e->n_g == 0 || e->n_r > MAX_ROWS || !evaluate(values, p))
        return false;
    trmi_memory_init(&scratch, &memory->allocator);
    bool good = TRMI_TAKE(&scratch, a.gt, (size_t)e->n_q * (size_t)e->n_r) &&
                TRMI_TAKE(&scratch, a.gram, (size_t)e->n_g * (size_t)e->n_g) &&
                TRMI_TAKE(&scratch, a.nu, e->n_g) && TRMI_TAKE(&scratch, a.q, e->n_q);
    double size = trmi_max_abs(values->of[TRM_QUANTITY_CONSTRAINT], e->n_g);
    double enough = ENOUGH * (1 + trmi_max_abs(p->q, e->n_q));
    for (*iterations = 0; *iterations < ITERATIONS && good && size > enough; ++*iterations) {
        double next = step(values, p, &a, size);
        if (next > size) // no further down
            break;
        size = next;
    }
    trmi_memory_release_all(&scratch);
    return good && size <= 100 * enough;
}
