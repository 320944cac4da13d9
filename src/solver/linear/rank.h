// SPDX-License-Identifier: Apache-2.0
// Rank of a constraint Jacobian by QR with column pivoting of G^T (columns = constraint rows),
// rows of G scaled to unit length first.
#ifndef TRMI_SOLVER_LINEAR_RANK_H
#define TRMI_SOLVER_LINEAR_RANK_H

#include "base/memory.h"

typedef struct trmi_rank {
    int rank;
    int *order; // m: rows in pivot order; order[rank..m-1] depend on order[0..rank-1]
    // m x m, column-major; column k (k >= rank) holds in its first `rank` entries the coefficients
    // w with row order[k] = sum_i w_i row order[i], of the unscaled rows
    double *coefficients;
} trmi_rank;

// gt = G^T, n x m column-major, not modified. A column whose remaining length is below `tolerance`
// (relative to its own length 1; 1e-10 is a good value) is dependent. Zero rows count as dependent.
// memory holds the result. Returns false when there is no memory.
bool trmi_rank_reveal(trmi_rank *out, trmi_memory *memory, const double *gt, int n, int m,
                      double tolerance);

// Minimum-norm multipliers with the same force: lambda := argmin |l|, G^T l = G^T lambda.
// gt as above; *dependent (may be NULL): so many rows follow from others. Work space is taken from
// `memory`. Returns false when there is no memory.
bool trmi_minimum_norm(double *lambda, trmi_memory *memory, const double *gt, int n, int m,
                       double tolerance, int *dependent);

#endif
