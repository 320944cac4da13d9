// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/interval.h"

#include "base/space.h"
#include "modelling/expression/corners.h"
#include "modelling/expression/operation.h"

static const trmi_interval EVERYTHING = TRMI_INTERVAL_EVERYTHING;

// ---- by the values at the corners ----

// The hull of the values at the corners of a box: for operations that are monotone in each operand
// there. A value that is not a number leaves everything possible.
static trmi_interval corners(trmi_operation operation, int operands, const trmi_interval *x)
{
    trmi_interval hull = {INFINITY, -INFINITY};
    for (int k = 0; k < 1 << operands; k++) {
        double a = k & 1 ? x[0].high : x[0].low, b = 0;
        if (operands > 1)
            b = k & 2 ? x[1].high : x[1].low;
        double value = trmi_compute(operation, a, b, 0);
        if (isnan(value))
            return EVERYTHING;
        hull.low = fmin(hull.low, value);
        hull.high = fmax(hull.high, value);
    }
    return hull;
}

static bool contains(trmi_interval x, double value)
{
    return x.low <= value && value <= x.high;
}

// Whether an interval contains first + k period for some integer k.
static bool contains_one_of(trmi_interval x, double first, double period)
{
    double next = first + period * ceil((x.low - first) / period);
    return !(next > x.high); // also where one of them is not finite
}

// ---- functions that are not monotone ----

static trmi_interval wave(trmi_operation operation, const trmi_interval x[3], double top)
{
    trmi_interval hull = corners(operation, 1, x);
    if (!isfinite(x[0].low) || !isfinite(x[0].high))
        return (trmi_interval){-1, 1};
    if (contains_one_of(x[0], top, 2 * TRMI_PI))
        hull.high = 1;
    if (contains_one_of(x[0], top + TRMI_PI, 2 * TRMI_PI))
        hull.low = -1;
    return hull;
}

static trmi_interval tangent(const trmi_interval x[3])
{
    return contains_one_of(x[0], 0.5 * TRMI_PI, TRMI_PI) ? EVERYTHING : corners(TRMI_TAN, 1, x);
}

// |x| with its smallest value, 0, inside
static trmi_interval even(trmi_operation operation, const trmi_interval *x, double least)
{
    trmi_interval hull = corners(operation, 1, x);
    if (contains(*x, 0))
        hull.low = least;
    return hull;
}

static trmi_interval hypotenuse(const trmi_interval x[3])
{
    trmi_interval hull = corners(TRMI_HYPOT, 2, x);
    const trmi_interval a[3] = {even(TRMI_ABS, &x[0], 0), even(TRMI_ABS, &x[1], 0)};
    hull.low = hypot(a[0].low, a[1].low);
    return hull;
}

// monotone in each operand where the base is positive; an exact integer exponent keeps a sign
static trmi_interval power(const trmi_interval x[3])
{
    if (x[0].low > 0)
        return corners(TRMI_POWER, 2, x);
    if (!trmi_interval_is_point(x[1]) || x[1].low != floor(x[1].low) || !(x[1].low > 0))
        return x[0].low == 0 && x[1].low > 0 ? corners(TRMI_POWER, 2, x) : EVERYTHING;
    trmi_interval hull = corners(TRMI_POWER, 2, x);
    if (fmod(x[1].low, 2) == 0 && contains(x[0], 0))
        hull.low = 0;
    return hull;
}

// the angles of a box that does not touch the cut of atan2 are extreme at its corners
static trmi_interval angle(const trmi_interval x[3])
{
    bool cut = contains(x[0], 0) && x[1].low <= 0;
    return cut ? (trmi_interval){-TRMI_PI, TRMI_PI} : corners(TRMI_ATAN2, 2, x);
}

// a - b floor(a / b)
static trmi_interval modulus(const trmi_interval x[3])
{
    double branch = trmi_interval_branch(TRMI_MOD, x);
    if (trmi_interval_is_point(x[1]) && !isnan(branch))
        return corners(TRMI_MOD, 2, x);
    trmi_interval b = x[1];
    return (trmi_interval){fmin(b.low, 0), fmax(b.high, 0)};
}

// ---- truth ----

static const trmi_interval TRUE_OR_FALSE = {0, 1};

static trmi_interval truth(bool always, bool never)
{
    return always ? (trmi_interval){1, 1} : never ? (trmi_interval){0, 0} : TRUE_OR_FALSE;
}

static bool is_true(trmi_interval x)
{
    return x.low > 0 || x.high < 0;
}

static bool is_false(trmi_interval x)
{
    return x.low == 0 && x.high == 0;
}

static trmi_interval choice(const trmi_interval x[3])
{
    if (is_true(x[0]))
        return x[1];
    if (is_false(x[0]))
        return x[2];
    return (trmi_interval){fmin(x[1].low, x[2].low), fmax(x[1].high, x[2].high)};
}

// ---- interface ----

trmi_interval trmi_interval_apply(trmi_operation operation, const trmi_interval x[3])
{
    switch (operation) {
    case TRMI_ADD:
        return trmi_interval_sum(x[0], x[1]);
    case TRMI_SUBTRACT:
        return trmi_interval_difference(x[0], x[1]);
    case TRMI_MULTIPLY:
        return trmi_interval_product(x[0], x[1]);
    case TRMI_SIN:
        return wave(operation, x, 0.5 * TRMI_PI);
    case TRMI_COS:
        return wave(operation, x, 0);
    case TRMI_TAN:
        return tangent(x);
    case TRMI_ABS:
        return even(operation, x, 0);
    case TRMI_COSH:
        return even(operation, x, 1);
    case TRMI_HYPOT:
        return hypotenuse(x);
    case TRMI_POWER:
        return power(x);
    case TRMI_ATAN2:
        return angle(x);
    case TRMI_MOD:
        return modulus(x);
    case TRMI_DIVIDE:
        return contains(x[1], 0) ? EVERYTHING : corners(operation, 2, x);
    case TRMI_LESS:
        return truth(x[0].high < x[1].low, x[0].low >= x[1].high);
    case TRMI_LESS_EQUAL:
        return truth(x[0].high <= x[1].low, x[0].low > x[1].high);
    case TRMI_EQUAL:
        return truth(x[0].low == x[1].high && x[0].high == x[1].low,
                     x[0].high < x[1].low || x[0].low > x[1].high);
    case TRMI_AND:
        return truth(is_true(x[0]) && is_true(x[1]), is_false(x[0]) || is_false(x[1]));
    case TRMI_OR:
        return truth(is_true(x[0]) || is_true(x[1]), is_false(x[0]) && is_false(x[1]));
    case TRMI_NOT:
        return truth(is_false(x[0]), is_true(x[0]));
    case TRMI_IF:
        return choice(x);
    default: // monotone in each operand
        return corners(operation, trmi_operation_operands(operation), x);
    }
}

// 1 where a < b, 2 where a >= b
static double side(trmi_interval a, trmi_interval b)
{
    return a.high < b.low ? 1 : a.low >= b.high ? 2 : NAN;
}

// 1, 2, 3 below, at and above zero
static double sign(trmi_interval x)
{
    return x.high < 0 ? 1 : x.low > 0 ? 3 : trmi_interval_is_point(x) ? 2 : NAN;
}

// an integer that is the same at both ends
static double integer(double low, double high)
{
    return low == high ? low : NAN;
}

// true or false
static double decided(trmi_operation operation, const trmi_interval x[3])
{
    trmi_interval value = trmi_interval_apply(operation, x);
    return trmi_interval_is_point(value) ? value.low : NAN;
}

double trmi_interval_branch(trmi_operation operation, const trmi_interval x[3])
{
    const trmi_interval zero = {0, 0};
    switch (operation) {
    case TRMI_ABS:
        return side(x[0], zero);
    case TRMI_SIGN:
        return sign(x[0]);
    case TRMI_MIN:
    case TRMI_MAX:
        return side(x[0], x[1]);
    case TRMI_STEP:
        return side(x[0], zero);
    case TRMI_LESS:
    case TRMI_LESS_EQUAL:
    case TRMI_EQUAL:
        return decided(operation, x);
    case TRMI_FLOOR:
        return integer(floor(x[0].low), floor(x[0].high));
    case TRMI_CEIL:
        return integer(ceil(x[0].low), ceil(x[0].high));
    case TRMI_MOD: {
        const trmi_interval q = contains(x[1], 0) ? EVERYTHING : corners(TRMI_DIVIDE, 2, x);
        return integer(floor(q.low), floor(q.high));
    }
    default:
        return 0;
    }
}

bool trmi_operation_branches(trmi_operation operation)
{
    const trmi_interval any[3] = {EVERYTHING, EVERYTHING};
    return isnan(trmi_interval_branch(operation, any));
}

// ---- curves ----

// Inside one piece, by the mean value: f(middle) +- half the length times the largest slope, from
// the linear one among the derivatives on.
trmi_interval trmi_interval_curve(const trmi_interpolant *c, int order, trmi_interval x)
{
    const double low = trmi_interpolant_at(c, order, x.low);
    if (trmi_interval_is_point(x))
        return (trmi_interval){low, low};
    if (!isfinite(x.low) || !isfinite(x.high) || trmi_interpolant_next_corner(c, x.low) < x.high)
        return EVERYTHING;
    double high = trmi_interpolant_at(c, order, nextafter(x.high, x.low));
    if (order + 1 >= trmi_interpolant_degree(c))
        return (trmi_interval){fmin(low, high), fmax(low, high)};
    trmi_interval slope = trmi_interval_curve(c, order + 1, x);
    double half = 0.5 * (x.high - x.low), middle = trmi_interpolant_at(c, order, x.low + half);
    double change = half * fmax(fabs(slope.low), fabs(slope.high));
    return (trmi_interval){middle - change, middle + change};
}

// Corners of splines, of their third derivative, are smooth enough for every method.
static bool has_corners(const trmi_interpolant *c, int order)
{
    int smoothness = trmi_interpolant_smoothness(c);
    return smoothness < 2 && order >= smoothness;
}

// Values of smooth curves have no corners: what counts is where something short begins.
static double next_place(const trmi_interpolant *c, int order, double from)
{
    if (has_corners(c, order))
        return trmi_interpolant_next_corner(c, from);
    return order == TRMI_INTERPOLANT_VALUE ? trmi_next_sudden_point(c, from) : HUGE_VAL;
}

bool trmi_curve_branches(const trmi_interpolant *c, int order)
{
    return has_corners(c, order) || next_place(c, order, -HUGE_VAL) < HUGE_VAL;
}

double trmi_interval_piece(const trmi_interpolant *c, int order, trmi_interval x)
{
    if (!isfinite(x.low) || !isfinite(x.high))
        return NAN;
    double place = next_place(c, order, x.low);
    return place > x.high ? place : NAN;
}

trmi_interval trmi_interval_path(const trmi_interval x[3])
{
    double length = fmax(x[1].high - x[0].low, x[0].high - x[1].low);
    return (trmi_interval){-length, length};
}

// ---- on the way from one point to another ----

trmi_interval trmi_interval_hull(double a, double b)
{
    return isnan(a) || isnan(b) ? EVERYTHING : (trmi_interval){fmin(a, b), fmax(a, b)};
}

static trmi_interval hull_of(trmi_interval x, double y)
{
    return isnan(y) ? EVERYTHING : (trmi_interval){fmin(x.low, y), fmax(x.high, y)};
}

// A polynomial lies between its Bernstein coefficients.
void trmi_interval_cubic(double h, const double y[2], const double slope[2], trmi_interval out[3])
{
    const double mean = 3 * (y[1] - y[0]) / h - slope[0] - slope[1];
    out[0] = trmi_interval_hull(y[0], y[0] + h / 3 * slope[0]);
    out[0] = hull_of(hull_of(out[0], y[1] - h / 3 * slope[1]), y[1]);
    out[1] = hull_of(trmi_interval_hull(slope[0], mean), slope[1]);
    out[2] = trmi_interval_hull(2 * (mean - slope[0]) / h, 2 * (slope[1] - mean) / h);
}
