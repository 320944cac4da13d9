// SPDX-License-Identifier: Apache-2.0
// The inertia of a moving beam: Lagrange's equations of T and V of beam.h. With A = r'' - g and
// dots for products over the elastic coordinates
//
//     R_r   = m A + phi'' (S n - c.u e) + c.u'' n - phi'^2 (S e + c.u n) - 2 phi' c.u' e
//     R_phi = A.(S n - c.u e) + phi'' (J + u.Mq u) + d.u'' + 2 phi' u.Mq u' - (wm s)'
//     R_u   = (A.n) c + phi'' d + Mq u'' - phi'^2 Mq u + wm^2 s1 Kg u + Kq u - (wm s)' t
//
// where wm = phi' + t.u' and s = s(u.Kg u), s1 = ds/d(u.Kg u), and its derivatives follow with
// e_phi = n, n_phi = -e.
#include "modelling/multibody/beams/beam.h"

#include <math.h>
#include <stddef.h>

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n && y; i++)
        sum += x[i] * y[i];
    return sum;
}

static double dot2(const double x[2], const double y[2])
{
    return x[0] * y[0] + x[1] * y[1];
}

// x.A y; 0 where there is no matrix, or nothing moves
static double product(const trmi_beam *b, const double *A, const double *x, const double *y)
{
    return A && y ? trmi_beam_product(b, A, x, y) : 0;
}

// s(z) and its derivatives, z changing at this rate
static void bound_stiffening(const trmi_beam *b, double z, double rate, trmi_beam_terms *t)
{
    const double l = b->data.length, Jc = b->data.line_mass * l * l * l / 12;
    const double x = b->data.elements > TRMI_BEAM_COUPLED ? 0 : z / Jc;
    const double f = 1 / (1 + x * x), root = sqrt(f);
    t->s = z * root;
    t->s1 = f * root;
    t->s2 = -3 * x / Jc * f * f * root;
    t->s_rate = t->s1 * rate;
    t->s1_rate = t->s2 * rate;
}

// what the stiffening has: wm, s and the term of both residuals
static void stiffen(const trmi_beam *b, const trmi_beam_state *s, trmi_beam_terms *t)
{
    t->mean_rate = s->rate + dot(b->t, s->v, b->n);
    t->mean_angular = s->angular + dot(b->t, s->w, b->n);
    bound_stiffening(b, product(b, b->stiffening_u, s->u, s->u),
                     2 * product(b, b->stiffening_u, s->u, s->v), t);
    t->residual_t = -(t->mean_angular * t->s + t->mean_rate * t->s_rate);
}

trmi_beam_terms trmi_beam_move(const trmi_beam *b, const trmi_beam_state *s)
{
    const double w = s->rate, alpha = s->angular, m = b->mass, S = b->moment;
    const double cu = dot(b->c, s->u, b->n), cv = dot(b->c, s->v, b->n), ca = dot(b->c, s->w, b->n);
    const double turning = b->inertia + product(b, b->mass_u, s->u, s->u);
    const double faster = 2 * product(b, b->mass_u, s->u, s->v);
    trmi_beam_terms t = {.e = {cos(s->angle), sin(s->angle)}};
    stiffen(b, s, &t);
    t.n[0] = -t.e[1];
    t.n[1] = t.e[0];
    for (int i = 0; i < 2; i++) {
        const double e = t.e[i], n = t.n[i];
        t.m_rphi[i] = S * n - cu * e;
        t.residual_r[i] =
            m * s->a[i] + alpha * t.m_rphi[i] + ca * n - w * w * (S * e + cu * n) - 2 * w * cv * e;
        t.k_rphi[i] =
            -alpha * (S * e + cu * n) - ca * e - w * w * (S * n - cu * e) - 2 * w * cv * n;
        t.k_ru[i] = -alpha * e - w * w * n;
        t.d_rphi[i] = -2 * w * (S * e + cu * n) - 2 * cv * e;
    }
    t.m_phi = turning - t.s;
    t.residual_phi =
        dot2(s->a, t.m_rphi) + alpha * turning + dot(b->d, s->w, b->n) + w * faster + t.residual_t;
    t.residual_c = dot2(s->a, t.n);
    t.k_c = -dot2(s->a, t.e);
    t.k_phi = S * t.k_c - cu * t.residual_c;
    t.d_phi = faster - t.s_rate;
    return t;
}

void trmi_beam_residual(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                        double *restrict out)
{
    for (int i = 0; i < b->n; i++)
        out[i] = t->residual_c * b->c[i] + s->angular * b->d[i] + t->residual_t * b->t[i];
    if (s->w)
        trmi_beam_multiply(b, b->mass_u, 1, s->w, out);
    trmi_beam_multiply(b, b->mass_u, -s->rate * s->rate, s->u, out);
    if (b->stiffening_u)
        trmi_beam_multiply(b, b->stiffening_u, t->mean_rate * t->mean_rate * t->s1, s->u, out);
    trmi_beam_bend(b, s->u, out);
}

double trmi_beam_kinetic(const trmi_beam *b, const trmi_beam_state *s, const double velocity[2])
{
    const trmi_beam_terms t = trmi_beam_move(b, s);
    const double w = s->rate, cv = dot(b->c, s->v, b->n);
    double kinetic = 0.5 * b->mass * dot2(velocity, velocity) + 0.5 * w * w * (t.m_phi + t.s) +
                     w * dot2(velocity, t.m_rphi) + cv * dot2(velocity, t.n) -
                     0.5 * t.mean_rate * t.mean_rate * t.s;
    if (s->v)
        kinetic += 0.5 * trmi_beam_product(b, b->mass_u, s->v, s->v) + w * dot(b->d, s->v, b->n);
    return kinetic;
}

double trmi_beam_strain(const trmi_beam *b, const double *u)
{
    return 0.5 * trmi_beam_product(b, b->stiffness_u, u, u);
}

double trmi_beam_energy(const trmi_beam *b, const trmi_beam_state *s, const double velocity[2])
{
    return trmi_beam_kinetic(b, s, velocity) + trmi_beam_strain(b, s->u);
}
