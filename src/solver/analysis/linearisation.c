// SPDX-License-Identifier: Apache-2.0
#include "solver/analysis/linearisation.h"

#include "base/error.h"
#include "base/quantities.h"
#include "solver/analysis/linear_terms.h"
#include "solver/formulation/checked_evaluation.h"
#include "solver/linear/eigen.h"
#include "solver/system/difference.h"

#include <math.h>
#include <string.h>

// The directions dy_j of the state as motions of (q, v, x), and what the rows change along them.
typedef struct directions {
    int count;
    double *q, *v;  // n_q x count
    double *rows;   // n_r x count: d(G a + gamma)
    double *forces; // n_q x count: d(G^T lambda), only where the constraints depend on z
} directions;

typedef struct workspace {
    trmi_saddle *saddle;
    trmi_evaluator *e;
    const trmi_point *point;
    trmi_split position, velocity; // of G; of (G; A)
    trmi_point moved;
    double *value;           // [G v + g_t | G a + gamma | G^T lambda] at the moved point
    double *slope;           // its derivative along a direction
    double *unit, *zero;     // n_q, n_x: xi or eta or x = e_i; zeros
    double *rhs;             // of the saddle matrix
    double *transport;       // 2 n_q: dq', dv' of a direction that keeps its meaning
    double step_of_position; // of the differences, in increments of the evaluator
} workspace;

uint64_t trmi_linearise_quantities(void)
{
    return TRM_BIT(STIFFNESS) | TRM_BIT(GEOMETRIC) | TRM_BIT(DAMPING) | TRM_BIT(FORCE_X) |
           TRM_BIT(FORCE_Z) | TRM_BIT(FORCE_LAMBDA) | TRM_BIT(RATE_Q) | TRM_BIT(RATE_V) |
           TRM_BIT(RATE_X) | TRM_BIT(RATE_Z) | TRM_BIT(RATE_LAMBDA) | TRM_BIT(ALGEBRAIC_Q) |
           TRM_BIT(ALGEBRAIC_V) | TRM_BIT(ALGEBRAIC_X) | TRM_BIT(ALGEBRAIC_Z) |
           TRM_BIT(ALGEBRAIC_LAMBDA);
}

static int value_count(const trmi_evaluator *e)
{
    return 2 * e->n_r + (e->constraint_uses_z ? e->n_q : 0);
}

static bool create_workspace(workspace *w, trmi_memory *memory)
{
    const trmi_evaluator *e = w->e;
    int n = e->n_q + e->n_x + e->n_z + e->n_r + 1;
    return trmi_split_create(&w->position, memory, e->n_q, e->n_g) &&
           trmi_split_create(&w->velocity, memory, e->n_q, e->n_r) &&
           trmi_point_create(&w->moved, memory, e) && TRMI_TAKE(memory, w->value, n + 2 * e->n_r) &&
           TRMI_TAKE(memory, w->slope, n + 2 * e->n_r) &&
           TRMI_TAKE(memory, w->unit, e->n_q + e->n_x) &&
           TRMI_TAKE(memory, w->zero, e->n_q + e->n_x) && TRMI_TAKE(memory, w->rhs, n) &&
           TRMI_TAKE(memory, w->transport, 2 * e->n_q);
}

static bool create_directions(directions *d, trmi_memory *memory, const trmi_evaluator *e,
                              int count)
{
    size_t n = (size_t)count;
    d->count = count;
    return TRMI_TAKE(memory, d->q, n * (size_t)e->n_q) &&
           TRMI_TAKE(memory, d->v, n * (size_t)e->n_q) &&
           TRMI_TAKE(memory, d->rows, n * (size_t)e->n_r) &&
           TRMI_TAKE(memory, d->forces, e->constraint_uses_z ? n * (size_t)e->n_q : 0);
}

// N and W from the rows at the point
static trm_status split_rows(workspace *w, trm_error *error)
{
    trmi_evaluator *e = w->e;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &w->saddle->memory->allocator);
    double *gt;
    trm_status status = TRM_OK;
    if (!TRMI_TAKE(&scratch, gt, (size_t)e->n_q * (size_t)e->n_r)) {
        status = trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the constraints");
    } else {
        trmi_dense_constraints(w->saddle->values, gt); // rows of g first
        if (!trmi_split_factor(&w->position, gt, 0) || !trmi_split_factor(&w->velocity, gt, 0))
            status = trmi_error_set(error, TRM_ERR_SINGULAR, "the constraints lose rank here");
    }
    trmi_memory_release_all(&scratch);
    return status;
}

// w->value at the moved point
static trm_status evaluate_rows(workspace *w, trm_error *error)
{
    trmi_evaluator *e = w->e;
    trmi_point *p = &w->moved;
    if (e->constraint_uses_z) {
        memcpy(p->z, w->point->z, (size_t)e->n_z * sizeof *p->z);
        trm_status status = trmi_settle_checked(e, p, w->saddle->values, error);
        if (status != TRM_OK)
            return status;
    }
    trm_status status = trmi_evaluate_checked(e, p, trmi_velocity_quantities(e) | TRM_BIT(GAMMA),
                                              w->saddle->values, error);
    if (status != TRM_OK)
        return status;
    double *level = w->value, *acceleration = level + e->n_r, *force = acceleration + e->n_r;
    trmi_velocity_level(w->saddle->values, p->v, level);
    trmi_constraint_product(w->saddle->values, w->point->a, acceleration);
    for (int i = 0; i < e->n_r; i++)
        acceleration[i] += w->saddle->values->of[TRM_QUANTITY_GAMMA][i];
    if (e->constraint_uses_z) {
        memset(force, 0, (size_t)e->n_q * sizeof *force);
        trmi_add_constraint_force(w->saddle->values, w->point->lambda, 1, force);
    }
    return TRM_OK;
}

// w->slope = (8 (y(h) - y(-h)) - (y(2h) - y(-2h))) / 12 h along (dq, dv, dx)
static trm_status difference_rows(workspace *w, const double *dq, const double *dv,
                                  const double *dx, double h, trm_error *error)
{
    static const double place[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
    const trmi_evaluator *e = w->e;
    const trmi_point *p = w->point;
    int n = value_count(e);
    memset(w->slope, 0, (size_t)n * sizeof *w->slope);
    for (int k = 0; k < 4 && n > 0; k++) {
        double s = place[k] * h;
        for (int i = 0; i < e->n_q; i++) {
            w->moved.q[i] = p->q[i] + s * dq[i];
            w->moved.v[i] = p->v[i] + s * dv[i];
        }
        for (int i = 0; i < e->n_x; i++)
            w->moved.x[i] = p->x[i] + s * dx[i];
        trm_status status = evaluate_rows(w, error);
        if (status != TRM_OK)
            return status;
        for (int i = 0; i < n; i++)
            w->slope[i] += weight[k] * w->value[i] / (12 * h);
    }
    return TRM_OK;
}

// what the rows change along direction j = (dq, dv, dx)
static trm_status take_rows(workspace *w, directions *d, int j, const double *dx, double h,
                            trm_error *error)
{
    const trmi_evaluator *e = w->e;
    size_t n = (size_t)e->n_q, m = (size_t)e->n_r, k = (size_t)j;
    trm_status status = difference_rows(w, d->q + n * k, d->v + n * k, dx, h, error);
    if (status != TRM_OK)
        return status;
    memcpy(d->rows + m * k, w->slope + m, m * sizeof *d->rows);
    if (e->constraint_uses_z)
        memcpy(d->forces + n * k, w->slope + 2 * m, n * sizeof *d->forces);
    return TRM_OK;
}

// dq = N e_i, with the dv that keeps the rows of velocity
static trm_status take_position(workspace *w, directions *d, int i, trm_error *error)
{
    const trmi_evaluator *e = w->e;
    double *dq = d->q + (size_t)e->n_q * (size_t)i, *dv = d->v + (size_t)e->n_q * (size_t)i;
    int coordinate = w->position.independent[i];
    double h = w->step_of_position * trmi_increment_q(e, w->point->q[coordinate], coordinate);
    w->unit[i] = 1;
    trmi_split_expand(&w->position, w->unit, NULL, dq);
    w->unit[i] = 0;
    trm_status status = difference_rows(w, dq, w->zero, w->zero, h, error);
    if (status != TRM_OK)
        return status;
    for (int k = 0; k < e->n_r; k++)
        w->rhs[k] = -w->slope[k];
    trmi_split_solve(&w->velocity, w->rhs);
    trmi_split_expand(&w->velocity, w->zero, w->rhs, dv);
    return take_rows(w, d, i, w->zero, h, error);
}

// dv = W e_i; the rows are quadratic in v, so that any step is good
static trm_status take_velocity(workspace *w, directions *d, int i, trm_error *error)
{
    const trmi_evaluator *e = w->e;
    int j = w->position.p + i, coordinate = w->velocity.independent[i];
    const double *scale = e->user.v_scale;
    double h = 0.1 * (fabs(w->point->v[coordinate]) + (scale ? scale[coordinate] : 1));
    w->unit[i] = 1;
    trmi_split_expand(&w->velocity, w->unit, NULL, d->v + (size_t)e->n_q * (size_t)j);
    w->unit[i] = 0;
    return take_rows(w, d, j, w->zero, h, error);
}

// dx = e_i: reaches the rows through z only
static trm_status take_state(workspace *w, directions *d, int i, trm_error *error)
{
    const trmi_evaluator *e = w->e;
    if (!e->constraint_uses_z)
        return TRM_OK;
    const double *scale = e->user.x_scale;
    double h = 1e-4 * (fabs(w->point->x[i]) + (scale ? scale[i] : 1));
    w->unit[i] = 1;
    trm_status status = take_rows(w, d, w->position.p + w->velocity.p + i, w->unit, h, error);
    w->unit[i] = 0;
    return status;
}

static trm_status take_directions(workspace *w, directions *d, trm_error *error)
{
    trm_status status = TRM_OK;
    for (int i = 0; i < w->position.p && status == TRM_OK; i++)
        status = take_position(w, d, i, error);
    for (int i = 0; i < w->velocity.p && status == TRM_OK; i++)
        status = take_velocity(w, d, i, error);
    for (int i = 0; i < w->e->n_x && status == TRM_OK; i++)
        status = take_state(w, d, i, error);
    return status;
}

// w->transport along (dq, dv); zeros where coordinates keep their meaning
static trm_status take_transport(workspace *w, const double *dq, const double *dv, trm_error *error)
{
    const trmi_evaluator *e = w->e;
    const trmi_point *p = w->point;
    if (!e->user.transport)
        return TRM_OK;
    const double *lambda = e->lambda_full ? e->lambda_full : p->lambda;
    const trm_state s = {p->t,   p->q, p->v, p->a, p->x, p->z, lambda, w->saddle->values->input,
                         e->held};
    int result = e->user.transport(&s, dq, dv, w->transport, w->transport + e->n_q, e->user.user);
    return result == 0 ? TRM_OK
                       : trmi_error_set(error, TRM_ERR_CALLBACK, "transport returned %d", result);
}

// column j of F_y from (da, dz, dlambda) along direction j
static trm_status solve_direction(workspace *w, const directions *d, int j, double *column,
                                  trm_error *error)
{
    const trmi_evaluator *e = w->e;
    size_t n = (size_t)e->n_q;
    const trmi_values *values = w->saddle->values;
    const double *dq = d->q + n * (size_t)j, *dv = d->v + n * (size_t)j, *dx = w->zero;
    int p = w->position.p, state = j - p - w->velocity.p;
    if (state >= 0)
        w->unit[state] = 1, dx = w->unit;
    double *da = w->rhs, *dz = da + e->n_q + e->n_x, *rows = dz + e->n_z;
    memset(w->rhs, 0, (size_t)(e->n_q + e->n_x + e->n_z + e->n_r) * sizeof *w->rhs);
    trmi_add_product(values, TRM_QUANTITY_STIFFNESS, -1, dq, da);
    if (e->constraint_uses_z)
        for (size_t i = 0; i < n; i++)
            da[i] -= d->forces[n * (size_t)j + i];
    else
        trmi_add_product(values, TRM_QUANTITY_GEOMETRIC, -1, dq, da);
    trmi_add_product(values, TRM_QUANTITY_DAMPING, -1, dv, da);
    trmi_add_product(values, TRM_QUANTITY_FORCE_X, 1, dx, da);
    trmi_add_product(values, TRM_QUANTITY_ALGEBRAIC_Q, -1, dq, dz);
    trmi_add_product(values, TRM_QUANTITY_ALGEBRAIC_V, -1, dv, dz);
    trmi_add_product(values, TRM_QUANTITY_ALGEBRAIC_X, -1, dx, dz);
    for (int i = 0; i < e->n_r; i++)
        rows[i] = -d->rows[(size_t)e->n_r * (size_t)j + (size_t)i];
    trmi_saddle_solve(w->saddle, w->rhs, 1);
    trm_status status = take_transport(w, dq, dv, error);
    const double *change = w->transport;
    for (int i = 0; i < p; i++) {
        int k = w->position.independent[i];
        column[i] = dv[k] - change[k];
    }
    for (int i = 0; i < w->velocity.p; i++) {
        int k = w->velocity.independent[i];
        column[p + i] = da[k] - change[e->n_q + k];
    }
    double *rate = column + p + w->velocity.p;
    trmi_add_product(values, TRM_QUANTITY_RATE_Q, 1, dq, rate);
    trmi_add_product(values, TRM_QUANTITY_RATE_V, 1, dv, rate);
    trmi_add_product(values, TRM_QUANTITY_RATE_X, 1, dx, rate);
    trmi_add_product(values, TRM_QUANTITY_RATE_Z, 1, dz, rate);
    trmi_add_product(values, TRM_QUANTITY_RATE_LAMBDA, 1, rows, rate);
    if (state >= 0)
        w->unit[state] = 0;
    return status;
}

trm_status trmi_linearise(trmi_linearisation *out, trmi_memory *memory, trmi_saddle *saddle,
                          const trmi_point *point, trm_error *error)
{
    trmi_evaluator *e = saddle->e;
    workspace w = {.saddle = saddle, .e = e, .point = point};
    directions d = {0};
    // gamma by differences has a noise of 1e-8: then only a large step helps
    w.step_of_position = trmi_has(e->supplied, TRM_QUANTITY_GAMMA) ? 10 : 1000;
    const uint64_t rows = trmi_velocity_quantities(e) | TRM_BIT(GAMMA);
    trm_status status = trmi_evaluate_checked(e, point, rows, saddle->values, error);
    if (status != TRM_OK)
        return status;
    if (!create_workspace(&w, memory))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the linearisation");
    w.moved.t = point->t;
    memcpy(w.moved.a, point->a, (size_t)e->n_q * sizeof *point->a);
    memcpy(w.moved.z, point->z, (size_t)e->n_z * sizeof *point->z);
    memcpy(w.moved.lambda, point->lambda, (size_t)(e->n_r + 1) * sizeof *point->lambda);
    status = split_rows(&w, error);
    if (status != TRM_OK)
        return status;
    out->positions = w.position.p;
    out->velocities = w.velocity.p;
    out->position = w.position.independent;
    out->velocity = w.velocity.independent;
    out->n = w.position.p + w.velocity.p + e->n_x;
    size_t n = (size_t)out->n;
    if (!create_directions(&d, memory, e, out->n) || !TRMI_TAKE(memory, out->matrix, n * n))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for a matrix of order %d", out->n);
    out->q = d.q;
    status = take_directions(&w, &d, error);
    const uint64_t all = TRMI_POSITION_QUANTITIES | rows | trmi_linearise_quantities() |
                         TRM_BIT(FORCE) | TRM_BIT(ALGEBRAIC);
    if (status == TRM_OK)
        status = trmi_evaluate_checked(e, point, all, saddle->values, error);
    if (status == TRM_OK)
        status = trmi_factor_start_checked(saddle, error);
    for (int j = 0; j < out->n && status == TRM_OK; j++)
        status = solve_direction(&w, &d, j, out->matrix + n * (size_t)j, error);
    double *largest, *accelerations = out->matrix + out->positions;
    if (!TRMI_TAKE(memory, largest, 2 * n))
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the linearisation");
    trmi_clear_roundoff(accelerations, out->n, out->velocities, out->positions, largest);
    trmi_clear_roundoff(accelerations + n * (size_t)out->positions, out->n, out->velocities,
                        out->velocities, largest);
    return status;
}
