// SPDX-License-Identifier: Apache-2.0
// The Newton step of the papers in (q, v): with r1 = q' - v, r2 = M v' - f, A = cv I + (G^T s1)_q,
// K = (M v')_q - f_q + (G^T s2)_q, D = ca M - f_v, H = (G v + g_t)_q
//
//     [ A   -I   G^T       0        ] [dq ]     [ r1 + G^T mu      ]
//     [ K    D    0   G^T - f_lambda] [dv ]     [ r2 + G^T lambda  ]
//     [ H    G    0        0        ] [dmu] = - [ G v + g_t        ]
//     [ G    0    0        0        ] [dla]     [ g                ]
//
// and rows and columns of states x, x' - c, of algebraic variables z, b, and of rolling rows, which
// have a velocity level and lambda but no position level and no mu. The alpha methods weigh the
// first row with the masses W: r1 = W (q' - v), A = cv W + (G^T s1)_q, and -W instead of -I. Dense
// LU or KLU; or, without f_lambda, x, z and rolling rows, the null-space form of nullspace_step.h,
// which gives the same step.
#ifndef TRMI_SOLVER_INTEGRATOR_CLASSIC_COUPLED_H
#define TRMI_SOLVER_INTEGRATOR_CLASSIC_COUPLED_H

#include "solver/formulation/saddle.h"

typedef struct trmi_coupled trmi_coupled;

// The parts of a right-hand side, residuals of the equations.
typedef struct trmi_coupled_rows {
    double *q, *v, *x, *z;
    double *velocity; // n_r: G v + g_t, A v + a
    double *position; // n_g: g
    int count;        // of all
} trmi_coupled_rows;
trmi_coupled_rows trmi_coupled_rows_of(const trmi_evaluator *e, double *y);

// The parts of a solution, to be subtracted.
typedef struct trmi_coupled_unknowns {
    double *q, *v, *x, *z;
    double *mu;     // n_g
    double *lambda; // n_r
} trmi_coupled_unknowns;
trmi_coupled_unknowns trmi_coupled_unknowns_of(const trmi_evaluator *e, double *y);

// dense: through LAPACK; otherwise KLU. splits: G is split, for multipliers from residuals.
// reduced: null-space form. orthonormal: P by QR.
typedef struct trmi_coupled_form {
    bool dense, splits, reduced, weighted, orthonormal;
} trmi_coupled_form;
trmi_coupled *trmi_coupled_create(trmi_memory *memory, trmi_values *values, trmi_coupled_form form);
void trmi_coupled_destroy(trmi_coupled *c);

// Splits G of the last evaluation. choose: the set of independent coordinates may change (a matrix
// follows); otherwise only G is copied again. False when G lost rank.
bool trmi_coupled_split(trmi_coupled *c, bool choose);
// Whether its first rows are weighted by the masses.
bool trmi_coupled_weighted(const trmi_coupled *c);
// NULL: there is none.
const trmi_split *trmi_coupled_get_split(const trmi_coupled *c);
// s = -(GY)^-T Y^T r
void trmi_coupled_multipliers(const trmi_coupled *c, const double *r, double *s);

// Forms and factors the matrix from the last evaluation of the derivatives and, if geometric,
// GEOMETRIC (for lambda) and geometric_mu (for mu, the same pattern; may be NULL).
trmi_factor_status trmi_coupled_factor(trmi_coupled *c, trmi_leading lead, bool geometric,
                                       const double *geometric_mu);

// The factors, which are kept over steps, and the splits.
void trmi_coupled_archive(trmi_coupled *c, trmi_archive *archive);

// y: residuals in, corrections out.
void trmi_coupled_solve(trmi_coupled *c, double *y);

#endif
