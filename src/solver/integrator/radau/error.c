// SPDX-License-Identifier: Apache-2.0
// The error estimate and the length of the next step. The estimate is the defect of the collocation
// polynomials at the beginning of the step, filtered by the real matrix, alpha = g/h:
//
//     rho_q = v_n + (1/h) sum d_i Z_i,   rho_v = a_n + (1/h) sum d_i (V_i - v_n),   rho_x likewise
//     (alpha^2 M + alpha D + K) e_q - f_x e_x - f_z e_z + C^T eps = M rho_v + (alpha M + D) rho_q
//     (alpha - c_x) e_x - (c_q + alpha c_v) e_q - c_z e_z         = rho_x - c_v rho_q
//     (b_q + alpha b_v) e_q + b_x e_x + b_z e_z                   = b_v rho_q
//     G e_q = 0,  A e_q = A rho_q / alpha,  e_v = alpha e_q - rho_q, projected onto G e_v = 0
//
// Multipliers and z are not tested.
#include "solver/integrator/simulation.h"

#include "solver/integrator/radau/radau.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double MIN_ERROR = 1e-10; // so that powers of it mean something
// safety; a step becomes at most so much longer or shorter
static const double SAFETY = 0.9, MAX_GROWTH = 8, MAX_SHRINK = 5;
// contraction aimed at, and below which derivatives are kept for the next step
static const double RATE_GOAL = 0.3, RATE_KEEP = 1e-3;
// coupled stages: contraction up to which the next step may be longer, and, where there was but one
// iteration, the size of its correction
static const double RATE_GROWS = 0.1, FIRST_GROWS = 1;
// a step is not changed for less, if its factors can be kept
static const double MIN_GROWTH = 1.2;
// After a failure of Newton at h: steps of at most CAP h for some attempts, then a cap that grows,
// until it is far from where it began.
static const double CAP = 0.8, CAP_GROWTH = 1.3, CAP_END = 4;
enum { CAP_ATTEMPTS = 3 };

int trmi_radau_iteration_limit(const trm_simulation *s)
{
    return trmi_iteration_limit(&s->corrector, 7 + 5 * (trmi_radau_of(s)->tableau->s - 3) / 2);
}

// ---- estimate ----

// y without its part across the first `count` constraints of the middle
static void drop_normal_part(trm_simulation *s, int count, double *y)
{
    trmi_tangent *tangent = &trmi_radau_of(s)->tangent;
    const trmi_manifold m = trmi_radau_manifold(s, tangent);
    if (count == 0)
        return;
    double *level = trmi_scratch_take(&s->scratch, s->e.n_r_full + 1);
    trmi_tangent_rows(tangent, y, level);
    trmi_manifold_correct(&m, level, count, NULL, y);
    trmi_scratch_release(&s->scratch, level);
}

// defect = the sums of the heading without v_n, a_n, x'_n
static void find_defect(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    int n = e->n_q;
    double *rho = r->defect;
    memset(rho, 0, (size_t)(2 * n + e->n_x) * sizeof *rho);
    for (int j = 0; j < r->tableau->s; j++) {
        const trmi_radau_stage *stage = &r->stage[j];
        double d = r->tableau->defect[j] / h;
        for (int i = 0; i < n; i++) {
            rho[i] += d * stage->z[i];
            rho[n + i] += d * (stage->point.v[i] - s->now.v[i]);
        }
        for (int i = 0; i < e->n_x; i++)
            rho[2 * n + i] += d * stage->dx[i];
    }
}

// e from rho_q (which loses its part across the constraints), M rho_v and rho_x
static void filter(trm_simulation *s, double h, double *rho_q, double *m_rho_v, const double *rho_x)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    const trmi_shifted *matrix = &r->matrix;
    int n = e->n_q;
    double alpha = r->tableau->real_shift / h, *b = r->work[1], *x = b + n, *z = x + e->n_x;
    double *rows = z + e->n_z, *error = r->error;
    // The part of rho_q across g = 0 is balanced by eps alone, but divides the roundoff of
    // positions by the step: where multipliers enter forces it would be taken for an error of the
    // velocities.
    drop_normal_part(s, e->n_g, rho_q);
    memset(b, 0, (size_t)matrix->n * sizeof *b);
    trmi_shifted_multiply(matrix, TRMI_KEPT_MASS, rho_q, b);
    for (int i = 0; i < n; i++)
        b[i] = alpha * b[i] + m_rho_v[i];
    trmi_shifted_multiply(matrix, TRMI_KEPT_DAMPING, rho_q, b);
    for (int i = 0; i < n; i++)
        b[i] /= alpha * alpha;
    trmi_shifted_multiply(matrix, TRMI_KEPT_RATE_V, rho_q, x);
    for (int i = 0; i < e->n_x; i++)
        x[i] = (rho_x[i] - x[i]) / alpha;
    trmi_shifted_multiply(matrix, TRMI_KEPT_ALGEBRAIC_V, rho_q, z);
    trmi_shifted_multiply(matrix, TRMI_KEPT_ROLLING, rho_q, rows);
    for (int i = e->n_g; i < e->n_r; i++)
        rows[i] /= alpha;
    trmi_shifted_solve(&r->matrix, b);
    memcpy(error, b, (size_t)n * sizeof *b);
    for (int i = 0; i < n; i++)
        error[n + i] = alpha * b[i] - rho_q[i];
    memcpy(error + 2 * n, x, (size_t)e->n_x * sizeof *x);
    drop_normal_part(s, e->n_r, error + n);
}

static double norm_of_error(const trm_simulation *s)
{
    const trmi_evaluator *e = &s->e;
    const double *error = trmi_radau_of(s)->error, *weight = s->weight;
    bool velocities = s->options.error_test != TRM_ERROR_TEST_Q;
    int n = e->n_q, count = (velocities ? 2 : 1) * n + e->n_x;
    double sum = trmi_weighted_square(error, weight, n) +
                 trmi_weighted_square(error + 2 * n, weight + 2 * n, e->n_x);
    if (velocities)
        sum += trmi_weighted_square(error + n, weight + n, n);
    double norm = count > 0 ? sqrt(sum / count) : 0;
    return norm >= MIN_ERROR || isnan(norm) ? norm : MIN_ERROR;
}

// Once more with the true right-hand side at y_n + e in place of its linearization:
//     rho_q += e_v,  M rho_v = f - C^T lambda_n - (M(q_n + e_q) - M) a_n + M (1/h) sum d_i (..)
static trmi_outcome filter_again(trm_simulation *s, double h)
{
    trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    trmi_point *p = &r->filtered;
    int n = e->n_q;
    double *rho_q = r->defect, *rho_v = rho_q + n, *rho_x = rho_v + n, *force = r->work[0];
    p->t = s->now.t;
    for (int i = 0; i < n; i++) {
        p->q[i] = s->now.q[i] + r->error[i];
        p->v[i] = s->now.v[i] + r->error[n + i];
    }
    for (int i = 0; i < e->n_x; i++)
        p->x[i] = s->now.x[i] + r->error[2 * n + i];
    memcpy(p->z, s->now.z, (size_t)e->n_z * sizeof *p->z);
    memcpy(p->lambda, s->now.lambda, (size_t)e->n_r * sizeof *p->lambda);
    int result =
        trmi_evaluate(e, p, TRMI_POSITION_QUANTITIES | TRM_BIT(FORCE) | TRM_BIT(RATE), &s->values);
    if (result != 0)
        return trmi_callback_result(result);
    trmi_mass_product(&s->values, r->rate, force);
    for (int i = 0; i < n; i++) {
        rho_q[i] += s->now.v[i] + r->error[n + i];
        rho_v[i] += r->rate[i];
        force[i] = s->values.of[TRM_QUANTITY_FORCE][i] - force[i];
    }
    for (int i = 0; i < e->n_x; i++)
        rho_x[i] += s->values.of[TRM_QUANTITY_RATE][i];
    trmi_add_constraint_force(&s->values, p->lambda, -1, force);
    trmi_shifted_multiply(&r->matrix, TRMI_KEPT_MASS, rho_v, force);
    memcpy(rho_v, force, (size_t)n * sizeof *force);
    filter(s, h, rho_q, rho_v, rho_x);
    return TRMI_OUTCOME_OK;
}

double trmi_radau_estimate(trm_simulation *s, trmi_step_trial *trial)
{
    double h = trial->h;
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    int n = e->n_q;
    double *rho_q = r->defect, *rho_v = rho_q + n, *rho_x = rho_v + n, *product = r->work[0];
    find_defect(s, h);
    for (int i = 0; i < n; i++) {
        rho_q[i] += s->now.v[i];
        rho_v[i] += r->rate[i];
    }
    for (int i = 0; i < e->n_x; i++)
        rho_x[i] += r->rate[n + i];
    memset(product, 0, (size_t)n * sizeof *product);
    trmi_shifted_multiply(&r->matrix, TRMI_KEPT_MASS, rho_v, product);
    memcpy(rho_v, product, (size_t)n * sizeof *product);
    filter(s, h, rho_q, rho_v, rho_x);
    double error = norm_of_error(s);
    bool again = !(r->error_accepted > 0) || r->rejected; // the first step, or one after a failure
    if (!(error >= 1) || !again)
        return error;
    find_defect(s, h);
    return filter_again(s, h) == TRMI_OUTCOME_OK ? norm_of_error(s) : error;
}

// ---- the next step ----

static double clip(double quotient)
{
    return fmax(1 / MAX_GROWTH, fmin(MAX_SHRINK, quotient));
}

// h / h_new by the error of this step, more careful after many iterations
static double quotient_of(const trm_simulation *s, double error)
{
    const trmi_radau *r = trmi_radau_of(s);
    int limit = trmi_radau_iteration_limit(s);
    double safety = fmin(SAFETY, SAFETY * (1 + 2 * limit) / (r->newton.iterations + 2 * limit));
    return isnan(error) ? MAX_SHRINK : clip(pow(error, 1.0 / (r->tableau->s + 1)) / safety);
}

// predictive: from the change of the error since the step before
static double predicted_quotient(const trmi_radau *r, double h, double error)
{
    double trend = pow(error * error / r->error_accepted, 1.0 / (r->tableau->s + 1));
    return clip(r->h_accepted / h * trend / SAFETY);
}

// Coupled stages have the derivatives of their first iterate: Newton contracts in proportion to the
// first correction, the error of the stages as they were predicted. That grows with h^(s+1) and
// once more as the polynomial is followed further: 1.6 times the step made it a hundred times as
// large. Without this bound every sixth attempt on a stiff bushing fails, with it every eleventh.
static double bound_by_prediction(const trmi_radau *r, double h, double h_new)
{
    const trmi_radau_newton *newton = &r->newton;
    if (!r->order.stacked || !(newton->first > 0))
        return h_new;
    double growth = newton->rate > 0 ? RATE_GROWS / newton->rate : FIRST_GROWS / newton->first;
    return fmin(h_new, h * fmax(1, pow(growth, 0.5 / (r->tableau->s + 1))));
}

// Newton must keep contracting: without these two bounds steps are accepted, grow, fail, in turn
static double bound_by_contraction(const trmi_radau *r, double h, double h_new)
{
    double rate = r->newton.rate, growth = RATE_GOAL / rate;
    if (rate > 0)
        h_new = fmin(h_new, h * (rate > RATE_GOAL ? fmax(0.2, growth) : growth));
    return r->h_cap > 0 ? fmin(h_new, r->h_cap) : h_new;
}

static void raise_cap(trmi_radau *r)
{
    r->since_failure++;
    if (r->h_cap > 0 && r->since_failure > CAP_ATTEMPTS)
        r->h_cap *= CAP_GROWTH;
    if (r->h_cap > CAP_END * r->h_failed)
        r->h_cap = 0;
}

bool trmi_radau_wants_set(const trmi_radau *r)
{
    return r->order.stacked || r->newton.rate > RATE_KEEP;
}

void trmi_radau_plan(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_radau *r = trmi_radau_of(s);
    double h = trial->h, quotient = quotient_of(s, trial->error);
    if (r->error_accepted > 0)
        quotient = fmax(quotient, predicted_quotient(r, h, trial->error));
    r->h_accepted = h;
    r->error_accepted = fmax(0.01, trial->error);
    double h_new = bound_by_contraction(r, h, bound_by_prediction(r, h, h / quotient));
    raise_cap(r);
    if (r->rejected)
        h_new = fmin(h_new, h);
    r->rejected = false;
    bool keeps_factors = !trial->cut && !trmi_radau_wants_set(r);
    s->control.h = keeps_factors && h_new >= h && h_new <= MIN_GROWTH * h ? h : h_new;
}

void trmi_radau_adapt_to_error(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_radau *r = trmi_radau_of(s);
    bool first = !(r->error_accepted > 0);
    double h = trial->h;
    s->control.h = first ? 0.1 * h : h / fmax(quotient_of(s, trial->error), 1.0 / 0.95);
    r->rejected = true;
    r->since_failure++;
}

void trmi_radau_not_converged(trm_simulation *s, double h, trmi_outcome reason)
{
    trmi_radau *r = trmi_radau_of(s);
    double remaining = r->newton.remaining, factor = 0.5;
    if (reason == TRMI_OUTCOME_DIVERGED && isfinite(remaining) && remaining > 0)
        factor = fmin(0.8, 0.8 * pow(fmin(20, remaining), -0.125));
    s->control.h = factor * h;
    r->h_cap = r->h_failed = CAP * h;
    r->since_failure = 0;
    r->rejected = true;
    if (!r->order.stacked || r->order.trial)
        r->set_wanted = true; // the middle of a shorter step is elsewhere
}
