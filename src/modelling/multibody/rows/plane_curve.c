// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/plane_curve.h"

#include <float.h>
#include <math.h>

enum { SAMPLES = TRMI_CURVE_SAMPLES, MAX_ITERATIONS = 60 };

bool trmi_plane_curve_create(trmi_plane_curve *c, trmi_memory *memory, int n, const double *point,
                             bool closed)
{
    int count = n + closed;
    double *s, *x[2], *sample;
    if (!TRMI_TAKE(memory, s, count) || !TRMI_TAKE(memory, x[0], count) ||
        !TRMI_TAKE(memory, x[1], count) ||
        !TRMI_TAKE(memory, sample, 3 * (SAMPLES * (count - 1) + 1)))
        return false;
    for (int i = 0; i < count; i++) {
        const double *p = point + 2 * (i % n), *before = point + 2 * (i > 0 ? i - 1 : 0);
        s[i] = i > 0 ? s[i - 1] + hypot(p[0] - before[0], p[1] - before[1]) : 0;
        x[0][i] = p[0];
        x[1][i] = p[1];
    }
    for (int k = 0; k < 2; k++) {
        c->part[k] =
            (trmi_interpolant){.count = count,
                               .x = s,
                               .y = x[k],
                               .interpolation = TRMI_INTERPOLATION_SPLINE,
                               .beyond = closed ? TRMI_BEYOND_REPEAT : TRMI_BEYOND_STRAIGHT};
        if (!trmi_interpolant_create(&c->part[k], memory))
            return false;
    }
    c->samples = SAMPLES * (count - 1) + 1;
    c->sample = sample;
    for (int i = 0; i < c->samples; i++, sample += 3) {
        int first = i < c->samples - 1 ? i / SAMPLES : count - 2;
        double part = (double)(i - first * SAMPLES) / SAMPLES;
        sample[0] = s[first] + part * (s[first + 1] - s[first]);
        for (int k = 0; k < 2; k++)
            sample[1 + k] = trmi_interpolant_at(&c->part[k], TRMI_INTERPOLANT_VALUE, sample[0]);
    }
    return true;
}

trmi_curve_point trmi_plane_curve_at(const trmi_plane_curve *c, double s)
{
    double x[3], y[3];
    trmi_interpolant_orders(&c->part[0], s, 2, x);
    trmi_interpolant_orders(&c->part[1], s, 2, y);
    double speed = hypot(x[1], y[1]);
    return (trmi_curve_point){.at = {x[0], y[0]},
                              .tangent = {x[1] / speed, y[1] / speed},
                              .speed = speed,
                              .curvature = (x[1] * y[2] - y[1] * x[2]) / (speed * speed * speed)};
}

// how far (x, y) is ahead of the point s, along the tangent there; slope by the arc
static double ahead(const trmi_plane_curve *c, double s, double x, double y, double *slope)
{
    trmi_curve_point p = trmi_plane_curve_at(c, s);
    double dx = x - p.at[0], dy = y - p.at[1];
    double across = p.tangent[0] * dy - p.tangent[1] * dx;
    *slope = p.speed * (p.curvature * across - 1);
    return p.tangent[0] * dx + p.tangent[1] * dy;
}

// between neighbours of the nearest sample: Newton's method, bisection where it leaves these
double trmi_plane_curve_nearest(const trmi_plane_curve *c, double x, double y)
{
    bool closed = c->part[0].beyond == TRMI_BEYOND_REPEAT;
    int last = c->samples - 1, best = 0;
    double least = HUGE_VAL;
    for (int i = 0; i <= last; i++) {
        double dx = x - c->sample[3 * i + 1], dy = y - c->sample[3 * i + 2];
        double square = dx * dx + dy * dy;
        if (square < least) {
            least = square;
            best = i;
        }
    }
    least = sqrt(least);
    double end = c->sample[3 * last], low = c->sample[3 * (best > 0 ? best - 1 : 0)],
           high = c->sample[3 * (best < last ? best + 1 : last)], s = c->sample[3 * best], slope;
    if (best == 0) // before the first sample
        low = closed ? c->sample[3 * (last - 1)] - end : s - least - end;
    if (best == last)
        high = closed ? end + c->sample[3] : s + least + end;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double f = ahead(c, s, x, y, &slope);
        *(f > 0 ? &low : &high) = s;
        double next = slope < 0 ? s - f / slope : HUGE_VAL;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        bool there = fabs(next - s) <= 4 * DBL_EPSILON * (fabs(s) + end);
        s = next;
        if (there)
            break;
    }
    return s;
}

// ---- crossings ----

// Whether two chords between samples, from i and j on, meet, but for roundoff; s there.
static bool chords_meet(const trmi_plane_curve *c, int i, int j, double s[2])
{
    const double *a = c->sample + 3 * i, *b = c->sample + 3 * j;
    double u[2] = {a[4] - a[1], a[5] - a[2]}, v[2] = {b[4] - b[1], b[5] - b[2]},
           d[2] = {b[1] - a[1], b[2] - a[2]};
    double det = u[0] * v[1] - u[1] * v[0];
    double p = (d[0] * v[1] - d[1] * v[0]) / det, q = (d[0] * u[1] - d[1] * u[0]) / det;
    const double slack = 1e-9;
    s[0] = a[0] + p * (a[3] - a[0]);
    s[1] = b[0] + q * (b[3] - b[0]);
    return p >= -slack && p <= 1 + slack && q >= -slack && q <= 1 + slack; // NAN: parallel
}

// Newton's method for x(s_0) = x(s_1) of the splines; false: it leaves the chords or does not end.
static bool splines_meet(const trmi_plane_curve *c, double s[2], double reach, double at[2])
{
    const double from[2] = {s[0], s[1]}, end = c->sample[3 * (c->samples - 1)];
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        trmi_curve_point a = trmi_plane_curve_at(c, s[0]), b = trmi_plane_curve_at(c, s[1]);
        double d[2] = {b.at[0] - a.at[0], b.at[1] - a.at[1]};
        double det = a.tangent[0] * b.tangent[1] - a.tangent[1] * b.tangent[0];
        double p = (d[0] * b.tangent[1] - d[1] * b.tangent[0]) / det / a.speed,
               q = (d[0] * a.tangent[1] - d[1] * a.tangent[0]) / det / b.speed;
        s[0] += p;
        s[1] += q;
        if (!(fabs(s[0] - from[0]) <= reach && fabs(s[1] - from[1]) <= reach))
            return false;
        at[0] = a.at[0];
        at[1] = a.at[1];
        if (fabs(p) + fabs(q) <= 1e-12 * end)
            return true;
    }
    return false;
}

bool trmi_plane_curve_crossing(const trmi_plane_curve *c, int sample[2], double at[2])
{
    bool closed = c->part[0].beyond == TRMI_BEYOND_REPEAT;
    int chords = c->samples - 1;
    double s[2];
    for (int i = 0; i < chords; i++)
        for (int j = i + 2; j < chords - (closed && i == 0); j++) {
            const double *a = c->sample + 3 * i, *b = c->sample + 3 * j;
            double reach = fmax(a[3] - a[0], b[3] - b[0]);
            if (!chords_meet(c, i, j, s) || !splines_meet(c, s, reach, at))
                continue;
            const int first[2] = {i, j};
            for (int k = 0; k < 2; k++) // the next sample, where the crossing is there
                sample[k] = first[k] + (s[k] >= c->sample[3 * (first[k] + 1)] - 1e-9 * reach);
            return true;
        }
    return false;
}
