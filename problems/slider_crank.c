// SPDX-License-Identifier: Apache-2.0
// Slider crank of the SUNDIALS example idaSlCrank_dns: crank angle q, slider place x, rod angle p,
// with a spring and damper between the middles of crank and rod, and a constant force on the
// slider:
//
//     g = (x - cos p - a cos q, -sin p - a sin q),    M = diag(1, 1, 2)
//
// Derivatives of the forces are left to the differences of the library.
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

static const double a = 0.5; // length of the crank, the rod has 1
static const double crank_inertia = 1.0, slider_mass = 1.0, rod_inertia = 2.0;
static const double spring_k = 1.0, spring_c = 1.0, spring_rest = 1.0, push = 1.0;

static int mass(const trm_state *state, double *out, void *user)
{
    (void)state, (void)user;
    out[0] = crank_inertia;
    out[1] = slider_mass;
    out[2] = rod_inertia;
    return 0;
}

// length l of the spring: l^2 = x^2 - x (cos p + a cos q) + (1 + a^2)/4 + a cos(p - q)/2
static double spring_length(const double *q)
{
    const double x = q[1];
    return sqrt(x * x - x * (cos(q[2]) + a * cos(q[0])) + (1.0 + a * a) / 4.0 +
                a * cos(q[2] - q[0]) / 2.0);
}

static int force(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double *q = state->q, *v = state->v;
    const double x = q[1], sq = sin(q[0]), cq = cos(q[0]), sp = sin(q[2]), cp = cos(q[2]);
    const double s21 = sin(q[2] - q[0]), length = spring_length(q);
    if (!(length > 0.0))
        return 1;
    const double rate = (2.0 * x * v[1] - v[1] * (cp + a * cq) + x * (sp * v[2] + a * sq * v[0]) -
                         a * s21 * (v[2] - v[0]) / 2.0) /
                        (2.0 * length);
    const double pull = (spring_k * (length - spring_rest) + spring_c * rate) / length;
    out[0] = -pull * a * (s21 / 2.0 + x * sq) / 2.0;
    out[1] = pull * (cp / 2.0 - x + a * cq / 2.0) + push;
    out[2] = -pull * (x * sp - a * s21 / 2.0) / 2.0 - push * sp;
    return 0;
}

// T + k (l - l0)^2 / 2 - F (x + cos p); the damper takes from it
static int energy(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double *q = state->q, *v = state->v, stretch = spring_length(q) - spring_rest;
    out[0] = 0.5 * (crank_inertia * v[0] * v[0] + slider_mass * v[1] * v[1] +
                    rod_inertia * v[2] * v[2]) +
             0.5 * spring_k * stretch * stretch - push * (q[1] + cos(q[2]));
    return 0;
}

static int constraint(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double *q = state->q;
    out[0] = q[1] - cos(q[2]) - a * cos(q[0]);
    out[1] = -sin(q[2]) - a * sin(q[0]);
    return 0;
}

// 2 x 3, column by column
static int constraint_q(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double *q = state->q;
    out[0] = a * sin(q[0]);
    out[1] = -a * cos(q[0]);
    out[2] = 1.0;
    out[3] = 0.0;
    out[4] = sin(q[2]);
    out[5] = -cos(q[2]);
    return 0;
}

static int constraint_t(const trm_state *state, double *out, void *user)
{
    (void)state, (void)user;
    out[0] = out[1] = 0.0;
    return 0;
}

static int gamma_term(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double *q = state->q, *v = state->v;
    out[0] = a * cos(q[0]) * v[0] * v[0] + cos(q[2]) * v[2] * v[2];
    out[1] = a * sin(q[0]) * v[0] * v[0] + sin(q[2]) * v[2] * v[2];
    return 0;
}

// (G v)_q in the columns of q and p
static const int velocity_row[] = {0, 1, 0, 1}, velocity_column[] = {0, 0, 2, 2};

static int velocity_q(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double *q = state->q, *v = state->v;
    out[0] = a * cos(q[0]) * v[0];
    out[1] = a * sin(q[0]) * v[0];
    out[2] = cos(q[2]) * v[2];
    out[3] = sin(q[2]) * v[2];
    return 0;
}

// (G^T lambda)_q: diagonal
static int geometric(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double *q = state->q, *lambda = state->lambda;
    out[0] = a * (cos(q[0]) * lambda[0] + sin(q[0]) * lambda[1]);
    out[1] = 0.0;
    out[2] = cos(q[2]) * lambda[0] + sin(q[2]) * lambda[1];
    return 0;
}

static bool create(trp_problem *problem, const double *o)
{
    (void)o;
    static const char *const q_names[] = {"crank", "slider", "rod"};
    static const char *const g_names[] = {"slider along", "slider across"};
    const double half_pi = 1.57079632679489661923, rod = asin(-a);
    const double q[] = {half_pi, cos(rod), rod}, v[] = {0.0, 0.0, 0.0};
    trm_system *s = &problem->system;
    s->n_q = 3;
    s->n_g = 2;
    s->function[TRM_QUANTITY_MASS] = mass;
    s->function[TRM_QUANTITY_FORCE] = force;
    s->function[TRM_QUANTITY_ENERGY] = energy;
    s->function[TRM_QUANTITY_CONSTRAINT] = constraint;
    s->function[TRM_QUANTITY_CONSTRAINT_Q] = constraint_q;
    s->function[TRM_QUANTITY_CONSTRAINT_T] = constraint_t;
    s->function[TRM_QUANTITY_GAMMA] = gamma_term;
    s->function[TRM_QUANTITY_VELOCITY_Q] = velocity_q;
    s->function[TRM_QUANTITY_GEOMETRIC] = geometric;
    s->constant = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_T);
    s->pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s->pattern[TRM_QUANTITY_GEOMETRIC].count = TRM_PATTERN_DIAGONAL;
    s->pattern[TRM_QUANTITY_VELOCITY_Q] =
        (trm_pattern){.count = 4, .row = velocity_row, .column = velocity_column};
    s->q_names = q_names;
    s->g_names = g_names;
    problem->end = 10.0;
    return trp_problem_start(problem, 3, q, v);
}

static const trm_problem_option no_options[] = {{NULL, 0.0}};

const trp_problem_kind trp_problem_slider_crank = {
    {"slider-crank",
     "slider crank with spring and damper (SUNDIALS idaSlCrank); force derivatives "
     "by differences",
     no_options},
    NULL,
    create};
