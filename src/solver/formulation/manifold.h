// SPDX-License-Identifier: Apache-2.0
// The manifold of the constraints at the levels of positions, velocities and accelerations,
//
//     g(t, q) = 0,   C v + c_t = 0,   C a + gamma = 0,        C = [G; A],  c_t = (g_t, a)
//
// with the factors of one matrix, which lead onto it:
//
//     [ W C^T; C 0 ] (d, .) = (0, -residual),        q += d  or  v += d
//     [ W C^T; C 0 ] (a, lambda) = (f, -gamma)
//
// W is the metric of the factors: that of the matrix of a step, the mass matrix, the norm of the
// option projection_norm (mass matrix, identity, or the weights of the error test, 1 / (rtol |q| +
// atol)^2), or that of the split of a stage (tangent.h).
#ifndef TRMI_SOLVER_FORMULATION_MANIFOLD_H
#define TRMI_SOLVER_FORMULATION_MANIFOLD_H

#include "base/scratch.h"
#include "solver/formulation/invariants.h"
#include "solver/formulation/outcome.h"
#include "solver/formulation/tangent.h"
#include "trammel/options.h"

typedef struct trmi_manifold {
    trmi_saddle *saddle;   // structure, values of the last evaluation, factors; borrowed
    trmi_tangent *tangent; // whose factors serve instead of those of the saddle, or NULL; borrowed
    trmi_scratch *scratch; // borrowed
    const trm_options
        *options; // of trmi_project_* and trmi_approach_*: norm, method, tolerances; borrowed
    trmi_invariants *invariants; // of trmi_project_onto: kept too, NULL: none; borrowed
    double *diagonal;            // n_q, during these calls: W where it is not M
    long projected;              // points that trmi_project_onto was called for
    long iterations;             // corrections of positions they took
} trmi_manifold;

// The scratch memory that any of the functions below needs.
size_t trmi_manifold_scratch(const trmi_evaluator *e, const trm_options *options);

// ---- with the factors at hand: manifold.c ----

typedef enum trmi_manifold_level { TRMI_POSITIONS, TRMI_VELOCITIES } trmi_manifold_level;

// When a sequence of corrections of q or v, with one matrix, ends.
typedef struct trmi_sweeps {
    int min;         // number of corrections in any case
    int max;         // maximum number of corrections
    double roundoff; // ends with a residual below this part of 1 + max |y|; 0: not tested
    double stalled;  // ends with a residual not below this part of the one before; 0: not tested
    double enough; // ends if the next correction would be below this, in tolerances; 0: not tested
    double too_large; // fails if it would be above this after `max` corrections; 0: does not fail
    const double *weight; // n_q, 1 / tolerance, where enough > 0
    uint64_t want;        // positions: quantities to be evaluated after each correction
    bool settle;          // positions: z is brought to b = 0 before that, where g depends on it
} trmi_sweeps;

// d of the corrections above for the first `count` rows of a residual, the others being 0. d has
// saddle->n entries, of which the first n_q are the correction.
void trmi_manifold_direction(const trmi_manifold *m, const double *rows, int count, double *d);

// y += d; returns max |d_i| weight_i, or 0 where weight is NULL.
double trmi_manifold_correct(const trmi_manifold *m, const double *rows, int count,
                             const double *weight, double *y);

// Brings q onto g = 0, or v onto C v + c_t = 0. What the level needs is evaluated at the point
// beforehand. *residual (may be NULL): that of the last test. *corrections (may be NULL): their
// number.
trmi_outcome trmi_manifold_sweep(const trmi_manifold *m, trmi_manifold_level level, trmi_point *p,
                                 const trmi_sweeps *sweeps, double *residual, int *corrections);

// max |g| and max |C v + c_t| of the last evaluation
void trmi_manifold_residuals(const trmi_manifold *m, const double *v, double *position,
                             double *velocity);

// a and lambda with f and gamma of the last evaluation, where forces depend neither on z nor on
// lambda. With a split whose metric is not M, forces may depend on the lambda given, which is
// corrected.
void trmi_manifold_accelerations(const trmi_manifold *m, trmi_point *p);

// One Newton step on (a, z, lambda); returns the relative change of multipliers and z.
double trmi_acceleration_step(const trmi_manifold *m, trmi_point *p);
// Whether the change is small, or no longer falls: gamma by differences has a noise of about 1e-8.
bool trmi_acceleration_settled(double change, double before);
// Likewise where the derivatives are exact: a change whose square is roundoff was the last one.
bool trmi_acceleration_converged(double change, double before);
// maximum number of these steps
enum { TRMI_MULTIPLIER_ITERATIONS = 30 };

// Whether accelerations are M^-1 f and supplied: no matrix is needed.
bool trmi_acceleration_supplied(const trmi_evaluator *e);
// a, z and lambda at (t, q, v, x): evaluates, factors and takes Newton steps, with errors that name
// the row.
trm_status trmi_accelerations(const trmi_manifold *m, trmi_point *p, trm_error *error);
// The same from the a and lambda given, with the matrix that was factored last, at a point nearby:
// what it lacks is of the size of the corrections.
trm_status trmi_accelerations_near(const trmi_manifold *m, trmi_point *p, trm_error *error);

// ---- in the norm of the options: projection.c ----

// Moves (q, v) of a point near the constraints onto them. With q~ the point given,
//
//     [ W G^T; G 0 ] (d, .) = (0, -(g + G (q~ - q))),   q <- q~ + d     exact: Gauss-Newton
//     [ W G^T; G 0 ] (d, .) = (0, -g),                  q <- q + d      newton, frozen
//
// frozen: with W and G of q~ for all of it. Algebraic variables follow the positions. Rolling rows
// let positions move along them only, A d = 0. Velocities follow, then invariants, where there are
// some. Leaves the values of g, G and g_t at the new point in the values of the saddle, and W, G
// factored. What matrices keep over steps is not evaluated, but for b_z. TRM_ERR_SINGULAR,
// TRM_ERR_CALLBACK (see e->returned) or TRM_ERR_INITIAL (no convergence) when it fails; the point
// is then unusable.
trm_status trmi_project_onto(trmi_manifold *m, trmi_point *point, trm_error *error);
// The same of the positions alone: neither velocities nor invariants.
trm_status trmi_project_positions(trmi_manifold *m, trmi_point *point, trm_error *error);

// e - W^-1 G^T (G W^-1 G^T)^-1 G e with the factors of the last projection: the part of an error of
// velocities along the constraints.
void trmi_project_velocity_error(trmi_manifold *m, double *e);
// The same of positions. With rolling rows they have no such part, e stays as it is.
void trmi_project_position_error(trmi_manifold *m, double *e);

// How positions were brought onto the constraints from far away.
typedef struct trmi_approach {
    double before;  // max |g| at first
    double after;   // max |g| at the end
    int iterations; // Newton steps
} trmi_approach;

// Positions onto g = 0 from far away: Newton steps, halved while |g| does not fall. Everything is
// evaluated at the point beforehand.
trm_status trmi_approach_positions(trmi_manifold *m, trmi_point *point, trmi_approach *approach,
                                   trm_error *error);
// Velocities onto C v + c_t = 0, with what they need evaluated at the point.
trm_status trmi_project_velocities(trmi_manifold *m, trmi_point *point, trm_error *error);

#endif
