// SPDX-License-Identifier: Apache-2.0
// The inertia of a moving beam: a point at y = (x + s, w) of the frame has the acceleration, less
// gravity,
//
//     p'' = a + phi'' k x y - phi'^2 y + 2 phi' k x y' + y''
//
// and R is what int rA p'' does in the motions e, n of the frame, k x y of its rotation, (Ne, Nn)
// of U. With dots for products over the points
//
//     R_r   = m a + (n phi'' - e phi'^2) (S + c_e.U) - (e phi'' + n phi'^2) c_n.U
//             + 2 phi' (n c_e.U' - e c_n.U') + e c_e.U'' + n c_n.U''
//     R_phi = a_n (S + c_e.U) - a_e c_n.U + phi'' (J + 2 d_e.U + U.Mq U)
//             + 2 phi' (d_e.U' + U.Mq U') + d_n.U'' + U.B U''
//     R_U   = a_e c_e + a_n c_n + phi'' (d_n - B U) - phi'^2 (d_e + Mq U) - 2 phi' B U' + Mq U''
//
// and its derivatives follow with e_phi = n, n_phi = -e. The matrices are in beam_matrices.c.
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

// ---- points -----------------------------------------------------------------------------------

bool trmi_beam_work_create(trmi_beam_work *work, trmi_memory *memory, int points)
{
    double **array[] = {&work->U, &work->V, &work->W, &work->J, &work->J1, &work->J2, &work->X};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        if (!TRMI_TAKE(memory, *array[i], points))
            return false;
    return true;
}

// point i of a curved beam: U, and its first three derivatives by its coordinate
static void evaluate_point(int part, double u, double U[4])
{
    const double c = cos(u), s = sin(u), half = sin(0.5 * u);
    const double cosine[] = {-2 * half * half, -s, -c, s}, sine[] = {s, c, -s, -c};
    const double plain[] = {u, 1, 0, 0};
    for (int k = 0; k < 4; k++)
        U[k] = part == TRMI_BEAM_COSINE ? cosine[k] : part == TRMI_BEAM_SLOPE ? sine[k] : plain[k];
}

void trmi_beam_curve(const trmi_beam *b, const trmi_beam_work *work, trmi_beam_state *s)
{
    *s = (trmi_beam_state){
        s->angle, s->rate, {s->a[0], s->a[1]}, s->angular, s->u, s->v, s->w, s->u, s->v,
        s->w,     work};
    if (!b->data.shortens)
        return;
    for (int i = 0; i < b->points; i++) {
        const int at = b->of[i];
        const double v = s->v ? s->v[at] : 0, w = s->w ? s->w[at] : 0;
        double U[4];
        evaluate_point(b->part[i], s->u[at], U);
        work->U[i] = U[0];
        work->V[i] = U[1] * v;
        work->W[i] = U[1] * w + U[2] * v * v;
        work->J[i] = U[1];
        work->J1[i] = U[2] * v;
        work->J2[i] = U[2] * w + U[3] * v * v;
    }
    s->U = work->U;
    s->V = work->V;
    s->W = work->W;
}

// ---- residual ---------------------------------------------------------------------------------

trmi_beam_terms trmi_beam_move(const trmi_beam *b, const trmi_beam_state *s)
{
    const int N = b->points;
    const double w = s->rate, alpha = s->angular;
    const double along = b->moment + dot(b->c[0], s->U, N), across = dot(b->c[1], s->U, N);
    const double along_v = dot(b->c[0], s->V, N), across_v = dot(b->c[1], s->V, N);
    const double along_a = dot(b->c[0], s->W, N), across_a = dot(b->c[1], s->W, N);
    const double faster = 2 * (dot(b->d[0], s->V, N) + product(b, b->mass_U, s->U, s->V));
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
    t.m_phi = b->inertia + 2 * dot(b->d[0], s->U, N) + product(b, b->mass_U, s->U, s->U);
    t.residual_phi = t.a_n * along - t.a_e * across + alpha * t.m_phi + w * faster +
                     dot(b->d[1], s->W, N) + product(b, b->turning_U, s->U, s->W);
    t.k_phi = -t.a_e * along - t.a_n * across;
    t.d_phi = faster;
    return t;
}

void trmi_beam_inertia(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                       double *restrict out)
{
    const double square = s->rate * s->rate;
    for (int i = 0; i < b->points; i++)
        out[i] = t->a_e * b->c[0][i] + t->a_n * b->c[1][i] + s->angular * b->d[1][i] -
                 square * b->d[0][i];
    multiply(b, b->mass_U, 1, s->W, out);
    multiply(b, b->mass_U, -square, s->U, out);
    multiply(b, b->turning_U, -s->angular, s->U, out);
    multiply(b, b->turning_U, -2 * s->rate, s->V, out);
}

void trmi_beam_residual(const trmi_beam *b, const trmi_beam_state *s, const trmi_beam_terms *t,
                        double *restrict out)
{
    const bool curved = b->data.shortens;
    double *R_U = curved ? s->work->X : out;
    trmi_beam_inertia(b, s, t, R_U);
    for (int i = 0; i < b->n && curved; i++)
        out[i] = 0;
    for (int i = 0; i < b->points && curved; i++)
        out[b->of[i]] += s->work->J[i] * R_U[i];
    trmi_beam_bend(b, 1, s->u, out);
    if (s->v && b->data.damping > 0)
        trmi_beam_bend(b, b->data.damping, s->v, out);
}

// ---- energy -----------------------------------------------------------------------------------

void trmi_beam_moments(const trmi_beam *b, const trmi_beam_state *s, double *along, double *across)
{
    *along = dot(b->c[0], s->U, b->points);
    *across = dot(b->c[1], s->U, b->points);
}

double trmi_beam_kinetic(const trmi_beam *b, const trmi_beam_state *s, const double velocity[2])
{
    const int N = b->points;
    const trmi_beam_terms t = trmi_beam_move(b, s);
    const double w = s->rate;
    double kinetic = 0.5 * b->mass * dot2(velocity, velocity) + 0.5 * w * w * t.m_phi +
                     w * dot2(velocity, t.m_rphi);
    kinetic +=
        dot2(velocity, t.e) * dot(b->c[0], s->V, N) + dot2(velocity, t.n) * dot(b->c[1], s->V, N);
    kinetic += 0.5 * product(b, b->mass_U, s->V, s->V);
    return kinetic + w * (dot(b->d[1], s->V, N) + product(b, b->turning_U, s->U, s->V));
}

double trmi_beam_strain(const trmi_beam *b, const double *u)
{
    return 0.5 * trmi_beam_bending(b, u);
}

double trmi_beam_loss(const trmi_beam *b, const double *v)
{
    return b->data.damping > 0 ? b->data.damping * trmi_beam_bending(b, v) : 0;
}

double trmi_beam_energy(const trmi_beam *b, const trmi_beam_state *s, const double velocity[2])
{
    return trmi_beam_kinetic(b, s, velocity) + trmi_beam_strain(b, s->u);
}
