// SPDX-License-Identifier: Apache-2.0
// Adams: exact for forces that are polynomials of time, one evaluation per step, orders in use,
// stiffness noticed.
#include "one_mass.h"
#include "unit/cases.h"

// ---- a free mass under f = n t^(n-1) e_1 + 1: v = t^n + t, q = t^(n+1)/(n+1) + t^2/2 ----

static int power_force(const trm_state *s, double *out, void *user)
{
    int n = *(const int *)user;
    out[0] = 1 + n * (n > 1 ? pow(s->t, n - 1) : 1);
    return 0;
}

static trm_system free_mass(int *n)
{
    trm_system s = {
        .name = "free mass",
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = power_force},
        .user = n};
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return s;
}

// error of q and v at t = 1 with constant steps of 1/32
static double error_of(int order, int n)
{
    const trm_system system = free_mass(&n);
    trm_options o = trm_options_default();
    o.integrator = TRM_INTEGRATOR_ADAMS;
    o.max_order = order;
    o.h_fixed = 1.0 / 32;
    trm_simulation *s = create(&system, &o, NULL);
    assert_int_equal(trm_simulation_run(s, 1), TRM_OK);
    assert_int_equal(trm_simulation_statistics(s)->steps, 32);
    const double q = 1.0 / (n + 1) + 0.5, v = 2;
    const trm_state *y = trm_simulation_state(s);
    const double error = fmax(fabs(y->q[0] - q), fabs(y->v[0] - v));
    trm_simulation_destroy(s);
    return error;
}

// The corrector of order k is the integral of a polynomial through k rates: exact for degree k - 1,
// that is n = k. The Runge-Kutta start is exact up to n = 8, and at 10 good to 1e-14. 2e-14: 32
// steps of roundoff.
static void test_adams_polynomials_up_to_its_order_are_exact(void **state)
{
    (void)state;
    for (int order = 2; order <= 10; order++) {
        for (int n = 1; n <= order; n++)
            if (!(error_of(order, n) < 2e-14))
                fail_msg("order %d, power %d: error %g", order, n, error_of(order, n));
        if (order < 9 && !(error_of(order, order + 1) > 1e-13))
            fail_msg("order %d is exact for power %d", order, order + 1);
    }
}

// ---- cost and order ----

static trm_simulation *run_pendulum(double tol, int max_order)
{
    const trm_system system = pendulum(NULL);
    trm_options o = trm_options_default();
    o.integrator = TRM_INTEGRATOR_ADAMS;
    o.rtol = o.atol = tol;
    o.max_order = max_order;
    trm_simulation *s = create(&system, &o, &pendulum_start);
    assert_status(trm_simulation_run(s, 5), TRM_OK, trm_simulation_error(s));
    return s;
}

// PEC: one evaluation with one matrix per attempt, and a few at the start; one solution for it and
// at least two for the projection
static void test_adams_step_needs_one_evaluation(void **state)
{
    (void)state;
    trm_simulation *s = run_pendulum(1e-8, 0);
    const trm_statistics *st = trm_simulation_statistics(s);
    long attempts = st->steps + st->rejected_error;
    assert_true(st->steps > 100 && st->rejected_error < st->steps / 5);
    assert_true(st->residual_evaluations >= attempts && st->residual_evaluations < attempts + 8);
    assert_true(st->factorizations >= attempts && st->factorizations < attempts + 8);
    assert_true(st->solves < 4 * attempts);
    assert_int_equal(st->newton_iterations, 0);
    trm_simulation_destroy(s);
}

static int highest_order(double tol, int max_order)
{
    const trm_system system = pendulum(NULL);
    trm_options o = trm_options_default();
    o.integrator = TRM_INTEGRATOR_ADAMS;
    o.rtol = o.atol = tol;
    o.max_order = max_order;
    trm_simulation *s = create(&system, &o, &pendulum_start);
    int highest = 0;
    while (trm_simulation_state(s)->t < 5) {
        assert_int_equal(trm_simulation_step(s, 5, NULL), TRM_OK);
        int order = trm_simulation_statistics(s)->order_last;
        highest = order > highest ? order : highest;
    }
    trm_simulation_destroy(s);
    return highest;
}

static void test_adams_order_goes_with_the_tolerance_up_to_the_limit(void **state)
{
    (void)state;
    assert_int_equal(highest_order(1e-11, 0), 10);
    assert_true(highest_order(1e-3, 0) < 8);
    for (int most = 1; most <= 4; most++)
        assert_int_equal(highest_order(1e-9, most), most);
}

// ---- stiffness ----

typedef struct warnings {
    int count;
    char last[256];
} warnings;

static void take_warning(trm_log_level level, const char *text, void *user)
{
    warnings *w = user;
    if (level != TRM_LOG_WARNING)
        return;
    w->count++;
    snprintf(w->last, sizeof w->last, "%s", text);
}

static trm_status run_problem(const char *name, const char *option, double value, double end,
                              int max_steps, warnings *w, trm_error *error)
{
    const trm_problem_option numbers[] = {{option, value}, {NULL, 0}};
    trp_problem *problem;
    assert_int_equal(trp_problem_create(&problem, name, numbers, NULL), TRM_OK);
    trm_options o = trm_options_default();
    o.integrator = TRM_INTEGRATOR_ADAMS;
    o.rtol = 1e-5;
    o.max_steps = max_steps;
    o.log = take_warning;
    o.user = w;
    trm_simulation *s = create(trp_problem_system(problem), &o, trp_problem_initial(problem));
    trm_status status = trm_simulation_run(s, end);
    *error = *trm_simulation_error(s);
    trm_simulation_destroy(s);
    trp_problem_destroy(problem);
    return status;
}

// a bushing of 1e8 N/m: steps of 5e-5 s, whatever the tolerance; warned of once, and again as
// advice when the steps are used up
static void test_adams_stiffness_is_told_once_with_advice(void **state)
{
    (void)state;
    warnings w = {0};
    trm_error error;
    trm_status status = run_problem("stiff-bushing", "k", 1e8, 1, 2000, &w, &error);
    assert_status(status, TRM_ERR_STEPS, &error);
    assert_int_equal(w.count, 1);
    assert_contains(w.last, "stiff");
    assert_contains(w.last, "bdf");
    assert_contains(error.advice, "bdf");
}

static void test_adams_chain_is_not_called_stiff(void **state)
{
    (void)state;
    warnings w = {0};
    trm_error error;
    assert_int_equal(run_problem("chain", "links", 10, 3, 100000, &w, &error), TRM_OK);
    assert_int_equal(w.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adams_polynomials_up_to_its_order_are_exact),
        cmocka_unit_test(test_adams_step_needs_one_evaluation),
        cmocka_unit_test(test_adams_order_goes_with_the_tolerance_up_to_the_limit),
        cmocka_unit_test(test_adams_stiffness_is_told_once_with_advice),
        cmocka_unit_test(test_adams_chain_is_not_called_stiff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
