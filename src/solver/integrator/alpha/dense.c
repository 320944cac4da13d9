// SPDX-License-Identifier: Apache-2.0
// Dense output of the alpha methods: inside a step the cubics through q and v, v and phi, x and its
// rates at both ends, with s = (t - t_1)/h, d = y_0 - y_1, 0 the newest point and 1 the one before,
//
//     y(t) = y_1 + s (d + (1-s) (h f_1 - d + s (2 d - h (f_0 + f_1))));
//
// z and multipliers linearly. Beyond the newest point, where a stop is reached without a step,
// Taylor's polynomials, phi' by a difference.
#include "solver/integrator/simulation.h"

#include "solver/integrator/alpha/alpha.h"

static void interpolate(int n, double h, double s, const double *y_1, const double *y_0,
                        const double *f_1, const double *f_0, double *out)
{
    for (int i = 0; i < n; i++) {
        double d = y_0[i] - y_1[i], g_1 = h * f_1[i], g_0 = h * f_0[i];
        out[i] = y_1[i] + s * (d + (1 - s) * (g_1 - d + s * (2 * d - g_0 - g_1)));
    }
}

static void interpolate_step(trm_simulation *s, double t, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_alpha *a = trmi_alpha_of(s);
    const trmi_point old = trmi_past_point(s, 1), new = trmi_past_point(s, 0);
    double h = new.t - old.t, share = (t - old.t) / h;
    int n = e->n_q;
    interpolate(n, h, share, old.q, new.q, old.v, new.v, p->q);
    interpolate(n, h, share, old.v, new.v, a->before, a->rate, p->v);
    interpolate(e->n_x, h, share, old.x, new.x, a->before + n, a->rate + n, p->x);
    for (int i = 0; i < e->n_z; i++)
        p->z[i] = old.z[i] + share * (new.z[i] - old.z[i]);
    for (int i = 0; i < e->n_r; i++)
        p->lambda[i] = old.lambda[i] + share * (new.lambda[i] - old.lambda[i]);
}

static void extrapolate(trm_simulation *s, double t, trmi_point *p)
{
    const trmi_evaluator *e = &s->e;
    const trmi_alpha *a = trmi_alpha_of(s);
    const trmi_point new = trmi_past_point(s, 0);
    double d = t - new.t, back = a->h_before > 0 ? 1 / a->h_before : 0;
    int n = e->n_q;
    for (int i = 0; i < n; i++) {
        double bend = back * (a->rate[i] - a->before[i]);
        p->q[i] = new.q[i] + d *(new.v[i] + d *(a->rate[i] / 2 + d * bend / 6));
        p->v[i] = new.v[i] + d *(a->rate[i] + d * bend / 2);
    }
    for (int i = 0; i < e->n_x; i++) {
        double bend = back * (a->rate[n + i] - a->before[n + i]);
        p->x[i] = new.x[i] + d *(a->rate[n + i] + d * bend / 2);
    }
    for (int i = 0; i < e->n_z; i++)
        p->z[i] = new.z[i];
    for (int i = 0; i < e->n_r; i++)
        p->lambda[i] = new.lambda[i];
}

void trmi_alpha_dense(trm_simulation *s, double t, trmi_point *p)
{
    p->t = t;
    if (t >= s->history.t[0] || s->history.count < 2)
        extrapolate(s, t, p);
    else
        interpolate_step(s, t, p);
}
