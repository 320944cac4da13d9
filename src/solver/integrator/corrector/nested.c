// SPDX-License-Identifier: Apache-2.0
// The nested corrector: one Newton iteration with a fresh exact matrix where that is enough, a
// measured curvature bound where it is not, and a complete velocity projection with the same
// factor.
//
//     v* = cv q + bq,  a = ca v* + bv
//     [ S G^T; G 0 ] (dq, dnu) = ( (f - M a - G^T lambda)/(cv ca), -g ),  lambda += cv ca dnu
//     [ S G^T; G 0 ] (dv, .)   = ( 0, -(G v* + g_t) ),                       v = v* + dv
//
// The formulations at other levels (levels.c) have other constraint rows, the same matrix, and v =
// v*. The alpha methods project with [M G^T; G 0] at the new q, and their residual has f(q, v).
#include "solver/integrator/corrector/rescues.h"

#include <math.h>
#include <string.h>

// Second corrections are quadratic, |d2| <= c |d1|^2: one iteration is enough while c |d1|^2 stays
// below this bound.
static const double ONE_ITERATION_BOUND = 0.1;
// The curvature c is measured every so many attempts.
enum { MEASURE_EVERY = 20 };
// maximum of iterations with one matrix, and with a fresh one in each
enum { DEFAULT_ITERATIONS = 6, REFRESHED_ITERATIONS = 20 };
// Algebraic variables are in no error test: where they are corrected by more than this, in units of
// the tolerance, the curvature of their equations is not the measured one.
static const double JUMP = 30;
// maximum of projections of velocities that enter the forces
enum { MAX_SWEEPS = 20 };
// a correction, in units of the tolerance, for which G is not evaluated again
static const double SAME_POINT = 0.01;
// contraction at which a matrix, fresh or kept, is given up
static const double RATE_LIMIT = 0.9;
// contraction above which kept derivatives are evaluated again for the next step
static const double RATE_REFRESH = 0.2;

// v* = cv q + bq, a = ca v* + bv
static void derive_motion(trmi_corrector *c, trmi_leading lead)
{
    trmi_point *p = &c->point;
    for (int i = 0; i < c->e->n_q; i++) {
        double v = lead.cv * p->q[i] + c->bq[i];
        p->v[i] = v;
        p->a[i] = lead.ca * v + c->bv[i];
    }
    for (int i = 0; i < c->e->n_q && c->mass_saddle; i++) {
        c->star[i] = p->v[i];
        p->v[i] += c->shift[i];
    }
}

// out = (f - M a - G^T lambda) / (cv ca) and the other rows, right-hand side of the position step
static void position_rhs(trmi_corrector *c, trmi_leading lead, double *restrict out)
{
    const trmi_evaluator *e = c->e;
    const trmi_point *p = &c->point;
    double s = 1 / (lead.cv * lead.ca);
    trmi_inertia_residual(c->values, p->a, out);
    for (int i = 0; i < e->n_q; i++)
        out[i] *= -s;
    // along a frozen direction the solution has lambda itself, not its change
    if (!c->policy->frozen_direction)
        trmi_add_constraint_force(c->values, p->lambda, -s, out);
    double *x = out + e->n_q, *z = x + e->n_x, *r = z + e->n_z;
    for (int i = 0; i < e->n_x; i++)
        x[i] = (c->values->of[TRM_QUANTITY_RATE][i] - c->bx[i]) / lead.ca - p->x[i];
    for (int i = 0; i < e->n_z; i++)
        z[i] = -c->values->of[TRM_QUANTITY_ALGEBRAIC][i];
    trmi_constraint_rhs(c, lead, r);
}

// adds a position correction; returns its norm in units of the tolerance, over q and v = cv q, and
// over the multipliers where they are tested; c->correction_norm is the norm without them,
// c->correction_norm_z that of the algebraic variables
static double apply_position(trmi_corrector *c, trmi_leading lead, const double *d)
{
    const trmi_evaluator *e = c->e;
    trmi_point *p = &c->point;
    double sum = 0;
    for (int i = 0; i < e->n_q; i++) {
        double wq = c->weight_q[i], wv = lead.cv * c->weight_v[i];
        p->q[i] += d[i];
        sum += 0.5 * d[i] * d[i] * (wq * wq + wv * wv);
    }
    const double *x = d + e->n_q, *z = x + e->n_x, *r = z + e->n_z;
    for (int i = 0; i < e->n_x; i++) {
        p->x[i] += x[i];
        sum += x[i] * x[i] * c->weight_x[i] * c->weight_x[i];
    }
    double before = sum;
    for (int i = 0; i < e->n_z; i++) {
        p->z[i] += z[i];
        sum += z[i] * z[i] * c->weight_z[i] * c->weight_z[i];
    }
    c->correction_norm_z = e->n_z > 0 ? sqrt((sum - before) / e->n_z) : 0;
    double scale = lead.cv * lead.ca;
    for (int i = 0; i < e->n_r; i++)
        p->lambda[i] = (c->policy->frozen_direction ? 0 : p->lambda[i]) + scale * r[i];
    int count = e->n_q + e->n_x + e->n_z;
    c->correction_norm = sqrt(sum / count);
    if (c->policy->test_multipliers) {
        for (int i = 0; i < e->n_r; i++) {
            double d_lambda = scale * r[i] * c->weight_lambda[i];
            sum += d_lambda * d_lambda;
        }
        count += e->n_r;
    }
    return sqrt(sum / count);
}

// Half of the last correction taken back: a force that saturates throws Newton from one side to the
// other. Returns the part.
static double take_back(trmi_corrector *c, trmi_leading lead)
{
    const trmi_evaluator *e = c->e;
    const double part = 0.5, *d = c->rhs, *x = d + e->n_q, *z = x + e->n_x, *r = z + e->n_z;
    trmi_point *p = &c->point;
    for (int i = 0; i < e->n_q; i++)
        p->q[i] -= part * d[i];
    for (int i = 0; i < e->n_x; i++)
        p->x[i] -= part * x[i];
    for (int i = 0; i < e->n_z; i++)
        p->z[i] -= part * z[i];
    for (int i = 0; i < e->n_r; i++)
        p->lambda[i] -= part * lead.cv * lead.ca * r[i];
    return part;
}

// residual and matrix at the iterate, factored; the right-hand side is left in c->rhs
static trmi_outcome form_matrix(trmi_corrector *c, trmi_leading lead, bool derivatives)
{
    trmi_evaluator *e = c->e;
    uint64_t want =
        trmi_residual_quantities(c) | TRM_BIT(MASS) | trmi_saddle_derivatives(c->saddle);
    if (!derivatives)
        want &= ~c->derivatives.quantities;
    if (c->rolling.serves || c->velocity_q)
        want |= TRM_BIT(VELOCITY_Q);
    int result = trmi_evaluate(e, &c->point, want, c->values);
    if (result != 0)
        return trmi_callback_result(result);
    position_rhs(c, lead, c->rhs);
    trmi_enter_derivatives(c, derivatives, lead.cv);
    c->statistics->factorizations++;
    bool intact = true;
    trmi_factor_status status = c->rolling.serves
                                    ? trmi_saddle_factor(c->saddle, lead)
                                    : trmi_saddle_factor_for(c->saddle, lead, c->rhs, &intact);
    if (status != TRMI_FACTOR_OK || !trmi_rolling_form(c, lead))
        return TRMI_OUTCOME_SINGULAR;
    if (!intact)
        position_rhs(c, lead, c->rhs);
    return TRMI_OUTCOME_OK;
}

// One Newton step: the linear system for the right-hand side in c->rhs, with what the matrix lacks
// of rolling rows; *norm of the correction.
static trmi_outcome newton_step(trmi_corrector *c, trmi_leading lead, double *norm)
{
    trmi_saddle_solve(c->saddle, c->rhs, 1);
    trmi_rolling_correct(c, c->rhs);
    c->statistics->newton_iterations++;
    *norm = apply_position(c, lead, c->rhs);
    return isfinite(*norm) ? TRMI_OUTCOME_OK : TRMI_OUTCOME_NOT_FINITE;
}

// The residual at the iterate.
static trmi_outcome evaluate_residual(trmi_corrector *c, trmi_leading lead)
{
    derive_motion(c, lead);
    return trmi_callback_result(
        trmi_evaluate(c->e, &c->point, trmi_residual_quantities(c), c->values));
}

static trmi_outcome first_iteration(trmi_corrector *c, const trmi_stage *stage, bool derivatives,
                                    double *norm)
{
    trmi_leading lead = stage->leading;
    bool allowed = trmi_uses_residual_multipliers(c);
    trmi_outcome result = TRMI_OUTCOME_OK, step = TRMI_OUTCOME_OK;
    for (bool exact = allowed && trmi_residual_multipliers_now(c);; exact = true) {
        trmi_start_at_predictor(c, stage);
        derive_motion(c, lead); // rows that count turns depend on velocities
        if (exact) {
            result = trmi_project_predictor(c);
            derive_motion(c, lead);
        }
        if (result == TRMI_OUTCOME_OK && exact)
            result = trmi_multipliers_from_residual(c);
        if (result == TRMI_OUTCOME_OK)
            result = form_matrix(c, lead, derivatives);
        if (result == TRMI_OUTCOME_OK && c->mass_saddle && c->policy->frozen_direction)
            result = trmi_factor_mass(c);
        if (result != TRMI_OUTCOME_OK)
            return result;
        step = newton_step(c, lead, norm);
        if (!allowed || trmi_saddle_split(c->saddle) ||
            !trmi_multipliers_change_matrix(c, lead, stage->lambda))
            break;
        trmi_request_residual_multipliers(c);
        if (exact)
            break;
    }
    trmi_log_iteration(c, *norm, NAN);
    return step;
}

// A further position step with the present factors. Where multipliers are taken from the
// residual but no split gives them at every iterate, the matrix is formed again: then a stiff
// normal force has its present direction.
static trmi_outcome position_iteration(trmi_corrector *c, trmi_leading lead, double *norm)
{
    bool split = trmi_saddle_split(c->saddle) != NULL,
         form = (!split && trmi_residual_multipliers_now(c)) ||
                (c->refreshing && !c->policy->frozen_direction);
    trmi_outcome result = TRMI_OUTCOME_OK;
    if (form && !split)
        derive_motion(c, lead);
    else
        result = evaluate_residual(c, lead);
    if (result != TRMI_OUTCOME_OK)
        return result;
    if (split && !c->policy->unknown_multipliers)
        trmi_multipliers_at_iterate(c);
    if (!form)
        position_rhs(c, lead, c->rhs);
    if (form) {
        bool kept = trmi_update_decide(&c->update, TRMI_MATRIX_INSIDE, false) == TRMI_MATRIX_REFORM;
        result = form_matrix(c, lead, !kept || c->refreshing);
    }
    return result == TRMI_OUTCOME_OK ? newton_step(c, lead, norm) : result;
}

// Sweeps of projection and position step until f(q, v) has the velocities that belong to q.
static trmi_outcome settle_velocity(trmi_corrector *c, trmi_leading lead)
{
    const trmi_evaluator *e = c->e;
    double eps = fmax(c->options->newton_tolerance, trmi_velocity_noise(c, lead));
    double change = 0, norm = 0;
    bool matter = !(e->absent & TRM_BIT(DAMPING)) || !(e->absent & TRM_BIT(RATE_V)) ||
                  !(e->absent & TRM_BIT(ALGEBRAIC_V));
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        bool keep = sweep > 0 && norm <= SAME_POINT;
        trmi_outcome result = trmi_project_in_mass_norm(c, keep, &change);
        if (result != TRMI_OUTCOME_OK || !matter || (change <= eps && norm <= eps))
            return result;
        result = position_iteration(c, lead, &norm);
        derive_motion(c, lead);
        if (result != TRMI_OUTCOME_OK)
            return result;
    }
    return TRMI_OUTCOME_DIVERGED;
}

// Projected velocities v = cv q' + bq belong to the point q' = q + (v - v*)/cv of the dynamics. The
// projection finds it by one linear solution: with the derivatives at hand that is accurate, with
// kept ones it is iterated, along the constraints. q itself stays.
static trmi_outcome settle_dynamics(trmi_corrector *c, trmi_leading lead)
{
    trmi_evaluator *e = c->e;
    trmi_point *p = &c->point;
    int limit = trmi_iteration_limit(c, DEFAULT_ITERATIONS), rows = e->n_q + e->n_x + e->n_z;
    double *q = trmi_scratch_take(c->scratch, e->n_q), norm = HUGE_VAL;
    trmi_outcome result = TRMI_OUTCOME_OK;
    memcpy(q, p->q, (size_t)e->n_q * sizeof *q);
    for (int i = 0; i < e->n_q; i++)
        p->q[i] = (p->v[i] - c->bq[i]) / lead.cv;
    for (int m = 0; m < limit && norm > c->options->newton_tolerance; m++) {
        result = evaluate_residual(c, lead);
        if (result != TRMI_OUTCOME_OK)
            break;
        position_rhs(c, lead, c->rhs);
        memset(c->rhs + rows, 0, (size_t)e->n_r * sizeof *c->rhs);
        result = newton_step(c, lead, &norm);
        if (result != TRMI_OUTCOME_OK)
            break;
    }
    derive_motion(c, lead);
    memcpy(p->q, q, (size_t)e->n_q * sizeof *q);
    trmi_scratch_release(c->scratch, q);
    if (result != TRMI_OUTCOME_OK || norm > c->options->newton_tolerance)
        return result == TRMI_OUTCOME_OK ? TRMI_OUTCOME_DIVERGED : result;
    return trmi_callback_result(
        trmi_evaluate(e, p, TRM_BIT(CONSTRAINT) | trmi_velocity_quantities(e), c->values));
}

// v* at the new q, a with it, and the residuals of the constraints there; v = v* + dv where that
// follows
static trmi_outcome finish(trmi_corrector *c, trmi_leading lead)
{
    trmi_evaluator *e = c->e;
    derive_motion(c, lead);
    if (e->n_r == 0)
        return TRMI_OUTCOME_OK;
    if (c->mass_saddle)
        return settle_velocity(c, lead);
    int result =
        trmi_evaluate(e, &c->point, TRM_BIT(CONSTRAINT) | trmi_velocity_quantities(e), c->values);
    if (result != 0 || c->policy->after != TRMI_AFTER_VELOCITY)
        return trmi_callback_result(result);
    trmi_outcome outcome = trmi_project_velocity(c, lead);
    bool kept = !c->log.fresh && e->lambda_enters;
    return outcome == TRMI_OUTCOME_OK && kept ? settle_dynamics(c, lead) : outcome;
}

// The corrections have stopped to fall: *converged where that is roundoff, of q or, where the
// constraints are about to lose rank, of the residual. Algebraic variables, which no step is long
// or short for, have that of their own size: past a fold of their equation there is no solution.
static trmi_outcome judge_stagnation(trmi_corrector *c, trmi_leading lead, bool *converged)
{
    bool settled =
        c->correction_norm_z <= fmax(trmi_algebraic_roundoff(c), c->options->newton_tolerance);
    *converged = settled && c->correction_norm <= trmi_correction_roundoff(c, lead);
    if (*converged || !trmi_roundoff_harmless(c, c->rhs))
        return TRMI_OUTCOME_OK;
    trmi_outcome result = evaluate_residual(c, lead);
    if (result == TRMI_OUTCOME_OK) {
        position_rhs(c, lead, c->rhs);
        *converged = trmi_residual_is_roundoff(c, c->rhs);
    }
    return result;
}

// Iterates until the corrections, measured and not extrapolated from an earlier step, are small.
static trmi_outcome iterate(trmi_corrector *c, trmi_leading lead, bool fresh, double d1)
{
    double eps = c->options->newton_tolerance, before = d1, rate = 0, d = d1, smallest = HUGE_VAL;
    int idle = 0; // corrections since the smallest
    int limit = trmi_iteration_limit(c, c->refreshing ? REFRESHED_ITERATIONS : DEFAULT_ITERATIONS);
    for (int m = 1; m < limit; m++) {
        trmi_outcome result = position_iteration(c, lead, &d);
        if (result != TRMI_OUTCOME_OK)
            return result;
        rate = d / (before + 1e-300);
        trmi_log_iteration(c, d, rate);
        if (m == 1 && fresh)
            c->curvature = fmax(0.8 * c->curvature, d / (d1 * d1 + 1e-30));
        double expected = d * fmin(1, rate / (1 - fmin(rate, RATE_LIMIT)));
        bool converged = expected <= eps || d <= 1e-3 * eps;
        if (!converged && (rate > RATE_LIMIT || m + 1 == limit))
            result = judge_stagnation(c, lead, &converged);
        if (result != TRMI_OUTCOME_OK)
            return result;
        if (converged) {
            if (rate > RATE_REFRESH && d1 > eps)
                trmi_update_slow(&c->update);
            return finish(c, lead);
        }
        // where the matrix is not exact for rolling rows, what they lack shows only in the second
        // correction
        bool rolling = m == 1 && c->e->n_r > c->e->n_g && !c->rolling.serves;
        if (rate > RATE_LIMIT && !c->refreshing && !rolling)
            break;
        idle = d < smallest ? 0 : idle + 1;
        smallest = fmin(smallest, d);
        if (idle == DEFAULT_ITERATIONS) // a cycle
            break;
        if (rate > RATE_LIMIT && c->start_from_last_velocity)
            d *= 1 - take_back(c, lead);
        before = d;
    }
    return TRMI_OUTCOME_DIVERGED;
}

// one attempt with derivatives evaluated for it (fresh) or kept
static trmi_outcome attempt_once(trmi_corrector *c, const trmi_stage *stage, bool fresh)
{
    double d1;
    c->log.count = 0;
    trmi_outcome result = first_iteration(c, stage, fresh, &d1);
    if (result != TRMI_OUTCOME_OK)
        return result;
    // whether the matrix is the derivative at the predictor
    bool newton = fresh && c->policy->geometric && c->policy->level == TRMI_LEVEL_POSITION;
    // constant steps of the alpha methods have no other error than that of the method: it is not
    // increased to save iterations
    bool thrifty = newton && !(c->rough_predictor && c->no_shorter_steps);
    bool jumps = c->correction_norm_z > JUMP && !c->e->lambda_enters;
    bool enough = thrifty && c->curvature * d1 * d1 <= ONE_ITERATION_BOUND && !jumps &&
                  c->attempts % MEASURE_EVERY != 0 && !c->measure;
    if (enough || d1 <= 1e-3 * c->options->newton_tolerance)
        return finish(c, stage->leading);
    return iterate(c, stage->leading, newton, d1);
}

static trmi_outcome attempt(trmi_corrector *c, const trmi_stage *stage, trmi_matrix_action action)
{
    return trmi_try_with_rescues(c, stage, action != TRMI_MATRIX_REFORM, attempt_once);
}

trmi_outcome trmi_correct_nested(trmi_corrector *c, const trmi_stage *stage)
{
    c->rhs = trmi_scratch_take(c->scratch, trmi_rhs_size(c->e));
    trmi_outcome result = trmi_correct(c, stage, attempt);
    c->measure = false;
    memcpy(c->correction_x, c->rhs + c->e->n_q, (size_t)c->e->n_x * sizeof *c->rhs);
    trmi_scratch_release(c->scratch, c->rhs);
    return result;
}
