// SPDX-License-Identifier: Apache-2.0
// Values of curves. A cubic piece over h from y0 with slope m0 to y1 with slope m1 is Hermite's,
//
//     y = y0 + r (c1 + r (c2 + r c3)),    r = (x - x0)/h,
//     c1 = h m0,  c2 = 3 (y1 - y0) - h (2 m0 + m1),  c3 = 2 (y0 - y1) + h (m0 + m1)
#include "modelling/expression/interpolant.h"

#include "modelling/expression/interpolant_slopes.h"

#include <math.h>

// ---- one piece ----

typedef struct piece {
    double h, y0, c1, c2, c3;
} piece;

static piece piece_of(const trmi_interpolant *c, int i)
{
    double h = c->x[i + 1] - c->x[i], d = c->y[i + 1] - c->y[i];
    if (!c->slope)
        return (piece){.h = h, .y0 = c->y[i], .c1 = d};
    double m0 = c->slope[i], m1 = c->slope[i + 1];
    return (piece){h, c->y[i], h * m0, 3 * d - h * (2 * m0 + m1), h * (m0 + m1) - 2 * d};
}

// the derivative of that order, or the integral from r = 0, at the fraction r
static double piece_at(const piece *p, int order, double r)
{
    switch (order) {
    case TRMI_INTERPOLANT_INTEGRAL:
        return p->h * r * (p->y0 + r * (p->c1 / 2 + r * (p->c2 / 3 + r * p->c3 / 4)));
    case TRMI_INTERPOLANT_VALUE:
        return p->y0 + r * (p->c1 + r * (p->c2 + r * p->c3));
    case 1:
        return (p->c1 + r * (2 * p->c2 + r * 3 * p->c3)) / p->h;
    case 2:
        return (2 * p->c2 + 6 * r * p->c3) / (p->h * p->h);
    case 3:
        return 6 * p->c3 / (p->h * p->h * p->h);
    default:
        return 0;
    }
}

// ---- the whole ----

// the piece that x lies in: the one to the right of a point
static int find_piece(const trmi_interpolant *c, double x)
{
    int low = 0, high = c->count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x < c->x[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

// between the ends; the integral from the first point on
static double inside(const trmi_interpolant *c, int order, double x)
{
    int i = find_piece(c, x);
    const piece p = piece_of(c, i);
    double value = piece_at(&p, order, (x - c->x[i]) / p.h);
    return order == TRMI_INTERPOLANT_INTEGRAL ? c->integral[i] + value : value;
}

static double outside(const trmi_interpolant *c, int order, double x)
{
    int last = c->count - 1, end = x < c->x[0] ? 0 : last;
    double d = x - c->x[end], slope = 0;
    if (c->beyond == TRMI_BEYOND_STRAIGHT)
        slope = inside(c, 1, c->x[end]);
    switch (order) {
    case TRMI_INTERPOLANT_INTEGRAL:
        return c->integral[end] + d * (c->y[end] + slope * d / 2);
    case TRMI_INTERPOLANT_VALUE:
        return c->y[end] + slope * d;
    default:
        return order == 1 ? slope : 0;
    }
}

// the number of whole periods before x
static double turns_before(const trmi_interpolant *c, double x)
{
    return floor((x - c->x[0]) / (c->x[c->count - 1] - c->x[0]));
}

static double repeated(const trmi_interpolant *c, int order, double x)
{
    int last = c->count - 1;
    double turns = turns_before(c, x), rest = x - turns * (c->x[last] - c->x[0]);
    double value = inside(c, order, rest);
    return order == TRMI_INTERPOLANT_INTEGRAL ? value + turns * c->integral[last] : value;
}

// the integral from the first point on
static double at(const trmi_interpolant *c, int order, double x)
{
    if (c->count == 0)
        return 0;
    if (c->beyond == TRMI_BEYOND_REPEAT)
        return repeated(c, order, x);
    return x < c->x[0] || x > c->x[c->count - 1] ? outside(c, order, x) : inside(c, order, x);
}

double trmi_interpolant_at(const trmi_interpolant *c, int order, double x)
{
    double value = at(c, order, x);
    return order == TRMI_INTERPOLANT_INTEGRAL ? value - c->origin : value;
}

void trmi_interpolant_orders(const trmi_interpolant *c, double x, int highest, double *out)
{
    if (c->beyond == TRMI_BEYOND_REPEAT)
        x -= turns_before(c, x) * (c->x[c->count - 1] - c->x[0]);
    if (!(x >= c->x[0] && x <= c->x[c->count - 1])) {
        for (int order = 0; order <= highest; order++)
            out[order] = outside(c, order, x);
        return;
    }
    int i = find_piece(c, x);
    const piece p = piece_of(c, i);
    for (int order = 0; order <= highest; order++)
        out[order] = piece_at(&p, order, (x - c->x[i]) / p.h);
}

int trmi_interpolant_degree(const trmi_interpolant *c)
{
    return c->interpolation == TRMI_INTERPOLATION_LINEAR ? 1 : 3;
}

int trmi_interpolant_smoothness(const trmi_interpolant *c)
{
    static const int smoothness[] = {[TRMI_INTERPOLATION_LINEAR] = 0,
                                     [TRMI_INTERPOLATION_MONOTONE] = 1,
                                     [TRMI_INTERPOLATION_SPLINE] = 2};
    return smoothness[c->interpolation];
}

int trmi_interpolant_next_point(const trmi_interpolant *c, double x)
{
    int i = find_piece(c, x);
    if (x < c->x[0])
        return 0;
    return x < c->x[i + 1] ? i + 1 : i + 2;
}

double trmi_interpolant_next_corner(const trmi_interpolant *c, double from)
{
    if (c->count == 0 || !isfinite(from))
        return HUGE_VAL;
    int last = c->count - 1;
    if (c->beyond != TRMI_BEYOND_REPEAT) {
        int i = trmi_interpolant_next_point(c, from);
        return i <= last ? c->x[i] : HUGE_VAL;
    }
    double period = c->x[last] - c->x[0], shift = turns_before(c, from) * period;
    for (int k = 0; k < 2; k++, shift += period) { // again where roundoff leaves none of the first
        int i = trmi_interpolant_next_point(c, from - shift);
        if (i <= last && c->x[i] + shift > from)
            return c->x[i] + shift;
    }
    return HUGE_VAL; // the period is roundoff there
}

bool trmi_interpolant_create(trmi_interpolant *c, trmi_memory *memory)
{
    double *slope, *integral;
    c->slope = NULL;
    c->origin = 0;
    if (!TRMI_TAKE(memory, integral, c->count))
        return false;
    c->integral = integral;
    if (c->interpolation != TRMI_INTERPOLATION_LINEAR && c->count > 0) {
        if (!TRMI_TAKE(memory, slope, c->count) || !trmi_interpolant_slopes(c, memory, slope))
            return false;
        c->slope = slope;
    }
    for (int i = 0; i + 1 < c->count; i++) {
        const piece p = piece_of(c, i);
        integral[i + 1] = integral[i] + piece_at(&p, TRMI_INTERPOLANT_INTEGRAL, 1);
    }
    c->origin = at(c, TRMI_INTERPOLANT_INTEGRAL, 0);
    return true;
}
