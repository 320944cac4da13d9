// SPDX-License-Identifier: Apache-2.0
// Some modes of a large system in equilibrium, damped or not: those next to a number sigma. Small
// motions about v = 0, v' = 0 are exp(s t) (dq, dv, dx) with
//
//     s dq = dv                 G dq = 0,  A dv = 0
//     s M dv = -(K + N) dq - D dv + f_x dx + f_z dz - (G^T - f_lambda) dlambda
//     s dx = c_q dq + c_v dv + c_x dx + c_z dz + c_lambda dlambda
//     0 = b_q dq + b_v dv + b_x dx + b_z dz + b_lambda dlambda
//
// For short s Q u = P u. The operator (sigma Q - P)^-1 Q has the eigenvalues 1/(sigma - s), the
// largest ones from the s next to sigma, and multiplies u by one solution with the matrix S(sigma)
// of a step (formulation/shift_matrices.h), dv = sigma dq - u_q:
//
//     S (dq, dx, dz, dnu) = ((M (sigma u_q + u_v) + D u_q)/sigma^2, (u_x - c_v u_q)/sigma, b_v u_q,
//                            (0, A u_q/sigma))
//
// Near 0 the shift is real, so that motions without stiffness do no harm, and somewhat smaller than
// the requested modes, so that these are well separated. It is found in a few rounds.
#include "solver/analysis/modes.h"

#include "base/error.h"
#include "solver/analysis/krylov.h"
#include "solver/analysis/linear_terms.h"
#include "solver/formulation/checked_evaluation.h"
#include "solver/formulation/shift_matrices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VECTORS = 600, FIRST_VECTORS = 24, MORE_VECTORS = 16, MAX_ROUNDS = 8 };

// relative residuals of modes: of the result, and in rounds that only improve the shift
static const double FOUND = 1e-11, ANY = HUGE_VAL;
// the shift next to 0, relative to the largest omega: at first, at least; relative to the wanted
// modes: at most, and chosen
static const double FIRST_SHIFT = 1e-3, MIN_SHIFT = 1e-8, MAX_SHARE_OF_WANTED = 0.3,
                    OF_WANTED = 0.1;
// away from the imaginary axis, on which undamped modes would make the matrix singular
static const double ASIDE = 1e-3;

// The operator, and what was found with it.
typedef struct search {
    trm_modes *m;
    trmi_shifted matrix;
    double complex sigma;
    double omega_scale;   // velocities are divided by it, to compare with positions
    double complex *rhs;  // of the matrix
    double *part, *image; // real or imaginary part of a vector, and its product
    int wanted;
    trmi_memory ritz;          // holds the present Ritz values
    const trmi_ritz **nearest; // `found` of them, next to sigma first
    int found;
} search;

// ---- the operator ----

// out += factor B x with a derivative of the set, x: n_q numbers, out: `rows`
static void add_product(search *s, trmi_kept which, double complex factor, const double complex *x,
                        double complex *out, int rows)
{
    int n = s->m->e.n_q;
    for (int imaginary = 0; imaginary < 2; imaginary++) {
        for (int i = 0; i < n; i++)
            s->part[i] = imaginary ? cimag(x[i]) : creal(x[i]);
        memset(s->image, 0, (size_t)rows * sizeof *s->image);
        trmi_shifted_multiply(&s->matrix, which, s->part, s->image);
        for (int i = 0; i < rows; i++)
            out[i] += factor * (imaginary ? s->image[i] * I : s->image[i]);
    }
}

// out = (sigma Q - P)^-1 Q u, u = (u_q, u_v / scale, u_x)
static void apply(void *context, const double complex *u, double complex *out)
{
    search *s = context;
    const trmi_evaluator *e = &s->m->e;
    const double complex sigma = s->sigma, *u_v = u + e->n_q, *u_x = u_v + e->n_q;
    double complex *x = s->rhs + e->n_q, *z = x + e->n_x, *rows = z + e->n_z;
    for (int i = 0; i < e->n_q; i++)
        out[i] = sigma * u[i] + s->omega_scale * u_v[i];
    memset(s->rhs, 0, (size_t)s->matrix.n * sizeof *s->rhs);
    add_product(s, TRMI_KEPT_MASS, 1 / (sigma * sigma), out, s->rhs, e->n_q);
    add_product(s, TRMI_KEPT_DAMPING, 1 / (sigma * sigma), u, s->rhs, e->n_q);
    add_product(s, TRMI_KEPT_RATE_V, -1 / sigma, u, x, e->n_x);
    for (int i = 0; i < e->n_x; i++)
        x[i] += u_x[i] / sigma;
    add_product(s, TRMI_KEPT_ALGEBRAIC_V, 1, u, z, e->n_z);
    add_product(s, TRMI_KEPT_ROLLING, 1 / sigma, u, rows, e->n_r);
    trmi_shifted_solve_pair(&s->matrix, 0, s->rhs);
    for (int i = 0; i < e->n_q; i++) {
        out[i] = s->rhs[i];
        out[e->n_q + i] = (sigma * s->rhs[i] - u[i]) / s->omega_scale;
    }
    memcpy(out + 2 * e->n_q, x, (size_t)e->n_x * sizeof *out);
}

// ---- the modes next to sigma ----

static double complex mode_of(const search *s, const trmi_ritz *ritz)
{
    return s->sigma - 1 / ritz->value;
}

static int compare_ritz(const void *a, const void *b)
{
    double x = cabs((*(const trmi_ritz *const *)a)->value),
           y = cabs((*(const trmi_ritz *const *)b)->value);
    return (x < y) - (x > y);
}

// imaginary parts below are roundoff: the mode is real
static const double REAL = 1e-9;

// one of each conjugate pair
static bool is_upper(const search *s, const trmi_ritz *ritz)
{
    double complex mode = mode_of(s, ritz);
    return cimag(mode) >= -REAL * cabs(s->sigma - mode);
}

static bool has_partner(const search *s, const trmi_ritz *ritz)
{
    double complex mode = mode_of(s, ritz);
    return cimag(mode) > REAL * cabs(s->sigma - mode);
}

// The wanted ones from all Ritz values; false: not all have been found to that residual.
static bool choose_nearest(search *s, const trmi_krylov *k, trmi_ritz *ritz, double residual)
{
    bool good = true;
    s->found = 0;
    for (int i = 0; i < k->done; i++)
        if (ritz[i].value != 0 && is_upper(s, &ritz[i]))
            s->nearest[s->found++] = &ritz[i];
    qsort(s->nearest, (size_t)s->found, sizeof *s->nearest, compare_ritz);
    bool complete = k->done == k->count && k->count < k->most; // there are no others
    if (s->found > s->wanted)
        s->found = s->wanted;
    for (int i = 0; i < s->found; i++)
        good = good && s->nearest[i]->residual <= residual * cabs(s->nearest[i]->value);
    return complete || (good && s->found == s->wanted);
}

static trm_status no_memory(trm_error *error)
{
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the modes");
}

// Extends the vectors until the wanted modes have that residual.
static trm_status find_to(search *s, trmi_krylov *k, double residual, trm_error *error)
{
    int next = FIRST_VECTORS + 2 * s->wanted - k->done;
    for (;;) {
        if (!trmi_krylov_extend(k, next > MORE_VECTORS ? next : MORE_VECTORS))
            return no_memory(error);
        next = 0;
        trmi_memory_release_all(&s->ritz);
        trmi_ritz *ritz = trmi_krylov_ritz(k, &s->ritz);
        if (!ritz)
            return no_memory(error);
        if (choose_nearest(s, k, ritz, residual))
            return TRM_OK;
        if (k->done == k->count || k->count == k->most) {
            trmi_error_advise(error,
                              "ask for fewer modes, or near a frequency that the system has");
            return trmi_error_set(error, TRM_ERR_NEWTON, "%d modes did not settle with %d vectors",
                                  s->wanted, k->done);
        }
    }
}

// ---- the shift ----

static trm_status factor_shifted(search *s, trm_error *error)
{
    if (trmi_shifted_factor(&s->matrix, cabs(s->sigma), &s->sigma, 1) == TRMI_FACTOR_OK)
        return TRM_OK;
    trmi_error_advise(error, "try another frequency");
    return trmi_error_set(error, TRM_ERR_SINGULAR,
                          "the matrix of stiffness, damping and mass is singular on the "
                          "constraints at s = %.3g + %.3g i",
                          creal(s->sigma), cimag(s->sigma));
}

// the largest |s| of those chosen
static double reach_of(const search *s)
{
    double reach = 0;
    for (int i = 0; i < s->found; i++)
        reach = fmax(reach, cabs(mode_of(s, s->nearest[i])));
    return reach;
}

// Roundoff of a mode: of the Ritz value, and of the factors, which know s^2 to eps K_ii/M_ii.
static double width_of(const search *s, const trmi_ritz *ritz, double largest)
{
    double complex mode = mode_of(s, ritz);
    double distance = cabs(s->sigma - mode), square = DBL_EPSILON * largest;
    double value = (ritz->residual + DBL_EPSILON * cabs(ritz->value)) /
                   fmax(ritz->condition, DBL_EPSILON) * distance * distance;
    return value + fmin(square / fmax(2 * cabs(mode), DBL_MIN), sqrt(square));
}

// appends what was found to the modes
static trm_status add_modes(search *s, const trmi_krylov *k, double largest, trmi_memory *memory,
                            trm_error *error)
{
    const trmi_evaluator *e = &s->m->e;
    int n = e->n_q + e->n_x;
    double complex *u;
    double *re, *im;
    if (!trmi_modes_create_list(s->m, 2 * s->wanted) || !TRMI_TAKE(memory, u, k->n) ||
        !TRMI_TAKE(memory, re, n) || !TRMI_TAKE(memory, im, n))
        return no_memory(error);
    for (int j = 0; j < s->found; j++) {
        const trmi_ritz *ritz = s->nearest[j];
        double complex mode = mode_of(s, ritz);
        double width = width_of(s, ritz, largest);
        trmi_krylov_expand(k, ritz->y, u);
        for (int i = 0; i < n; i++) {
            double complex entry = u[i < e->n_q ? i : e->n_q + i];
            re[i] = creal(entry);
            im[i] = cimag(entry);
        }
        double omega = fabs(cimag(mode)) > width ? fabs(cimag(mode)) : 0;
        trmi_modes_add(s->m, creal(mode), omega, width, re, im);
        if (has_partner(s, ritz) && !s->m->mode[s->m->count - 1].pair)
            trmi_modes_add(s->m, creal(mode), omega, width, im, re); // two zeros
    }
    return TRM_OK;
}

// One round with the present shift; *reach: size of the modes for the next shift, 0: done.
static trm_status search_round(search *s, double largest, bool may_move, double *reach,
                               trm_error *error)
{
    const trmi_evaluator *e = &s->m->e;
    trmi_memory scratch;
    trmi_krylov k;
    trmi_memory_init(&scratch, &s->m->memory.allocator);
    trm_status status = factor_shifted(s, error);
    *reach = 0;
    s->omega_scale = cabs(s->sigma);
    if (status == TRM_OK &&
        (!trmi_krylov_create(&k, &scratch, 2 * e->n_q + e->n_x, MAX_VECTORS, apply, s) ||
         !TRMI_TAKE(&scratch, s->nearest, MAX_VECTORS)))
        status = no_memory(error);
    if (status == TRM_OK && may_move) {
        status = find_to(s, &k, ANY, error);
        double far = status == TRM_OK ? reach_of(s) : 0;
        *reach = cabs(s->sigma) > MAX_SHARE_OF_WANTED * far ? far : 0;
    }
    if (status == TRM_OK && *reach == 0) {
        status = find_to(s, &k, FOUND, error);
        s->m->report.iterations = k.done;
        s->m->report.solver = s->matrix.form->saddle.solver->type->name;
        if (status == TRM_OK)
            status = add_modes(s, &k, largest, &scratch, error);
    }
    trmi_memory_release_all(&s->ritz);
    trmi_memory_release_all(&scratch);
    return status;
}

static bool create_search(search *s, trmi_memory *memory)
{
    const trmi_evaluator *e = &s->m->e;
    int longest = e->n_q > e->n_r ? e->n_q : e->n_r;
    longest = longest > e->n_z + e->n_x ? longest : e->n_z + e->n_x;
    return TRMI_TAKE(memory, s->rhs, s->matrix.n + 1) && TRMI_TAKE(memory, s->part, e->n_q) &&
           TRMI_TAKE(memory, s->image, longest + 1);
}

static trm_status search_modes(search *s, double omega, trm_error *error)
{
    trmi_mass_diagonal(&s->m->values, s->part);
    double largest = trmi_largest_square(&s->m->values, s->part), reach = 0;
    largest = largest > 0 ? largest : 1;
    const double max_omega = sqrt(largest);
    if (omega > 0) {
        s->sigma = ASIDE * omega + omega * I;
        return search_round(s, largest, false, &reach, error);
    }
    trm_status status = TRM_OK;
    s->sigma = FIRST_SHIFT * max_omega;
    for (int round = 1; status == TRM_OK; round++) {
        bool may_move = round < MAX_ROUNDS && creal(s->sigma) > MIN_SHIFT * max_omega;
        status = search_round(s, largest, may_move, &reach, error);
        if (reach == 0)
            return status;
        s->sigma = fmax(OF_WANTED * reach, MIN_SHIFT * max_omega);
    }
    return status;
}

bool trmi_modes_in_equilibrium(trm_modes *m, const char **why)
{
    *why = NULL;
    if (m->e.constraint_uses_z)
        *why = "its constraints depend on algebraic variables";
    else if (!m->report.at_rest)
        *why = "it moves";
    else if (!m->report.balanced)
        *why = "it is not in equilibrium";
    return *why == NULL;
}

trm_status trmi_modes_nearest(trm_modes *m, int count, double omega, trm_error *error)
{
    trmi_memory memory;
    trmi_memory_init(&memory, &m->memory.allocator);
    search s = {.m = m, .wanted = count};
    trmi_memory_init(&s.ritz, &m->memory.allocator);
    trm_status status = trmi_evaluate_checked(
        &m->e, &m->point, TRMI_POSITION_QUANTITIES | TRM_BIT(FORCE) | trmi_linearise_quantities(),
        &m->values, error);
    if (status == TRM_OK)
        status = trmi_shifted_create(&s.matrix, &memory, &m->values, m->options.linear_solver, 1,
                                     false, false, error);
    if (status == TRM_OK && !create_search(&s, &memory))
        status = no_memory(error);
    if (status == TRM_OK) {
        trmi_shifted_take(&s.matrix, 0);
        status = search_modes(&s, omega, error);
    }
    trmi_shifted_destroy(&s.matrix);
    trmi_memory_release_all(&memory);
    return status;
}
