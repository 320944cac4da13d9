// SPDX-License-Identifier: Apache-2.0
// A function of one variable that is given by points: straight lines, cubics that are monotone
// where the points are, or cubics with continuous second derivatives.
#ifndef TRMI_MODELLING_EXPRESSION_INTERPOLANT_H
#define TRMI_MODELLING_EXPRESSION_INTERPOLANT_H

#include "base/memory.h"

typedef enum trmi_interpolation {
    TRMI_INTERPOLATION_LINEAR,
    TRMI_INTERPOLATION_MONOTONE, // C1, never overshoots its points (Fritsch and Carlson)
    TRMI_INTERPOLATION_SPLINE    // C2; "not a knot" at the ends, periodic where it repeats
} trmi_interpolation;

// Beyond the first and the last point.
typedef enum trmi_continuation {
    TRMI_BEYOND_STRAIGHT, // with the slope at the end
    TRMI_BEYOND_HOLD,     // with the value at the end
    TRMI_BEYOND_REPEAT    // with the period x[count-1] - x[0]; y[count-1] = y[0]
} trmi_continuation;

// All zero but for the points, name, interpolation and beyond, before it is created.
typedef struct trmi_interpolant {
    const char *name;    // in formulas and messages; NULL: it has none
    int count;           // 0: no curve, everything is 0; otherwise at least 2
    const double *x, *y; // borrowed; x ascends
    trmi_interpolation interpolation;
    trmi_continuation beyond;
    const double *slope;    // at the points; NULL: linear
    const double *integral; // from the first point on
    double origin;          // integral from the first point to 0
    bool used, bends;       // by some formula; as the curvature of a path
    const double *path;     // then: places x, y of its points (path.h), NULL: not stored
} trmi_interpolant;

// The orders that trmi_interpolant_at knows: the integral from 0 to x, the value, derivatives.
enum { TRMI_INTERPOLANT_INTEGRAL = -1, TRMI_INTERPOLANT_VALUE = 0, TRMI_INTERPOLANT_MAX_ORDER = 3 };

// Completes a curve. False: no memory.
bool trmi_interpolant_create(trmi_interpolant *curve, trmi_memory *memory);

// The derivative of that order at x; at a point where it jumps the value to the right of it.
double trmi_interpolant_at(const trmi_interpolant *curve, int order, double x);

// All derivatives from the value to that order, at most 3, of a curve with points.
void trmi_interpolant_orders(const trmi_interpolant *curve, double x, int highest, double *out);

// Highest order of a derivative that is not zero everywhere: 1 of straight lines, 3 of cubics.
int trmi_interpolant_degree(const trmi_interpolant *curve);

// Highest order of a derivative that has no jumps: 0 of straight lines, 1, 2.
int trmi_interpolant_smoothness(const trmi_interpolant *curve);

// The number of the first point after x, of those that are given; `count`: there is none.
int trmi_interpolant_next_point(const trmi_interpolant *curve, double x);

// The first x after `from` at which the derivative of order smoothness + 1 jumps; HUGE_VAL: there
// is none.
double trmi_interpolant_next_corner(const trmi_interpolant *curve, double from);

#endif
