// SPDX-License-Identifier: Apache-2.0
// Inputs whose values a program gives: held, or straight from one to the next, in mechanisms and
// in equations, against the motion that follows from them.
#include "mechanism_runs.h"

static const char *const model[2] = {
    "trammel: 1\n"
    "mechanism:\n"
    "  inputs: {held: {hold: zero, start: 0.5}, ramp: {hold: linear}}\n"
    "  bodies: {cart: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
    "  joints: {rail: {prismatic: {between: [ground, cart], at: [0, 0, 0], axis: x}}}\n"
    "  forces: {motor: {actuator: {joint: rail, effort: \"held + ramp\"}}}\n"
    "outputs: {rate: rail_rate, u: ramp, du: \"d(ramp)\"}\n"
    "simulate: {end: 10, tolerance: 1e-9}\n",
    "trammel: 1\n"
    "equations:\n"
    "  inputs: {held: {hold: zero, start: 0.5}, ramp: {hold: linear}}\n"
    "  coordinates: {x: v}\n"
    "  mass: [1]\n"
    "  force: [\"held + ramp\"]\n"
    "outputs: {rate: v, u: ramp, du: \"d(ramp)\"}\n"
    "simulate: {end: 10, tolerance: 1e-9}\n"};

// Every 0.1 s a new value of either: the impulse is that of the staircase and of the polygon.
static void test_inputs_outside_are_held(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        model_case c;
        model_try(&c, model[k], "m.yaml", NULL);
        model_instantiate(&c);
        assert_int_equal(trm_model_inputs(c.model), 2);
        assert_string_equal(trm_model_input(c.model, 1), "ramp");
        assert_null(trm_model_input(c.model, 2));
        trm_simulation *s = start(&c);
        double impulse = 0, ramp = 0, value[3];
        for (int n = 0; n < 20; n++) {
            double held = cos(0.3 * n), next = sin(0.7 * (n + 1)), t = 0.1 * (n + 1);
            assert_int_equal(trm_instance_set_input(c.instance, s, 0, held, 0), TRM_OK);
            assert_int_equal(trm_instance_set_input(c.instance, s, 1, next, t), TRM_OK);
            run_to(s, t);
            trm_instance_outputs(c.instance, trm_simulation_state(s), value);
            impulse += 0.1 * (held + 0.5 * (ramp + next));
            // polynomials within every interval: roundoff and the tolerance of the run
            assert_near(value[0], impulse, 1e-8);
            assert_near(value[1], next, 1e-12);
            ramp = next;
        }
        run_to(s, 3); // they stay
        trm_instance_outputs(c.instance, trm_simulation_state(s), value);
        assert_near(value[0], impulse + (cos(0.3 * 19) + ramp), 1e-8);
        assert_near(value[2], 0, 0);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

static void test_inputs_outside_wrong_values_are_refused(void **state)
{
    (void)state;
    model_case c;
    model_try(&c, model[0], "m.yaml", NULL);
    model_instantiate(&c);
    assert_int_equal(trm_instance_set_input(c.instance, NULL, 1, 2, 1), TRM_OK); // before the run
    trm_simulation *s = start(&c);
    run_to(s, 0.5);
    double value[3];
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    assert_near(value[1], 1, 1e-14);
    assert_int_equal(trm_instance_set_input(c.instance, s, 1, 2, 0.5), TRM_ERR_RANGE);
    assert_int_equal(trm_instance_set_input(c.instance, s, 1, NAN, 1), TRM_ERR_RANGE);
    assert_int_equal(trm_instance_set_input(c.instance, s, 2, 1, 1), TRM_ERR_RANGE);
    assert_int_equal(trm_instance_set_input(c.instance, s, -1, 1, 1), TRM_ERR_RANGE);
    trm_simulation_destroy(s);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs_outside_are_held),
        cmocka_unit_test(test_inputs_outside_wrong_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
