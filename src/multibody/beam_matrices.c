// SPDX-License-Identifier: Apache-2.0
// The parts of M, K and D of a beam that are no multiples of c, see beam.h. t = 1/l at the tip
// borders the band of u,u by a row and a column:
//
//     M:  - s t t^T
//     K:  - t p^T,                                        p = 2 wc' Kg u + 2 wc Kg u'
//     D:  g t^T - t g^T - s' t t^T,                       g = 2 wc Kg u
#include "multibody/beam.h"

#include <stddef.h>

// y += factor Kg x
static void multiply_stiffening(const trmi_beam *b, double factor, const double *x,
                                double *restrict y)
{
    if (b->stiffening_u)
        trmi_beam_multiply(b, b->stiffening_u, factor, x, y);
}

// y += factor t
static void add_tip(const trmi_beam *b, double factor, double *y)
{
    if (b->tip >= 0)
        y[b->tip] += factor / b->data.length;
}

void trmi_beam_mass_terms(const trmi_beam *b, const trmi_beam_terms *t, double *restrict phi_u,
                          double *restrict u_u)
{
    const double l = b->data.length;
    for (int i = 0; i < b->n; i++)
        phi_u[i] = b->d[i];
    add_tip(b, -t->s, phi_u);
    for (int k = 0; k < b->count; k++) {
        bool corner = b->row[k] == b->tip && b->column[k] == b->tip;
        u_u[k] = b->mass_u[k] - (corner ? t->s / (l * l) : 0);
    }
}

// Kq - phi'^2 Mq + wc^2 Kg - t p^T
static void fill_stiffness(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                           const double *p, double *restrict u_u)
{
    for (int k = 0; k < b->entries; k++) {
        u_u[k] = b->row[k] == b->tip ? -p[b->column[k]] / b->data.length : 0;
        if (k < b->count)
            u_u[k] += b->stiffness_u[k] - s->rate * s->rate * b->mass_u[k];
        if (k < b->count && b->stiffening_u)
            u_u[k] += t->chord * t->chord * b->stiffening_u[k];
    }
}

void trmi_beam_stiffness_terms(const trmi_beam *b, const trmi_beam_state *s,
                               const trmi_beam_terms *t, double *restrict phi_u,
                               double *restrict u_u)
{
    for (int i = 0; i < b->n; i++)
        phi_u[i] = 0;
    multiply_stiffening(b, 2 * t->chord_angular, s->u, phi_u);
    multiply_stiffening(b, 2 * t->chord, s->v, phi_u);
    fill_stiffness(b, s, t, phi_u, u_u);
    for (int i = 0; i < b->n; i++)
        phi_u[i] = t->k_c * b->c[i] - phi_u[i];
    trmi_beam_multiply(b, b->mass_u, 2 * s->angular, s->u, phi_u);
    trmi_beam_multiply(b, b->mass_u, 2 * s->rate, s->v, phi_u);
}

// g t^T - t g^T - s' t t^T
static void fill_damping(const trmi_beam *b, const trmi_beam_terms *t, const double *g,
                         double *restrict u_u)
{
    const double l = b->data.length;
    for (int k = 0; k < b->entries; k++) {
        const int i = b->row[k], j = b->column[k];
        const double forth = j == b->tip ? g[i] : 0, back = i == b->tip ? g[j] : 0;
        const bool corner = i == b->tip && j == b->tip;
        u_u[k] = (forth - back) / l - (corner ? t->s_rate / (l * l) : 0);
    }
}

void trmi_beam_damping_terms(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                             double *restrict phi_u, double *restrict u_phi, double *restrict u_u)
{
    for (int i = 0; i < b->n; i++)
        u_phi[i] = 0;
    multiply_stiffening(b, 2 * t->chord, s->u, u_phi);
    if (b->tip >= 0)
        fill_damping(b, t, u_phi, u_u);
    trmi_beam_multiply(b, b->mass_u, -2 * s->rate, s->u, u_phi);
    for (int i = 0; i < b->n; i++)
        phi_u[i] = -u_phi[i];
    add_tip(b, -t->s_rate, phi_u);
    add_tip(b, -t->s_rate, u_phi);
}
