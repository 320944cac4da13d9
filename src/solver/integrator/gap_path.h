// SPDX-License-Identifier: Apache-2.0
// Gaps along a path: at a point, and where one of them closes or opens between two points.
#ifndef TRMI_SOLVER_INTEGRATOR_GAP_PATH_H
#define TRMI_SOLVER_INTEGRATOR_GAP_PATH_H

#include "solver/system/evaluator.h"
#include "trammel/simulation.h"

// What may hide a crossing is at least 2^-10 of a path; with bounds of second derivatives 2^-30, as
// long as no more than 2^10 points of it are asked for.
enum { TRMI_PATH_HALVINGS = 10, TRMI_BEND_HALVINGS = 30 };

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
    int halvings;  // of the path in any case, where no bounds and no rates show what is inside
} trmi_gap_search;

// A stretch of the path, in parts of it, with the gaps at its ends.
typedef struct trmi_gap_stretch {
    double begin, end;
    const trmi_gap_values *left, *right;
} trmi_gap_stretch;

// A gap over a stretch that takes a time h, so turned that crossing is falling below 0.
typedef struct trmi_gap_piece {
    double gap[2], rate[2], second, h;
} trmi_gap_piece;

bool trmi_gap_values_create(trm_simulation *s, trmi_gap_values *values);

// The gaps at p, whose accelerations are a; second (may be NULL) as in trm_switch_function. Returns
// what the callback does.
int trmi_evaluate_gaps(trm_simulation *s, trmi_values *values, const trmi_point *p, const double *a,
                       double *gap, double *rate, double *second);
// p becomes the newest point after a time h (negative: before it) in which v' and x' are constant;
// x_rate NULL: x stays.
void trmi_point_ahead(const trm_simulation *s, double h, const double *v_rate, const double *x_rate,
                      trmi_point *p);
// p becomes the point at a part of the path.
void trmi_point_on_path(const trm_simulation *s, const trmi_gap_path *path, double part,
                        trmi_point *p);
// Gap i over a time h; a rate that is not known becomes that of a line or parabola.
trmi_gap_piece trmi_gap_piece_of(const trmi_gap_values *left, const trmi_gap_values *right, int i,
                                 double sign, double h);
// The time from the start of the path at which the first of the wanted gaps crosses 0; HUGE_VAL:
// none does. A path is the cubic through positions and velocities at both ends, so that all curves
// of a gap are followed, whatever the gap is measured by.
double trmi_find_crossing(trm_simulation *s, const trmi_gap_path *path,
                          const trmi_gap_search *search);

// gap_bends.c: memory; false: there is none.
bool trmi_gap_bends_create(trm_simulation *s);
// gap_bends.c: whether a wanted gap may cross in a stretch, besides the crossing that its end
// shows, and the stretch may be halved once more. *bend: bounds of a stretch it is a part of, or
// NULL; becomes its own.
bool trmi_bends_allow_crossing(trm_simulation *s, const trmi_gap_path *path,
                               const trmi_gap_search *search, const trmi_gap_stretch *on,
                               int halvings, const double **bend);

#endif
