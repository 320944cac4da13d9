// SPDX-License-Identifier: Apache-2.0
// Numbers with units are those in SI.
#include "mechanism_runs.h"

#define ARM(g, mass, c, J, to, angle, rate, k, d, effort, drag, force, end)                        \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, " g "]\n"                                                                   \
    "  bodies: {arm: {mass: " mass ", center: [" c ", 0, 0], inertia: [0.2, " J ", 0.2]}}\n"       \
    "  joints: {pin: {revolute: {between: [ground, arm], at: [0, 0, 0], axis: y},\n"               \
    "           start: {angle: " angle ", rate: " rate "}}}\n"                                     \
    "  forces:\n"                                                                                  \
    "    strut: {spring: {between: [ground, arm], from: [0, 0, 1], to: [" to ", 0, 0],\n"          \
    "                     stiffness: " k ", damping: " d "}}\n"                                    \
    "    motor: {actuator: {joint: pin, effort: " effort ", damping: " drag "}}\n"                 \
    "    load: {force: {body: arm, at: [1, 0, 0], value: [0, 0, " force "]}}\n"                    \
    "outputs: {a: pin_angle, r: pin_rate}\n"                                                       \
    "simulate: {end: " end "}\n"

// Factors are exact in decimals but for rounding and pi/180.
static void test_mechanism_units_are_converted(void **state)
{
    (void)state;
    static const char *const model[] = {
        ARM("-9.81", "2", "0.5", "0.2", "0.8", "0.29670597283903605", "3.1415926535897931", "60",
            "2", "5", "0.1", "-3", "1.2"),
        ARM("-981 cm/s^2", "2000 g", "500 mm", "2000 kg cm^2", "80cm", "17 deg", "\"30 rpm\"",
            "0.06 kN/m", "2 N s/m", "5e-3 kN m", "0.1 N m s/rad", "\"-3 N\"", "0.02 min")};
    double value[2][2];
    for (int k = 0; k < 2; k++) {
        model_case c;
        model_read(&c, model[k]);
        assert_true(fabs(trm_model_schedule(c.model)->end - 1.2) < 1e-15);
        trm_simulation *s = start(&c);
        run_to(s, 1.2);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value[k]);
        trm_simulation_destroy(s);
        model_close(&c);
    }
    for (int i = 0; i < 2; i++)
        if (!(fabs(value[1][i] - value[0][i]) <= 1e-10))
            fail_msg("%.15g, not %.15g", value[1][i], value[0][i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_units_are_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
