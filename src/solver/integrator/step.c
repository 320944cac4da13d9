// SPDX-License-Identifier: Apache-2.0
// The step loop of all methods: length, attempt, error test, dropped rows, switches, acceptance, or
// another attempt, or giving up. What a method does otherwise is in its table (method.h).
#include "solver/integrator/step.h"

#include "solver/formulation/redundancy.h"
#include "solver/integrator/branch.h"
#include "solver/integrator/failure.h"
#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>

// in a row, before a run is given up
enum { MAX_NEWTON_FAILURES = 40, MAX_SINGULAR_FAILURES = 12, MAX_ERROR_FAILURES = 50 };
// a step that would end this part of itself before the end of the run ends there
static const double NEARLY = 1.0001;
// times that distinguish a step from others no better than this are coarse, far from their origin
static const double COARSE = 1e-9;
// decay of the maximum of accepted steps
static const double TYPICAL_DECAY = 0.98;

// ---- length ----

double trmi_step_of_times(double t, double h)
{
    double next = nextafter(t, INFINITY);
    return DBL_EPSILON * fabs(t) > COARSE * h ? fmax(t + h, next) - t : h;
}

double trmi_smallest_step(const trm_simulation *s, double t_end)
{
    // steps must change t; early in a long run t is small, and so may the steps be, but not 0
    double roundoff = 4 * DBL_EPSILON * fmax(fabs(s->now.t), 1e-6 * fabs(t_end));
    return fmax(fmax(roundoff, DBL_MIN), s->options.h_min);
}

// The planned step; where the end is close two equal ones rather than a long and a tiny one, and
// the last one ends there exactly.
static void find_length(const trm_simulation *s, double t_end, trmi_step_trial *trial)
{
    double t = s->history.t[0], rest = t_end - t, h = s->control.h;
    bool exact_end = !s->method->passes_end || s->breaks.exact, adapts = s->rule->adapts;
    bool last = exact_end && h * NEARLY >= rest;
    if (last)
        h = rest;
    else if (exact_end && adapts && h * 2 > rest)
        h = 0.5 * rest;
    trial->cut = h < s->control.h;
    trial->h = exact_end && adapts ? trmi_step_of_times(t, h) : h;
    trial->t = last ? t_end : t + trial->h;
}

// ---- rejection ----

// Velocities are known to eps |q| / h: steps for which that is ten tolerances are not worth trying
// after a failed corrector, they would spoil the state that is good so far. A run as short as that
// has no others.
static double shortest_step(const trm_simulation *s, double t_end)
{
    double least = trmi_smallest_step(s, t_end);
    if (!s->method->noisy_velocities)
        return least;
    double tolerance = s->accuracy.rtol * s->watch.max_v + s->accuracy.atol;
    double noise = DBL_EPSILON * trmi_max_abs(s->now.q, s->e.n_q) / (10 * tolerance);
    return fmax(least, fmin(noise, 1e-6 * (t_end - s->now.t)));
}

// no point was found: a shorter attempt, or the end of the run
static trm_status failed(trm_simulation *s, const trmi_step_trial *trial, trmi_outcome reason,
                         double t_end)
{
    const trmi_method *m = s->method;
    trmi_control *c = &s->control;
    double h_min = shortest_step(s, t_end);
    s->statistics.rejected_newton++;
    s->watch.rejected_newton += m->multistep;
    if (reason == TRMI_OUTCOME_STOP || !s->rule->adapts)
        return trmi_give_up(s, reason, trial->h);
    c->h = trial->h;
    c->newton_failures++;
    c->singular_failures += reason == TRMI_OUTCOME_SINGULAR;
    c->starting = false;
    c->since_order = 0;
    if (m->adapt_to_failure)
        m->adapt_to_failure(s, trial, reason);
    else
        c->h *= c->newton_failures > 3 ? 0.25 : 0.5;
    c->h = fmin(c->h, s->options.h_max);
    trmi_log(s, TRM_LOG_DEBUG, "t = %.9g: no point found (%d) at h = %.3g", s->now.t, (int)reason,
             trial->h);
    int most = m->max_newton_failures > 0 ? m->max_newton_failures : MAX_NEWTON_FAILURES;
    bool over =
        c->newton_failures >= most || c->singular_failures >= MAX_SINGULAR_FAILURES || c->h < h_min;
    return over ? trmi_give_up(s, reason, trial->h) : TRM_OK;
}

// The error was too large: a shorter attempt, or the end of the run. Among steps that are nearly
// noise the end comes where a shorter one had no smaller error.
static trm_status error_too_large(trm_simulation *s, const trmi_step_trial *trial, double t_end)
{
    trmi_control *c = &s->control;
    bool worse = c->error_failures > 0 && trial->error >= c->error_rejected;
    s->statistics.rejected_error++;
    s->watch.rejected_error += s->method->multistep;
    c->h = trial->h;
    c->error_failures++;
    c->error_rejected = trial->error;
    s->method->adapt_to_error(s, trial);
    double least = worse ? shortest_step(s, t_end) : trmi_smallest_step(s, t_end);
    bool over = c->error_failures >= MAX_ERROR_FAILURES || c->h < least;
    return over ? trmi_give_up_error_test(s, trial->h) : TRM_OK;
}

// ---- acceptance ----

// g and G were evaluated there for the velocities
void trmi_measure_residuals(trm_simulation *s)
{
    trmi_manifold_residuals(&s->manifold, s->corrector.point.v, &s->statistics.position_residual,
                            &s->statistics.velocity_residual);
}

// The next step. One that was cut short is no reason against the one that was planned, unless the
// method interpolates past points: after a short step its error at the planned length is another.
static void plan(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_control *c = &s->control;
    double planned = c->h;
    s->method->plan(s, trial);
    if (trial->cut && !s->method->multistep)
        c->h = fmax(c->h, planned);
    c->h = fmin(c->h, s->options.h_max);
}

// What the error estimate of a step is in tolerances of the options, rtol |y| + atol.
static double error_in_tolerances(const trm_simulation *s, const trmi_step_trial *trial)
{
    const double share = s->method->step_share;
    return trial->error * trmi_tightening(s) * (share > 0 ? share : 1);
}

// corrector.point becomes the newest point
static void accept(trm_simulation *s, const trmi_step_trial *trial)
{
    const trmi_method *m = s->method;
    trm_statistics *st = &s->statistics;
    trmi_control *c = &s->control;
    if (s->rule->adapts)
        plan(s, trial);
    m->accept(s, trial);
    st->position_residual = fmax(st->position_residual, s->values.dropped_residual);
    st->position_residual_max = fmax(st->position_residual_max, st->position_residual);
    st->velocity_residual_max = fmax(st->velocity_residual_max, st->velocity_residual);
    if (m->watches_rank)
        trmi_watch_rank(s);
    const trmi_split *split = trmi_step_split(s);
    st->split_changes = split ? split->changes : 0;
    trmi_take_point(s, trial->t);
    trmi_update_weights(s);
    if (m->noisy_velocities)
        trmi_watch_roundoff(s, trial->h);
    st->steps++;
    st->t_last = trial->t;
    st->h_last = c->h_last = trial->h;
    st->order_last = c->k_last = trial->k;
    st->error_sum += error_in_tolerances(s, trial);
    c->h_typical = fmax(trial->h, TYPICAL_DECAY * c->h_typical);
    c->newton_failures = c->error_failures = c->singular_failures = 0;
    s->corrector.rescued += s->corrector.was_rescued;
}

// ---- the loop ----

static trmi_outcome attempt(trm_simulation *s, trmi_step_trial *trial)
{
    const trmi_method *m = s->method;
    trmi_outcome outcome = m->attempt(s, trial);
    if (outcome != TRMI_OUTCOME_OK && !s->rule->adapts && m->rescue)
        outcome = m->rescue(s, trial, outcome);
    return outcome;
}

static trm_status check_dropped_rows(trm_simulation *s)
{
    trm_status status = trmi_check_dropped_rows(&s->values, &s->corrector.point, &s->error);
    if (status != TRM_OK)
        s->error.t = s->now.t;
    return status;
}

// Sensitivities over a step that has passed its tests. *again: a shorter one is to be attempted,
// whose matrix is closer to those of its stages.
static trm_status step_sensitivities(trm_simulation *s, const trmi_step_trial *trial, double t_end,
                                     bool *again)
{
    trm_status status = trmi_sensitivities_step(s, trial);
    *again = false;
    if (status != TRM_ERR_NEWTON || !s->rule->adapts)
        return status;
    const trm_error why = s->error;
    *again = failed(s, trial, TRMI_OUTCOME_DIVERGED, t_end) == TRM_OK;
    s->error = why;
    return *again ? TRM_OK : status;
}

// whether another attempt is worth while
static trm_status check_attempt(trm_simulation *s)
{
    if (!s->rule->adapts)
        return TRM_OK;
    trm_status status = s->method->check ? s->method->check(s) : TRM_OK;
    return status == TRM_OK && trmi_drift_hides_branch(s) ? trmi_give_up_drift(s, s->control.h)
                                                          : status;
}

trm_status trmi_step(trm_simulation *s, double t_end)
{
    const trmi_method *m = s->method;
    const bool adapts = s->rule->adapts;
    trmi_step_trial trial = {0};
    for (;;) {
        trm_status status = check_attempt(s);
        status = trmi_rows_rescue(s, status);
        if (status != TRM_OK)
            return status;
        find_length(s, t_end, &trial);
        if (!(trial.t > s->history.t[0]))
            return trmi_give_up_time(s, trial.h);
        trmi_outcome outcome = attempt(s, &trial);
        if (outcome == TRMI_OUTCOME_OK && adapts && m->misplaced && m->misplaced(s, &trial))
            continue;
        trial.error = outcome == TRMI_OUTCOME_OK && adapts ? m->estimate(s, &trial) : 0;
        bool passed = trial.error <= 1;
        if (outcome == TRMI_OUTCOME_OK && passed && m->finish)
            outcome = m->finish(s, &trial);
        if (outcome == TRMI_OUTCOME_OK && passed && trmi_leaves_branch(s, &trial))
            outcome = TRMI_OUTCOME_DIVERGED;
        if (outcome != TRMI_OUTCOME_OK) {
            status = failed(s, &trial, outcome, t_end);
        } else if (!passed) {
            status = error_too_large(s, &trial, t_end);
        } else {
            status = check_dropped_rows(s);
            if (status == TRM_OK && !trmi_steps_over_switch(s, trial.h, t_end)) {
                bool again;
                status = step_sensitivities(s, &trial, t_end, &again);
                if (status == TRM_OK && !again)
                    accept(s, &trial);
                if (!again)
                    return status;
            }
        }
        if (m->withdraw)
            m->withdraw(s);
        status = trmi_rows_rescue(s, status);
        if (status != TRM_OK)
            return status;
    }
}
