// SPDX-License-Identifier: Apache-2.0
// Sensitivities over a step of BDF: the same formula, of the same order, as the step itself. With
// s' = cj s + offset, cj = cv = ca, at the new point
//
//     [ S G^T; G 0 ] (s_q, s_x, s_z, s_nu) = right-hand side of s_q = 0, s_v* = b_q
//     [ S G^T; G 0 ] (d, .) = (0, -(G s_v* + (G v + g_t)_q s_q + (G v + g_t)_p)),  s_v = s_v* + d
//
// which is the nested corrector (corrector/nested.c), differentiated. The matrix of the step itself
// is nearly this one (bdf_sensitivity_step.c); where it does not serve, one is formed at the new
// point, for all parameters.
#include "solver/integrator/bdf/bdf_sensitivity.h"

#include "solver/integrator/bdf/bdf.h"
#include "solver/integrator/simulation.h"

#include <math.h>
#include <string.h>

bool trmi_bdf_sensitivities_create(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_memory *m = &s->memory;
    trmi_bdf_sensitivity *b;
    const int rows = z->count * (s->e.n_r_full + 1);
    int points = s->history.points, few = TRMI_MULTIPLIER_DEGREE + 2;
    if (!TRMI_TAKE(m, b, 1))
        return false;
    z->state = b;
    return TRMI_TAKE(m, b->value, z->count * z->size) && TRMI_TAKE(m, b->lambda, rows) &&
           TRMI_TAKE(m, b->rest, rows) && TRMI_TAKE(m, b->a, s->e.n_q) &&
           trmi_parameter_terms_create(&b->total, m, &s->e) &&
           trmi_history_add_multipliers(&z->past, m, rows, points < few ? points : few);
}

// the rows of velocity constraints, whose matrix lacks (A v + a)_q: at s_q = q
static void set_rolling_rows(trm_simulation *s, const trmi_bdf_along *y, double *rows)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    trmi_constraint_product(&z->values, y->bq, z->row);
    trmi_sensitivities_add(&z->values, TRM_QUANTITY_VELOCITY_Q, 1, y->q, z->row);
    for (int i = e->n_g; i < e->n_r; i++)
        rows[i] = -(z->row[i] + z->terms.velocity[i]) / y->cj;
}

// right-hand side of the position step, divided like its matrix
static void set_rhs(trm_simulation *s, const trmi_bdf_along *y)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    const trmi_parameter_terms *t = &z->terms;
    const double cj = y->cj;
    double *r = z->rhs, *x = r + e->n_q, *at_z = x + e->n_x, *rows = at_z + e->n_z;
    for (int i = 0; i < e->n_q; i++)
        y->v[i] = cj * y->bq[i] + y->bv[i];
    trmi_mass_product(&z->values, y->v, r);
    trmi_sensitivities_add(&z->values, TRM_QUANTITY_DAMPING, 1, y->bq, r);
    for (int i = 0; i < e->n_q; i++)
        r[i] = -(r[i] + t->residual[i]) / (cj * cj);
    for (int i = 0; i < e->n_x; i++)
        x[i] = (t->rate[i] - y->bx[i]) / cj;
    trmi_sensitivities_add(&z->values, TRM_QUANTITY_RATE_V, 1 / cj, y->bq, x);
    for (int i = 0; i < e->n_z; i++)
        at_z[i] = -t->algebraic[i];
    trmi_sensitivities_add(&z->values, TRM_QUANTITY_ALGEBRAIC_V, -1, y->bq, at_z);
    for (int i = 0; i < e->n_g; i++)
        rows[i] = -t->constraint[i];
    rows[e->n_r] = 0;
    if (e->n_a > 0)
        set_rolling_rows(s, y, rows);
}

// One solution of the position step; returns the change of s_q.
static double solve_positions(trm_simulation *s, const trmi_bdf_along *y)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    double change = 0;
    set_rhs(s, y);
    trmi_saddle_solve(&z->saddle, z->rhs, 1);
    for (int i = 0; i < e->n_q; i++)
        change = fmax(change, fabs(z->rhs[i] - y->q[i]));
    memcpy(y->q, z->rhs, (size_t)e->n_q * sizeof *y->q);
    memcpy(y->x, z->rhs + e->n_q, (size_t)(e->n_x + e->n_z) * sizeof *y->x); // and z
    for (int i = 0; i < e->n_r; i++)
        y->lambda[i] = y->cj * y->cj * z->rhs[e->n_q + e->n_x + e->n_z + i];
    return change;
}

static void solve_velocities(trm_simulation *s, const trmi_bdf_along *y)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    double *r = z->rhs, *rows = r + e->n_q + e->n_x + e->n_z;
    for (int i = 0; i < e->n_q; i++)
        y->v[i] = y->cj * y->q[i] + y->bq[i];
    if (e->n_r == 0)
        return;
    memset(r, 0, (size_t)trmi_rhs_size(e) * sizeof *r);
    trmi_constraint_product(&z->values, y->v, rows);
    trmi_sensitivities_add(&z->values, TRM_QUANTITY_VELOCITY_Q, 1, y->q, rows);
    for (int i = 0; i < e->n_r; i++)
        rows[i] = -(rows[i] + z->terms.velocity[i]);
    rows[e->n_r] = 0;
    trmi_saddle_solve(&z->saddle, r, 1);
    for (int i = 0; i < e->n_q; i++)
        y->v[i] += r[i];
    for (int i = 0; i < e->n_x && e->lambda_enters; i++)
        y->x[i] += r[e->n_q + i] / y->cj;
    for (int i = 0; i < e->n_z && e->lambda_enters; i++)
        y->z[i] += r[e->n_q + e->n_x + i] / y->cj;
}

// the last values, further along their rates
static void predict(const trm_simulation *s, int k, double *to, double t)
{
    const trmi_sensitivities *z = s->sensitivity;
    const double *from = z->past.y[1] + (size_t)k * (size_t)z->size;
    memcpy(to, from, (size_t)z->size * sizeof *to);
    for (int i = 0; i < s->e.n_q; i++)
        to[i] += (t - z->past.t[1]) * from[s->e.n_q + i];
}

static bool solve_with_new_matrix(trm_simulation *s, int k, const trmi_point *p,
                                  const trmi_bdf_along *y)
{
    trmi_sensitivities *z = s->sensitivity;
    predict(s, k, y->q, p->t);
    if (!trmi_sensitivities_terms(s, k, p, false, &z->values, y->q, &z->terms))
        return false;
    double change = solve_positions(s, y), before = HUGE_VAL;
    while (s->e.n_a > 0 && change > 0 && change < before) { // until roundoff
        before = change;
        change = solve_positions(s, y);
    }
    solve_velocities(s, y);
    return isfinite(trmi_max_abs(y->q, z->size));
}

// multipliers of parameter k at a past point
static double *multipliers_of(const trm_simulation *s, int point, int k)
{
    return s->sensitivity->past.m[point] + (size_t)k * (size_t)(s->e.n_r_full + 1);
}

// ---- start ----

// The two points of a start (bdf.c, trmi_start_history): the first, and one before it that has the
// same derivatives.
static trm_status begin(trm_simulation *s)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    const int n = e->n_q;
    const trmi_history *h = &s->history;
    const double back = h->t[0] - h->t[1];
    trmi_point p = trmi_past_point(s, 0);
    p.a = z->beside.a;
    for (int i = 0; i < n; i++)
        p.a[i] = (h->y[0][n + i] - h->y[1][n + i]) / back;
    if (z->past.count > 0 && z->past.t[0] == h->t[0])
        memcpy(z->begin, z->past.y[0], (size_t)(z->count * z->size) * sizeof *z->begin);
    trmi_history_clear(&z->past);
    double *older = trmi_history_push(&z->past, h->t[1]);
    double *first = trmi_history_push(&z->past, h->t[0]);
    if (!trmi_sensitivities_evaluate(s, &p) ||
        trmi_saddle_factor_start(&z->saddle) != TRMI_FACTOR_OK)
        return trmi_sensitivities_fail(s,
                                       "the accelerations of the start cannot be differentiated");
    memcpy(first, z->begin, (size_t)(z->count * z->size) * sizeof *first);
    for (int k = 0; k < z->count; k++) {
        double *y = first + (size_t)k * (size_t)z->size, *o = older + (size_t)k * (size_t)z->size;
        double *a = z->difference[0], *lambda = z->offset; // the offsets are not in use yet
        if (!trmi_sensitivities_accelerations(s, k, &p, y, a, lambda))
            return trmi_sensitivities_fail(s, "the equations cannot be evaluated at the start");
        for (int i = 0; i < n; i++) {
            o[i] = y[i] - back * y[n + i] + 0.5 * back * back * a[i];
            o[n + i] = y[n + i] - back * a[i];
        }
        double *rate = z->difference[1];
        trmi_sensitivities_rates(s, y, lambda, rate);
        for (int i = 0; i < e->n_x; i++)
            o[2 * n + i] = y[2 * n + i] - back * rate[i];
        memcpy(o + 2 * n + e->n_x, y + 2 * n + e->n_x, (size_t)e->n_z * sizeof *o);
        for (int i = 0; i < 2; i++)
            memcpy(multipliers_of(s, i, k), lambda, (size_t)e->n_r * sizeof *lambda);
    }
    return TRM_OK;
}

// Whether the points of the sensitivities are those of the history.
static bool goes_on(const trm_simulation *s, int k)
{
    const trmi_history *past = &s->sensitivity->past, *h = &s->history;
    bool same = past->count > k;
    for (int i = 0; i <= k && same; i++)
        same = past->t[i] == h->t[i];
    return same;
}

// Value and offset of all parameters at t, before the new point is there. Their past has the times
// of the history.
static void predict_all(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_bdf_sensitivity *b = z->state;
    trmi_predictor p = trmi_bdf_of(s)->predictor;
    const int degree = trmi_history_multiplier_degree(&z->past, trial->k);
    trmi_history_predict(&z->past, &p, 0, z->count * z->size, b->value, z->offset);
    if (!trmi_bdf_step_may_serve(s)) // they will not be needed
        return;
    if (degree < p.k)
        p = trmi_history_predictor(&z->past, degree, trial->t, 0);
    trmi_history_predict_multipliers(&z->past, &p, z->past.multipliers, b->lambda, b->rest);
}

static trmi_bdf_along along_of(const trm_simulation *s, int k, double cj)
{
    const trmi_sensitivities *z = s->sensitivity;
    const int n = s->e.n_q;
    const double *offset = z->offset + (size_t)k * (size_t)z->size;
    double *to = z->past.y[0] + (size_t)k * (size_t)z->size;
    return (trmi_bdf_along){cj,
                            offset,
                            offset + n,
                            offset + 2 * n,
                            to,
                            to + n,
                            to + 2 * n,
                            to + 2 * n + s->e.n_x,
                            multipliers_of(s, 0, k)};
}

// What is known at the new point.
typedef struct known {
    bool velocity_q; // with the matrix of the step
    bool values;     // derivatives by the state
    bool factors;    // of a matrix of their own
} known;

static bool find_values(trm_simulation *s, const trmi_point *p, known *at)
{
    at->values = at->values || trmi_sensitivities_evaluate(s, p);
    return at->values;
}

static bool form_matrix(trm_simulation *s, const trmi_point *p, double cj, known *at)
{
    const trmi_leading lead = {cj, cj};
    at->factors =
        at->factors || (find_values(s, p, at) &&
                        trmi_saddle_factor(&s->sensitivity->saddle, lead) == TRMI_FACTOR_OK);
    return at->factors;
}

// with the matrix of the step
static bool solve_with_step(trm_simulation *s, int k, const trmi_point *p, const trmi_bdf_along *y,
                            known *at)
{
    const bool exact = s->sensitivity->parameter[k].exact;
    if (!trmi_bdf_step_serves(s, k, p, y))
        return false;
    s->corrector.velocity_q = s->corrector.velocity_q || !exact;
    if (exact)
        return find_values(s, p, at) &&
               trmi_bdf_solve_with_step(s, k, p, &s->sensitivity->values, y);
    return at->velocity_q && trmi_bdf_solve_with_step(s, k, p, NULL, y);
}

// With the matrix of the step, and where that does not serve with one of this point, for all
// parameters.
static trm_status solve_all(trm_simulation *s, const trmi_point *p, double cj)
{
    known at = {.velocity_q = s->corrector.velocity_q};
    s->corrector.velocity_q = false;
    for (int k = 0; k < s->sensitivity->count; k++) {
        const trmi_bdf_along y = along_of(s, k, cj);
        if (!at.factors && solve_with_step(s, k, p, &y, &at))
            continue;
        if (!form_matrix(s, p, cj, &at))
            return trmi_sensitivities_fail(s, "the matrix of the step is singular");
        if (!solve_with_new_matrix(s, k, p, &y))
            return trmi_sensitivities_fail(s, "the equations cannot be evaluated here");
    }
    return TRM_OK;
}

trm_status trmi_bdf_sensitivities(trm_simulation *s, const trmi_step_trial *trial)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_bdf_sensitivity *b = z->state;
    const double cj = trmi_bdf_of(s)->coefficients.cj;
    trm_status status = goes_on(s, trial->k) ? TRM_OK : begin(s);
    if (status != TRM_OK)
        return status;
    trmi_point point = s->corrector.point;
    point.t = trial->t;
    trmi_sensitivities_take_gaps(s, &point);
    predict_all(s, trial);
    memcpy(trmi_history_push(&z->past, trial->t), b->value,
           (size_t)(z->count * z->size) * sizeof *b->value);
    memcpy(z->past.m[0], b->lambda, (size_t)z->past.multipliers * sizeof *b->lambda);
    return solve_all(s, &point, cj);
}
