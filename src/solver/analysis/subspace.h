// SPDX-License-Identifier: Apache-2.0
// The least stiff motions of a large system at rest: K x = omega^2 M x on the constraints, with
// sparse matrices.
#ifndef TRMI_SOLVER_ANALYSIS_SUBSPACE_H
#define TRMI_SOLVER_ANALYSIS_SUBSPACE_H

#include "solver/formulation/saddle.h"

// Eigenvalues below this multiple of their roundoff are zero.
#define TRMI_ZERO_FACTOR 100

// M, G and K = (M a - f + G^T lambda)_q as they were evaluated last; no damping in the blocks.
typedef struct trmi_pencil {
    trmi_evaluator *e;
    trmi_saddle *saddle; // is factored
    int mobility;        // n_q - n_r
} trmi_pencil;

typedef struct trmi_lowest {
    int count;      // values found
    int iterations; // of the subspace
    double *square; // omega^2: negative ones first, then positive ones, ascending
    double *noise;  // roundoff of each
    double *shape;  // n_q x count
} trmi_lowest;

// Finds the `count` (at most mobility) values closest to zero, in `memory`.
trm_status trmi_find_lowest(trmi_lowest *out, trmi_memory *memory, const trmi_pencil *pencil,
                            int count, trm_error *error);

#endif
