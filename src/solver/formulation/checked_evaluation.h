// SPDX-License-Identifier: Apache-2.0
// Evaluations and factorizations outside the step loop: every value is checked, every failure is
// reported.
#ifndef TRMI_SOLVER_FORMULATION_CHECKED_EVALUATION_H
#define TRMI_SOLVER_FORMULATION_CHECKED_EVALUATION_H

#include "solver/formulation/saddle.h"

// Evaluates; TRM_ERR_CALLBACK when a callback fails (e->returned is what it returned) or a value is
// not finite (e->returned is 0).
trm_status trmi_evaluate_checked(trmi_evaluator *e, const trmi_point *p, uint64_t want,
                                 trmi_values *into, trm_error *error);

// Solves b = 0 for z at the point.
trm_status trmi_settle_checked(trmi_evaluator *e, trmi_point *p, trmi_values *into,
                               trm_error *error);

// Factors the matrix of the start.
trm_status trmi_factor_start_checked(trmi_saddle *s, trm_error *error);
// Factors [W G^T; G 0] of a projection, W that diagonal or, where it is NULL, M.
trm_status trmi_factor_projection_checked(trmi_saddle *s, const double *diagonal, trm_error *error);

#endif
