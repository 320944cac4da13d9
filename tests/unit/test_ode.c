// SPDX-License-Identifier: Apache-2.0
// What adams and explicit have in common: options they refuse, projection, dense output, events,
// failures of callbacks and of memory.
#include "unit/cases.h"

static const trm_integrator integrators[] = {TRM_INTEGRATOR_ADAMS, TRM_INTEGRATOR_EXPLICIT};
enum { INTEGRATORS = 2 };

static trm_options options_of(trm_integrator integrator, double tol)
{
    trm_options o = trm_options_default();
    o.integrator = integrator;
    o.rtol = o.atol = tol;
    return o;
}

// ---- options ----

static void test_ode_formulations_other_than_projection_are_refused(void **state)
{
    (void)state;
    static const trm_formulation allowed[] = {TRM_FORMULATION_CS, TRM_FORMULATION_INDEX1_PROJECTED,
                                              TRM_FORMULATION_INDEX1};
    for (int k = 0; k < INTEGRATORS; k++)
        for (int f = TRM_FORMULATION_CS; f <= TRM_FORMULATION_BAUMGARTE; f++) {
            trm_options o = options_of(integrators[k], 1e-6);
            o.formulation = (trm_formulation)f;
            o.baumgarte_alpha = o.baumgarte_beta = 1;
            bool good = false;
            for (int i = 0; i < 3; i++)
                good = good || allowed[i] == o.formulation;
            const trm_system system = pendulum(NULL);
            if (good)
                trm_simulation_destroy(create(&system, &o, &pendulum_start));
            else if (o.formulation !=
                     TRM_FORMULATION_CM_FROZEN) // refused with every default control
                assert_refuses(&o, "formulation", "does not go with integrator", "bdf");
        }
}

static void test_ode_control_classic_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k], 1e-6);
        o.control = TRM_CONTROL_CLASSIC;
        assert_refuses(&o, "control", "DASSL", "bdf");
        o.formulation = TRM_FORMULATION_CM_FROZEN;
        assert_refuses(&o, "formulation", "cm-frozen", "bdf");
    }
}

static void test_ode_error_tests_it_does_not_have_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k], 1e-6);
        o.error_test = TRM_ERROR_TEST_INDEPENDENT;
        assert_refuses(&o, "error_test", "independent", "bdf");
        o.error_test = TRM_ERROR_TEST_INDEPENDENT_QV;
        assert_refuses(&o, "error_test", "independent", "bdf");
    }
}

// positions alone are easier to keep: fewer steps
static void test_ode_error_test_q_needs_fewer_steps(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < INTEGRATORS; k++) {
        long steps[2];
        for (int i = 0; i < 2; i++) {
            trm_options o = options_of(integrators[k], 1e-8);
            o.error_test = i == 0 ? TRM_ERROR_TEST_AUTO : TRM_ERROR_TEST_Q;
            trm_simulation *s = create(&system, &o, &pendulum_start);
            assert_int_equal(trm_simulation_run(s, 5), TRM_OK);
            steps[i] = trm_simulation_statistics(s)->steps;
            trm_simulation_destroy(s);
        }
        assert_true(steps[1] < steps[0]);
    }
}

// ---- projection ----

// Residuals after projection: the next correction would be 1e-4 of the tolerance (1e-12), or
// roundoff. Without projection g drifts by about the error, 1e-8 and more: over 10 s by more than
// 100 tolerances with some methods, whose runs are not trusted then.
static void test_ode_projection_keeps_both_levels(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < INTEGRATORS; k++)
        for (int i = 0; i < 2; i++) {
            trm_options o = options_of(integrators[k], 1e-8);
            o.formulation = i == 0 ? TRM_FORMULATION_CS : TRM_FORMULATION_INDEX1;
            trm_simulation *s = create(&system, &o, &pendulum_start);
            trm_status status = trm_simulation_run(s, 10);
            assert_true(status == TRM_OK || (i == 1 && status == TRM_UNTRUSTED));
            const trm_statistics *st = trm_simulation_statistics(s);
            const trm_state *y = trm_simulation_state(s);
            double g, gv = y->q[0] * y->v[0] + y->q[1] * y->v[1];
            pendulum_constraint(y, &g, NULL);
            assert_true(fabs(fabs(g) - st->position_residual) < 1e-15); // the statistics are honest
            assert_true(fabs(fabs(gv) - st->velocity_residual) < 1e-14);
            bool small = st->position_residual_max < 1e-11 && st->velocity_residual_max < 1e-11;
            assert_true(i == 0 ? small : st->position_residual_max > 1e-9);
            trm_simulation_destroy(s);
        }
}

// other norms take the projection of the formulations, with a matrix of its own
static void test_ode_every_norm_keeps_both_levels(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < INTEGRATORS; k++)
        for (int norm = TRM_PROJECTION_NORM_MASS; norm <= TRM_PROJECTION_NORM_WEIGHTS; norm++) {
            trm_options o = options_of(integrators[k], 1e-8);
            o.projection_norm = (trm_projection_norm)norm;
            trm_simulation *s = create(&system, &o, &pendulum_start);
            assert_status(trm_simulation_run(s, 2), TRM_OK, trm_simulation_error(s));
            const trm_statistics *st = trm_simulation_statistics(s);
            assert_true(st->position_residual_max < 1e-11 && st->velocity_residual_max < 1e-11);
            trm_simulation_destroy(s);
        }
}

// ---- dense output ----

// Against a run that is a thousand times more exact. Measured: up to 5 tolerances for both, as at
// the ends of the steps of adams.
static void test_ode_inside_of_steps_is_as_good_as_their_ends(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k], 1e-8), tight = options_of(integrators[k], 1e-11);
        trm_simulation *s = create(&system, &o, &pendulum_start);
        trm_simulation *exact = create(&system, &tight, &pendulum_start);
        double before = 0;
        while (before < 2) {
            double t, q[2], v[2], lambda;
            assert_int_equal(trm_simulation_step(s, 3, &t), TRM_OK);
            for (double share = 0.1; share < 1; share += 0.2) {
                const trm_state *y, *z = NULL;
                double at = before + share * (t - before);
                assert_int_equal(trm_simulation_run(exact, at), TRM_OK);
                z = trm_simulation_state(exact);
                assert_int_equal(trm_simulation_sample(s, at, &y), TRM_OK);
                assert_true(distance_of(y->q, z->q, 2) < 2e-7 && distance_of(y->v, z->v, 2) < 2e-7);
                assert_int_equal(trm_simulation_interpolate(s, at, q, v, NULL, NULL, &lambda),
                                 TRM_OK);
                assert_true(distance_of(q, z->q, 2) < 2e-7 && distance_of(v, z->v, 2) < 2e-7);
                // measured 8e-6: multipliers of adams are those of the predictor
                assert_true(fabs(lambda - y->lambda[0]) < 5e-5);
            }
            before = t;
        }
        trm_simulation_destroy(s);
        trm_simulation_destroy(exact);
    }
}

// the polynomial meets both ends of its step
static void test_ode_inside_of_steps_joins_at_the_ends(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k], 1e-4);
        trm_simulation *s = create(&system, &o, &pendulum_start);
        for (int i = 0; i < 20; i++) {
            const trm_state *y = trm_simulation_state(s);
            const double t = y->t, old_q[] = {y->q[0], y->q[1]}, old_v[] = {y->v[0], y->v[1]};
            double q[2], v[2], nearly;
            assert_int_equal(trm_simulation_step(s, 1e3, &nearly), TRM_OK);
            assert_int_equal(trm_simulation_interpolate(s, t, q, v, NULL, NULL, NULL), TRM_OK);
            // roundoff
            assert_true(distance_of(q, old_q, 2) < 1e-14 && distance_of(v, old_v, 2) < 1e-14);
            nearly -= 1e-13 * (nearly - t);
            assert_int_equal(trm_simulation_interpolate(s, nearly, q, v, NULL, NULL, NULL), TRM_OK);
            y = trm_simulation_state(s);
            assert_true(distance_of(q, y->q, 2) < 1e-12 && distance_of(v, y->v, 2) < 1e-12);
        }
        trm_simulation_destroy(s);
    }
}

// ---- ends and stops ----

static void test_ode_stops_are_met_and_hardly_disturb(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < INTEGRATORS; k++) {
        trm_options o = options_of(integrators[k], 1e-8);
        trm_simulation *whole = create(&system, &o, &pendulum_start);
        trm_simulation *parts = create(&system, &o, &pendulum_start);
        assert_int_equal(trm_simulation_run(whole, 3), TRM_OK);
        const double stops[] = {1e-9, 0.5, 0.5 + 1e-6, 1.3, 1.3 + 1e-12, 2.9, 3};
        for (int i = 0; i < 7; i++) {
            assert_int_equal(trm_simulation_run(parts, stops[i]), TRM_OK);
            assert_true(trm_simulation_state(parts)->t == stops[i]);
        }
        // measured 6e-9 in each, less than a tolerance
        assert_true(distance_of(trm_simulation_state(whole)->q, trm_simulation_state(parts)->q, 2) <
                    5e-8);
        assert_true(trm_simulation_statistics(parts)->steps <
                    trm_simulation_statistics(whole)->steps + 40);
        trm_simulation_destroy(whole);
        trm_simulation_destroy(parts);
    }
}

// ---- events ----

static int height(const trm_state *s, double *value, void *user)
{
    (void)user;
    value[0] = s->q[0];
    value[1] = s->lambda[0] - 8;
    return 0;
}

// x = 0 and lambda = 8 (in the middle of its range) against a tight run
static void test_ode_events_are_located_to_the_tolerance(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    for (int k = 0; k < INTEGRATORS; k++) {
        double times[2][8];
        int count[2] = {0};
        for (int i = 0; i < 2; i++) {
            trm_options o = options_of(integrators[k], i == 0 ? 1e-8 : 1e-11);
            const trm_events events = {.count = 2, .function = height};
            trm_simulation *s = create(&system, &o, &pendulum_start);
            assert_int_equal(trm_simulation_watch(s, &events), TRM_OK);
            while (trm_simulation_state(s)->t < 3 && count[i] < 8)
                if (trm_simulation_run(s, 3) == TRM_STOP_EVENT)
                    times[i][count[i]++] = trm_simulation_state(s)->t;
            trm_simulation_destroy(s);
        }
        assert_true(count[0] >= 4);
        assert_int_equal(count[0], count[1]);
        // measured 1e-7 for adams, by its multipliers, and 6e-10
        for (int i = 0; i < count[0]; i++)
            for (int i = 0; i < count[0]; i++)
                if (!(fabs(times[0][i] - times[1][i]) < (k == 0 ? 5e-7 : 1e-8)))
                    fail_msg("integrator %d, event %d: %.12g and %.12g", (int)integrators[k], i,
                             times[0][i], times[1][i]);
    }
}

// ---- failures ----

// a callback that has no value for a while asks for shorter steps; where it stays so the run ends,
// and the last state is a good one
static void test_ode_callbacks_that_fail_end_the_run_with_their_name(void **state)
{
    (void)state;
    const struct {
        fault f;
        trm_status status;
    } cases[] = {
        {{.quantity = TRM_QUANTITY_FORCE, .from = 0.5, .until = 1e9, .result = 1},
         TRM_ERR_CALLBACK},
        {{.quantity = TRM_QUANTITY_GAMMA, .from = 0.5, .until = 1e9, .result = -1},
         TRM_ERR_CALLBACK},
        {{.quantity = TRM_QUANTITY_FORCE, .from = 0.5, .until = 1e9, .value = NAN},
         TRM_ERR_CALLBACK},
        {{.quantity = TRM_QUANTITY_CONSTRAINT, .from = 0.5, .until = 1e9, .value = INFINITY},
         TRM_ERR_CALLBACK},
    };
    for (int k = 0; k < INTEGRATORS; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            fault f = cases[i].f;
            const trm_system system = pendulum(&f);
            trm_options o = options_of(integrators[k], 1e-6);
            trm_simulation *s = create(&system, &o, &pendulum_start);
            trm_status status = trm_simulation_run(s, 1);
            const trm_error *error = trm_simulation_error(s);
            assert_status(status, cases[i].status, error);
            char text[2000];
            trm_error_format(error, text, sizeof text);
            assert_contains(text, trm_quantity_name(f.quantity));
            const trm_state *y = trm_simulation_state(s);
            assert_true(y->t <= 0.5 && isfinite(y->q[0]) && isfinite(y->v[1]));
            double g;
            fault none = {0};
            pendulum_constraint(y, &g, &none);
            assert_true(fabs(g) < 1e-9);
            trm_simulation_destroy(s);
        }
}

static void test_ode_callback_that_fails_thrice_is_survived(void **state)
{
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        fault f = {
            .quantity = TRM_QUANTITY_FORCE, .from = 0.5, .until = 1e9, .result = 1, .times = 3};
        const trm_system system = pendulum(&f);
        trm_options o = options_of(integrators[k], 1e-6);
        trm_simulation *s = create(&system, &o, &pendulum_start);
        assert_status(trm_simulation_run(s, 1), TRM_OK, trm_simulation_error(s));
        assert_int_equal(trm_simulation_statistics(s)->rejected_newton, 3);
        trm_simulation_destroy(s);
    }
}

// inside the last good step there are still values, after a step that failed
static void test_ode_values_stay_after_a_failed_step(void **state)
{
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++) {
        fault f = {.quantity = TRM_QUANTITY_FORCE, .from = 0.5, .until = 1e9, .result = -1};
        const trm_system system = pendulum(&f);
        trm_options o = options_of(integrators[k], 1e-6);
        trm_simulation *s = create(&system, &o, &pendulum_start);
        double t = 0, before = 0;
        while (trm_simulation_step(s, 1, NULL) == TRM_OK) {
            before = t;
            t = trm_simulation_state(s)->t;
        }
        double q[2], middle = 0.5 * (before + t);
        assert_int_equal(trm_simulation_interpolate(s, middle, q, NULL, NULL, NULL, NULL), TRM_OK);
        // on the circle but for the error of a cubic in a step of 0.3 or less
        assert_true(fabs(hypot(q[0], q[1]) - 1) < 1e-3);
        trm_simulation_destroy(s);
    }
}

static void test_ode_no_memory_is_reported(void **state)
{
    (void)state;
    for (int k = 0; k < INTEGRATORS; k++)
        for (int fixed = 0; fixed < 2; fixed++) {
            const trm_system system = driven_pendulum();
            supply memory = {0};
            trm_options o = options_of(integrators[k], 1e-6);
            o.h_fixed = fixed ? 0.001 : 0;
            o.allocator = (trm_allocator){take, give, &memory};
            trm_simulation *s = create(&system, &o, &pendulum_start);
            trm_simulation_destroy(s);
            long all = memory.calls;
            assert_int_equal(memory.held, 0);
            for (long at = 1; at <= all; at++) {
                memory = (supply){.fail_at = at};
                trm_error error;
                trm_status status = trm_simulation_create(&s, &system, &o, &pendulum_start, &error);
                assert_status(status, TRM_ERR_MEMORY, &error);
                assert_int_equal(memory.held, 0);
            }
        }
}

// values are asked for where there is no memory for the sampler: the cubic must do
static void test_ode_dense_output_without_memory_is_a_cubic(void **state)
{
    (void)state;
    supply memory = {0};
    const trm_system system = pendulum(NULL);
    trm_options o = options_of(TRM_INTEGRATOR_EXPLICIT, 1e-6);
    o.allocator = (trm_allocator){take, give, &memory};
    trm_simulation *s = create(&system, &o, &pendulum_start);
    double t, q[2];
    assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
    assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(trm_simulation_interpolate(s, t - 1e-3, q, NULL, NULL, NULL, NULL), TRM_OK);
    assert_true(fabs(hypot(q[0], q[1]) - 1) < 1e-3);
    trm_simulation_destroy(s);
    assert_int_equal(memory.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ode_formulations_other_than_projection_are_refused),
        cmocka_unit_test(test_ode_control_classic_is_refused),
        cmocka_unit_test(test_ode_error_tests_it_does_not_have_are_refused),
        cmocka_unit_test(test_ode_error_test_q_needs_fewer_steps),
        cmocka_unit_test(test_ode_projection_keeps_both_levels),
        cmocka_unit_test(test_ode_every_norm_keeps_both_levels),
        cmocka_unit_test(test_ode_inside_of_steps_is_as_good_as_their_ends),
        cmocka_unit_test(test_ode_inside_of_steps_joins_at_the_ends),
        cmocka_unit_test(test_ode_stops_are_met_and_hardly_disturb),
        cmocka_unit_test(test_ode_events_are_located_to_the_tolerance),
        cmocka_unit_test(test_ode_callbacks_that_fail_end_the_run_with_their_name),
        cmocka_unit_test(test_ode_callback_that_fails_thrice_is_survived),
        cmocka_unit_test(test_ode_values_stay_after_a_failed_step),
        cmocka_unit_test(test_ode_no_memory_is_reported),
        cmocka_unit_test(test_ode_dense_output_without_memory_is_a_cubic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
