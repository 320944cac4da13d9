// SPDX-License-Identifier: Apache-2.0
// Radau IIA of variable order: the bars of its design study, each with what was measured here.
// Attempts are accepted and rejected steps together. Counts around 100 scatter by a tenth with
// roundoff; bars leave a fifth or more.
#include "radau_coupled.h"
#include "references.h"
#include "solver/integrator/radau/radau.h"
#include "verify.h"

static trm_options adaptive_options(double tol)
{
    trm_options options = verify_options(tol);
    options.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    return options;
}

static long attempts(const trm_simulation *simulation)
{
    const trm_statistics *st = trm_simulation_statistics(simulation);
    return st->steps + st->rejected_error + st->rejected_newton;
}

// ---- published solutions ----

static void check_reference(const char *problem, const reference_problem *reference, double tol,
                            trm_solver solver, long most, double digits_q, double digits_v)
{
    trm_options options = adaptive_options(tol);
    options.linear_solver = solver;
    verify_run run = verify_open(problem, NULL, 0, &options);
    verify_run_well(run.simulation, reference->end.t, NULL, NULL);
    const reference_digits is = reference_compare_end(reference, problem, run.simulation);
    const trm_statistics *st = trm_simulation_statistics(run.simulation);
    if (!(is.q >= digits_q && is.v >= digits_v) || attempts(run.simulation) > most ||
        st->rejected_newton > 3)
        fail_msg("%s, tolerance %g, solver %d: %.2f and %.2f digits in %ld attempts, %ld failures",
                 problem, tol, (int)solver, is.q, is.v, attempts(run.simulation),
                 st->rejected_newton);
    // roundoff of positions and velocities (up to 1e3) on the constraints
    assert_true(st->position_residual_max < 1e-12 && st->velocity_residual_max < 1e-11);
    verify_close(&run);
}

// measured 40, 46, 68 and 120 attempts; q 4.7, 8.4, 11.6, 13.1, v 2.7, 6.3, 9.5, 11.0 digits
static void test_radau_adaptive_andrews_meets_the_bars(void **state)
{
    (void)state;
    for (int solver = TRM_SOLVER_DENSE; solver <= TRM_SOLVER_SPARSE; solver++) {
        const trm_solver with = (trm_solver)solver;
        check_reference("andrews", &reference_andrews, 1e-4, with, 60, 4, 2);
        check_reference("andrews", &reference_andrews, 1e-6, with, 80, 6.5, 4.5);
        check_reference("andrews", &reference_andrews, 1e-8, with, 110, 9, 7.5);
        check_reference("andrews", &reference_andrews, 1e-10, with, 160, 11, 9);
    }
}

// measured 157 attempts, 11.0 digits
static void test_radau_adaptive_car_axis_meets_the_bar(void **state)
{
    (void)state;
    check_reference("car-axis", &reference_car_axis, 1e-8, TRM_SOLVER_AUTO, 220, 10, 6);
}

// On the level of accelerations: 43, 46 and 69 attempts, more iterations; q 6.3, 9.1, 11.2 digits
static void test_radau_adaptive_index_1_has_the_same_digits(void **state)
{
    (void)state;
    const double tolerances[] = {1e-4, 1e-6, 1e-8}, digits[] = {4, 6.5, 9};
    const long most[] = {60, 80, 110};
    for (int k = 0; k < 3; k++) {
        trm_options options = adaptive_options(tolerances[k]);
        options.formulation = TRM_FORMULATION_INDEX1_PROJECTED;
        verify_run run = verify_open("andrews", NULL, 0, &options);
        verify_run_well(run.simulation, 0.03, NULL, NULL);
        const reference_digits is =
            reference_compare_end(&reference_andrews, "andrews", run.simulation);
        if (!(is.q >= digits[k]) || attempts(run.simulation) > most[k])
            fail_msg("tolerance %g: %.2f digits in %ld attempts", tolerances[k], is.q,
                     attempts(run.simulation));
        assert_true(trm_simulation_statistics(run.simulation)->position_residual_max < 1e-12);
        verify_close(&run);
    }
}

// ---- stiff forces ----

static trm_statistics run_normal(double k, double tol, trm_solver solver, double *q)
{
    trm_options options = adaptive_options(tol);
    options.linear_solver = solver;
    verify_run run = verify_open("normal-stiff", "k", k, &options);
    verify_run_well(run.simulation, 10, NULL, NULL);
    const trm_statistics statistics = *trm_simulation_statistics(run.simulation);
    memcpy(q, trm_simulation_state(run.simulation)->q, 2 * sizeof *q);
    verify_close(&run);
    return statistics;
}

// A force across the circle changes no counter: 22 and 33 attempts for every k.
static void test_radau_adaptive_normal_stiff_force_leaves_every_counter_alone(void **state)
{
    (void)state;
    const double stiffness[] = {1e4, 1e8}, tolerances[] = {1e-6, 1e-8};
    for (int j = 0; j < 2; j++)
        for (int solver = TRM_SOLVER_DENSE; solver <= TRM_SOLVER_SPARSE; solver++) {
            double free[2], q[2];
            const trm_statistics without = run_normal(0, tolerances[j], (trm_solver)solver, free);
            assert_int_equal(without.rejected_newton, 0);
            for (int k = 0; k < 2; k++) {
                const trm_statistics with =
                    run_normal(stiffness[k], tolerances[j], (trm_solver)solver, q);
                assert_int_equal(with.steps, without.steps);
                assert_int_equal(with.rejected_error, without.rejected_error);
                assert_int_equal(with.rejected_newton, 0);
                assert_int_equal(with.newton_iterations, without.newton_iterations);
                assert_int_equal(with.residual_evaluations, without.residual_evaluations);
                assert_int_equal(with.jacobian_evaluations, without.jacobian_evaluations);
                assert_int_equal(with.factorizations, without.factorizations);
                // a twentieth of the error of the run, 6e-9 and 2e-11; measured 1.8e-11, 2e-14
                assert_true(verify_distance(q, free, 2) < (j == 0 ? 3e-10 : 1e-12));
            }
        }
}

// A bushing that turns: where its direction turns one matrix for all stages takes over. Error
// against a run at 1e-9; returns attempts. stages > 0: so many, coupled in every step but the
// first.
static long run_bushing(double k, trm_solver solver, int stages)
{
    double q[2][6];
    long count = 0;
    const double tolerances[] = {1e-9, 1e-6};
    for (int j = 0; j < 2; j++) {
        trm_options options = adaptive_options(tolerances[j]);
        options.linear_solver = solver;
        options.max_order = stages > 0 ? 2 * stages - 1 : 0;
        verify_run run = verify_open("stiff-bushing", "k", k, &options);
        trmi_radau_order *order = &trmi_radau_of(run.simulation)->order;
        order->min = stages > 0 ? order->max : order->min;
        verify_run_well(run.simulation, 2, stages > 0 ? keep_coupled : NULL, NULL);
        const trm_statistics *st = trm_simulation_statistics(run.simulation);
        assert_true(stages == 0 || st->coupled_steps == st->steps - 1);
        count = attempts(run.simulation);
        memcpy(q[j], trm_simulation_state(run.simulation)->q, sizeof q[j]);
        verify_close(&run);
    }
    if (!(verify_distance(q[0], q[1], 6) < 1e-6))
        fail_msg("k = %g: error %g", k, verify_distance(q[0], q[1], 6));
    return count;
}

static void assert_nearly_independent_of_k(trm_solver solver, int stages, long most, double ratio)
{
    long count[4], largest = 0;
    for (int j = 0; j < 4; j++) {
        count[j] = run_bushing(pow(10, 4 + 2 * j), solver, stages);
        largest = count[j] > largest ? count[j] : largest;
    }
    if (largest > most || (double)count[3] > ratio * (double)count[0])
        fail_msg("solver %d: %ld, %ld, %ld, %ld attempts", (int)solver, count[0], count[1],
                 count[2], count[3]);
}

// measured 84, 82, 87, 88 (dense) and 84, 84, 95, 88 (sparse); errors up to 1e-8
static void test_radau_adaptive_bushing_needs_as_many_steps_for_every_stiffness(void **state)
{
    (void)state;
    assert_nearly_independent_of_k(TRM_SOLVER_DENSE, 0, 350, 4);
    assert_nearly_independent_of_k(TRM_SOLVER_SPARSE, 0, 350, 4);
}

// measured 152, 131, 141, 149 (dense) and 152, 131, 166, 151 (sparse)
static void test_radau_adaptive_coupled_stages_hardly_see_the_stiffness(void **state)
{
    (void)state;
    assert_nearly_independent_of_k(TRM_SOLVER_DENSE, 5, 220, 1.3);
    assert_nearly_independent_of_k(TRM_SOLVER_SPARSE, 5, 220, 1.3);
}

// Loose tolerances, where steps go as far as Newton lets them and an error estimate sees little of
// what a stiff force does. Errors against a run at 1e-9: measured 0.09 of the tolerance at most.
// Failures of Newton: measured 8, 10 and 10 in a hundred attempts, 17 with k = 1e9 where the error
// of the prediction does not bound the steps.
static void test_radau_adaptive_bushing_errs_by_less_than_the_tolerance(void **state)
{
    (void)state;
    for (double k = 1e8; k < 2e10; k *= 10) {
        double exact[6], q[6];
        long tried = 0, failed = 0;
        for (int j = -1; j < 20; j++) {
            trm_options options = adaptive_options(j < 0 ? 1e-9 : 1e-3 * pow(10, -0.15 * j));
            options.atol = 0.01 * options.rtol;
            verify_run run = verify_open("stiff-bushing", "k", k, &options);
            verify_run_well(run.simulation, 2, NULL, NULL);
            memcpy(j < 0 ? exact : q, trm_simulation_state(run.simulation)->q, sizeof q);
            tried += j < 0 ? 0 : attempts(run.simulation);
            failed += j < 0 ? 0 : trm_simulation_statistics(run.simulation)->rejected_newton;
            if (j >= 0 && !(verify_distance(q, exact, 6) < options.rtol))
                fail_msg("k = %g, %g: error %g", k, options.rtol, verify_distance(q, exact, 6));
            verify_close(&run);
        }
        if (failed > tried / 8)
            fail_msg("k = %g: %ld of %ld attempts failed", k, failed, tried);
    }
}

// Where the direction of the bushing turns the stages are coupled, where it hardly does they are
// solved one per shift again: the corrector changes by itself, both ways. Measured 5 and 4 times,
// 550 of 707 steps coupled.
static void test_radau_adaptive_coupled_stages_come_and_go(void **state)
{
    (void)state;
    const trm_options options = adaptive_options(1e-6);
    verify_run run = verify_open("stiff-bushing", "k", 1e5, &options);
    const bool *coupled = &trmi_radau_of(run.simulation)->order.stacked;
    bool before = false;
    int come = 0, gone = 0;
    for (double t = 0; t < 20;) {
        assert_int_equal(trm_simulation_step(run.simulation, 20, &t), TRM_OK);
        come += *coupled && !before;
        gone += before && !*coupled;
        before = *coupled;
    }
    const trm_statistics *st = trm_simulation_statistics(run.simulation);
    assert_true(come >= 2 && gone >= 1);
    assert_in_range(st->coupled_steps, 50, st->steps - 50);
    verify_close(&run);
}

// Constant steps cannot become shorter: there the coupled corrector comes to help at once.
static void test_radau_adaptive_constant_steps_are_rescued(void **state)
{
    (void)state;
    trm_options options = adaptive_options(1e-6);
    options.max_order = 9;
    options.h_fixed = 0.01;
    verify_run run = verify_open("stiff-bushing", "k", 1e8, &options);
    verify_run_well(run.simulation, 2, NULL, NULL);
    const trm_statistics *st = trm_simulation_statistics(run.simulation);
    assert_int_equal(st->steps, 200);
    assert_true(st->coupled_steps > 100); // measured 196
    verify_close(&run);
}

// The preloaded spring: its vibration, of period 2 pi eps / 0.316, is followed.
// Measured 8.0, 6.6, 7.2 and 6.8, 6.7, 7.3 attempts per period.
static void test_radau_adaptive_spring_takes_as_many_steps_per_period(void **state)
{
    (void)state;
    const double tolerances[] = {1e-4, 1e-6}, end = 0.05;
    for (int j = 0; j < 2; j++)
        for (double eps = 1e-3; eps > 0.9e-5; eps /= 10) {
            const trm_options options = adaptive_options(tolerances[j]);
            verify_run run = verify_open("spring-pendulum", "eps", eps, &options);
            verify_run_well(run.simulation, end, NULL, NULL);
            double periods = 0.316 / eps * end / (2 * acos(-1));
            double per_period = (double)attempts(run.simulation) / periods;
            if (!(per_period > 5 && per_period < 10))
                fail_msg("eps %g, tolerance %g: %.2f attempts per period", eps, tolerances[j],
                         per_period);
            assert_int_equal(trm_simulation_statistics(run.simulation)->rejected_newton, 0);
            verify_close(&run);
        }
}

// ---- singular positions ----

// All loops move as one pendulum (test_radau.c).
static void four_bar_motion(double t, const double *y, double *rate, void *user)
{
    (void)t;
    const double n = *(const double *)user;
    rate[0] = y[1];
    rate[1] = -9.81 * (3 * n + 1) / 2 / ((4 * n + 1) / 3) * sin(y[0]);
}

// measured 66 .. 70, 73 .. 78, 113 .. 116 attempts, errors of the tip up to 9e-4, 1e-6, 2.4e-9
static void test_radau_adaptive_four_bar_passes_singular_positions(void **state)
{
    (void)state;
    const double tolerances[] = {1e-4, 1e-6, 1e-8}, bounds[] = {5e-3, 1e-5, 1e-8};
    const double loops[] = {1, 2, 10, 40};
    for (int k = 0; k < 4; k++) {
        double y[] = {acos(-1), -1}, n = loops[k];
        verify_rk4(four_bar_motion, &n, 2, 0, 10, 1e-4, y); // errors of 1e-11
        for (int j = 0; j < 3; j++) {
            const trm_options options = adaptive_options(tolerances[j]);
            verify_run run = verify_open("four-bar", "loops", loops[k], &options);
            verify_run_well(run.simulation, 10, NULL, NULL);
            const trm_statistics *st = trm_simulation_statistics(run.simulation);
            const double angle = trm_simulation_state(run.simulation)->q[2];
            const double error = hypot(cos(angle) - sin(y[0]), sin(angle) + cos(y[0]));
            if (!(error <= bounds[j]) || attempts(run.simulation) > 200)
                fail_msg("%g loops, tolerance %g: error %g in %ld attempts", loops[k],
                         tolerances[j], error, attempts(run.simulation));
            assert_true(st->position_residual_max < 1e-10 && st->velocity_residual_max < 1e-10);
            verify_close(&run);
        }
    }
}

// ---- events and restarts ----

static int lowest_point(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0];
    return 0;
}

static void swing(double t, const double *y, double *rate, void *user)
{
    (void)t, (void)user;
    rate[0] = y[1];
    rate[1] = -9.81 * sin(y[0]);
}

// A pendulum that loses half of its speed whenever it passes its lowest point. Between impacts its
// half periods are those of phi'' = -9.81 sin(phi) with the speeds v, v/2, v/4, ..: the same run by
// Runge-Kutta from impact to impact ends where ours does, and restarts cost no order.
static void test_radau_adaptive_events_with_restarts_keep_the_accuracy(void **state)
{
    (void)state;
    const trm_events events = {.count = 1, .function = lowest_point};
    const trm_options options = adaptive_options(1e-8);
    verify_run run = verify_open("pendulum", NULL, 0, &options);
    assert_int_equal(trm_simulation_watch(run.simulation, &events), TRM_OK);
    double t = 0, y[] = {-acos(-1) / 2, 0};
    for (int impact = 0; impact < 6; impact++) {
        assert_int_equal(trm_simulation_run(run.simulation, 100), TRM_STOP_EVENT);
        const trm_state *s = trm_simulation_state(run.simulation);
        verify_rk4(swing, NULL, 2, t, s->t, 1e-4, y);
        t = s->t;
        // at the time of the event the exact pendulum is at its lowest point; measured 5e-10, 5e-9
        if (!(fabs(y[0]) < 5e-9 && fabs(y[1] - s->v[0]) < 5e-8))
            fail_msg("impact %d at t = %.9g: angle %g, speed off by %g", impact, t, y[0],
                     y[1] - s->v[0]);
        const double v[] = {s->v[0] / 2, s->v[1] / 2};
        y[1] /= 2;
        const trm_initial after = {.v = v};
        assert_int_equal(trm_simulation_restart(run.simulation, &after), TRM_OK);
    }
    // a restart begins with three stages; measured 73 attempts for six starts
    assert_true(attempts(run.simulation) < 100);
    verify_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau_adaptive_andrews_meets_the_bars),
        cmocka_unit_test(test_radau_adaptive_car_axis_meets_the_bar),
        cmocka_unit_test(test_radau_adaptive_index_1_has_the_same_digits),
        cmocka_unit_test(test_radau_adaptive_normal_stiff_force_leaves_every_counter_alone),
        cmocka_unit_test(test_radau_adaptive_bushing_needs_as_many_steps_for_every_stiffness),
        cmocka_unit_test(test_radau_adaptive_bushing_errs_by_less_than_the_tolerance),
        cmocka_unit_test(test_radau_adaptive_coupled_stages_hardly_see_the_stiffness),
        cmocka_unit_test(test_radau_adaptive_coupled_stages_come_and_go),
        cmocka_unit_test(test_radau_adaptive_constant_steps_are_rescued),
        cmocka_unit_test(test_radau_adaptive_spring_takes_as_many_steps_per_period),
        cmocka_unit_test(test_radau_adaptive_four_bar_passes_singular_positions),
        cmocka_unit_test(test_radau_adaptive_events_with_restarts_keep_the_accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
