// SPDX-License-Identifier: Apache-2.0
#include "solver/system/check_steps.h"

#include <float.h>
#include <math.h>

// steps 4^-3 = 0.016 to 4^-26 = eps of the size of a variable; the usual one is about 4^-9
enum { COARSEST = 3, FINEST = 26 };

// The estimates of an entry that disagrees.
typedef struct trail {
    int entry, row, column;
    double last;           // D of the step before
    double estimate[2];    // of the two steps before
    double best, doubt;    // the surest one
    double doubt_of_finer; // the largest one since then
    bool confirmed;        // a sure one is as supplied
} trail;

typedef struct trails {
    trail *of;
    int count;
    double equal; // a disagreement that does not count
} trails;

// D of the next step, and what roundoff makes of it
static void follow(trail *t, double difference, double roundoff, double supplied, double equal)
{
    double estimate = difference + (difference - t->last) / 15;
    double doubt =
        4 * (fabs(estimate - t->estimate[0]) + fabs(estimate - t->estimate[1])) + roundoff;
    t->last = difference;
    t->estimate[1] = t->estimate[0];
    t->estimate[0] = estimate;
    if (t->confirmed)
        return;
    // no change at all: also what is lost in roundoff
    if (difference == 0 && isfinite(t->doubt))
        doubt += fabs(t->best);
    // finer steps see what coarser ones jump over
    if (doubt < t->doubt || fabs(estimate - t->best) > doubt + t->doubt) {
        t->best = estimate;
        t->doubt = t->doubt_of_finer = doubt;
    } else if (roundoff <= equal) {
        t->doubt_of_finer = fmax(t->doubt_of_finer, doubt);
    }
    t->confirmed = doubt <= equal && fabs(estimate - supplied) <= equal;
}

// eps (|f| + |w D|)/h, also with the D that is supplied
static double roundoff_of(const trail *t, const trmi_evaluator *bare, trm_quantity quantity,
                          double difference, double supplied)
{
    const trmi_difference_work *w = &bare->work[0];
    int row = trmi_difference_first_row(bare, quantity) + t->row;
    double f = fmax(fabs(w->plus[row]), fabs(w->minus[row]));
    double slope = fmax(fabs(difference), fabs(supplied));
    return DBL_EPSILON * (f + fabs(w->middle[t->column]) * slope) / fabs(w->width[t->column]);
}

static bool begin(trails *all, trmi_memory *memory, const trmi_comparison *c, double tolerance)
{
    trmi_comparison own = *c;
    own.difference = own.supplied; // differences may be wrong by much
    all->equal = tolerance * trmi_check_size(&own);
    if (!TRMI_TAKE(memory, all->of, c->count))
        return false;
    const trm_pattern none = {0};
    trmi_cursor at = trmi_pattern_begin(c->pattern ? c->pattern : &none);
    for (int k = 0; k < c->count; k++) {
        int row = c->pattern ? at.row : k % c->rows, column = c->pattern ? at.column : k / c->rows;
        if (!(fabs(c->supplied[k] - c->difference[k]) <= all->equal))
            all->of[all->count++] =
                (trail){k, row, column, NAN, {NAN, NAN}, NAN, INFINITY, INFINITY, false};
        if (c->pattern)
            trmi_pattern_next(&at);
    }
    return true;
}

// false: every entry is confirmed
static bool follow_all(const trails *all, const trmi_evaluator *bare, trm_quantity quantity,
                       const double *difference, const trmi_comparison *c)
{
    bool open = false;
    for (int i = 0; i < all->count; i++) {
        trail *t = &all->of[i];
        double d = difference[t->entry], supplied = c->supplied[t->entry];
        follow(t, d, roundoff_of(t, bare, quantity, d, supplied), supplied, all->equal);
        open = open || !t->confirmed;
    }
    return open;
}

// Where no digit is known, what finer steps do not know counts. Where there is no estimate, the
// difference is not known.
static void conclude(const trails *all, const trmi_comparison *c)
{
    for (int i = 0; i < all->count; i++) {
        const trail *t = &all->of[i];
        if (isfinite(t->doubt))
            c->difference[t->entry] = t->best;
        c->doubt[t->entry] = t->doubt < fabs(t->best) ? t->doubt : t->doubt_of_finer;
    }
}

bool trmi_check_steps(trmi_evaluator *bare, const trmi_point *p, trm_quantity quantity,
                      double tolerance, trmi_values *differences, trmi_memory *memory,
                      trmi_comparison *c)
{
    trails all = {0};
    double *difference;
    if (!begin(&all, memory, c, tolerance) || !TRMI_TAKE(memory, difference, c->count) ||
        !TRMI_TAKE(memory, c->doubt, c->count))
        return false;
    bool open = true;
    for (int level = COARSEST; level <= FINEST && open; level++) {
        bare->step = ldexp(1, -2 * level);
        int result =
            trmi_difference(bare, p, TRM_BIT_OF(quantity), true, differences, differences->of);
        trmi_check_spread(c, differences, quantity, difference);
        for (int k = 0; k < c->count && result != 0; k++)
            difference[k] = NAN; // not defined so far away
        open = follow_all(&all, bare, quantity, difference, c);
    }
    bare->step = 0;
    conclude(&all, c);
    return true;
}
