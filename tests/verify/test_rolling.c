// SPDX-License-Identifier: Apache-2.0
// Velocity constraints A v + a = 0.
//
// Chaplygin's sleigh: a body on a knife edge, its centre of mass a distance l ahead of it,
// A = (-sin th, cos th, -l). With the forward speed u and the rate w = th', I = J + m l^2:
//
//     u' = l w^2,  I w' = -m l u w:     u = U tanh(c (t - t0)),  w = W / cosh(c (t - t0)),
//     U^2 = u^2 + w^2 I/m,  W = U sqrt(m/I),  c = m l U/I
//
// A hoop (radius r) that rolls on an inclined belt of speed s(t): y - r = 0 and x' - r th' - s = 0:
//
//     x'' = (m g sin(alpha) + J/r^2 s') / (m + J/r^2),  lambda = (-m g cos(alpha), m (g sin(alpha)
//     - x''))
#include "verify.h"

// ---- sleigh: closed form, the path of the knife edge by Runge-Kutta ----

static const double m = 1.0, J = 0.5, l = 0.4, speed = 1.0, turn = 2.0, sleigh_end = 5.0;

static int sleigh_mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = m;
    M[2] = J;
    return 0;
}

static int no_force(const trm_state *state, double *f, void *user)
{
    (void)state, (void)user;
    f[0] = f[1] = f[2] = 0.0;
    return 0;
}

static int knife_edge(const trm_state *state, double *A, void *user)
{
    (void)user;
    A[0] = -sin(state->q[2]);
    A[1] = cos(state->q[2]);
    A[2] = -l;
    return 0;
}

static const trm_system sleigh = {
    .name = "sleigh",
    .n_q = 3,
    .n_a = 1,
    .function = {[TRM_QUANTITY_MASS] = sleigh_mass,
                 [TRM_QUANTITY_FORCE] = no_force,
                 [TRM_QUANTITY_ROLLING] = knife_edge},
    .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
    .constant = TRM_BIT(MASS)};

enum { POSITION, VELOCITY, MULTIPLIER, RESIDUAL, QUANTITIES };
static const char *const quantity_names[] = {"q", "v", "lambda", "A v"};

typedef struct comparison {
    double t, path[2]; // of the knife edge
    double from;       // errors are taken from this time on
    double error[QUANTITIES];
} comparison;

// u, w and th at t
static void sleigh_motion(double t, double *u, double *w, double *angle)
{
    const double I = J + m * l * l, U = sqrt(speed * speed + turn * turn * I / m);
    const double W = U * sqrt(m / I), c = m * l * U / I, t0 = -atanh(speed / U) / c;
    *u = U * tanh(c * (t - t0));
    *w = W / cosh(c * (t - t0));
    *angle = 2.0 * W / c * (atan(tanh(0.5 * c * (t - t0))) - atan(tanh(-0.5 * c * t0)));
}

static void path_rate(double t, const double *path, double *rate, void *user)
{
    (void)path, (void)user;
    double u, w, angle;
    sleigh_motion(t, &u, &w, &angle);
    rate[0] = u * cos(angle);
    rate[1] = u * sin(angle);
}

static void compare_sleigh(trm_simulation *simulation, void *user)
{
    comparison *c = user;
    const trm_state *s = trm_simulation_state(simulation);
    double u, w, angle, lambda;
    verify_rk4(path_rate, NULL, 2, c->t, s->t, 2e-3, c->path); // errors of 1e-12
    c->t = s->t;
    if (s->t < c->from)
        return;
    sleigh_motion(s->t, &u, &w, &angle);
    const double cosine = cos(angle), sine = sin(angle);
    const double q[] = {c->path[0] + l * cosine, c->path[1] + l * sine, angle};
    const double v[] = {u * cosine - l * w * sine, u * sine + l * w * cosine, w};
    const double exact = -J * m * u * w / (J + m * l * l); // J w' = l lambda
    double A[3], *e = c->error;
    assert_int_equal(trm_simulation_accelerations(simulation, NULL, &lambda), TRM_OK);
    knife_edge(s, A, NULL);
    const double residual = A[0] * s->v[0] + A[1] * s->v[1] + A[2] * s->v[2];
    e[POSITION] = fmax(e[POSITION], verify_distance(s->q, q, 3));
    e[VELOCITY] = fmax(e[VELOCITY], verify_distance(s->v, v, 3));
    e[MULTIPLIER] = fmax(e[MULTIPLIER], fabs(lambda - exact));
    e[RESIDUAL] = fmax(e[RESIDUAL], fabs(residual));
}

static verify_run start_sleigh(const trm_options *options)
{
    static const double q[] = {0.4, 0.0, 0.0}, v[] = {1.0, 0.8, 2.0}; // l; speed, l turn, turn
    const trm_initial initial = {.q = q, .v = v};
    return verify_start(&sleigh, &initial, options);
}

// Measured: 29 tolerances in q at 1e-10, less at looser ones; A v = 0 to roundoff (1e-8 at 1e-4).
static void check_sleigh(trm_integrator integrator, trm_formulation formulation, trm_solver solver,
                         double tol)
{
    trm_options options = verify_options(tol);
    options.integrator = integrator;
    options.formulation = formulation;
    options.linear_solver = solver;
    comparison c = {0};
    verify_run run = start_sleigh(&options);
    verify_run_well(run.simulation, sleigh_end, compare_sleigh, &c);
    for (int i = 0; i < QUANTITIES; i++)
        if (!(c.error[i] <= (i == RESIDUAL ? 1e-3 : 100.0) * tol))
            fail_msg("integrator %d, %s, solver %d, tolerance %g: %g tolerances in %s",
                     (int)integrator, verify_formulation(formulation), (int)solver, tol,
                     c.error[i] / tol, quantity_names[i]);
    verify_close(&run);
}

static const trm_formulation formulations[] = {TRM_FORMULATION_CS, TRM_FORMULATION_CM,
                                               TRM_FORMULATION_GGL, TRM_FORMULATION_GGL_STAR};

static void test_rolling_sleigh_agrees_with_closed_form(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int digits = 4; digits <= 8; digits += 2) {
            const double tol = pow(10.0, -digits);
            check_sleigh(TRM_INTEGRATOR_BDF, formulations[i], TRM_SOLVER_DENSE, tol);
            check_sleigh(TRM_INTEGRATOR_BDF, formulations[i], TRM_SOLVER_SPARSE, tol);
        }
    for (int digits = 4; digits <= 8; digits += 2) {
        const double tol = pow(10.0, -digits);
        check_sleigh(TRM_INTEGRATOR_ADAMS, TRM_FORMULATION_CS, TRM_SOLVER_DENSE, tol);
        check_sleigh(TRM_INTEGRATOR_EXPLICIT, TRM_FORMULATION_CS, TRM_SOLVER_SPARSE, tol);
    }
}

static comparison run_fixed(trm_options options, double h)
{
    options.h_fixed = h;
    comparison c = {.from = 0.5 * sleigh_end};
    verify_run run = start_sleigh(&options);
    while (c.t < sleigh_end - 0.5 * h) { // the end is far away: no step is cut short
        assert_int_equal(trm_simulation_step(run.simulation, 2.0 * sleigh_end, NULL), TRM_OK);
        compare_sleigh(run.simulation, &c);
    }
    verify_close(&run);
    return c;
}

static void check_order(trm_integrator integrator, int order, int steps, double slack)
{
    trm_options options = verify_options(1e-11);
    options.integrator = integrator;
    options.max_order = order;
    options.newton_iterations = 100;
    const comparison coarse = run_fixed(options, sleigh_end / steps);
    const comparison fine = run_fixed(options, 0.5 * sleigh_end / steps);
    for (int i = POSITION; i <= VELOCITY; i++) {
        const double measured = log2(coarse.error[i] / fine.error[i]);
        if (!(fabs(measured - order) <= slack))
            fail_msg("integrator %d, order %d: %.3f in %s (error %g)", (int)integrator, order,
                     measured, quantity_names[i], fine.error[i]);
    }
}

// Constant steps, errors over the second half. Rolling rows are met at the velocity level only: the
// position step must not lower the order.
static void test_rolling_sleigh_order_is_that_of_bdf(void **state)
{
    (void)state;
    static const int steps[] = {0, 800, 400, 400, 200, 200};
    for (int order = 1; order <= 5; order++) // 0.15 as elsewhere; measured deviations up to 0.12
        check_order(TRM_INTEGRATOR_BDF, order, steps[order], 0.15);
}

// gamma by differences has a noise of 1e-9: orders up to 5 can be distinguished
static void test_rolling_sleigh_order_is_that_of_adams(void **state)
{
    (void)state;
    static const int steps[] = {0, 800, 400, 400, 200, 200};
    for (int order = 1; order <= 5; order++)
        check_order(TRM_INTEGRATOR_ADAMS, order, steps[order], 0.25);
}

// long steps, so that errors stay above the noise of gamma: the next power of h shows (0.7)
static void test_rolling_sleigh_order_of_explicit_is_8(void **state)
{
    (void)state;
    check_order(TRM_INTEGRATOR_EXPLICIT, 8, 14, 0.7);
}

// ---- hoop on a belt: holonomic and rolling row together, offset a(t) ----

static const double gravity = 9.81, alpha = 0.3, r = 0.5, belt_speed = 2.0, belt_rate = 3.0;
static const double hoop_end = 3.0;

static int hoop_mass(const trm_state *state, double *M, void *user)
{
    (void)state, (void)user;
    M[0] = M[1] = 2.0;
    M[2] = 2.0 * r * r;
    return 0;
}

static int hoop_force(const trm_state *state, double *f, void *user)
{
    (void)state, (void)user;
    f[0] = 2.0 * gravity * sin(alpha);
    f[1] = -2.0 * gravity * cos(alpha);
    f[2] = 0.0;
    return 0;
}

static int on_belt(const trm_state *state, double *g, void *user)
{
    (void)user;
    g[0] = state->q[1] - r;
    return 0;
}

static int rolls(const trm_state *state, double *A, void *user)
{
    (void)state, (void)user;
    A[0] = 1.0;
    A[1] = 0.0;
    A[2] = -r;
    return 0;
}

static int belt(const trm_state *state, double *a, void *user)
{
    (void)user;
    a[0] = -belt_speed * sin(belt_rate * state->t);
    return 0;
}

static const trm_system hoop = {.name = "hoop",
                                .n_q = 3,
                                .n_g = 1,
                                .n_a = 1,
                                .function = {[TRM_QUANTITY_MASS] = hoop_mass,
                                             [TRM_QUANTITY_FORCE] = hoop_force,
                                             [TRM_QUANTITY_CONSTRAINT] = on_belt,
                                             [TRM_QUANTITY_ROLLING] = rolls,
                                             [TRM_QUANTITY_ROLLING_OFFSET] = belt},
                                .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                                .constant = TRM_BIT(MASS) | TRM_BIT(ROLLING)};

// J/r^2 = m: x'' = g sin(alpha)/2 + s'/2
static void check_hoop(trm_formulation formulation, trm_solver solver, double tol)
{
    static const double q[] = {0.0, 0.5, 0.0}; // at rest, as the belt
    const trm_initial initial = {.q = q};
    trm_options options = verify_options(tol);
    options.formulation = formulation;
    options.linear_solver = solver;
    verify_run run = verify_start(&hoop, &initial, &options);
    verify_run_well(run.simulation, hoop_end, NULL, NULL);
    const trm_state *s = trm_simulation_state(run.simulation);
    const double t = hoop_end, sine = sin(belt_rate * t), cosine = cos(belt_rate * t);
    const double fall = 0.5 * gravity * sin(alpha), drag = 0.5 * belt_speed;
    const double exact_v[] = {fall * t + drag * sine, 0.0, (fall * t - drag * sine) / r};
    const double shift = drag * (1.0 - cosine) / belt_rate, way = 0.5 * fall * t * t;
    const double exact_q[] = {way + shift, r, (way - shift) / r};
    const double slope = fall + drag * belt_rate * cosine;
    const double exact_lambda[] = {-2.0 * gravity * cos(alpha),
                                   2.0 * (gravity * sin(alpha) - slope)};
    double lambda[2];
    assert_int_equal(trm_simulation_accelerations(run.simulation, NULL, lambda), TRM_OK);
    // measured 7 tolerances in q; v is exact, since m x' + J th'/r grows linearly
    const double error_q = verify_distance(s->q, exact_q, 3) / tol;
    const double error_v = verify_distance(s->v, exact_v, 3) / tol;
    // belongs to t alone; gamma by differences is good to 1e-9
    const double error_lambda = verify_distance(lambda, exact_lambda, 2);
    if (!(error_q <= 200.0 && error_v <= 200.0 && error_lambda <= 1e-7))
        fail_msg("%s, solver %d, tolerance %g: %g in q, %g in v; %g in lambda",
                 verify_formulation(formulation), (int)solver, tol, error_q, error_v, error_lambda);
    verify_close(&run);
}

static void test_rolling_hoop_on_belt_agrees_with_closed_form(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int digits = 4; digits <= 8; digits += 2) {
            check_hoop(formulations[i], TRM_SOLVER_DENSE, pow(10.0, -digits));
            check_hoop(formulations[i], TRM_SOLVER_SPARSE, pow(10.0, -digits));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolling_sleigh_agrees_with_closed_form),
        cmocka_unit_test(test_rolling_sleigh_order_is_that_of_bdf),
        cmocka_unit_test(test_rolling_sleigh_order_is_that_of_adams),
        cmocka_unit_test(test_rolling_sleigh_order_of_explicit_is_8),
        cmocka_unit_test(test_rolling_hoop_on_belt_agrees_with_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
