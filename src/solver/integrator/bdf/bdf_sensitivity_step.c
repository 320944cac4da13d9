// SPDX-License-Identifier: Apache-2.0
// Sensitivities with the matrix P = [ S G^T; G 0 ] that the step has used, which was formed at its
// predictor and is factored. With the total derivative R of residual and constraints along s, a
// difference between the neighbours, each at the state that it has with its parameter,
//
//     P (ds_q, ds_x, ds_z, ds_nu) = -R(s) / cj^2,   s_v* = cj s_q + b_q,   s_a = cj s_v* + b_v
//     P (d, .) = (0, -(G s_v* + (G v + g_t)_q s_q + (G v + g_t)_p)),       s_v = s_v* + d
//
// from a prediction of s on. This is Newton's iteration of the step (corrector/nested.c),
// differentiated: it needs no factors of its own, and between neighbours no derivatives at the new
// point. Newton with
// a fresh matrix leaves c d^2 of a correction d. Its matrix is off by as much as makes 2 c d of
// a vector, so one iteration is enough where that is small.
#include "solver/integrator/bdf/bdf_sensitivity.h"

#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/simulation.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 3 };

// The matrix of the step is nearly that of these equations, and there are no terms besides residual
// and constraints.
bool trmi_bdf_step_may_serve(const trm_simulation *s)
{
    const trmi_policy *policy = s->corrector.policy;
    const trmi_evaluator *e = &s->e;
    return policy->level == TRMI_LEVEL_POSITION && policy->after == TRMI_AFTER_VELOCITY &&
           !policy->frozen_direction && e->n_a == 0 && !e->lambda_enters && e->user.n_memories == 0;
}

// Of several parameters with exact terms each would pay for products and dearer solutions, while
// one matrix at the new point, whose derivatives they need anyway, serves them all.
bool trmi_bdf_step_serves(const trm_simulation *s, int k, const trmi_point *p,
                          const trmi_bdf_along *y)
{
    const trmi_sensitivities *z = s->sensitivity;
    double times[2][2];
    return trmi_bdf_step_may_serve(s) && !trmi_sensitivities_times(s, k, p->t, 0, times) &&
           (z->parameter[k].exact ? z->count == 1 : trmi_sensitivities_close(s, k, p, y->q, y->v));
}

// what one iteration leaves of its correction, by what Newton has found
static double expected_rate(const trmi_corrector *c)
{
    const trmi_iterations *log = &c->log;
    if (log->fresh && c->policy->geometric && c->matrices == 1)
        return fmin(1, 2 * c->curvature * log->correction[0]);
    return log->count > 1 ? fmin(1, log->rate[log->count - 1]) : 1;
}

// s_v* and s_a of s_q
static void derive_motion(const trm_simulation *s, const trmi_bdf_along *y, double *a)
{
    for (int i = 0; i < s->e.n_q; i++) {
        y->v[i] = y->cj * y->q[i] + y->bq[i];
        a[i] = y->cj * y->v[i] + y->bv[i];
    }
}

// right-hand side of the position step at s, in sensitivity->rhs
static void set_rhs(const trm_simulation *s, const trmi_bdf_along *y)
{
    const trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    const trmi_parameter_terms *t = &((const trmi_bdf_sensitivity *)z->state)->total;
    double *r = z->rhs, *x = r + e->n_q, *at_z = x + e->n_x, *rows = at_z + e->n_z;
    for (int i = 0; i < e->n_q; i++)
        r[i] = -t->residual[i] / (y->cj * y->cj);
    for (int i = 0; i < e->n_x; i++)
        x[i] = (t->rate[i] - y->bx[i]) / y->cj - y->x[i];
    for (int i = 0; i < e->n_z; i++)
        at_z[i] = -t->algebraic[i];
    for (int i = 0; i < e->n_g; i++)
        rows[i] = -t->constraint[i];
    rows[e->n_r] = 0;
}

// Adds the correction in sensitivity->rhs; *size: of the values it changes. Returns its own.
static double apply(const trm_simulation *s, const trmi_bdf_along *y, double *size)
{
    const trmi_evaluator *e = &s->e;
    const double *d = s->sensitivity->rhs, *rows = d + e->n_q + e->n_x + e->n_z;
    double change = trmi_max_abs(d, e->n_q + e->n_x + e->n_z);
    for (int i = 0; i < e->n_q; i++)
        y->q[i] += d[i];
    for (int i = 0; i < e->n_x + e->n_z; i++) // x and z
        y->x[i] += d[e->n_q + i];
    for (int i = 0; i < e->n_r; i++)
        y->lambda[i] += y->cj * y->cj * rows[i];
    *size = fmax(trmi_max_abs(y->q, e->n_q), trmi_max_abs(y->x, e->n_x + e->n_z));
    return change;
}

// level += G s_v + (G v + g_t)_q s_q
static void add_level(const trm_simulation *s, const trmi_values *values, const double *q,
                      const double *v, double scale, double *level)
{
    double *row = s->sensitivity->row;
    trmi_constraint_product(values, v, row);
    for (int i = 0; i < s->e.n_r; i++)
        level[i] += scale * row[i];
    trmi_sensitivities_add(values, TRM_QUANTITY_VELOCITY_Q, 1, q, level);
}

// s_v onto the constraints. values NULL: the terms are those before the last correction d of s_q,
// so that d and its velocity cj d are added, with the derivatives of the step. rate: what one
// projection leaves.
static void project_velocities(trm_simulation *s, const trmi_values *values,
                               const trmi_bdf_along *y, double rate)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    double *r = z->rhs, *rows = r + e->n_q + e->n_x + e->n_z;
    double *level = ((trmi_bdf_sensitivity *)z->state)->total.velocity;
    for (int i = 0; i < e->n_q; i++)
        y->v[i] = y->cj * y->q[i] + y->bq[i];
    if (e->n_r == 0)
        return;
    if (values)
        add_level(s, values, y->q, y->v, 1, level);
    else
        add_level(s, &s->values, r, r, y->cj, level);
    const double limit = trmi_sensitivities_limit(s) * trmi_max_abs(y->v, e->n_q);
    for (int pass = 0; pass < MAX_ITERATIONS; pass++) {
        memset(r, 0, (size_t)trmi_rhs_size(e) * sizeof *r);
        for (int i = 0; i < e->n_r; i++)
            rows[i] = -level[i];
        trmi_saddle_solve(s->corrector.saddle, r, 1);
        for (int i = 0; i < e->n_q; i++)
            y->v[i] += r[i];
        if (rate * trmi_max_abs(r, e->n_q) <= limit)
            break;
        trmi_constraint_product(values ? values : &s->values, r, z->row);
        for (int i = 0; i < e->n_r; i++)
            level[i] += z->row[i];
    }
}

// The total derivative along s: between the neighbours, or with values the terms of the parameter,
// which are found in the first iteration, and products.
static bool find_total(trm_simulation *s, int k, const trmi_point *p, const trmi_values *values,
                       const trmi_bdf_along *y, bool first)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_bdf_sensitivity *b = z->state;
    derive_motion(s, y, b->a);
    const trmi_along along = {y->q, y->v, b->a, y->x, y->z, y->lambda};
    if (!values)
        return trmi_sensitivities_total(s, k, p, &along, &b->total);
    if (first && !trmi_sensitivities_terms(s, k, p, false, values, y->q, &z->terms))
        return false;
    memcpy(b->total.residual, z->terms.residual,
           (size_t)trmi_parameter_terms_size(&s->e) * sizeof *b->a);
    trmi_sensitivities_add_state(s, values, 1, &along, &b->total);
    return true;
}

// Whether what iterations leave is small beside s at the new point, or at one of those before that
// the formula of the step uses: a sensitivity that swings passes through 0.
static bool is_small(const trm_simulation *s, int k, double left, double size)
{
    const trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    const double limit = trmi_sensitivities_limit(s);
    for (int i = 1; i <= trmi_bdf_of(s)->predictor.k && left > limit * size; i++) {
        const double *y = z->past.y[i] + (size_t)k * (size_t)z->size;
        size = fmax(size, trmi_max_abs(y, e->n_q));
        size = fmax(size, trmi_max_abs(y + 2 * e->n_q, e->n_x + e->n_z));
    }
    return left <= limit * size;
}

bool trmi_bdf_solve_with_step(trm_simulation *s, int k, const trmi_point *p,
                              const trmi_values *values, const trmi_bdf_along *y)
{
    trmi_sensitivities *z = s->sensitivity;
    double before = HUGE_VAL, size, rate = expected_rate(&s->corrector);
    for (int m = 0; m < MAX_ITERATIONS; m++) {
        if (!find_total(s, k, p, values, y, m == 0))
            return false;
        set_rhs(s, y);
        trmi_saddle_solve(s->corrector.saddle, z->rhs, 1);
        double change = apply(s, y, &size);
        if (m > 0)
            rate = change / before;
        bool noise = change >= before && change <= trmi_sensitivities_roundoff(s, k);
        if (noise || (rate < 1 && is_small(s, k, change * rate / (1 - rate), size))) {
            project_velocities(s, values, y, rate);
            return isfinite(size);
        }
        if (!isfinite(change) || rate >= 1)
            return false;
        before = change;
    }
    return false;
}
