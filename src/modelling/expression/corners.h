// SPDX-License-Identifier: Apache-2.0
// The points of a table at which steps over it must end.
#ifndef TRMI_MODELLING_EXPRESSION_CORNERS_H
#define TRMI_MODELLING_EXPRESSION_CORNERS_H

#include "modelling/expression/interpolant.h"

// A point of a table: where, by how much the slope changes, and the longer piece beside it.
typedef struct trmi_corner {
    double x, change, length;
} trmi_corner;

// The points at which a curve changes, those beside the longest pieces first; their number. `out`
// has space for all points. Straight lines have corners; cubics have none (change = 0), but their
// points are places at which something begins that steps of what was before know nothing of. Unless
// all are asked for, only those near a piece that is longer than the mean: steps that are long
// there would pass over what is short, and the others are left to the error control. Of a spike
// between two long pieces that is the end, the peak and the other end, since there is nothing to be
// seen at the ends.
int trmi_find_corners(const trmi_interpolant *curve, bool all, trmi_corner *out);

// The first point of such a curve after `from` that is near a piece longer than the mean; HUGE_VAL:
// there is none, as where the points are even or the curve repeats.
double trmi_next_sudden_point(const trmi_interpolant *curve, double from);

#endif
