// SPDX-License-Identifier: Apache-2.0
// The coupled corrector with DASSL's Newton control: matrices kept over steps, rate-based test.
#include "solver/integrator/classic/coupled.h"
#include "solver/integrator/corrector/corrector.h"
#include "solver/integrator/corrector/update.h"
#include "solver/integrator/method.h"
#include "solver/integrator/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CLASSIC_ITERATIONS = 4, RENEWED_ITERATIONS = 20 };
static const double RATE_LIMIT = 0.9;
// a split with larger entries of Q is chosen again with the next matrix
static const double SPLIT_BOUND = 10;

// what the residual needs besides M a - f
static const uint64_t LEVELS = TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) |
                               TRM_BIT(ROLLING) | TRM_BIT(ROLLING_OFFSET) | TRM_BIT(RATE) |
                               TRM_BIT(ALGEBRAIC);

bool trmi_iterates_multipliers(const trmi_corrector *c)
{
    return c->policy->unknown_multipliers || c->e->lambda_enters || c->e->n_a > 0;
}

bool trmi_splits_residual(const trmi_corrector *c)
{
    return !c->e->lambda_enters && c->e->n_a == 0 &&
           c->policy->start == TRMI_MULTIPLIERS_FROM_RESIDUAL;
}

// r1 = q' - v, weighed by the alpha methods
static void rate_residual(trmi_corrector *c, trmi_leading lead, double *out)
{
    trmi_evaluator *e = c->e;
    const trmi_point *p = &c->point;
    for (int i = 0; i < e->n_q; i++)
        out[i] = lead.cv * p->q[i] + c->bq[i] - p->v[i];
    if (!trmi_coupled_weighted(c->coupled))
        return;
    double *rate = trmi_scratch_take(c->scratch, e->n_q);
    memcpy(rate, out, (size_t)e->n_q * sizeof *out);
    memset(out, 0, (size_t)e->n_q * sizeof *out);
    const trmi_matrix metric = trmi_matrix_of(c->values, trmi_metric(e));
    trmi_matrix_multiply(&metric, rate, out);
    trmi_scratch_release(c->scratch, rate);
}

// r1, r2 = M v' - f, x' - c, b, G v + g_t, g at the iterate
static trmi_outcome evaluate_residual(trmi_corrector *c, trmi_leading lead)
{
    trmi_evaluator *e = c->e;
    trmi_point *p = &c->point;
    trmi_coupled_rows r = trmi_coupled_rows_of(e, c->rhs);
    for (int i = 0; i < e->n_q; i++)
        p->a[i] = lead.ca * p->v[i] + c->bv[i];
    uint64_t weights = trmi_coupled_weighted(c->coupled) ? TRM_BIT_OF(trmi_metric(e)) : 0;
    int result = trmi_evaluate(e, p, trmi_inertia_quantities(e) | weights | LEVELS, c->values);
    if (result != 0)
        return trmi_callback_result(result);
    rate_residual(c, lead, r.q);
    trmi_inertia_residual(c->values, p->a, r.v);
    for (int i = 0; i < e->n_x; i++)
        r.x[i] = lead.ca * p->x[i] + c->bx[i] - c->values->of[TRM_QUANTITY_RATE][i];
    trmi_copy_or_zero(r.z, c->values->of[TRM_QUANTITY_ALGEBRAIC], e->n_z);
    double *level = trmi_scratch_take(c->scratch, e->n_r_full + 1); // with a dummy row
    trmi_velocity_level(c->values, p->v, level);
    memcpy(r.velocity, level, (size_t)e->n_r * sizeof *r.velocity);
    trmi_scratch_release(c->scratch, level);
    trmi_copy_or_zero(r.position, trmi_position_level(c->values), e->n_g);
    double sum = 0;
    for (int i = 0; i < r.count; i++)
        sum += c->rhs[i];
    return isfinite(sum) ? TRMI_OUTCOME_OK : TRMI_OUTCOME_NOT_FINITE;
}

// multipliers from the residual, s = -(GY)^-T Y^T r
static void take_multipliers(trmi_corrector *c)
{
    trmi_coupled_rows r = trmi_coupled_rows_of(c->e, c->rhs);
    trmi_coupled_multipliers(c->coupled, r.q, c->mu);
    trmi_coupled_multipliers(c->coupled, r.v, c->point.lambda);
}

// Adds the constraint forces to the residual as the policy wants them. Multipliers that enter
// forces, or belong to rolling rows, do not follow from the residual: they are iterated from those
// of the predictor.
static trmi_outcome add_constraint_forces(trmi_corrector *c, bool choose, bool first)
{
    const trmi_policy *policy = c->policy;
    bool from_residual = !trmi_iterates_multipliers(c) || (first && trmi_splits_residual(c));
    if (policy->frozen_direction && !choose)
        return TRMI_OUTCOME_OK; // the old direction is in the matrix
    if (from_residual) {
        if (!trmi_coupled_split(c->coupled, choose))
            return TRMI_OUTCOME_SINGULAR;
        take_multipliers(c);
    }
    if (policy->frozen_direction)
        return TRMI_OUTCOME_OK;
    trmi_coupled_rows r = trmi_coupled_rows_of(c->e, c->rhs);
    trmi_add_constraint_force(c->values, c->mu, 1, r.q);
    trmi_add_constraint_force(c->values, c->point.lambda, 1, r.v);
    return TRMI_OUTCOME_OK;
}

static bool has_geometric(const trmi_corrector *c)
{
    return c->policy->geometric && !(c->e->absent & TRM_BIT(GEOMETRIC));
}

// M and the derivatives at the iterate, all or those that are not kept; the geometric stiffness of
// mu with lambda replaced by mu
static trmi_outcome evaluate_derivatives(trmi_corrector *c, bool all)
{
    trmi_evaluator *e = c->e;
    uint64_t want = trmi_saddle_derivatives(c->saddle) | TRM_BIT(VELOCITY_Q);
    want &= all ? ~UINT64_C(0) : ~c->derivatives.quantities;
    if (!(trmi_inertia_quantities(e) & TRM_BIT(MASS)))
        want |= TRM_BIT(MASS);
    int result = 0;
    if (has_geometric(c) && want & TRM_BIT(GEOMETRIC)) {
        trmi_point p = c->point;
        p.lambda = c->mu;
        result = trmi_evaluate(e, &p, TRM_BIT(GEOMETRIC), c->values);
        memcpy(c->geometric_mu, c->values->of[TRM_QUANTITY_GEOMETRIC],
               (size_t)e->block[TRM_QUANTITY_GEOMETRIC].count * sizeof *c->geometric_mu);
    }
    if (result == 0)
        result = trmi_evaluate(e, &c->point, want, c->values);
    return trmi_callback_result(result);
}

static trmi_outcome form_matrix(trmi_corrector *c, trmi_leading lead, bool evaluate)
{
    trmi_outcome result = evaluate_derivatives(c, evaluate);
    if (result != TRMI_OUTCOME_OK)
        return result;
    trmi_enter_derivatives(c, evaluate, lead.cv);
    c->rate_factor = 100;
    if (trmi_coupled_factor(c->coupled, lead, has_geometric(c), c->geometric_mu) != TRMI_FACTOR_OK)
        return TRMI_OUTCOME_SINGULAR;
    return TRMI_OUTCOME_OK;
}

// y -= d; returns the sum of (weight d)^2
static double subtract(int n, const double *d, double *y, const double *weight)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        y[i] -= d[i];
        sum += d[i] * d[i] * weight[i] * weight[i];
    }
    return sum;
}

// subtracts the correction in c->rhs; returns its norm over what the policy tests
static double apply(trmi_corrector *c)
{
    const trmi_evaluator *e = c->e;
    trmi_coupled_unknowns d = trmi_coupled_unknowns_of(e, c->rhs);
    trmi_point *p = &c->point;
    double sum =
        subtract(e->n_q, d.q, p->q, c->weight_q) + subtract(e->n_q, d.v, p->v, c->weight_v) +
        subtract(e->n_x, d.x, p->x, c->weight_x) + subtract(e->n_z, d.z, p->z, c->weight_z);
    int count = 2 * e->n_q + e->n_x + e->n_z;
    if (trmi_iterates_multipliers(c)) {
        if (c->policy->frozen_direction) // the solution has them, not their changes
            memset(p->lambda, 0, (size_t)e->n_r * sizeof *p->lambda);
        double tested = subtract(e->n_g, d.mu, c->mu, c->weight_mu) +
                        subtract(e->n_r, d.lambda, p->lambda, c->weight_lambda);
        sum += c->policy->test_multipliers ? tested : 0;
        count += c->policy->test_multipliers ? e->n_g + e->n_r : 0;
    }
    return sqrt(sum / count);
}

// the size of the predictor in units of the tolerance, for convergence to roundoff
static double predictor_norm(const trmi_corrector *c)
{
    const trmi_evaluator *e = c->e;
    const trmi_point *p = &c->point;
    double sum = trmi_weighted_square(p->q, c->weight_q, e->n_q) +
                 trmi_weighted_square(p->v, c->weight_v, e->n_q) +
                 trmi_weighted_square(p->x, c->weight_x, e->n_x) +
                 trmi_weighted_square(p->z, c->weight_z, e->n_z);
    return sqrt(sum / (2 * e->n_q + e->n_x + e->n_z));
}

// one Newton iteration sequence with the present matrix; the residual is in c->rhs
static trmi_outcome iterate(trmi_corrector *c, const trmi_stage *stage, double size)
{
    // the alpha methods form their matrix at every iterate, which may start far away
    bool renew = c->rough_predictor && !c->policy->frozen_direction;
    int most =
        trmi_iteration_limit(c, c->rough_predictor ? RENEWED_ITERATIONS : CLASSIC_ITERATIONS);
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
        for (int i = 0; i < trmi_coupled_rows_of(c->e, c->rhs).count; i++)
            c->rhs[i] *= scale;
        trmi_coupled_solve(c->coupled, c->rhs);
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
        if (m > 0 && rate > RATE_LIMIT && !c->rough_predictor)
            return TRMI_OUTCOME_DIVERGED;
        if (m > 0)
            c->rate_factor = rate / (1 - rate);
        if ((c->rough_predictor ? 1 : c->rate_factor) * d <= c->options->newton_tolerance)
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
