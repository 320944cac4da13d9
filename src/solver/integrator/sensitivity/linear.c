// SPDX-License-Identifier: Apache-2.0
// The linear equations of sensitivities at one point: terms of a parameter, and the level of the
// accelerations,
//
//     [ M  -f_z  G^T - f_lambda ] (s_a     )     ( (K + N) s_q + D s_v - f_x s_x + r_p  )
//     [    b_z   b_lambda       ] (s_z     ) = - ( b_q s_q + b_v s_v + b_x s_x + b_p    )
//     [ G                       ] (s_lambda)     ( d/ds (G a + gamma) + (G a + gamma)_p )
//
// where d/ds is a central difference along s_q, s_v: no system supplies derivatives of gamma.
#include "solver/integrator/sensitivity/sensitivity.h"

#include "solver/integrator/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- the terms of a parameter ----

// terms += share * values of a system beside this one at p
static bool add_values(trm_simulation *s, trmi_evaluator *e, trmi_values *values,
                       const trmi_point *p, double share, bool acceleration,
                       const trmi_parameter_terms *t)
{
    trmi_sensitivities *z = s->sensitivity;
    uint64_t want = trmi_inertia_quantities(e) | TRM_BIT(CONSTRAINT) | TRM_BIT(CONSTRAINT_Q) |
                    TRM_BIT(RATE) | TRM_BIT(ALGEBRAIC) | TRM_BIT(ROLLING) |
                    TRM_BIT(ROLLING_OFFSET) | trmi_velocity_quantities(e);
    if (acceleration)
        want |= TRM_BIT(GAMMA);
    if (trmi_evaluate(e, p, want, values) != 0)
        return false;
    double *r = z->rhs; // n_q
    trmi_inertia_residual(values, p->a, r);
    trmi_add_constraint_force(values, p->lambda, 1, r);
    for (int i = 0; i < e->n_q; i++)
        t->residual[i] += share * r[i];
    for (int i = 0; i < e->n_x; i++)
        t->rate[i] += share * values->of[TRM_QUANTITY_RATE][i];
    for (int i = 0; i < e->n_z; i++)
        t->algebraic[i] += share * values->of[TRM_QUANTITY_ALGEBRAIC][i];
    if (e->n_r == 0)
        return true;
    const double *g = trmi_position_level(values);
    for (int i = 0; i < e->n_g; i++)
        t->constraint[i] += share * g[i];
    trmi_velocity_level(values, p->v, z->row);
    for (int i = 0; i < e->n_r; i++)
        t->velocity[i] += share * z->row[i];
    if (!acceleration)
        return true;
    trmi_constraint_product(values, p->a, z->row);
    for (int i = 0; i < e->n_r; i++)
        t->acceleration[i] += share * (z->row[i] + values->of[TRM_QUANTITY_GAMMA][i]);
    return true;
}

// the same of a neighbour, on the branches of the system at `own`
static bool add_side(trm_simulation *s, trm_simulation *side, const trmi_point *own,
                     const trmi_point *p, double share, bool acceleration,
                     const trmi_parameter_terms *t)
{
    trmi_evaluator *e = &side->e;
    if (e->user.n_held > 0)
        memcpy(e->held, s->e.held, (size_t)e->user.n_held * sizeof *e->held);
    if (!trmi_sensitivities_hold_branches(s, own, side, p))
        s->sensitivity->jumps.same = false;
    return add_values(s, e, &side->values, p, share, acceleration, t);
}

// the derivatives of the equations by a parameter, which have the conditions of the system
static bool add_exact(trm_simulation *s, trmi_exact *exact, const trmi_point *p, bool acceleration,
                      const trmi_parameter_terms *t)
{
    if (exact->e.user.n_held > 0)
        memcpy(exact->e.held, s->e.held, (size_t)exact->e.user.n_held * sizeof *s->e.held);
    return add_values(s, &exact->e, &exact->values, p, 1, acceleration, t);
}

// The derivative of the forces alone, which comes with those by the state.
static bool by_forces(const trm_simulation *s, const trmi_beside *beside)
{
    return beside->force_column > 0 && s->e.user.n_memories == 0;
}

// terms = -f_p
static void take_forces(const trmi_values *values, int column, const trmi_parameter_terms *to)
{
    const int n = values->e->n_q;
    const double *f_p = values->of[TRM_QUANTITY_FORCE_P] + (size_t)n * (size_t)(column - 1);
    for (int i = 0; i < n; i++)
        to->residual[i] = -f_p[i];
}

bool trmi_sensitivities_predict_nothing(const trm_simulation *s, int parameter)
{
    const trmi_beside *beside = &s->sensitivity->parameter[parameter];
    return beside->exact || by_forces(s, beside);
}

int trmi_parameter_terms_size(const trmi_evaluator *e)
{
    return e->n_q + e->n_x + e->n_z + 3 * (e->n_r_full + 1);
}

bool trmi_parameter_terms_create(trmi_parameter_terms *terms, trmi_memory *memory,
                                 const trmi_evaluator *e)
{
    const int rows = e->n_r_full + 1;
    double *t;
    if (!TRMI_TAKE(memory, t, trmi_parameter_terms_size(e)))
        return false;
    terms->residual = t;
    terms->rate = t += e->n_q;
    terms->algebraic = t += e->n_x;
    terms->constraint = t += e->n_z;
    terms->velocity = t += rows;
    terms->acceleration = t + rows;
    return true;
}

// The neighbours at times that move with p, t_p = (times above - below)/width: F_p + F_t t_p, less
// F_t t_p by differences between `rates`, the mean of both.
static bool add_moving_sides(trm_simulation *s, int k, const trmi_point *p, double times[2][2],
                             double rates[2][2], bool acceleration, const trmi_parameter_terms *to)
{
    const trmi_beside *beside = &s->sensitivity->parameter[k];
    const double move = (times[0][0] - times[1][0]) / beside->width;
    trmi_point at = *p;
    bool good = true;
    for (int i = 0; i < 2 && good; i++) {
        double share = (i == 0 ? 1 : -1) / beside->width;
        double by_time = 0.5 * move / (rates[i][0] - rates[i][1]);
        at.t = times[i][0];
        good = add_side(s, beside->side[i], &at, &at, share, acceleration, to);
        for (int l = 0; l < 2 && good; l++) {
            at.t = rates[i][l];
            good = add_side(s, beside->side[i], &at, &at, l == 0 ? -by_time : by_time, acceleration,
                            to);
        }
    }
    return good;
}

double trmi_sensitivities_limit(const trm_simulation *s)
{
    return 0.01 * s->options.rtol;
}

double trmi_sensitivities_negligible(const trm_simulation *s, int parameter)
{
    const double p = s->sensitivity->parameter[parameter].width / (2 * cbrt(DBL_EPSILON));
    return DBL_EPSILON * trmi_max_abs(s->now.q, s->e.n_q) / p;
}

double trmi_sensitivities_roundoff(const trm_simulation *s, int parameter)
{
    double q = fmax(trmi_max_abs(s->now.q, s->e.n_q), 1);
    return 10 * DBL_EPSILON * q / s->sensitivity->parameter[parameter].width;
}

// beside = p, h further along; at the time at which the neighbours of the parameter are evaluated
static void move_along(trm_simulation *s, int parameter, const trmi_point *p,
                       const trmi_along *along, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_point *to = &s->sensitivity->beside;
    to->t = trmi_sensitivities_time(s, parameter, p->t);
    for (int i = 0; i < e->n_q; i++) {
        to->q[i] = p->q[i] + h * along->q[i];
        to->v[i] = p->v[i] + h * along->v[i];
        to->a[i] = p->a[i] + (along->a ? h * along->a[i] : 0);
    }
    for (int i = 0; i < e->n_x; i++)
        to->x[i] = p->x[i] + h * along->x[i];
    for (int i = 0; i < e->n_z; i++)
        to->z[i] = p->z[i] + h * along->z[i];
    for (int i = 0; i < e->n_r; i++)
        to->lambda[i] = p->lambda[i] + (along->lambda ? h * along->lambda[i] : 0);
}

bool trmi_sensitivities_total(trm_simulation *s, int parameter, const trmi_point *p,
                              const trmi_along *along, const trmi_parameter_terms *to)
{
    const trmi_beside *beside = &s->sensitivity->parameter[parameter];
    bool good = true;
    memset(to->residual, 0, (size_t)trmi_parameter_terms_size(&s->e) * sizeof *to->residual);
    s->sensitivity->jumps.same = true;
    for (int i = 0; i < 2 && good; i++) {
        const double sign = i == 0 ? 1 : -1;
        move_along(s, parameter, p, along, 0.5 * sign * beside->width);
        good = add_side(s, beside->side[i], p, &s->sensitivity->beside, sign / beside->width, false,
                        to);
    }
    return good && s->sensitivity->jumps.same;
}

bool trmi_sensitivities_close(const trm_simulation *s, int parameter, const trmi_point *p,
                              const double *q, const double *v)
{
    const int n = s->e.n_q;
    double along_q = trmi_max_abs(q, n) / fmax(trmi_max_abs(p->q, n), 1);
    double along_v = trmi_max_abs(v, n) / fmax(trmi_max_abs(p->v, n), 1);
    double way = 0.5 * s->sensitivity->parameter[parameter].width * fmax(along_q, along_v);
    return way <= fmax(sqrt(trmi_sensitivities_limit(s)), 4 * cbrt(DBL_EPSILON));
}

// Terms between neighbours that are at their own states, along a prediction y of the sensitivities:
// the total derivative less that by the state. At the same state a force that changes with little
// of the motion, such as creep, is a difference over far more than it moves.
static bool add_apart(trm_simulation *s, int parameter, const trmi_point *p,
                      const trmi_values *values, const double *y, const trmi_parameter_terms *to)
{
    const trmi_evaluator *e = &s->e;
    const int n = e->n_q;
    const trmi_along along = {.q = y, .v = y + n, .x = y + 2 * n, .z = y + 2 * n + e->n_x};
    double *row = s->sensitivity->row;
    if (!trmi_sensitivities_total(s, parameter, p, &along, to))
        return false;
    trmi_sensitivities_add_state(s, values, -1, &along, to);
    if (e->n_r == 0)
        return true;
    trmi_constraint_product(values, along.v, row);
    for (int i = 0; i < e->n_r; i++)
        to->velocity[i] -= row[i];
    trmi_sensitivities_add(values, TRM_QUANTITY_VELOCITY_Q, -1, along.q, to->velocity);
    return true;
}

// Terms between neighbours at the state of the system.
static bool add_together(trm_simulation *s, int parameter, const trmi_point *p, bool acceleration,
                         const trmi_parameter_terms *to)
{
    const trmi_beside *beside = &s->sensitivity->parameter[parameter];
    const double share = 1 / beside->width;
    trmi_point at = *p;
    at.t = trmi_sensitivities_time(s, parameter, p->t);
    return add_side(s, beside->side[0], &at, &at, share, acceleration, to) &&
           add_side(s, beside->side[1], &at, &at, -share, acceleration, to);
}

bool trmi_sensitivities_terms(trm_simulation *s, int parameter, const trmi_point *p,
                              bool acceleration, const trmi_values *values, const double *y,
                              const trmi_parameter_terms *to)
{
    const trmi_beside *beside = &s->sensitivity->parameter[parameter];
    const size_t size = (size_t)trmi_parameter_terms_size(&s->e) * sizeof *to->residual;
    double times[2][2], rates[2][2];
    const bool remembers = s->e.user.n_memories > 0;
    bool good = false;
    memset(to->residual, 0, size);
    s->sensitivity->jumps.same = true;
    if (by_forces(s, beside)) {
        take_forces(values, beside->force_column, to);
        return true;
    }
    if (trmi_sensitivities_times(s, parameter, p->t, 0, times) &&
        trmi_sensitivities_times(s, parameter, p->t, 0.25, rates))
        good = add_moving_sides(s, parameter, p, times, rates, acceleration, to);
    else if (beside->exact)
        good = add_exact(s, beside->exact, p, acceleration, to);
    else if (!acceleration && !remembers &&
             trmi_sensitivities_close(s, parameter, p, y, y + s->e.n_q))
        good = add_apart(s, parameter, p, values, y, to);
    if (!good) {
        memset(to->residual, 0, size);
        s->sensitivity->jumps.same = true;
        good = add_together(s, parameter, p, acceleration, to);
    }
    if (good && remembers)
        good = trmi_sensitivities_with_memory(s, parameter, p, values, y, to->residual);
    return good;
}

// ---- accelerations ----

// How far a point is moved along y for a central difference: eps^(1/3) of its size.
static double find_increment(const trm_simulation *s, const trmi_point *p, const double *y)
{
    int n = s->e.n_q;
    double q = fmax(trmi_max_abs(p->q, n), 1), v = fmax(trmi_max_abs(p->v, n), 1);
    double along = fmax(trmi_max_abs(y, n) / q, trmi_max_abs(y + n, n) / v);
    return along > 0 ? cbrt(DBL_EPSILON) / along : 0;
}

// out (n_r) += d/ds (G a + gamma) along y
static bool add_curvature(trm_simulation *s, const trmi_point *p, const double *y, double *out)
{
    trmi_sensitivities *z = s->sensitivity;
    trmi_evaluator *e = &s->e;
    const int n = e->n_q;
    double h = find_increment(s, p, y);
    if (h == 0 || e->n_r == 0)
        return true;
    trmi_point *beside = &z->beside;
    trmi_copy_point(e, p, beside);
    memcpy(beside->a, p->a, (size_t)n * sizeof *p->a);
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < n; i++) {
            beside->q[i] = p->q[i] + side * h * y[i];
            beside->v[i] = p->v[i] + side * h * y[n + i];
        }
        const uint64_t want = TRM_BIT(CONSTRAINT_Q) | TRM_BIT(ROLLING) | TRM_BIT(GAMMA);
        if (trmi_evaluate(e, beside, want, &z->moved) != 0)
            return false;
        trmi_constraint_product(&z->moved, p->a, z->row);
        for (int i = 0; i < e->n_r; i++)
            out[i] += side * (z->row[i] + z->moved.of[TRM_QUANTITY_GAMMA][i]) / (2 * h);
    }
    return true;
}

bool trmi_sensitivities_accelerations(trm_simulation *s, int parameter, const trmi_point *p,
                                      double *y, double *a, double *lambda)
{
    trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    const int n = e->n_q;
    if (!trmi_sensitivities_terms(s, parameter, p, true, &z->values, y, &z->terms))
        return false;
    const trmi_parameter_terms *t = &z->terms;
    const trmi_along along = {.q = y, .v = y + n, .x = y + 2 * n};
    double *r = z->rhs, *at_z = r + n + e->n_x, *rows = at_z + e->n_z;
    memset(r, 0, (size_t)trmi_rhs_size(e) * sizeof *r);
    if (!add_curvature(s, p, y, rows))
        return false;
    memcpy(r, t->residual, (size_t)n * sizeof *r);
    trmi_sensitivities_add_residual(&z->values, 1, &along, r);
    memcpy(at_z, t->algebraic, (size_t)e->n_z * sizeof *r);
    trmi_sensitivities_add_equation(&z->values, TRM_QUANTITY_ALGEBRAIC, 1, &along, at_z);
    for (int i = 0; i < e->n_r; i++)
        rows[i] += t->acceleration[i];
    for (int i = 0; i < z->saddle.n; i++)
        r[i] = -r[i];
    trmi_saddle_solve(&z->saddle, r, 1);
    memcpy(a, r, (size_t)n * sizeof *a);
    memcpy(y + 2 * n + e->n_x, at_z, (size_t)e->n_z * sizeof *a);
    memcpy(lambda, rows, (size_t)e->n_r * sizeof *a);
    return isfinite(trmi_max_abs(r, z->saddle.n));
}

void trmi_sensitivities_rates(const trm_simulation *s, const double *y, const double *lambda,
                              double *rate)
{
    const trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    const int n = e->n_q;
    const trmi_along along = {y, y + n, NULL, y + 2 * n, y + 2 * n + e->n_x, lambda};
    memcpy(rate, z->terms.rate, (size_t)e->n_x * sizeof *rate);
    trmi_sensitivities_add_equation(&z->values, TRM_QUANTITY_RATE, 1, &along, rate);
}
