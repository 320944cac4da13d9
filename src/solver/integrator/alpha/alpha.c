// SPDX-License-Identifier: Apache-2.0
// Steps of the alpha methods: hats from the last point, the nested corrector, phi and lambda again
// at the point found, the error test.
#include "solver/integrator/alpha/alpha.h"

#include "base/error.h"
#include "solver/formulation/redundancy.h"
#include "solver/integrator/explicit/ode.h"
#include "solver/integrator/failure.h"
#include "solver/integrator/log.h"
#include "solver/integrator/settle.h"
#include "solver/integrator/simulation.h"
#include "solver/integrator/step.h"
#include "solver/integrator/step_projection.h"

#include <math.h>
#include <string.h>

// ---- members of the family ----

static trmi_alpha_member parameters_of(const trm_options *o)
{
    double rho = o->rho, alpha = o->alpha;
    switch (o->integrator) {
    case TRM_INTEGRATOR_HHT:
        return (trmi_alpha_member){
            .af = -alpha, .gamma = 0.5 - alpha, .beta = 0.25 * (1 - alpha) * (1 - alpha)};
    case TRM_INTEGRATOR_GENERALIZED_ALPHA: {
        if (o->alpha_parameters == TRM_ALPHA_PARAMETERS_GIVEN)
            return (trmi_alpha_member){
                .am = o->alpha_m, .af = o->alpha_f, .beta = o->beta, .gamma = o->gamma};
        bool wbz = o->alpha_parameters == TRM_ALPHA_PARAMETERS_WBZ;
        double am = (wbz ? rho - 1 : 2 * rho - 1) / (rho + 1);
        double af = wbz ? 0 : rho / (rho + 1), d = 1 - am + af;
        return (trmi_alpha_member){.am = am, .af = af, .gamma = d - 0.5, .beta = 0.25 * d * d};
    }
    default:
        return (trmi_alpha_member){.beta = o->beta, .gamma = o->gamma};
    }
}

// With a_n = phi(t_n + d h) + k h^2 phi'' + ..., d = am - af, the local errors are those of the
// quadrature: q by the h^3 terms of (1/2 - beta) a_n + beta a_{n+1}, v by those of (1 - gamma) a_n
// + gamma a_{n+1}.
trmi_alpha_member trmi_alpha_member_of(const trm_options *options)
{
    trmi_alpha_member m = parameters_of(options);
    double share = (1 - m.af) / (1 - m.am), d = m.am - m.af;
    double k = 0.5 * (1 - m.af) - 0.5 * (1 - m.am) * (1 + d) * (1 + d) - 0.5 * m.am * d * d;
    m.b_hat = m.beta * share;
    m.g_hat = m.gamma * share;
    m.c_q = m.beta + 0.5 * d - 1.0 / 6;
    m.c_1 = m.gamma + d - 0.5;
    if (fabs(m.c_1) < 1e-12)
        m.c_1 = 0;
    m.c_v = (1 - m.gamma) * (0.5 * d * d + k) + m.gamma * (0.5 * (1 + d) * (1 + d) + k) - 1.0 / 6;
    m.order = m.c_1 == 0 ? 2 : 1;
    return m;
}

// ---- creation ----

bool trmi_alpha_create(trm_simulation *s)
{
    trmi_memory *memory = &s->memory;
    const trmi_evaluator *e = &s->e;
    trmi_alpha *a;
    if (!TRMI_TAKE(memory, a, 1))
        return false;
    s->state = a;
    a->member = trmi_alpha_member_of(&s->options);
    a->size = e->n_q + e->n_x;
    return TRMI_TAKE(memory, a->slope, a->size) && TRMI_TAKE(memory, a->rate, a->size) &&
           TRMI_TAKE(memory, a->before, a->size) && TRMI_TAKE(memory, a->used, a->size) &&
           TRMI_TAKE(memory, a->rate_next, a->size) && TRMI_TAKE(memory, a->solved, a->size) &&
           TRMI_TAKE(memory, a->shift[0], e->n_q) && TRMI_TAKE(memory, a->shift[1], e->n_q) &&
           TRMI_TAKE(memory, s->corrector.star, e->n_q) &&
           TRMI_TAKE(memory, s->corrector.shift, e->n_q);
}

// The matrix of phi beside that of the step, once it is known which rows are redundant. Velocities
// are projected with it; where multipliers enter the equations, with the matrix of the step, which
// knows what follows from them.
trm_status trmi_alpha_prepare(trm_simulation *s)
{
    const trmi_alpha_member *m = &trmi_alpha_of(s)->member;
    if (2 * m->beta < m->gamma)
        trmi_log(s, TRM_LOG_WARNING,
                 "beta = %g is less than gamma/2: stable for steps short against the fastest "
                 "oscillation only",
                 m->beta);
    if (m->am > m->af)
        trmi_log(s, TRM_LOG_WARNING, "alpha_m = %g exceeds alpha_f = %g: fast oscillations grow",
                 m->am, m->af);
    trm_status status = trmi_mass_saddle_create(s);
    trmi_alpha_of(s)->filter = &s->saddle;
    if (!s->e.lambda_enters && s->corrector.policy->after == TRMI_AFTER_VELOCITY)
        s->corrector.mass_saddle = s->mass_saddle;
    return status;
}

trm_status trmi_alpha_begin(trm_simulation *s, double t_end)
{
    trmi_alpha *a = trmi_alpha_of(s);
    trm_status status = trmi_ode_begin(s, t_end, a->rate);
    memcpy(a->slope, a->rate, (size_t)a->size * sizeof *a->rate);
    a->shifts = 0;
    a->h_slope = s->control.h;
    a->h_before = 0;
    a->rejected = false;
    s->control.k = a->member.order;
    return status;
}

// ---- one attempt ----

// The algorithmic acceleration belongs to t_n + (am - af) h: for a step of another length,
// a_n = phi_n + (h / h_slope) (a_n - phi_n).
static void fit_slope(trmi_alpha *a, double h)
{
    double ratio = h / a->h_slope;
    for (int i = 0; i < a->size; i++)
        a->used[i] = ratio == 1 ? a->slope[i] : a->rate[i] + ratio * (a->slope[i] - a->rate[i]);
}

// What the projection will add to v*, so that the forces have it from the first iteration on: it is
// a smooth function of t times h^2.
static void predict_shift(trm_simulation *s, double h)
{
    const trmi_alpha *a = trmi_alpha_of(s);
    double here = a->shifts > 0 ? h * h : 0;
    double slope = a->shifts > 1 ? here * h / a->h_before : 0;
    for (int i = 0; i < s->e.n_q; i++)
        s->corrector.shift[i] = here * a->shift[0][i] + slope * (a->shift[0][i] - a->shift[1][i]);
}

static void keep_shift(trm_simulation *s, double h)
{
    trmi_alpha *a = trmi_alpha_of(s);
    double *spare = a->shift[1];
    for (int i = 0; i < s->e.n_q; i++)
        spare[i] = s->corrector.shift[i] / (h * h);
    a->shift[1] = a->shift[0];
    a->shift[0] = spare;
    a->shifts = a->shifts < 2 ? a->shifts + 1 : 2;
}

// velocities, where they are unknowns
static void predict_velocities(trm_simulation *s, double h, const trmi_point *from)
{
    const trmi_evaluator *e = &s->e;
    int n = e->n_q;
    for (int i = 0; i < n; i++)
        s->prediction.y[n + i] = from->v[i] + h * trmi_alpha_of(s)->used[i];
}

// The hats as offsets of the corrector, taken from the scratch memory, and the predictor q + h v +
// h^2 a/2, x + h a
static trmi_stage predict(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_alpha *a = trmi_alpha_of(s);
    const trmi_alpha_member *m = &a->member;
    const trmi_point from = trmi_past_point(s, 0); // the present one may lie beyond, after a glide
    int n = e->n_q;
    double cv = m->g_hat / (m->b_hat * h), ca = 1 / (m->g_hat * h), part = 1 / (1 - m->am);
    double q_a = h * h * (0.5 - m->beta * part), q_phi = h * h * m->beta * m->af * part;
    double v_a = h * (1 - m->gamma * part), v_phi = h * m->gamma * m->af * part;
    double *q = s->prediction.y, *x = q + 2 * n, *z = x + e->n_x;
    double *bq = trmi_scratch_take(&s->scratch, s->history.size), *bv = bq + n;
    fit_slope(a, h);
    predict_shift(s, h);
    const double *slope = a->used, *phi = a->rate;
    for (int i = 0; i < n; i++) {
        double q_hat = from.q[i] + h * from.v[i] + q_a * slope[i] + q_phi * phi[i];
        double v_hat = from.v[i] + v_a * slope[i] + v_phi * phi[i];
        q[i] = from.q[i] + h * (from.v[i] + 0.5 * h * slope[i]);
        bq[i] = v_hat - cv * q_hat;
        bv[i] = -ca * v_hat;
    }
    for (int i = 0; i < e->n_x; i++) {
        double w = slope[n + i];
        x[i] = from.x[i] + h * w;
        bv[n + i] = -ca * (from.x[i] + v_a * w + v_phi * phi[n + i]);
    }
    memcpy(z, from.z, (size_t)e->n_z * sizeof *z);
    memcpy(z + e->n_z, from.lambda, (size_t)s->prediction.multipliers * sizeof *z);
    if (s->method->unknown_velocities)
        predict_velocities(s, h, &from);
    return (trmi_stage){from.t + h, h, {cv, ca}, s->prediction.y, bq, from.lambda, from.v};
}

// The rates for which the corrector solved: a = ca v* + bv, and likewise of x. Velocities that are
// unknowns of their own are those of a corrector that ends when its residual is small.
static void keep_solved(trm_simulation *s, const trmi_stage *stage)
{
    const trmi_evaluator *e = &s->e;
    const trmi_point *p = &s->corrector.point;
    const trmi_leading lead = stage->leading;
    const double *bq = stage->offset, *bv = bq + e->n_q;
    double *solved = trmi_alpha_of(s)->solved;
    trmi_alpha_of(s)->knows_solved = !s->method->unknown_velocities;
    for (int i = 0; i < e->n_q; i++)
        solved[i] = lead.ca * (lead.cv * p->q[i] + bq[i]) + bv[i];
    for (int i = e->n_q; i < e->n_q + e->n_x; i++)
        solved[i] = lead.ca * p->x[i - e->n_q] + bv[i];
}

// Applied to a form of another index directly, the method has no phi: the accelerations and
// multipliers of the step equations themselves are carried on.
static trmi_outcome take_rate_of_step(trm_simulation *s, const trmi_stage *stage)
{
    trmi_evaluator *e = &s->e;
    double *rate = trmi_alpha_of(s)->rate_next;
    const trmi_point *p = &s->corrector.point;
    const double *bx = stage->offset + 2 * e->n_q;
    memcpy(rate, p->a, (size_t)e->n_q * sizeof *rate);
    for (int i = 0; i < e->n_x; i++)
        rate[e->n_q + i] = stage->leading.ca * p->x[i] + bx[i];
    return trmi_callback_result(trmi_evaluate(e, p, TRM_BIT(MASS), &s->values));
}

// phi, lambda, z and the rates of x at the point found
static trmi_outcome evaluate_rate(trm_simulation *s)
{
    trmi_evaluator *e = &s->e;
    trmi_alpha *a = trmi_alpha_of(s);
    trmi_point *p = &s->corrector.point;
    size_t n = (size_t)e->n_q;
    trmi_outcome result = TRMI_OUTCOME_OK;
    bool projected = s->corrector.mass_saddle && !s->corrector.policy->frozen_direction;
    if (projected && e->n_r > 0 && e->n_z == 0) { // with the factors of the projection
        const uint64_t want = TRM_BIT(FORCE) | TRM_BIT(GAMMA) | TRM_BIT(RATE);
        result = trmi_callback_result(trmi_evaluate(e, p, want, &s->values));
        if (result != TRMI_OUTCOME_OK)
            return result;
        const trmi_manifold m = {.saddle = s->mass_saddle, .scratch = &s->scratch};
        trmi_manifold_accelerations(&m, p);
        memcpy(a->rate_next, p->a, n * sizeof *p->a);
        memcpy(a->rate_next + n, s->values.of[TRM_QUANTITY_RATE], (size_t)e->n_x * sizeof *p->a);
    } else {
        trmi_point at = *p; // its a is the rate
        result = trmi_ode_evaluate(s, s->mass_saddle, &at, a->rate_next);
        memcpy(p->a, a->rate_next, n * sizeof *p->a);
    }
    double sum = 0;
    for (int i = 0; i < a->size; i++)
        sum += a->rate_next[i];
    return result == TRMI_OUTCOME_OK && !isfinite(sum) ? TRMI_OUTCOME_NOT_FINITE : result;
}

trmi_outcome trmi_alpha_attempt(trm_simulation *s, trmi_step_trial *trial)
{
    trmi_stage stage = predict(s, trial->h);
    trial->k = s->control.k;
    trmi_outcome result = s->method->correct(&s->corrector, &stage);
    keep_solved(s, &stage);
    bool direct = s->corrector.policy->after == TRMI_AFTER_NOTHING && s->e.n_r > 0;
    if (result == TRMI_OUTCOME_OK && direct)
        result = take_rate_of_step(s, &stage);
    else if (result == TRMI_OUTCOME_OK)
        result = trmi_project_step(s);
    trmi_scratch_release(&s->scratch, stage.offset);
    return result == TRMI_OUTCOME_OK && !direct ? evaluate_rate(s) : result;
}

static void adapt_to_failure(trm_simulation *s, const trmi_step_trial *trial, trmi_outcome reason)
{
    trmi_alpha_of(s)->rejected = true;
    trmi_adapt_to_failure(s, trial, reason);
}

// ---- acceptance ----

// slope = [(1 - af) phi_{n+1} + af phi_n - am a_n] / (1 - am); the newest rates move one back
static void shift_rates(trmi_alpha *a, double h)
{
    const trmi_alpha_member *m = &a->member;
    double part = 1 / (1 - m->am), *spare = a->before;
    for (int i = 0; i < a->size; i++)
        a->slope[i] =
            part * ((1 - m->af) * a->rate_next[i] + m->af * a->rate[i] - m->am * a->used[i]);
    a->before = a->rate;
    a->rate = a->rate_next;
    a->rate_next = spare;
    a->h_slope = a->h_before = h;
}

void trmi_alpha_accept(trm_simulation *s, const trmi_step_trial *trial)
{
    shift_rates(trmi_alpha_of(s), trial->h);
    keep_shift(s, trial->h);
    trmi_measure_residuals(s);
}

// ---- checkpoints ----

void trmi_alpha_archive(trm_simulation *s, trmi_archive *archive)
{
    trmi_alpha *a = trmi_alpha_of(s);
    double *arrays[] = {a->slope, a->rate, a->before};
    for (int i = 0; i < 3; i++)
        trmi_archive_doubles(archive, arrays[i], a->size);
    for (int i = 0; i < 2; i++)
        trmi_archive_doubles(archive, a->shift[i], s->e.n_q);
    trmi_archive_int(archive, &a->shifts, 0, 2);
    trmi_archive_doubles(archive, &a->h_slope, 1);
    trmi_archive_doubles(archive, &a->h_before, 1);
    trmi_archive_bool(archive, &a->rejected);
}

// slope and rate as accelerations of the newest point, and the rate before as those of its own
void trmi_alpha_reexpress(trm_simulation *s, const trmi_recentring *r)
{
    trmi_alpha *a = trmi_alpha_of(s);
    const trmi_point p = trmi_past_point(s, 0);
    trmi_reexpress_acceleration(s, r, p.q, p.v, a->slope);
    trmi_reexpress_acceleration(s, r, p.q, p.v, a->rate);
    a->shifts = 0; // only a prediction
    if (s->history.count < 2)
        a->h_before = 0;
    if (a->h_before > 0) {
        const trmi_point older = trmi_past_point(s, 1);
        trmi_reexpress_acceleration(s, r, older.q, older.v, a->before);
    }
}

// One family, whose members have parameters of their own. Many steps of order two, each with an
// error of the tolerance, leave the motion off by 20 to 500 of them in the median; with a
// hundredth, as bdf has in auto, by 1 to 20.
#define ALPHA_METHOD(key)                                                                          \
    {                                                                                              \
        .name = key, .order_max = 2, .tightening = 1, .step_share = 0.01, .implicit = true,        \
        .glides = true, .corrects = true, .noisy_velocities = true, .rough_predictor = true,       \
        .watches_rank = true,                                                                      \
        .energy_advice = {TRMI_TIGHTEN ", damp less (rho = 1, alpha = 0), or use radau-adaptive",  \
                          TRMI_TIGHTEN ", or use radau-adaptive"},                                 \
        .create = trmi_alpha_create, .prepare = trmi_alpha_prepare, .begin = trmi_alpha_begin,     \
        .dense = trmi_alpha_dense, .reexpress = trmi_alpha_reexpress,                              \
        .archive = trmi_alpha_archive, .correct = trmi_correct_nested,                             \
        .attempt = trmi_alpha_attempt, .estimate = trmi_alpha_estimate,                            \
        .adapt_to_failure = adapt_to_failure, .adapt_to_error = trmi_alpha_adapt_to_error,         \
        .plan = trmi_alpha_plan, .accept = trmi_alpha_accept                                       \
    }

const trmi_method trmi_method_newmark = ALPHA_METHOD("newmark");
const trmi_method trmi_method_hht = ALPHA_METHOD("hht");
const trmi_method trmi_method_generalized_alpha = ALPHA_METHOD("generalized-alpha");
