// SPDX-License-Identifier: Apache-2.0
// Gaps along a path: at a point, and where one of them closes or opens between two points.
#ifndef TRMI_SOLVER_INTEGRATOR_GAP_PATH_H
#define TRMI_SOLVER_INTEGRATOR_GAP_PATH_H

#include "solver/system/evaluator.h"
#include "trammel/simulation.h"

enum { TRMI_PATH_HALVINGS = 10 }; // what may hide a crossing is at least 2^-10 of a path

// Values of all gaps at a point, their rates and second derivatives.
typedef struct trmi_gap_values {
    double *gap, *rate, *second;
} trmi_gap_values;

// The piece of a motion between two points, h apart, and the gaps at both.
typedef struct trmi_gap_path {
    const trmi_point *from, *to;
    double h;
    trmi_gap_values start, end; // seconds at the end are not needed
} trmi_gap_path;

// Which gaps are searched for a crossing, and in which sense.
typedef struct trmi_gap_search {
    const bool *wanted;
    double sign;   // +1: an open gap closes, -1: a closed one opens
    double least;  // a gap that crosses by less does not
    double at_end; // a crossing this close in time to an end of the path lies there, and is none
} trmi_gap_search;

bool trmi_gap_values_create(trm_simulation *s, trmi_gap_values *values);

// The gaps at p, whose accelerations are a; second (may be NULL) as in trm_switch_function. Returns
// what the callback does.
int trmi_evaluate_gaps(trm_simulation *s, trmi_values *values, const trmi_point *p, const double *a,
                       double *gap, double *rate, double *second);
// p becomes the newest point after a time h (negative: before it) in which v' and x' are constant;
// x_rate NULL: x stays.
void trmi_point_ahead(const trm_simulation *s, double h, const double *v_rate, const double *x_rate,
                      trmi_point *p);
// The time from the start of the path at which the first of the wanted gaps crosses 0; HUGE_VAL:
// none does. A path is the cubic through positions and velocities at both ends, so that all curves
// of a gap are followed, whatever the gap is measured by.
double trmi_find_crossing(trm_simulation *s, const trmi_gap_path *path,
                          const trmi_gap_search *search);

#endif
