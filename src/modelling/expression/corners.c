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

int trmi_find_corners(const trmi_interpolant *c, bool all, trmi_corner *out)
{
    const bool linear = c->interpolation == TRMI_INTERPOLATION_LINEAR;
    const bool held = c->beyond == TRMI_BEYOND_HOLD;
    double mean = (c->x[c->count - 1] - c->x[0]) / (c->count - 1);
    double least = all ? 0 : (1 + ROUNDOFF) * mean;
    double slope = held ? 0 : trmi_interpolant_at(c, 1, c->x[0]);
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        bool end = i == 0 || i == c->count - 1;
        double next = trmi_interpolant_at(c, 1, c->x[i]), change = linear ? next - slope : 0;
        double before = i > 0 ? c->x[i] - c->x[i - 1] : HUGE_VAL;
        double behind = i < c->count - 1 ? c->x[i + 1] - c->x[i] : HUGE_VAL;
        double next_but_one = fmax(piece(c, i - 2), piece(c, i + 1));
        bool changes = linear ? change != 0 : !end || held;
        if (changes && fmax(fmax(before, behind), next_but_one) > least)
            out[count++] = (trmi_corner){c->x[i], change, fmax(before, behind)};
        slope = next;
    }
    qsort(out, (size_t)count, sizeof *out, compare_lengths);
    return count;
}
