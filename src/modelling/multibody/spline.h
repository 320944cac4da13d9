// SPDX-License-Identifier: Apache-2.0
// A curve through points: piecewise cubic with continuous slope, monotone where the points are,
// straight beyond the first and the last one.
#ifndef TRMI_MODELLING_MULTIBODY_SPLINE_H
#define TRMI_MODELLING_MULTIBODY_SPLINE_H

#include "base/memory.h"
#include "modelling/multibody/mechanism.h"

typedef struct trmi_spline {
    int count; // 0: no curve, everything is 0
    const double *x, *y;
    const double *slope;    // at the points
    const double *integral; // from the first point on
} trmi_spline;

// Borrows the points, which ascend in x. False: no memory.
bool trmi_spline_create(trmi_spline *spline, trmi_memory *memory, const trmi_spline_curve *curve);

// Value, slope, and the integral from 0 to x.
void trmi_spline_at(const trmi_spline *spline, double x, double *value, double *slope,
                    double *integral);

#endif
