// SPDX-License-Identifier: Apache-2.0
// Car axis problem (Test Set for IVP Solvers, "caraxis"). Left wheel on the ground at (0, 0), right
// wheel at (xb, yb) = (sqrt(L^2 - yb^2), r sin(w t)); q = (xl, yl, xr, yr) are the ends of the
// axis, each with the mass k = M eps^2 / 2, on springs of stiffness 1 and rest length L0:
//
//     k xl'' = (L0 - Ll) xl / Ll        + lambda1 xb + 2 lambda2 (xl - xr)          etc.
//     0 = xb xl + yb yl,   0 = (xl - xr)^2 + (yl - yr)^2 - L^2
//
// The multipliers of the source have the sign +, here they have - (M v' = f - G^T lambda).
// Both constraints are written with the opposite sign, so that lambda is that of the source.
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double mass = 10.0 * 0.01 * 0.01 / 2.0, axis = 1.0, rest = 0.5, gravity = 1.0;
static const double bump = 0.1, bump_rate = 10.0;

// the right wheel: position, velocity, acceleration
typedef struct road {
    double x, y, vx, vy, ax, ay;
} road;

static road road_at(double t)
{
    const double sine = sin(bump_rate * t), cosine = cos(bump_rate * t);
    road b = {.y = bump * sine,
              .vy = bump * bump_rate * cosine,
              .ay = -bump * bump_rate * bump_rate * sine};
    b.x = sqrt(axis * axis - b.y * b.y); // x^2 + y^2 = L^2, differentiated twice
    b.vx = -b.y * b.vy / b.x;
    b.ax = -(b.vy * b.vy + b.y * b.ay + b.vx * b.vx) / b.x;
    return b;
}

// A spring of stiffness 1 from the wheel to the axis: f = (L0/l - 1) d,
// K = -f_d = (1 - L0/l) I + L0/l^3 d d^T, energy (l - L0)^2 / 2.
typedef struct spring_state {
    double f[2], k[3], energy; // k: xx, xy, yy
} spring_state;

static int spring_at(double dx, double dy, spring_state *s)
{
    const double length = hypot(dx, dy);
    if (!(length > 0.0))
        return 1;
    const double slack = rest / length, bend = slack / (length * length);
    s->f[0] = (slack - 1.0) * dx;
    s->f[1] = (slack - 1.0) * dy;
    s->k[0] = 1.0 - slack + bend * dx * dx;
    s->k[1] = bend * dx * dy;
    s->k[2] = 1.0 - slack + bend * dy * dy;
    s->energy = 0.5 * (length - rest) * (length - rest);
    return 0;
}

static int evaluate_forces(const trm_state *state, const road *b, double *const *want)
{
    const double *q = state->q, *v = state->v;
    spring_state left, right;
    if (spring_at(q[0], q[1], &left) || spring_at(q[2] - b->x, q[3] - b->y, &right))
        return 1;
    if (want[TRM_QUANTITY_FORCE]) {
        const double weight = mass * gravity;
        const double f[] = {left.f[0], left.f[1] - weight, right.f[0], right.f[1] - weight};
        memcpy(want[TRM_QUANTITY_FORCE], f, sizeof f);
    }
    if (want[TRM_QUANTITY_STIFFNESS]) {
        const double k[] = {left.k[0],  left.k[1],  left.k[1],  left.k[2],
                            right.k[0], right.k[1], right.k[1], right.k[2]};
        memcpy(want[TRM_QUANTITY_STIFFNESS], k, sizeof k);
    }
    if (want[TRM_QUANTITY_ENERGY])
        want[TRM_QUANTITY_ENERGY][0] =
            0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) + left.energy +
            right.energy + mass * gravity * (q[1] + q[3]);
    return 0;
}

static void evaluate_constraint(const trm_state *state, const road *b, double *const *want)
{
    const double *q = state->q, *v = state->v, *lambda = state->lambda;
    const double dx = q[0] - q[2], dy = q[1] - q[3], wx = v[0] - v[2], wy = v[1] - v[3];
    if (want[TRM_QUANTITY_CONSTRAINT]) {
        want[TRM_QUANTITY_CONSTRAINT][0] = -(b->x * q[0] + b->y * q[1]);
        want[TRM_QUANTITY_CONSTRAINT][1] = -(dx * dx + dy * dy - axis * axis);
    }
    if (want[TRM_QUANTITY_CONSTRAINT_Q]) {
        const double jacobian[] = {-b->x, -b->y, -2 * dx, -2 * dy, 2 * dx, 2 * dy};
        memcpy(want[TRM_QUANTITY_CONSTRAINT_Q], jacobian, sizeof jacobian);
    }
    if (want[TRM_QUANTITY_CONSTRAINT_T]) {
        want[TRM_QUANTITY_CONSTRAINT_T][0] = -(b->vx * q[0] + b->vy * q[1]);
        want[TRM_QUANTITY_CONSTRAINT_T][1] = 0.0;
    }
    if (want[TRM_QUANTITY_VELOCITY_Q]) {
        const double velocity[] = {-b->vx, -b->vy, -2 * wx, -2 * wy, 2 * wx, 2 * wy};
        memcpy(want[TRM_QUANTITY_VELOCITY_Q], velocity, sizeof velocity);
    }
    if (want[TRM_QUANTITY_GAMMA]) {
        want[TRM_QUANTITY_GAMMA][0] =
            -(2 * (b->vx * v[0] + b->vy * v[1]) + b->ax * q[0] + b->ay * q[1]);
        want[TRM_QUANTITY_GAMMA][1] = -2 * (wx * wx + wy * wy);
    }
    for (int i = 0; want[TRM_QUANTITY_GEOMETRIC] && i < 8; i++)
        want[TRM_QUANTITY_GEOMETRIC][i] = (i < 4 ? -2.0 : 2.0) * lambda[1];
}

static int evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    (void)user;
    const road b = road_at(state->t);
    for (int i = 0; want[TRM_QUANTITY_MASS] && i < 4; i++)
        want[TRM_QUANTITY_MASS][i] = mass;
    evaluate_constraint(state, &b, want);
    return evaluate_forces(state, &b, want);
}

static const int jacobian_row[] = {0, 0, 1, 1, 1, 1}, jacobian_column[] = {0, 1, 0, 1, 2, 3};
static const int stiffness_row[] = {0, 1, 0, 1, 2, 3, 2, 3};
static const int stiffness_column[] = {0, 0, 1, 1, 2, 2, 3, 3};
static const int geometric_row[] = {0, 1, 2, 3, 0, 1, 2, 3};
static const int geometric_column[] = {0, 1, 2, 3, 2, 3, 0, 1};

static bool create(trp_problem *problem, const double *o)
{
    (void)o;
    static const char *const q_names[] = {"xl", "yl", "xr", "yr"};
    static const char *const g_names[] = {"axis across the road", "length of the axis"};
    static const int body_first[] = {0, 2, 4}, joint_first[] = {0, 1, 2};
    const double q[] = {0.0, rest, axis, rest}, v[] = {-rest / axis, 0.0, -rest / axis, 0.0};
    trm_system *s = &problem->system;
    s->n_q = 4;
    s->n_g = 2;
    s->evaluate = evaluate;
    s->evaluates = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT) | TRM_BIT(ENERGY) |
                   TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA) |
                   TRM_BIT(VELOCITY_Q) | TRM_BIT(STIFFNESS) | TRM_BIT(GEOMETRIC);
    s->constant = TRM_BIT(MASS);
    s->pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s->pattern[TRM_QUANTITY_CONSTRAINT_Q] =
        (trm_pattern){.count = 6, .row = jacobian_row, .column = jacobian_column};
    s->pattern[TRM_QUANTITY_VELOCITY_Q] =
        (trm_pattern){.count = 6, .row = jacobian_row, .column = jacobian_column};
    s->pattern[TRM_QUANTITY_STIFFNESS] =
        (trm_pattern){.count = 8, .row = stiffness_row, .column = stiffness_column};
    s->pattern[TRM_QUANTITY_GEOMETRIC] =
        (trm_pattern){.count = 8, .row = geometric_row, .column = geometric_column};
    s->pattern[TRM_QUANTITY_DAMPING].count = TRM_PATTERN_ZERO;
    s->n_bodies = 2;
    s->body_first = body_first;
    s->n_joints = 2;
    s->joint_first = joint_first;
    s->q_names = q_names;
    s->g_names = g_names;
    problem->end = 3.0;
    return trp_problem_start(problem, 4, q, v);
}

static const trm_problem_option no_options[] = {{NULL, 0.0}};

const trp_problem_kind trp_problem_car_axis = {
    {"car-axis", "axis of a car on a bumpy road, rheonomic (IVP test set)", no_options},
    NULL,
    create};
