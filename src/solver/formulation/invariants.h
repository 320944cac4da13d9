// SPDX-License-Identifier: Apache-2.0
// Functions I(t, q, v, x) that keep their initial values I_0, energy for one: positions and
// velocities are moved together, as little as possible, onto g = 0, G v + g_t = 0 and I = I_0,
//
//     [ W    H^T ] (d, .) = (0, -phi),   phi = (g; G v + g_t; I - I_0),   d = (dq, dv),
//     [ H    0   ]
//
//     H = [ G               0   ]
//         [ (G v + g_t)_q   G   ]        W = diag(W_q, W_q) in the norm of the projection,
//         [ I_q             I_v ]
//
// with a dense matrix. Rolling rows belong to the second group.
#ifndef TRMI_SOLVER_FORMULATION_INVARIANTS_H
#define TRMI_SOLVER_FORMULATION_INVARIANTS_H

#include "solver/system/evaluator.h"

// A violation that is roundoff, relative to 1 + the size of what it is the sum of.
#define TRMI_ON_MANIFOLD 1e-14

enum { TRMI_MAX_INVARIANT_POSITIONS = 500 };

typedef struct trmi_invariants {
    trmi_evaluator *e;
    double *target; // n_i: I_0
    double *matrix; // the matrix above, dense, then its factors
    double *rhs;    // (0, -phi), then d
    int *pivots;    // row exchanges of the factors
    int worst;      // the invariant that is violated most, or that depends on other rows
} trmi_invariants;

// The quantities it needs besides those of projections.
#define TRMI_INVARIANT_QUANTITIES                                                                  \
    (TRM_BIT(INVARIANT) | TRM_BIT(INVARIANT_Q) | TRM_BIT(INVARIANT_V) | TRM_BIT(VELOCITY_Q))

// Once rows are dropped. TRM_ERR_SYSTEM for a system that is too large.
trm_status trmi_invariants_create(trmi_invariants *v, trmi_memory *memory, trmi_evaluator *e,
                                  trm_error *error);

// I_0 = I at the point.
trm_status trmi_invariants_keep(trmi_invariants *v, const trmi_point *point, trmi_values *values,
                                trm_error *error);

// Moves a point that satisfies the constraints. diagonal: W, NULL: M. Leaves g, G and g_t at the
// new point in the values. TRM_ERR_INITIAL when it does not converge or the rows of H are
// dependent.
trm_status trmi_invariants_project(trmi_invariants *v, trmi_point *point, const double *diagonal,
                                   trmi_values *values, trm_error *error);

#endif
