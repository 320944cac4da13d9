// SPDX-License-Identifier: Apache-2.0
// Which rows of redundant constraints are left out, chosen again on the way: rows that followed
// from the others at the start may be needed elsewhere, where rows that were kept follow from them.
// The number of dropped rows stays as it is; G^T lambda is the same with other multipliers.
#ifndef TRMI_SOLVER_FORMULATION_ROW_CHOICE_H
#define TRMI_SOLVER_FORMULATION_ROW_CHOICE_H

#include "solver/linear/dependence.h"
#include "solver/system/evaluator.h"

typedef struct trmi_row_choice {
    trmi_memory memory; // of what follows
    bool *dropped;      // n_r_full
    double *full;       // n_r_full scratch
    trmi_dependences all;
} trmi_row_choice;

// Whether rows can be exchanged: some are dropped, their derivatives are supplied, and neither
// forces nor algebraic variables depend on which.
bool trmi_rows_exchangeable(const trmi_evaluator *e);

// The choice with the largest pivots at a point, with the values of G there. False: it is the
// present one, the number of rows that follow from others is not that of the dropped ones, or there
// is no memory. Released by the caller in any case.
bool trmi_row_choice_find(trmi_row_choice *choice, const trmi_values *values, const trmi_point *p,
                          const trmi_memory *memory);
// lambda (n_r + 1, active numbering of before) becomes the multipliers of the new rows (in theirs).
// Before the rows are exchanged.
void trmi_row_choice_convert(const trmi_row_choice *choice, const trmi_evaluator *e,
                             double *lambda);
void trmi_row_choice_release(trmi_row_choice *choice);

#endif
