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

// ---- the system; derivatives by differences but for G, whose noise would show in the order ----

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

// with user != NULL also x1
static int rate(const trm_state *state, double *c, void *user)
{
    c[0] = (state->u[0] - back * state->z[0] - state->x[0]) / lag;
    if (user)
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

static int constraint_q(const trm_state *state, double *G, void *user)
{
    (void)user;
    G[0] = state->q[0];
    G[1] = state->q[1];
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

static trm_system motor(bool impulse)
{
    static int yes;
    return (trm_system){.name = "motor",
                        .n_q = 2,
                        .n_x = impulse ? 2 : 1,
                        .n_z = 1,
                        .n_g = 1,
                        .n_u = 1,
                        .function = {[TRM_QUANTITY_MASS] = mass,
                                     [TRM_QUANTITY_FORCE] = force,
                                     [TRM_QUANTITY_RATE] = rate,
                                     [TRM_QUANTITY_ALGEBRAIC] = algebraic,
                                     [TRM_QUANTITY_CONSTRAINT] = constraint,
                                     [TRM_QUANTITY_CONSTRAINT_Q] = constraint_q,
                                     [TRM_QUANTITY_INPUT] = input},
                        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                        .constant = TRM_BIT(MASS),
                        .user = impulse ? &yes : NULL};
}

// from the angle 0.5 at rest
static const double start_q[] = {0.47942553860420300, -0.87758256189037272};
static const trm_initial initial = {.q = start_q};

// ---- the exact solution ----

enum { POSITION, VELOCITY, STATE, ALGEBRAIC, MULTIPLIER, QUANTITIES };
static const char *const quantity_names[] = {"q", "v", "x", "z", "lambda"};

typedef struct comparison {
    bool impulse;
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
    double after, *e = c->error;
    assert_int_equal(trm_simulation_accelerations(simulation, NULL, &after), TRM_OK);
    e[POSITION] = fmax(e[POSITION], verify_distance(s->q, q, 2));
    e[VELOCITY] = fmax(e[VELOCITY], verify_distance(s->v, v, 2));
    e[STATE] = fmax(e[STATE], verify_distance(s->x, c->y + 2, c->impulse ? 2 : 1));
    e[ALGEBRAIC] = fmax(e[ALGEBRAIC], fabs(s->z[0] - omega));
    e[MULTIPLIER] = fmax(e[MULTIPLIER], fabs(after - lambda));
}

static comparison begin_comparison(bool impulse, double from)
{
    return (comparison){.impulse = impulse, .y = {0.5, 0.0, 0.0, 0.0}, .from = from};
}

// ---- accuracy ----

// Largest errors in tolerances: measured up to 14 without x1, 60 for lambda, whose derivative by v
// is 2 phi' = 6.
static void check_accuracy(bool impulse, trm_integrator integrator, trm_formulation formulation,
                           trm_solver solver, double tol)
{
    const trm_system system = motor(impulse);
    trm_options options = verify_options(tol);
    options.integrator = integrator;
    options.formulation = formulation;
    options.linear_solver = solver;
    comparison c = begin_comparison(impulse, 0.0);
    verify_run run = verify_start(&system, &initial, &options);
    verify_run_well(run.simulation, end, compare, &c);
    // 200 .. 400 steps at 1e-8; a multiple of that means that something does not fit together
    const long steps = trm_simulation_statistics(run.simulation)->steps;
    for (int i = 0; i < QUANTITIES; i++)
        if (!(c.error[i] <= 200.0 * tol) || steps > 1000)
            fail_msg("integrator %d, %s, solver %d, tolerance %g: %g tolerances in %s, %ld steps",
                     (int)integrator, verify_formulation(formulation), (int)solver, tol,
                     c.error[i] / tol, quantity_names[i], steps);
    verify_close(&run);
}

static void check_accuracies(bool impulse)
{
    static const trm_formulation formulations[] = {TRM_FORMULATION_CS, TRM_FORMULATION_CM,
                                                   TRM_FORMULATION_GGL, TRM_FORMULATION_GGL_STAR};
    for (int i = 0; i < 4; i++)
        for (int digits = 4; digits <= 8; digits += 2) {
            const double tol = pow(10.0, -digits);
            check_accuracy(impulse, TRM_INTEGRATOR_BDF, formulations[i], TRM_SOLVER_DENSE, tol);
            check_accuracy(impulse, TRM_INTEGRATOR_BDF, formulations[i], TRM_SOLVER_SPARSE, tol);
        }
    static const trm_integrator integrators[] = {TRM_INTEGRATOR_ADAMS, TRM_INTEGRATOR_EXPLICIT};
    for (int i = 0; i < 2; i++)
        for (int digits = 4; digits <= 8; digits += 2) {
            const double tol = pow(10.0, -digits);
            check_accuracy(impulse, integrators[i], TRM_FORMULATION_CS, TRM_SOLVER_DENSE, tol);
            check_accuracy(impulse, integrators[i], TRM_FORMULATION_CS, TRM_SOLVER_SPARSE, tol);
        }
}

static void test_states_motor_agrees_with_its_differential_equation(void **state)
{
    (void)state;
    check_accuracies(false);
}

static void test_states_rate_of_multiplier_agrees_with_its_integral(void **state)
{
    (void)state;
    check_accuracies(true);
}

// ---- order ----

static void run_fixed(const trm_options *options, comparison *c)
{
    const trm_system system = motor(c->impulse);
    verify_run run = verify_start(&system, &initial, options);
    while (c->t < end - 0.5 * options->h_fixed) { // the end is far away: no step is cut short
        assert_int_equal(trm_simulation_step(run.simulation, 2.0 * end, NULL), TRM_OK);
        compare(run.simulation, c);
    }
    verify_close(&run);
}

// Constant steps, errors over the second half; measured deviations are below 0.04.
static void check_order(trm_integrator integrator, int order, int steps, double slack)
{
    trm_options options = verify_options(1e-11);
    options.integrator = integrator;
    options.max_order = order;
    options.newton_iterations = 100;
    comparison coarse = begin_comparison(false, 0.5 * end), fine = coarse;
    options.h_fixed = end / steps;
    run_fixed(&options, &coarse);
    options.h_fixed *= 0.5;
    run_fixed(&options, &fine);
    for (int i = 0; i < QUANTITIES; i++) {
        const double measured = log2(coarse.error[i] / fine.error[i]);
        if (!(fabs(measured - order) <= slack))
            fail_msg("integrator %d, order %d: %.3f in %s (error %g)", (int)integrator, order,
                     measured, quantity_names[i], fine.error[i]);
    }
}

static void test_states_motor_order_is_that_of_bdf(void **state)
{
    (void)state;
    static const int steps[] = {0, 800, 400, 200, 200, 200};
    for (int order = 1; order <= 5; order++)
        check_order(TRM_INTEGRATOR_BDF, order, steps[order], 0.15);
}

// x' is integrated as v' is, z and lambda are solved for at every evaluation; gamma by differences
// has a noise of 1e-9, which shows at order 5
static void test_states_motor_order_is_that_of_adams(void **state)
{
    (void)state;
    static const int steps[] = {0, 1600, 800, 800, 800};
    for (int order = 1; order <= 4; order++)
        check_order(TRM_INTEGRATOR_ADAMS, order, steps[order], 0.15);
}

static void test_states_motor_order_of_explicit_is_8(void **state)
{
    (void)state;
    check_order(TRM_INTEGRATOR_EXPLICIT, 8, 20, 0.5);
}

// The integral of the multiplier with orders up to 1 and 2 under error control: a local error
// proportional to the tolerance means a factor of 10^(k/(k+1)) per decade. (Constant steps start at
// a tolerance of 1e-11, where the roundoff of lambda in small steps exceeds that of x1.)
static void test_states_rate_of_multiplier_error_falls_with_the_tolerance(void **state)
{
    (void)state;
    const trm_system system = motor(true);
    for (int order = 1; order <= 2; order++) {
        const double expected = pow(10.0, order / (order + 1.0));
        double before = 0.0;
        for (int digits = 4; digits <= 7; digits++) {
            trm_options options = verify_options(pow(10.0, -digits));
            options.max_order = order;
            comparison c = begin_comparison(true, 0.0);
            verify_run run = verify_start(&system, &initial, &options);
            verify_run_well(run.simulation, end, compare, &c);
            verify_close(&run);
            const double factor = before / c.error[STATE];
            if (digits > 4 && !(factor > 0.6 * expected && factor < 1.6 * expected))
                fail_msg("order %d: the error falls by a factor of %g from 1e-%d to 1e-%d, to %g",
                         order, factor, digits - 1, digits, c.error[STATE]);
            before = c.error[STATE];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_motor_agrees_with_its_differential_equation),
        cmocka_unit_test(test_states_motor_order_is_that_of_bdf),
        cmocka_unit_test(test_states_motor_order_is_that_of_adams),
        cmocka_unit_test(test_states_motor_order_of_explicit_is_8),
        cmocka_unit_test(test_states_rate_of_multiplier_agrees_with_its_integral),
        cmocka_unit_test(test_states_rate_of_multiplier_error_falls_with_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
