// SPDX-License-Identifier: Apache-2.0
// The split of one point into motions along the constraints and across them, in the norm of M:
//
//     B = [ M C^T; C -delta ],   C = [G; A]
//
// A solution with right-hand side (M y, 0) is the tangential part of y; with (-p, 0) its second
// part are the multipliers that minimise |p + C^T lambda| in the norm of M^-1; with (0, -g) its
// first part is the shortest correction to g = 0. delta = 1e-12 in units of C M^-1 C^T: positions
// in which C loses rank, and redundant rows, pass through.
//
// A system that is given solved for its accelerations, M = 1, has a metric W of its own: that takes
// the place of M in B, and residuals of the dynamics are multiplied by W before their multipliers
// are found. There multipliers push along W^-1 C^T: found with M = 1 their error would be
// multiplied by 1 - (C C^T)^-1 C W^-1 C^T, which for small masses is millions.
//
// M, W, G and A of the point are kept for products. Factors may be of an earlier point than these.
#ifndef TRMI_SOLVER_FORMULATION_TANGENT_H
#define TRMI_SOLVER_FORMULATION_TANGENT_H

#include "solver/formulation/saddle.h"

typedef struct trmi_tangent {
    trmi_saddle *saddle;    // structure, borrowed
    trmi_solver *solver;    // with the factors of B
    double *mass;           // values of M
    double *constraint;     // values of G
    double *rolling;        // values of A
    double *metric;         // values of W; the same array as `mass` where the system has no metric
    trmi_diagonal diagonal; // places of -delta in the values of the solver
    double *scratch;        // n_q, and the longer of n_q and n_r + 1
    double regularization;  // delta of the factors
} trmi_tangent;

// A twin of the (plain) saddle's solver. of: another split of that saddle, whose lists and scratch
// it shares, or NULL. False when there is no memory.
bool trmi_tangent_create(trmi_tangent *t, trmi_memory *memory, trmi_saddle *saddle,
                         const trmi_tangent *of);

// M, W, G, A of the last evaluation; the factors stay.
void trmi_tangent_take(trmi_tangent *t);
// The same, and the factors of B there.
trmi_factor_status trmi_tangent_factor(trmi_tangent *t);
// The same with the delta of a split nearby: only its size matters.
trmi_factor_status trmi_tangent_factor_with(trmi_tangent *t, double regularization);

// Solves in place: n_q entries, n_x + n_z that stay as they are, n_r entries; count (1 or 2) times.
void trmi_tangent_solve(trmi_tangent *t, double *x, int count);

// The same for one of them when only the last n_r entries are needed.
void trmi_tangent_solve_rows(trmi_tangent *t, double *x);

// The same when all entries before these are 0: they need not be set.
void trmi_tangent_solve_from_rows(trmi_tangent *t, double *x);

// out = M x
void trmi_tangent_mass(const trmi_tangent *t, const double *x, double *restrict out);
// out = f - M a
void trmi_tangent_inertia(const trmi_tangent *t, const double *force, const double *a,
                          double *restrict out);
// out = W x
void trmi_tangent_metric(const trmi_tangent *t, const double *x, double *restrict out);
// out += sign C^T lambda
void trmi_tangent_force(const trmi_tangent *t, const double *lambda, double sign,
                        double *restrict out);
// out = C x, n_r entries
void trmi_tangent_rows(const trmi_tangent *t, const double *x, double *restrict out);

// out = a residual of the dynamics as a right-hand side of B: itself, or W times it.
void trmi_tangent_balance(const trmi_tangent *t, const double *residual, double *restrict out);

void trmi_tangent_archive(trmi_tangent *t, trmi_archive *archive);
void trmi_tangent_destroy(trmi_tangent *t);

#endif
