// SPDX-License-Identifier: Apache-2.0
// The Newton step of coupled.h in the null space of G, for dense systems of positions and holonomic
// constraints whose multipliers are not unknowns. With the split of G (linear/split.h)
//
//     dq = N xi + qc,  dv = N w + V1 xi + vc,  W w = P[(A N - V1) xi + A qc - vc + r1],
//     P (K N + D (N A1 + V1)) xi = -P (r2 + K qc + D (N a0 + vc)).
#ifndef TRMI_SOLVER_INTEGRATOR_CLASSIC_NULLSPACE_STEP_H
#define TRMI_SOLVER_INTEGRATOR_CLASSIC_NULLSPACE_STEP_H

#include "solver/formulation/saddle.h"
#include "solver/linear/split.h"

typedef struct trmi_nullspace_step {
    const trmi_evaluator *e;
    const trmi_values *values; // the numbers of the matrix; borrowed
    int n, m, p;
    trmi_split split;      // at the last matrix
    double *a, *k, *d, *h; // A, K, D (n x n) and H (m x n)
    double *an, *kn;       // n x p work
    double *v1;            // n x p
    double *a1;            // p x p
    double *w, *s;         // p x p, Cholesky of W and LU of S
    int *pivots;
    double *qc, *vc, *t1, *t2; // n
    double *y;                 // m
    double *xi, *a0;           // p
} trmi_nullspace_step;

// orthonormal: P by QR.
bool trmi_nullspace_step_create(trmi_nullspace_step *c, trmi_memory *memory, trmi_values *values,
                                bool orthonormal);
// Factors from the last evaluation, with the split of G there; geometric_mu: (G^T mu)_q.
trmi_factor_status trmi_nullspace_step_factor(trmi_nullspace_step *c, const trmi_split *split,
                                              trmi_leading lead, bool geometric,
                                              const double *geometric_mu);
// r = [r1 | r2 | G v + g_t | g] becomes [dq | dv | ...], to be subtracted.
void trmi_nullspace_step_solve(trmi_nullspace_step *c, double *r);
void trmi_nullspace_step_archive(trmi_nullspace_step *c, trmi_archive *archive);

#endif
