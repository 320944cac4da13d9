// SPDX-License-Identifier: Apache-2.0
// Slopes by the weighted harmonic mean of the neighbouring secants (Fritsch and Carlson): 0 at
// local extremes, so that the curve never overshoots its points.
#include "modelling/multibody/spline.h"

#include <math.h>

static double secant(const trmi_spline *s, int i)
{
    return (s->y[i + 1] - s->y[i]) / (s->x[i + 1] - s->x[i]);
}

static double inner_slope(const trmi_spline *s, int i)
{
    double left = secant(s, i - 1), right = secant(s, i);
    double h0 = s->x[i] - s->x[i - 1], h1 = s->x[i + 1] - s->x[i];
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

static double slope_at(const trmi_spline *s, int i)
{
    int last = s->count - 1;
    if (s->count == 2)
        return secant(s, 0);
    if (i == 0)
        return end_slope(s->x[1] - s->x[0], s->x[2] - s->x[1], secant(s, 0), secant(s, 1));
    if (i == last)
        return end_slope(s->x[last] - s->x[last - 1], s->x[last - 1] - s->x[last - 2],
                         secant(s, last - 1), secant(s, last - 2));
    return inner_slope(s, i);
}

// Hermite's cubic over h from y0 with slopes m0, m1 to y1, at the fraction r; integral from r = 0
static void cubic(double h, double y0, double y1, double m0, double m1, double r, double out[3])
{
    double c1 = h * m0, c2 = 3 * (y1 - y0) - h * (2 * m0 + m1), c3 = 2 * (y0 - y1) + h * (m0 + m1);
    out[0] = y0 + r * (c1 + r * (c2 + r * c3));
    out[1] = (c1 + r * (2 * c2 + r * 3 * c3)) / h;
    out[2] = h * r * (y0 + r * (c1 / 2 + r * (c2 / 3 + r * c3 / 4)));
}

// value, slope, integral from the first point on
static void at(const trmi_spline *s, double x, double out[3])
{
    int low = 0, high = s->count - 1;
    if (x < s->x[0] || x > s->x[high]) {
        int end = x < s->x[0] ? 0 : high;
        double d = x - s->x[end];
        out[0] = s->y[end] + s->slope[end] * d;
        out[1] = s->slope[end];
        out[2] = s->integral[end] + d * (s->y[end] + s->slope[end] * d / 2);
        return;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x < s->x[middle])
            high = middle;
        else
            low = middle;
    }
    double h = s->x[high] - s->x[low];
    cubic(h, s->y[low], s->y[high], s->slope[low], s->slope[high], (x - s->x[low]) / h, out);
    out[2] += s->integral[low];
}

bool trmi_spline_create(trmi_spline *s, trmi_memory *memory, const trmi_spline_curve *curve)
{
    double *slope, *integral, piece[3];
    *s = (trmi_spline){.count = curve->count, .x = curve->x, .y = curve->y};
    if (!TRMI_TAKE(memory, slope, s->count) || !TRMI_TAKE(memory, integral, s->count))
        return false;
    for (int i = 0; i < s->count; i++)
        slope[i] = slope_at(s, i);
    for (int i = 1; i < s->count; i++) {
        cubic(s->x[i] - s->x[i - 1], s->y[i - 1], s->y[i], slope[i - 1], slope[i], 1, piece);
        integral[i] = integral[i - 1] + piece[2];
    }
    s->slope = slope;
    s->integral = integral;
    return true;
}

void trmi_spline_at(const trmi_spline *s, double x, double *value, double *slope, double *integral)
{
    double here[3] = {0, 0, 0}, origin[3] = {0, 0, 0};
    if (s->count > 0) {
        at(s, x, here);
        at(s, 0, origin);
    }
    *value = here[0];
    *slope = here[1];
    *integral = here[2] - origin[2];
}
