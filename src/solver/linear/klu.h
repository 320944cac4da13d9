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

// Columns of a structure in `memory`, and (with `common` set) their order; false: no memory.
bool trmi_klu_compress(trmi_klu_structure *s, trmi_memory *memory, const trmi_structure *structure);
bool trmi_klu_analyze(trmi_klu_structure *s, const trmi_memory *memory,
                      const trmi_structure *structure);

trmi_klu_structure trmi_klu_structure_of(const trmi_solver *solver);

// The pivots of the last factors in their order, n rows and columns. False: there are no factors.
bool trmi_klu_pivots(const trmi_solver *solver, int *row, int *col);
// From now on pivots are taken in that order, as far as they are large enough. Factors are lost,
// and solvers that share the structure must not exist. False when there is no memory.
bool trmi_klu_reorder(trmi_solver *solver, int *row, int *col);

#endif
