// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/corners.h"

#include <math.h>
#include <stdlib.h>

// pieces that are equal but for roundoff are not longer than their mean
static const double ROUNDOFF = 1e-6;

static int compare_lengths(const void *a, const void *b)
{
    const trmi_corner *x = a, *y = b;
    return x->length != y->length ? (x->length < y->length ? 1 : -1)
                                  : (x->x > y->x) - (x->x < y->x);
}

// the length of a piece of a curve, 0 beyond its ends
static double piece(const trmi_interpolant *c, int i)
{
    return i >= 0 && i < c->count - 1 ? c->x[i + 1] - c->x[i] : 0;
}

// the longest piece near point i, beyond an end without end, and so is what lies beside the point
static double longest_near(const trmi_interpolant *c, int i, double *beside)
{
    double before = i > 0 ? c->x[i] - c->x[i - 1] : HUGE_VAL;
    double behind = i < c->count - 1 ? c->x[i + 1] - c->x[i] : HUGE_VAL;
    *beside = fmax(before, behind);
    return fmax(*beside, fmax(piece(c, i - 2), piece(c, i + 1)));
}

// what is longer than a piece of the mean length
static double more_than_mean(const trmi_interpolant *c)
{
    return (1 + ROUNDOFF) * (c->x[c->count - 1] - c->x[0]) / (c->count - 1);
}

double trmi_next_sudden_point(const trmi_interpolant *c, double from)
{
    if (c->count < 2 || c->beyond == TRMI_BEYOND_REPEAT)
        return HUGE_VAL;
    const double least = more_than_mean(c);
    const int first = trmi_interpolant_next_point(c, from);
    for (int i = first > 1 ? first : 1; i < c->count - 1; i++) { // nothing is short at the ends
        double beside;
        if (longest_near(c, i, &beside) > least)
            return c->x[i];
    }
    return HUGE_VAL;
}

int trmi_find_corners(const trmi_interpolant *c, bool all, trmi_corner *out)
{
    const bool linear = c->interpolation == TRMI_INTERPOLATION_LINEAR;
    const bool held = c->beyond == TRMI_BEYOND_HOLD;
    double least = all ? 0 : more_than_mean(c), beside;
    double slope = held ? 0 : trmi_interpolant_at(c, 1, c->x[0]);
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        bool end = i == 0 || i == c->count - 1;
        double next = trmi_interpolant_at(c, 1, c->x[i]), change = linear ? next - slope : 0;
        bool changes = linear ? change != 0 : !end || held;
        if (changes && longest_near(c, i, &beside) > least)
            out[count++] = (trmi_corner){c->x[i], change, beside};
        slope = next;
    }
    qsort(out, (size_t)count, sizeof *out, compare_lengths);
    return count;
}
