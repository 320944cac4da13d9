// SPDX-License-Identifier: Apache-2.0
// The coupled corrector with DASSL's Newton control: matrices kept over steps, rate-based test.
#include "solver/integrator/classic/coupled.h"
#include "solver/integrator/corrector/corrector.h"
#include "solver/integrator/corrector/update.h"
#include "solver/integrator/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CLASSIC_ITERATIONS = 4, RENEWED_ITERATIONS = 20 };
static const double RATE_LIMIT = 0.9;
// a split with larger entries of Q is chosen again with the next matrix
static const double SPLIT_BOUND = 10;

static const uint64_t LEVELS =
    TRM_BIT(TRM_CONSTRAINT) | TRM_BIT(TRM_CONSTRAINT_Q) | TRM_BIT(TRM_CONSTRAINT_T);

static trmi_coupled_vector parts_of(trmi_corrector *c)
{
    int n = c->e->n_q, m = c->e->n_r;
    double *y = c->rhs;
    return (trmi_coupled_vector){y, y + n, y + 2 * n, y + 2 * n + m};
}

// r1 = q' - v (alpha methods: times M), r2 = M v' - f, G v + g_t, g at the iterate
static trmi_outcome evaluate_residual(trmi_corrector *c, trmi_leading lead)
{
    trmi_evaluator *e = c->e;
    trmi_point *p = &c->point;
    trmi_coupled_vector r = parts_of(c);
    for (int i = 0; i < e->n_q; i++)
        p->a[i] = lead.ca * p->v[i] + c->bv[i];
    uint64_t mass = c->retry_with_fresh_matrices ? TRM_BIT(TRM_MASS) : 0;
    int result = trmi_evaluate(e, p, trmi_inertia_quantities(e) | mass | LEVELS, c->values);
    if (result != 0)
        return trmi_callback_result(result);
    for (int i = 0; i < e->n_q; i++)
        r.q[i] = lead.cv * p->q[i] + c->bq[i] - p->v[i];
    if (c->retry_with_fresh_matrices) {
        double *rate = trmi_scratch_take(c->scratch, e->n_q);
        memcpy(rate, r.q, (size_t)e->n_q * sizeof *r.q);
        trmi_mass_product(c->values, rate, r.q);
        trmi_scratch_release(c->scratch, rate);
    }
    trmi_inertia_residual(c->values, p->a, r.v);
    double *level = trmi_scratch_take(c->scratch, e->n_r_full + 1); // a dummy row longer than r.mu
    trmi_velocity_level(c->values, p->v, level);
    memcpy(r.mu, level, (size_t)e->n_r * sizeof *r.mu);
    trmi_scratch_release(c->scratch, level);
    trmi_copy_or_zero(r.lambda, trmi_position_level(c->values), e->n_r);
    double sum = 0;
    for (int i = 0; i < 2 * (e->n_q + e->n_r); i++)
        sum += c->rhs[i];
    return isfinite(sum) ? TRMI_OUTCOME_OK : TRMI_OUTCOME_NOT_FINITE;
}

// multipliers from the residual, s = -(GY)^-T Y^T r
static void take_multipliers(trmi_corrector *c)
{
    trmi_coupled_vector r = parts_of(c);
    trmi_coupled_multipliers(c->coupled, r.q, c->mu);
    trmi_coupled_multipliers(c->coupled, r.v, c->point.lambda);
}

// adds the constraint forces to the residual as the policy wants them
static trmi_outcome add_constraint_forces(trmi_corrector *c, bool choose, bool first)
{
    const trmi_policy *policy = c->policy;
    bool from_residual =
        !policy->unknown_multipliers || (first && policy->start == TRMI_MULTIPLIERS_FROM_RESIDUAL);
    if (policy->frozen_direction && !choose)
        return TRMI_OUTCOME_OK; // the old direction is in the matrix
    if (from_residual) {
        if (!trmi_coupled_split(c->coupled, choose))
            return TRMI_OUTCOME_SINGULAR;
        take_multipliers(c);
    }
    if (policy->frozen_direction)
        return TRMI_OUTCOME_OK;
    trmi_coupled_vector r = parts_of(c);
    trmi_add_constraint_force(c->values, c->mu, 1, r.q);
    trmi_add_constraint_force(c->values, c->point.lambda, 1, r.v);
    return TRMI_OUTCOME_OK;
}

static bool has_geometric(const trmi_corrector *c)
{
    return c->policy->geometric && !(c->e->absent & TRM_BIT(TRM_GEOMETRIC));
}

// all derivatives at the iterate; the geometric stiffness of mu with lambda replaced by mu
static trmi_outcome evaluate_derivatives(trmi_corrector *c)
{
    trmi_evaluator *e = c->e;
    uint64_t want = TRM_BIT(TRM_STIFFNESS) | TRM_BIT(TRM_DAMPING) | TRM_BIT(TRM_VELOCITY_Q);
    int result = 0;
    if (has_geometric(c)) {
        trmi_point p = c->point;
        p.lambda = c->mu;
        result = trmi_evaluate(e, &p, TRM_BIT(TRM_GEOMETRIC), c->values);
        memcpy(c->geometric_mu, c->values->of[TRM_GEOMETRIC],
               (size_t)e->block[TRM_GEOMETRIC].count * sizeof *c->geometric_mu);
        want |= TRM_BIT(TRM_GEOMETRIC);
    }
    if (result == 0)
        result = trmi_evaluate(e, &c->point, want, c->values);
    return trmi_callback_result(result);
}

static trmi_outcome form_matrix(trmi_corrector *c, trmi_leading lead, bool evaluate)
{
    trmi_outcome result = evaluate ? evaluate_derivatives(c) : TRMI_OUTCOME_OK;
    if (result == TRMI_OUTCOME_OK && !(trmi_inertia_quantities(c->e) & TRM_BIT(TRM_MASS)))
        result = trmi_callback_result(trmi_evaluate(c->e, &c->point, TRM_BIT(TRM_MASS), c->values));
    if (result != TRMI_OUTCOME_OK)
        return result;
    trmi_enter_derivatives(c, evaluate, lead.cv);
    c->rate_factor = 100;
    if (trmi_coupled_factor(c->coupled, lead, has_geometric(c), c->geometric_mu) != TRMI_FACTOR_OK)
        return TRMI_OUTCOME_SINGULAR;
    return TRMI_OUTCOME_OK;
}

// subtracts the correction in c->rhs; returns its norm over what the policy tests
static double apply(trmi_corrector *c)
{
    const trmi_evaluator *e = c->e;
    trmi_coupled_vector d = parts_of(c);
    double sum = 0;
    for (int i = 0; i < e->n_q; i++) {
        c->point.q[i] -= d.q[i];
        c->point.v[i] -= d.v[i];
        double q = d.q[i] * c->weight_q[i], v = d.v[i] * c->weight_v[i];
        sum += q * q + v * v;
    }
    int count = 2 * e->n_q;
    if (c->policy->unknown_multipliers)
        for (int i = 0; i < e->n_r; i++) {
            c->mu[i] -= d.mu[i];
            c->point.lambda[i] -= d.lambda[i];
        }
    if (c->policy->test_multipliers) {
        for (int i = 0; i < e->n_r; i++) {
            double l = d.lambda[i] * c->weight_lambda[i], m = d.mu[i] * c->weight_mu[i];
            sum += l * l + m * m;
        }
        count += 2 * e->n_r;
    }
    return sqrt(sum / count);
}

// the size of the predictor in units of the tolerance, for convergence to roundoff
static double predictor_norm(const trmi_corrector *c)
{
    double sum = 0;
    for (int i = 0; i < c->e->n_q; i++) {
        double q = c->point.q[i] * c->weight_q[i], v = c->point.v[i] * c->weight_v[i];
        sum += q * q + v * v;
    }
    return sqrt(sum / (2 * c->e->n_q));
}

// one Newton iteration sequence with the present matrix; the residual is in c->rhs
static trmi_outcome iterate(trmi_corrector *c, const trmi_stage *stage, double size)
{
    // the alpha methods form their matrix at every iterate, which may start far away
    bool renew = c->retry_with_fresh_matrices && !c->policy->frozen_direction;
    int most = trmi_iteration_limit(c, c->retry_with_fresh_matrices ? RENEWED_ITERATIONS
                                                                    : CLASSIC_ITERATIONS);
    double first = 0;
    for (int m = 0; m < most; m++) {
        if (m > 0) {
            trmi_outcome result = evaluate_residual(c, stage->leading);
            if (result == TRMI_OUTCOME_OK)
                result = add_constraint_forces(c, false, false);
            if (result == TRMI_OUTCOME_OK && renew)
                result = form_matrix(c, stage->leading, true);
            if (result != TRMI_OUTCOME_OK)
                return result;
        }
        double scale = 2 / (1 + stage->leading.cv / c->update.cj);
        for (int i = 0; i < 2 * (c->e->n_q + c->e->n_r); i++)
            c->rhs[i] *= scale;
        trmi_coupled_solve(c->coupled, parts_of(c));
        c->statistics->newton_iterations++;
        double d = apply(c), rate = NAN;
        if (!isfinite(d))
            return TRMI_OUTCOME_DIVERGED;
        if (m == 0)
            first = d;
        else
            rate = pow(d / first, 1.0 / m);
        trmi_log_iteration(c, d, rate);
        if (d <= 100 * DBL_EPSILON * size)
            return TRMI_OUTCOME_OK;
        if (m > 0 && rate > RATE_LIMIT && !c->retry_with_fresh_matrices)
            return TRMI_OUTCOME_DIVERGED;
        if (m > 0)
            c->rate_factor = rate / (1 - rate);
        if ((c->retry_with_fresh_matrices ? 1 : c->rate_factor) * d <= c->options->newton_tolerance)
            return TRMI_OUTCOME_OK;
    }
    return TRMI_OUTCOME_DIVERGED;
}

static trmi_outcome attempt(trmi_corrector *c, const trmi_stage *stage, trmi_matrix_action action)
{
    bool form = action != TRMI_MATRIX_KEEP, evaluate = form && action != TRMI_MATRIX_REFORM;
    c->log.count = 0;
    c->log.fresh = evaluate;
    trmi_start_at_predictor(c, stage);
    double size = predictor_norm(c);
    trmi_outcome result = evaluate_residual(c, stage->leading);
    if (result == TRMI_OUTCOME_OK)
        result = add_constraint_forces(c, form, true);
    if (result == TRMI_OUTCOME_OK && form)
        result = form_matrix(c, stage->leading, evaluate);
    return result == TRMI_OUTCOME_OK ? iterate(c, stage, size) : result;
}

trmi_outcome trmi_correct_coupled(trmi_corrector *c, const trmi_stage *stage)
{
    // as DASSL; with constant steps cj never changes, and a rate that is never measured again would
    // let anything pass
    if (stage->leading.cv != c->cj_last || c->no_shorter_steps)
        c->rate_factor = 100;
    c->cj_last = stage->leading.cv;
    c->rhs = trmi_scratch_take(c->scratch, 2 * trmi_rhs_size(c->e));
    trmi_outcome result = trmi_correct(c, stage, attempt);
    trmi_scratch_release(c->scratch, c->rhs);
    const trmi_split *split = trmi_coupled_get_split(c->coupled);
    c->update.wanted = result == TRMI_OUTCOME_SINGULAR || (split && split->max_q > SPLIT_BOUND);
    return result;
}
