// SPDX-License-Identifier: Apache-2.0
// The inertia of a moving beam: Lagrange's equations of T and V of beam.h, or what int rA p'' does
// in the motions of its points, p'' = a + phi'' k x y - phi'^2 y + 2 phi' k x y' + y'' with
// y = (x + s, w). With dots for products over the elastic coordinates
//
//     R_r   = m a + (n phi'' - e phi'^2) (S + E) - (e phi'' + n phi'^2) c_n.u
//             + 2 phi' (n E' - e c_n.u') + e E'' + n c_n.u''
//     R_phi = a_n (S + E) - a_e c_n.u + phi'' (J + 2 D + u.Mq u) + 2 phi' (D' + u.Mq u')
//             + d_n.u'' + u.B u''
//     R_u   = a_e g_e + a_n c_n + phi'' (d_n - B u) - phi'^2 (g_d + Mq u) - 2 phi' B u' + Mq u''
//             + Kq (u + damping u')
//
// where E' = g_e.u', E'' = g_e.u'' - u'.Q0 u', and derivatives follow with e_phi = n, n_phi = -e.
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

// y += factor A x; nothing where there is no matrix, or nothing moves
static void multiply(const trmi_beam *b, const double *A, double factor, const double *x,
                     double *restrict y)
{
    if (A && x)
        trmi_beam_multiply(b, A, factor, x, y);
}

trmi_beam_terms trmi_beam_move(const trmi_beam *b, const trmi_beam_state *s)
{
    const double *const *Q = (const double *const *)b->bubble_u;
    const double w = s->rate, alpha = s->angular;
    const double along =
        b->moment + dot(b->c[0], s->u, b->n) - 0.5 * product(b, Q[0], s->u, s->u);
    const double along_v = dot(b->c[0], s->v, b->n) - product(b, Q[0], s->u, s->v);
    const double along_a = dot(b->c[0], s->w, b->n) - product(b, Q[0], s->u, s->w) -
                           product(b, Q[0], s->v, s->v);
    const double across = dot(b->c[1], s->u, b->n), across_v = dot(b->c[1], s->v, b->n),
                 across_a = dot(b->c[1], s->w, b->n);
    const double turning = dot(b->d[0], s->u, b->n) - 0.5 * product(b, Q[1], s->u, s->u);
    const double faster = 2 * (dot(b->d[0], s->v, b->n) - product(b, Q[1], s->u, s->v) +
                               product(b, b->mass_u, s->u, s->v));
    trmi_beam_terms t = {.e = {cos(s->angle), sin(s->angle)}};
    t.n[0] = -t.e[1];
    t.n[1] = t.e[0];
    for (int i = 0; i < 2; i++) {
        const double e = t.e[i], n = t.n[i];
        const double to_e = alpha * n - w * w * e, to_n = -alpha * e - w * w * n;
        t.m_rphi[i] = along * n - across * e;
        t.residual_r[i] = b->mass * s->a[i] + to_e * along + to_n * across +
                          2 * w * (n * along_v - e * across_v) + e * along_a + n * across_a;
        t.k_rphi[i] = to_n * along - to_e * across - 2 * w * (e * along_v + n * across_v) +
                      n * along_a - e * across_a;
        t.d_rphi[i] = -2 * w * (e * along + n * across) + 2 * (n * along_v - e * across_v);
    }
    t.a_e = dot2(s->a, t.e);
    t.a_n = dot2(s->a, t.n);
    t.m_phi = b->inertia + 2 * turning + product(b, b->mass_u, s->u, s->u);
    t.residual_phi = t.a_n * along - t.a_e * across + alpha * t.m_phi + w * faster +
                     dot(b->d[1], s->w, b->n) + product(b, b->turning_u, s->u, s->w);
    t.k_phi = -t.a_e * along - t.a_n * across;
    t.d_phi = faster;
    return t;
}

void trmi_beam_residual(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                        double *restrict out)
{
    const double square = s->rate * s->rate;
    for (int i = 0; i < b->n; i++)
        out[i] = t->a_e * b->c[0][i] + t->a_n * b->c[1][i] + s->angular * b->d[1][i] -
                 square * b->d[0][i];
    multiply(b, b->mass_u, 1, s->w, out);
    multiply(b, b->mass_u, -square, s->u, out);
    multiply(b, b->turning_u, -s->angular, s->u, out);
    multiply(b, b->turning_u, -2 * s->rate, s->v, out);
    multiply(b, b->bubble_u[0], -t->a_e, s->u, out);
    multiply(b, b->bubble_u[1], square, s->u, out);
    trmi_beam_bend(b, 1, s->u, out);
    if (s->v && b->data.damping > 0)
        trmi_beam_bend(b, b->data.damping, s->v, out);
}

// ---- matrices ---------------------------------------------------------------------------------

bool trmi_beam_is_damped(const trmi_beam *b)
{
    return b->turning_u || b->data.damping > 0;
}

void trmi_beam_arm(const trmi_beam *b, const double *u, double *restrict arm)
{
    for (int i = 0; i < b->n; i++)
        arm[i] = b->c[0][i];
    multiply(b, b->bubble_u[0], -1, u, arm);
}

// x g_e + y c_n + z Q0 v into one of the rows r,u
static void fill_row(const trmi_beam *b, const double *u, double x, double y, double z,
                     const double *v, double *restrict out)
{
    if (!out)
        return;
    for (int i = 0; i < b->n; i++)
        out[i] = x * b->c[0][i] + y * b->c[1][i];
    multiply(b, b->bubble_u[0], -x, u, out);
    multiply(b, b->bubble_u[0], z, v, out);
}

// factor (g_d + Mq u)
static void fill_turning(const trmi_beam *b, double factor, const double *u, double *restrict out)
{
    for (int i = 0; i < b->n; i++)
        out[i] = factor * b->d[0][i];
    multiply(b, b->bubble_u[1], -factor, u, out);
    multiply(b, b->mass_u, factor, u, out);
}

void trmi_beam_mass_terms(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_block *out)
{
    fill_row(b, s->u, 1, 0, 0, NULL, out->r_e);
    fill_row(b, s->u, 0, 1, 0, NULL, out->r_n);
    for (int i = 0; i < b->n; i++)
        out->phi_u[i] = b->d[1][i];
    multiply(b, b->turning_u, -1, s->u, out->phi_u);
    for (int k = 0; k < b->count; k++)
        out->u_u[k] = b->mass_u[k];
}

void trmi_beam_stiffness_terms(const trmi_beam *b, const trmi_beam_state *s,
                               const trmi_beam_terms *t, const trmi_beam_block *out)
{
    const double w = s->rate, square = w * w;
    fill_row(b, s->u, -square, -s->angular, -1, s->w, out->r_e);
    fill_row(b, s->u, s->angular, -square, -2 * w, s->v, out->r_n);
    fill_turning(b, 2 * s->angular, s->u, out->phi_u);
    multiply(b, b->mass_u, 2 * w, s->v, out->phi_u);
    multiply(b, b->bubble_u[1], -2 * w, s->v, out->phi_u);
    multiply(b, b->bubble_u[0], -t->a_n, s->u, out->phi_u);
    multiply(b, b->turning_u, 1, s->w, out->phi_u);
    for (int i = 0; i < b->n; i++)
        out->phi_u[i] += t->a_n * b->c[0][i] - t->a_e * b->c[1][i];
    for (int k = 0; k < b->count; k++)
        out->u_u[k] = b->stiffness_u[k] - square * b->mass_u[k];
    for (int k = 0; k < b->count && b->turning_u; k++)
        out->u_u[k] += square * b->bubble_u[1][k] - s->angular * b->turning_u[k] -
                       t->a_e * b->bubble_u[0][k];
}

void trmi_beam_damping_terms(const trmi_beam *b, const trmi_beam_state *s,
                             const trmi_beam_block *out)
{
    const double w = s->rate;
    fill_row(b, s->u, 0, -2 * w, -2, s->v, out->r_e);
    fill_row(b, s->u, 2 * w, 0, 0, NULL, out->r_n);
    fill_turning(b, 2 * w, s->u, out->phi_u);
    for (int i = 0; i < b->n; i++)
        out->u_phi[i] = -out->phi_u[i];
    multiply(b, b->turning_u, -2, s->v, out->u_phi);
    for (int k = 0; k < b->count && trmi_beam_is_damped(b); k++)
        out->u_u[k] = b->data.damping * b->stiffness_u[k] -
                      (b->turning_u ? 2 * w * b->turning_u[k] : 0);
}

// ---- energy -----------------------------------------------------------------------------------

void trmi_beam_moments(const trmi_beam *b, const double *u, double *along, double *across)
{
    *along = dot(b->c[0], u, b->n) - 0.5 * product(b, b->bubble_u[0], u, u);
    *across = dot(b->c[1], u, b->n);
}

double trmi_beam_kinetic(const trmi_beam *b, const trmi_beam_state *s, const double velocity[2])
{
    const trmi_beam_terms t = trmi_beam_move(b, s);
    const double w = s->rate;
    double kinetic = 0.5 * b->mass * dot2(velocity, velocity) + 0.5 * w * w * t.m_phi +
                     w * dot2(velocity, t.m_rphi);
    kinetic += dot2(velocity, t.e) *
                   (dot(b->c[0], s->v, b->n) - product(b, b->bubble_u[0], s->u, s->v)) +
               dot2(velocity, t.n) * dot(b->c[1], s->v, b->n);
    kinetic += 0.5 * product(b, b->mass_u, s->v, s->v);
    return kinetic + w * (dot(b->d[1], s->v, b->n) + product(b, b->turning_u, s->u, s->v));
}

double trmi_beam_strain(const trmi_beam *b, const double *u)
{
    return 0.5 * trmi_beam_product(b, b->stiffness_u, u, u);
}

double trmi_beam_loss(const trmi_beam *b, const double *v)
{
    return b->data.damping > 0 ? b->data.damping * trmi_beam_product(b, b->stiffness_u, v, v) : 0;
}

double trmi_beam_energy(const trmi_beam *b, const trmi_beam_state *s, const double velocity[2])
{
    return trmi_beam_kinetic(b, s, velocity) + trmi_beam_strain(b, s->u);
}
