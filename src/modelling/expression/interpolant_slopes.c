// SPDX-License-Identifier: Apache-2.0
// Slopes m of cubics at their points, with h_i = x_{i+1} - x_i and the secants d_i.
//
// Monotone: the weighted harmonic mean of the neighbouring secants (Fritsch and Carlson), 0 at
// local extremes, so that the curve never overshoots its points.
//
// Spline: second derivatives are continuous,
//
//     h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i d_{i-1} + h_{i-1} d_i),
//
// and at the ends third ones are too at the points next to them ("not a knot"): cubics are exact.
#include "modelling/expression/interpolant_slopes.h"

#include <float.h>
#include <math.h>

static double width(const trmi_interpolant *c, int i)
{
    return c->x[i + 1] - c->x[i];
}

static double secant(const trmi_interpolant *c, int i)
{
    return (c->y[i + 1] - c->y[i]) / width(c, i);
}

// ---- monotone ----

static double harmonic_mean(double h0, double h1, double left, double right)
{
    if (left * right <= 0)
        return 0;
    double a = 2 * h1 + h0, b = h1 + 2 * h0;
    return (a + b) / (a / left + b / right);
}

// the parabola through the last three points, kept from turning round; near, next: from the end on
static double end_slope(double h0, double h1, double near, double next)
{
    double slope = ((2 * h0 + h1) * near - h0 * next) / (h0 + h1);
    if (slope * near <= 0)
        return 0;
    return near * next <= 0 && fabs(slope) > 3 * fabs(near) ? 3 * near : slope;
}

static double monotone_slope(const trmi_interpolant *c, int i)
{
    int last = c->count - 1;
    if (i > 0 && i < last)
        return harmonic_mean(width(c, i - 1), width(c, i), secant(c, i - 1), secant(c, i));
    if (c->beyond == TRMI_BEYOND_REPEAT)
        return harmonic_mean(width(c, last - 1), width(c, 0), secant(c, last - 1), secant(c, 0));
    return i == 0 ? end_slope(width(c, 0), width(c, 1), secant(c, 0), secant(c, 1))
                  : end_slope(width(c, last - 1), width(c, last - 2), secant(c, last - 1),
                              secant(c, last - 2));
}

// ---- spline ----

// Row i of the equations above: coefficients of m_{i-1}, m_i, m_{i+1}, right side.
typedef struct row {
    double low, diagonal, high, right;
} row;

static row smooth_row(double h0, double h1, double d0, double d1)
{
    return (row){h1, 2 * (h0 + h1), h0, 3 * (h1 * d0 + h0 * d1)};
}

// third derivatives of the first two pieces are equal; h0, d0: those of the piece at the end
static row end_row(double h0, double h1, double d0, double d1)
{
    double sum = h0 + h1;
    return (row){0, h1, sum, ((h0 + 2 * sum) * h1 * d0 + h0 * h0 * d1) / sum};
}

static row spline_row(const trmi_interpolant *c, int i)
{
    int last = c->count - 1;
    if (i > 0 && i < last)
        return smooth_row(width(c, i - 1), width(c, i), secant(c, i - 1), secant(c, i));
    if (i == 0)
        return end_row(width(c, 0), width(c, 1), secant(c, 0), secant(c, 1));
    row r =
        end_row(width(c, last - 1), width(c, last - 2), secant(c, last - 1), secant(c, last - 2));
    return (row){r.high, r.diagonal, 0, r.right};
}

// Elimination from the first row down: pivots stay above h_{i-1} + h_i, the last above 0.
static bool spline_slopes(const trmi_interpolant *c, trmi_memory *memory, double *m)
{
    double *ratio; // of m_{i+1} in the equation of m_i
    int n = c->count;
    if (!TRMI_TAKE(memory, ratio, n))
        return false;
    for (int i = 0; i < n; i++) {
        row r = spline_row(c, i);
        double pivot = r.diagonal - (i > 0 ? r.low * ratio[i - 1] : 0);
        ratio[i] = r.high / pivot;
        m[i] = (r.right - (i > 0 ? r.low * m[i - 1] : 0)) / pivot;
    }
    for (int i = n - 2; i >= 0; i--)
        m[i] -= ratio[i] * m[i + 1];
    return true;
}

// A curve that repeats has smooth rows only, which are diagonally dominant by a factor of 2: sweeps
// of Gauss and Seidel halve the error at least, to roundoff in the digits of a double and a few.
static void periodic_slopes(const trmi_interpolant *c, double *m)
{
    int n = c->count - 1;
    for (int sweep = 0; sweep < 2 * DBL_MANT_DIG; sweep++)
        for (int i = 0; i < n; i++) {
            int before = (i + n - 1) % n;
            row r = smooth_row(width(c, before), width(c, i), secant(c, before), secant(c, i));
            m[i] = (r.right - r.low * m[before] - r.high * m[(i + 1) % n]) / r.diagonal;
        }
    m[n] = m[0];
}

// the parabola through three points, the line through two
static void few_slopes(const trmi_interpolant *c, double *m)
{
    double d0 = secant(c, 0), d1 = c->count == 3 ? secant(c, 1) : d0;
    double h0 = width(c, 0), h1 = c->count == 3 ? width(c, 1) : h0;
    double bend = (d1 - d0) / (h0 + h1);
    m[0] = d0 - bend * h0;
    m[1] = d0 + bend * h0;
    if (c->count == 3)
        m[2] = d1 + bend * h1;
}

bool trmi_interpolant_slopes(const trmi_interpolant *c, trmi_memory *memory, double *slope)
{
    bool repeats = c->beyond == TRMI_BEYOND_REPEAT,
         spline = c->interpolation == TRMI_INTERPOLATION_SPLINE;
    if (spline && repeats)
        periodic_slopes(c, slope);
    else if (c->count == 2 || (c->count == 3 && spline))
        few_slopes(c, slope);
    else if (spline)
        return spline_slopes(c, memory, slope);
    else
        for (int i = 0; i < c->count; i++)
            slope[i] = monotone_slope(c, i);
    return true;
}
