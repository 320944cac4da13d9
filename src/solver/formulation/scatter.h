// SPDX-License-Identifier: Apache-2.0
// The positions of the entries of a quantity in a matrix:
//
//     value[place[k]] += sign * coefficient * block value[source[k]]
//
// The entries of bodies and joints of one kind are at the same distances from each other. Such a
// list of distances is a shape and is kept once; a run is a shape and where it begins. All entries
// of a run lie in one piece of the matrix, and runs are in the order of their places: the matrix
// can be filled from its begin to its end, a part at a time.
#ifndef TRMI_SOLVER_FORMULATION_SCATTER_H
#define TRMI_SOLVER_FORMULATION_SCATTER_H

#include "solver/system/evaluator.h"

// An entry of a shape: how far from the first source and from the lowest place. Negative: half of
// it at ~place, for the entry has a mirror image at the same place.
typedef struct trmi_scatter_step {
    short source, place;
} trmi_scatter_step;

typedef struct trmi_scatter_run {
    int place, source, shape;
} trmi_scatter_run;

typedef struct trmi_scatter {
    int quantity; // whose values are entered, TRMI_TOTAL for G
    int coefficient;
    double sign;
    int run_count;
    trmi_scatter_run *run;
    int *shape;  // shape k has the steps shape[k] .. shape[k+1]-1
    bool *whole; // and none of them is a half
    trmi_scatter_step *step;
} trmi_scatter;

// An entry for creation: ~place as above; the piece is any number that entries of a piece share.
typedef struct trmi_scatter_entry {
    int source, place, piece;
} trmi_scatter_entry;

// Sources ascend. False: no memory.
bool trmi_scatter_create(trmi_scatter *t, trmi_memory *memory, const trmi_scatter_entry *entry,
                         int count);

// value += c times the entries (of the values `from`) of the runs from `run` on whose places are
// below `end`; returns the first run that is not.
int trmi_scatter_add(const trmi_scatter *t, const double *restrict from, int run, int end, double c,
                     double *restrict value);

#endif
