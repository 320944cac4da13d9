// SPDX-License-Identifier: Apache-2.0
// control = classic: BDF and the alpha methods as the papers of the nineties have them, with the
// coupled corrector on (q, v) or (q, v, mu, lambda) (classic.c) and, for BDF, step and order as in
// DASSL. Velocities are unknowns of their own, mu belongs to the points of the history.
#include "solver/integrator/classic/classic_methods.h"

#include "base/error.h"
#include "solver/integrator/alpha/alpha.h"
#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

// the coordinate split is dense up to here, and so is the matrix up to there
enum { SPLIT_LIMIT = 2000, DENSE_LIMIT = 300 };

// ---- creation ----

static trm_status refuse(trm_simulation *s, const char *text)
{
    trmi_error_advise(&s->error, "use control = default");
    return trmi_error_set(&s->error, TRM_ERR_OPTION, "%s", text);
}

static trm_status check_formulation(trm_simulation *s)
{
    const trmi_policy *policy = trmi_policy_of(s->options.formulation);
    if (policy->classic)
        return TRM_OK;
    refuse(s, "");
    return trmi_error_set(&s->error, TRM_ERR_OPTION,
                          "formulation = %s has no form for control = classic, which solves for "
                          "both levels of the constraints at once",
                          policy->name);
}

// The matrix: the null-space form where the multipliers follow from the residual and there is
// nothing but positions and holonomic constraints, as in the papers.
static trm_status create_matrix(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    bool multipliers = trmi_iterates_multipliers(&s->corrector);
    bool split = trmi_splits_residual(&s->corrector), more = e->n_x + e->n_z > 0;
    if (split && e->n_q > SPLIT_LIMIT) {
        refuse(s, "");
        return trmi_error_set(&s->error, TRM_ERR_OPTION,
                              "control = classic with a coordinate split is dense and limited to "
                              "%d coordinates",
                              SPLIT_LIMIT);
    }
    bool dense = s->options.linear_solver == TRM_SOLVER_DENSE ||
                 (s->options.linear_solver != TRM_SOLVER_SPARSE && e->n_q <= DENSE_LIMIT);
    bool weighted = !s->method->multistep; // the rows q' = v, by the masses
    const trmi_coupled_form form = {.dense = dense,
                                    .splits = split,
                                    .reduced = dense && !multipliers && !weighted && !more,
                                    .weighted = weighted,
                                    .orthonormal = s->options.annihilator == TRM_ANNIHILATOR_QR};
    s->corrector.coupled = trmi_coupled_create(&s->memory, &s->values, form);
    return s->corrector.coupled
               ? TRM_OK
               : trmi_error_set(&s->error, TRM_ERR_MEMORY, "no memory for the matrix");
}

static void destroy(trm_simulation *s)
{
    trmi_coupled_destroy(s->corrector.coupled);
}

static void keep_history(const trm_simulation *s, int *points, int *multipliers)
{
    trmi_bdf_history(s, points, multipliers);
    *multipliers = *points;
}

static const trmi_split *get_split(const trm_simulation *s)
{
    return trmi_coupled_get_split(s->corrector.coupled);
}

// mu of the newest points is 0 at a start
static void clear_mu(trm_simulation *s)
{
    for (int i = 0; i < s->history.count; i++)
        memset(s->history.m[i] + trmi_mu_offset(&s->e), 0, (size_t)s->e.n_r * sizeof(double));
}

// g was last evaluated before the last correction; mu becomes part of the new point
static void complete_point(trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    trmi_point *p = &s->corrector.point;
    trmi_evaluate(&s->e, p, TRM_BIT(CONSTRAINT) | trmi_velocity_quantities(e), &s->values);
    memcpy(p->lambda + trmi_mu_offset(e), s->corrector.mu, (size_t)e->n_r * sizeof(double));
}

// |y'| over (q, v), and over the multipliers with zero rates where they are unknowns
static double first_step(const trm_simulation *s, double t_end)
{
    int n = s->e.n_q, m = s->corrector.policy->unknown_multipliers ? s->e.n_r : 0;
    double h = 1e-3 * fabs(t_end - s->now.t);
    double speed = trmi_weighted_norm(s->now.v, s->weight, n);
    double change = trmi_weighted_norm(s->now.a, s->weight + n, n);
    double slope = sqrt((speed * speed + change * change) * n / (2 * n + 2 * m));
    return slope > 0.5 / h ? 0.5 / slope : h;
}

// ---- BDF as in DASSL ----

static trm_status begin_bdf(trm_simulation *s, double t_end)
{
    trmi_start_control(s, t_end);
    trmi_start_history(s, 0);
    clear_mu(s);
    return TRM_OK;
}

static double estimate_bdf(trm_simulation *s, trmi_step_trial *trial)
{
    trmi_bdf *b = trmi_bdf_of(s);
    const trmi_coefficients *c = &b->coefficients;
    int k = trial->k;
    trmi_step_errors e = {.order = k, .positions = NAN};
    double t = s->history.t[0] + trial->h, norm = trmi_test_norm(s, k, t, &e.positions);
    e.error = c->ck * norm;
    e.estimate = c->sigma[k] * norm;
    e.now = (k + 1) * e.estimate;
    e.below = HUGE_VAL;
    if (k > 1) {
        double below = c->sigma[k - 1] * trmi_test_norm(s, k - 1, t, &e.positions);
        e.below = k * below;
        double lowest =
            k > 2 ? (k - 1) * c->sigma[k - 2] * trmi_test_norm(s, k - 2, t, &e.positions) : 0;
        if (k == 2 ? e.below <= 0.5 * e.now : fmax(e.below, lowest) <= e.now) {
            e.order = k - 1;
            e.estimate = below;
        }
    }
    b->errors = e;
    return e.error;
}

static void adapt_to_failure(trm_simulation *s, const trmi_step_trial *trial, trmi_outcome reason)
{
    (void)trial, (void)reason;
    s->control.h *= 0.25;
}

static void plan_bdf(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_control *c = &s->control;
    trmi_step_errors e = trmi_bdf_of(s)->errors;
    double h = trial->h;
    int k = trial->k;
    if (trmi_bdf_starts(s, trial))
        return;
    // constant steps in a row at this order
    bool constant = h == c->h_last && k == c->k_last;
    c->since_order = !constant ? 1 : c->since_order < k + 1 ? c->since_order + 1 : k + 2;
    if (c->since_order >= k + 2 && c->k_last == k)
        trmi_bdf_consider_raising(s, &e, s->history.t[0] + h, k);
    double r = trmi_bdf_step_factor(e.estimate, e.order);
    c->k = e.order;
    c->h = r >= 2 ? 2 * h : r <= 1 ? h * fmax(0.5, fmin(0.9, r)) : h;
}

static void accept_bdf(trm_simulation *s, const trmi_step_trial *trial)
{
    complete_point(s);
    trmi_bdf_accept(s, trial);
}

static void archive_bdf(trm_simulation *s, trmi_archive *archive)
{
    trmi_coupled_archive(s->corrector.coupled, archive);
}

const trmi_method trmi_classic_bdf = {
    .name = "bdf",
    .order_max = 6,
    .order_usual = 5,
    .tightening = 1,
    .implicit = true,
    .multistep = true,
    .corrects = true,
    .noisy_velocities = true,
    .unknown_velocities = true,
    .passes_end = true,
    .tests_independent = true,
    .unwatched = true,
    .max_newton_failures = 10,
    .quantities = TRM_BIT(VELOCITY_Q),
    .energy_advice = {"tighten rtol by ten", "tighten rtol by ten"},
    .admit = check_formulation,
    .history = keep_history,
    .create = trmi_bdf_create,
    .prepare = create_matrix,
    .destroy = destroy,
    .begin = begin_bdf,
    .first_step = first_step,
    .split = get_split,
    .dense = trmi_bdf_dense,
    .archive = archive_bdf,
    .correct = trmi_correct_coupled,
    .attempt = trmi_bdf_attempt,
    .misplaced = trmi_bdf_misplaced,
    .estimate = estimate_bdf,
    .adapt_to_failure = adapt_to_failure,
    .adapt_to_error = trmi_bdf_adapt_to_error,
    .plan = plan_bdf,
    .accept = accept_bdf};

// ---- the alpha methods ----

// Newton has its own matrix: velocities are not projected afterwards, and the estimate is filtered
// by the masses.
static trm_status prepare_alpha(trm_simulation *s)
{
    trm_status status = create_matrix(s);
    if (status == TRM_OK)
        status = trmi_alpha_prepare(s);
    s->corrector.mass_saddle = NULL;
    trmi_alpha_of(s)->filter = s->mass_saddle;
    return status;
}

static trm_status begin_alpha(trm_simulation *s, double t_end)
{
    trm_status status = trmi_alpha_begin(s, t_end);
    clear_mu(s);
    return status;
}

static void adapt_alpha_to_failure(trm_simulation *s, const trmi_step_trial *trial,
                                   trmi_outcome reason)
{
    trmi_alpha_of(s)->rejected = true;
    adapt_to_failure(s, trial, reason);
}

static void accept_alpha(trm_simulation *s, const trmi_step_trial *trial)
{
    complete_point(s);
    trmi_alpha_accept(s, trial);
}

static void archive_alpha(trm_simulation *s, trmi_archive *archive)
{
    trmi_coupled_archive(s->corrector.coupled, archive);
    trmi_alpha_archive(s, archive);
}

#define CLASSIC_ALPHA(key)                                                                         \
    {                                                                                              \
        .name = key, .order_max = 2, .tightening = 1, .step_share = 1, .implicit = true,           \
        .corrects = true, .noisy_velocities = true, .unknown_velocities = true,                    \
        .rough_predictor = true, .unwatched = true, .max_newton_failures = 10,                     \
        .quantities = TRM_BIT(VELOCITY_Q),                                                         \
        .energy_advice = {"tighten rtol by ten", "tighten rtol by ten"},                           \
        .admit = check_formulation, .create = trmi_alpha_create, .prepare = prepare_alpha,         \
        .destroy = destroy, .begin = begin_alpha, .first_step = first_step, .split = get_split,    \
        .dense = trmi_alpha_dense, .reexpress = trmi_alpha_reexpress, .archive = archive_alpha,    \
        .correct = trmi_correct_coupled, .attempt = trmi_alpha_attempt,                            \
        .estimate = trmi_alpha_estimate, .adapt_to_failure = adapt_alpha_to_failure,               \
        .adapt_to_error = trmi_alpha_adapt_to_error, .plan = trmi_alpha_plan,                      \
        .accept = accept_alpha                                                                     \
    }

const trmi_method trmi_classic_newmark = CLASSIC_ALPHA("newmark");
const trmi_method trmi_classic_hht = CLASSIC_ALPHA("hht");
const trmi_method trmi_classic_generalized_alpha = CLASSIC_ALPHA("generalized-alpha");
