// SPDX-License-Identifier: Apache-2.0
// The structure of a KLU solver, shared by solvers made from it.
#ifndef TRMI_SOLVER_LINEAR_KLU_H
#define TRMI_SOLVER_LINEAR_KLU_H

#include "solver/linear/solver.h"

#include <suitesparse/klu.h>

typedef struct trmi_klu_structure {
    int *column_start, *row; // compressed columns, rows ascending
    klu_symbolic *symbolic;  // ordering
    klu_common common;       // settings, and what the last call reported
} trmi_klu_structure;

// Sets the compressed columns of a structure, in `memory`; false: no memory.
bool trmi_klu_compress(trmi_klu_structure *s, trmi_memory *memory, const trmi_structure *structure);

// Finds the order of elimination, with `common` set; false: no memory.
bool trmi_klu_analyze(trmi_klu_structure *s, const trmi_memory *memory,
                      const trmi_structure *structure);

// A copy of the structure of a KLU solver, which keeps its arrays.
trmi_klu_structure trmi_klu_structure_of(const trmi_solver *solver);

// The pivots of the last factors in their order, n rows and columns. False: there are no factors.
bool trmi_klu_pivots(const trmi_solver *solver, int *row, int *col);

// Makes later factorizations take pivots in that order, where they are large enough. Discards the
// factors; solvers that share the structure must not exist. False: no memory.
bool trmi_klu_reorder(trmi_solver *solver, int *row, int *col);

#endif
