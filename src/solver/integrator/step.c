// SPDX-License-Identifier: Apache-2.0
// What the steps of all methods share.
#include "solver/integrator/step.h"

#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/failure.h"
#include "solver/integrator/log.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_FAILURES_CLASSIC = 10, MAX_NEWTON_FAILURES = 24, MAX_SINGULAR_FAILURES = 12 };
enum { SIZE_EVERY = 50 };
// times that tell a step from others no better than this are coarse, far from their origin
static const double COARSE = 1e-9;
// relative pivot below which a position is reported as nearly singular
static const double NEAR_SINGULAR = 1e-4;

double trmi_step_of_times(double t, double h)
{
    return DBL_EPSILON * fabs(t) > COARSE * h ? t + h - t : h;
}

bool trmi_step_length(const trm_simulation *s, double t_end, double *h)
{
    double rest = t_end - s->history.t[0];
    *h = s->control.h;
    bool last = *h * 1.0001 >= rest;
    if (last)
        *h = rest;
    else if (!(s->options.h_fixed > 0) && *h * 2 > rest)
        *h = 0.5 * rest; // rather two equal steps than a long and a tiny one
    return last;
}

double trmi_smallest_step(const trm_simulation *s, double t_end)
{
    // steps must change t; early in a long run t is small, and so may the steps be
    double roundoff = 4 * DBL_EPSILON * fmax(fabs(s->now.t), 1e-6 * fabs(t_end));
    return fmax(roundoff, s->options.h_min);
}

static void accept_point(trm_simulation *s, double t)
{
    trmi_take_point(s, t);
    double *mu = s->history.m[0] + trmi_mu_offset(&s->e);
    if (s->coupled)
        memcpy(mu, s->corrector.mu, (size_t)s->e.n_r * sizeof *mu);
}

// counts and, once per approach, reports positions in which the constraints are close to losing
// rank
static void watch_rank(trm_simulation *s)
{
    trmi_pivot pivot = trmi_saddle_rank(&s->saddle);
    bool near = !s->coupled && pivot.smallest < NEAR_SINGULAR;
    if (near && !s->watch.near_singular) {
        char name[64];
        trmi_log(s, TRM_LOG_INFO, "t = %.9g: the constraints are close to losing rank (%.1e) at %s",
                 s->now.t, pivot.smallest, trmi_name_unknown(&s->e, pivot.row, name, sizeof name));
    }
    s->watch.near_singular = near;
    s->statistics.near_singular_steps += near;
}

// extremes of the residuals at the new point: g and G were evaluated there for the velocities
static void watch_residuals(trm_simulation *s)
{
    trm_statistics *st = &s->statistics;
    trmi_evaluator *e = &s->e;
    if (s->coupled) // g was last seen before the last correction
        trmi_evaluate(e, &s->corrector.point, TRM_BIT(TRM_CONSTRAINT) | trmi_velocity_quantities(e),
                      &s->values);
    st->position_residual =
        fmax(s->values.dropped_residual, trmi_max_abs(s->values.of[TRM_CONSTRAINT], e->n_g));
    double *level = trmi_scratch_take(&s->scratch, e->n_r_full + 1);
    trmi_velocity_level(&s->values, s->corrector.point.v, level);
    st->velocity_residual = trmi_max_abs(level, e->n_r);
    trmi_scratch_release(&s->scratch, level);
    st->position_residual_max = fmax(st->position_residual_max, st->position_residual);
    st->velocity_residual_max = fmax(st->velocity_residual_max, st->velocity_residual);
    const trmi_split *split = trmi_saddle_split(&s->saddle);
    if (s->coupled)
        split = trmi_coupled_get_split(s->coupled);
    st->split_changes = split ? split->changes : 0;
    watch_rank(s);
}

// Velocities come out of q' = cj q + offset and are known to eps |q| / h only. At the end of a run
// that of the shortest step is compared with the tolerance.
static void watch_roundoff(trm_simulation *s, double h)
{
    if (h < s->watch.shortest_step) {
        s->watch.shortest_step = h;
        s->watch.noise_v = DBL_EPSILON * trmi_max_abs(s->now.q, s->e.n_q) / h;
    }
    if (s->statistics.steps % SIZE_EVERY == 0)
        s->watch.max_v = fmax(s->watch.max_v, trmi_max_abs(s->now.v, s->e.n_q));
}

void trmi_accept_step(trm_simulation *s, double t, double h, int k)
{
    trm_statistics *st = &s->statistics;
    watch_residuals(s);
    accept_point(s, t);
    trmi_update_weights(s);
    watch_roundoff(s, h);
    st->steps++;
    st->t_last = t;
    st->h_last = h;
    st->order_last = k;
}

// Velocities are known to eps |q| / h: steps for which that is ten tolerances are not worth trying
// after a failed corrector, they would spoil the state that is good so far.
static double noisy_step(const trm_simulation *s, double t_end)
{
    double tolerance = s->options.rtol * s->watch.max_v + s->options.atol;
    double noise = DBL_EPSILON * trmi_max_abs(s->now.q, s->e.n_q) / (10 * tolerance);
    return fmin(noise, 1e-6 * (t_end - s->now.t));
}

// after an attempt whose corrector failed: smaller step, or the end
trm_status trmi_newton_failed(trm_simulation *s, trmi_outcome reason, double h, double t_end)
{
    double h_min = fmax(trmi_smallest_step(s, t_end), noisy_step(s, t_end));
    s->statistics.rejected_newton++;
    if (reason == TRMI_OUTCOME_STOP)
        return trmi_give_up(s, reason, h);
    if (s->options.h_fixed > 0)
        return trmi_give_up(s, reason, h);
    s->control.h = h;
    trmi_after_newton_failure(s, reason);
    trmi_log(s, TRM_LOG_DEBUG, "t = %.9g: corrector failed (%d) at h = %.3g", s->now.t, (int)reason,
             h);
    int most =
        s->options.control == TRM_CONTROL_CLASSIC ? NEWTON_FAILURES_CLASSIC : MAX_NEWTON_FAILURES;
    bool over = s->control.newton_failures >= most ||
                s->control.singular_failures >= MAX_SINGULAR_FAILURES || s->control.h < h_min;
    return over ? trmi_give_up(s, reason, h) : TRM_OK;
}
