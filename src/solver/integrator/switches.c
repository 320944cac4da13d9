// SPDX-License-Identifier: Apache-2.0
// One-sided forces. A force that begins to act inside a step is what error estimates see least: a
// whole contact may fit between two stages. So a step that begins with an open gap keeps it open:
// the system leaves the force out (the lock of the gap), which makes the step smooth, and
// the step must end before the gap closes:
//
//     before   h <= the first t with gap + gap' t + gap'' t^2/2 = 0
//     after    if the cubic through (gap, gap') at both ends closes earlier, once more up to there
//
// The force begins with the next step, which must be short against the time it needs to turn the
// motion around: with gap''(h) from the accelerations at q + h v + h^2 a/2,
//
//     h |gap''(h) - gap''| <= RESOLVED |gap'|    (or less: resolved_part)
//
// How long that step was is remembered: while steps are no longer than that, nothing need be done
// about the gap. So contacts that chatter, or close while others are being resolved, cost nothing.
// Of two gaps that close soon one after the other each is landed on if the second one ends what the
// first one begins (bumps.c). Steps end where gaps open as well, for the sake of methods of high
// order.
#include "solver/integrator/switches.h"

#include "base/error.h"
#include "solver/integrator/output.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step.h"

#include <math.h>
#include <string.h>

// part of gap' that the first step may change (measured, a ball that bounces: with 0.1 the explicit
// method gains six times as much energy, with 0.01 nothing is won)
static const double RESOLVED = 0.03;
// For methods without a past, whose steps grow fast, at most so many relative tolerances: a step
// with the kink inside is off by half a percent of what the force changes in it, and no estimate
// sees that (measured: explicit, k d^1.5, kink at 10 to 50 percent of the step).
static const double RESOLVED_TOLERANCES = 300, MIN_RESOLVED = 1e-7;
// a gap that closes within this part of the last step is closed; a step ends half of it before
static const double NEAR = 1e-3;
// or, for methods without a past, within this part of a step that resolves its closing, if the
// difference of the times is not roundoff
static const double NEAR_BRIEF = 0.3, MIN_CLOSED = 1e-14;
// how far it may close in a step that keeps it open, in absolute tolerances
static const double PASSABLE = 1e-3;
// a gap that opens this part of a step from one of its ends opens there
static const double AT_END = 0.01;
enum { MAX_REPEATS = 8, MAX_PROBES = 40 };
// a probe changes the step at most by these, and by this power of what is too much (1/(1 + n) for a
// force k d^n)
static const double MIN_SHRINK = 0.9, MAX_SHRINK = 0.1, POWER = -0.4;

// ---- memory ----

trm_status trmi_switches_create(trm_simulation *s)
{
    trmi_switches *w = &s->switches;
    trmi_memory *m = &s->memory;
    int n = s->e.user.n_switches;
    if (n == 0 || !s->rule->adapts || s->method->unwatched)
        return TRM_OK;
    if (!TRMI_TAKE(m, w->gap, n) || !TRMI_TAKE(m, w->rate, n) || !TRMI_TAKE(m, w->second, n) ||
        !TRMI_TAKE(m, w->gap_end, n) || !TRMI_TAKE(m, w->rate_end, n) ||
        !TRMI_TAKE(m, w->second_end, n) || !TRMI_TAKE(m, w->closed, n) ||
        !TRMI_TAKE(m, w->closing, n) || !TRMI_TAKE(m, w->brief, n) || !TRMI_TAKE(m, w->depth, n) ||
        !trmi_bumps_create(s))
        return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for one-sided forces");
    w->count = n;
    return trmi_sampler_create(s); // probes have its point and its matrix
}

static double *lock_of(trm_simulation *s, int i)
{
    return &s->e.held[s->e.user.first_lock + i];
}

void trmi_switches_reset(trm_simulation *s)
{
    for (int i = 0; i < s->switches.count; i++) {
        s->switches.closed[i] = false;
        *lock_of(s, i) = 0;
    }
}

void trmi_switches_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_switches *w = &s->switches;
    for (int i = 0; i < w->count; i++)
        trmi_archive_bool(a, &w->closed[i]);
    trmi_archive_doubles(a, w->brief, w->count);
    trmi_archive_doubles(a, w->depth, w->count);
}

// ---- gaps ----

static int evaluate_gaps(trm_simulation *s, trmi_values *values, const trmi_point *p,
                         const double *a, double *gap, double *rate, double *second)
{
    trmi_evaluator *e = &s->e;
    int result = trmi_evaluate(e, p, 0, values); // the excitations
    const double *lambda = trmi_all_multipliers(s, p->lambda);
    const trm_state state = {p->t, p->q, p->v, a, p->x, p->z, lambda, values->input, e->held};
    return result != 0 ? result : e->user.switches(&state, gap, rate, second, e->user.user);
}

static trm_status evaluate_newest_gaps(trm_simulation *s)
{
    trmi_switches *w = &s->switches;
    const trmi_point p = trmi_past_point(s, 0);
    int result = evaluate_gaps(s, &s->values, &p, s->now.a, w->gap, w->rate, w->second);
    if (result == 0)
        return TRM_OK;
    trmi_error_clear(&s->error);
    s->error.t = p.t;
    trmi_error_advise(&s->error, "the gaps must have values wherever the motion leads");
    return trmi_error_set(&s->error, TRM_ERR_CALLBACK,
                          "the callback of the gaps returned %d at t = %.9g", result, p.t);
}

bool trmi_switch_ahead(trm_simulation *s, double t_end)
{
    trmi_switches *w = &s->switches;
    if (w->count == 0 || evaluate_newest_gaps(s) != TRM_OK)
        return w->count > 0;
    for (int i = 0; i < w->count; i++) {
        double t = trmi_gap_closes(w->gap[i], w->rate[i], w->second[i]);
        if (!w->closed[i] && t < t_end - s->history.t[0])
            return true;
    }
    return false;
}

// |gap'| where it closes
static double closing_speed(const trmi_switches *w, int i)
{
    double gap = fmax(w->gap[i], 0);
    return sqrt(fmax(w->rate[i] * w->rate[i] - 2 * w->second[i] * gap, 0));
}

// ---- the step after a gap has closed ----

// The gaps at q + h v + h^2 a/2, with the accelerations there, into gap_end, rate_end, second_end.
static bool probe_gaps(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_switches *w = &s->switches;
    const trmi_point from = trmi_past_point(s, 0);
    trmi_point *p = &s->sampler->point;
    trm_error error;
    trmi_error_clear(&error);
    p->t = from.t + h;
    for (int i = 0; i < e->n_q; i++) {
        p->q[i] = from.q[i] + h * (from.v[i] + 0.5 * h * s->now.a[i]);
        p->v[i] = from.v[i] + h * s->now.a[i];
    }
    memcpy(p->x, from.x, (size_t)e->n_x * sizeof *p->x);
    memcpy(p->z, from.z, (size_t)e->n_z * sizeof *p->z);
    memcpy(p->lambda, from.lambda, (size_t)e->n_r * sizeof *p->lambda);
    const trmi_manifold manifold = {.saddle = &s->sampler->saddle, .scratch = &s->scratch};
    return trmi_accelerations(&manifold, p, &error) == TRM_OK &&
           evaluate_gaps(s, &s->sampler->values, p, p->a, w->gap_end, w->rate_end, w->second_end) ==
               0;
}

// Whether the past points go on through a closing. Sensitivities may jump there: they begin again.
static bool keeps_past(const trm_simulation *s)
{
    return s->method->multistep && !s->sensitivity;
}

static double resolved_part(const trm_simulation *s)
{
    if (keeps_past(s))
        return RESOLVED;
    return fmin(RESOLVED, fmax(RESOLVED_TOLERANCES * s->options.rtol, MIN_RESOLVED));
}

// How much a time h is too long for gap i to be closed in a step, by the last probe.
static double excess_of(const trm_simulation *s, int i, double h)
{
    const trmi_switches *w = &s->switches;
    double change = h * fabs(w->second_end[i] - w->second[i]);
    double motion = fabs(w->rate[i]) + h * fabs(w->second[i]);
    return change / (resolved_part(s) * motion + s->options.atol);
}

static double find_excess(const trm_simulation *s, double h)
{
    double worst = 0;
    for (int i = 0; i < s->switches.count; i++)
        if (s->switches.closing[i])
            worst = fmax(worst, excess_of(s, i, h));
    return worst;
}

static void remember_resolved(trmi_switches *w, int i, double h)
{
    w->brief[i] = h;
    w->depth[i] = h * closing_speed(w, i);
}

// The longest step up to h that resolves the forces of the gaps that have just closed.
static double find_resolved_step(trm_simulation *s, double h)
{
    trmi_switches *w = &s->switches;
    trmi_sampler_reset(s);
    for (int i = 0; i < MAX_PROBES; i++) {
        double excess = probe_gaps(s, h) ? find_excess(s, h) : HUGE_VAL;
        if (excess <= 1)
            break;
        h *= fmax(MAX_SHRINK, fmin(MIN_SHRINK, pow(excess, POWER)));
    }
    for (int i = 0; i < w->count; i++)
        if (w->closing[i])
            remember_resolved(w, i, h);
    return h;
}

// ---- steps ----

// Whether steps of length h resolve whatever begins when gap i closes: they did, and the way of the
// gap in a step is not longer than it was then. Not for sensitivities, which are not in any test.
static bool is_resolved(const trm_simulation *s, int i, double h)
{
    const trmi_switches *w = &s->switches;
    return !s->sensitivity && w->bumps.width[i] == HUGE_VAL && h <= w->brief[i] &&
           h * closing_speed(w, i) <= w->depth[i];
}

// Whether closing gaps close at different times, so that one may take back what another one does,
// as the ends of a short bump: behind all of them nothing may be left to be seen.
static bool close_apart(const trm_simulation *s, double h)
{
    const trmi_switches *w = &s->switches;
    double first = HUGE_VAL, last = 0;
    for (int i = 0; i < w->count; i++)
        if (w->closing[i]) {
            double t = trmi_gap_closes(w->gap[i], w->rate[i], w->second[i]);
            first = fmin(first, t);
            last = fmax(last, t);
        }
    return last > first + NEAR * NEAR * h;
}

// Before gaps are landed on that would close in a step of length h: what they would do in a longer
// step is estimated. By a force k d^n, n >= 1, the excess grows with the time in which they are
// closed at least as its square.
static void estimate_landings(trm_simulation *s, double h)
{
    trmi_switches *w = &s->switches;
    const double least = close_apart(s, h) ? 1 : 0;
    for (int i = 0; i < w->count; i++)
        *lock_of(s, i) *= !w->closing[i];
    trmi_sampler_reset(s);
    bool good = probe_gaps(s, 2 * h);
    for (int i = 0; i < w->count && good; i++) {
        double closed = 2 * h - trmi_gap_closes(w->gap[i], w->rate[i], w->second[i]);
        double excess = excess_of(s, i, closed);
        bool deep = -w->gap_end[i] > 0.5 * closed * closing_speed(w, i);
        if (w->closing[i] && deep && excess > least)
            remember_resolved(w, i, fmin(h, closed / sqrt(excess)));
    }
}

// The time to closing up to which gap i is closed: a step that resolves the closing must reach it,
// and of the ends of a bump only one may be closed.
static double closed_from(const trm_simulation *s, int i, double near)
{
    double brief = s->switches.brief[i], least = MIN_CLOSED * fabs(s->now.t);
    near = fmin(near, fmax(NEAR_BRIEF * s->switches.bumps.width[i], least));
    return keeps_past(s) || !(brief > 0) ? near : fmin(near, fmax(NEAR_BRIEF * brief, least));
}

// The time to closing that counts as none. Sensitivities jump there: closer.
static double near_of(const trm_simulation *s)
{
    const trmi_control *c = &s->control;
    double near = NEAR * (c->h_last > 0 ? c->h_last : c->h);
    return s->sensitivity ? NEAR * NEAR * (s->now.t - s->sensitivity->jumps.switched) : near;
}

// Decides whether gap i is closed, open or locked open in a step of length h, and returns how long
// the step may be for it. A gap without a value, where nothing is there that could act, counts as
// closed, and no force begins with that.
static double judge_gap(trm_simulation *s, int i, double h, double near)
{
    trmi_switches *w = &s->switches;
    bool defined = !isnan(w->gap[i]);
    double t = defined ? trmi_gap_closes(w->gap[i], w->rate[i], w->second[i]) : 0;
    bool resolved = is_resolved(s, i, h), closed = t <= closed_from(s, i, near);
    w->closing[i] = defined && closed && !w->closed[i] && !resolved;
    w->closed[i] = closed;
    *lock_of(s, i) = !closed && !resolved;
    return closed || resolved ? HUGE_VAL : t - 0.5 * NEAR * t;
}

// gaps that are open now and would close in a step of length h which does not resolve that
static bool find_landings(trm_simulation *s, double h, double near)
{
    trmi_switches *w = &s->switches;
    bool any = false;
    for (int i = 0; i < w->count; i++) {
        double t = trmi_gap_closes(w->gap[i], w->rate[i], w->second[i]);
        w->closing[i] = t > closed_from(s, i, near) && t <= h && !is_resolved(s, i, h);
        any = any || w->closing[i];
    }
    return any;
}

static void forget_derivatives(trm_simulation *s)
{
    trmi_update_reset(&s->corrector.update);
    if (s->method->forget_derivatives)
        s->method->forget_derivatives(s);
}

// The first step with forces that have just started to act. Methods of several points keep their
// past: its differences show the new force. What others keep (rates, errors) would hide it: they
// begin again, with a range in which the planned step is a first one. The end of the run is not
// that range: a run that goes on to a later end takes the same steps.
static double begin_with_forces(trm_simulation *s, double h, trm_status *status)
{
    h = find_resolved_step(s, h);
    if (keeps_past(s))
        return h;
    *status = s->method->begin(s, s->now.t + h / TRMI_FIRST_STEP);
    s->points.steps_before = s->statistics.steps;
    return fmin(h, s->control.h);
}

trm_status trmi_meet_switches(trm_simulation *s, double t_end)
{
    trmi_switches *w = &s->switches;
    const trmi_control *c = &s->control;
    if (w->count == 0)
        return TRM_OK;
    trm_status status = evaluate_newest_gaps(s);
    if (status != TRM_OK)
        return status;
    double h = c->h, near = near_of(s), most = h;
    bool closing = false;
    trmi_find_bumps(s, h, near, MIN_CLOSED * fabs(s->now.t));
    if (find_landings(s, h, near))
        estimate_landings(s, h);
    for (int i = 0; i < w->count; i++) {
        double lock = *lock_of(s, i);
        most = fmin(most, judge_gap(s, i, h, near));
        closing = closing || w->closing[i];
        if (lock != *lock_of(s, i))
            forget_derivatives(s);
    }
    if (closing)
        most = fmin(most, begin_with_forces(s, h, &status));
    s->control.h = fmax(most, trmi_smallest_step(s, t_end));
    w->repeated = 0;
    return status;
}

// Where gap i closes although it is locked, or opens: the kink must lie between two steps. One
// close to an end of the step counts as lying there.
static double find_kink(trm_simulation *s, int i, double h)
{
    const trmi_switches *w = &s->switches;
    double sign = *lock_of(s, i) != 0 ? 1 : -1, least = PASSABLE * s->options.atol;
    const double gap[] = {sign * w->gap[i], sign * w->gap_end[i]};
    double rate[] = {sign * w->rate[i], sign * w->rate_end[i]};
    double mean = (gap[1] - gap[0]) / h;
    if (isnan(rate[0])) // not known: that of a line, and then of a parabola
        rate[0] = mean;
    if (isnan(rate[1]))
        rate[1] = 2 * mean - rate[0];
    if (sign > 0)
        return trmi_gap_closed(h, gap, rate, least) * (1 - 0.5 * NEAR);
    if (!w->closed[i] || !(gap[0] > 0) || gap[1] > 0 || h <= w->brief[i] ||
        w->repeated >= MAX_REPEATS)
        return HUGE_VAL;
    double t = trmi_gap_closed(h, gap, rate, least);
    return t > AT_END * h && t < (1 - AT_END) * h ? t : HUGE_VAL;
}

bool trmi_steps_over_switch(trm_simulation *s, double h, double t_end)
{
    trmi_switches *w = &s->switches;
    double first = HUGE_VAL;
    if (w->count == 0)
        return false;
    int failed =
        evaluate_gaps(s, &s->values, &s->corrector.point, NULL, w->gap_end, w->rate_end, NULL);
    for (int i = 0; i < w->count && !failed; i++)
        first = fmin(first, find_kink(s, i, h));
    if (failed || (first < h && w->repeated >= MAX_REPEATS))
        first = 0.5 * fmin(first, h);
    if (!(first < h))
        return false;
    w->repeated++;
    s->control.h = fmax(first, trmi_smallest_step(s, t_end));
    return trmi_step_of_times(s->history.t[0], s->control.h) < h; // not the same step again
}
