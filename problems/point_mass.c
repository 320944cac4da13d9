// SPDX-License-Identifier: Apache-2.0
// A unit mass on a unit circle, under gravity and a spring. With u = (x - p(t), y), the pivot
// p(t) = a sin(w t) and the spring vector d = q - c of length l:
//
//     g = (u.u - 1) / 2          f = -(kx dx, ky dy) (1 - l0/l) - (0, gravity)
//
// The spring is isotropic where l0 > 0. Sources: pendulum: IFToMM benchmark A01; spring-pendulum
// and linear-oscillator: Yen and Petzold, TR 96-028, with the signs and start values that
// reproduce its tables.
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>

typedef struct point_mass {
    double gravity;
    double kx, ky, cx, cy, rest; // spring
    double swing, rate;          // motion of the pivot: a, w
} point_mass;

// the spring at one position
typedef struct spring_state {
    double dx, dy;
    double slack; // l0 / l
} spring_state;

static int stretch(const point_mass *p, const double *q, spring_state *s)
{
    *s = (spring_state){q[0] - p->cx, q[1] - p->cy, 0.0};
    if (p->rest == 0.0)
        return 0;
    double length = hypot(s->dx, s->dy);
    s->slack = p->rest / length;
    return length > 0.0 ? 0 : 1;
}

// K = -f_q: k ((1 - l0/l) I + (l0/l) e e^T), column by column
static void stiffness(const point_mass *p, const spring_state *s, double *out)
{
    double bend = s->slack > 0.0 ? s->slack / (s->dx * s->dx + s->dy * s->dy) : 0.0;
    out[0] = p->kx * (1.0 - s->slack + bend * s->dx * s->dx);
    out[1] = p->ky * bend * s->dx * s->dy;
    out[2] = p->kx * bend * s->dx * s->dy;
    out[3] = p->ky * (1.0 - s->slack + bend * s->dy * s->dy);
}

// d (1 - l0/l) has the length l - l0, so this is k (l - l0)^2 / 2 too
static double energy(const point_mass *p, const spring_state *s, const double *q, const double *v)
{
    double ex = s->dx * (1.0 - s->slack), ey = s->dy * (1.0 - s->slack);
    return 0.5 * (v[0] * v[0] + v[1] * v[1] + p->kx * ex * ex + p->ky * ey * ey) +
           p->gravity * q[1];
}

// Everything about the constraint; w = v - (p', 0) is the velocity relative to the pivot:
//     G = u^T,  g_t = -ux p',  (G v + g_t)_q = w^T,  gamma = w.w - ux p'',  (G^T lambda)_q = lambda
//     I
static void constraint(const point_mass *p, const trm_state *state, double *const *want)
{
    const double *q = state->q, *v = state->v;
    const double sine = sin(p->rate * state->t), cosine = cos(p->rate * state->t);
    const double ux = q[0] - p->swing * sine, uy = q[1];
    const double pivot_v = p->swing * p->rate * cosine;
    const double pivot_a = -p->swing * p->rate * p->rate * sine;
    if (want[TRM_QUANTITY_CONSTRAINT])
        want[TRM_QUANTITY_CONSTRAINT][0] = 0.5 * (ux * ux + uy * uy - 1.0);
    if (want[TRM_QUANTITY_CONSTRAINT_Q]) {
        want[TRM_QUANTITY_CONSTRAINT_Q][0] = ux;
        want[TRM_QUANTITY_CONSTRAINT_Q][1] = uy;
    }
    if (want[TRM_QUANTITY_CONSTRAINT_T])
        want[TRM_QUANTITY_CONSTRAINT_T][0] = -ux * pivot_v;
    if (want[TRM_QUANTITY_VELOCITY_Q]) {
        want[TRM_QUANTITY_VELOCITY_Q][0] = v[0] - pivot_v;
        want[TRM_QUANTITY_VELOCITY_Q][1] = v[1];
    }
    if (want[TRM_QUANTITY_GAMMA])
        want[TRM_QUANTITY_GAMMA][0] =
            (v[0] - pivot_v) * (v[0] - pivot_v) + v[1] * v[1] - ux * pivot_a;
    if (want[TRM_QUANTITY_GEOMETRIC])
        want[TRM_QUANTITY_GEOMETRIC][0] = want[TRM_QUANTITY_GEOMETRIC][1] = state->lambda[0];
}

static int evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    const point_mass *p = user;
    spring_state s;
    int failed = stretch(p, state->q, &s);
    if (failed)
        return failed;
    if (want[TRM_QUANTITY_MASS])
        want[TRM_QUANTITY_MASS][0] = want[TRM_QUANTITY_MASS][1] = 1.0;
    if (want[TRM_QUANTITY_FORCE]) {
        want[TRM_QUANTITY_FORCE][0] = -p->kx * s.dx * (1.0 - s.slack);
        want[TRM_QUANTITY_FORCE][1] = -p->ky * s.dy * (1.0 - s.slack) - p->gravity;
    }
    if (want[TRM_QUANTITY_STIFFNESS])
        stiffness(p, &s, want[TRM_QUANTITY_STIFFNESS]);
    if (want[TRM_QUANTITY_ENERGY])
        want[TRM_QUANTITY_ENERGY][0] = energy(p, &s, state->q, state->v);
    constraint(p, state, want);
    return 0;
}

static bool create(trp_problem *problem, point_mass model, const double *q, const double *v,
                   double end)
{
    static const char *const q_names[] = {"x", "y"}, *const g_names[] = {"circle"};
    point_mass *kept;
    if (!TRP_TAKE(&problem->memory, kept, 1))
        return false;
    *kept = model;
    trm_system *s = &problem->system;
    s->n_q = 2;
    s->n_g = 1;
    s->evaluate = evaluate;
    s->evaluates = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT) | TRM_BIT(ENERGY) |
                   TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA) |
                   TRM_BIT(VELOCITY_Q) | TRM_BIT(GEOMETRIC);
    s->constant = TRM_BIT(MASS);
    s->pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s->pattern[TRM_QUANTITY_GEOMETRIC].count = TRM_PATTERN_DIAGONAL;
    s->pattern[TRM_QUANTITY_DAMPING].count = TRM_PATTERN_ZERO;
    if (model.kx == 0.0 && model.ky == 0.0)
        s->pattern[TRM_QUANTITY_STIFFNESS].count = TRM_PATTERN_ZERO;
    else
        s->evaluates |= TRM_BIT(STIFFNESS);
    if (model.swing == 0.0)
        s->constant |= TRM_BIT(CONSTRAINT_T);
    s->q_names = q_names;
    s->g_names = g_names;
    s->user = kept;
    problem->end = end;
    return trp_problem_start(problem, 2, q, v);
}

static bool create_pendulum(trp_problem *problem, const double *o)
{
    const double q[] = {o[1], o[2]}, v[] = {o[3], o[4]};
    return create(problem, (point_mass){.gravity = o[0]}, q, v, 10.0);
}

static bool create_rheonomic(trp_problem *problem, const double *o)
{
    const double q[] = {0.0, -1.0}, v[] = {0.0, 0.0};
    return create(problem, (point_mass){.swing = o[0], .rate = o[1], .gravity = o[2]}, q, v, 10.0);
}

// The spring is preloaded: at the bottom l = 0.5, l0 = 0.4. The printed x is kept, y completes it
// to the circle (printed: -0.999).
static bool create_spring(trp_problem *problem, const double *o)
{
    const double k = 1.0 / (o[0] * o[0]), x = 0.04471;
    const double q[] = {x, -sqrt(1.0 - x * x)}, v[] = {0.0, 0.0};
    const point_mass model = {.gravity = 1.0, .kx = k, .ky = k, .cy = -0.5, .rest = 0.4};
    return create(problem, model, q, v, 0.05);
}

// kx, ky = 0 mean 1/eps^2. The default start is displaced; x0 = 0, vx0 = 1 is the printed one.
static bool create_oscillator(trp_problem *problem, const double *o)
{
    const double k = 1.0 / (o[0] * o[0]), x = o[3], y = -sqrt(1.0 - x * x);
    const double q[] = {x, y}, v[] = {o[4], -x * o[4] / y};
    const point_mass model = {
        .gravity = 1.0, .kx = o[1] > 0.0 ? o[1] : k, .ky = o[2] > 0.0 ? o[2] : k, .cy = -1.0};
    return create(problem, model, q, v, 0.25);
}

static bool create_normal_stiff(trp_problem *problem, const double *o)
{
    const double q[] = {sin(1.0), -cos(1.0)}, v[] = {0.0, 0.0};
    const point_mass model = {.gravity = 1.0, .kx = o[0], .ky = o[0], .rest = 1.0};
    return create(problem, model, q, v, 10.0);
}

static bool create_rotation(trp_problem *problem, const double *o)
{
    (void)o;
    const double q[] = {0.0, -1.0}, v[] = {2.5, 0.0};
    return create(problem, (point_mass){.gravity = 1.0}, q, v, 10.0);
}

static const trp_problem_range wide[] = {
    {-1e6, 1e6, false}, {-1e6, 1e6, false}, {-1e6, 1e6, false},
    {-1e6, 1e6, false}, {-1e6, 1e6, false},
};
static const trp_problem_range oscillator_range[] = {
    {1e-8, 1e3, false},   {0.0, 1e16, false}, {0.0, 1e16, false},
    {-0.99, 0.99, false}, {-1e6, 1e6, false},
};
static const trp_problem_range eps_range[] = {{1e-8, 1e3, false}};
static const trp_problem_range k_range[] = {{0.0, 1e16, false}};

static const trm_problem_option pendulum_options[] = {{"g", 9.81},  {"x0", -1.0}, {"y0", 0.0},
                                                      {"vx0", 0.0}, {"vy0", 0.0}, {NULL, 0.0}};
static const trm_problem_option rheonomic_options[] = {
    {"a", 0.2}, {"w", 3.0}, {"g", 9.81}, {NULL, 0.0}};
static const trm_problem_option spring_options[] = {{"eps", 1e-4}, {NULL, 0.0}};
static const trm_problem_option oscillator_options[] = {{"eps", 1e-4},  {"kx", 0.0},  {"ky", 0.0},
                                                        {"x0", 0.1736}, {"vx0", 0.0}, {NULL, 0.0}};
static const trm_problem_option normal_options[] = {{"k", 1e4}, {NULL, 0.0}};
static const trm_problem_option no_options[] = {{NULL, 0.0}};

const trp_problem_kind trp_problem_pendulum = {
    {"pendulum", "point mass on a rod of length 1, start at rest (IFToMM A01)", pendulum_options},
    wide,
    create_pendulum};

const trp_problem_kind trp_problem_rheonomic_pendulum = {
    {"rheonomic-pendulum", "point mass on a rod of length 1, pivot moves as (a sin(w t), 0)",
     rheonomic_options},
    wide,
    create_rheonomic};

const trp_problem_kind trp_problem_spring_pendulum = {
    {"spring-pendulum", "point mass on a circle with a stiff preloaded spring, k = 1/eps^2",
     spring_options},
    eps_range,
    create_spring};

const trp_problem_kind trp_problem_linear_oscillator = {
    {"linear-oscillator",
     "point mass on a circle with linear forces towards (0,-1); kx, ky = 0 mean 1/eps^2",
     oscillator_options},
    oscillator_range,
    create_oscillator};

const trp_problem_kind trp_problem_normal_stiff = {
    {"normal-stiff", "pendulum with a stiff force normal to the circle: same motion for every k",
     normal_options},
    k_range,
    create_normal_stiff};

const trp_problem_kind trp_problem_rotation = {
    {"rotation", "point mass that goes round the circle, gravity 1, start at the bottom",
     no_options},
    NULL,
    create_rotation};
