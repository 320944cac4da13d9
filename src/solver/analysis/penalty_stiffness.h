// SPDX-License-Identifier: Apache-2.0
// The stiffness of a system at rest whose constraints are held by springs,
//
//     A = K + (G^T lambda)_q - M'/2 + shift M + G^T W G      W_r = P / sum_k G_rk^2 / M_kk
//
// (the symmetric part), with M' the change of M along the accelerations, zero at rest. Where A
// without shift is positive definite at a point in balance with g = 0, the potential has a minimum
// there among all positions that satisfy the constraints, also where these lose rank: on them
// lambda^T g and g^T W g vanish. Where G has full rank the converse holds for large P.
#ifndef TRMI_SOLVER_ANALYSIS_PENALTY_STIFFNESS_H
#define TRMI_SOLVER_ANALYSIS_PENALTY_STIFFNESS_H

#include "solver/linear/solver.h"
#include "solver/system/evaluator.h"

typedef struct trmi_definite {
    const trmi_evaluator *e;
    const trmi_values *values; // the numbers of the matrix; borrowed
    trmi_solver *solver;       // blocks of the bodies; NULL: `full`, with Cholesky's factors
    double *full;              // n_q x n_q
    int *start, *column;       // G by rows: row r has column[start[r]] .. column[start[r+1]-1]
    int *entry;                // indices of these entries in TRMI_TOTAL
    int *place[3];      // positions of the entries of M, K, (G^T lambda)_q in A; ~position: one of
                        // two entries that share it
    int *pair;          // positions of G_ri G_rj, j <= i, row after row
    double *mass;       // n_q: diagonal of M
    double *flesh;      // n_q: trmi_largest_inertias
    double *compliance; // n_r: sum_k G_rk^2 / M_kk, the largest so far: rows may vanish during the
                        // search
    double *weight;     // n_r: W
    double *change;     // entries of M': set by the caller
} trmi_definite;

// Creates the matrix for the active rows. False: no memory, or more than max_dense coordinates and
// no declared bodies.
bool trmi_definite_create(trmi_definite *d, trmi_memory *memory, const trmi_values *values,
                          int max_dense);

// Frees what is not in `memory`.
void trmi_definite_destroy(trmi_definite *d);

// Computes the compliances, and W for P = penalty max |K_ii + ..| / M_ii, from the present values.
void trmi_definite_weigh(trmi_definite *d, double penalty);

// Forms and factors A from the present values; false: it is not positive definite. thick: bodies
// that are shifted have inertia about every axis, as if they were not thin.
bool trmi_definite_factor(trmi_definite *d, double shift, bool thick);

// Whether M alone, on the motions that the constraints allow, is positive definite by more than the
// roundoff of the block of a body.
bool trmi_definite_mass(trmi_definite *d);

// x = A^-1 x
void trmi_definite_solve(trmi_definite *d, double *x);

#endif
