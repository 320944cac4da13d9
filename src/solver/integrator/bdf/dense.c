// SPDX-License-Identifier: Apache-2.0
// Dense output of BDF: values inside the last step as sums over the newest points y_0, y_1, ... of
// the history. In general the polynomial through the k + 1 newest points, k the order of the step:
//
//     y(t) = sum_j l_j(t) y_j
//
// for multipliers through at most four, which is as good (history.h). A step of order one, of
// length h = t_0 - t_1 and with s = (t - t_1)/h, knows more about q:
//
//     q(t) = the cubic with q_1, v_1 at t_1 and q_0, v_0 at t_0
//
// and the first step after a start knows the acceleration there, a = (v_1 - v_2)/(t_1 - t_2), from
// the past point it was given (the rates of x likewise). The data of the start dominate at first,
// so that a rebound much shorter than the step is seen; powers of s bring the rest in:
//
//     v(t) = V(t) + s^2 (v_0 - V(t_0)),   V(t) = v_1 + (t - t_1) a
//     q(t) = Q(t) + s^3 (q_0 - Q(t_0)),   Q(t) = q_1 + (t - t_1) v_1 + (t - t_1)^2 a/2
#include "solver/integrator/simulation.h"

#include "base/error.h"
#include "solver/integrator/bdf/bdf.h"

#include <math.h>
#include <string.h>

// Weights of the newest points: q from q and from v; v and x; z; the multipliers from `known`
// points.
typedef struct weights {
    int count, known;
    double q[TRMI_HISTORY_POINTS], q_of_v[TRMI_HISTORY_POINTS];
    double v[TRMI_HISTORY_POINTS], z[TRMI_HISTORY_POINTS], lambda[TRMI_HISTORY_POINTS];
} weights;

// through the newest k + 1 points
static weights of_polynomial(const trmi_history *history, int k, double t)
{
    int degree = trmi_history_multiplier_degree(history, k);
    weights w = {.count = k + 1, .known = degree + 1};
    trmi_history_weights(history, k, t, w.z, NULL);
    trmi_history_weights(history, degree, t, w.lambda, NULL);
    memcpy(w.v, w.z, sizeof w.v);
    memcpy(w.q, w.z, sizeof w.q);
    return w;
}

// a step of order one: the cubic in q
static weights of_first_order(const trmi_history *history, double t)
{
    weights w = of_polynomial(history, 1, t);
    double h = history->t[0] - history->t[1], s = (t - history->t[1]) / h;
    w.q[0] = s * s * (3 - 2 * s);
    w.q[1] = 1 - w.q[0];
    w.q_of_v[0] = h * s * s * (s - 1);
    w.q_of_v[1] = h * s * (s - 1) * (s - 1);
    return w;
}

// V and Q from the point `from` and the past one behind it, times `share`
static void add_start(weights *w, const trmi_history *history, int from, double t, double share_v,
                      double share_q)
{
    double d = t - history->t[from], back = history->t[from] - history->t[from + 1];
    w->v[from] += share_v * (1 + d / back);
    w->v[from + 1] -= share_v * d / back;
    w->q[from] += share_q;
    w->q_of_v[from] += share_q * (d + 0.5 * d * d / back);
    w->q_of_v[from + 1] -= share_q * 0.5 * d * d / back;
}

// the start alone, or the first step after it
static weights of_start(const trmi_history *history, double t, bool first_step)
{
    weights w = {.count = 2, .known = 1, .z = {1}, .lambda = {1}};
    if (!first_step) {
        add_start(&w, history, 0, t, 1, 1);
        return w;
    }
    double s = (t - history->t[1]) / (history->t[0] - history->t[1]);
    w = (weights){.count = 3, .known = 2, .z = {s, 1 - s}, .v = {s * s}, .q = {s * s * s}};
    memcpy(w.lambda, w.z, sizeof w.lambda);
    add_start(&w, history, 1, t, 1, 1);
    add_start(&w, history, 1, history->t[0], -s * s, -s * s * s);
    return w;
}

static weights weights_at(const trm_simulation *s, double t)
{
    const trmi_history *history = &s->history;
    bool beyond = t > history->t[0];
    long steps = trmi_steps_since_start(s);
    if (t == history->t[0])
        return of_polynomial(history, 0, t);
    if (steps == 0)
        return of_start(history, t, false);
    if (steps == 1 && s->rule->adapts && !beyond)
        return of_start(history, t, true);
    int k = beyond ? s->control.k : s->statistics.order_last;
    k = k < history->count ? k : history->count - 1;
    return k == 1 && !beyond ? of_first_order(history, t) : of_polynomial(history, k, t);
}

// out += sum_j weight[j] y_j, n entries from `first` on
static void add_part(double *const *y, int count, const double *weight, int first, int n,
                     double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < count; j++)
            out[i] += weight[j] * y[j][first + i];
}

static void set_part(double *const *y, int count, const double *weight, int first, int n,
                     double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    add_part(y, count, weight, first, n, out);
}

// q, v, x, z of points whose arrays begin with them at `first`
static void add_weighted(const trmi_evaluator *e, double *const *y, const weights *w, int first,
                         const trmi_point *p)
{
    int n = e->n_q, at_x = first + 2 * n, at_z = at_x + e->n_x;
    set_part(y, w->count, w->q, first, n, p->q);
    add_part(y, w->count, w->q_of_v, first + n, n, p->q);
    set_part(y, w->count, w->v, first + n, n, p->v);
    set_part(y, w->count, w->v, at_x, e->n_x, p->x);
    set_part(y, w->count, w->z, at_z, e->n_z, p->z);
}

void trmi_bdf_dense(trm_simulation *s, double t, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    weights w = weights_at(s, t);
    p->t = t;
    add_weighted(e, s->history.y, &w, 0, p);
    set_part(s->history.m, w.known, w.lambda, 0, e->n_r, p->lambda);
}

// Their points are at the times of the history.
void trmi_bdf_sensitivities_at(trm_simulation *s, double t, double *out)
{
    const trmi_sensitivities *z = s->sensitivity;
    const trmi_evaluator *e = &s->e;
    weights w = weights_at(s, t);
    for (int k = 0; k < z->count; k++) {
        double *y = out + (size_t)k * (size_t)z->size, *x = y + 2 * e->n_q;
        const trmi_point p = {.q = y, .v = y + e->n_q, .x = x, .z = x + e->n_x};
        add_weighted(e, z->past.y, &w, k * z->size, &p);
    }
}
