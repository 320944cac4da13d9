// SPDX-License-Identifier: Apache-2.0
// The lowest modes of a large undamped system at rest, K x = omega^2 M x with G x = 0 and
// K = (M a - f + G^T lambda)_q, by iteration of a subspace X (M-orthonormal columns):
//
//     [ M + K/c^2  G^T ] [ y_j ]   [ M x_j ]
//     [ G          0   ] [  .  ] = [ 0     ]        T = X^T M Y,  T C = C Theta,  X <- orth(Y C)
//
// Theta_j = c^2 / (omega_j^2 + c^2). The shift -c^2 lies below the spectrum, so that free motions
// (omega = 0) do no harm; it is so small that it does not slow the iteration down. The matrix is
// that of a step of length 1/c. Fine meshes have omega over a range of 1e8 and more, and the
// factors would leave nothing of the lowest omega^2: each y_j is refined with residuals in long
// double.
#include "solver/analysis/subspace.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/analysis/linear_terms.h"
#include "solver/formulation/checked_evaluation.h"
#include "solver/linear/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 200, SPARE_VECTORS = 8, REFINEMENTS = 3 };

static const double SHIFT = 1e-12; // c^2 relative to the largest omega^2

// Vectors and numbers of the iteration. n coordinates, p vectors.
typedef struct subspace {
    int n, p;
    double *x, *mass_x, *y; // n x p, column-major
    double *t, *theta;      // p x p, p
    double *before;         // p: theta of the last iteration
    double *rhs, *solution;
    long double *residual;
    double *row;   // p scratch
    double square; // c^2
} subspace;

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static bool create_subspace(subspace *s, trmi_memory *memory, const trmi_pencil *m, int count)
{
    s->n = m->e->n_q;
    s->p = 2 * count + SPARE_VECTORS < m->mobility ? 2 * count + SPARE_VECTORS : m->mobility;
    size_t n = (size_t)s->n, p = (size_t)s->p;
    return TRMI_TAKE(memory, s->x, n * p) && TRMI_TAKE(memory, s->mass_x, n * p) &&
           TRMI_TAKE(memory, s->y, n * p) && TRMI_TAKE(memory, s->t, p * p) &&
           TRMI_TAKE(memory, s->theta, p) && TRMI_TAKE(memory, s->before, p) &&
           TRMI_TAKE(memory, s->row, p) && TRMI_TAKE(memory, s->rhs, m->saddle->n + 1) &&
           TRMI_TAKE(memory, s->solution, m->saddle->n + 1) && TRMI_TAKE(memory, s->residual, n);
}

// Gram and Schmidt in the product of M, twice; mass_x = M x. A column that vanishes stays zero.
static void orthonormalise(subspace *s, const trmi_values *values)
{
    size_t n = (size_t)s->n;
    for (int j = 0; j < s->p; j++) {
        double *x = s->x + n * (size_t)j, *mx = s->mass_x + n * (size_t)j;
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < j; k++) {
                const double *other = s->x + n * (size_t)k;
                double part = dot(s->mass_x + n * (size_t)k, x, s->n);
                for (size_t i = 0; i < n; i++)
                    x[i] -= part * other[i];
            }
        trmi_mass_product(values, x, mx);
        double square = dot(x, mx, s->n), scale = square > 0 ? 1 / sqrt(square) : 0;
        for (size_t i = 0; i < n; i++) {
            x[i] *= scale;
            mx[i] *= scale;
        }
    }
}

// r -= factor A x
static void subtract(const trmi_values *values, trm_quantity quantity, double divisor,
                     const double *x, long double *r)
{
    const trmi_matrix b = trmi_matrix_of(values, (int)quantity);
    for (trmi_cursor at = trmi_pattern_begin(&b.pattern);
         at.k < b.count && !trmi_has(values->e->absent, quantity); trmi_pattern_next(&at))
        r[at.row] -= (long double)b.value[at.k] * x[at.column] / divisor;
}

// rhs = what (y, nu) = solution leaves of (M x, 0)
static void find_residual(subspace *s, const trmi_pencil *m, const double *mass_x)
{
    const trmi_evaluator *e = m->e;
    double *y = s->solution, *rows = s->rhs + (m->saddle->n - e->n_r);
    const double *nu = s->solution + (m->saddle->n - e->n_r);
    memset(s->rhs, 0, (size_t)m->saddle->n * sizeof *s->rhs);
    trmi_add_constraint_force(m->saddle->values, nu, -1, s->rhs);
    for (int i = 0; i < s->n; i++)
        s->residual[i] = (long double)mass_x[i] + s->rhs[i];
    subtract(m->saddle->values, TRM_QUANTITY_MASS, 1, y, s->residual);
    subtract(m->saddle->values, TRM_QUANTITY_STIFFNESS, s->square, y, s->residual);
    subtract(m->saddle->values, TRM_QUANTITY_GEOMETRIC, s->square, y, s->residual);
    for (int i = 0; i < s->n; i++)
        s->rhs[i] = (double)s->residual[i];
    trmi_constraint_product(m->saddle->values, y, rows);
    for (int i = 0; i < e->n_r; i++)
        rows[i] = -rows[i];
}

// solution = (y, 0, nu) of a right-hand side (M x, 0)
static void solve_refined(subspace *s, const trmi_pencil *m, const double *mass_x)
{
    memset(s->solution, 0, (size_t)m->saddle->n * sizeof *s->solution);
    for (int k = 0; k <= REFINEMENTS; k++) {
        find_residual(s, m, mass_x);
        trmi_saddle_solve(m->saddle, s->rhs, 1);
        for (int i = 0; i < m->saddle->n; i++)
            s->solution[i] += s->rhs[i];
    }
}

// Y = operator X, T = X^T M Y
static void apply(subspace *s, const trmi_pencil *m)
{
    size_t n = (size_t)s->n;
    for (int j = 0; j < s->p; j++) {
        solve_refined(s, m, s->mass_x + n * (size_t)j);
        memcpy(s->y + n * (size_t)j, s->solution, n * sizeof *s->solution);
        for (int i = 0; i < s->p; i++)
            s->t[(size_t)i + (size_t)s->p * (size_t)j] =
                dot(s->mass_x + n * (size_t)i, s->solution, s->n);
    }
    for (int j = 0; j < s->p; j++) // exactly symmetric
        for (int i = j + 1; i < s->p; i++) {
            double *lower = &s->t[(size_t)i + (size_t)s->p * (size_t)j];
            *lower = 0.5 * (*lower + s->t[(size_t)j + (size_t)s->p * (size_t)i]);
        }
}

// X = Y C, the largest theta first; theta is reordered with it
static void rotate(subspace *s)
{
    size_t n = (size_t)s->n, p = (size_t)s->p;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < p; j++) {
            const double *c = s->t + p * (p - 1 - j);
            double sum = 0;
            for (size_t k = 0; k < p; k++)
                sum += s->y[i + n * k] * c[k];
            s->row[j] = sum;
        }
        for (size_t j = 0; j < p; j++)
            s->x[i + n * j] = s->row[j];
    }
    for (size_t j = 0; j < p / 2; j++) {
        double swap = s->theta[j];
        s->theta[j] = s->theta[p - 1 - j];
        s->theta[p - 1 - j] = swap;
    }
}

// the largest relative change of the wanted theta, which are kept for the next time
static double find_change(subspace *s, int count)
{
    double change = 0;
    for (int k = 0; k < count; k++)
        change = fmax(change, fabs(s->theta[k] - s->before[k]) / fabs(s->theta[k]));
    memcpy(s->before, s->theta, (size_t)s->p * sizeof *s->before);
    return change;
}

static trm_status iterate(subspace *s, const trmi_pencil *m, trmi_memory *memory, trmi_lowest *out,
                          trm_error *error)
{
    for (int j = 0; j < s->p; j++)
        for (int i = 0; i < s->n; i++)
            s->x[(size_t)s->n * (size_t)j + (size_t)i] = trmi_start_entry(i, j + 1);
    // M x_j as first right-hand sides: the columns need not satisfy G x = 0 yet
    orthonormalise(s, m->saddle->values);
    double change = HUGE_VAL;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        apply(s, m);
        trmi_eigen_status found = trmi_eigen_symmetric(s->theta, memory, s->t, s->p);
        if (found == TRMI_EIGEN_MEMORY)
            return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the modes");
        if (found == TRMI_EIGEN_FAILED)
            break;
        rotate(s);
        out->iterations = k + 1;
        double last = change;
        change = find_change(s, out->count);
        orthonormalise(s, m->saddle->values);
        // small, or no longer falling: roundoff of the residuals is 1e-7 of theta
        if (change < 1e-12 || (change < 1e-6 && change > 0.3 * last))
            return TRM_OK;
    }
    trmi_error_advise(error, "ask for fewer modes, or for a few more: some lie close together");
    return trmi_error_set(error, TRM_ERR_NEWTON,
                          "the lowest %d modes did not settle in %d iterations", out->count,
                          MAX_ITERATIONS);
}

static bool create_result(trmi_lowest *out, trmi_memory *memory, const trmi_pencil *m, int count)
{
    *out = (trmi_lowest){.count = count};
    return TRMI_TAKE(memory, out->square, count) && TRMI_TAKE(memory, out->noise, count) &&
           TRMI_TAKE(memory, out->shape, (size_t)count * (size_t)m->e->n_q);
}

// negative omega^2, if any, have the lowest theta and are last: they come first
static void take_result(trmi_lowest *out, const subspace *s, double largest)
{
    size_t n = (size_t)s->n;
    int unstable = 0;
    while (unstable < s->p && unstable < out->count && s->theta[s->p - 1 - unstable] < 0)
        unstable++;
    for (int k = 0; k < out->count; k++) {
        int from = k < unstable ? s->p - 1 - k : k - unstable;
        double square = s->square * (1 / s->theta[from] - 1);
        out->square[k] = square;
        out->noise[k] = (double)LDBL_EPSILON * largest + DBL_EPSILON * (s->square + fabs(square));
        memcpy(out->shape + n * (size_t)k, s->x + n * (size_t)from, n * sizeof *s->x);
    }
}

trm_status trmi_find_lowest(trmi_lowest *out, trmi_memory *memory, const trmi_pencil *m, int count,
                            trm_error *error)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    subspace s = {0};
    trm_status status = TRM_OK;
    if (!create_result(out, memory, m, count) || !create_subspace(&s, &scratch, m, count))
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for %d modes", count);
    double largest = 0;
    if (status == TRM_OK) {
        trmi_mass_diagonal(m->saddle->values, s.rhs);
        largest = trmi_largest_square(m->saddle->values, s.rhs);
    }
    largest = largest > 0 ? largest : 1;
    s.square = SHIFT * largest;
    const trmi_leading leading = {sqrt(s.square), sqrt(s.square)};
    if (status == TRM_OK && trmi_saddle_factor(m->saddle, leading) != TRMI_FACTOR_OK)
        status = trmi_error_set(error, TRM_ERR_SINGULAR,
                                "the matrix of stiffness and mass is singular on the constraints");
    if (status == TRM_OK)
        status = iterate(&s, m, &scratch, out, error);
    if (status == TRM_OK)
        take_result(out, &s, largest);
    trmi_memory_release_all(&scratch);
    return status;
}
