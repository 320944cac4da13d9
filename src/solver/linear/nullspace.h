// SPDX-License-Identifier: Apache-2.0
// Null-space solver for dense saddle-point systems
//
//     [ S  G^T ] [dq]   [r]          dq = N xi + Y (GY)^-1 s,  N = X - Y Q
//     [ G   0  ] [nu] = [s]          (N^T S N) xi = N^T (r - S Y (GY)^-1 s)
//                                    nu = (GY)^-T Y^T (r - S dq)
//
// with the coordinate split of G. S need not be symmetric.
#ifndef TRMI_SOLVER_LINEAR_NULLSPACE_H
#define TRMI_SOLVER_LINEAR_NULLSPACE_H

#include "solver/linear/solver.h"
#include "solver/linear/split.h"

// Creates the solver. structure->node_first = {0, n_q, n_q + m}, two nodes; G is stored once.
trmi_solver *trmi_nullspace_create(trmi_memory *memory, const trmi_structure *structure);

// True for solvers made by trmi_nullspace_create.
bool trmi_is_nullspace(const trmi_solver *solver);

// Factors the split with the entries of G alone, so that multipliers can be computed from a
// residual before S is known; factor() then keeps the split. False: G has lost rank.
bool trmi_nullspace_split(trmi_solver *solver);

// After factor(): whether N^T S N (the lower triangle, taken as symmetric) is positive definite;
// with `relief` up to roundoff: with that share added to its diagonal. Overwrites the factors.
bool trmi_nullspace_definite(trmi_solver *solver, double relief);
// The share that roundoff of a factorization by Cholesky amounts to: p (p + 1) eps.
double trmi_nullspace_roundoff(const trmi_solver *solver);

// The split of the last trmi_nullspace_split or factor. Borrowed.
const trmi_split *trmi_nullspace_get_split(const trmi_solver *solver);

#endif
