// SPDX-License-Identifier: Apache-2.0
// M, K and D of a beam in its elastic coordinates, see beam.h: those of the points U, and J, J1, J2
// of their dependence on u. Of a linear beam U is u.
#include "modelling/multibody/beams/beam.h"

#include <stddef.h>

// Which factor of a point is taken.
typedef enum factor { BY_J, BY_J1, BY_J2 } factor;

// What a part of K_xu = K_xU J + D_xU J1 + M_xU J2 takes of each.
typedef struct chain {
    double K, D, M;
} chain;

static void clear(double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = 0;
}

// J, J1, J2 of point i
static chain factors_of(const trmi_beam *b, const trmi_beam_state *s, int i)
{
    const trmi_beam_work *w = s->work;
    return b->data.shortens ? (chain){w->J[i], w->J1[i], w->J2[i]} : (chain){1, 0, 0};
}

static double factor_of(const trmi_beam *b, const trmi_beam_state *s, factor which, int i)
{
    const chain f = factors_of(b, s, i);
    return which == BY_J ? f.K : which == BY_J1 ? f.D : f.M;
}

// out += sum of factor_i (x c_e + y c_n)_i over the points of each coordinate; NULL: not wanted
static void add_arms(const trmi_beam *b, const trmi_beam_state *s, factor which, double x, double y,
                     double *restrict out)
{
    for (int i = 0; i < b->points && out; i++)
        out[b->of[i]] += factor_of(b, s, which, i) * (x * b->c[0][i] + y * b->c[1][i]);
}

// out += sum of factor_i X_i
static void add_points(const trmi_beam *b, const trmi_beam_state *s, factor which, double scale,
                       const double *X, double *restrict out)
{
    for (int i = 0; i < b->points; i++)
        out[b->of[i]] += scale * factor_of(b, s, which, i) * X[i];
}

void trmi_beam_arms(const trmi_beam *b, const trmi_beam_state *s, double *restrict along,
                    double *restrict across)
{
    clear(along, b->n);
    clear(across, b->n);
    add_arms(b, s, BY_J, 1, 0, along);
    add_arms(b, s, BY_J, 0, 1, across);
}

bool trmi_beam_is_damped(const trmi_beam *b)
{
    return b->turning_U || b->data.damping > 0;
}

// A x added to `out`, times J, J1 or J2; a linear beam has no array between
static void add_product(const trmi_beam *b, const trmi_beam_state *s, factor which, const double *A,
                        double scale, const double *x, double *restrict out)
{
    if (!A || !x || scale == 0)
        return;
    if (!b->data.shortens) {
        if (which == BY_J)
            trmi_beam_multiply(b, A, scale, x, out);
        return;
    }
    clear(s->work->X, b->points);
    trmi_beam_multiply(b, A, scale, x, s->work->X);
    add_points(b, s, which, 1, s->work->X, out);
}

// scale (d_e + Mq U), times J, J1 or J2
static void add_turning(const trmi_beam *b, const trmi_beam_state *s, factor which, double scale,
                        double *restrict out)
{
    add_points(b, s, which, scale, b->d[0], out);
    add_product(b, s, which, b->mass_U, scale, s->U, out);
}

// scale (d_n - B U), times J, J1 or J2
static void add_lever(const trmi_beam *b, const trmi_beam_state *s, factor which, double scale,
                      double *restrict out)
{
    add_points(b, s, which, scale, b->d[1], out);
    add_product(b, s, which, b->turning_U, -scale, s->U, out);
}

// u,u: J^T (K J + D J1 + M J2) of matrices that are multiples of Mq and B, in the order of U
static void fill_square(const trmi_beam *b, const trmi_beam_state *s, chain mass, chain turning,
                        double *restrict u_u)
{
    clear(u_u, b->entries);
    for (int k = 0; k < b->count; k++) {
        const chain f = factors_of(b, s, b->column[k]);
        const double m = mass.K * f.K + mass.D * f.D + mass.M * f.M;
        const double t = turning.K * f.K + turning.D * f.D + turning.M * f.M;
        u_u[b->entry[k]] += factors_of(b, s, b->row[k]).K *
                            (m * b->mass_U[k] + (b->turning_U ? t * b->turning_U[k] : 0));
    }
}

static void begin(const trmi_beam *b, const trmi_beam_block *out)
{
    if (out->r_e)
        clear(out->r_e, b->n);
    if (out->r_n)
        clear(out->r_n, b->n);
    clear(out->phi_u, b->n);
}

void trmi_beam_mass_terms(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_block *out)
{
    begin(b, out);
    add_arms(b, s, BY_J, 1, 0, out->r_e);
    add_arms(b, s, BY_J, 0, 1, out->r_n);
    add_lever(b, s, BY_J, 1, out->phi_u);
    fill_square(b, s, (chain){.K = 1}, (chain){0}, out->u_u);
}

// dJ/du^T R_U on the diagonal: J of a point changes with its own coordinate only
static void add_diagonal(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                         double *restrict u_u)
{
    double *R_U = s->work->X;
    trmi_beam_inertia(b, s, t, R_U);
    for (int k = 0; k < b->count; k++) {
        const int i = b->row[k];
        // d^2/dtheta^2 of cos - 1 is -(U + 1), of sin -U
        if (i == b->column[k] && b->part[i] == TRMI_BEAM_COSINE)
            u_u[b->entry[k]] -= (s->U[i] + 1) * R_U[i];
        else if (i == b->column[k] && b->part[i] == TRMI_BEAM_SLOPE)
            u_u[b->entry[k]] -= s->U[i] * R_U[i];
    }
}

void trmi_beam_stiffness_terms(const trmi_beam *b, const trmi_beam_state *s,
                               const trmi_beam_terms *t, const trmi_beam_block *out)
{
    const double w = s->rate, square = w * w, alpha = s->angular;
    begin(b, out);
    add_arms(b, s, BY_J, -square, -alpha, out->r_e);
    add_arms(b, s, BY_J, alpha, -square, out->r_n);
    add_arms(b, s, BY_J, t->a_n, -t->a_e, out->phi_u);
    add_turning(b, s, BY_J, 2 * alpha, out->phi_u);
    add_product(b, s, BY_J, b->mass_U, 2 * w, s->V, out->phi_u);
    add_product(b, s, BY_J, b->turning_U, 1, s->W, out->phi_u);
    fill_square(b, s, (chain){.K = -square, .M = 1}, (chain){.K = -alpha, .D = -2 * w}, out->u_u);
    for (int k = 0; k < b->entries; k++)
        out->u_u[k] += b->stiffness_u[k];
    if (!b->data.shortens)
        return;
    add_arms(b, s, BY_J1, 0, -2 * w, out->r_e);
    add_arms(b, s, BY_J1, 2 * w, 0, out->r_n);
    add_turning(b, s, BY_J1, 2 * w, out->phi_u);
    add_arms(b, s, BY_J2, 1, 0, out->r_e);
    add_arms(b, s, BY_J2, 0, 1, out->r_n);
    add_lever(b, s, BY_J2, 1, out->phi_u);
    add_diagonal(b, s, t, out->u_u);
}

void trmi_beam_damping_terms(const trmi_beam *b, const trmi_beam_state *s,
                             const trmi_beam_block *out)
{
    const double w = s->rate;
    begin(b, out);
    clear(out->u_phi, b->n);
    add_arms(b, s, BY_J, 0, -2 * w, out->r_e);
    add_arms(b, s, BY_J, 2 * w, 0, out->r_n);
    add_turning(b, s, BY_J, 2 * w, out->phi_u);
    for (int i = 0; i < b->n; i++)
        out->u_phi[i] = -out->phi_u[i];
    add_product(b, s, BY_J, b->turning_U, -2, s->V, out->u_phi);
    if (!trmi_beam_is_damped(b))
        return;
    fill_square(b, s, (chain){.D = 2}, (chain){.K = -2 * w}, out->u_u);
    for (int k = 0; k < b->entries; k++)
        out->u_u[k] += b->data.damping * b->stiffness_u[k];
    if (!b->data.shortens)
        return;
    add_arms(b, s, BY_J1, 2, 0, out->r_e);
    add_arms(b, s, BY_J1, 0, 2, out->r_n);
    add_lever(b, s, BY_J1, 2, out->phi_u);
}
