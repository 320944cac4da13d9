// SPDX-License-Identifier: Apache-2.0
// Slopes of cubic curves at their points.
#ifndef TRMI_MODELLING_EXPRESSION_INTERPOLANT_SLOPES_H
#define TRMI_MODELLING_EXPRESSION_INTERPOLANT_SLOPES_H

#include "modelling/expression/interpolant.h"

// Slopes of a monotone curve or a spline, one for each point. False: no memory.
bool trmi_interpolant_slopes(const trmi_interpolant *curve, trmi_memory *memory, double *slope);

#endif
