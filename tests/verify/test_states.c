// SPDX-License-Identifier: Apache-2.0
// First-order states, algebraic variables and excitations: a pendulum (unit mass and length) with
// an electric motor. The torque x0 follows the voltage u(t) with a lag and feels the speed z of the
// shaft; x1 adds up the force in the rod.
//
//     x0' = (u - k z - x0) / lag,   x1' = lambda,   0 = z - (x v_y - y v_x),
//     f = x0 (-y, x) - (0, g),      0 = (x^2 + y^2 - 1) / 2
//
// In the angle phi from downward, with lambda = phi'^2 + g cos(phi):
//
//     phi'' = x0 - g sin(phi),   x0' = (u - k phi' - x0) / lag,   x1' = lambda
#include "verify.h"

static const double gravity = 9.81, lag = 0.05, back = 0.8, end = 2.0;

static double voltage(double t)
{
    return 6.0 * sin(3.0 * t);
}

// ---- the system, all derivatives by differences ----

static int mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = 1.0;
    return 0;
}

static int force(const trm_state *state, double *f, void *user)
{
    (void)user;
    f[0] = -state->x[0] * state->q[1];
    f[1] = state->x[0] * state->q[0] - gravity;
    return 0;
}

static int rate(const trm_state *state, double *c, void *user)
{
    (void)user;
    c[0] = (state->u[0] - back * state->z[0] - state->x[0]) / lag;
    c[1] = state->lambda[0];
    return 0;
}

static int algebraic(const trm_state *state, double *b, void *user)
{
    (void)user;
    const double *q = state->q, *v = state->v;
    b[0] = state->z[0] - (q[0] * v[1] - q[1] * v[0]);
    return 0;
}

static int constraint(const trm_state *state, double *g, void *user)
{
    (void)user;
    const double *q = state->q;
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return 0;
}

static int input(const trm_state *state, double *u, void *user)
{
    (void)user;
    u[0] = voltage(state->t);
    u[1] = 18.0 * cos(3.0 * state->t);
    u[2] = -54.0 * sin(3.0 * state->t);
    return 0;
}

static const trm_system motor = {.name = "motor",
                                 .n_q = 2,
                                 .n_x = 2,
                                 .n_z = 1,
                                 .n_g = 1,
                                 .n_u = 1,
                                 .function = {[TRM_MASS] = mass,
                                              [TRM_FORCE] = force,
                                              [TRM_RATE] = rate,
                                              [TRM_ALGEBRAIC] = algebraic,
                                              [TRM_CONSTRAINT] = constraint,
                                              [TRM_INPUT] = input},
                                 .pattern = {[TRM_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                                 .constant = TRM_BIT(TRM_MASS)};

// from the angle 0.5 at rest; z is right
static const double start_q[] = {0.47942553860420300, -0.87758256189037272};
static const trm_initial initial = {.q = start_q};

// ---- the exact solution ----

enum { POSITION, VELOCITY, STATE, ALGEBRAIC, MULTIPLIER, QUANTITIES };
static const char *const quantity_names[] = {"q", "v", "x", "z", "lambda"};

typedef struct comparison {
    double t, y[4]; // phi, phi', x0, x1
    double from;    // errors are taken from this time on
    double error[QUANTITIES];
} comparison;

static void reduced(double t, const double *y, double *out, void *user)
{
    (void)user;
    out[0] = y[1];
    out[1] = y[2] - gravity * sin(y[0]);
    out[2] = (voltage(t) - back * y[1] - y[2]) / lag;
    out[3] = y[1] * y[1] + gravity * cos(y[0]);
}

static void compare(trm_simulation *simulation, void *user)
{
    comparison *c = user;
    const trm_state *s = trm_simulation_state(simulation);
    // steps of 2e-4 against rates of 20: errors below 1e-12
    verify_rk4(reduced, NULL, 4, c->t, s->t, 2e-4, c->y);
    c->t = s->t;
    if (s->t < c->from)
        return;
    const double sine = sin(c->y[0]), cosine = cos(c->y[0]), omega = c->y[1];
    const double q[] = {sine, -cosine}, v[] = {omega * cosine, omega * sine};
    const double lambda = omega * omega + gravity * cosine;
    double *e = c->error;
    e[POSITION] = fmax(e[POSITION], verify_distance(s->q, q, 2));
    e[VELOCITY] = fmax(e[VELOCITY], verify_distance(s->v, v, 2));
    e[STATE] = fmax(e[STATE], verify_distance(s->x, c->y + 2, 2));
    e[ALGEBRAIC] = fmax(e[ALGEBRAIC], fabs(s->z[0] - omega));
    e[MULTIPLIER] = fmax(e[MULTIPLIER], fabs(s->lambda[0] - lambda));
}

static comparison begin_comparison(double from)
{
    return (comparison){.y = {0.5, 0.0, 0.0, 0.0}, .from = from};
}

// ---- tests ----

static comparison run_motor(const trm_options *options)
{
    comparison c = begin_comparison(0.0);
    verify_run run = verify_start(&motor, &initial, options);
    verify_run_well(run.simulation, end, compare, &c);
    verify_close(&run);
    return c;
}

static void test_states_motor_agrees_with_its_differential_equation(void **state)
{
    (void)state;
    static const double tols[] = {1e-4, 1e-6, 1e-8};
    static const trm_solver solvers[] = {TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            for (int f = 0; f < 5; f++) {
                if (f == TRM_FORMULATION_CM_FROZEN)
                    continue;
                trm_options options = verify_options(tols[i]);
                options.linear_solver = solvers[k];
                options.formulation = (trm_formulation)f;
                const comparison c = run_motor(&options);
                 printf("%g %d %s: %.2g %.2g %.2g %.2g %.2g\n",tols[i],k,verify_formulation(f),c.error[0]/tols[i],c.error[1]/tols[i],c.error[2]/tols[i],c.error[3]/tols[i],c.error[4]/tols[i]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_motor_agrees_with_its_differential_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
