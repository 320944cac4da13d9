// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/manifold.h"

#include "base/error.h"
#include "solver/formulation/checked_evaluation.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void solve(const trmi_manifold *m, double *x)
{
    if (m->tangent)
        trmi_tangent_solve(m->tangent, x, 1);
    else
        trmi_saddle_solve(m->saddle, x, 1);
}

void trmi_manifold_direction(const trmi_manifold *m, const double *rows, int count, double *d)
{
    int n = m->saddle->n, n_r = m->saddle->e->n_r;
    for (int i = 0; i < n_r; i++)
        d[n - n_r + i] = i < count ? -rows[i] : 0;
    if (m->tangent) {
        trmi_tangent_solve_from_rows(m->tangent, d);
        return;
    }
    memset(d, 0, (size_t)(n - n_r) * sizeof *d);
    trmi_saddle_solve(m->saddle, d, 1);
}

double trmi_manifold_correct(const trmi_manifold *m, const double *rows, int count,
                             const double *weight, double *y)
{
    int n_q = m->saddle->e->n_q;
    double *d = trmi_scratch_take(m->scratch, m->saddle->n), largest = 0;
    trmi_manifold_direction(m, rows, count, d);
    for (int i = 0; i < n_q; i++)
        y[i] += d[i];
    for (int i = 0; i < n_q && weight; i++) { // not fmax: a call per entry
        double size = fabs(d[i]) * weight[i];
        largest = size > largest ? size : largest;
    }
    trmi_scratch_release(m->scratch, d);
    return largest;
}

// Whether corrections end, after one of size `correction` that brought the residual from `before`
// to `after`. correction = HUGE_VAL: before the first one.
static bool is_done(const trmi_sweeps *s, double correction, double before, double after,
                    double enough, const double *y, int n)
{
    bool small = s->enough > 0 && correction * after <= enough * before;
    bool stalled = s->stalled > 0 && !(after < s->stalled * before);
    return (correction < HUGE_VAL && (small || stalled)) ||
           (s->roundoff > 0 && after <= s->roundoff * (1 + trmi_max_abs(y, n)));
}

trmi_outcome trmi_manifold_sweep(const trmi_manifold *m, trmi_manifold_level level, trmi_point *p,
                                 const trmi_sweeps *s, double *residual, int *corrections)
{
    trmi_values *values = m->saddle->values;
    trmi_evaluator *e = m->saddle->e;
    bool positions = level == TRMI_POSITIONS;
    double *y = positions ? p->q : p->v, *level_v = trmi_scratch_take(m->scratch, e->n_r + 1);
    double before = HUGE_VAL, correction = HUGE_VAL;
    int count = positions ? e->n_g : e->n_r, made = 0, result = 0;
    trmi_outcome outcome = TRMI_OUTCOME_OK;
    for (;; made++) {
        bool last = made == s->max;
        if (last && s->too_large == 0)
            break;
        const double *rows = positions ? trmi_position_level(values) : level_v;
        if (!positions)
            trmi_velocity_level(values, p->v, level_v);
        double after = trmi_max_abs(rows, count);
        if (residual)
            *residual = after;
        if (s->too_large > 0 && !isfinite(after)) {
            outcome = TRMI_OUTCOME_NOT_FINITE;
            break;
        }
        double enough = last ? s->too_large : s->enough;
        if (made >= s->min && is_done(s, correction, before, after, enough, y, e->n_q))
            break;
        if (last) {
            outcome = TRMI_OUTCOME_OFF_CONSTRAINTS;
            break;
        }
        correction = trmi_manifold_correct(m, rows, count, s->weight, y);
        before = after;
        if (positions && s->settle && e->constraint_uses_z)
            result = trmi_settle_z(e, p, values);
        if (positions && result == 0)
            result = trmi_evaluate(e, p, s->want, values);
        if (result != 0) {
            outcome = trmi_callback_result(result);
            break;
        }
    }
    if (corrections)
        *corrections = made;
    trmi_scratch_release(m->scratch, level_v);
    return outcome;
}

void trmi_manifold_accelerations(const trmi_manifold *m, trmi_point *p)
{
    const trmi_values *values = m->saddle->values;
    const trmi_evaluator *e = m->saddle->e;
    int n = m->saddle->n;
    double *x = trmi_scratch_take(m->scratch, n), *rows = x + n - e->n_r, *lambda = p->lambda;
    bool change = m->tangent && trmi_has_metric(e);
    memcpy(x, values->of[TRM_QUANTITY_FORCE], (size_t)e->n_q * sizeof *x);
    if (change) { // W (f - C^T lambda)
        double *force = trmi_scratch_take(m->scratch, e->n_q);
        memcpy(force, x, (size_t)e->n_q * sizeof *x);
        trmi_add_constraint_force(values, lambda, -1, force);
        trmi_tangent_balance(m->tangent, force, x);
    }
    memset(x + e->n_q, 0, (size_t)(e->n_x + e->n_z) * sizeof *x);
    for (int i = 0; i < e->n_r; i++)
        rows[i] = -values->of[TRM_QUANTITY_GAMMA][i];
    solve(m, x);
    memcpy(p->a, x, (size_t)e->n_q * sizeof *x);
    for (int i = 0; i < e->n_r; i++)
        lambda[i] = change ? lambda[i] + rows[i] : rows[i];
    trmi_scratch_release(m->scratch, x);
}

double trmi_acceleration_step(const trmi_manifold *m, trmi_point *p)
{
    const trmi_values *values = m->saddle->values;
    const trmi_evaluator *e = m->saddle->e;
    double *r = trmi_scratch_take(m->scratch, trmi_rhs_size(e));
    double *z = r + e->n_q + e->n_x, *rows = z + e->n_z;
    // r = f - M a - C^T lambda; 0; -b; -(C a + gamma)
    trmi_mass_product(values, p->a, r);
    for (int i = 0; i < e->n_q; i++)
        r[i] = values->of[TRM_QUANTITY_FORCE][i] - r[i];
    trmi_add_constraint_force(values, p->lambda, -1, r);
    memset(r + e->n_q, 0, (size_t)e->n_x * sizeof *r);
    for (int i = 0; i < e->n_z; i++)
        z[i] = -values->of[TRM_QUANTITY_ALGEBRAIC][i];
    trmi_constraint_product(values, p->a, rows);
    for (int i = 0; i < e->n_r; i++)
        rows[i] = -rows[i] - values->of[TRM_QUANTITY_GAMMA][i];
    solve(m, r);
    for (int i = 0; i < e->n_q; i++)
        p->a[i] += r[i];
    for (int i = 0; i < e->n_z; i++)
        p->z[i] += z[i];
    for (int i = 0; i < e->n_r; i++)
        p->lambda[i] += rows[i];
    double change = trmi_max_abs(rows, e->n_r) / (1e-300 + trmi_max_abs(p->lambda, e->n_r)) +
                    trmi_max_abs(z, e->n_z) / (1 + trmi_max_abs(p->z, e->n_z));
    trmi_scratch_release(m->scratch, r);
    return change;
}

bool trmi_acceleration_settled(double change, double before)
{
    return change < 1e-14 || (change < 1e-6 && change > 0.3 * before);
}

bool trmi_acceleration_converged(double change, double before)
{
    bool exact = change * change < DBL_EPSILON; // after Newton's step from there
    return exact || trmi_acceleration_settled(change, before);
}

bool trmi_acceleration_supplied(const trmi_evaluator *e)
{
    return (e->supplied & TRM_BIT(ACCELERATION)) && e->n_r == 0 && e->n_z == 0 && e->user.n_i == 0;
}

trm_status trmi_accelerations(const trmi_manifold *m, trmi_point *p, trm_error *error)
{
    trmi_values *values = m->saddle->values;
    trmi_evaluator *e = m->saddle->e;
    const uint64_t forces = TRM_BIT(FORCE) | TRM_BIT(FORCE_Z) | TRM_BIT(FORCE_LAMBDA),
                   algebraic =
                       TRM_BIT(ALGEBRAIC) | TRM_BIT(ALGEBRAIC_Z) | TRM_BIT(ALGEBRAIC_LAMBDA),
                   all = TRMI_POSITION_QUANTITIES | TRM_BIT(GAMMA) | forces | algebraic;
    if (trmi_acceleration_supplied(e)) {
        trm_status status = trmi_evaluate_checked(e, p, TRM_BIT(ACCELERATION), values, error);
        memcpy(p->a, values->of[TRM_QUANTITY_ACCELERATION], (size_t)e->n_q * sizeof *p->a);
        return status;
    }
    memset(p->a, 0, (size_t)e->n_q * sizeof *p->a);
    bool linear = !e->force_uses_lambda && e->n_z == 0;
    double change = HUGE_VAL;
    for (int iteration = 0; iteration < TRMI_MULTIPLIER_ITERATIONS; iteration++) {
        // multipliers alone change no matrix of the positions
        uint64_t want = iteration > 0 && e->n_z == 0 ? forces : all;
        trm_status status = trmi_evaluate_checked(e, p, want, values, error);
        if (status == TRM_OK)
            status = trmi_factor_start_checked(m->saddle, error);
        if (status != TRM_OK)
            return status;
        double before = change;
        change = trmi_acceleration_step(m, p);
        if (linear || trmi_acceleration_converged(change, before))
            return TRM_OK;
        if (!isfinite(change))
            break;
    }
    trmi_error_advise(error, "give initial guesses of the multipliers");
    return trmi_error_set(error, TRM_ERR_INITIAL,
                          "accelerations and multipliers did not converge (last change %.3g)",
                          change);
}

trm_status trmi_accelerations_near(const trmi_manifold *m, trmi_point *p, trm_error *error)
{
    trmi_evaluator *e = m->saddle->e;
    const uint64_t forces = TRM_BIT(FORCE),
                   all = TRMI_POSITION_QUANTITIES | TRM_BIT(GAMMA) | forces;
    bool near = e->n_z == 0 && !trmi_acceleration_supplied(e), linear = !e->force_uses_lambda;
    double change = HUGE_VAL;
    for (int iteration = 0; near && iteration < TRMI_MULTIPLIER_ITERATIONS; iteration++) {
        trm_status status =
            trmi_evaluate_checked(e, p, iteration > 0 ? forces : all, m->saddle->values, error);
        if (status != TRM_OK)
            return status;
        double before = change;
        change = trmi_acceleration_step(m, p);
        if (linear || trmi_acceleration_converged(change, before))
            return TRM_OK;
        near = change < before;
    }
    return trmi_accelerations(m, p, error);
}

void trmi_manifold_residuals(const trmi_manifold *m, const double *v, double *position,
                             double *velocity)
{
    const trmi_values *values = m->saddle->values;
    const trmi_evaluator *e = m->saddle->e;
    double *level = trmi_scratch_take(m->scratch, e->n_r + 1);
    trmi_velocity_level(values, v, level);
    *position = trmi_max_abs(values->of[TRM_QUANTITY_CONSTRAINT], e->n_g);
    *velocity = trmi_max_abs(level, e->n_r);
    trmi_scratch_release(m->scratch, level);
}
