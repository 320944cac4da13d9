// SPDX-License-Identifier: Apache-2.0
// A chain of n pendulums whose suspension moves (Arnold, Fuchs and Fuehrer, section 4.2.1): rods of
// length 1, a mass 1 at the end of each, absolute angles q from the downward vertical. With
// mu_i = n - i + 1 masses below rod i, m_ij = min(mu_i, mu_j) and the suspension
// u = (ax sin(w t), ay sin(w t)):
//
//     M_ij = m_ij cos(q_i - q_j)
//     f_i = -sum_j m_ij sin(q_i - q_j) v_j^2 - mu_i ((g + u_y'') sin q_i + u_x'' cos q_i)
//
// as M a - f, or solved for the accelerations, 1 a - M^-1 f, with the derivatives M^-1 K at
// a = M^-1 f and M^-1 D.
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { NAME = 20 }; // "angle" and any int

typedef struct pendulum_chain {
    int n;
    bool solved; // for the accelerations
    double w, ax, ay, gravity;
    double *mass, *phi; // solved: n x n and n, Cholesky factor of M and M^-1 f
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

// ---- solved for the accelerations ----

// M = L L^T, L in the lower triangle
static void factor_mass(const pendulum_chain *c, const double *q)
{
    double *m = c->mass;
    int n = c->n;
    write_mass(c, q, m);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++)
                m[i + n * j] -= m[i + n * k] * m[j + n * k];
        double root = sqrt(m[j + n * j]);
        for (int i = j; i < n; i++)
            m[i + n * j] /= root;
    }
}

static void solve_mass(const pendulum_chain *c, double *x)
{
    const double *m = c->mass;
    int n = c->n;
    for (int j = 0; j < n; j++) {
        x[j] /= m[j + n * j];
        for (int i = j + 1; i < n; i++)
            x[i] -= m[i + n * j] * x[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int i = j + 1; i < n; i++)
            x[j] -= m[i + n * j] * x[i];
        x[j] /= m[j + n * j];
    }
}

static void evaluate_solved(const pendulum_chain *c, const trm_state *s,
                            double *const want[TRM_QUANTITY_COUNT])
{
    trm_state at = *s;
    double *const matrices[] = {want[TRM_QUANTITY_STIFFNESS], want[TRM_QUANTITY_DAMPING]};
    for (int i = 0; want[TRM_QUANTITY_MASS] && i < c->n; i++)
        want[TRM_QUANTITY_MASS][i] = 1;
    if (!want[TRM_QUANTITY_FORCE] && !want[TRM_QUANTITY_STIFFNESS] && !want[TRM_QUANTITY_DAMPING])
        return;
    factor_mass(c, s->q);
    write_force(c, s, c->phi);
    solve_mass(c, c->phi);
    for (int i = 0; want[TRM_QUANTITY_FORCE] && i < c->n; i++)
        want[TRM_QUANTITY_FORCE][i] = c->phi[i];
    at.a = c->phi;
    if (want[TRM_QUANTITY_STIFFNESS])
        write_stiffness(c, &at, want[TRM_QUANTITY_STIFFNESS]);
    if (want[TRM_QUANTITY_DAMPING])
        write_damping(c, s, want[TRM_QUANTITY_DAMPING]);
    for (int k = 0; k < 2; k++)
        for (int j = 0; matrices[k] && j < c->n; j++)
            solve_mass(c, matrices[k] + (size_t)c->n * (size_t)j);
}

static int evaluate(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const pendulum_chain *c = user;
    if (want[TRM_QUANTITY_INPUT])
        write_input(c, s->t, want[TRM_QUANTITY_INPUT]);
    if (c->solved) {
        evaluate_solved(c, s, want);
        return 0;
    }
    if (want[TRM_QUANTITY_MASS])
        write_mass(c, s->q, want[TRM_QUANTITY_MASS]);
    if (want[TRM_QUANTITY_FORCE])
        write_force(c, s, want[TRM_QUANTITY_FORCE]);
    if (want[TRM_QUANTITY_STIFFNESS])
        write_stiffness(c, s, want[TRM_QUANTITY_STIFFNESS]);
    if (want[TRM_QUANTITY_DAMPING])
        write_damping(c, s, want[TRM_QUANTITY_DAMPING]);
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
    *c = (pendulum_chain){
        .n = s->n_q, .w = o[1], .ax = o[2], .ay = o[3], .gravity = o[4], .solved = o[5] != 0};
    if (c->solved &&
        (!TRP_TAKE(memory, c->mass, s->n_q * s->n_q) || !TRP_TAKE(memory, c->phi, s->n_q)))
        return false;
    if (c->solved) {
        s->pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
        s->constant = TRM_BIT(MASS);
    }
    s->n_u = 2;
    s->evaluate = evaluate;
    s->evaluates =
        TRM_BIT(INPUT) | TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(STIFFNESS) | TRM_BIT(DAMPING);
    s->user = c;
    problem->end = 200;
    return trp_problem_start(problem, s->n_q, zero, zero);
}

static const trp_problem_range range[] = {{1, 1000, true},    {0, 1e6, false},
                                          {-1e6, 1e6, false}, {-1e6, 1e6, false},
                                          {-1e6, 1e6, false}, {0, 1, true}};
static const trm_problem_option options[] = {
    {"links", 16}, {"w", 0.31415926535897931}, {"ax", 0.3}, {"ay", 0.2}, {"g", 9.81}, {"solved", 0},
    {NULL, 0}};

const trp_problem_kind trp_problem_pendulum_chain = {
    {"pendulum-chain",
     "links in angles below a suspension that moves as (ax, ay) sin(w t) (Arnold et al. 4.2.1)",
     options},
    range,
    create};
