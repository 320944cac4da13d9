// SPDX-License-Identifier: Apache-2.0
// Maxima, minima and integrals of channels over a step, from its dense output. Steps may be long,
// and an output is any formula: a step is halved where five points do not resolve a channel. The
// halves are only evaluated for channels that need them, and each has halvings of its own: what one
// gets does not depend on the others.
#include "program/run/resolve.h"

#include "program/run/lobatto.h"

#include <float.h>
#include <math.h>

// The bounds of the work for a channel. Halving 50 times finds a jump to the last bits of the time.
// The parts of a run are those that a fast output may need, and some in every step.
enum {
    POINTS = TRMI_LOBATTO_POINTS,
    MAX_DEPTH = 50,
    NOISE_DEPTH = 8,
    PARTS = 16384,
    PARTS_OF_STEP = 16,
    KNOWNS = 32, // points beside breaks in a step
    BREAK_ROUNDINGS = 16
};

// Series that fall by the first from degree n to n + 2 give the places of extrema well enough to
// begin; those that fall by less than the second may do so by accident.
static const double RESOLVED = 0.1, SURE = 0.01;
// What of a tolerance counts: of values, and of the integral of a step for a part of it.
static const double ENOUGH = 0.1, NEGLIGIBLE = 0.01;
// An integral whose tolerance is larger than this part of it has no digit.
static const double DIGIT = 0.5;
// Noise is larger elsewhere by less than this.
static const double NOISE = 10;

// What is kept of a channel: an entry of the work, which has numbers.
typedef struct own {
    double size, floor; // the largest value; changes that may be roundoff
    double parts;       // into which steps may still be halved for it
    // of the last part that was taken into account for it, or one more where that is halved for it:
    // all parts below another one are deeper
    double depth;
    double absolute; // integral of its absolute values
} own;
enum { OWN = sizeof(own) / sizeof(double) };

typedef struct walk {
    trmi_resolver *state;
    double span;
    bool failed; // a value could not be found
    int knowns;  // points beside breaks of the step
    double known[KNOWNS];
} walk;

// a part of a step: its points, and a row of the recorded channels at each
typedef struct part {
    const struct part *whole; // that it is a half of; NULL: it is the step
    int depth;
    double t[POINTS], *row[POINTS];
} part;

int trmi_resolve_values(int channels)
{
    return (OWN + POINTS + 3 * MAX_DEPTH + 1 + KNOWNS) * channels;
}

static own *own_of(const trmi_resolver *s, int k)
{
    return (own *)s->work + k;
}

static double *row_of(const trmi_resolver *s, int i)
{
    return &s->work[(OWN + i) * s->channels];
}

static double *known_row(const trmi_resolver *s, int i)
{
    return row_of(s, POINTS + 3 * MAX_DEPTH + 1 + i);
}

void trmi_resolve_begin(trmi_resolver *s)
{
    s->note[0] = '\0';
    s->time = 0;
    for (int k = 0; s->work && k < s->channels; k++)
        *own_of(s, k) = (own){.parts = PARTS};
}

// whether it has had a value so far
static bool is_open(const trmi_resolver *s, int k)
{
    return !isnan(own_of(s, k)->size);
}

// whether it needs the parts of that depth where the walk is
static bool is_within(const trmi_resolver *s, int k, int depth)
{
    return is_open(s, k) && own_of(s, k)->depth >= depth;
}

// changes of a channel that are small enough, with the least one that counts
static double tolerance(const walk *w, int k, double least)
{
    return w->state->rtol * own_of(w->state, k)->size + least;
}

// takes a value of a channel at a time into account
static void take(trmi_resolver *s, int k, double t, double y)
{
    const trmi_resolved *c = &s->channel[k];
    double *result = &s->result[c->place], *size = &own_of(s, k)->size, sign = c->sign;
    if (!isfinite(y))
        trmi_resolve_note_value(s, k, t, y);
    if (isnan(y))
        *size = *result = NAN;
    else if (sign != 0 && (isnan(*result) || sign * y > sign * *result))
        *result = y;
    *size = fabs(y) > *size ? fabs(y) : *size;
}

static bool evaluate(walk *w, double t, double *row)
{
    w->failed = !w->state->evaluate(w->state->user, t, row);
    return !w->failed;
}

// a point of parts of that depth, for all channels that need them
static bool evaluate_for(walk *w, int depth, double t, double *row)
{
    trmi_resolver *s = w->state;
    if (!evaluate(w, t, row))
        return false;
    for (int k = 0; k < s->channels; k++)
        if (is_within(s, k, depth))
            take(s, k, t, row[k]);
    return true;
}

// the points of a part from `first` to `last`
static bool evaluate_points(walk *w, const part *p, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (!evaluate_for(w, p->depth, p->t[i], p->row[i]))
            return false;
    return true;
}

static trmi_lobatto judge(const part *p, int k, double y[POINTS])
{
    for (int i = 0; i < POINTS; i++)
        y[i] = p->row[i][k];
    return trmi_lobatto_judge(y);
}

// whether a value between the points may exceed the present extremum by more than that
static bool may_exceed(const walk *w, int k, const trmi_lobatto *l, const double y[POINTS],
                       double excess)
{
    const trmi_resolved *c = &w->state->channel[k];
    double sign = c->sign, top = sign * y[0];
    for (int i = 1; i < POINTS; i++)
        top = fmax(top, sign * y[i]);
    // a polynomial is nowhere higher than the higher end of its straight part and the bend, and
    // each end is lower than that by no more than the bend
    return l->bend > excess && top + 2 * l->bend > sign * w->state->result[c->place] + excess;
}

// Whether what is known at a point within the part is not what its own points give.
static bool is_contradicted(const walk *w, const part *p, int k, double tol, double t, double value)
{
    const trmi_resolved *c = &w->state->channel[k];
    double y[POINTS], sign = c->sign;
    const trmi_lobatto l = judge(p, k, y);
    trmi_newton_form form = {0};
    for (int i = 0; i < POINTS; i++)
        trmi_newton_form_add(&form, p->t[i], y[i]);
    double miss = fabs(value - trmi_newton_form_value(&form, t));
    if (!(miss > trmi_lobatto_miss(&l) + tol))
        return false;
    return sign == 0 ? miss * (p->t[4] - p->t[0]) > NEGLIGIBLE * tol * w->span
                     : sign * value + miss > sign * w->state->result[c->place] + tol;
}

// Points of what a part is a half of, of a half of, ... lie between its own: a spike that was seen
// at one must not be lost. Likewise points beside breaks that are known before, as of pulses.
static bool is_against_known(const walk *w, const part *p, int k, double tol)
{
    for (int i = 0; i < w->knowns; i++)
        if (w->known[i] > p->t[0] && w->known[i] < p->t[4] &&
            is_contradicted(w, p, k, tol, w->known[i], known_row(w->state, i)[k]))
            return true;
    for (const part *q = p->whole; q; q = q->whole)
        for (int i = 1; i < POINTS; i += 2)
            if (q->t[i] > p->t[0] && q->t[i] < p->t[4] &&
                is_contradicted(w, p, k, tol, q->t[i], q->row[i][k]))
                return true;
    return false;
}

// Whether a channel is not resolved in a part, with errors up to tol. Parts that are short enough
// may have any error: so beside jumps.
static bool is_rough(const walk *w, const part *p, int k, double tol)
{
    double y[POINTS];
    const trmi_lobatto l = judge(p, k, y);
    if (is_against_known(w, p, k, tol))
        return true;
    if (w->state->channel[k].sign == 0)
        return l.error > ENOUGH * tol && l.error * (p->t[4] - p->t[0]) > NEGLIGIBLE * tol * w->span;
    return l.decay > RESOLVED && may_exceed(w, k, &l, y, tol);
}

// Evaluates the channel where the polynomial through all points so far is highest, until it is
// right there or no higher than a point; false: it does not come to that.
static bool find_top(walk *w, const part *p, int k, double tol)
{
    trmi_resolver *s = w->state;
    const trmi_resolved *c = &s->channel[k];
    const double sign = c->sign, enough = ENOUGH * tol;
    double y[POINTS], top = -INFINITY, *row = row_of(s, POINTS + 3 * MAX_DEPTH);
    const trmi_lobatto l = judge(p, k, y);
    trmi_newton_form form = {0};
    if (!may_exceed(w, k, &l, y, enough))
        return true;
    for (int i = 0; i < POINTS; i++) {
        trmi_newton_form_add(&form, p->t[i], sign * y[i]);
        top = fmax(top, sign * y[i]);
    }
    for (int i = 0; i < TRMI_LOBATTO_MORE; i++) {
        double t = trmi_newton_form_top(&form, p->t[0], p->t[4]);
        double expected = trmi_newton_form_value(&form, t);
        bool higher = expected > top + enough, tests = !higher && i == 0 && l.decay > SURE;
        if (tests) {
            t = trmi_lobatto_test(p->t, y, sign);
            expected = trmi_newton_form_value(&form, t);
        } else if (!higher) {
            return true;
        }
        if (!evaluate(w, t, row))
            return false;
        take(s, k, t, row[k]);
        double miss = fabs(sign * row[k] - expected);
        if (tests && miss > trmi_lobatto_miss(&l) + enough)
            return false;
        if (!(miss > enough)) // or there is no value
            return true;
        trmi_newton_form_add(&form, t, sign * row[k]);
        top = fmax(top, sign * row[k]);
    }
    return false;
}

// whether a part must be halved for a channel: first what takes no evaluation
static bool is_unresolved(walk *w, const part *p, int k, double tol)
{
    bool extreme = w->state->channel[k].sign != 0;
    return is_rough(w, p, k, tol) || (extreme && !find_top(w, p, k, tol));
}

// What is smaller than the absolute tolerance and not resolved in a short part may be roundoff, for
// which no part is halved again.
static void learn_noise(const walk *w, const part *p, int k)
{
    double y[POINTS], *floor = &own_of(w->state, k)->floor, atol = w->state->atol;
    if (p->depth < NOISE_DEPTH || !is_rough(w, p, k, tolerance(w, k, *floor)))
        return;
    double bend = judge(p, k, y).bend;
    if (bend < atol)
        *floor = fmin(atol, fmax(NOISE * bend, *floor));
}

static bool is_divisible(const part *p)
{
    return p->depth < MAX_DEPTH && p->t[1] > p->t[0] && p->t[2] > p->t[1] && p->t[3] > p->t[2] &&
           p->t[4] > p->t[3];
}

// Whether a part is to be halved for a channel. Where the bounds are reached, what is larger than
// the tolerance is reported.
static bool must_halve(walk *w, const part *p, int k)
{
    trmi_resolver *s = w->state;
    double y[POINTS], *parts = &own_of(s, k)->parts;
    if (!is_unresolved(w, p, k, tolerance(w, k, own_of(s, k)->floor)) || w->failed)
        return false;
    if (is_open(s, k)) // it was at the points, but may have had no value between them
        learn_noise(w, p, k);
    if (is_open(s, k) && is_divisible(p) && *parts > 0) {
        *parts -= 2;
        return true;
    }
    if (is_open(s, k) && is_unresolved(w, p, k, tolerance(w, k, s->atol)))
        trmi_resolve_note_rough(s, k, p->t[2], judge(p, k, y).bend);
    return false;
}

// a channel for which a part is not halved
static void add_integral(const walk *w, const part *p, int k)
{
    const trmi_resolver *s = w->state;
    double y[POINTS], h = p->t[4] - p->t[0];
    if (!is_open(s, k) || s->channel[k].sign != 0)
        return;
    s->result[s->channel[k].place] += h * judge(p, k, y).mean;
    for (int i = 0; i < POINTS; i++)
        y[i] = fabs(y[i]);
    own_of(s, k)->absolute += h * trmi_lobatto_judge(y).mean;
}

// Finds for which channels a part is halved; the others are done with it. Whether there are any.
static bool divide(walk *w, const part *p)
{
    const trmi_resolver *s = w->state;
    bool any = false;
    for (int along = 0; along < 2; along++) // those that follow others at last
        for (int k = 0; k < s->channels && !w->failed; k++) {
            if (s->channel[k].along != along || !is_within(s, k, p->depth))
                continue;
            bool halved = along ? any : must_halve(w, p, k);
            own_of(s, k)->depth = p->depth + halved;
            if (!halved)
                add_integral(w, p, k);
            any = any || halved;
        }
    return any;
}

static bool resolve(walk *w, const part *p);

// one half of a part, from its point `first` to the next but one
// NOLINTNEXTLINE(misc-no-recursion): at most MAX_DEPTH deep
static bool resolve_half(walk *w, const part *p, int first)
{
    part half = {.whole = p, .depth = p->depth + 1};
    trmi_lobatto_points(p->t[first], p->t[first + 2], half.t);
    half.row[0] = p->row[first];
    half.row[4] = p->row[first + 2];
    for (int i = 1; i + 1 < POINTS; i++)
        half.row[i] = row_of(w->state, POINTS + 3 * p->depth + i - 1);
    return evaluate_points(w, &half, 1, POINTS - 2) && resolve(w, &half);
}

// NOLINTNEXTLINE(misc-no-recursion): at most MAX_DEPTH deep
static bool resolve(walk *w, const part *p)
{
    if (!divide(w, p) || w->failed)
        return !w->failed;
    return resolve_half(w, p, 0) && resolve_half(w, p, 2);
}

// Both sides of the first breaks of a step become known. The roundoff of a formula may place its
// break BREAK_ROUNDINGS away from where it should be.
static bool evaluate_breaks(walk *w, double from, double to)
{
    trmi_resolver *s = w->state;
    const double apart = BREAK_ROUNDINGS * DBL_EPSILON * fmax(fmax(fabs(from), fabs(to)), w->span);
    double after = from;
    while (s->next_break && w->knowns < KNOWNS) {
        double at = s->next_break(s->user, after, to);
        if (!(at > after && at < to))
            return true;
        after = at + apart;
        for (int side = -1; side <= 1; side += 2) {
            double t = fmin(fmax(at + side * apart, from), to), *row = known_row(s, w->knowns);
            if (!evaluate_for(w, 0, t, row))
                return false;
            w->known[w->knowns++] = t;
        }
    }
    return true;
}

bool trmi_resolve_step(trmi_resolver *state, double from, double to)
{
    walk w = {.state = state, .span = to - from};
    state->time += w.span;
    part whole = {0};
    trmi_lobatto_points(from, to, whole.t);
    for (int i = 0; i < POINTS; i++)
        whole.row[i] = row_of(state, i);
    for (int k = 0; k < state->channels; k++) {
        own_of(state, k)->parts += PARTS_OF_STEP;
        own_of(state, k)->depth = 0;
    }
    return evaluate_points(&w, &whole, 0, POINTS - 1) && evaluate_breaks(&w, from, to) &&
           resolve(&w, &whole);
}

// Beside a pole values grow as the parts become shorter, and what is negligible grows with them: in
// the end the tolerance of the integral, rtol max|y| T, is not small against that of |y|.
void trmi_resolve_end(trmi_resolver *s)
{
    for (int k = 0; s->work && k < s->channels; k++) {
        const own *o = own_of(s, k);
        if (s->channel[k].sign == 0 && !s->channel[k].along && isfinite(o->size) &&
            s->rtol * o->size * s->time > DIGIT * o->absolute)
            trmi_resolve_note_pole(s, k, o->size);
    }
}
