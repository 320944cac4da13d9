// SPDX-License-Identifier: Apache-2.0
// Rows of a sparse matrix that follow from others, found component by component (components.h) with
// the dense QR of rank.h: linear in the size of models whose loops are small.
#ifndef TRMI_SOLVER_LINEAR_DEPENDENCE_H
#define TRMI_SOLVER_LINEAR_DEPENDENCE_H

#include "solver/linear/components.h"

// row = sum_i weight[i] (row from[i]); the rows in `from` do not depend on each other. count = 0:
// the row is zero.
typedef struct trmi_dependence {
    int row, count;
    const int *from;
    const double *weight;
} trmi_dependence;

typedef struct trmi_dependences {
    int count;
    trmi_dependence *list;
    int too_large;  // a row of a component that is too large for dense matrices, or -1: complete
    bool by_bodies; // the bodies given could be used
} trmi_dependences;

// Which columns belong together as a body (components.h); both may be NULL and 0.
typedef struct trmi_bodies {
    int count;
    const int *of; // per column
} trmi_bodies;

// tolerance: that of trmi_rank_reveal. False when there is no memory.
bool trmi_dependences_find(trmi_dependences *out, trmi_memory *memory, const trmi_sparse_rows *rows,
                           trmi_bodies bodies, double tolerance);

// Minimum-norm multipliers with the same force, as trmi_minimum_norm. Only components with a row
// that is `shared` are looked at; those that are too large stay as they are. The bodies are only
// given where trmi_dependences_find could use them. False when there is no memory.
bool trmi_dependences_minimum_norm(double *lambda, trmi_memory *memory,
                                   const trmi_sparse_rows *rows, trmi_bodies bodies,
                                   const bool *shared, double tolerance);

#endif
