// SPDX-License-Identifier: Apache-2.0
// Two bodies and a bushing (Yen and Petzold, TR 96-028, section 5.2): body 1 is clamped, body 2
// keeps its angle and the distance 1 to body 1,
//
//     g = (x1, y1, theta1, |r1 - r2|^2 - 1, theta2)
//
// a bushing (translation and rotation: K = 1/eps, C = 10) joins the points (0.5, 0) of body 1 and
// (-0.5, 0) of body 2. Masses and inertias are 1, there is no gravity.
#include "problems/planar.h"

#include <stddef.h>
#include <string.h>

typedef struct bushing {
    trp_spring spring; // a on body 2, b on body 1
    double twist_k, twist_c;
} bushing;

// Place of (row, column) of the 6 x 6 matrices, stored column by column. The spring result counts
// the coordinates of body 2 first.
static int place(int row, int column)
{
    return (row + 3) % 6 + 6 * ((column + 3) % 6);
}

// The rotational part acts between theta1 (index 2) and theta2 (index 5).
static void add_twist(double *out, double value)
{
    out[2 + 6 * 2] += value;
    out[5 + 6 * 5] += value;
    out[2 + 6 * 5] -= value;
    out[5 + 6 * 2] -= value;
}

static int evaluate_bushing(const bushing *p, const trm_state *state, double *const *want)
{
    const double *q = state->q, *v = state->v;
    double *f = want[TRM_QUANTITY_FORCE], *stiffness = want[TRM_QUANTITY_STIFFNESS],
           *damping = want[TRM_QUANTITY_DAMPING];
    trp_spring_result one;
    int failed = trp_spring_evaluate(&p->spring, q, v, true, &one);
    if (failed)
        return failed;
    const double twist = q[5] - q[2], rate = v[5] - v[2];
    for (int i = 0; i < 6; i++) {
        if (f)
            f[(i + 3) % 6] = one.force[i];
        for (int k = 0; k < 6; k++) {
            if (stiffness)
                stiffness[place(i, k)] = one.stiffness[i][k];
            if (damping)
                damping[place(i, k)] = one.damping[i][k];
        }
    }
    if (f) {
        f[2] += p->twist_k * twist + p->twist_c * rate;
        f[5] -= p->twist_k * twist + p->twist_c * rate;
    }
    if (stiffness)
        add_twist(stiffness, p->twist_k);
    if (damping)
        add_twist(damping, p->twist_c);
    if (want[TRM_QUANTITY_ENERGY]) {
        double sum = one.energy + 0.5 * p->twist_k * twist * twist;
        for (int i = 0; i < 6; i++)
            sum += 0.5 * v[i] * v[i];
        want[TRM_QUANTITY_ENERGY][0] = sum;
    }
    return 0;
}

// Entries of G: four units, then row 3 by x1, y1, x2, y2. VELOCITY_Q has the last four.
static const int jacobian_row[] = {0, 1, 2, 4, 3, 3, 3, 3};
static const int jacobian_column[] = {0, 1, 2, 5, 0, 1, 3, 4};

// (G^T lambda)_q = 2 lambda_3 [I, -I; -I, I] on (r1, r2)
static const int geometric_row[] = {0, 1, 3, 4, 0, 1, 3, 4};
static const int geometric_column[] = {0, 1, 3, 4, 3, 4, 0, 1};

static void evaluate_constraint(const trm_state *state, double *const *want)
{
    const double *q = state->q, *v = state->v;
    const double dx = q[0] - q[3], dy = q[1] - q[4], wx = v[0] - v[3], wy = v[1] - v[4];
    if (want[TRM_QUANTITY_CONSTRAINT]) {
        const double g[] = {q[0], q[1], q[2], dx * dx + dy * dy - 1.0, q[5]};
        memcpy(want[TRM_QUANTITY_CONSTRAINT], g, sizeof g);
    }
    if (want[TRM_QUANTITY_CONSTRAINT_Q]) {
        const double jacobian[] = {1.0, 1.0, 1.0, 1.0, 2 * dx, 2 * dy, -2 * dx, -2 * dy};
        memcpy(want[TRM_QUANTITY_CONSTRAINT_Q], jacobian, sizeof jacobian);
    }
    if (want[TRM_QUANTITY_VELOCITY_Q]) {
        const double velocity[] = {2 * wx, 2 * wy, -2 * wx, -2 * wy};
        memcpy(want[TRM_QUANTITY_VELOCITY_Q], velocity, sizeof velocity);
    }
    if (want[TRM_QUANTITY_GAMMA]) {
        const double gamma[] = {0.0, 0.0, 0.0, 2 * (wx * wx + wy * wy), 0.0};
        memcpy(want[TRM_QUANTITY_GAMMA], gamma, sizeof gamma);
    }
    if (want[TRM_QUANTITY_CONSTRAINT_T])
        memset(want[TRM_QUANTITY_CONSTRAINT_T], 0, 5 * sizeof(double));
    for (int i = 0; want[TRM_QUANTITY_GEOMETRIC] && i < 8; i++)
        want[TRM_QUANTITY_GEOMETRIC][i] = (i < 4 ? 2.0 : -2.0) * state->lambda[3];
}

static int evaluate(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    for (int i = 0; want[TRM_QUANTITY_MASS] && i < 6; i++)
        want[TRM_QUANTITY_MASS][i] = 1.0;
    evaluate_constraint(state, want);
    if (want[TRM_QUANTITY_FORCE] || want[TRM_QUANTITY_STIFFNESS] || want[TRM_QUANTITY_DAMPING] ||
        want[TRM_QUANTITY_ENERGY])
        return evaluate_bushing(user, state, want);
    return 0;
}

static bool create(trp_problem *problem, const double *o)
{
    static const char *const q_names[] = {"x1", "y1", "theta1", "x2", "y2", "theta2"};
    static const char *const g_names[] = {"clamp x", "clamp y", "clamp theta", "distance",
                                          "theta2"};
    static const double q[] = {0.0, 0.0, 0.0, 0.99989, -0.014852, 0.0};
    static const double v[] = {0.0, 0.0, 0.0, -6.75e-5, -4.5444e-3, 0.0};
    static const int body_first[] = {0, 3, 6}, joint_first[] = {0, 3, 5};
    bushing *p;
    if (!TRP_TAKE(&problem->memory, p, 1))
        return false;
    *p = (bushing){.spring = {.a = {1, -0.5, 0.0}, .b = {0, 0.5, 0.0}, .k = 1.0 / o[0], .c = 10.0},
                   .twist_k = 1.0 / o[0],
                   .twist_c = 10.0};
    trm_system *s = &problem->system;
    s->n_q = 6;
    s->n_g = 5;
    s->evaluate = evaluate;
    s->evaluates = TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(CONSTRAINT) | TRM_BIT(ENERGY) |
                   TRM_BIT(CONSTRAINT_Q) | TRM_BIT(CONSTRAINT_T) | TRM_BIT(GAMMA) |
                   TRM_BIT(VELOCITY_Q) | TRM_BIT(STIFFNESS) | TRM_BIT(GEOMETRIC) | TRM_BIT(DAMPING);
    s->constant = TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_T);
    s->pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s->pattern[TRM_QUANTITY_CONSTRAINT_Q] =
        (trm_pattern){.count = 8, .row = jacobian_row, .column = jacobian_column};
    s->pattern[TRM_QUANTITY_VELOCITY_Q] =
        (trm_pattern){.count = 4, .row = jacobian_row + 4, .column = jacobian_column + 4};
    s->pattern[TRM_QUANTITY_GEOMETRIC] =
        (trm_pattern){.count = 8, .row = geometric_row, .column = geometric_column};
    s->n_bodies = 2;
    s->body_first = body_first;
    s->n_joints = 2;
    s->joint_first = joint_first;
    s->q_names = q_names;
    s->g_names = g_names;
    s->user = p;
    problem->end = 1.0;
    return trp_problem_start(problem, 6, q, v);
}

static const trp_problem_range range[] = {{1e-12, 1e3, false}};
static const trm_problem_option options[] = {{"eps", 1e-3}, {NULL, 0.0}};

const trp_problem_kind trp_problem_bushing = {
    {"bushing", "clamped body and a second one at distance 1, joined by a bushing with K = 1/eps",
     options},
    range,
    create};
