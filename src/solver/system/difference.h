// SPDX-License-Identifier: Apache-2.0
// What the parts of the differences share.
#ifndef TRMI_SOLVER_SYSTEM_DIFFERENCE_H
#define TRMI_SOLVER_SYSTEM_DIFFERENCE_H

#include "solver/system/evaluator.h"

// Whether G is known without differences.
bool trmi_gradient_supplied(const trmi_evaluator *e);

// GAMMA by differences along the flow. The values of the evaluator are set aside by the caller.
int trmi_difference_gamma(trmi_evaluator *e, const trmi_point *p, double *out);

#endif
