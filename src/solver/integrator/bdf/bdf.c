// SPDX-License-Identifier: Apache-2.0
// BDF with variable step and fixed leading coefficient: predict from the past points, correct,
// test, accept or try again.
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_FAILURES_CLASSIC = 10, MAX_NEWTON_FAILURES = 24, MAX_SINGULAR_FAILURES = 12 };

enum { SIZE_EVERY = 50 };
// times that tell a step from others no better than this are coarse, far from their origin
static const double COARSE = 1e-9;
// relative pivot below which a position is reported as nearly singular
static const double NEAR_SINGULAR = 1e-4;

// a step accepted there all the same is reported from this many tolerances on
static const double SPOILT_MUCH = 100;
// A step that would end where roundoff spoils the velocities ends earlier; so often at most.
static const double MOVED_END = 0.8;
enum { MAX_MOVES = 3 };

void trmi_bdf_coefficients(const trm_simulation *s, double h, int k, trmi_coefficients *c)
{
    double t = s->history.t[0] + h, alpha_s = 0, alpha_0 = 0;
    c->sigma[0] = 1;
    for (int i = 1; i <= k + 1; i++) {
        c->alpha[i] = h / (t - s->history.t[i - 1]);
        if (i <= k) {
            alpha_s -= 1.0 / i;
            alpha_0 -= c->alpha[i];
        }
        if (i >= 2)
            c->sigma[i - 1] = c->sigma[i - 2] * (i - 1) * c->alpha[i];
    }
    c->cj = -alpha_s / h;
    c->ck = fmax(fabs(c->alpha[k + 1] + alpha_s - alpha_0), c->alpha[k + 1]);
}

double trmi_step_of_times(double t, double h)
{
    return DBL_EPSILON * fabs(t) > COARSE * h ? t + h - t : h;
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
    if (near && !s->near_singular) {
        char name[64];
        trmi_log(s, TRM_LOG_INFO, "t = %.9g: the constraints are close to losing rank (%.1e) at %s",
                 s->now.t, pivot.smallest, trmi_name_unknown(&s->e, pivot.row, name, sizeof name));
    }
    s->near_singular = near;
    s->statistics.near_singular_steps += near;
}

// velocities that no end of the step could save, once
static void watch_velocities(trm_simulation *s, double t)
{
    trmi_corrector *c = &s->corrector;
    const trmi_velocity_correction *shift = &c->projected;
    s->spoilt = trmi_velocities_spoilt(c);
    if (s->spoilt && !s->velocity_warned && shift->length > SPOILT_MUCH) {
        char name[64];
        s->velocity_warned = true;
        trmi_log(
            s, TRM_LOG_WARNING,
            "t = %.9g: the constraints lose rank at %s: with roundoff the velocities there are "
            "off by up to %.1g tolerances",
            t, trmi_name_unknown(&s->e, s->saddle.n - s->e.n_r + shift->row, name, sizeof name),
            shift->length);
    }
    c->projected_last = *shift;
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
    trmi_velocity_level(&s->values, s->corrector.point.v, s->level);
    st->velocity_residual = trmi_max_abs(s->level, e->n_r);
    st->position_residual_max = fmax(st->position_residual_max, st->position_residual);
    st->velocity_residual_max = fmax(st->velocity_residual_max, st->velocity_residual);
    const trmi_split *split = trmi_saddle_split(&s->saddle);
    if (s->coupled)
        split = trmi_coupled_get_split(s->coupled);
    st->split_changes = split ? split->changes : 0;
    watch_rank(s);
}

// Velocities are known to eps |q| / h: steps for which that is ten tolerances are not worth trying
// after a failed corrector, they would spoil the state that is good so far.
static double noisy_step(const trm_simulation *s, double t_end)
{
    double tolerance = s->options.rtol * s->size_v + s->options.atol;
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

static trm_status error_test_failed(trm_simulation *s, const trmi_step_errors *errors, double h,
                                    double h_min)
{
    s->statistics.rejected_error++;
    s->control.h = h;
    trmi_after_error_failure(s, errors);
    if (s->control.h >= h_min && s->control.error_failures < 50)
        return TRM_OK;
    return trmi_give_up_error_test(s, h);
}

// Algebraic variables have no derivatives: the point that was made up at the start does not know
// theirs, and every step of growing length and order would amplify what it lacks.
static void predict_algebraic(trm_simulation *s, double t, int k, const trmi_predictor *p)
{
    int rest = s->history.size, degree = trmi_history_true_degree(&s->history, k);
    if (s->e.n_z == 0)
        return;
    trmi_predictor lower = degree < k ? trmi_history_predictor(&s->history, degree, t, 0) : *p;
    trmi_history_predict(&s->history, &lower, rest - s->e.n_z, rest, s->predicted, s->offset);
}

static void predict(trm_simulation *s, double h, int k, trmi_stage *stage, double cj)
{
    double t = s->history.t[0] + h;
    trmi_predictor p = trmi_history_predictor(&s->history, k, t, cj);
    int n = s->e.n_q;
    trmi_history_predict(&s->history, &p, 0, n, s->predicted, s->offset);
    if (s->coupled)
        trmi_history_predict(&s->history, &p, n, 2 * n, s->predicted, s->offset);
    else // the nested corrector has v = cj q + offset
        trmi_history_predict_offset(&s->history, &p, n, 2 * n, s->offset);
    int rest = s->history.size, z = rest - s->e.n_z;
    trmi_history_predict(&s->history, &p, 2 * n, z, s->predicted, s->offset);
    predict_algebraic(s, t, k, &p);
    trmi_history_predict_multipliers(&s->history, &p, s->predict_multipliers, s->predicted + rest,
                                     s->offset + rest);
    s->predicted_order = k;
    *stage = (trmi_stage){t, h, {cj, cj}, s->predicted, s->offset, s->now.lambda, s->now.v};
}

// Velocities come out of q' = cj q + offset and are known to eps |q| / h only. At the end of a run
// that of the shortest step is compared with the tolerance.
static void watch_roundoff(trm_simulation *s, double h)
{
    if (h < s->shortest_step) {
        s->shortest_step = h;
        s->noise_v = DBL_EPSILON * trmi_max_abs(s->now.q, s->e.n_q) / h;
    }
    if (s->statistics.steps % SIZE_EVERY == 0)
        s->size_v = fmax(s->size_v, trmi_max_abs(s->now.v, s->e.n_q));
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

trm_status trmi_bdf_step(trm_simulation *s, double t_end)
{
    trmi_control *c = &s->control;
    bool exact_end = s->options.control != TRM_CONTROL_CLASSIC;
    bool fixed = s->options.h_fixed > 0;
    double h_min = trmi_smallest_step(s, t_end);
    int moves = 0;
    for (;;) {
        double h = c->h, rest = t_end - s->history.t[0];
        bool last = exact_end && h * 1.0001 >= rest;
        if (last)
            h = rest;
        else if (exact_end && !fixed && h * 2 > rest)
            h = 0.5 * rest; // rather two equal steps than a long and a tiny one
        if (exact_end && !fixed)
            h = trmi_step_of_times(s->history.t[0], h);
        int k = c->k < s->history.count ? c->k : s->history.count - 1;
        trmi_coefficients coefficients;
        trmi_bdf_coefficients(s, h, k, &coefficients);
        trmi_stage stage;
        predict(s, h, k, &stage, coefficients.cj);
        trmi_outcome result = s->coupled ? trmi_correct_coupled(&s->corrector, &stage)
                                         : trmi_correct_nested(&s->corrector, &stage);
        if (result == TRMI_OUTCOME_OK)
            result = trmi_project_step(s);
        if (result != TRMI_OUTCOME_OK) {
            trm_status status = trmi_newton_failed(s, result, h, t_end);
            if (status != TRM_OK)
                return status;
            continue;
        }
        trm_status dropped = trmi_check_dropped_rows(&s->values, &s->corrector.point, &s->error);
        if (dropped != TRM_OK) {
            s->error.t = s->now.t;
            return dropped;
        }
        trmi_step_errors errors = {.order = k};
        if (!fixed && moves++ < MAX_MOVES && trmi_velocities_spoilt(&s->corrector)) {
            c->h = MOVED_END * h;
            continue;
        }
        if (!fixed) {
            errors = trmi_estimate_errors(s, h, k, &coefficients);
            if (!(errors.error <= 1)) {
                trm_status status = error_test_failed(s, &errors, h, h_min);
                if (status != TRM_OK)
                    return status;
                continue;
            }
            if (trmi_steps_over_switch(s, h, t_end))
                continue;
            trmi_after_acceptance(s, errors, h, k);
            trmi_trust_sample_estimate(s, coefficients.ck, coefficients.cj);
        }
        watch_velocities(s, stage.t);
        trmi_accept_step(s, last ? t_end : s->history.t[0] + h, h, k);
        return TRM_OK;
    }
}
