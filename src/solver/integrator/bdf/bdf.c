// SPDX-License-Identifier: Apache-2.0
// BDF with variable step and fixed leading coefficient: predict from the past points, correct,
// test, accept or try again.
#include "solver/integrator/bdf/bdf.h"

#include "solver/integrator/simulation.h"
#include "solver/integrator/step.h"
#include "solver/integrator/step_projection.h"

#include <math.h>
#include <string.h>

// A step that would end where roundoff spoils the velocities ends earlier; so often at most.
static const double MOVED_END = 0.8;
enum { MAX_MOVES = 3 };

static void find_coefficients(const trm_simulation *s, double h, int k, trmi_coefficients *c)
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

// Algebraic variables have no derivatives: the point that was made up at the start does not know
// theirs, and every step of growing length and order would amplify what it lacks.
static void predict_algebraic(trm_simulation *s, double t, int k, const trmi_predictor *p,
                              double *offset)
{
    int rest = s->history.size, degree = trmi_history_true_degree(&s->history, k);
    if (s->e.n_z == 0)
        return;
    trmi_predictor lower = degree < k ? trmi_history_predictor(&s->history, degree, t, 0) : *p;
    trmi_history_predict(&s->history, &lower, rest - s->e.n_z, rest, s->prediction.y, offset);
}

// The offset is taken from the scratch memory.
static void predict(trm_simulation *s, double h, int k, trmi_stage *stage, double cj)
{
    double t = s->history.t[0] + h;
    const trmi_predictor p = trmi_history_predictor(&s->history, k, t, cj);
    int n = s->e.n_q, rest = s->history.size, z = rest - s->e.n_z;
    double *offset = trmi_scratch_take(&s->scratch, rest + s->prediction.multipliers);
    trmi_history_predict(&s->history, &p, 0, n, s->prediction.y, offset);
    if (s->method->unknown_velocities)
        trmi_history_predict(&s->history, &p, n, 2 * n, s->prediction.y, offset);
    else // the nested corrector has v = cj q + offset
        trmi_history_predict_offset(&s->history, &p, n, 2 * n, offset);
    trmi_history_predict(&s->history, &p, 2 * n, z, s->prediction.y, offset);
    predict_algebraic(s, t, k, &p, offset);
    trmi_history_predict_multipliers(&s->history, &p, s->prediction.multipliers,
                                     s->prediction.y + rest, offset + rest);
    s->prediction.order = k;
    trmi_bdf_of(s)->predictor = p;
    *stage = (trmi_stage){t, h, {cj, cj}, s->prediction.y, offset, s->now.lambda, s->now.v};
}

// ---- a step ----

trmi_outcome trmi_bdf_attempt(trm_simulation *s, trmi_step_trial *trial)
{
    trmi_bdf *b = trmi_bdf_of(s);
    trmi_stage stage;
    trial->k = s->control.k < s->history.count ? s->control.k : s->history.count - 1;
    find_coefficients(s, trial->h, trial->k, &b->coefficients);
    predict(s, trial->h, trial->k, &stage, b->coefficients.cj);
    trmi_outcome result = s->method->correct(&s->corrector, &stage);
    if (result == TRMI_OUTCOME_OK)
        result = trmi_project_step(s);
    trmi_scratch_release(&s->scratch, stage.offset);
    return result;
}

bool trmi_bdf_misplaced(trm_simulation *s, trmi_step_trial *trial)
{
    if (trial->moves++ >= MAX_MOVES || !trmi_velocities_inaccurate(&s->corrector))
        return false;
    s->control.h = MOVED_END * trial->h;
    return true;
}

void trmi_bdf_accept(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_watch_velocities(s, trial->t);
    trmi_measure_residuals(s);
}

// ---- start ----

// BDF of order k is the polynomial through k + 1 points, and works in one more; constant steps
// start with order 5 whatever their own. Multipliers are extrapolated in some formulations, then
// all.
void trmi_bdf_history(const trm_simulation *s, int *points, int *multipliers)
{
    int needed = !s->rule->adapts ? TRMI_HISTORY_POINTS : s->options.max_order + 2;
    int few = TRMI_MULTIPLIER_DEGREE + 2;
    bool all = s->corrector.policy->start == TRMI_MULTIPLIERS_EXTRAPOLATED;
    *points = needed < TRMI_HISTORY_POINTS ? needed : TRMI_HISTORY_POINTS;
    *multipliers = all || *points < few ? *points : few;
}

bool trmi_bdf_create(trm_simulation *s)
{
    trmi_bdf *b;
    if (!TRMI_TAKE(&s->memory, b, 1))
        return false;
    s->state = b;
    return trmi_fixed_create(s);
}

// Two past points are enough for a start of order one.
static trm_status begin(trm_simulation *s, double t_end)
{
    trmi_start_control(s, t_end);
    trmi_start_history(s, 0.5);
    return TRM_OK;
}

// The two points BDF of order one starts from: the initial one and a past one at t - h that has
// the same derivatives. With the acceleration in its positions order two starts well.
void trmi_start_history(trm_simulation *s, double bend)
{
    const trmi_evaluator *e = &s->e;
    double h = trmi_step_of_times(s->now.t, s->control.h);
    int n = e->n_q;
    trmi_history_clear(&s->history);
    if (e->n_x > 0)
        trmi_evaluate(&s->e, &s->now, TRM_BIT(RATE), &s->values);
    for (int point = 0; point < 2; point++) { // the older one first
        double back = point == 0 ? h : 0, *y = trmi_history_push(&s->history, s->now.t - back);
        for (int i = 0; i < n; i++) {
            y[i] = s->now.q[i] - back * s->now.v[i] + (back > 0 ? bend * h * h * s->now.a[i] : 0);
            y[n + i] = s->now.v[i] - back * s->now.a[i];
        }
        for (int i = 0; i < e->n_x; i++)
            y[2 * n + i] = s->now.x[i] - back * s->values.of[TRM_QUANTITY_RATE][i];
        memcpy(y + 2 * n + e->n_x, s->now.z, (size_t)e->n_z * sizeof *y);
        double *multipliers = s->history.m[0];
        memcpy(multipliers, s->now.lambda, (size_t)e->n_r * sizeof *y);
    }
    s->history.made = 1;
    trmi_bind_points(s);
}

// BDF tests positions only. At a tenth of the tolerance that costs and means what a test of
// positions and velocities at the full tolerance does (measured on chain and Andrews).
const trmi_method trmi_method_bdf = {
    .name = "bdf",
    .order_max = 6,
    .order_usual = 5,
    .tightening = 0.1,
    .loosest = 0.1, // at the same tolerance its errors are ten times those of others
    .implicit = true,
    .multistep = true,
    .glides = true,
    .corrects = true,
    .noisy_velocities = true,
    .careful_start = true,
    .watches_rank = true,
    .energy_advice = {TRMI_TIGHTEN ", set error_test = qv, or use radau-adaptive",
                      TRMI_TIGHTEN ", set error_test = qv or max_order = 2, or use radau-adaptive"},
    .history = trmi_bdf_history,
    .create = trmi_bdf_create,
    .begin = begin,
    .begins_badly = trmi_bdf_begins_badly,
    .dense = trmi_bdf_dense,
    .sensitivities_create = trmi_bdf_sensitivities_create,
    .sensitivities = trmi_bdf_sensitivities,
    .sensitivities_at = trmi_bdf_sensitivities_at,
    .correct = trmi_correct_nested,
    .attempt = trmi_bdf_attempt,
    .misplaced = trmi_bdf_misplaced,
    .estimate = trmi_bdf_estimate,
    .adapt_to_failure = trmi_adapt_to_failure,
    .adapt_to_error = trmi_bdf_adapt_to_error,
    .plan = trmi_bdf_plan,
    .accept = trmi_bdf_accept,
};
