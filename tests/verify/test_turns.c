// SPDX-License-Identifier: Apache-2.0
// Angles count full turns however long the steps are: in couplings, forces, signals and outputs, in
// joint and absolute coordinates, with every integrator.
#include "models.h"

static const char *const integrators[] = {"bdf",   "adams",          "explicit",
                                          "radau", "radau-adaptive", "generalized-alpha"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

// The outputs at the end of a run.
static void run(const char *text, const char *integrator, const char *coordinates, double tolerance,
                double *out)
{
    char choice[80];
    snprintf(choice, sizeof choice, "mechanism.coordinates=%s", coordinates);
    model_case c;
    trm_simulation *s = model_simulate(&c, text, "m.yaml", integrator, tolerance, choice);
    assert_int_equal(trm_simulation_run(s, trm_model_schedule(c.model)->end), TRM_OK);
    trm_instance_outputs(c.instance, trm_simulation_state(s), out);
    trm_simulation_destroy(s);
    model_close(&c);
}

static void assert_outputs(const char *text, const double *expected, int count, double within)
{
    static const char *const coordinates[] = {"joint", "absolute"};
    double out[8];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < INTEGRATORS; i++)
            for (double tolerance = 1e-3; tolerance > 1e-7; tolerance *= 0.1) {
                run(text, integrators[i], coordinates[k], tolerance, out);
                for (int j = 0; j < count; j++)
                    if (!(fabs(out[j] - expected[j]) <= within * fabs(expected[j])))
                        fail_msg("%s, %s, %g: output %d is %.9g instead of %.9g", integrators[i],
                                 coordinates[k], tolerance, j, out[j], expected[j]);
            }
}

// 159 turns in some steps: 100 rad/s, 2:1, a rack on 5 cm, 10 s; uniform motion
static void test_turns_of_gear_and_rack(void **state)
{
    (void)state;
    assert_outputs("trammel: 1\n"
                   "mechanism:\n"
                   "  plane: xy\n"
                   "  bodies:\n"
                   "    r: {mass: 1, center: [0, 0], inertia: 1}\n"
                   "    s: {mass: 1, center: [1, 0], inertia: 1}\n"
                   "    c: {mass: 1, center: [0, 2], inertia: 1}\n"
                   "  joints:\n"
                   "    a: {revolute: {between: [ground, r], at: [0, 0]}, start: {rate: 100}}\n"
                   "    b: {revolute: {between: [ground, s], at: [1, 0]}, start: {rate: 50}}\n"
                   "    rail: {prismatic: {between: [ground, c], at: [0, 2], axis: x},\n"
                   "           start: {rate: 5}}\n"
                   "    gear: {coupling: {terms: {a_angle: 1, b_angle: -2}}}\n"
                   "    rack: {rack-pinion: {rack: rail, pinion: a, radius: 0.05}}\n"
                   "outputs: {a: a_angle, b: b_angle, c: rail_travel, d: r_angle}\n"
                   "simulate: {end: 10}\n",
                   (const double[]){1000, 500, 50, 1000}, 4, 1e-4);
}

// A rotor on a soft torsion spring: J phi'' = -c phi, phi = 1000 sin(0.1 t) rad. The spring feels
// every turn.
static void test_turns_of_torsion_spring(void **state)
{
    (void)state;
    assert_outputs("trammel: 1\n"
                   "mechanism:\n"
                   "  plane: xy\n"
                   "  bodies: {r: {mass: 1, center: [0, 0], inertia: 1}}\n"
                   "  joints: {hub: {revolute: {between: [ground, r], at: [0, 0]},\n"
                   "                 start: {rate: 100}}}\n"
                   "  forces: {spring: {actuator: {joint: hub, stiffness: 0.01}}}\n"
                   "outputs: {angle: hub_angle}\n"
                   "simulate: {end: 10}\n",
                   // the loosest of these runs: tolerance 1e-3, generalized-alpha
                   (const double[]){1000 * sin(1)}, 1, 2e-3);
}

// The same in some 20 steps of up to 16 turns each, with rates that change in each: over such a
// step the mean of the rates at both ends is off by several turns. phi = a sin(w t), w^2 = c/J.
static void test_turns_of_long_steps_with_changing_rates(void **state)
{
    (void)state;
    static const char *const one_step[] = {"explicit", "radau", "radau-adaptive"};
    const double w = sqrt(3.25 / 2.1), expected = 279 / w * sin(9 * w);
    double out[1];
    for (int i = 0; i < 3; i++)
        for (double tolerance = 1e-2; tolerance > 1e-6; tolerance *= 0.1) {
            run("trammel: 1\n"
                "mechanism:\n"
                "  plane: xy\n"
                "  bodies: {r: {mass: 1, center: [0, 0], inertia: 2.1}}\n"
                "  joints: {hub: {revolute: {between: [ground, r], at: [0, 0]},\n"
                "                 start: {rate: 279}}}\n"
                "  forces: {spring: {actuator: {joint: hub, stiffness: 3.25}}}\n"
                "outputs: {angle: hub_angle}\n"
                "simulate: {end: 9}\n",
                one_step[i], "absolute", tolerance, out);
            if (!(fabs(out[0] - expected) < 0.5)) // a turn is 6.28 rad
                fail_msg("%s, %g: %.9g rad instead of %.9g", one_step[i], tolerance, out[0],
                         expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_of_gear_and_rack),
        cmocka_unit_test(test_turns_of_torsion_spring),
        cmocka_unit_test(test_turns_of_long_steps_with_changing_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
