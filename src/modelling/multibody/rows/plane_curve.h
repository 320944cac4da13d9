// SPDX-License-Identifier: Apache-2.0
// A curve in a plane through points: x(s), y(s) are cubic splines of the length of the chords, with
// continuous tangent and curvature; closed ones repeat, others go on straight beyond their ends.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_PLANE_CURVE_H
#define TRMI_MODELLING_MULTIBODY_ROWS_PLANE_CURVE_H

#include "modelling/expression/interpolant.h"

enum { TRMI_CURVE_SAMPLES = 8 }; // between two points

typedef struct trmi_plane_curve {
    trmi_interpolant part[2]; // x, y
    int samples;              // s, x, y of points that lie close to each other
    const double *sample;
} trmi_plane_curve;

// Where a curve is at s, and how it goes on.
typedef struct trmi_curve_point {
    double at[2], tangent[2]; // of length 1
    double speed;             // ds of the arc over ds
    double curvature;         // positive: it turns to the left
} trmi_curve_point;

// n points x, y, one after the other, of which neighbours differ, for a closed curve also the last
// and the first one; at least three. False: no memory.
bool trmi_plane_curve_create(trmi_plane_curve *curve, trmi_memory *memory, int n,
                             const double *point, bool closed);
trmi_curve_point trmi_plane_curve_at(const trmi_plane_curve *curve, double s);
// The point of the curve that is nearest to (x, y).
double trmi_plane_curve_nearest(const trmi_plane_curve *curve, double x, double y);
// Whether the curve crosses itself between its ends: the samples at or before both places, and x, y
// of the first crossing found.
bool trmi_plane_curve_crossing(const trmi_plane_curve *curve, int sample[2], double at[2]);

#endif
