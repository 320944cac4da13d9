// SPDX-License-Identifier: Apache-2.0
// A chain of n pendulums whose suspension moves (Arnold, Fuchs and Fuehrer, section 4.2.1): rods of
// length 1, a mass 1 at the end of each, absolute angles q from the downward vertical. With
// mu_i = n - i + 1 masses below rod i, m_ij = min(mu_i, mu_j) and the suspension
// u = (ax sin(w t), ay sin(w t)):
//
//     M_ij = m_ij cos(q_i - q_j)
//     f_i = -sum_j m_ij sin(q_i - q_j) v_j^2 - mu_i ((g + u_y'') sin q_i + u_x'' cos q_i)
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { NAME = 20 }; // "angle" and any int

typedef struct pendulum_chain {
    int n;
    double w, ax, ay, gravity;
} pendulum_chain;

// masses that both rods carry
static double shared_mass(const pendulum_chain *c, int i, int j)
{
    return c->n - (i > j ? i : j);
}

static void write_input(const pendulum_chain *c, double t, double *out)
{
    const double amplitude[] = {c->ax, c->ay};
    for (int k = 0; k < 2; k++) {
        out[k] = amplitude[k] * sin(c->w * t);
        out[2 + k] = amplitude[k] * c->w * cos(c->w * t);
        out[4 + k] = -amplitude[k] * c->w * c->w * sin(c->w * t);
    }
}

static void write_mass(const pendulum_chain *c, const double *q, double *out)
{
    for (int j = 0; j < c->n; j++)
        for (int i = 0; i < c->n; i++)
            out[i + c->n * j] = shared_mass(c, i, j) * cos(q[i] - q[j]);
}

static void write_force(const pendulum_chain *c, const trm_state *s, double *out)
{
    const double *q = s->q, *v = s->v, ax = s->u[4], ay = s->u[5];
    for (int i = 0; i < c->n; i++) {
        out[i] = -shared_mass(c, i, i) * ((c->gravity + ay) * sin(q[i]) + ax * cos(q[i]));
        for (int j = 0; j < c->n; j++)
            out[i] -= shared_mass(c, i, j) * sin(q[i] - q[j]) * v[j] * v[j];
    }
}

// (M a - f)_q: what moves with q_j is in column j, and with the opposite sign in the diagonal
static void write_stiffness(const pendulum_chain *c, const trm_state *s, double *out)
{
    const double *q = s->q, *v = s->v, *a = s->a, ax = s->u[4], ay = s->u[5];
    for (int i = 0; i < c->n; i++) {
        double diagonal = shared_mass(c, i, i) * ((c->gravity + ay) * cos(q[i]) - ax * sin(q[i]));
        for (int j = 0; j < c->n; j++) {
            double d = q[i] - q[j];
            double entry = shared_mass(c, i, j) * (sin(d) * a[j] - cos(d) * v[j] * v[j]);
            out[i + c->n * j] = entry;
            diagonal -= i == j ? 0 : entry;
        }
        out[i + c->n * i] = diagonal;
    }
}

static void write_damping(const pendulum_chain *c, const trm_state *s, double *out)
{
    for (int j = 0; j < c->n; j++)
        for (int i = 0; i < c->n; i++)
            out[i + c->n * j] = 2 * shared_mass(c, i, j) * sin(s->q[i] - s->q[j]) * s->v[j];
}

static int evaluate(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const pendulum_chain *c = user;
    if (want[TRM_INPUT])
        write_input(c, s->t, want[TRM_INPUT]);
    if (want[TRM_MASS])
        write_mass(c, s->q, want[TRM_MASS]);
    if (want[TRM_FORCE])
        write_force(c, s, want[TRM_FORCE]);
    if (want[TRM_STIFFNESS])
        write_stiffness(c, s, want[TRM_STIFFNESS]);
    if (want[TRM_DAMPING])
        write_damping(c, s, want[TRM_DAMPING]);
    return 0;
}

static const char *const *name_angles(trp_memory *memory, int n)
{
    const char **names;
    char *text;
    if (!TRP_TAKE(memory, names, n) || !TRP_TAKE(memory, text, NAME * n))
        return NULL;
    for (int i = 0; i < n; i++) {
        snprintf(text + NAME * i, NAME, "angle%d", i + 1);
        names[i] = text + NAME * i;
    }
    return names;
}

static bool create(trp_problem *problem, const double *o)
{
    pendulum_chain *c;
    trp_memory *memory = &problem->memory;
    double *zero;
    trm_system *s = &problem->system;
    s->n_q = (int)o[0];
    if (!TRP_TAKE(memory, c, 1) || !TRP_TAKE(memory, zero, s->n_q) ||
        !(s->q_names = name_angles(memory, s->n_q)))
        return false;
    *c = (pendulum_chain){.n = s->n_q, .w = o[1], .ax = o[2], .ay = o[3], .gravity = o[4]};
    s->n_u = 2;
    s->evaluate = evaluate;
    s->evaluates = TRM_BIT(TRM_INPUT) | TRM_BIT(TRM_MASS) | TRM_BIT(TRM_FORCE) |
                   TRM_BIT(TRM_STIFFNESS) | TRM_BIT(TRM_DAMPING);
    s->user = c;
    problem->end = 200;
    return trp_problem_start(problem, s->n_q, zero, zero);
}

static const trp_problem_range range[] = {
    {1, 1000, true}, {0, 1e6, false}, {-1e6, 1e6, false}, {-1e6, 1e6, false}, {-1e6, 1e6, false}};
static const trm_problem_option options[] = {
    {"links", 16}, {"w", 0.31415926535897931}, {"ax", 0.3}, {"ay", 0.2}, {"g", 9.81}, {NULL, 0}};

const trp_problem_kind trp_problem_pendulum_chain = {
    {"pendulum-chain",
     "links in angles below a suspension that moves as (ax, ay) sin(w t) (Arnold et al. 4.2.1)",
     options},
    range,
    create};
