// SPDX-License-Identifier: Apache-2.0
// Radau IIA with error control: published solutions, stiff forces across and along the constraints,
// singular positions, redundant rows, and what it refuses.
#include "references.h"
#include "verify.h"

static trm_options radau_options(double tol)
{
    trm_options options = verify_options(tol);
    options.integrator = TRM_INTEGRATOR_RADAU;
    return options;
}

static long attempts(const trm_simulation *simulation)
{
    const trm_statistics *st = trm_simulation_statistics(simulation);
    return st->steps + st->rejected_error + st->rejected_newton;
}

// ---- published solutions ----

static void check_andrews(double tol, trm_solver solver, long most, double digits_q,
                          double digits_v)
{
    trm_options options = radau_options(tol);
    options.linear_solver = solver;
    verify_run run = verify_open("andrews", NULL, 0, &options);
    verify_run_well(run.simulation, 0.03, NULL, NULL);
    const trm_state *s = trm_simulation_state(run.simulation);
    double q = INFINITY, v = INFINITY;
    for (int i = 0; i < 7; i++) {
        const double exact_q = reference_andrews.end.q[i], exact_v = reference_andrews.end.v[i];
        q = fmin(q, -log10(fabs(s->q[i] / exact_q - 1) + 1e-17));
        v = fmin(v, -log10(fabs(s->v[i] / exact_v - 1) + 1e-17));
    }
    const trm_statistics *st = trm_simulation_statistics(run.simulation);
    if (!(q >= digits_q && v >= digits_v) || attempts(run.simulation) > most)
        fail_msg("tolerance %g, solver %d: %.2f and %.2f digits in %ld attempts", tol, (int)solver,
                 q, v, attempts(run.simulation));
    assert_true(st->rejected_newton <= 3);
    // roundoff of positions and velocities (up to 1e3) on the constraints
    assert_true(st->position_residual_max < 1e-12 && st->velocity_residual_max < 1e-11);
    verify_close(&run);
}

// The prototype of the spec with three stages (section 7): 9.1 digits at 1e-8 in 605 attempts. Here
// q 4.26, 6.68, 9.19 and v 2.21, 4.63, 7.14 digits in 73, 198, 595; the bounds leave a tenth.
static void test_radau_andrews_has_the_digits_of_its_tolerance(void **state)
{
    (void)state;
    check_andrews(1e-4, TRM_SOLVER_DENSE, 80, 4, 2);
    check_andrews(1e-6, TRM_SOLVER_DENSE, 220, 6.5, 4.5);
    check_andrews(1e-8, TRM_SOLVER_DENSE, 650, 8.8, 6.5);
    check_andrews(1e-6, TRM_SOLVER_SPARSE, 220, 6.5, 4.5);
}

// ---- stiff forces ----

// A force across the circle, however stiff, changes nothing: all counters are the same.
static void test_radau_normal_stiff_force_leaves_every_counter_alone(void **state)
{
    (void)state;
    const double stiffness[] = {0, 1e4, 1e8}, tolerances[] = {1e-6, 1e-8};
    for (int j = 0; j < 2; j++)
        for (int solver = TRM_SOLVER_DENSE; solver <= TRM_SOLVER_SPARSE; solver++) {
            trm_statistics first = {0};
            double q[2] = {0};
            for (int k = 0; k < 3; k++) {
                trm_options options = radau_options(tolerances[j]);
                options.linear_solver = (trm_solver)solver;
                verify_run run = verify_open("normal-stiff", "k", stiffness[k], &options);
                verify_run_well(run.simulation, 10, NULL, NULL);
                const trm_statistics *st = trm_simulation_statistics(run.simulation);
                const trm_state *s = trm_simulation_state(run.simulation);
                if (k == 0) {
                    first = *st;
                    memcpy(q, s->q, sizeof q);
                }
                assert_int_equal(st->steps, first.steps);
                assert_int_equal(st->rejected_error, first.rejected_error);
                assert_int_equal(st->rejected_newton, 0);
                assert_int_equal(st->newton_iterations, first.newton_iterations);
                assert_int_equal(st->residual_evaluations, first.residual_evaluations);
                assert_int_equal(st->jacobian_evaluations, first.jacobian_evaluations);
                assert_int_equal(st->factorizations, first.factorizations);
                // roundoff of ten seconds, measured 1.3e-14
                assert_true(verify_distance(s->q, q, 2) < 1e-12);
                verify_close(&run);
            }
        }
}

// A lightly damped bushing: the fast mode is stepped over. Errors against a run at 1e-9 of the
// same method; measured 3.4e-8 and 7.1e-8 in 450 and 432 attempts.
static void check_bushing(double k, long most)
{
    double q[2][6];
    const double tolerances[] = {1e-6, 1e-9};
    for (int j = 0; j < 2; j++) {
        trm_options options = radau_options(tolerances[j]);
        verify_run run = verify_open("stiff-bushing", "k", k, &options);
        verify_run_well(run.simulation, 2, NULL, NULL);
        if (j == 0 && attempts(run.simulation) > most)
            fail_msg("k = %g: %ld attempts", k, attempts(run.simulation));
        memcpy(q[j], trm_simulation_state(run.simulation)->q, sizeof q[j]);
        verify_close(&run);
    }
    if (!(verify_distance(q[0], q[1], 6) < 1e-6))
        fail_msg("k = %g: error %g", k, verify_distance(q[0], q[1], 6));
}

static void test_radau_bushing_is_stepped_over(void **state)
{
    (void)state;
    check_bushing(1e4, 500);
    check_bushing(1e6, 500);
}

// ---- singular positions ----

// All loops move as one pendulum: phi'' = -w2 sin(phi), w2 = 9.81 (3N + 1)/2 / ((4N + 1)/3), phi
// from downward, phi(0) = pi, phi'(0) = -1. Whenever the cranks lie flat the constraints lose rank.
// Measured with one loop, the worse of the two: 5.2e-3, 2.2e-5, 6.4e-8; variable order has smaller
// errors (test_radau_adaptive.c).
static void four_bar_motion(double t, const double *y, double *rate, void *user)
{
    (void)t;
    const double n = *(const double *)user;
    rate[0] = y[1];
    rate[1] = -9.81 * (3 * n + 1) / 2 / ((4 * n + 1) / 3) * sin(y[0]);
}

static void test_radau_four_bar_passes_singular_positions(void **state)
{
    (void)state;
    const double tolerances[] = {1e-4, 1e-6, 1e-8}, bounds[] = {1e-2, 4e-5, 1.2e-7};
    for (double loops = 1; loops <= 2; loops++) {
        double y[] = {acos(-1), -1};
        verify_rk4(four_bar_motion, &loops, 2, 0, 10, 1e-4, y); // errors of 1e-11
        for (int j = 0; j < 3; j++) {
            trm_options options = radau_options(tolerances[j]);
            verify_run run = verify_open("four-bar", "loops", loops, &options);
            verify_run_well(run.simulation, 10, NULL, NULL);
            const trm_statistics *st = trm_simulation_statistics(run.simulation);
            const double angle = trm_simulation_state(run.simulation)->q[2];
            const double error = hypot(cos(angle) - sin(y[0]), sin(angle) + cos(y[0]));
            if (!(error <= bounds[j]))
                fail_msg("%g loops, tolerance %g: error %g", loops, tolerances[j], error);
            assert_true(st->rejected_newton <= 4);
            assert_true(st->position_residual_max < 1e-10 && st->velocity_residual_max < 1e-10);
            verify_close(&run);
        }
    }
}

// ---- stops ----

// A run that stops a nanosecond after another goes on as if it had not: the polynomial of the tiny
// step is not extrapolated over the long one that follows.
static void test_radau_tiny_step_to_a_stop_does_no_harm(void **state)
{
    (void)state;
    long of[2];
    for (int stops = 0; stops < 2; stops++) {
        trm_options options = radau_options(1e-6);
        verify_run run = verify_open("pendulum", NULL, 0, &options);
        verify_run_well(run.simulation, 1, NULL, NULL);
        if (stops)
            verify_run_well(run.simulation, 1 + 1e-9, NULL, NULL);
        verify_run_well(run.simulation, 3, NULL, NULL);
        assert_int_equal(trm_simulation_statistics(run.simulation)->rejected_newton, 0);
        of[stops] = attempts(run.simulation);
        verify_close(&run);
    }
    // the tiny step itself, and a few because steps fall elsewhere (measured: 150 after 151)
    assert_true(of[1] <= of[0] + 5);
}

// ---- redundant rows ----

static int unit_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[1] = 1;
    return 0;
}

static int gravity(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 0;
    out[1] = -9.81;
    return 0;
}

// the circle once, or twice with another factor
static int circles(const trm_state *s, double *out, void *user)
{
    out[0] = 0.5 * (s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1);
    if (*(const int *)user == 2)
        out[1] = 3 * out[0];
    return 0;
}

static int circles_q(const trm_state *s, double *out, void *user)
{
    const int rows = *(const int *)user;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < rows; i++)
            out[i + rows * j] = (i == 0 ? 1 : 3) * s->q[j];
    return 0;
}

static void check_duplicate_row(trm_integrator integrator)
{
    const double q0[] = {1, 0};
    const trm_initial initial = {.q = q0};
    trm_statistics statistics[2];
    double q[2][2];
    for (int rows = 1; rows <= 2; rows++) {
        trm_system system = {.name = "circles",
                             .n_q = 2,
                             .n_g = rows,
                             .user = &rows,
                             .function = {[TRM_QUANTITY_MASS] = unit_mass,
                                          [TRM_QUANTITY_FORCE] = gravity,
                                          [TRM_QUANTITY_CONSTRAINT] = circles,
                                          [TRM_QUANTITY_CONSTRAINT_Q] = circles_q}};
        system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
        trm_options options = radau_options(1e-6);
        options.integrator = integrator;
        verify_run run = verify_start(&system, &initial, &options);
        verify_run_well(run.simulation, 3, NULL, NULL);
        statistics[rows - 1] = *trm_simulation_statistics(run.simulation);
        memcpy(q[rows - 1], trm_simulation_state(run.simulation)->q, sizeof *q);
        verify_close(&run);
    }
    assert_int_equal(statistics[0].steps, statistics[1].steps);
    assert_int_equal(statistics[0].rejected_error, statistics[1].rejected_error);
    assert_int_equal(statistics[0].rejected_newton, statistics[1].rejected_newton);
    assert_int_equal(statistics[0].newton_iterations, statistics[1].newton_iterations);
    assert_true(verify_distance(q[0], q[1], 2) < 1e-10); // roundoff of 3 s of a pendulum
}

static void test_radau_duplicate_row_leaves_the_counters_alone(void **state)
{
    (void)state;
    check_duplicate_row(TRM_INTEGRATOR_RADAU);
    check_duplicate_row(TRM_INTEGRATOR_RADAU_ADAPTIVE);
}

// ---- what it refuses ----

static void assert_refused(const char *option, const char *value, const char *word)
{
    trm_options options = radau_options(1e-6);
    trp_problem *problem;
    trm_simulation *simulation;
    trm_error error;
    assert_int_equal(trm_options_set(&options, option, value, &error), TRM_OK);
    assert_int_equal(trp_problem_create(&problem, "pendulum", NULL, &error), TRM_OK);
    assert_int_equal(trm_simulation_create(&simulation, trp_problem_system(problem), &options,
                                           trp_problem_initial(problem), &error),
                     TRM_ERR_OPTION);
    assert_null(simulation);
    assert_string_equal(error.item, option);
    if (!strstr(error.text, word) || !strstr(error.text, "radau") || !error.advice[0])
        fail_msg("%s = %s: %s", option, value, error.text);
    trp_problem_destroy(problem);
}

static void test_radau_options_without_meaning_are_refused(void **state)
{
    (void)state;
    assert_refused("formulation", "index1", "index1");
    assert_refused("formulation", "cm", "cm");
    assert_refused("control", "classic", "classic");
    assert_refused("max_order", "3", "order 5");
    assert_refused("error_test", "independent", "independent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau_andrews_has_the_digits_of_its_tolerance),
        cmocka_unit_test(test_radau_normal_stiff_force_leaves_every_counter_alone),
        cmocka_unit_test(test_radau_bushing_is_stepped_over),
        cmocka_unit_test(test_radau_four_bar_passes_singular_positions),
        cmocka_unit_test(test_radau_tiny_step_to_a_stop_does_no_harm),
        cmocka_unit_test(test_radau_duplicate_row_leaves_the_counters_alone),
        cmocka_unit_test(test_radau_options_without_meaning_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
