// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/invariants.h"

#include "base/error.h"
#include "base/lapack.h"
#include "solver/formulation/checked_evaluation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// violations relative to the size of what is summed up that are as good as it gets
static const double NEARLY_REACHED = 1e-11;
enum { ITERATIONS = 10 };

static int rows_of(const trmi_evaluator *e)
{
    return e->n_g + e->n_r + e->user.n_i;
}

static int order_of(const trmi_evaluator *e)
{
    return 2 * e->n_q + rows_of(e);
}

trm_status trmi_invariants_create(trmi_invariants *v, trmi_memory *memory, trmi_evaluator *e,
                                  trm_error *error)
{
    size_t n = (size_t)order_of(e);
    *v = (trmi_invariants){.e = e};
    if (e->n_q > TRMI_MAX_INVARIANT_POSITIONS) {
        trmi_error_advise(error, "leave the invariants out, or use formulation cs");
        return trmi_error_set(error, TRM_ERR_SYSTEM,
                              "invariants are projected with a dense matrix, for at most %d "
                              "coordinates; this system has %d",
                              TRMI_MAX_INVARIANT_POSITIONS, e->n_q);
    }
    if (TRMI_TAKE(memory, v->target, e->user.n_i) && TRMI_TAKE(memory, v->matrix, n * n) &&
        TRMI_TAKE(memory, v->rhs, n + 1) && TRMI_TAKE(memory, v->pivots, n))
        return TRM_OK;
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory to project invariants");
}

trm_status trmi_invariants_keep(trmi_invariants *v, const trmi_point *point, trmi_values *values,
                                trm_error *error)
{
    trm_status status = trmi_evaluate_checked(v->e, point, TRM_BIT(INVARIANT), values, error);
    if (status == TRM_OK)
        memcpy(v->target, values->of[TRM_QUANTITY_INVARIANT],
               (size_t)v->e->user.n_i * sizeof *v->target);
    return status;
}

// Entries of a block of H into the matrix (column-major, order n) at (row, column), and into H^T;
// its first rows only: those of dropped constraints have the number n_r.
static void enter(trmi_invariants *v, const trmi_matrix b, int rows, int row, int column)
{
    size_t n = (size_t)order_of(v->e);
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count && b.value;
         trmi_pattern_next(&at)) {
        if (at.row >= rows)
            continue;
        size_t i = (size_t)(row + at.row), j = (size_t)(column + at.column);
        v->matrix[i + n * j] += b.value[at.k];
        v->matrix[j + n * i] += b.value[at.k];
    }
}

// W twice; diagonal NULL: that of the system
static void enter_norm(trmi_invariants *v, const trmi_values *values, const double *diagonal)
{
    const trmi_matrix m = trmi_matrix_of(values, trmi_metric(v->e));
    size_t n = (size_t)order_of(v->e), n_q = (size_t)v->e->n_q;
    for (size_t first = 0; first <= n_q; first += n_q) {
        for (trmi_cursor at = trmi_pattern_begin(&m.pattern); at.k < m.count && !diagonal;
             trmi_pattern_next(&at))
            v->matrix[first + (size_t)at.row + n * (first + (size_t)at.column)] += m.value[at.k];
        for (size_t i = 0; i < n_q && diagonal; i++)
            v->matrix[(first + i) * (n + 1)] = diagonal[i];
    }
}

static void form_matrix(trmi_invariants *v, const trmi_values *values, const double *diagonal)
{
    const trmi_evaluator *e = v->e;
    size_t n = (size_t)order_of(e);
    int at_g = 2 * e->n_q, at_v = at_g + e->n_g, at_i = at_v + e->n_r;
    memset(v->matrix, 0, n * n * sizeof *v->matrix);
    enter_norm(v, values, diagonal);
    enter(v, trmi_matrix_of(values, TRMI_TOTAL), e->n_g, at_g, 0);
    enter(v, trmi_matrix_of(values, TRM_QUANTITY_VELOCITY_Q), e->n_r, at_v, 0);
    enter(v, trmi_matrix_of(values, TRMI_TOTAL), e->n_g, at_v, e->n_q);
    enter(v, trmi_matrix_of(values, TRM_QUANTITY_ROLLING), e->n_r, at_v, e->n_q);
    enter(v, trmi_matrix_of(values, TRM_QUANTITY_INVARIANT_Q), e->user.n_i, at_i, 0);
    enter(v, trmi_matrix_of(values, TRM_QUANTITY_INVARIANT_V), e->user.n_i, at_i, e->n_q);
}

// scale[i] += |block| |y|: what the sum behind an invariant is made of
static void add_sizes(const trmi_matrix b, const double *y, double *scale)
{
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern); at.k < b.count && b.value;
         trmi_pattern_next(&at))
        scale[at.row] += fabs(b.value[at.k] * y[at.column]);
}

// rhs = (0, -phi); returns the largest violation relative to its size
static double form_rhs(trmi_invariants *v, const trmi_values *values, const trmi_point *p)
{
    const trmi_evaluator *e = v->e;
    double *phi = v->rhs + 2 * e->n_q, *level = phi + e->n_g, *defect = level + e->n_r;
    const double *g = trmi_position_level(values), *value = values->of[TRM_QUANTITY_INVARIANT];
    double *scale = v->matrix, defect_size, largest = 0; // the matrix is not formed yet
    v->worst = 0;
    trmi_velocity_level(values, p->v, level);
    double size = trmi_max_abs(level, e->n_r) / (1 + trmi_max_abs(p->v, e->n_q));
    size = fmax(size, trmi_max_abs(g, e->n_g) / (1 + trmi_max_abs(p->q, e->n_q)));
    memcpy(phi, g, (size_t)e->n_g * sizeof *phi);
    for (int i = 0; i < e->user.n_i; i++) {
        defect[i] = value[i] - v->target[i];
        scale[i] = fabs(value[i]) + fabs(v->target[i]) + DBL_MIN;
    }
    add_sizes(trmi_matrix_of(values, TRM_QUANTITY_INVARIANT_Q), p->q, scale);
    add_sizes(trmi_matrix_of(values, TRM_QUANTITY_INVARIANT_V), p->v, scale);
    for (int i = 0; i < e->user.n_i; i++) {
        defect_size = fabs(defect[i]) / scale[i];
        size = fmax(size, defect_size);
        v->worst = defect_size > largest ? i : v->worst;
        largest = fmax(largest, defect_size);
    }
    memset(v->rhs, 0, 2 * (size_t)e->n_q * sizeof *v->rhs);
    for (int i = 0; i < rows_of(e); i++)
        phi[i] = -phi[i];
    return size;
}

// d into rhs; false where the rows of H are dependent. Rows are exchanged, columns are not: the
// smallest pivot belongs to the row of H that depends on those before it.
static bool solve(trmi_invariants *v)
{
    int n = order_of(v->e), one = 1, info;
    dgetrf_(&n, &n, v->matrix, &n, v->pivots, &info);
    double max = 0, min = HUGE_VAL;
    int smallest = 0;
    for (int i = 0; i < n; i++) {
        double pivot = fabs(v->matrix[(size_t)i * ((size_t)n + 1)]);
        max = fmax(max, pivot);
        smallest = pivot < min ? i : smallest;
        min = fmin(min, pivot);
    }
    if (info != 0 || !(min > 100 * DBL_EPSILON * max)) {
        int invariant = smallest - (n - v->e->user.n_i);
        v->worst = invariant >= 0 ? invariant : v->worst;
        return false;
    }
    dgetrs_("N", &n, &one, v->matrix, &n, v->pivots, v->rhs, &n, &info);
    return true;
}

static trm_status fail(const trmi_invariants *v, bool dependent, double size, trm_error *error)
{
    const char *const *names = v->e->user.i_names;
    if (names && names[v->worst])
        trmi_error_item(error, "invariant %s", names[v->worst]);
    else
        trmi_error_item(error, "invariant %d", v->worst);
    trmi_error_advise(error, "check that the formulas stay constant along the motion");
    if (dependent)
        return trmi_error_set(error, TRM_ERR_INITIAL,
                              "the invariants follow from the constraints or from each other here");
    return trmi_error_set(error, TRM_ERR_INITIAL,
                          "the invariants could not be brought to their initial values: relative "
                          "violation %.3g",
                          size);
}

trm_status trmi_invariants_project(trmi_invariants *v, trmi_point *point, const double *diagonal,
                                   trmi_values *values, trm_error *error)
{
    trmi_evaluator *e = v->e;
    const uint64_t want =
        TRMI_POSITION_QUANTITIES | trmi_velocity_quantities(e) | TRMI_INVARIANT_QUANTITIES;
    double before = HUGE_VAL;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        trm_status status =
            e->constraint_uses_z ? trmi_settle_checked(e, point, values, error) : TRM_OK;
        if (status == TRM_OK)
            status = trmi_evaluate_checked(e, point, want, values, error);
        if (status != TRM_OK)
            return status;
        double size = form_rhs(v, values, point);
        if (size <= TRMI_ON_MANIFOLD || (size <= NEARLY_REACHED && !(size < 0.5 * before)))
            return TRM_OK;
        form_matrix(v, values, diagonal);
        if (!(size < 10 * before) || !solve(v))
            return fail(v, size < 10 * before, size, error);
        for (int i = 0; i < e->n_q; i++) {
            point->q[i] += v->rhs[i];
            point->v[i] += v->rhs[e->n_q + i];
        }
        before = size;
    }
    return fail(v, false, before, error);
}
