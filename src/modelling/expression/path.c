// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/path.h"

#include <math.h>

// Six points of Gauss on stretches over which the path turns by at most this angle: the error is
// that of the twelfth derivative, below 1e-19 of the length.
static const double MAX_TURN = 0.5;

static double heading(const trmi_interpolant *c, double s)
{
    return trmi_interpolant_at(c, TRMI_INTERPOLANT_INTEGRAL, s);
}

// int_a^b of cos(psi - psi_0) and of sin over a stretch without points of the curve
static trmi_path_place integrate(const trmi_interpolant *c, double psi_0, double a, double b)
{
    static const double node[3] = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
    static const double weight[3] = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
    trmi_path_place sum = {0, 0};
    double middle = 0.5 * (a + b), bent = 0;
    const double s[3] = {a, middle, b};
    for (int i = 0; i < 3; i++)
        bent = fmax(bent, fabs(trmi_interpolant_at(c, TRMI_INTERPOLANT_VALUE, s[i])));
    double parts = fmin(1 + floor(bent * fabs(b - a) / MAX_TURN), 1e6), h = (b - a) / parts;
    for (double k = 0; k < parts; k++)
        for (int i = 0; i < 6; i++) {
            double r = i % 2 ? node[i / 2] : -node[i / 2];
            double psi = heading(c, a + h * (k + 0.5 + 0.5 * r)) - psi_0;
            sum.x += 0.5 * h * weight[i / 2] * cos(psi);
            sum.y += 0.5 * h * weight[i / 2] * sin(psi);
        }
    return sum;
}

static void add(trmi_path_place *sum, double sign, trmi_path_place more)
{
    sum->x += sign * more.x;
    sum->y += sign * more.y;
}

// the last point of the curve at or before s; the first one where there is none
static int point_before(const trmi_interpolant *c, double s)
{
    int low = 0, high = c->count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (s < c->x[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

// from point i to point j, i <= j, in axes with heading psi_0
static trmi_path_place between_points(const trmi_interpolant *c, double psi_0, int i, int j)
{
    trmi_path_place sum = {0, 0};
    if (!c->path) {
        for (int k = i; k < j; k++)
            add(&sum, 1, integrate(c, psi_0, c->x[k], c->x[k + 1]));
        return sum;
    }
    double X = c->path[2 * j] - c->path[2 * i], Y = c->path[2 * j + 1] - c->path[2 * i + 1];
    double cosine = cos(psi_0), sine = sin(psi_0);
    return (trmi_path_place){cosine * X + sine * Y, cosine * Y - sine * X};
}

trmi_path_place trmi_path_between(const trmi_interpolant *c, double from, double to)
{
    double psi_0 = heading(c, from), a = fmin(from, to), b = fmax(from, to);
    trmi_path_place sum = {0, 0};
    if (!(isfinite(a) && isfinite(b)))
        return (trmi_path_place){NAN, NAN};
    int i = point_before(c, a) + (a >= c->x[0]), j = point_before(c, b); // the points in between
    if (i > j || b < c->x[0]) {
        sum = integrate(c, psi_0, a, b);
    } else {
        sum = integrate(c, psi_0, a, c->x[i]);
        add(&sum, 1, between_points(c, psi_0, i, j));
        add(&sum, 1, integrate(c, psi_0, c->x[j], b));
    }
    double sign = from <= to ? 1 : -1;
    return (trmi_path_place){sign * sum.x, sign * sum.y};
}

bool trmi_path_create(trmi_interpolant *c, trmi_memory *memory)
{
    double *path;
    if (c->count == 0)
        return true;
    if (!TRMI_TAKE(memory, path, 2 * c->count))
        return false;
    for (int i = 0; i + 1 < c->count; i++) {
        const trmi_path_place step = integrate(c, 0, c->x[i], c->x[i + 1]);
        path[2 * i + 2] = path[2 * i] + step.x;
        path[2 * i + 3] = path[2 * i + 1] + step.y;
    }
    c->path = path;
    return true;
}
