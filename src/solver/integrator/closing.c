// SPDX-License-Identifier: Apache-2.0
// The step after a gap has closed. With the free flight q + t v + t^2 a/2, in which the force that
// begins is left out, it is short against
//
//     the time inside     until the free flight opens the gap again: at most a quarter of it, half
//                         way to the middle, where the gap is closed deepest and the direction
//                         of a distance may be lost: nothing is flown through
//     the time to turn    h |gap''(h) - gap''| <= RESOLVED |gap'|   (or less: resolved_part)
//
// with gap''(h) by the accelerations with the force at the place of the free flight. Up to there
// the depth grows, and with it the force and the left side: the longest h is found from above.
#include "solver/integrator/closing.h"

#include "base/error.h"
#include "solver/integrator/simulation.h"

#include <math.h>
#include <string.h>

// part of gap' that the first step may change (measured, a ball that bounces: with 0.1 the explicit
// method gains six times as much energy, with 0.01 nothing is won)
static const double RESOLVED = 0.03;
// For methods without a past, whose steps grow fast, at most so many relative tolerances: a step
// with the kink inside is off by half a percent of what the force changes in it, and no estimate
// sees that (measured: explicit, k d^1.5, kink at 10 to 50 percent of the step).
static const double RESOLVED_TOLERANCES = 300, MIN_RESOLVED = 1e-7;
static const double WAY_IN = 0.25; // of the time inside
// gaps that close within this part of a step close together
static const double TOGETHER = 1e-6;
enum { MAX_PROBES = 40 };
// a probe changes the step at most by these, and by this power of what is too much (1/(1 + n) for a
// force k d^n)
static const double MIN_SHRINK = 0.9, MAX_SHRINK = 0.1, POWER = -0.4;

bool trmi_keeps_past(const trm_simulation *s)
{
    return s->method->multistep && !s->sensitivity;
}

// |gap'| where it closes
static double closing_speed(const trmi_switches *w, int i)
{
    double gap = fmax(w->gap[i], 0);
    return sqrt(fmax(w->rate[i] * w->rate[i] - 2 * w->second[i] * gap, 0));
}

// Not for sensitivities, which are not in any test, and not for gaps of multipliers, which must be
// held on a branch.
bool trmi_resolves_closing(const trm_simulation *s, int i, double h)
{
    const trmi_switches *w = &s->switches;
    return !s->sensitivity && !w->solved[i] && w->bumps.width[i] == HUGE_VAL && h <= w->brief[i] &&
           h * closing_speed(w, i) <= w->depth[i];
}

static void remember_resolved(trmi_switches *w, int i, double h)
{
    w->brief[i] = h;
    w->depth[i] = h * closing_speed(w, i);
}

// ---- free flight ----

// x' at the newest point, into x_rate. False: there is none.
static bool find_state_rates(trm_simulation *s)
{
    const trmi_point now = trmi_past_point(s, 0);
    trmi_values *values = &s->sampler->values;
    if (s->e.n_x == 0)
        return true;
    if (trmi_evaluate(&s->e, &now, TRM_BIT(RATE), values) != 0)
        return false;
    memcpy(s->switches.x_rate, values->of[TRM_QUANTITY_RATE], (size_t)s->e.n_x * sizeof(double));
    return true;
}

// The free flight from `begin` on, h long, in which the marked gaps have just closed: the time
// until the first of those that go on to close opens again, at most h.
static double find_time_inside(trm_simulation *s, double begin, double h, const bool *marked)
{
    trmi_switches *w = &s->switches;
    const trmi_gap_search opening = {.wanted = w->marked, .sign = -1};
    const trmi_gap_path path = {&w->flight[0], &w->flight[1], h, w->there[0], w->there[1]};
    trmi_sampler_reset(s);
    for (int k = 0; k < 2; k++) {
        trmi_point *p = &w->flight[k];
        trmi_point_ahead(s, begin + k * h, s->now.a, w->x_rate, p);
        if (trmi_evaluate_gaps(s, &s->sampler->values, p, s->now.a, w->there[k].gap,
                               w->there[k].rate, w->there[k].second) != 0)
            return h;
    }
    for (int i = 0; i < w->count; i++)
        w->marked[i] = marked[i] && w->there[0].rate[i] < 0;
    return fmin(trmi_find_crossing(s, &path, &opening), h);
}

// The gaps after a time h of free flight, with the accelerations there, into gap_end, rate_end,
// second_end.
static bool probe_gaps(trm_simulation *s, double h)
{
    trmi_switches *w = &s->switches;
    trmi_point *p = &s->sampler->point;
    trm_error error;
    trmi_error_clear(&error);
    trmi_point_ahead(s, h, s->now.a, w->x_rate, p);
    const trmi_manifold manifold = {.saddle = &s->sampler->saddle, .scratch = &s->scratch};
    return trmi_accelerations(&manifold, p, &error) == TRM_OK &&
           trmi_evaluate_gaps(s, &s->sampler->values, p, p->a, w->gap_end, w->rate_end,
                              w->second_end) == 0;
}

// ---- the force that begins ----

static double resolved_part(const trm_simulation *s)
{
    if (trmi_keeps_past(s))
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

// ---- before it closes ----

// By the probe at `t`: a force k d^n, n >= 1, changes gap' with the time in which the gap is closed
// at least as its square. `most`: the longest step that may be remembered.
static void estimate_marked(trm_simulation *s, const bool *marked, double t, double least,
                            double most)
{
    trmi_switches *w = &s->switches;
    bool good = probe_gaps(s, t);
    for (int i = 0; i < w->count && good; i++) {
        double closed = t - w->closes[i], excess = excess_of(s, i, closed);
        bool deep = -w->gap_end[i] > 0.5 * closed * closing_speed(w, i); // it goes on to close
        if (marked[i] && deep && excess > least)
            remember_resolved(w, i, fmin(most, closed / sqrt(excess)));
    }
}

// The time in which what jumps when the marked gaps close, at `first`, makes an error of a
// tolerance: up to that it may begin early or late. Methods whose velocities are differences of
// positions, or with points of the past, cannot take steps as short as that.
static double find_jump(trm_simulation *s, double first, const bool *marked)
{
    bool exact = !s->method->multistep && !s->method->noisy_velocities && !s->sensitivity;
    return exact ? trmi_find_jump_time(s, first, marked) : HUGE_VAL;
}

static void estimate_jump(trm_simulation *s, double first, double h, const bool *marked)
{
    trmi_switches *w = &s->switches;
    double jump = find_jump(s, first, marked);
    for (int i = 0; i < w->count && jump < h; i++)
        if (marked[i] && !(w->brief[i] > 0 && w->brief[i] <= jump))
            remember_resolved(w, i, jump);
}

// A condition has two gaps, s and -s. What jumps as one of them closes begins at once, by the lock
// of the other: methods begin with the rates behind it.
static void begin_behind_jump(trm_simulation *s, double begin, double h)
{
    trmi_switches *w = &s->switches;
    double *lock = s->e.held + s->e.user.first_lock;
    double jump = find_jump(s, begin, w->closing);
    for (int i = 0; i < w->count && jump < h && begin <= jump; i++) {
        int other = w->closing[i] && w->gap[i] >= 0 ? trmi_opposite_gap(w->gap, w->count, i) : -1;
        if (other >= 0)
            lock[other] = 1;
    }
}

// Gaps that close at different times may take back what others do, as the ends of a short bump:
// behind all of them nothing may be left to be seen (`least`). Those that close first may be flown
// through within the planned step.
void trmi_estimate_landings(trm_simulation *s, double h)
{
    trmi_switches *w = &s->switches;
    double *lock = s->e.held + s->e.user.first_lock, first = HUGE_VAL, last = 0;
    for (int i = 0; i < w->count; i++)
        if (w->closing[i]) {
            first = fmin(first, w->closes[i]);
            last = fmax(last, w->closes[i]);
            lock[i] = 0;
        }
    const double together = first + TOGETHER * h, least = last > together ? 1 : 0;
    const double longest = 2 * h - first;
    bool through = false;
    trmi_sampler_reset(s);
    if (!find_state_rates(s))
        return;
    estimate_marked(s, w->closing, 2 * h, least, h);
    for (int i = 0; i < w->count; i++)
        w->marked[i] = w->closing[i] && w->closes[i] <= together;
    estimate_jump(s, first, h, w->marked);
    for (int i = 0; i < w->count; i++) {
        w->marked[i] = w->marked[i] && !(w->gap_end[i] < 0);
        through = through || w->marked[i];
    }
    double inside = through ? find_time_inside(s, first, longest, w->marked) : longest;
    if (inside < longest)
        estimate_marked(s, w->marked, first + WAY_IN * inside, least, WAY_IN * inside);
}

// ---- where it has closed ----

double trmi_find_resolved_step(trm_simulation *s, double h)
{
    trmi_switches *w = &s->switches;
    double begin = 0;
    for (int i = 0; i < w->count; i++)
        if (w->closing[i])
            begin = fmax(begin, w->closes[i]);
    trmi_sampler_reset(s);
    double inside = find_state_rates(s) ? find_time_inside(s, begin, h, w->closing) : h;
    if (inside < h)
        h = fmin(h, begin + WAY_IN * inside);
    for (int i = 0; i < MAX_PROBES; i++) {
        double excess = probe_gaps(s, h) ? find_excess(s, h) : HUGE_VAL;
        if (excess <= 1)
            break;
        h *= fmax(MAX_SHRINK, fmin(MIN_SHRINK, pow(excess, POWER)));
    }
    for (int i = 0; i < w->count; i++)
        if (w->closing[i])
            remember_resolved(w, i, h);
    begin_behind_jump(s, begin, h);
    return h;
}
