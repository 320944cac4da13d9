// SPDX-License-Identifier: Apache-2.0
// Values that are not numbers: a callback that returns NaN or infinity is named, at the start and
// later, and the last good state stays.
#include "fail/fail.h"

static const double bad[] = {NAN, INFINITY, -INFINITY};
enum { BAD = sizeof bad / sizeof *bad };

static const trm_solver solvers[] = {TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE};

// a fault from t on, for good
static fault fault_from(trm_quantity quantity, double t, double value)
{
    return (fault){.quantity = quantity, .from = t, .until = HUGE_VAL, .value = value};
}

static void check_start(trm_quantity quantity)
{
    for (int k = 0; k < BAD; k++)
        for (int n = 0; n < 2; n++) {
            fault f = fault_from(quantity, -1, bad[k]);
            trm_system system = pendulum(&f);
            trm_options options = trm_options_default();
            options.linear_solver = solvers[n];
            assert_refused(&system, &options, &pendulum_start, TRM_ERR_CALLBACK,
                           trm_quantity_name(quantity));
        }
}

static void check_later(trm_quantity quantity)
{
    for (int k = 0; k < BAD; k++)
        for (int n = 0; n < 2; n++) {
            fault f = fault_from(quantity, 0.5, bad[k]);
            trm_system system = pendulum(&f);
            trm_options options = trm_options_default();
            options.linear_solver = solvers[n];
            trm_simulation *s = create(&system, &options, &pendulum_start);
            assert_run_fails(s, 2, 1, TRM_ERR_CALLBACK, trm_quantity_name(quantity));
            const trm_error *error = trm_simulation_error(s);
            assert_true(error->t > 0.3 && error->t < 0.5);
            assert_contains(error->item, trm_quantity_name(quantity));
            assert_true(error->advice[0] != '\0');
            trm_simulation_destroy(s);
        }
}

static void test_values_mass_at_start_is_named(void **state)
{
    (void)state;
    check_start(TRM_QUANTITY_MASS);
}

static void test_values_force_at_start_is_named(void **state)
{
    (void)state;
    check_start(TRM_QUANTITY_FORCE);
}

static void test_values_constraint_at_start_is_named(void **state)
{
    (void)state;
    check_start(TRM_QUANTITY_CONSTRAINT);
}

static void test_values_constraint_q_at_start_is_named(void **state)
{
    (void)state;
    check_start(TRM_QUANTITY_CONSTRAINT_Q);
}

static void test_values_gamma_at_start_is_named(void **state)
{
    (void)state;
    check_start(TRM_QUANTITY_GAMMA);
}

// not needed for a consistent start: refused there or in the first step
static void test_values_stiffness_at_start_is_named(void **state)
{
    (void)state;
    for (int k = 0; k < BAD; k++) {
        fault f = fault_from(TRM_QUANTITY_STIFFNESS, -1, bad[k]);
        trm_system system = pendulum(&f);
        trm_simulation *s = create(&system, NULL, &pendulum_start);
        assert_run_fails(s, 2, 1, TRM_ERR_CALLBACK, trm_quantity_name(TRM_QUANTITY_STIFFNESS));
        assert_true(trm_simulation_state(s)->t == 0);
        trm_simulation_destroy(s);
    }
}

static void test_values_mass_later_is_named(void **state)
{
    (void)state;
    check_later(TRM_QUANTITY_MASS);
}

static void test_values_force_later_is_named(void **state)
{
    (void)state;
    check_later(TRM_QUANTITY_FORCE);
}

static void test_values_constraint_later_is_named(void **state)
{
    (void)state;
    check_later(TRM_QUANTITY_CONSTRAINT);
}

static void test_values_constraint_q_later_is_named(void **state)
{
    (void)state;
    check_later(TRM_QUANTITY_CONSTRAINT_Q);
}

static void test_values_constraint_t_later_is_named(void **state)
{
    (void)state;
    check_later(TRM_QUANTITY_CONSTRAINT_T);
}

static void test_values_stiffness_later_is_named(void **state)
{
    (void)state;
    check_later(TRM_QUANTITY_STIFFNESS);
}

static void test_values_damping_later_is_named(void **state)
{
    (void)state;
    check_later(TRM_QUANTITY_DAMPING);
}

static void test_values_geometric_later_is_named(void **state)
{
    (void)state;
    check_later(TRM_QUANTITY_GEOMETRIC);
}

// the classic control evaluates in another order
static void test_values_classic_later_is_named(void **state)
{
    (void)state;
    const trm_quantity quantities[] = {TRM_QUANTITY_MASS, TRM_QUANTITY_FORCE,
                                       TRM_QUANTITY_CONSTRAINT, TRM_QUANTITY_CONSTRAINT_Q,
                                       TRM_QUANTITY_STIFFNESS};
    for (int k = 0; k < 5; k++) {
        fault f = fault_from(quantities[k], 0.5, NAN);
        trm_system system = pendulum(&f);
        trm_options options = trm_options_default();
        options.control = TRM_CONTROL_CLASSIC;
        trm_simulation *s = create(&system, &options, &pendulum_start);
        assert_run_fails(s, 2, 1, TRM_ERR_CALLBACK, trm_quantity_name(quantities[k]));
        trm_simulation_destroy(s);
    }
}

// bad values that go away are like requests for a smaller step
static void test_values_force_for_a_while_goes_on(void **state)
{
    (void)state;
    fault f = fault_from(TRM_QUANTITY_FORCE, 0.5, NAN);
    f.times = 3;
    trm_system system = pendulum(&f), good = pendulum(NULL);
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    trm_simulation *reference = create(&good, NULL, &pendulum_start);
    assert_status(trm_simulation_run(s, 1), TRM_OK, trm_simulation_error(s));
    assert_int_equal(trm_simulation_run(reference, 1), TRM_OK);
    assert_true(f.done > 3);
    assert_true(trm_simulation_statistics(s)->rejected_newton >= 1);
    for (int i = 0; i < 2; i++) // both within a few tolerances of the solution
        assert_true(fabs(trm_simulation_state(s)->q[i] - trm_simulation_state(reference)->q[i]) <
                    1e-5);
    trm_simulation_destroy(s);
    trm_simulation_destroy(reference);
}

static void test_values_initial_not_finite_is_refused(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    for (int k = 0; k < BAD; k++) {
        const double pair[] = {0.8, bad[k]}, one[] = {bad[k]};
        assert_refused(&system, NULL, &(trm_initial){.t = bad[k], .q = pendulum_q}, TRM_ERR_INITIAL,
                       "time");
        assert_refused(&system, NULL, &(trm_initial){.q = pair}, TRM_ERR_INITIAL, "q[1]");
        assert_refused(&system, NULL, &(trm_initial){.q = pendulum_q, .v = pair}, TRM_ERR_INITIAL,
                       "v[1]");
        assert_refused(&system, NULL, &(trm_initial){.q = pendulum_q, .lambda = one},
                       TRM_ERR_INITIAL, "lambda");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_mass_at_start_is_named),
        cmocka_unit_test(test_values_force_at_start_is_named),
        cmocka_unit_test(test_values_constraint_at_start_is_named),
        cmocka_unit_test(test_values_constraint_q_at_start_is_named),
        cmocka_unit_test(test_values_gamma_at_start_is_named),
        cmocka_unit_test(test_values_stiffness_at_start_is_named),
        cmocka_unit_test(test_values_mass_later_is_named),
        cmocka_unit_test(test_values_force_later_is_named),
        cmocka_unit_test(test_values_constraint_later_is_named),
        cmocka_unit_test(test_values_constraint_q_later_is_named),
        cmocka_unit_test(test_values_constraint_t_later_is_named),
        cmocka_unit_test(test_values_stiffness_later_is_named),
        cmocka_unit_test(test_values_damping_later_is_named),
        cmocka_unit_test(test_values_geometric_later_is_named),
        cmocka_unit_test(test_values_classic_later_is_named),
        cmocka_unit_test(test_values_force_for_a_while_goes_on),
        cmocka_unit_test(test_values_initial_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
