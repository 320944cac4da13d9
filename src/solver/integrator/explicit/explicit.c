// SPDX-License-Identifier: Apache-2.0
// Runge-Kutta steps of order 8 (tableau_853.h): twelve stages, the error from results of orders 5
// and 3 as in DOP853,
//
//     error = h |e5|^2 / sqrt(n (|e5|^2 + 0.01 |e3|^2)),
//
// projection with the matrix of the last stage, which ends where the step does, and the rate at the
// projected point: first stage of the next step.
#include "solver/integrator/simulation.h"

#include "solver/formulation/redundancy.h"
#include "solver/integrator/explicit/explicit.h"
#include "solver/integrator/settle.h"
#include "solver/integrator/step.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

enum { ORDER = 8 };
// safety (0.9 costs more evaluations: rejections), smallest and largest change of a step
static const double SAFETY = 0.8, MAX_SHRINK = 0.333, MAX_GROWTH = 6;
// h times the largest eigenvalue at the boundary of stability on the negative real axis
static const double STABILITY = 6.1;

static bool create(trm_simulation *s)
{
    trmi_ode *ode;
    if (!TRMI_TAKE(&s->memory, ode, 1))
        return false;
    s->state = ode;
    return trmi_ode_create(s, ode, TRMI_RATES_853, true);
}

static void archive_state(trm_simulation *s, trmi_archive *a)
{
    trmi_ode_archive(s, TRMI_RESULT_853 + 1, a);
    trmi_archive_doubles(a, trmi_ode_of(s)->power, TRMI_STAGES_853);
}

// ---- start ----

// sum of (weight r)^2 over the rates of q, v and x
static double rate_norm(const trm_simulation *s, const double *v, const double *rate)
{
    const trmi_evaluator *e = &s->e;
    double sum = trmi_weighted_square(v, s->weight, e->n_q) +
                 trmi_weighted_square(rate, s->weight + e->n_q, e->n_q + e->n_x);
    return sqrt(sum / (2 * e->n_q + e->n_x));
}

// The first step: h^8 max(|y'|, |y''|) = 0.01, y'' from a short Euler step (Hairer, Norsett, Wanner
// I, section II.4).
static double first_step(trm_simulation *s, double range)
{
    const trmi_evaluator *e = &s->e;
    trmi_ode *ode = trmi_ode_of(s);
    double *rate = ode->rate[TRMI_RESULT_853], *moved = ode->rate[0];
    double size = sqrt((trmi_weighted_square(s->now.q, s->weight, e->n_q) +
                        trmi_weighted_square(s->now.v, s->weight + e->n_q, e->n_q) +
                        trmi_weighted_square(s->now.x, s->weight + 2 * e->n_q, e->n_x)) /
                       (2 * e->n_q + e->n_x));
    double slope = rate_norm(s, s->now.v, rate);
    double h = size > 1e-5 && slope > 1e-5 ? 0.01 * size / slope : 1e-6;
    h = fmin(h, TRMI_FIRST_STEP * range);
    const trmi_weights none = {0};
    trmi_point *p = &ode->stage;
    trmi_ode_advance(s, ode, &s->now, h, &none, p);
    p->t = s->now.t + h;
    for (int i = 0; i < e->n_q; i++)
        p->v[i] += h * rate[i];
    for (int i = 0; i < e->n_x; i++)
        p->x[i] += h * rate[e->n_q + i];
    if (trmi_ode_evaluate(s, &s->saddle, p, moved) != TRMI_OUTCOME_OK)
        return h;
    for (int i = 0; i < ode->size; i++)
        moved[i] -= rate[i];
    for (int i = 0; i < e->n_q; i++)
        p->v[i] -= s->now.v[i];
    double bend = rate_norm(s, p->v, moved) / h, most = fmax(slope, bend);
    double longer = most > 1e-15 ? pow(0.01 / most, 1.0 / ORDER) : TRMI_FIRST_STEP * range;
    return fmin(fmin(100 * h, longer), range);
}

static trm_status begin(trm_simulation *s, double t_end)
{
    trmi_control *c = &s->control;
    trm_status status = trmi_ode_begin(s, t_end, trmi_ode_of(s)->rate[TRMI_RESULT_853]);
    if (status == TRM_OK && !c->given && t_end > s->now.t)
        c->h = trmi_limit_first_step(s, first_step(s, t_end - s->now.t));
    c->k = ORDER;
    trmi_ode_of(s)->stages_kept = false;
    trmi_ode_of(s)->stiff_signs = 0;
    return status;
}

// the rate at the newest point is that of the next step
static double stable_step(trm_simulation *s, double h)
{
    const double *rate = trmi_ode_of(s)->rate[TRMI_RESULT_853];
    return STABILITY / trmi_ode_eigenvalue(s, &s->now, rate, STABILITY / h);
}

// ---- one attempt ----

static trmi_weights scaled(const trmi_row_853 *row, double h)
{
    trmi_weights w = {.count = row->count};
    for (int j = 0; j < row->count; j++) {
        w.v[j] = h * row->v[j];
        w.q[j] = h * h * row->q[j];
    }
    return w;
}

void trmi_explicit_place(const trm_simulation *s, const trmi_ode *ode, const trmi_point *from,
                         double h, int i, trmi_point *p)
{
    trmi_weights w = scaled(&ode->tableau->stage[i], h);
    trmi_ode_advance(s, ode, from, ode->tableau->c[i] * h, &w, p);
    p->t = from->t + ode->tableau->c[i] * h;
}

// Whether the result or an error estimate depends on a stage directly.
static bool has_weight(const trmi_tableau_853 *tableau, int i)
{
    return tableau->stage[TRMI_RESULT_853].v[i] != 0 || tableau->error5.v[i] != 0 ||
           tableau->error3.v[i] != 0;
}

// The power at stage i, whose rate is known.
static void note_power(trm_simulation *s, trmi_ode *ode, const trmi_point *p, double h, int i)
{
    if (!ode->powers_kept || !has_weight(ode->tableau, i))
        return;
    trmi_point at = *p;
    at.a = ode->rate[i];
    ode->power[i] = trmi_power_at(s, &at, h, NULL);
}

trmi_outcome trmi_explicit_stages(trm_simulation *s, trmi_ode *ode, trmi_saddle *saddle,
                                  const trmi_point *from, double h, trmi_point *to)
{
    trmi_point *p = &ode->stage;
    memcpy(ode->rate[0], ode->rate[TRMI_RESULT_853], (size_t)ode->size * sizeof(double));
    note_power(s, ode, from, h, 0);
    for (int i = 1; i < TRMI_STAGES_853; i++) {
        trmi_explicit_place(s, ode, from, h, i, p);
        trmi_outcome result = trmi_ode_evaluate(s, saddle, p, ode->rate[i]);
        if (result != TRMI_OUTCOME_OK)
            return result;
        note_power(s, ode, p, h, i);
    }
    trmi_weights w = scaled(&ode->tableau->stage[TRMI_RESULT_853], h);
    double t = from->t + h;
    trmi_ode_advance(s, ode, from, h, &w, to);
    memcpy(to->z, p->z, (size_t)s->e.n_z * sizeof *to->z);
    memcpy(to->lambda, p->lambda, (size_t)s->e.n_r * sizeof *to->lambda);
    to->t = t;
    return TRMI_OUTCOME_OK;
}

// |e|^2 over the tested components, e by a row of weights
static double error_square(const trm_simulation *s, trmi_ode *ode, const trmi_row_853 *row,
                           double h)
{
    const trmi_evaluator *e = &s->e;
    double *x = ode->difference, sum = 0;
    memset(x, 0, (size_t)ode->size * sizeof *x);
    trmi_add_rates(ode, row->count, row->q, 0, e->n_q, x);
    sum += h * h * trmi_weighted_square(x, s->weight, e->n_q);
    memset(x, 0, (size_t)ode->size * sizeof *x);
    trmi_add_rates(ode, row->count, row->v, 0, ode->size, x);
    const double *weight = s->weight + e->n_q;
    if (s->options.error_test != TRM_ERROR_TEST_Q)
        sum += trmi_weighted_square(x, weight, e->n_q);
    return sum + trmi_weighted_square(x + e->n_q, weight + e->n_q, e->n_x);
}

// Of the squares of both estimates, sums over so many components.
static double combined_error(double h, double fifth, double third, int count)
{
    double both = fifth + 0.01 * third;
    return both > 0 ? h * fifth / sqrt(count * both) : both; // NaN stays
}

double trmi_explicit_error(const trm_simulation *s, trmi_ode *ode, double h)
{
    const trmi_evaluator *e = &s->e;
    bool velocities = s->options.error_test != TRM_ERROR_TEST_Q;
    int count = (velocities ? 2 : 1) * e->n_q + e->n_x;
    double fifth = error_square(s, ode, &ode->tableau->error5, h);
    double third = error_square(s, ode, &ode->tableau->error3, h);
    return combined_error(h, fifth, third, count);
}

static double estimate(trm_simulation *s, trmi_step_trial *trial)
{
    return trmi_explicit_error(s, trmi_ode_of(s), trial->h);
}

// The work in the last step as if it were one more equation, v' = P: of the order of the step, with
// an error estimate like its own.
static bool work_by_stages(trm_simulation *s, double *work, double *error)
{
    const trmi_ode *ode = trmi_ode_of(s);
    const trmi_tableau_853 *tableau = ode->tableau;
    const double h = s->history.t[0] - s->history.t[1];
    double sum = 0, fifth = 0, third = 0;
    if (!ode->stages_kept || !ode->powers_kept)
        return false;
    for (int i = 0; i < TRMI_STAGES_853; i++) {
        double power = has_weight(tableau, i) ? ode->power[i] : 0;
        sum += tableau->stage[TRMI_RESULT_853].v[i] * power;
        fifth += tableau->error5.v[i] * power;
        third += tableau->error3.v[i] * power;
    }
    *work = h * sum;
    *error = combined_error(h, fifth * fifth, third * third, 1);
    return true;
}

// h times the largest eigenvalue, if it is large: the last stage y* ends at the same time as the
// result y (Hairer, Wanner II, section IV.2).
static double stiffness_of(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    const trmi_ode *ode = trmi_ode_of(s);
    const trmi_point *y = &s->corrector.point, *stage = &ode->stage;
    const double *f = ode->rate[TRMI_RESULT_853 + 1], *f_stage = ode->rate[TRMI_STAGES_853 - 1];
    double *q = trmi_scratch_take(&s->scratch, 2 * e->n_q + e->n_x), *v = q + e->n_q;
    double *rate = ode->difference; // scratch
    for (int i = 0; i < e->n_q; i++) {
        q[i] = y->q[i] - stage->q[i];
        v[i] = y->v[i] - stage->v[i];
    }
    for (int i = 0; i < e->n_x; i++)
        v[e->n_q + i] = y->x[i] - stage->x[i];
    for (int i = 0; i < ode->size; i++)
        rate[i] = f[i] - f_stage[i];
    double stiffness = trmi_ode_stiffness(s, h, q, v, rate);
    trmi_scratch_release(&s->scratch, q);
    return stiffness;
}

// ---- steps ----

static trmi_outcome attempt(trm_simulation *s, trmi_step_trial *trial)
{
    trmi_ode *ode = trmi_ode_of(s);
    trial->k = ORDER;
    ode->stages_kept = ode->extended = false;
    ode->powers_kept = trmi_energy_follows(s);
    const trmi_point newest = trmi_past_point(s, 0);
    return trmi_explicit_stages(s, ode, &s->saddle, &newest, trial->h, &s->corrector.point);
}

// to the projected point, with its rate after the one of the beginning
static trmi_outcome finish(trm_simulation *s, trmi_step_trial *trial)
{
    trmi_point *p = &s->corrector.point;
    trmi_outcome result = trmi_ode_project(s, p);
    trmi_point at = *p;
    (void)trial;
    return result == TRMI_OUTCOME_OK
               ? trmi_ode_evaluate(s, &s->saddle, &at, trmi_ode_of(s)->rate[TRMI_RESULT_853 + 1])
               : result;
}

static double change_of_step(double error)
{
    double change = SAFETY * pow(error + 1e-30, -1.0 / ORDER);
    return isnan(change) ? MAX_SHRINK : fmin(MAX_GROWTH, fmax(MAX_SHRINK, change));
}

static void adapt_to_error(trm_simulation *s, const trmi_step_trial *trial)
{
    s->control.h *= fmin(SAFETY, change_of_step(trial->error));
}

// not longer right after a rejection
static void plan(trm_simulation *s, const trmi_step_trial *trial)
{
    double growth = s->control.error_failures > 0 ? 1 : MAX_GROWTH;
    s->control.h = trial->h * fmin(change_of_step(trial->error), growth);
}

static void accept(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_ode *ode = trmi_ode_of(s);
    double *rate = ode->rate[TRMI_RESULT_853 + 1];
    double stiffness = stiffness_of(s, trial->h);
    ode->swings = stiffness > 0.5 * STABILITY;
    // near the limit counts where another method can take over
    trmi_ode_watch_stiffness(s, s->method->hand_over ? ode->swings : stiffness > STABILITY);
    ode->rate[TRMI_RESULT_853 + 1] = ode->rate[TRMI_RESULT_853];
    ode->rate[TRMI_RESULT_853] = rate;
    ode->stages_kept = true;
    memcpy(s->corrector.point.a, rate, (size_t)s->e.n_q * sizeof *rate);
}

// the stages of the last step are of no use any more
static void reexpress(trm_simulation *s, const trmi_recentring *r)
{
    const trmi_point p = trmi_past_point(s, 0);
    trmi_reexpress_acceleration(s, r, p.q, p.v, trmi_ode_of(s)->rate[TRMI_RESULT_853]);
    trmi_ode_of(s)->stages_kept = trmi_ode_of(s)->extended = false;
}

const trmi_method trmi_method_explicit = {
    .name = "explicit",
    .order_max = 8,
    .evaluations = TRMI_STAGES_853,
    .long_steps = true,
    .tightening = 1,
    .watches_rank = true,
    .energy_advice = {TRMI_ODE_ADVICE, TRMI_ODE_ADVICE},
    .create = create,
    .begin = begin,
    .dense = trmi_explicit_dense,
    .dense_rates = trmi_explicit_dense_rates,
    .work = work_by_stages,
    .reexpress = reexpress,
    .archive = archive_state,
    .appears_stiff = trmi_ode_appears_stiff,
    .stable_step = stable_step,
    .check = trmi_ode_check_rank,
    .attempt = attempt,
    .estimate = estimate,
    .finish = finish,
    .adapt_to_error = adapt_to_error,
    .plan = plan,
    .accept = accept,
};
