// SPDX-License-Identifier: Apache-2.0
// Dense output of Adams steps: with p the polynomial of the corrector, through the k newest rates,
//
//     v(t) = v_i + integral of p from t_i to t,   q(t) = q_i + (t - t_i) v_i + double integral
//
// from either end i = 0, 1 of the step. A projection lies between the two: both take part in
// proportion, so that the ends are met. Beyond the newest point this is the predictor.
#include "solver/integrator/simulation.h"

#include "solver/integrator/explicit/adams.h"
#include "solver/integrator/explicit/quadrature.h"

// from a point of the history by the polynomial through `count` rates
static void integrate(const trm_simulation *s, int from, double t, int count, trmi_point *p)
{
    const trmi_point start = trmi_past_point(s, from);
    const double h = t - start.t;
    trmi_weights w = {.count = h != 0 ? count : 0};
    trmi_quadrature integrals;
    if (h != 0) {
        trmi_quadrature_fill(&integrals, trmi_ode_of(s)->t, count, start.t, t);
        trmi_quadrature_weights(&integrals, trmi_ode_of(s)->t, count, w.v, w.q);
    }
    trmi_ode_advance(s, trmi_ode_of(s), &start, h, &w, p);
}

// part = share * part + (1 - share) * other
static void mix(double *part, const double *other, int n, double share)
{
    for (int i = 0; i < n; i++)
        part[i] = share * part[i] + (1 - share) * other[i];
}

// out = sum_j weight[j] y_j over k + 1 points, n entries from `first` on
static void interpolate(double *const *y, int k, const double *weight, int first, int n,
                        double *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j <= k; j++)
            out[i] += weight[j] * y[j][first + i];
    }
}

// z and multipliers, known at the points alone
static void interpolate_rest(const trm_simulation *s, double t, int k, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_history *history = &s->history;
    double weight[TRMI_HISTORY_POINTS];
    k = k < history->count ? k : history->count - 1;
    k = trmi_history_multiplier_degree(history, k);
    trmi_history_weights(history, k, t, weight, NULL);
    interpolate(history->y, k, weight, 2 * e->n_q + e->n_x, e->n_z, p->z);
    interpolate(history->m, k, weight, 0, e->n_r, p->lambda);
}

void trmi_adams_dense(trm_simulation *s, double t, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_history *history = &s->history;
    int k = trmi_steps_since_start(s) > 0 ? s->statistics.order_last : 1;
    k = k < trmi_ode_of(s)->count ? k : trmi_ode_of(s)->count;
    integrate(s, 0, t, k, p);
    p->t = t;
    if (t == history->t[0])
        return;
    if (t < history->t[0] && history->count > 1) {
        double share = (t - history->t[1]) / (history->t[0] - history->t[1]);
        trmi_point other = *p; // z and multipliers follow below
        other.q = trmi_scratch_take(&s->scratch, 2 * e->n_q + e->n_x);
        other.v = other.q + e->n_q;
        other.x = other.v + e->n_q;
        integrate(s, 1, t, k, &other);
        mix(p->q, other.q, e->n_q, share);
        mix(p->v, other.v, e->n_q, share);
        mix(p->x, other.x, e->n_x, share);
        trmi_scratch_release(&s->scratch, other.q);
    }
    interpolate_rest(s, t, k, p);
}
