// SPDX-License-Identifier: Apache-2.0
// Adams methods of variable order and step with one evaluation per step (PEC). With the rates f_n,
// f_{n-1}, ... of past points, p_k the polynomial through k of them, order k is
//
//     P   v* = v_n + integral of p_{k-1},                q* = q_n + h v_n + double integral of
//     p_{k-1} E   f  = the rate at (t + h, q*, v*) C   v  = v* + h integral[0][k-1] d, q  = q* +
//     h^2 integral[1][k-1] d
//
// with the divided difference d = h^(k-1) f[t + h, t_n, .., t_{n-k+2}] (quadrature.h): the
// corrector is the polynomial through f and k - 1 past rates. It is not evaluated again; the
// projection onto the constraints has the matrix of E. The corrector of order k - 1 differs by
//
//     h integral[1][k-2] d in v,   2 h^2 integral[2][k-2] d in q,
//
// which is the error that is tested (the result has one order more than what is tested). Order one
// (only where max_order = 1) predicts with f_n and corrects with f alone.
#include "solver/integrator/simulation.h"

#include "solver/formulation/redundancy.h"
#include "solver/integrator/explicit/adams.h"
#include "solver/integrator/explicit/explicit.h"
#include "solver/integrator/explicit/quadrature.h"
#include "solver/integrator/settle.h"
#include "solver/integrator/step.h"
#include "solver/integrator/weights.h"

#include <math.h>
#include <string.h>

// f, and what the estimate at order 11 needs
enum { RING = TRMI_MAX_NODES };
enum { RUNGE_KUTTA_STEPS = 4 }; // per constant step at the start
// safety, and the growth below which a step is not worth changing
static const double SAFETY = 0.85, MIN_GROWTH = 1.1;
// a higher order must promise this much longer steps
static const double WORTH_RAISING = 1.05;
// the start is over when errors become as large as this, or the order as high
static const double START_ERROR = 0.1;
enum { START_ORDER = 6 };
// other orders are tested this often (measured: the same steps as every time)
enum { TEST_EVERY = 2 };
// Stiffness is tested after LOW_STEPS steps in a row of such an order, every so many; steps are
// bounded by stability where h times the largest eigenvalue is about 0.5 (order 3, measured).
enum { LOW_ORDER = 4, LOW_STEPS = 25, LOW_TEST_EVERY = 5, MAX_LOW_STEPS = 1000 };
static const double STABILITY = 0.4;

// The state of the method. Constant steps begin with Runge-Kutta steps, of `starter`.
typedef struct adams {
    trmi_ode ode; // first: ode.h
    trmi_ode starter;
    trmi_quadrature integrals; // of the last attempt
    double error;              // of the last attempt
    bool on_grid;              // the last attempt was made of Runge-Kutta steps
} adams;

static adams *adams_of(const trm_simulation *s)
{
    return s->state;
}

// The rates of the points are its past; z is extrapolated from the points before, and where
// coordinates change between steps rates are re-expressed with the points they belong to.
static void keep_history(const trm_simulation *s, int *points, int *multipliers)
{
    *points = s->e.user.reexpress ? TRMI_MAX_HISTORY : s->e.n_z > 0 ? TRMI_HISTORY_POINTS : 3;
    *multipliers = TRMI_HISTORY_POINTS; // exact at its points, and its steps are long
}

static bool create(trm_simulation *s)
{
    adams *a;
    if (!TRMI_TAKE(&s->memory, a, 1))
        return false;
    s->state = a;
    return trmi_ode_create(s, &a->ode, RING, false) &&
           (s->rule->adapts || trmi_ode_create(s, &a->starter, TRMI_RATES_853, true));
}

static trm_status begin(trm_simulation *s, double t_end)
{
    trmi_ode *ode = trmi_ode_of(s);
    trm_status status = trmi_ode_begin(s, t_end, ode->rate[0]);
    ode->t[0] = s->now.t;
    ode->count = 1;
    s->control.k = s->options.max_order < 2 || !s->rule->adapts ? s->options.max_order : 2;
    return status;
}

static void archive_state(trm_simulation *s, trmi_archive *a)
{
    trmi_ode_archive(s, RING, a);
}

// ---- the ring of rates ----

// rates belong to the points of the history
static void reexpress(trm_simulation *s, const trmi_recentring *r)
{
    trmi_ode *ode = trmi_ode_of(s);
    ode->count = ode->count < s->history.count ? ode->count : s->history.count;
    for (int i = 0; i < ode->count; i++) {
        const trmi_point p = trmi_past_point(s, i);
        trmi_reexpress_acceleration(s, r, p.q, p.v, ode->rate[i]);
    }
}

static void push_rate(trmi_ode *ode, double t)
{
    double *spare = ode->rate[RING - 1];
    for (int i = RING - 1; i > 0; i--) {
        ode->rate[i] = ode->rate[i - 1];
        ode->t[i] = ode->t[i - 1];
    }
    ode->rate[0] = spare;
    ode->t[0] = t;
    ode->count = ode->count < RING ? ode->count + 1 : RING;
}

// what push_rate did, but for the oldest rate, which nothing needs
static void pop_rate(trmi_ode *ode)
{
    double *spare = ode->rate[0];
    for (int i = 0; i < RING - 1; i++) {
        ode->rate[i] = ode->rate[i + 1];
        ode->t[i] = ode->t[i + 1];
    }
    ode->rate[RING - 1] = spare;
    ode->count--;
}

// ---- one attempt ----

// order of the difference whose size is the error of order k
static int difference_of(int k)
{
    return k > 1 ? k - 1 : 1;
}

// ode->difference = h^d f[t_0 .. t_d], f_0 the newest rate, and its size as the error of order
// d + 1
static double estimate(trm_simulation *s, const trmi_step_trial *a, int d)
{
    const trmi_evaluator *e = &s->e;
    const trmi_quadrature *integrals = &adams_of(s)->integrals;
    trmi_ode *ode = trmi_ode_of(s);
    double weight[RING], *x = ode->difference;
    trmi_difference_weights(ode->t, d + 1, a->h, weight);
    memset(x, 0, (size_t)ode->size * sizeof *x);
    trmi_add_rates(ode, d + 1, weight, 0, ode->size, x);
    double in_v = a->h * integrals->integral[1][d - 1];
    double in_q = 2 * a->h * a->h * integrals->integral[2][d - 1];
    bool velocities = s->options.error_test != TRM_ERROR_TEST_Q;
    const double *weight_v = s->weight + e->n_q;
    double q = trmi_weighted_square(x, s->weight, e->n_q);
    double v = velocities ? trmi_weighted_square(x, weight_v, e->n_q) : 0;
    double states = trmi_weighted_square(x + e->n_q, weight_v + e->n_q, e->n_x);
    int count = (velocities ? 2 : 1) * e->n_q + e->n_x;
    return sqrt((in_q * in_q * q + in_v * in_v * (v + states)) / count) / s->method->step_share;
}

// P and E: the predicted point in corrector.point, its rate the newest
static trmi_outcome predict(trm_simulation *s, const trmi_step_trial *a)
{
    trmi_ode *ode = trmi_ode_of(s);
    trmi_point *p = &s->corrector.point;
    const trmi_point newest =
        trmi_past_point(s, 0); // the present one may lie beyond, after a glide
    double t = newest.t;
    trmi_quadrature *integrals = &adams_of(s)->integrals;
    trmi_weights w = {.count = difference_of(a->k)};
    trmi_quadrature_fill(integrals, ode->t, a->k > 1 ? a->k : 2, t, t + a->h);
    trmi_quadrature_weights(integrals, ode->t, w.count, w.v, w.q);
    p->t = t + a->h;
    trmi_ode_advance(s, ode, &newest, a->h, &w, p);
    push_rate(ode, p->t);
    trmi_point at = *p; // its a is the rate
    return trmi_ode_evaluate(s, &s->saddle, &at, ode->rate[0]);
}

// C, with the difference at hand
static void correct(trm_simulation *s, const trmi_step_trial *a)
{
    const trmi_evaluator *e = &s->e;
    const double *d = trmi_ode_of(s)->difference;
    const trmi_quadrature *integrals = &adams_of(s)->integrals;
    trmi_point *p = &s->corrector.point;
    double in_v = a->h * integrals->integral[0][a->k - 1];
    double in_q = a->h * a->h * integrals->integral[1][a->k - 1];
    for (int i = 0; i < e->n_q; i++) {
        p->v[i] += in_v * d[i];
        p->q[i] += in_q * d[i];
    }
    for (int i = 0; i < e->n_x; i++)
        p->x[i] += in_v * d[e->n_q + i];
}

// ---- order and step ----

// the factor by which a step of order k could be longer
static double growth_of(double error, int k)
{
    return pow(error + 1e-30, -1.0 / (k > 1 ? k : 2));
}

// the order that allows the longest step, of k - 1, k, k + 1
static double choose_order(trm_simulation *s, const trmi_step_trial *a, int *order)
{
    const trmi_control *c = &s->control;
    int k = a->k;
    double best = growth_of(a->error, k);
    *order = k;
    if (c->since_order % TEST_EVERY != TEST_EVERY - 1)
        return best;
    if (k > 2) {
        double growth = growth_of(estimate(s, a, k - 2), k - 1);
        if (growth > best) {
            *order = k - 1;
            return growth;
        }
    }
    if (k < s->options.max_order && c->since_order >= k && trmi_ode_of(s)->count > k) {
        double growth = growth_of(estimate(s, a, difference_of(k + 1)), k + 1);
        if (growth > WORTH_RAISING * best) {
            *order = k + 1;
            return growth;
        }
    }
    return best;
}

static void plan(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_control *c = &s->control;
    int k = trial->k, order;
    if (c->starting && k < s->options.max_order) {
        c->starting = trial->error <= START_ERROR && k < START_ORDER;
        c->k = k + 1;
        c->h = 2 * trial->h;
        c->since_order = 0;
        return;
    }
    double growth = SAFETY * choose_order(s, trial, &order);
    c->since_order = order == k ? c->since_order + 1 : 0;
    c->k = order;
    c->h = trmi_change_step(trial->h, growth, MIN_GROWTH);
}

static void adapt_to_error(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_control *c = &s->control;
    c->starting = false;
    c->since_order = 0;
    c->h *= fmax(0.2, fmin(0.9, 0.9 * growth_of(trial->error, trial->k)));
    if (c->error_failures > 2) { // a jump: the past is of no use
        c->k = c->k < 2 ? c->k : 2;
        c->h = 0.25 * trial->h;
    }
}

// Where stability bounds the step the order stays low. Then, once in a while, the rate at the
// corrected point y shows how much it depends on the state: against the predicted one,
// y - y* = (in_q d, in_v d).
static void watch_stiffness(trm_simulation *s, const trmi_step_trial *a)
{
    const trmi_evaluator *e = &s->e;
    trmi_ode *ode = trmi_ode_of(s);
    bool low = a->k <= LOW_ORDER && s->options.max_order > LOW_ORDER && !s->control.starting;
    ode->low_orders = low ? ode->low_orders % MAX_LOW_STEPS + 1 : 0;
    if (ode->low_orders < LOW_STEPS || ode->low_orders % LOW_TEST_EVERY != 0 || ode->stiff)
        return;
    const trmi_weights none = {0};
    double *rate = ode->rate[RING - 1]; // the oldest, which no difference reaches
    trmi_ode_advance(s, ode, &s->corrector.point, 0, &none, &ode->stage);
    ode->stage.t = s->corrector.point.t;
    if (trmi_ode_evaluate(s, &s->saddle, &ode->stage, rate) != TRMI_OUTCOME_OK)
        return;
    const trmi_quadrature *integrals = &adams_of(s)->integrals;
    double in_v = a->h * integrals->integral[0][a->k - 1];
    double in_q = a->h * a->h * integrals->integral[1][a->k - 1];
    double *v = ode->difference, *q = ode->stage.q;
    for (int i = 0; i < ode->size; i++) {
        rate[i] -= ode->rate[0][i];
        v[i] *= in_v;
    }
    for (int i = 0; i < e->n_q; i++)
        q[i] = in_q / in_v * v[i];
    trmi_ode_watch_stiffness(s, trmi_ode_stiffness(s, a->h, q, v, rate) > STABILITY);
}

// ---- steps ----

// Constant steps need k - 1 rates: the first ones come from Runge-Kutta steps, short ones so that
// they do not show.
static trmi_outcome start_grid(trm_simulation *s, double h)
{
    trmi_ode *starter = &adams_of(s)->starter;
    trmi_point *p = &s->corrector.point;
    const trmi_point *from = &s->now;
    double *rate = starter->rate[TRMI_RESULT_853], part = h / RUNGE_KUTTA_STEPS;
    memcpy(rate, trmi_ode_of(s)->rate[0], (size_t)starter->size * sizeof *rate);
    trmi_outcome result = TRMI_OUTCOME_OK;
    for (int i = 0; i < RUNGE_KUTTA_STEPS && result == TRMI_OUTCOME_OK; i++, from = p) {
        result = trmi_explicit_stages(s, starter, &s->saddle, from, part, p);
        trmi_point at = *p;
        if (result == TRMI_OUTCOME_OK)
            result = trmi_ode_evaluate(s, &s->saddle, &at, rate);
    }
    push_rate(trmi_ode_of(s), p->t);
    if (result == TRMI_OUTCOME_OK)
        result = trmi_ode_project(s, p);
    trmi_point at = *p;
    return result == TRMI_OUTCOME_OK
               ? trmi_ode_evaluate(s, &s->saddle, &at, trmi_ode_of(s)->rate[0])
               : result;
}

static trmi_outcome attempt(trm_simulation *s, trmi_step_trial *trial)
{
    int k = s->control.k, count = trmi_ode_of(s)->count;
    bool grows = s->rule->adapts;
    trial->k = k <= count + 1 || !grows ? k : count + 1;
    adams_of(s)->on_grid = !grows && count < trial->k - 1;
    if (adams_of(s)->on_grid)
        return start_grid(s, trial->h);
    trmi_outcome result = predict(s, trial);
    if (result == TRMI_OUTCOME_OK) // the difference is that of the corrector
        adams_of(s)->error = estimate(s, trial, difference_of(trial->k));
    return result;
}

static double estimate_error(trm_simulation *s, trmi_step_trial *trial)
{
    (void)trial;
    return adams_of(s)->error;
}

// to the projected point
static trmi_outcome finish(trm_simulation *s, trmi_step_trial *trial)
{
    if (adams_of(s)->on_grid)
        return TRMI_OUTCOME_OK;
    correct(s, trial);
    trmi_outcome result = trmi_ode_project(s, &s->corrector.point);
    if (result == TRMI_OUTCOME_OK)
        watch_stiffness(s, trial);
    return result;
}

static void withdraw(trm_simulation *s)
{
    pop_rate(trmi_ode_of(s));
}

static void accept(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_ode_of(s)->t[0] = trial->t;
    memcpy(s->corrector.point.a, trmi_ode_of(s)->rate[0], (size_t)s->e.n_q * sizeof(double));
}

// Its steps are many and short, each with half of what it may err by: those of a four-bar at 1e-3
// add up to 44 tolerances, where other methods have 3 to 5. With a tenth in each they have 5, too.
const trmi_method trmi_method_adams = {
    .name = "adams",
    .order_max = 10,
    .tightening = 1,
    .step_share = 0.1,
    .glides = true,
    .watches_rank = true,
    .energy_advice = {TRMI_ODE_ADVICE, TRMI_ODE_ADVICE},
    .history = keep_history,
    .create = create,
    .begin = begin,
    .dense = trmi_adams_dense,
    .reexpress = reexpress,
    .archive = archive_state,
    .appears_stiff = trmi_ode_appears_stiff,
    .check = trmi_ode_check_rank,
    .attempt = attempt,
    .estimate = estimate_error,
    .finish = finish,
    .adapt_to_error = adapt_to_error,
    .withdraw = withdraw,
    .plan = plan,
    .accept = accept,
};
