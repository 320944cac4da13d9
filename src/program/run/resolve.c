// SPDX-License-Identifier: Apache-2.0
// Maxima, minima and integrals of channels over a step, from its dense output. Steps may be long,
// and an output is any formula: a step is halved where five points do not resolve a channel.
#include "program/run/resolve.h"

#include "program/run/lobatto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The bounds of the work. Halving 50 times finds a jump to the last bits of the time. The parts of
// a run are those that a fast output may need, and some in every step.
enum {
    POINTS = TRMI_LOBATTO_POINTS,
    MAX_DEPTH = 50,
    NOISE_DEPTH = 8,
    PARTS = 16384,
    PARTS_OF_STEP = 16
};

// Series that fall by the first from degree n to n + 2 give the places of extrema well enough to
// begin; those that fall by less than the second may do so by accident.
static const double RESOLVED = 0.1, SURE = 0.01;
// What of a tolerance counts: of values, and of the integral of a step for a part of it.
static const double ENOUGH = 0.1, NEGLIGIBLE = 0.01;
// Noise is larger elsewhere by less than this.
static const double NOISE = 10;

typedef struct walk {
    trmi_resolver *state;
    double span;
    bool failed; // a value could not be found
} walk;

// a part of a step: its points, and a row of the recorded channels at each
typedef struct part {
    const struct part *whole; // that it is a half of; NULL: it is the step
    int depth;
    double t[POINTS], *row[POINTS];
} part;

int trmi_resolve_values(int channels)
{
    return (2 + POINTS + 3 * MAX_DEPTH + 1) * channels;
}

static double *size_of(const trmi_resolver *s, int k)
{
    return &s->work[k];
}

static double *floor_of(const trmi_resolver *s, int k)
{
    return &s->work[s->channels + k];
}

static double *row_of(const trmi_resolver *s, int i)
{
    return &s->work[(2 + i) * s->channels];
}

void trmi_resolve_begin(trmi_resolver *s)
{
    s->parts = PARTS;
    s->note[0] = '\0';
    for (int k = 0; s->work && k < s->channels; k++)
        *size_of(s, k) = *floor_of(s, k) = 0;
}

// whether it has had a value so far
static bool is_open(const trmi_resolver *s, int k)
{
    return !isnan(*size_of(s, k));
}

// whether steps are halved for it
static bool is_judged(const trmi_resolver *s, int k)
{
    return is_open(s, k) && !s->channel[k].along;
}

// changes of a channel that are small enough, with the least one that counts
static double tolerance(const walk *w, int k, double least)
{
    return w->state->rtol * *size_of(w->state, k) + least;
}

// a message of the row with at most `size` characters, unless it has one of that item
static void add_note(trmi_resolver *s, size_t size, const char *item, const char *text)
{
    size_t length = strlen(s->note);
    if (!strstr(s->note, item) && length + strlen(text) + 3 < size)
        snprintf(s->note + length, sizeof s->note - length, "%s%s", length > 0 ? "; " : "", text);
}

static void note_value(trmi_resolver *s, int k, double t, double y)
{
    const trmi_resolved *c = &s->channel[k];
    char item[120], text[200];
    snprintf(item, sizeof item, "%s '%.80s'", c->group, c->name);
    snprintf(text, sizeof text, "%s is %s at t = %.9g", item,
             isnan(y) ? "nan"
             : y > 0  ? "inf"
                      : "-inf",
             t);
    add_note(s, sizeof s->note, item, text);
}

static void note_unresolved(trmi_resolver *s, int k, double t, double change)
{
    const trmi_resolved *c = &s->channel[k];
    char item[120], text[300];
    snprintf(item, sizeof item, "%s(%.80s)", c->what, c->name);
    snprintf(
        text, sizeof text,
        "%s is not resolved: near t = %.9g it changes by %.2g within the shortest part of a step "
        "(a jump, a kink, or it is too fast)",
        item, t, change);
    add_note(s, sizeof s->note / 2, item, text); // the rest is for what has no value
}

// takes values at a time into account
static void take(trmi_resolver *s, double t, const double *row)
{
    for (int k = 0; k < s->channels; k++) {
        const trmi_resolved *c = &s->channel[k];
        double *result = &s->result[c->place], sign = c->sign, y = row[k];
        if (!is_open(s, k))
            continue;
        if (!isfinite(y))
            note_value(s, k, t, y);
        if (isnan(y))
            *size_of(s, k) = *result = NAN;
        else if (sign != 0 && (isnan(*result) || sign * y > sign * *result))
            *result = y;
        *size_of(s, k) = fabs(y) > *size_of(s, k) ? fabs(y) : *size_of(s, k);
    }
}

static bool evaluate(walk *w, double t, double *row)
{
    w->failed = !w->state->evaluate(w->state->user, t, row);
    if (!w->failed)
        take(w->state, t, row);
    return !w->failed;
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

// what the polynomial of a part may be off by, where its series falls: of a sine c5 is a fifth of
// it
static double miss_of(const trmi_lobatto *l)
{
    return l->bend * l->decay * sqrt(l->decay);
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
    if (!(miss > miss_of(&l) + tol))
        return false;
    return sign == 0 ? miss * (p->t[4] - p->t[0]) > NEGLIGIBLE * tol * w->span
                     : sign * value + miss > sign * w->state->result[c->place] + tol;
}

// Points of what a part is a half of, of a half of, ... lie between its own: a spike that was seen
// at one must not be lost.
static bool is_against_known(const walk *w, const part *p, int k, double tol)
{
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

// Where to test whether a polynomial that is highest at a point is the function: half way to the
// higher one of its neighbours.
static double find_test(const part *p, const double y[POINTS], double sign)
{
    int top = 0;
    for (int i = 1; i < POINTS; i++)
        top = sign * y[i] > sign * y[top] ? i : top;
    int next =
        top == 0 || (top + 1 < POINTS && sign * y[top + 1] > sign * y[top - 1]) ? top + 1 : top - 1;
    return 0.5 * (p->t[top] + p->t[next]);
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
            t = find_test(p, y, sign);
            expected = trmi_newton_form_value(&form, t);
        } else if (!higher) {
            return true;
        }
        if (!evaluate(w, t, row))
            return false;
        double miss = fabs(sign * row[k] - expected);
        if (tests && miss > miss_of(&l) + enough)
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

static bool must_halve(walk *w, const part *p)
{
    const trmi_resolver *s = w->state;
    for (int k = 0; k < s->channels; k++)
        if (is_judged(s, k) && is_rough(w, p, k, tolerance(w, k, *floor_of(s, k))))
            return true;
    for (int k = 0; k < s->channels && !w->failed; k++)
        if (is_judged(s, k) && is_unresolved(w, p, k, tolerance(w, k, *floor_of(s, k))))
            return true;
    return false;
}

// What is smaller than the absolute tolerance and not resolved in a short part may be roundoff, for
// which no part is halved again.
static void learn_noise(const walk *w, const part *p)
{
    trmi_resolver *s = w->state;
    for (int k = 0; k < s->channels; k++) {
        double y[POINTS], *floor = floor_of(s, k);
        if (!is_judged(s, k) || !is_rough(w, p, k, tolerance(w, k, *floor)))
            continue;
        double bend = judge(p, k, y).bend;
        if (bend < w->state->atol)
            *floor = fmin(w->state->atol, fmax(NOISE * bend, *floor));
    }
}

// The bounds are reached: what is larger than the tolerance is reported.
static void give_up(walk *w, const part *p)
{
    trmi_resolver *s = w->state;
    for (int k = 0; k < s->channels && !w->failed; k++) {
        double y[POINTS];
        if (is_judged(s, k) && is_unresolved(w, p, k, tolerance(w, k, w->state->atol)))
            note_unresolved(s, k, p->t[2], judge(p, k, y).bend);
    }
}

static void add_integrals(const walk *w, const part *p)
{
    const trmi_resolver *s = w->state;
    double y[POINTS], h = p->t[4] - p->t[0];
    for (int k = 0; k < s->channels; k++)
        if (is_open(s, k) && s->channel[k].sign == 0)
            s->result[s->channel[k].place] += h * judge(p, k, y).mean;
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
    for (int i = 1; i + 1 < POINTS; i++) {
        half.row[i] = row_of(w->state, POINTS + 3 * p->depth + i - 1);
        if (!evaluate(w, half.t[i], half.row[i]))
            return false;
    }
    return resolve(w, &half);
}

// NOLINTNEXTLINE(misc-no-recursion): at most MAX_DEPTH deep
static bool resolve(walk *w, const part *p)
{
    bool unresolved = must_halve(w, p);
    bool divisible = p->depth < MAX_DEPTH && w->state->parts > 0 && p->t[1] > p->t[0] &&
                     p->t[2] > p->t[1] && p->t[3] > p->t[2] && p->t[4] > p->t[3];
    if (w->failed)
        return false;
    if (unresolved && p->depth >= NOISE_DEPTH)
        learn_noise(w, p);
    if (unresolved && divisible) {
        w->state->parts -= 2;
        return resolve_half(w, p, 0) && resolve_half(w, p, 2);
    }
    if (unresolved)
        give_up(w, p);
    add_integrals(w, p);
    return !w->failed;
}

bool trmi_resolve_step(trmi_resolver *state, double from, double to)
{
    walk w = {state, to - from, false};
    part whole = {0};
    trmi_lobatto_points(from, to, whole.t);
    for (int i = 0; i < POINTS; i++) {
        whole.row[i] = row_of(state, i);
        if (!evaluate(&w, whole.t[i], whole.row[i]))
            return false;
    }
    state->parts += PARTS_OF_STEP;
    return resolve(&w, &whole);
}
