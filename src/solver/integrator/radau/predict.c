// SPDX-License-Identifier: Apache-2.0
// Start values and dense output: the collocation polynomials of degree s through the beginning of a
// step and its stages, and before there is one Taylor's,
//
//     q = q_n + d v_n + d^2 a_n / 2,   v = v_n + d a_n,   x = x_n + d x'_n.
//
// Multipliers are never extrapolated: a part of them that the constraints do not determine, or that
// balances a stiff force, would grow with every step.
#include "solver/integrator/simulation.h"

#include "solver/integrator/radau/radau.h"
#include "solver/integrator/settle.h"

#include <string.h>

// A polynomial is of no use for a step so much longer than its own (steps grow by 8 at most, unless
// one was cut short for the end of a run): then Taylor's is used.
static const double REACH = 10;

// ---- values at a time ----

// out = sum_j weight[j] y_j, n entries from `first` on
static void add_nodes(const trmi_radau *r, const double *weight, int first, int n, double *out)
{
    double *y[TRMI_MAX_STAGES + 1];
    int count = r->past.tableau->s + 1;
    for (int j = 0; j < count; j++)
        y[j] = r->past.y[j] + first;
    trmi_combine(count, weight, y, n, out);
}

// q, v, x, z of the polynomial at x (0: beginning of the last step, 1: its end), and the weights of
// its nodes
static void evaluate_past(const trm_simulation *s, double x, trmi_point *p, double *weight)
{
    const trmi_evaluator *e = &s->e;
    int n = e->n_q;
    trmi_radau_weights(trmi_radau_of(s)->past.tableau, x, weight);
    add_nodes(trmi_radau_of(s), weight, 0, n, p->q);
    add_nodes(trmi_radau_of(s), weight, n, n, p->v);
    add_nodes(trmi_radau_of(s), weight, 2 * n, e->n_x, p->x);
    add_nodes(trmi_radau_of(s), weight, 2 * n + e->n_x, e->n_z, p->z);
}

// from y_n and its rate, d later
static void evaluate_taylor(const trm_simulation *s, const trmi_point *from, const double *rate,
                            double d, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    for (int i = 0; i < e->n_q; i++) {
        p->q[i] = from->q[i] + d * (from->v[i] + 0.5 * d * rate[i]);
        p->v[i] = from->v[i] + d * rate[i];
    }
    for (int i = 0; i < e->n_x; i++)
        p->x[i] = from->x[i] + d * rate[e->n_q + i];
    memcpy(p->z, from->z, (size_t)e->n_z * sizeof *p->z);
}

// d after the beginning of a step of length h; false: by Taylor, there are no weights
static bool predict_point(const trm_simulation *s, double h, double d, trmi_point *p,
                          double *weight)
{
    const trmi_radau *r = trmi_radau_of(s);
    p->t = s->now.t + d;
    const bool reaches = r->past.exists && h <= REACH * r->past.h;
    if (reaches)
        evaluate_past(s, 1 + d / r->past.h, p, weight);
    else
        evaluate_taylor(s, &s->now, r->rate, d, p);
    return reaches;
}

// ---- start values ----

void trmi_radau_predict(trm_simulation *s, double h)
{
    const trmi_evaluator *e = &s->e;
    trmi_radau *r = trmi_radau_of(s);
    for (int i = 0; i < r->tableau->s; i++) {
        trmi_radau_stage *stage = &r->stage[i];
        trmi_point *p = &stage->point;
        r->extrapolated = predict_point(s, h, r->tableau->node[i + 1] * h, p, stage->ahead);
        for (int k = 0; k < e->n_q; k++)
            stage->z[k] = p->q[k] - s->now.q[k];
        for (int k = 0; k < e->n_x; k++)
            stage->dx[k] = p->x[k] - s->now.x[k];
        // unknowns where forces and rates see them, otherwise computed by every iteration
        if (e->lambda_enters)
            memcpy(p->lambda, s->now.lambda, (size_t)e->n_r * sizeof *p->lambda);
        else
            memset(p->lambda, 0, (size_t)e->n_r * sizeof *p->lambda);
    }
}

void trmi_radau_predict_middle(trm_simulation *s, double h)
{
    trmi_point *p = &trmi_radau_of(s)->base;
    double weight[TRMI_MAX_STAGES + 1];
    predict_point(s, h, 0.5 * h, p, weight);
    memcpy(p->lambda, s->now.lambda, (size_t)s->e.n_r * sizeof *p->lambda);
}

void trmi_radau_copy_beginning(trm_simulation *s)
{
    trmi_point *p = &trmi_radau_of(s)->base;
    p->t = s->now.t;
    evaluate_taylor(s, &s->now, trmi_radau_of(s)->rate, 0, p);
    memcpy(p->a, trmi_radau_of(s)->rate, (size_t)s->e.n_q * sizeof *p->a);
    memcpy(p->lambda, s->now.lambda, (size_t)s->e.n_r * sizeof *p->lambda);
}

// ---- dense output ----

static void copy_point(const trmi_evaluator *e, const trmi_point *p, double *y)
{
    size_t n = (size_t)e->n_q, size = sizeof *y;
    memcpy(y, p->q, n * size);
    memcpy(y + n, p->v, n * size);
    memcpy(y + 2 * n, p->x, (size_t)e->n_x * size);
    memcpy(y + 2 * n + e->n_x, p->z, (size_t)e->n_z * size);
    memcpy(y + 2 * n + e->n_x + e->n_z, p->lambda, (size_t)e->n_r * size);
}

void trmi_radau_keep(trm_simulation *s, double h, const trmi_point *end)
{
    trmi_radau *r = trmi_radau_of(s);
    int last = r->tableau->s;
    r->past.tableau = r->tableau;
    r->past.exists = true;
    r->past.t = s->now.t;
    r->past.h = h;
    copy_point(&s->e, &s->now, r->past.y[0]);
    for (int i = 1; i < last; i++)
        copy_point(&s->e, &r->stage[i - 1].point, r->past.y[i]);
    copy_point(&s->e, end, r->past.y[last]);
}

void trmi_radau_dense(trm_simulation *s, double t, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_radau *r = trmi_radau_of(s);
    double weight[TRMI_MAX_STAGES + 1], *y = s->history.y[0], d = t - s->history.t[0];
    int n = e->n_q;
    p->t = t;
    if (r->past.exists && d < 0) {
        evaluate_past(s, (t - r->past.t) / r->past.h, p, weight);
        add_nodes(r, weight, 2 * n + e->n_x + e->n_z, e->n_r, p->lambda);
        return;
    }
    // the newest point, or a little beyond, where only events are evaluated
    const trmi_point newest = {.q = y, .v = y + n, .x = y + 2 * n, .z = y + 2 * n + e->n_x};
    evaluate_taylor(s, &newest, r->rate, d, p);
    memcpy(p->lambda, s->history.m[0], (size_t)e->n_r * sizeof *p->lambda);
}

// the rate, and the nodes of the last step, as start values of the next one; a new matrix is due
void trmi_radau_reexpress(trm_simulation *s, const trmi_recentring *recentring)
{
    trmi_radau *r = trmi_radau_of(s);
    const trmi_point p = trmi_past_point(s, 0);
    trmi_reexpress_acceleration(s, recentring, p.q, p.v, r->rate);
    for (int j = 0; r->past.exists && j <= r->past.tableau->s; j++)
        r->past.exists = trmi_reexpress_values(s, recentring, r->past.y[j]);
    r->set_wanted = true;
    r->h_factored = 0;
}
