// SPDX-License-Identifier: Apache-2.0
// The parts of M, K and D of a beam that are no multiples of c, see beam.h. To the band of
// u,u rotation adds
//
//     M:  - s t t^T
//     K:  2 wm^2 s2 Kg u (Kg u)^T - t p^T,    p = 2 (wm' s1 + wm s1') Kg u + 2 wm s1 Kg u'
//     D:  g t^T - t g^T - s' t t^T,           g = 2 wm s1 Kg u
#include "modelling/multibody/beams/beam.h"

#include <stddef.h>

// y += factor Kg x
static void multiply_stiffening(const trmi_beam *b, double factor, const double *x,
                                double *restrict y)
{
    if (b->stiffening_u)
        trmi_beam_multiply(b, b->stiffening_u, factor, x, y);
}

void trmi_beam_mass_terms(const trmi_beam *b, const trmi_beam_terms *t, double *restrict phi_u,
                          double *restrict u_u)
{
    for (int i = 0; i < b->n; i++)
        phi_u[i] = b->d[i] - t->s * b->t[i];
    for (int k = 0; k < b->entries; k++)
        u_u[k] = (k < b->count ? b->mass_u[k] : 0) - t->s * b->t[b->row[k]] * b->t[b->column[k]];
}

// Kq - phi'^2 Mq + wm^2 s1 Kg, and factor x x^T
static void fill_stiffness(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                           double factor, const double *x, double *restrict u_u)
{
    const double square = t->mean_rate * t->mean_rate;
    for (int k = 0; k < b->entries; k++)
        u_u[k] = factor * x[b->row[k]] * x[b->column[k]];
    for (int k = 0; k < b->count; k++)
        u_u[k] += b->stiffness_u[k] - s->rate * s->rate * b->mass_u[k];
    for (int k = 0; k < b->count && b->stiffening_u; k++)
        u_u[k] += square * t->s1 * b->stiffening_u[k];
}

void trmi_beam_stiffness_terms(const trmi_beam *b, const trmi_beam_state *s,
                               const trmi_beam_terms *t, double *restrict phi_u,
                               double *restrict u_u)
{
    for (int i = 0; i < b->n; i++)
        phi_u[i] = 0;
    multiply_stiffening(b, 1, s->u, phi_u);
    fill_stiffness(b, s, t, 2 * t->mean_rate * t->mean_rate * t->s2, phi_u, u_u);
    for (int i = 0; i < b->n; i++)
        phi_u[i] *= 2 * (t->mean_angular * t->s1 + t->mean_rate * t->s1_rate);
    multiply_stiffening(b, 2 * t->mean_rate * t->s1, s->v, phi_u);
    for (int k = 0; k < b->entries; k++)
        u_u[k] -= b->t[b->row[k]] * phi_u[b->column[k]];
    for (int i = 0; i < b->n; i++)
        phi_u[i] = t->k_c * b->c[i] - phi_u[i];
    trmi_beam_multiply(b, b->mass_u, 2 * s->angular, s->u, phi_u);
    trmi_beam_multiply(b, b->mass_u, 2 * s->rate, s->v, phi_u);
}

// g t^T - t g^T - s' t t^T
static void fill_damping(const trmi_beam *b, double s_rate, const double *g, double *restrict u_u)
{
    for (int k = 0; k < b->entries; k++) {
        const int i = b->row[k], j = b->column[k];
        u_u[k] = g[i] * b->t[j] - b->t[i] * g[j] - s_rate * b->t[i] * b->t[j];
    }
}

void trmi_beam_damping_terms(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                             double *restrict phi_u, double *restrict u_phi, double *restrict u_u)
{
    for (int i = 0; i < b->n; i++)
        u_phi[i] = 0;
    multiply_stiffening(b, 2 * t->mean_rate * t->s1, s->u, u_phi);
    if (b->stiffening_u)
        fill_damping(b, t->s_rate, u_phi, u_u);
    trmi_beam_multiply(b, b->mass_u, -2 * s->rate, s->u, u_phi);
    for (int i = 0; i < b->n; i++) {
        phi_u[i] = -u_phi[i] - t->s_rate * b->t[i];
        u_phi[i] -= t->s_rate * b->t[i];
    }
}
