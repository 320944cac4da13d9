// SPDX-License-Identifier: Apache-2.0
// The constraint rows as a sparse matrix, for questions of rank.
#ifndef TRMI_SOLVER_FORMULATION_SPARSE_CONSTRAINTS_H
#define TRMI_SOLVER_FORMULATION_SPARSE_CONSTRAINTS_H

#include "solver/linear/dependence.h"
#include "solver/system/evaluator.h"

// All return false when there is no memory; what they make lives in `scratch`.

// The bodies of the coordinates, where they are declared and wanted.
bool trmi_find_bodies(const trmi_evaluator *e, trmi_memory *scratch, bool wanted, trmi_bodies *out);

// (G; A) over the active rows.
bool trmi_list_constraints(const trmi_values *values, trmi_memory *scratch, trmi_sparse_rows *rows);

// (G; A) over all rows, also those that were dropped; from the values where it is
// supplied, otherwise from differences at the point. False too where it cannot be had.
bool trmi_list_full_constraints(const trmi_values *values, const trmi_point *p,
                                trmi_memory *scratch, trmi_sparse_rows *rows);

#endif
