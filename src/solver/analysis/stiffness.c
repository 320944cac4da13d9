// SPDX-License-Identifier: Apache-2.0
// The reduced stiffness of a system at rest, and the directions of its small motions.
#include "solver/analysis/statics.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/analysis/linear_terms.h"
#include "solver/analysis/signature.h"
#include "solver/analysis/subspace.h"
#include "solver/formulation/checked_evaluation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// noise of derivatives by differences, relative to the largest eigenvalue
static const double DIFFERENCE_NOISE = 1e-6;

enum { LOWEST = 10 }; // directions that are described for a large system

bool trmi_reduced_create(trmi_reduced *r, const trmi_evaluator *e, trmi_memory *memory)
{
    trmi_memory_init(&r->memory, &memory->allocator);
    size_t n = (size_t)e->n_q, p = n - (size_t)e->n_r;
    return trmi_split_create(&r->split, memory, e->n_q, e->n_r) &&
           TRMI_TAKE(memory, r->gt, n * (size_t)e->n_r) && TRMI_TAKE(memory, r->matrix, p * p) &&
           TRMI_TAKE(memory, r->xi, p) && TRMI_TAKE(memory, r->dq, n) &&
           TRMI_TAKE(memory, r->rhs, e->n_q + e->n_x + e->n_z + e->n_r);
}

void trmi_reduced_destroy(trmi_reduced *r)
{
    trmi_memory_release_all(&r->memory);
}

// column j of C
static void solve_direction(trmi_reduced *r, trmi_saddle *s, int j)
{
    const trmi_evaluator *e = s->e;
    int p = r->split.p;
    r->xi[j] = 1;
    trmi_split_expand(&r->split, r->xi, NULL, r->dq);
    r->xi[j] = 0;
    memset(r->rhs, 0, (size_t)s->n * sizeof *r->rhs);
    trmi_add_product(s->values, TRM_QUANTITY_STIFFNESS, -1, r->dq, r->rhs);
    trmi_add_product(s->values, TRM_QUANTITY_GEOMETRIC, -1, r->dq, r->rhs);
    trmi_add_product(s->values, TRM_QUANTITY_ALGEBRAIC_Q, -1, r->dq, r->rhs + e->n_q + e->n_x);
    trmi_saddle_solve(s, r->rhs, 1);
    for (int i = 0; i < p; i++)
        r->matrix[(size_t)j * (size_t)p + (size_t)i] = -r->rhs[r->split.independent[i]];
}

trm_status trmi_reduced_stiffness(trmi_reduced *r, trmi_saddle *s, trm_error *error)
{
    trmi_dense_constraints(s->values, r->gt);
    if (!trmi_split_factor(&r->split, r->gt, 0))
        return trmi_error_set(error, TRM_ERR_SINGULAR,
                              "the constraints lose rank on the way to an equilibrium");
    trm_status status = trmi_factor_start_checked(s, error);
    for (int j = 0; j < r->split.p && status == TRM_OK; j++)
        solve_direction(r, s, j);
    if (status != TRM_OK)
        return status;
    trmi_memory_release_all(&r->memory);
    double *work;
    int p = r->split.p;
    if (!TRMI_TAKE(&r->memory, work, 2 * p))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the stiffness");
    trmi_clear_roundoff(r->matrix, p, p, p, work);
    switch (trmi_eigen_general(&r->eigen, &r->memory, r->matrix, r->split.p)) {
    case TRMI_EIGEN_OK:
        return TRM_OK;
    case TRMI_EIGEN_MEMORY:
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the stiffness");
    default:
        return trmi_error_set(error, TRM_ERR_SINGULAR,
                              "the eigenvalues of the reduced stiffness were not found");
    }
}

// of eigenvalues up to `largest`, where the stiffness is formed by differences
static double stiffness_noise(const trmi_evaluator *e, double largest)
{
    const uint64_t exact = TRM_BIT(STIFFNESS) | TRM_BIT(GEOMETRIC);
    return exact & ~(e->supplied | e->absent) ? DIFFERENCE_NOISE * largest : 0;
}

// Whether the stiffness of a direction is roundoff of K: with y'' = -s y along x, the work s x^T M
// x of forces along x is x^T K x, whatever the inertia, and entries of K are known to eps of those
// about them. Divided by the inertia of a thin body roundoff may have any size.
static bool is_roundoff(const trm_equilibrium *q, double square, const double *shape)
{
    const trm_system *u = &q->e.user;
    double sum = 0, inertia = 0;
    trmi_mass_product(&q->values, shape, q->step);
    for (int i = 0; i < q->e.n_q; i++) {
        double part = shape[i] / trmi_q_unit(u, i, 0), noise = q->load[i] * part * part;
        inertia += shape[i] * q->step[i];
        sum += noise * noise; // independent errors
    }
    return square * fabs(inertia) <= TRMI_ZERO_FACTOR * DBL_EPSILON * sqrt(sum);
}

// Adds a direction and its shape, whose largest entry becomes 1.
static void keep_direction(trm_equilibrium *q, trm_static_direction d, double *shape)
{
    int n = q->e.n_q, largest = 0;
    bool away = d.stiffness < 0 || d.imaginary > 0;
    d.stability = away               ? TRM_STABILITY_UNSTABLE
                  : d.stiffness == 0 ? TRM_STABILITY_FREE
                                     : TRM_STABILITY_STABLE;
    q->report.unstable += d.stability == TRM_STABILITY_UNSTABLE;
    q->report.free += d.stability == TRM_STABILITY_FREE;
    for (int i = 1; i < n; i++)
        if (fabs(shape[i]) > 1.0000001 * fabs(shape[largest])) // the first of equal ones
            largest = i;
    double size = shape[largest];
    for (int i = 0; i < n && size != 0; i++)
        shape[i] = fabs(shape[i]) < 1e-12 * fabs(size) ? 0 : shape[i] / size;
    d.shape = shape;
    q->direction[q->report.directions++] = d;
}

// Adds a direction. Its stiffness, or imaginary part, is set to zero where it is roundoff or below
// `noise`.
static void add_direction(trm_equilibrium *q, trm_static_direction d, double *shape, double noise)
{
    double zero = TRMI_ZERO_FACTOR * d.uncertainty + noise;
    if (is_roundoff(q, hypot(d.stiffness, d.imaginary), shape))
        d.stiffness = d.imaginary = 0;
    else if (noise == 0 && fabs(d.stiffness) <= zero)
        q->vague = true;
    if (fabs(d.stiffness) <= zero)
        d.stiffness = 0;
    // two equal eigenvalues may come out as a pair, apart by the root of the roundoff
    if (d.imaginary <= fmax(zero, 1e-6 * fabs(d.stiffness)))
        d.imaginary = 0;
    keep_direction(q, d, shape);
}

static int compare_directions(const void *a, const void *b)
{
    const trm_static_direction *x = a, *y = b;
    if (x->stability != y->stability)
        return x->stability > y->stability ? -1 : 1;
    return (x->stiffness > y->stiffness) - (x->stiffness < y->stiffness);
}

trm_status trmi_describe_directions(trm_equilibrium *q, trm_error *error)
{
    trmi_reduced *r = &q->reduced;
    const trmi_eigen *eigen = &r->eigen;
    int p = r->split.p;
    double *shapes, largest = 0;
    if (!TRMI_TAKE(&q->memory, q->direction, p) ||
        !TRMI_TAKE(&q->memory, shapes, (size_t)p * (size_t)q->e.n_q))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the directions");
    for (int i = 0; i < p; i++)
        largest = fmax(largest, hypot(eigen->real[i], eigen->imaginary[i]));
    double noise = stiffness_noise(&q->e, largest);
    trmi_stiffness_loads(&q->values, q->step, q->load);
    q->report.unstable = q->report.free = q->report.directions = 0;
    for (int i = 0; i < p; i++) {
        const trm_static_direction d = {.stiffness = eigen->real[i],
                                        .imaginary = fabs(eigen->imaginary[i]),
                                        .uncertainty = eigen->uncertainty[i]};
        double *shape = shapes + (size_t)i * (size_t)q->e.n_q;
        trmi_split_expand(&r->split, eigen->vector + (size_t)i * (size_t)p, NULL, shape); // N xi
        add_direction(q, d, shape, noise);
    }
    q->report.mobility = p;
    qsort(q->direction, (size_t)p, sizeof *q->direction, compare_directions);
    return TRM_OK;
}

trm_status trmi_describe_lowest(trm_equilibrium *q, trm_error *error)
{
    trmi_evaluator *e = &q->e;
    trmi_lowest lowest;
    const trmi_pencil pencil = {e, &q->saddle, e->n_q - e->n_r};
    int count = pencil.mobility < LOWEST ? pencil.mobility : LOWEST;
    if (!TRMI_TAKE(&q->memory, q->direction, count))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the directions");
    double *damping = q->values.of[TRM_QUANTITY_DAMPING]; // is not part of the stiffness
    if (!trmi_has(e->absent, TRM_QUANTITY_DAMPING) && damping)
        memset(damping, 0, (size_t)e->block[TRM_QUANTITY_DAMPING].count * sizeof *damping);
    trm_status status = trmi_find_lowest(&lowest, &q->memory, &pencil, count, error);
    if (status != TRM_OK)
        return status;
    trmi_stiffness_loads(&q->values, q->step, q->load);
    q->report.unstable = q->report.free = q->report.directions = 0;
    for (int i = 0; i < count; i++)
        add_direction(
            q,
            (trm_static_direction){.stiffness = lowest.square[i], .uncertainty = lowest.noise[i]},
            lowest.shape + (size_t)i * (size_t)e->n_q,
            stiffness_noise(e, fabs(lowest.square[count - 1])));
    q->report.mobility = pencil.mobility;
    qsort(q->direction, (size_t)count, sizeof *q->direction, compare_directions);
    return TRM_OK;
}

// the signs with their frequencies; what was listed is kept where these are not known
static trm_status list_signs(trm_equilibrium *q, trmi_signature *s, bool *known)
{
    trmi_signature_status found = trmi_signature_frequencies(s);
    *known = found == TRMI_SIGNATURE_OK;
    if (found == TRMI_SIGNATURE_MEMORY || (*known && !TRMI_TAKE(&q->memory, q->direction, s->p)))
        return TRM_ERR_MEMORY;
    if (!*known)
        return TRM_OK;
    q->report.unstable = q->report.free = q->report.directions = 0;
    for (int i = 0; i < s->p; i++)
        keep_direction(
            q, (trm_static_direction){.stiffness = s->square[i], .uncertainty = s->uncertainty[i]},
            s->shape + (size_t)i * (size_t)s->n);
    qsort(q->direction, (size_t)s->p, sizeof *q->direction, compare_directions);
    return TRM_OK;
}

trm_status trmi_describe_signs(trm_equilibrium *q, bool *known, trm_error *error)
{
    trmi_signature s;
    *known = false;
    trm_status status = trmi_evaluate_checked(
        &q->e, &q->point, trmi_saddle_derivatives(&q->saddle) | TRMI_POSITION_QUANTITIES,
        &q->values, error);
    if (status != TRM_OK)
        return status;
    trmi_stiffness_loads(&q->values, q->step, q->load);
    // positions are known to the last correction, and K with them
    double noise = fmax(stiffness_noise(&q->e, 1), q->report.correction);
    trmi_signature_status found = trmi_signature_find(&s, &q->memory, &q->values, q->load, noise);
    if (found == TRMI_SIGNATURE_MEMORY)
        status = TRM_ERR_MEMORY;
    else if (found == TRMI_SIGNATURE_OK &&
             q->report.correction <= TRMI_STATIC_KNOWN * s.split.pivot)
        status = list_signs(q, &s, known);
    return status == TRM_ERR_MEMORY ? trmi_error_set(error, status, "no memory for the directions")
                                    : status;
}
