// SPDX-License-Identifier: Apache-2.0
// One-sided forces. A force that begins to act inside a step is what error estimates see least: a
// whole contact may fit between two stages. So a step that begins with an open gap keeps it open:
// the system leaves the force out (the lock of the gap), which makes the step smooth, and
// the step must end before the gap closes:
//
//     before   h <= the first t with gap + gap' t + gap'' t^2/2 = 0
//     after    if the gap closes on the path of the step (gap_path.c), once more up to there
//
// The force begins with the next step, which must be short against the time it needs to turn the
// motion around (closing.c). How long that step was is remembered: while steps are no longer than
// that, nothing need be done about the gap. So contacts that chatter, or close while others are
// being resolved, cost nothing. Of two gaps that close soon one after the other each is landed on
// if the second one ends what the first one begins (bumps.c). Steps end where gaps open as well,
// for the sake of methods of high order. Gaps of multipliers have rules of their own
// (gap_solved.c).
#include "solver/integrator/switches.h"

#include "base/error.h"
#include "solver/integrator/closing.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step.h"

#include <math.h>

// a gap that closes within this part of the last step is closed; a step ends half of it before
static const double NEAR = 1e-3;
// with sensitivities: within this part of the time since the last switch; for methods of several
// points, and where forces remember something, as friction that holds does, within the second one
static const double NEAR_JUMP = 1e-8, NEAR_JUMP_PAST = 1e-6;
// or within this part of a step that resolves its closing, if the
// difference of the times is not roundoff
static const double NEAR_BRIEF = 0.3, MIN_CLOSED = 1e-14;
// how far it may close in a step that keeps it open, in absolute tolerances
static const double PASSABLE = 1e-3;
// a gap that opens this part of a step from one of its ends opens there
static const double AT_END = 0.01;
enum { MAX_REPEATS = 8 };

// ---- memory ----

static bool take_memory(trm_simulation *s, int n)
{
    trmi_switches *w = &s->switches;
    trmi_memory *m = &s->memory;
    bool good = TRMI_TAKE(m, w->gap, n) && TRMI_TAKE(m, w->rate, n) && TRMI_TAKE(m, w->second, n) &&
                TRMI_TAKE(m, w->closes, n) && TRMI_TAKE(m, w->gap_end, n) &&
                TRMI_TAKE(m, w->rate_end, n) && TRMI_TAKE(m, w->second_end, n) &&
                TRMI_TAKE(m, w->closed, n) && TRMI_TAKE(m, w->closing, n) &&
                TRMI_TAKE(m, w->solved, n) && TRMI_TAKE(m, w->marked, n) &&
                TRMI_TAKE(m, w->brief, n) && TRMI_TAKE(m, w->depth, n) &&
                TRMI_TAKE(m, w->x_rate, s->e.n_x + 1) && trmi_bumps_create(s);
    for (int i = 0; i < 2 && good; i++)
        good =
            trmi_point_create(&w->flight[i], m, &s->e) && trmi_gap_values_create(s, &w->there[i]);
    for (int i = 0; i < TRMI_PATH_HALVINGS && good; i++)
        good = trmi_gap_values_create(s, &w->between[i]);
    for (int i = 0; i < 2 && good; i++)
        good = trmi_gap_values_create(s, &w->spare[i]);
    return good && (!s->e.user.switch_bends || trmi_gap_bends_create(s));
}

trm_status trmi_switches_create(trm_simulation *s)
{
    int n = s->e.user.n_switches;
    if (n == 0 || !s->rule->adapts || s->method->unwatched)
        return TRM_OK;
    if (!take_memory(s, n))
        return trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for one-sided forces");
    s->switches.count = n;
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
    s->switches.planned = s->switches.longest = 0;
}

void trmi_switches_archive(trm_simulation *s, trmi_archive *a)
{
    trmi_switches *w = &s->switches;
    for (int i = 0; i < w->count; i++)
        trmi_archive_bool(a, &w->closed[i]);
    trmi_archive_doubles(a, w->brief, w->count);
    trmi_archive_doubles(a, w->depth, w->count);
    if (w->count > 0) {
        trmi_archive_doubles(a, &w->planned, 1);
        trmi_archive_doubles(a, &w->longest, 1);
        trmi_archive_doubles(a, &w->changed_since, 1);
        trmi_archive_long(a, &w->changes);
    }
}

// ---- gaps ----

static trm_status evaluate_newest_gaps(trm_simulation *s)
{
    trmi_switches *w = &s->switches;
    const trmi_point p = trmi_past_point(s, 0);
    int result = trmi_evaluate_gaps(s, &s->values, &p, s->now.a, w->gap, w->rate, w->second);
    if (result == 0 && s->e.user.switches_of_multipliers)
        trmi_find_gap_rates(s);
    for (int i = 0; i < w->count; i++)
        w->closes[i] = trmi_gap_closes(w->gap[i], w->rate[i], w->second[i]);
    if (result == 0)
        return TRM_OK;
    trmi_error_clear(&s->error);
    s->error.t = p.t;
    trmi_error_advise(&s->error, "the gaps must have values wherever the motion leads");
    return trmi_error_set(&s->error, TRM_ERR_CALLBACK, "%s returned %d at t = %.9g",
                          s->e.user.switches_of_multipliers
                              ? "the callback of the gaps, or the search for their multipliers,"
                              : "the callback of the gaps",
                          result, p.t);
}

bool trmi_switch_ahead(trm_simulation *s, double t_end)
{
    trmi_switches *w = &s->switches;
    if (w->count == 0 || evaluate_newest_gaps(s) != TRM_OK)
        return w->count > 0;
    for (int i = 0; i < w->count; i++)
        if (!w->closed[i] && w->closes[i] < t_end - s->history.t[0])
            return true;
    return false;
}

// ---- steps ----

// The time to closing up to which gap i is closed: a step that resolves the closing must reach it,
// and of the ends of a bump only one may be closed.
static double closed_from(const trm_simulation *s, int i, double near)
{
    double brief = s->switches.brief[i], least = MIN_CLOSED * fabs(s->now.t);
    if (s->switches.solved[i]) // steps end behind it
        return 0;
    near = fmin(near, fmax(NEAR_BRIEF * s->switches.bumps.width[i], least));
    return brief > 0 ? fmin(near, fmax(NEAR_BRIEF * brief, least)) : near;
}

// The time to closing that counts as none. Sensitivities jump there, as if the rest of the way to
// the switch were gone: closer. Methods of several points fail in the short steps that lead there,
// and where friction comes to rest the gap only touches 0 so close to it.
static double near_of(const trm_simulation *s)
{
    const trmi_control *c = &s->control;
    if (!s->sensitivity)
        return NEAR * (c->h_last > 0 ? c->h_last : c->h);
    const bool past = s->method->multistep || s->e.user.n_memories > 0;
    return (past ? NEAR_JUMP_PAST : NEAR_JUMP) * (s->now.t - s->sensitivity->jumps.switched);
}

// Decides whether gap i is closed, open or locked open in a step of length h, and returns how long
// the step may be for it. A gap without a value, where nothing is there that could act, counts as
// closed, and no force begins with that.
static double judge_gap(trm_simulation *s, int i, double h, double near)
{
    trmi_switches *w = &s->switches;
    bool defined = !isnan(w->gap[i]);
    double t = defined ? w->closes[i] : 0;
    bool resolved = trmi_resolves_closing(s, i, h), closed = t <= closed_from(s, i, near);
    w->closing[i] = defined && closed && !w->closed[i] && !resolved;
    w->closed[i] = closed;
    *lock_of(s, i) = !closed && !resolved;
    return closed || resolved ? HUGE_VAL : w->solved[i] ? t : t - 0.5 * NEAR * t;
}

// gaps that are open now and would close in a step of length h which does not resolve that
static bool find_landings(trm_simulation *s, double h, double near)
{
    trmi_switches *w = &s->switches;
    bool any = false;
    for (int i = 0; i < w->count; i++) {
        double t = w->closes[i];
        w->closing[i] = !w->solved[i] && t > closed_from(s, i, near) && t <= h &&
                        !trmi_resolves_closing(s, i, h);
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
    h = trmi_find_resolved_step(s, h);
    if (trmi_keeps_past(s))
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
    if (status == TRM_OK && s->e.user.switches_of_multipliers && trmi_change_branches(s)) {
        status = evaluate_newest_gaps(s);
        status = status == TRM_OK ? trmi_check_branches(s) : status;
    }
    if (status != TRM_OK)
        return status;
    // steps that were cut short to land are no reason against the one that was planned
    double h = s->method->multistep ? c->h : fmax(c->h, w->planned), near = near_of(s), most = h;
    bool closing = false;
    trmi_find_bumps(s, h, near, MIN_CLOSED * fabs(s->now.t));
    if (find_landings(s, h, near))
        trmi_estimate_landings(s, h);
    for (int i = 0; i < w->count; i++) {
        double lock = *lock_of(s, i);
        most = fmin(most, judge_gap(s, i, h, near));
        closing = closing || w->closing[i];
        if (lock != *lock_of(s, i))
            forget_derivatives(s);
    }
    w->planned = most < h && !closing ? h : 0;
    if (closing)
        most = fmin(most, begin_with_forces(s, h, &status));
    s->control.h = fmax(most, trmi_smallest_step(s, t_end));
    w->repeated = 0;
    return status;
}

// Whether gap i opens in the step, behind which it is not kept in mind: a step that resolves its
// closing resolves its opening.
static bool opens(const trmi_switches *w, int i, double h)
{
    return w->closed[i] && w->gap[i] < 0 && w->gap_end[i] >= 0 && h > w->brief[i] &&
           w->repeated < MAX_REPEATS;
}

// Where a gap closes although it is locked, or opens: the kink must lie between two steps. An
// opening close to an end of the step counts as lying there.
static double find_kink(trm_simulation *s, double h, double t_end)
{
    trmi_switches *w = &s->switches;
    const trmi_point from = trmi_past_point(s, 0);
    const trmi_gap_path path = {.from = &from,
                                .to = &s->corrector.point,
                                .h = h,
                                .start = {w->gap, w->rate, w->second},
                                .end = {w->gap_end, w->rate_end, NULL}};
    trmi_gap_search search = {.wanted = w->marked, .sign = 1, .least = PASSABLE * s->options.atol};
    for (int i = 0; i < w->count; i++)
        w->marked[i] = *lock_of(s, i) != 0 && !w->solved[i];
    double closes = trmi_find_crossing(s, &path, &search) * (1 - 0.5 * NEAR);
    for (int i = 0; i < w->count; i++)
        w->marked[i] = *lock_of(s, i) == 0 && !w->solved[i] && opens(w, i, h);
    search.sign = -1;
    search.at_end = AT_END * h;
    closes = fmin(closes, trmi_find_crossing(s, &path, &search));
    double rest = w->repeated < MAX_REPEATS ? t_end - path.to->t : 0;
    return s->e.user.switches_of_multipliers ? trmi_find_branch_end(s, &path, closes, rest)
                                             : closes;
}

bool trmi_steps_over_switch(trm_simulation *s, double h, double t_end)
{
    trmi_switches *w = &s->switches;
    if (w->count == 0)
        return false;
    int failed =
        trmi_evaluate_gaps(s, &s->values, &s->corrector.point, NULL, w->gap_end, w->rate_end, NULL);
    double first = failed ? HUGE_VAL : find_kink(s, h, t_end);
    if (failed || (first < h && w->repeated >= MAX_REPEATS))
        first = 0.5 * fmin(first, h);
    if (first == HUGE_VAL)
        return false;
    w->repeated++;
    s->control.h = fmax(first, trmi_smallest_step(s, t_end));
    return trmi_step_of_times(s->history.t[0], s->control.h) != h; // not the same step again
}
