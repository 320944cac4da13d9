// SPDX-License-Identifier: Apache-2.0
// Projection onto the constraints: the nearest positions with g = 0, then the nearest velocities
// with G v + g_t = 0, A v + a = 0, in the norm of W (the mass matrix, the identity, or the weights
// of the error test, 1 / (rtol |q| + atol)^2). With q~ the point given,
//
//     [ W G^T; G 0 ] (d, .) = (0, -(g + G (q~ - q))),   q <- q~ + d     exact: Gauss-Newton
//     [ W G^T; G 0 ] (d, .) = (0, -g),                  q <- q + d      newton, frozen
//     [ W G^T; G 0 ] (d, .) = (0, -(G v + g_t)),        v <- v + d
//
// frozen: with W and G of q~ for all of it. Algebraic variables follow the positions. Rolling rows
// let positions move along them only, A d = 0. Invariants, where there are some, come last.
#ifndef TRMI_SOLVER_FORMULATION_PROJECTION_H
#define TRMI_SOLVER_FORMULATION_PROJECTION_H

#include "base/scratch.h"
#include "solver/formulation/invariants.h"
#include "solver/formulation/saddle.h"
#include "trammel/options.h"

typedef struct trmi_projection {
    trmi_saddle *saddle;         // whose matrix serves; borrowed, may be exchanged at any time
    const trm_options *options;  // norm, method, tolerances; borrowed
    trmi_invariants *invariants; // kept too, NULL: none; borrowed
    trmi_scratch *scratch;       // for the arrays below, which exist during a call; borrowed
    double *from;                // n_q: q~
    double *work;                // a right-hand side
    double *rows;                // n_r + 1
    double *diagonal;            // n_q: W where it is not M
    long steps;                  // points projected
    long iterations;             // position iterations they took
} trmi_projection;

// The scratch memory that a projection needs.
size_t trmi_projection_scratch(const trmi_evaluator *e, const trm_options *options);

// Moves (q, v) of a point near the constraints onto them, and z with q. Leaves the values of g, G
// and g_t at the new point in the evaluator, and W, G factored. What matrices keep over steps is
// not evaluated, but for b_z. TRM_ERR_SINGULAR, TRM_ERR_CALLBACK (see e->returned) or
// TRM_ERR_INITIAL (no convergence) when it fails; the point is then spoilt.
trm_status trmi_project_onto(trmi_projection *p, trmi_point *point, trm_error *error);

// e - W^-1 G^T (G W^-1 G^T)^-1 G e with the factors of the last projection: the part of an error
// along the constraints. Positions: with rolling rows they have no such part, e stays as it is.
void trmi_project_position_error(trmi_projection *p, double *e);
void trmi_project_velocity_error(trmi_projection *p, double *e);

// The parts of it, for a start from afar: Newton steps, halved while |g| does not fall, with
// everything evaluated at the point; then velocities.
typedef struct trmi_approach {
    double before, after; // max |g|
    int iterations;
} trmi_approach;
trm_status trmi_approach_positions(trmi_projection *p, trmi_point *point, trmi_approach *approach,
                                   trm_error *error);
trm_status trmi_project_velocities(trmi_projection *p, trmi_point *point, trm_error *error);

#endif
