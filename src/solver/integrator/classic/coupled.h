// SPDX-License-Identifier: Apache-2.0
// The Newton step of the papers in (q, v): with r1 = q' - v, r2 = M v' - f, A = cv I + (G^T s1)_q,
// K = (M v')_q - f_q + (G^T s2)_q, D = ca M - f_v, H = (G v + g_t)_q
//
//     [ A   -I   G^T  0  ] [dq ]     [ r1 + G^T mu      ]
//     [ K    D   0   G^T ] [dv ]     [ r2 + G^T lambda  ]
//     [ H    G   0    0  ] [dmu] = - [ G v + g_t        ]
//     [ G    0   0    0  ] [dla]     [ g                ]
//
// The alpha methods weigh the first row with M: r1 = M (q' - v), A = cv M + (G^T s1)_q, and -M
// instead of -I. Two implementations that give the same step: this saddle-point matrix (dense LU or
// KLU), and, for dense systems, the null-space form with the coordinate split of G,
//
//     dq = N xi + qc,  dv = N w + V1 xi + vc,  W w = P[(A N - V1) xi + A qc - vc + r1],
//     P (K N + D (N A1 + V1)) xi = -P (r2 + K qc + D (N a0 + vc)).
#ifndef TRMI_SOLVER_INTEGRATOR_CLASSIC_COUPLED_H
#define TRMI_SOLVER_INTEGRATOR_CLASSIC_COUPLED_H

#include "solver/formulation/saddle.h"

typedef struct trmi_coupled trmi_coupled;

// Right-hand side and result of a step: residuals in, corrections out (to be subtracted).
typedef struct trmi_coupled_vector {
    double *q, *v, *mu, *lambda; // r1, r2, G v + g_t, g  ->  dq, dv, dmu, dlambda
} trmi_coupled_vector;

// dense: LU or null-space through LAPACK; otherwise KLU. The null-space form has no weighted rows.
typedef struct trmi_coupled_form {
    bool dense, use_split, weighted;
} trmi_coupled_form;
trmi_coupled *trmi_coupled_create(trmi_memory *memory, trmi_values *values, trmi_coupled_form form);
void trmi_coupled_destroy(trmi_coupled *c);

// Splits G of the last evaluation. choose: the set of independent coordinates may change (a matrix
// follows); otherwise only G is copied again. False when G lost rank.
bool trmi_coupled_split(trmi_coupled *c, bool choose);
const trmi_split *trmi_coupled_get_split(const trmi_coupled *c);
// s = -(GY)^-T Y^T r
void trmi_coupled_multipliers(const trmi_coupled *c, const double *r, double *s);

// Forms and factors the matrix from the last evaluation of MASS, STIFFNESS, DAMPING, CONSTRAINT_Q,
// VELOCITY_Q and, if geometric, GEOMETRIC (for lambda) and geometric_mu (for mu, the same pattern;
// may be NULL).
trmi_factor_status trmi_coupled_factor(trmi_coupled *c, trmi_leading lead, bool geometric,
                                       const double *geometric_mu);

// The factors, which are kept over steps, and the splits.
void trmi_coupled_archive(trmi_coupled *c, trmi_archive *archive);

void trmi_coupled_solve(trmi_coupled *c, trmi_coupled_vector x);

#endif
