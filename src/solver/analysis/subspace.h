// SPDX-License-Identifier: Apache-2.0
// The least stiff motions of a large system at rest: K x = omega^2 M x on the constraints, with
// sparse matrices.
#ifndef TRMI_SOLVER_ANALYSIS_SUBSPACE_H
#define TRMI_SOLVER_ANALYSIS_SUBSPACE_H

#include "solver/formulation/saddle.h"

// M, G and K = (M a - f + G^T lambda)_q as they were evaluated last; no damping in the blocks.
typedef struct trmi_pencil {
    trmi_evaluator *e;
    trmi_saddle *saddle; // takes new factors
    int mobility;
} trmi_pencil;

typedef struct trmi_lowest {
    int count, iterations;
    double *square; // omega^2: negative ones first, then those above zero in rising order
    double *noise;  // roundoff of each
    double *shape;  // n_q x count
} trmi_lowest;

// The `count` (at most mobility) next to zero, in `memory`.
trm_status trmi_find_lowest(trmi_lowest *out, trmi_memory *memory, const trmi_pencil *pencil,
                            int count, trm_error *error);

// y^T K x = x^T K y for two vectors that share no symmetry.
bool trmi_stiffness_symmetric(const trmi_values *values, const trmi_memory *memory);

// About the largest omega^2: K_ii / M_ii. mass: n_q numbers of scratch.
double trmi_largest_square(const trmi_values *values, double *mass);

// Every value of a block is zero.
bool trmi_block_vanishes(const trmi_values *values, trm_quantity quantity);

#endif
