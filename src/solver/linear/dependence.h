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

// The bodies to which the columns belong (components.h); {0} for none.
typedef struct trmi_bodies {
    int count;
    const int *of; // per column
} trmi_bodies;

// Finds all rows that follow from others. tolerance: that of trmi_rank_reveal. False: no memory.
bool trmi_dependences_find(trmi_dependences *out, trmi_memory *memory, const trmi_sparse_rows *rows,
                           trmi_bodies bodies, double tolerance);

// Replaces multipliers by those of minimum norm with the same force, as trmi_minimum_norm, in all
// components that have a `shared` row and are not too large. bodies: those of
// trmi_dependences_find if its by_bodies is set, otherwise none. *dependent: so many rows of these
// components follow from others. False: no memory.
bool trmi_dependences_minimum_norm(double *lambda, trmi_memory *memory,
                                   const trmi_sparse_rows *rows, trmi_bodies bodies,
                                   const bool *shared, double tolerance, int *dependent);

#endif
