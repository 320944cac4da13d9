// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic: what values an operation can have while its operands vary.
#ifndef TRMI_MODELLING_EXPRESSION_INTERVAL_H
#define TRMI_MODELLING_EXPRESSION_INTERVAL_H

#include "modelling/expression/graph.h"

#include <math.h>

typedef struct trmi_interval {
    double low, high; // -inf and inf where nothing is known
} trmi_interval;

static inline bool trmi_interval_is_point(trmi_interval x)
{
    return x.low == x.high;
}

// An interval that contains all values of an operation (not CONSTANT, INPUT, TABLE) with operands
// from x[0], x[1], x[2]. With points as operands the point that trmi_operation_value gives.
// Roundoff of the bounds is not added.
trmi_interval trmi_interval_apply(trmi_operation operation, const trmi_interval x[3]);

// Whether an operation consists of smooth branches: abs, sign, min, max, mod, floor, ceil, step and
// comparisons.
bool trmi_operation_branches(trmi_operation operation);
// The number of the branch that such an operation takes for operands from x, one of its own for
// each; NaN: they lead to several.
double trmi_interval_branch(trmi_operation operation, const trmi_interval x[3]);

// The values of a derivative of a curve (interpolant.h) over an interval.
trmi_interval trmi_interval_curve(const trmi_interpolant *curve, int order, trmi_interval x);
// Whether two pieces of the curve meet with a corner of that derivative or, in its values, where
// something short begins beside a long piece (corners.h).
bool trmi_curve_branches(const trmi_interpolant *curve, int order);
// The number of the piece that an interval lies in; NaN: in several.
double trmi_interval_piece(const trmi_interpolant *curve, int order, trmi_interval x);

// Sums and products: the same values as by trmi_interval_apply, in line.
#define TRMI_INTERVAL_EVERYTHING                                                                   \
    {                                                                                              \
        -INFINITY, INFINITY                                                                        \
    }

static inline trmi_interval trmi_interval_sum(trmi_interval a, trmi_interval b)
{
    const trmi_interval all = {a.low + b.low, a.high + b.high};
    return isnan(all.low) || isnan(all.high) ? (trmi_interval)TRMI_INTERVAL_EVERYTHING : all;
}

static inline trmi_interval trmi_interval_difference(trmi_interval a, trmi_interval b)
{
    return trmi_interval_sum(a, (trmi_interval){-b.high, -b.low});
}

static inline trmi_interval trmi_interval_product(trmi_interval a, trmi_interval b)
{
    const double p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    trmi_interval hull = {p[0], p[0]};
    if (isnan(p[0]) || isnan(p[1]) || isnan(p[2]) || isnan(p[3]))
        return (trmi_interval)TRMI_INTERVAL_EVERYTHING;
    for (int k = 1; k < 4; k++) {
        hull.low = p[k] < hull.low ? p[k] : hull.low;
        hull.high = p[k] > hull.high ? p[k] : hull.high;
    }
    return hull;
}

// No farther than the length of the path (PATH).
trmi_interval trmi_interval_path(const trmi_interval x[3]);
// What lies on either side of both; not a number: nothing is known.
trmi_interval trmi_interval_hull(double a, double b);
// The cubic through y[0], y[1] with slopes slope[0], slope[1], h apart: out[k] contains its k-th
// derivative on the way, k = 0, 1, 2.
void trmi_interval_cubic(double h, const double y[2], const double slope[2], trmi_interval out[3]);

#endif
