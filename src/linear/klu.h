// SPDX-License-Identifier: Apache-2.0
// The structure of a KLU solver, shared by solvers made from it.
#ifndef TRMI_KLU_H
#define TRMI_KLU_H

#include "linear/solver.h"

#include <suitesparse/klu.h>

typedef struct trmi_klu_structure {
    int *column_start, *row; // compressed columns, rows ascending
    klu_symbolic *symbolic;  // ordering
    klu_common common;       // settings, and what the last call reported
} trmi_klu_structure;

trmi_klu_structure trmi_klu_structure_of(const trmi_solver *solver);

#endif
