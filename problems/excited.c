// SPDX-License-Identifier: Apache-2.0
// Two machines driven by an excitation u(t) = a sin(2 pi f t), made to distinguish how a Jacobian
// may follow u (test problems 1 and 2 of the study of Arnold, Fuchs and Fuehrer's updates; what the
// study left open is chosen here). Both start at rest under gravity.
//
// tilting-platform: eight masses m on bushings of a platform that is turned by u. q: displacement
// of each mass from its anchor, in axes that do not turn; s = R(u)^T q in those of the platform:
//
//     m v' = -R (k s + kc s^3 + c s') - m (g e_y + r''),   s' = R^T v - u' J s,
//     r'' = u'' J R r - u'^2 R r                           r: anchor on the platform
//
// The stiffness R k R^T turns with u, whatever q does.
//
// wheel-on-stamp: heights of body, link and wheel above the stamp at rest. The tyre has the force
// kt d + kc d^3, d = u - z_wheel; a light link sits on the wheel with a stiff bushing and carries
// the suspension. Here z follows u, and the stiffness of the tyre depends on the difference only.
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double GRAVITY = 9.81, TWO_PI = 6.283185307179586;

typedef struct excitation {
    double amplitude, frequency;
} excitation;

// u, u', u''
static void write_input(const excitation *x, double t, double *out)
{
    double w = TWO_PI * x->frequency;
    out[0] = x->amplitude * sin(w * t);
    out[1] = x->amplitude * w * cos(w * t);
    out[2] = -x->amplitude * w * w * sin(w * t);
}

static trm_system *prepare(trp_problem *problem, const double *o, int n_q,
                           trm_evaluate_function *evaluate)
{
    excitation *x;
    trm_system *s = &problem->system;
    if (!TRP_TAKE(&problem->memory, x, 1))
        return NULL;
    *x = (excitation){o[0], o[1]};
    s->n_q = n_q;
    s->n_u = 1;
    s->evaluate = evaluate;
    s->evaluates =
        TRM_BIT(INPUT) | TRM_BIT(MASS) | TRM_BIT(FORCE) | TRM_BIT(STIFFNESS) | TRM_BIT(DAMPING);
    s->pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    s->constant = TRM_BIT(MASS);
    s->user = x;
    return s;
}

// the deflection d of k d + kc d^3 = load, by Newton from above: convex, no way past the root
static double deflection(double k, double kc, double load)
{
    double d = load / k;
    for (int i = 0; i < 50; i++)
        d -= (k * d + kc * d * d * d - load) / (k + 3 * kc * d * d);
    return d;
}

// ---- tilting-platform ----

// The study gives stiffness and cubic term. Mass and dampers were picked among some dozens of pairs
// so that the counts of its table come out near: two numbers for its twelve of updates.
enum { MASSES = 8, BLOCK = 4 }; // entries of a 2 x 2 block
static const double mass = 3, bushing[2] = {1e6, 1e4}, bushing_cubic = 5e8;
static const double bushing_damper[2] = {1200, 120}; // 35 % of the critical damping
static const double spacing = 0.2, above = 0.1;      // anchors at (-0.7 + 0.2 i, 0.1)

// one mass in the axes of the platform
typedef struct local {
    double c, s;          // cosine and sine of u
    double d[2], rate[2]; // displacement and its rate
    double anchor[2];     // acceleration of the anchor, in resting axes
} local;

static local at_mass(const trm_state *state, int i)
{
    const double *q = state->q + 2 * i, *v = state->v + 2 * i, *u = state->u;
    local l = {.c = cos(u[0]), .s = sin(u[0])};
    double x = (i - 0.5 * (MASSES - 1)) * spacing, rx = l.c * x - l.s * above,
           ry = l.s * x + l.c * above;
    l.d[0] = l.c * q[0] + l.s * q[1];
    l.d[1] = -l.s * q[0] + l.c * q[1];
    l.rate[0] = l.c * v[0] + l.s * v[1] + u[1] * l.d[1];
    l.rate[1] = -l.s * v[0] + l.c * v[1] - u[1] * l.d[0];
    l.anchor[0] = -u[2] * ry - u[1] * u[1] * rx;
    l.anchor[1] = u[2] * rx - u[1] * u[1] * ry;
    return l;
}

static void write_platform_force(const trm_state *state, double *out)
{
    for (int i = 0; i < MASSES; i++) {
        local l = at_mass(state, i);
        double f[2];
        for (int k = 0; k < 2; k++)
            f[k] = -bushing[k] * l.d[k] - bushing_cubic * l.d[k] * l.d[k] * l.d[k] -
                   bushing_damper[k] * l.rate[k];
        out[2 * i] = l.c * f[0] - l.s * f[1] - mass * l.anchor[0];
        out[2 * i + 1] = l.s * f[0] + l.c * f[1] - mass * (l.anchor[1] + GRAVITY);
    }
}

// block = R b R^T, column by column
static void turn(const local *l, const double b[2][2], double *out)
{
    const double r[2][2] = {{l->c, -l->s}, {l->s, l->c}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double sum = 0;
            for (int k = 0; k < 2; k++)
                for (int m = 0; m < 2; m++)
                    sum += r[i][k] * b[k][m] * r[j][m];
            out[i + 2 * j] = sum;
        }
}

static void write_platform_derivatives(const trm_state *state, double *stiffness, double *damping)
{
    const double *c = bushing_damper, turning = state->u[1];
    for (int i = 0; i < MASSES; i++) {
        local l = at_mass(state, i);
        const double k[2][2] = {
            {bushing[0] + 3 * bushing_cubic * l.d[0] * l.d[0], c[0] * turning},
            {-c[1] * turning, bushing[1] + 3 * bushing_cubic * l.d[1] * l.d[1]}};
        const double d[2][2] = {{c[0], 0}, {0, c[1]}};
        if (stiffness)
            turn(&l, k, stiffness + BLOCK * i);
        if (damping)
            turn(&l, d, damping + BLOCK * i);
    }
}

static int evaluate_platform(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    if (want[TRM_QUANTITY_INPUT])
        write_input(user, s->t, want[TRM_QUANTITY_INPUT]);
    for (int i = 0; i < 2 * MASSES && want[TRM_QUANTITY_MASS]; i++)
        want[TRM_QUANTITY_MASS][i] = mass;
    if (want[TRM_QUANTITY_FORCE])
        write_platform_force(s, want[TRM_QUANTITY_FORCE]);
    if (want[TRM_QUANTITY_STIFFNESS] || want[TRM_QUANTITY_DAMPING])
        write_platform_derivatives(s, want[TRM_QUANTITY_STIFFNESS], want[TRM_QUANTITY_DAMPING]);
    return 0;
}

static bool create_platform(trp_problem *problem, const double *o)
{
    static const char *const names[] = {"x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4",
                                        "x5", "y5", "x6", "y6", "x7", "y7", "x8", "y8"};
    static const double zero[2 * MASSES] = {0};
    double q[2 * MASSES] = {0};
    trm_system *s = prepare(problem, o, 2 * MASSES, evaluate_platform);
    int *row, *column;
    if (!s || !TRP_TAKE(&problem->memory, row, BLOCK * MASSES) ||
        !TRP_TAKE(&problem->memory, column, BLOCK * MASSES))
        return false;
    for (int k = 0; k < BLOCK * MASSES; k++) { // blocks on the diagonal, column by column
        row[k] = 2 * (k / BLOCK) + k % 2;
        column[k] = 2 * (k / BLOCK) + k % BLOCK / 2;
    }
    s->pattern[TRM_QUANTITY_STIFFNESS] = s->pattern[TRM_QUANTITY_DAMPING] =
        (trm_pattern){.count = BLOCK * MASSES, .row = row, .column = column};
    s->q_names = names;
    problem->end = 5;
    for (int i = 0; i < MASSES; i++)
        q[2 * i + 1] = -deflection(bushing[1], bushing_cubic, mass * GRAVITY);
    return trp_problem_start(problem, 2 * MASSES, q, zero);
}

// ---- wheel-on-stamp ----

// The study gives tyre, bushing and the masses of wheel and body. Link, suspension and dampers were
// picked so that the counts of its table come out near; the damper of the suspension matters most.
enum { BODY, LINK, WHEEL, HEIGHTS };
static const double heights_mass[HEIGHTS] = {300, 2, 40};
static const double tyre = 2e5, tyre_cubic = 8e8, link_bushing = 5e7, link_damper = 5000;
static const double suspension = 2e4, suspension_damper = 3000;

static void write_stamp_force(const trm_state *s, double *out)
{
    const double *z = s->q, *v = s->v, d = s->u[0] - z[WHEEL];
    double strut = suspension * (z[LINK] - z[BODY]) + suspension_damper * (v[LINK] - v[BODY]);
    double stiff = link_bushing * (z[WHEEL] - z[LINK]) + link_damper * (v[WHEEL] - v[LINK]);
    out[BODY] = strut - heights_mass[BODY] * GRAVITY;
    out[LINK] = stiff - strut - heights_mass[LINK] * GRAVITY;
    out[WHEEL] = tyre * d + tyre_cubic * d * d * d - stiff - heights_mass[WHEEL] * GRAVITY;
}

// [s -s 0; -s s+b -b; 0 -b b+t], in the order of stamp_row, stamp_column
static void write_chain(double s, double b, double t, double *out)
{
    const double values[] = {s, -s, -s, s + b, -b, -b, b + t};
    memcpy(out, values, sizeof values);
}
static const int stamp_row[] = {0, 1, 0, 1, 2, 1, 2}, stamp_column[] = {0, 0, 1, 1, 1, 2, 2};

static int evaluate_stamp(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    if (want[TRM_QUANTITY_INPUT])
        write_input(user, s->t, want[TRM_QUANTITY_INPUT]);
    if (want[TRM_QUANTITY_MASS])
        memcpy(want[TRM_QUANTITY_MASS], heights_mass, sizeof heights_mass);
    if (want[TRM_QUANTITY_FORCE])
        write_stamp_force(s, want[TRM_QUANTITY_FORCE]);
    if (want[TRM_QUANTITY_STIFFNESS]) {
        double d = s->u[0] - s->q[WHEEL];
        write_chain(suspension, link_bushing, tyre + 3 * tyre_cubic * d * d,
                    want[TRM_QUANTITY_STIFFNESS]);
    }
    if (want[TRM_QUANTITY_DAMPING])
        write_chain(suspension_damper, link_damper, 0, want[TRM_QUANTITY_DAMPING]);
    return 0;
}

static bool create_stamp(trp_problem *problem, const double *o)
{
    static const char *const names[] = {"body", "link", "wheel"};
    static const double zero[HEIGHTS] = {0};
    trm_system *s = prepare(problem, o, HEIGHTS, evaluate_stamp);
    if (!s)
        return false;
    s->pattern[TRM_QUANTITY_STIFFNESS] = s->pattern[TRM_QUANTITY_DAMPING] =
        (trm_pattern){.count = 7, .row = stamp_row, .column = stamp_column};
    s->constant |= TRM_BIT(DAMPING);
    s->q_names = names;
    problem->end = 10;
    double q[HEIGHTS], load = heights_mass[BODY] * GRAVITY;
    double above_wheel = load + heights_mass[LINK] * GRAVITY;
    q[WHEEL] = -deflection(tyre, tyre_cubic, above_wheel + heights_mass[WHEEL] * GRAVITY);
    q[LINK] = q[WHEEL] - above_wheel / link_bushing;
    q[BODY] = q[LINK] - load / suspension;
    return trp_problem_start(problem, HEIGHTS, q, zero);
}

static const trp_problem_range range[] = {{-1e3, 1e3, false}, {0, 1e6, false}};
static const trm_problem_option platform_options[] = {{"a", 0.1}, {"f", 1}, {NULL, 0}};
static const trm_problem_option stamp_options[] = {{"a", 0.02}, {"f", 1}, {NULL, 0}};

const trp_problem_kind trp_problem_tilting_platform = {
    {"tilting-platform", "eight masses on bushings of a platform turned by u = a sin(2 pi f t)",
     platform_options},
    range,
    create_platform};

const trp_problem_kind trp_problem_wheel_on_stamp = {
    {"wheel-on-stamp",
     "wheel with a stiff link and a body on a stamp that moves as a sin(2 pi f t)", stamp_options},
    range,
    create_stamp};
