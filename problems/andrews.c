// SPDX-License-Identifier: Apache-2.0
// Andrews' squeezing mechanism (Test Set for IVP Solvers, "andrews"; Hairer and Wanner, Solving
// ODEs II, VII.7) with seven angles q = (beta, Theta, gamma, Phi, delta, Omega, epsilon).
//
// Stiffness, damping and geometric stiffness are left to the differences of the library on
// purpose: this problem is the test of that path. It supplies one function per quantity.
#include "problems/andrews_data.h"
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES };
enum { ROWS = 6 };

// Entries of the mass matrix: the diagonal, then M12, M45, M67 and their mirrors.
static const int mass_row[] = {0, 1, 2, 3, 4, 5, 6, 0, 3, 5, 1, 4, 6};
static const int mass_column[] = {0, 1, 2, 3, 4, 5, 6, 1, 4, 6, 0, 3, 5};

static int mass(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double cosine = cos(state->q[THETA]), phi = sin(state->q[PHI]),
                 omega = sin(state->q[OMEGA]);
    out[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cosine + da * da) + i1 + i2;
    out[1] = m2 * da * da + i2;
    out[2] = m3 * (sa * sa + sb * sb) + i3;
    out[3] = m4 * e_ea * e_ea + i4;
    out[4] =
        m4 * (zt * zt + 2 * zt * e_ea * phi + e_ea * e_ea) + m5 * (ta * ta + tb * tb) + i4 + i5;
    out[5] = m6 * zf_fa * zf_fa + i6;
    out[6] =
        m6 * (zf_fa * zf_fa - 2 * u * zf_fa * omega + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
    out[7] = out[10] = m2 * (da * da - da * rr * cosine) + i2;
    out[8] = out[11] = m4 * (e_ea * e_ea + zt * e_ea * phi) + i4;
    out[9] = out[12] = m6 * (zf_fa * zf_fa - u * zf_fa * omega) + i6;
    return 0;
}

// D - C, the vector of the spring
static void spring_vector(double gamma, double *x, double *y)
{
    *x = sd * cos(gamma) + sc * sin(gamma) + xb - xc;
    *y = sd * sin(gamma) - sc * cos(gamma) + yb - yc;
}

static int force(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double *q = state->q, *v = state->v;
    double dx, dy;
    spring_vector(q[GAMMA], &dx, &dy);
    const double length = hypot(dx, dy), pull = -c0 * (length - l0) / length;
    const double fx = pull * dx, fy = pull * dy, cg = cos(q[GAMMA]), sg = sin(q[GAMMA]);
    const double theta = m2 * da * rr * sin(q[THETA]), phi = m4 * zt * e_ea * cos(q[PHI]),
                 omega = m6 * u * zf_fa * cos(q[OMEGA]);
    out[BETA] = mom - theta * v[THETA] * (v[THETA] + 2 * v[BETA]);
    out[THETA] = theta * v[BETA] * v[BETA];
    out[GAMMA] = fx * (sc * cg - sd * sg) + fy * (sd * cg + sc * sg);
    out[PHI] = phi * v[DELTA] * v[DELTA];
    out[DELTA] = -phi * v[PHI] * (v[PHI] + 2 * v[DELTA]);
    out[OMEGA] = -omega * v[EPSILON] * v[EPSILON];
    out[EPSILON] = omega * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]);
    return 0;
}

// The invariant T + c0 (L - l0)^2 / 2 - mom beta.
static int energy(const trm_state *state, double *out, void *user)
{
    double m[13], dx, dy, sum = 0.0;
    mass(state, m, user);
    for (int k = 0; k < 13; k++)
        sum += 0.5 * m[k] * state->v[mass_row[k]] * state->v[mass_column[k]];
    spring_vector(state->q[GAMMA], &dx, &dy);
    const double stretch = hypot(dx, dy) - l0;
    out[0] = sum + 0.5 * c0 * stretch * stretch - mom * state->q[BETA];
    return 0;
}

// The loops are sums of bars: rows (2 loop, 2 loop + 1) of g contain, with the angle a,
//     along (cos a, sin a) + across (-sin a, cos a)      a = q[first] + q[second] (second < 0:
//     none)
typedef struct bar {
    int loop, first, second;
    const double *along, *across; // NULL: 0
    double sign;
} bar;

static const bar bars[] = {
    {0, BETA, -1, &rr, NULL, 1.0},    {0, BETA, THETA, &d, NULL, -1.0},
    {0, GAMMA, -1, NULL, &ss, 1.0},   {1, BETA, -1, &rr, NULL, 1.0},
    {1, BETA, THETA, &d, NULL, -1.0}, {1, PHI, DELTA, NULL, &e, 1.0},
    {1, DELTA, -1, &zt, NULL, -1.0},  {2, BETA, -1, &rr, NULL, 1.0},
    {2, BETA, THETA, &d, NULL, -1.0}, {2, OMEGA, EPSILON, &zf, NULL, -1.0},
    {2, EPSILON, -1, NULL, &u, 1.0},
};
enum { BARS = sizeof bars / sizeof *bars };

// A bar at one state: vector, and the rate of its angle.
typedef struct bar_state {
    double x, y, rate;
} bar_state;

static bar_state bar_at(const bar *b, const trm_state *state)
{
    const double *q = state->q, *v = state->v;
    const double angle = q[b->first] + (b->second < 0 ? 0.0 : q[b->second]);
    const double c = cos(angle), s = sin(angle);
    const double along = b->along ? b->sign * *b->along : 0.0;
    const double across = b->across ? b->sign * *b->across : 0.0;
    return (bar_state){along * c - across * s, along * s + across * c,
                       v[b->first] + (b->second < 0 ? 0.0 : v[b->second])};
}

static int constraint(const trm_state *state, double *out, void *user)
{
    (void)user;
    const double offset[ROWS] = {-xb, -yb, -xa, -ya, -xa, -ya};
    memcpy(out, offset, sizeof offset);
    for (int k = 0; k < BARS; k++) {
        bar_state at = bar_at(&bars[k], state);
        out[2 * bars[k].loop] += at.x;
        out[2 * bars[k].loop + 1] += at.y;
    }
    return 0;
}

// Adds (x, y) of a bar to its two rows in the columns of its angle; 6 x 7, column by column.
static void add_columns(double *out, const bar *b, double x, double y)
{
    out[2 * b->loop + ROWS * b->first] += x;
    out[2 * b->loop + 1 + ROWS * b->first] += y;
    if (b->second < 0)
        return;
    out[2 * b->loop + ROWS * b->second] += x;
    out[2 * b->loop + 1 + ROWS * b->second] += y;
}

// G: a bar (x, y) turns by (-y, x)
static int constraint_q(const trm_state *state, double *out, void *user)
{
    (void)user;
    memset(out, 0, ROWS * ANGLES * sizeof *out);
    for (int k = 0; k < BARS; k++) {
        bar_state at = bar_at(&bars[k], state);
        add_columns(out, &bars[k], -at.y, at.x);
    }
    return 0;
}

// (G v)_q: -(x, y) a'
static int velocity_q(const trm_state *state, double *out, void *user)
{
    (void)user;
    memset(out, 0, ROWS * ANGLES * sizeof *out);
    for (int k = 0; k < BARS; k++) {
        bar_state at = bar_at(&bars[k], state);
        add_columns(out, &bars[k], -at.x * at.rate, -at.y * at.rate);
    }
    return 0;
}

// gamma: -(x, y) a'^2
static int gamma_term(const trm_state *state, double *out, void *user)
{
    (void)user;
    memset(out, 0, ROWS * sizeof *out);
    for (int k = 0; k < BARS; k++) {
        bar_state at = bar_at(&bars[k], state);
        out[2 * bars[k].loop] -= at.x * at.rate * at.rate;
        out[2 * bars[k].loop + 1] -= at.y * at.rate * at.rate;
    }
    return 0;
}

static int constraint_t(const trm_state *state, double *out, void *user)
{
    (void)state, (void)user;
    memset(out, 0, ROWS * sizeof *out);
    return 0;
}

static bool create(trp_problem *problem, const double *o)
{
    (void)o;
    static const char *const q_names[] = {"beta",  "Theta", "gamma",  "Phi",
                                          "delta", "Omega", "epsilon"};
    static const char *const g_names[] = {"loop 1 x", "loop 1 y", "loop 2 x",
                                          "loop 2 y", "loop 3 x", "loop 3 y"};
    const double q[ANGLES] = {beta_0, 0.0, gamma_0, phi_0, delta_0, omega_0, epsilon_0};
    static const double v[ANGLES] = {0.0};
    trm_system *s = &problem->system;
    s->n_q = ANGLES;
    s->n_g = ROWS;
    s->function[TRM_QUANTITY_MASS] = mass;
    s->function[TRM_QUANTITY_FORCE] = force;
    s->function[TRM_QUANTITY_ENERGY] = energy;
    s->function[TRM_QUANTITY_CONSTRAINT] = constraint;
    s->function[TRM_QUANTITY_CONSTRAINT_Q] = constraint_q;
    s->function[TRM_QUANTITY_CONSTRAINT_T] = constraint_t;
    s->function[TRM_QUANTITY_VELOCITY_Q] = velocity_q;
    s->function[TRM_QUANTITY_GAMMA] = gamma_term;
    s->constant = TRM_BIT(CONSTRAINT_T);
    s->pattern[TRM_QUANTITY_MASS] =
        (trm_pattern){.count = 13, .row = mass_row, .column = mass_column};
    s->q_names = q_names;
    s->g_names = g_names;
    problem->end = .03;
    return trp_problem_start(problem, ANGLES, q, v);
}

static const trm_problem_option no_options[] = {{NULL, 0.0}};

const trp_problem_kind trp_problem_andrews = {
    {"andrews",
     "Andrews' squeezing mechanism, seven angles; derivatives of the forces by differences",
     no_options},
    NULL,
    create};
