// SPDX-License-Identifier: Apache-2.0
// What callbacks return: > 0 asks for a smaller step, < 0 stops, and both are named when they end
// the run.
#include "fail/fail.h"

// what the step loop of the pendulum evaluates
static const trm_quantity evaluated[] = {TRM_QUANTITY_MASS,         TRM_QUANTITY_FORCE,
                                         TRM_QUANTITY_CONSTRAINT,   TRM_QUANTITY_CONSTRAINT_Q,
                                         TRM_QUANTITY_CONSTRAINT_T, TRM_QUANTITY_STIFFNESS,
                                         TRM_QUANTITY_DAMPING,      TRM_QUANTITY_GEOMETRIC};
enum { EVALUATED = sizeof evaluated / sizeof *evaluated };

static trm_options control(int classic)
{
    trm_options options = trm_options_default();
    options.control = classic ? TRM_CONTROL_CLASSIC : TRM_CONTROL_DEFAULT;
    return options;
}

static void test_returns_retry_at_start_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        fault f = {evaluated[k], .from = -1, .until = HUGE_VAL, .result = 1};
        trm_system system = pendulum(&f);
        assert_refused(&system, NULL, &pendulum_start, TRM_ERR_CALLBACK,
                       trm_quantity_name(evaluated[k]));
    }
}

static void test_returns_stop_at_start_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        fault f = {evaluated[k], .from = -1, .until = HUGE_VAL, .result = -1};
        trm_system system = pendulum(&f);
        assert_refused(&system, NULL, &pendulum_start, TRM_ERR_CALLBACK,
                       trm_quantity_name(evaluated[k]));
    }
}

static void test_returns_retry_for_a_while_goes_on(void **state)
{
    (void)state;
    for (int k = 0; k < EVALUATED; k++)
        for (int classic = 0; classic < 2; classic++) {
            fault f = {evaluated[k], .from = 0.5, .until = HUGE_VAL, .result = 1, .times = 3};
            trm_system system = pendulum(&f), good = pendulum(NULL);
            trm_options options = control(classic);
            trm_simulation *s = create(&system, &options, &pendulum_start);
            trm_simulation *reference = create(&good, &options, &pendulum_start);
            assert_status(trm_simulation_run(s, 1), TRM_OK, trm_simulation_error(s));
            assert_int_equal(trm_simulation_run(reference, 1), TRM_OK);
            assert_int_equal(trm_simulation_statistics(s)->rejected_newton, 3);
            // classic may stop beyond the end: compare there. Its error is some 100 tolerances
            double q[2], r[2];
            assert_int_equal(trm_simulation_interpolate(s, 1, q, NULL, NULL, NULL, NULL), TRM_OK);
            assert_int_equal(trm_simulation_interpolate(reference, 1, r, NULL, NULL, NULL, NULL),
                             TRM_OK);
            assert_true(fabs(q[0] - r[0]) < 1e-4 && fabs(q[1] - r[1]) < 1e-4);
            trm_simulation_destroy(s);
            trm_simulation_destroy(reference);
        }
}

// every try beyond 0.5 fails: the steps shrink towards it, then the run ends
static void test_returns_retry_for_good_ends_with_name(void **state)
{
    (void)state;
    for (int k = 0; k < EVALUATED; k++)
        for (int classic = 0; classic < 2; classic++) {
            fault f = {evaluated[k], .from = 0.5, .until = HUGE_VAL, .result = 1};
            trm_system system = pendulum(&f);
            trm_options options = control(classic);
            trm_simulation *s = create(&system, &options, &pendulum_start);
            assert_run_fails(s, 2, 1, TRM_ERR_CALLBACK, trm_quantity_name(evaluated[k]));
            const trm_error *error = trm_simulation_error(s);
            assert_contains(error->item, trm_quantity_name(evaluated[k]));
            assert_true(error->t < 0.5 && error->t > 0.45);
            assert_true(error->h > 0 && error->h < 1e-3);
            trm_simulation_destroy(s);
        }
}

// After the failure the run can go on when the cause is gone. Steps have become so short that
// roundoff may have spoiled the velocities: then the result must say so.
static void test_returns_retry_gone_continues(void **state)
{
    (void)state;
    fault f = {TRM_QUANTITY_FORCE, .from = 0.5, .until = HUGE_VAL, .result = 1};
    trm_system system = pendulum(&f), good = pendulum(NULL);
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    trm_simulation *reference = create(&good, NULL, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, 1), TRM_ERR_CALLBACK);
    f.from = HUGE_VAL;
    trm_status status = trm_simulation_run(s, 1);
    assert_true(status == TRM_OK || status == TRM_UNTRUSTED);
    assert_int_equal(trm_simulation_run(reference, 1), TRM_OK);
    const double *is = trm_simulation_state(s)->q, *should = trm_simulation_state(reference)->q;
    if (status == TRM_OK && !(fabs(is[0] - should[0]) < 1e-5 && fabs(is[1] - should[1]) < 1e-5))
        fail_msg("TRM_OK, but q is off by %g, %g", is[0] - should[0], is[1] - should[1]);
    trm_simulation_destroy(s);
    trm_simulation_destroy(reference);
}

static void test_returns_stop_ends_at_once(void **state)
{
    (void)state;
    for (int k = 0; k < EVALUATED; k++)
        for (int classic = 0; classic < 2; classic++) {
            fault f = {evaluated[k], .from = 0.5, .until = HUGE_VAL, .result = -1, .times = 100};
            trm_system system = pendulum(&f);
            trm_options options = control(classic);
            trm_simulation *s = create(&system, &options, &pendulum_start);
            assert_run_fails(s, 2, 1, TRM_ERR_CALLBACK, trm_quantity_name(evaluated[k]));
            assert_contains(trm_simulation_error(s)->item, trm_quantity_name(evaluated[k]));
            assert_int_equal(f.done, 1); // asked once and not again
            trm_simulation_destroy(s);
        }
}

// forces by differences: the callback that is differenced is the one at fault
static void test_returns_stop_in_difference_names_force(void **state)
{
    (void)state;
    fault f = {TRM_QUANTITY_FORCE, .from = 0.5, .until = HUGE_VAL, .result = -7, .times = 100};
    trm_system system = pendulum(&f);
    system.function[TRM_QUANTITY_STIFFNESS] = system.function[TRM_QUANTITY_DAMPING] = NULL;
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    assert_run_fails(s, 2, 1, TRM_ERR_CALLBACK, trm_quantity_name(TRM_QUANTITY_FORCE));
    assert_int_equal(f.done, 1);
    trm_simulation_destroy(s);
}

static int evaluate_all(const trm_state *state, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    trm_system parts = pendulum(user);
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++) {
        int result = want[k] ? parts.function[k](state, want[k], user) : 0;
        if (result != 0)
            return result;
    }
    return 0;
}

static void test_returns_stop_in_evaluate_ends_at_once(void **state)
{
    (void)state;
    fault f = {TRM_QUANTITY_FORCE, .from = 0.5, .until = HUGE_VAL, .result = -1, .times = 100};
    trm_system system = pendulum(&f);
    system.evaluate = evaluate_all;
    for (int k = 0; k < TRM_QUANTITY_COUNT; k++)
        if (system.function[k]) {
            system.evaluates |= TRM_BIT_OF(k);
            system.function[k] = NULL;
        }
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    assert_run_fails(s, 2, 1, TRM_ERR_CALLBACK, "asked to stop");
    assert_int_equal(f.done, 1);
    trm_simulation_destroy(s);
}

// ---- excitations ----

typedef struct exciter {
    double from; // fails from this time on
    int result;
    int calls;
} exciter;

static int excite(const trm_state *s, double *out, void *user)
{
    exciter *e = user;
    e->calls++;
    out[0] = sin(s->t);
    out[1] = cos(s->t);
    out[2] = -sin(s->t);
    return s->t >= e->from ? e->result : 0;
}

static int unit_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[1] = 1;
    return 0;
}

static int no_force(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[1] = 0;
    return 0;
}

static int follow(const trm_state *s, double *out, void *user) // x = u(t)
{
    (void)user;
    out[0] = s->q[0] - s->u[0];
    return 0;
}

static int follow_q(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    out[1] = 0;
    return 0;
}

static int follow_t(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -s->u[1];
    return 0;
}

static int follow_gamma(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -s->u[2];
    return 0;
}

static trm_system excited(exciter *e)
{
    return (trm_system){.n_q = 2,
                        .n_g = 1,
                        .n_u = 1,
                        .function = {[TRM_QUANTITY_MASS] = unit_mass,
                                     [TRM_QUANTITY_FORCE] = no_force,
                                     [TRM_QUANTITY_CONSTRAINT] = follow,
                                     [TRM_QUANTITY_CONSTRAINT_Q] = follow_q,
                                     [TRM_QUANTITY_CONSTRAINT_T] = follow_t,
                                     [TRM_QUANTITY_GAMMA] = follow_gamma,
                                     [TRM_QUANTITY_INPUT] = excite},
                        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                        .user = e};
}

static void test_returns_input_at_start_is_refused(void **state)
{
    (void)state;
    for (int result = -1; result <= 1; result += 2) {
        exciter e = {-1, result, 0};
        trm_system system = excited(&e);
        assert_refused(&system, NULL, NULL, TRM_ERR_CALLBACK,
                       trm_quantity_name(TRM_QUANTITY_INPUT));
    }
}

static void test_returns_input_later_is_named(void **state)
{
    (void)state;
    for (int result = -1; result <= 1; result += 2) {
        exciter e = {0.5, result, 0};
        trm_system system = excited(&e);
        trm_simulation *s = create(&system, NULL, NULL);
        assert_run_fails(s, 2, 1, TRM_ERR_CALLBACK, trm_quantity_name(TRM_QUANTITY_INPUT));
        const trm_state *last = trm_simulation_state(s);
        assert_true(last->u[0] == sin(last->t)); // belongs to the time of the state
        trm_simulation_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_returns_retry_at_start_is_refused),
        cmocka_unit_test(test_returns_stop_at_start_is_refused),
        cmocka_unit_test(test_returns_retry_for_a_while_goes_on),
        cmocka_unit_test(test_returns_retry_for_good_ends_with_name),
        cmocka_unit_test(test_returns_retry_gone_continues),
        cmocka_unit_test(test_returns_stop_ends_at_once),
        cmocka_unit_test(test_returns_stop_in_difference_names_force),
        cmocka_unit_test(test_returns_stop_in_evaluate_ends_at_once),
        cmocka_unit_test(test_returns_input_at_start_is_refused),
        cmocka_unit_test(test_returns_input_later_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
