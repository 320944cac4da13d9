// SPDX-License-Identifier: Apache-2.0
// Runge-Kutta 8(5,3): twelve evaluations per step, errors that follow the tolerance, the
// interpolant of order 7, stiffness noticed.
#include "unit/cases.h"

static trm_options explicit_options(double tol)
{
    trm_options o = trm_options_default();
    o.integrator = TRM_INTEGRATOR_EXPLICIT;
    o.rtol = o.atol = tol;
    return o;
}

// eleven stages, for an accepted step the rate at its end, and at most 8 at the start; the matrix
// of the last stage projects
static void test_explicit_step_needs_twelve_evaluations(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    const trm_options o = explicit_options(1e-9);
    trm_simulation *s = create(&system, &o, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, 5), TRM_OK);
    const trm_statistics *st = trm_simulation_statistics(s);
    long attempts = st->steps + st->rejected_error, needed = 11 * attempts + st->steps;
    assert_true(st->steps > 20 && st->rejected_error < st->steps / 3);
    assert_true(st->residual_evaluations >= needed && st->residual_evaluations <= needed + 8);
    assert_true(st->factorizations >= needed && st->factorizations <= needed + 8);
    assert_int_equal(st->order_last, 8);
    trm_simulation_destroy(s);
}

// The error at the end falls with the tolerance, in proportion but for scatter: 9 of 100.
static void test_explicit_error_follows_the_tolerance(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    const trm_options tight = explicit_options(1e-13);
    trm_simulation *exact = create(&system, &tight, &pendulum_start);
    assert_int_equal(trm_simulation_run(exact, 3), TRM_OK);
    double before = INFINITY;
    for (int digits = 4; digits <= 10; digits += 2) {
        const trm_options o = explicit_options(pow(10, -digits));
        trm_simulation *s = create(&system, &o, &pendulum_start);
        assert_int_equal(trm_simulation_run(s, 3), TRM_OK);
        double error = distance_of(trm_simulation_state(s)->q, trm_simulation_state(exact)->q, 2);
        assert_true(error < 100 * o.rtol && error < before / 9);
        before = error;
        trm_simulation_destroy(s);
    }
    trm_simulation_destroy(exact);
}

// error in the middle of the first step of length h, raw interpolant
static double middle_error(double h)
{
    const trm_system system = pendulum(NULL);
    trm_options o = explicit_options(1e-13), fixed = o;
    fixed.h_fixed = h;
    trm_simulation *s = create(&system, &fixed, &pendulum_start);
    trm_simulation *exact = create(&system, &o, &pendulum_start);
    double q[2];
    assert_int_equal(trm_simulation_step(s, 10, NULL), TRM_OK);
    assert_int_equal(trm_simulation_interpolate(s, 0.37 * h, q, NULL, NULL, NULL, NULL), TRM_OK);
    assert_int_equal(trm_simulation_run(exact, 0.37 * h), TRM_OK);
    double error = distance_of(q, trm_simulation_state(exact)->q, 2);
    trm_simulation_destroy(s);
    trm_simulation_destroy(exact);
    return error;
}

// order 7: a local error of h^8, 8 from halving; 7.3 leaves room for the next power, a polynomial
// of lower degree is at 6 and below
static void test_explicit_interpolant_has_order_7(void **state)
{
    (void)state;
    double coarse = middle_error(0.4), fine = middle_error(0.2);
    double measured = log2(coarse / fine);
    if (!(measured > 7.3 && measured < 9.5))
        fail_msg("local order %.2f, errors %g and %g", measured, coarse, fine);
}

// ---- rows near the limit of stability ----

// v' = -1000 (v - cos t) - sin t: v = cos t after a start that is off by 1e-3 and forgotten within
// milliseconds. Steps grow to 6.1/1000 s, where stages swing.
static int damped_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -1000 * (s->v[0] - cos(s->t)) - sin(s->t);
    return 0;
}

static int unit_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

// Inside of steps v is as good as at their ends: measured 1.2e-3 and less at 1e-3, where ends are
// off by 1.2e-3. By the polynomial alone it is off by 20 to 33 times as much as the ends.
static void test_explicit_rows_near_the_limit_of_stability(void **state)
{
    (void)state;
    const double q = 0, v = 1.001;
    const trm_system system = {
        .name = "damped",
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = damped_force}};
    const trm_initial start = {.q = &q, .v = &v};
    for (int digits = 3; digits <= 7; digits += 2) {
        double tolerance = pow(10, -digits), t = 0, ends = 0, inside = 0;
        const trm_options o = explicit_options(tolerance);
        trm_simulation *s = create(&system, &o, &start);
        while (t < 0.5) {
            double before = t;
            const trm_state *at;
            assert_int_equal(trm_simulation_step(s, 0.5, &t), TRM_OK);
            if (before < 0.03) // the start is forgotten
                continue;
            ends = fmax(ends, fabs(trm_simulation_state(s)->v[0] - cos(t)));
            for (int k = 1; k < 10; k++) {
                double row = before + (t - before) * k / 10;
                assert_int_equal(trm_simulation_sample(s, row, &at), TRM_OK);
                inside = fmax(inside, fabs(at->v[0] - cos(row)));
            }
        }
        if (!(inside < ends + tolerance))
            fail_msg("1e-%d: %g inside, %g at the ends", digits, inside, ends);
        trm_simulation_destroy(s);
    }
}

// ---- first step ----

// within the range of the first steps that follow: not tiny, not rejected again and again
static void test_explicit_first_step_is_of_the_right_size(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int digits = 3; digits <= 12; digits += 3) {
        const trm_options o = explicit_options(pow(10, -digits));
        trm_simulation *s = create(&system, &o, &pendulum_start);
        double t, typical;
        assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
        assert_true(trm_simulation_statistics(s)->rejected_error <= 2);
        for (int i = 0; i < 6; i++)
            assert_int_equal(trm_simulation_step(s, 10, NULL), TRM_OK);
        typical = trm_simulation_statistics(s)->h_last;
        assert_true(t > 0.05 * typical && t < 20 * typical);
        trm_simulation_destroy(s);
    }
}

static void test_explicit_given_first_and_largest_steps_are_kept(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_options o = explicit_options(1e-6);
    o.h_initial = 1e-3;
    o.h_max = 4e-3;
    trm_simulation *s = create(&system, &o, &pendulum_start);
    double t;
    assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
    assert_true(t == 1e-3);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(trm_simulation_step(s, 10, NULL), TRM_OK);
        assert_true(trm_simulation_statistics(s)->h_last <= 4e-3);
    }
    trm_simulation_destroy(s);
}

// ---- stiffness ----

static void count_warning(trm_log_level level, const char *text, void *user)
{
    if (level == TRM_LOG_WARNING) {
        ++*(int *)user;
        assert_contains(text, "bdf");
    }
}

static int warnings_of(const char *name, const char *option, double value, double end)
{
    const trm_problem_option numbers[] = {{option, value}, {NULL, 0}};
    trp_problem *problem;
    int count = 0;
    assert_int_equal(trp_problem_create(&problem, name, numbers, NULL), TRM_OK);
    trm_options o = explicit_options(1e-5);
    o.log = count_warning;
    o.user = &count;
    trm_simulation *s = create(trp_problem_system(problem), &o, trp_problem_initial(problem));
    assert_int_equal(trm_simulation_run(s, end), TRM_OK);
    trm_simulation_destroy(s);
    trp_problem_destroy(problem);
    return count;
}

static void test_explicit_stiffness_is_told_once(void **state)
{
    (void)state;
    assert_int_equal(warnings_of("stiff-bushing", "k", 1e8, 0.1), 1);
    assert_int_equal(warnings_of("chain", "links", 10, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explicit_step_needs_twelve_evaluations),
        cmocka_unit_test(test_explicit_error_follows_the_tolerance),
        cmocka_unit_test(test_explicit_interpolant_has_order_7),
        cmocka_unit_test(test_explicit_rows_near_the_limit_of_stability),
        cmocka_unit_test(test_explicit_first_step_is_of_the_right_size),
        cmocka_unit_test(test_explicit_given_first_and_largest_steps_are_kept),
        cmocka_unit_test(test_explicit_stiffness_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
