// SPDX-License-Identifier: Apache-2.0
// Slopes of cubic curves at their points.
#ifndef TRMI_MODELLING_EXPRESSION_CURVE_SLOPES_H
#define TRMI_MODELLING_EXPRESSION_CURVE_SLOPES_H

#include "modelling/expression/curve.h"

// Slopes of a monotone curve or a spline, one for each point. False: no memory.
bool trmi_curve_slopes(const trmi_curve *curve, trmi_memory *memory, double *slope);

#endif
