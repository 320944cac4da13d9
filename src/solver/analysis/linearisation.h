// SPDX-License-Identifier: Apache-2.0
// A system near a point of its motion: the equations of motion on the constraints as y' = F(y),
// with y = (independent positions, independent velocities, x), and the matrix F_y there.
//
//     dq = N xi,   G N = 0                        N, W: coordinate splits of G and (G; A)
//     dv = W eta + V xi,   (G; A) V = -((G v + g_t)_q; (A v + a)_q) N
//
//     [ M    -f_z   G^T - f_lambda ] [ da      ]     [ K dq + (G^T lambda)_q dq + D dv - f_x dx ]
//     [ 0     b_z   b_lambda       ] [ dz      ] = - [ b_q dq + b_v dv + b_x dx                 ]
//     [ G, A   0    0              ] [ dlambda ]     [ d(G a + gamma)                           ]
//
// and xi' = dv, eta' = da in the independent coordinates, less what coordinates that turn with a
// body change by themselves (trm_transport_function), dx' = c_q dq + c_v dv + c_x dx + c_z dz +
// c_lambda dlambda. Nothing is left out where the system moves: the change of the constraint rows
// along each direction is a difference of fourth order, all the rest are exact derivatives.
#ifndef TRMI_SOLVER_ANALYSIS_LINEARISATION_H
#define TRMI_SOLVER_ANALYSIS_LINEARISATION_H

#include "solver/formulation/saddle.h"

typedef struct trmi_linearisation {
    int n;                          // order: positions + velocities + states
    int positions, velocities;      // numbers of independent positions and velocities
    const int *position, *velocity; // their indices
    double *matrix;                 // F_y, n x n, column-major
    double *q;                      // n_q x positions: N
} trmi_linearisation;

// The quantities that must be prepared for trmi_linearise.
uint64_t trmi_linearise_quantities(void);

// Linearises at a consistent point with its accelerations and multipliers; the saddle matrix is
// that of the start at this point.
trm_status trmi_linearise(trmi_linearisation *out, trmi_memory *memory, trmi_saddle *saddle,
                          const trmi_point *point, trm_error *error);

#endif
