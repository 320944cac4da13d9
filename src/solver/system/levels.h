// SPDX-License-Identifier: Apache-2.0
// The hidden levels of constraints that depend on algebraic variables.
#ifndef TRMI_SOLVER_SYSTEM_LEVELS_H
#define TRMI_SOLVER_SYSTEM_LEVELS_H

#include "solver/system/evaluator.h"

// With g_q, g_z, g_t, g and b_z, b_q, b_t, b evaluated: total = g_q - g_z b_z^-1 b_q, and likewise
// g_t and the effective g. Returns 1 (retry) when b_z is singular.
int trmi_eliminate_z(trmi_evaluator *e);

// Newton on b(.., z, ..) = 0 for z at the point. Returns 0, 1 when it does not
// converge, or what a callback returned.
int trmi_settle_z(trmi_evaluator *e, trmi_point *p);

#endif
