// SPDX-License-Identifier: Apache-2.0
// Options and times that cannot be: absurd tolerances and steps, an end before the present, ends
// that lie very close together, limits on the number and size of steps.
#include "fail/fail.h"

static trm_options changed(const char *name, double value)
{
    trm_options o = trm_options_default();
    if (strcmp(name, "rtol") == 0)
        o.rtol = value;
    if (strcmp(name, "atol") == 0)
        o.atol = value;
    if (strcmp(name, "h_initial") == 0)
        o.h_initial = value;
    if (strcmp(name, "h_min") == 0)
        o.h_min = value;
    if (strcmp(name, "h_max") == 0)
        o.h_max = value;
    if (strcmp(name, "h_fixed") == 0)
        o.h_fixed = value;
    if (strcmp(name, "newton_tolerance") == 0)
        o.newton_tolerance = value;
    return o;
}

static void test_times_absurd_number_is_named(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double value;
    } absurd[] = {{"rtol", 0},      {"rtol", -1e-6},         {"rtol", NAN},
                  {"rtol", 1e300},  {"rtol", 1e-300},        {"atol", 0},
                  {"atol", -1},     {"atol", NAN},           {"atol", INFINITY},
                  {"atol", 1e300},  {"h_initial", -1},       {"h_initial", NAN},
                  {"h_min", -1},    {"h_min", NAN},          {"h_max", 0},
                  {"h_max", -1},    {"h_max", NAN},          {"h_fixed", -1},
                  {"h_fixed", NAN}, {"newton_tolerance", 0}, {"newton_tolerance", NAN}};
    const trm_system system = pendulum(NULL);
    for (size_t k = 0; k < sizeof absurd / sizeof *absurd; k++) {
        trm_options options = changed(absurd[k].name, absurd[k].value);
        assert_refused(&system, &options, &pendulum_start, TRM_ERR_OPTION, absurd[k].name);
    }
}

static void test_times_options_not_from_default_are_refused(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    const trm_options zeros = {0}, by_hand = {.rtol = 1e-6, .atol = 1e-8, .max_order = 5};
    assert_refused(&system, &zeros, &pendulum_start, TRM_ERR_OPTION, "not initialised");
    assert_refused(&system, &by_hand, &pendulum_start, TRM_ERR_OPTION, "not initialised");
    trm_error error;
    trm_simulation *s;
    assert_int_equal(trm_simulation_create(&s, &system, NULL, &pendulum_start, &error),
                     TRM_ERR_OPTION);
    assert_contains(error.advice, "trm_options_default");
}

static void test_times_h_min_above_h_max_is_refused(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.h_min = 0.1;
    options.h_max = 0.01;
    assert_refused(&system, &options, &pendulum_start, TRM_ERR_OPTION, "h_min");
}

static void test_times_end_before_present_is_refused(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_OK);
    const double ends[] = {0.4, -1, 0.5 - 1e-9, -HUGE_VAL, HUGE_VAL, NAN};
    kept before = {.n_q = 2};
    keep(s, &before);
    for (int k = 0; k < 6; k++) {
        double reached = -1;
        assert_int_equal(trm_simulation_run(s, ends[k]), TRM_ERR_RANGE);
        assert_int_equal(trm_simulation_error(s)->status, TRM_ERR_RANGE);
        assert_contains(trm_simulation_error(s)->text, "end");
        assert_int_equal(trm_simulation_step(s, ends[k], &reached), TRM_ERR_RANGE);
        assert_true(reached == 0.5);
        assert_last_good(s, &before);
    }
    // nothing is broken
    assert_int_equal(trm_simulation_run(s, 0.6), TRM_OK);
    assert_true(trm_simulation_state(s)->t == 0.6);
    trm_simulation_destroy(s);
}

static void test_times_end_not_finite_does_not_say_before(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, HUGE_VAL), TRM_ERR_RANGE);
    assert_null(strstr(trm_simulation_error(s)->text, "before")); // infinity lies after
    trm_simulation_destroy(s);
}

static void test_times_end_equal_to_start_does_nothing(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    double reached = -1;
    assert_int_equal(trm_simulation_run(s, 0), TRM_OK);
    assert_int_equal(trm_simulation_step(s, 0, &reached), TRM_OK);
    assert_true(reached == 0);
    assert_int_equal(trm_simulation_statistics(s)->steps, 0);
    assert_int_equal(trm_simulation_error(s)->status, TRM_OK);
    trm_simulation_destroy(s);
}

// ---- ends close together ----

// Largest deviation from a run straight to the same end.
static double deviation(trm_simulation *s, double *of_v)
{
    const trm_system system = pendulum(NULL);
    const trm_state *is = trm_simulation_state(s);
    trm_simulation *straight = create(&system, NULL, &pendulum_start);
    assert_int_equal(trm_simulation_run(straight, is->t), TRM_OK);
    const trm_state *should = trm_simulation_state(straight);
    double q = 0;
    *of_v = 0;
    for (int i = 0; i < 2; i++) {
        q = fmax(q, fabs(is->q[i] - should->q[i]));
        *of_v = fmax(*of_v, fabs(is->v[i] - should->v[i]));
    }
    trm_simulation_destroy(straight);
    return q;
}

// A last step of length d must not cost more than the tolerance: 1e-6 in q (v = q' and |v| = 3:
// hundred times that is generous), neither there nor afterwards.
static void check_close_ends(double d)
{
    const trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.max_steps = 2000; // about 100 are needed
    trm_simulation *s = create(&system, &options, &pendulum_start);
    const double ends[] = {0.5, 0.5 + d, 1};
    for (int k = 0; k < 3; k++) {
        double v;
        trm_status status = trm_simulation_run(s, ends[k]);
        if (status != TRM_OK)
            fail_msg("d = %g, end %.17g: %s", d, ends[k], trm_simulation_error(s)->text);
        double q = deviation(s, &v);
        if (!(q < 1e-5 && v < 1e-4))
            fail_msg("d = %g, end %.17g: q is off by %g, v by %g", d, ends[k], q, v);
    }
    trm_simulation_destroy(s);
}

static void test_times_ends_close_together_stay_accurate(void **state)
{
    (void)state;
    const double gaps[] = {1e-6, 1e-9, 1e-11, 1e-12, 1e-13, 1e-15, 0x1p-53};
    for (int k = 0; k < 7; k++)
        check_close_ends(gaps[k]);
}

static void test_times_many_ends_stay_accurate(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    for (int k = 1; k <= 1000; k++) // an output grid finer than the steps
        assert_int_equal(trm_simulation_run(s, k * 0.001), TRM_OK);
    double v, q = deviation(s, &v);
    if (!(q < 1e-5 && v < 1e-4))
        fail_msg("q is off by %g, v by %g", q, v);
    trm_simulation_destroy(s);
}

// a far time origin: t and t + h differ by few units in the last place
static void test_times_far_origin_works_or_says_no(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (double origin = 1e3; origin < 1e10; origin *= 1e3) {
        const trm_initial initial = {.t = origin, .q = pendulum_q, .v = pendulum_v};
        trm_simulation *s = create(&system, NULL, &initial);
        trm_simulation *reference = create(&system, NULL, &pendulum_start);
        assert_status(trm_simulation_run(s, origin + 1), TRM_OK, trm_simulation_error(s));
        assert_int_equal(trm_simulation_run(reference, 1), TRM_OK);
        const double *is = trm_simulation_state(s)->q, *should = trm_simulation_state(reference)->q;
        // t has an error of 1e-16 of the origin, v is about 3
        double limit = 1e-5 + 1e-15 * origin;
        if (!(fabs(is[0] - should[0]) < limit && fabs(is[1] - should[1]) < limit))
            fail_msg("origin %g: q is off by %g, %g", origin, is[0] - should[0], is[1] - should[1]);
        trm_simulation_destroy(s);
        trm_simulation_destroy(reference);
    }
}

static int unit_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

static int pull_back(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -100 * s->q[0];
    return 0;
}

// q'' = -100 q from q = 1: cos 10 after 1 s. At 1e9 s times are 1.2e-7 s apart, a thousandth of the
// first steps. Measured: 2e-4 by hht, of order 2, and less.
static void test_times_far_origin_suits_every_integrator(void **state)
{
    (void)state;
    const trm_system system = {
        .n_q = 1, .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = pull_back}};
    const double one[] = {1}, zero[] = {0};
    const trm_initial initial = {.t = 1e9, .q = one, .v = zero};
    for (int k = 0; k < TRM_INTEGRATOR_AUTO; k++) {
        trm_options options = trm_options_default();
        options.integrator = (trm_integrator)k;
        trm_simulation *s = create(&system, &options, &initial);
        assert_status(trm_simulation_run(s, 1e9 + 1), TRM_OK, trm_simulation_error(s));
        double error = fabs(trm_simulation_state(s)->q[0] - cos(10));
        if (!(error < 5e-4))
            fail_msg("integrator %d: q is off by %g", k, error);
        trm_simulation_destroy(s);
    }
}

// ---- limits ----

static void test_times_max_steps_ends_and_continues(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.max_steps = 10;
    trm_simulation *s = create(&system, &options, &pendulum_start);
    assert_run_fails(s, 2, 1, TRM_ERR_STEPS, "steps");
    assert_int_equal(trm_simulation_statistics(s)->steps, 10);
    assert_contains(trm_simulation_error(s)->advice, "max_steps");
    assert_int_equal(trm_simulation_run(s, 1), TRM_ERR_STEPS);
    assert_int_equal(trm_simulation_statistics(s)->steps, 10);
    trm_simulation_destroy(s);
}

// no step is smaller than h_min, except the one that ends at t_end; otherwise an error says so
static void test_times_h_min_bounds_every_step(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    const double limits[] = {1e-6, 1e-4, 1e-3, 1e-2};
    for (int k = 0; k < 4; k++) {
        trm_options options = trm_options_default();
        options.h_min = limits[k];
        trm_simulation *s = create(&system, &options, &pendulum_start);
        trm_status status = TRM_OK;
        while (status == TRM_OK && trm_simulation_state(s)->t < 1) {
            status = trm_simulation_step(s, 1, NULL);
            double h = trm_simulation_statistics(s)->h_last;
            if (status == TRM_OK && trm_simulation_state(s)->t < 1 && h < 0.999 * limits[k])
                fail_msg("h_min = %g, but a step of %g was done", limits[k], h);
        }
        assert_true(status == TRM_OK || status == TRM_ERR_ERROR_TEST);
        if (limits[k] < 1e-3) // far below the steps this run wants
            assert_status(status, TRM_OK, trm_simulation_error(s));
        trm_simulation_destroy(s);
    }
}

static void test_times_h_max_bounds_every_step(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.h_max = 2e-3;
    options.h_initial = 1;
    trm_simulation *s = create(&system, &options, &pendulum_start);
    double t = 0;
    while (t < 0.5) {
        double before = t;
        assert_int_equal(trm_simulation_step(s, 0.5, &t), TRM_OK);
        assert_true(t - before < 2e-3 * 1.001);
    }
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_absurd_number_is_named),
        cmocka_unit_test(test_times_options_not_from_default_are_refused),
        cmocka_unit_test(test_times_h_min_above_h_max_is_refused),
        cmocka_unit_test(test_times_end_before_present_is_refused),
        cmocka_unit_test(test_times_end_not_finite_does_not_say_before),
        cmocka_unit_test(test_times_end_equal_to_start_does_nothing),
        cmocka_unit_test(test_times_ends_close_together_stay_accurate),
        cmocka_unit_test(test_times_many_ends_stay_accurate),
        cmocka_unit_test(test_times_far_origin_works_or_says_no),
        cmocka_unit_test(test_times_far_origin_suits_every_integrator),
        cmocka_unit_test(test_times_max_steps_ends_and_continues),
        cmocka_unit_test(test_times_h_min_bounds_every_step),
        cmocka_unit_test(test_times_h_max_bounds_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
