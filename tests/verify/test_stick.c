// SPDX-License-Identifier: Apache-2.0
// Joints that stick for a moment where their motion turns round, and break away at once.
#include "mechanism_runs.h"

// An arm that swings in a pin with little friction. Where it turns, it takes hold at the end of the
// reach of its spring (1e-6 m), which it passes from one end to the other within milliseconds, and
// breaks away: a step over that held the arm back by a spring of 4 kN m/rad.
static const char arm[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  plane: xy\n"
    "  gravity: [0, -9.81]\n"
    "  bodies: {arm: {mass: 0.42, center: [0.5, 0], inertia: 0.1}}\n"
    "  joints:\n"
    "    pin: {revolute: {between: [ground, arm], at: [0, 0]}, start: {rate: 1.83},\n"
    "          friction: {static: 0.3, slip: 0.01, radius: 0.05, preload: 5}}\n"
    "outputs: {angle: pin_angle}\n"
    "simulate: {end: 4}\n";

static void test_stick_of_a_turning_arm_holds_nothing_back(void **state)
{
    (void)state;
    static const char *const integrator[] = {"auto", "explicit", "radau", "radau-adaptive", "bdf"};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; i++) {
        char method[64];
        snprintf(method, sizeof method, "simulate.integrator=%s", integrator[i]);
        model_case c;
        const char *const set[] = {method, "simulate.tolerance=1e-4", NULL};
        model_try(&c, arm, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        double angle;
        run_to(s, 4);
        trm_instance_outputs(c.instance, trm_simulation_state(s), &angle);
        // radau-adaptive, bdf and explicit at 1e-8 agree on this to 1e-7; five swings of 3 rad have
        // the tolerance in each of them. Steps over the break were off by 0.13.
        assert_near(angle, -2.192993, 1e-3);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stick_of_a_turning_arm_holds_nothing_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
