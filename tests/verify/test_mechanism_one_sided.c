// SPDX-License-Identifier: Apache-2.0
// Formulas that a force keeps positive: the same as a contact and as a stop where these say it too,
// a cam that throws its follower off, derivatives, energy.
#include "mechanism_runs.h"

// A ball falls on the floor, three times by the same law: a formula, a contact, a stop.
static void test_mechanism_one_sided_is_a_contact_and_a_stop(void **state)
{
    (void)state;
    static const char *const end[3] = {
        "  forces: {floor: {relation: {positive: \"ball_z - 0.1\", stiffness: 1e5, damping: "
        "0.2}}}\n",
        "  forces: {floor: {contact: {between: [ground, ball], at: [0, 0, 0], normal: z, center: "
        "[0, 0, 0.5], radius: 0.1, stiffness: 1e5, damping: 0.2}}}\n",
        "  joints: {fall: {prismatic: {between: [ground, ball], at: [0, 0, 0.5], axis: z}, stops: "
        "{travel: {low: -0.4, stiffness: 1e5, damping: 0.2}}}}\n"};
    for (int k = 0; k < 2; k++) {
        double value[3][2];
        for (int i = 0; i < 3; i++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "trammel: 1\n"
                     "mechanism:\n"
                     "  gravity: [0, 0, -9.81]\n"
                     "  bodies: {ball: {mass: 1, center: [0, 0, 0.5], inertia: [0.01, 0.01, "
                     "0.01]}}\n"
                     "%s%s"
                     "outputs: {z: ball_z, rate: ball_z_rate}\n"
                     "simulate: {end: 1, tolerance: 1e-9}\n",
                     i == 2 ? ""
                            : "  joints: {fall: {prismatic: {between: [ground, ball], at: [0, 0, "
                              "0.5], axis: z}}}\n",
                     end[i]);
            run_outputs(text, k, 0.7, value[i]);
        }
        for (int i = 1; i < 3; i++) {
            // two impacts, each of which multiplies errors of the run by about 100
            assert_near(value[i][0], value[0][0], 1e-6);
            assert_near(value[i][1], value[0][1], 1e-5);
        }
    }
}

// A cam of 40 rad/s under a follower of 0.2 kg with a spring of 50 N/m: it flies off, since
// 0.02*1600 > g + k x/m = 20. The same force written out as that of an actuator.
static void test_mechanism_one_sided_cam_throws_its_follower(void **state)
{
    (void)state;
#define CAM                                                                                        \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, -9.81, 0]\n"                                                                   \
    "  bodies:\n"                                                                                  \
    "    cam: {mass: 1, center: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                         \
    "    follower: {mass: 0.2, center: [0, 0.1, 0], inertia: [0.001, 0.001, 0.001]}\n"             \
    "  joints:\n"                                                                                  \
    "    shaft: {revolute: {between: [ground, cam], at: [0, 0, 0], axis: z}, motion: \"40*t\"}\n"  \
    "    guide: {prismatic: {between: [ground, follower], at: [0, 0.1, 0], axis: y}}\n"            \
    "outputs: {x: guide_travel, rate: guide_rate, lifted: \"guide_travel - 0.02*(1 - "             \
    "cos(40*t))\"}\n"                                                                              \
    "simulate: {end: 1, tolerance: 1e-9}\n"
    static const char *const model[2] = {
        CAM,
        "mechanism.forces={lift: {relation: {positive: \"guide_travel - 0.02*(1 - "
        "cos(shaft_angle))\", stiffness: 1e6}}, s: {actuator: {joint: guide, stiffness: 50}}}"};
    static const char written_out[] =
        "mechanism.forces={lift: {actuator: {joint: guide, effort: \"1e6*max(0, 0.02*(1 - "
        "cos(40*t)) - guide_travel)^1.5\"}}, s: {actuator: {joint: guide, stiffness: 50}}}";
    double value[3][3];
    for (int k = 0; k < 3; k++) {
        model_case c;
        const char *const set[] = {coordinates[k % 2], k < 2 ? model[1] : written_out, NULL};
        model_try(&c, model[0], "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 0.1);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value[k]);
        trm_simulation_destroy(s);
        model_close(&c);
    }
    assert_true(value[0][2] > 1e-3); // in the air
    for (int k = 1; k < 3; k++) {
        // the run, which leaves the cam once
        assert_near(value[k][0], value[0][0], 1e-7);
        assert_near(value[k][1], value[0][1], 1e-5);
    }
}

// In contact, with a formula that moves and bends in everything; its force goes into a state.
static void test_mechanism_one_sided_derivatives_are_exact(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  gravity: [0, -9.81, 0.2]\n"
        "  inputs: {lift: \"0.05*sin(5*t)\"}\n"
        "  bodies:\n"
        "    base: {mass: 2, center: [0.2, 0.1, 0], inertia: [0.1, 0.2, 0.15]}\n"
        "    arm: {mass: 1, center: [1, 0.2, 0.1], inertia: [0.1, 0.2, 0.15]}\n"
        "  points: {tip: {body: arm, at: [1.5, 0, 0]}}\n"
        "  joints:\n"
        "    pivot: {revolute: {between: [ground, base], at: [0, 0, 0], axis: z}, start: {angle: "
        "0.3, rate: 1}}\n"
        "    pin: {universal: {between: [base, arm], at: [0.5, 0, 0], axis: y, second_axis: z}}\n"
        "  forces: {bump: {relation: {positive: \"tip_y - 0.65 + 0.1*tip_z^2 - "
        "0.1*tip_x*pivot_angle^2 - lift\", stiffness: 1000, damping: 0.3}}}\n"
        "  states: {push: bump_force}\n"
        "outputs: {push: push, force: bump_force}\n"
        "simulate: {end: 1, tolerance: 1e-8}\n";
    double value[2][2];
    for (int k = 0; k < 2; k++) {
        model_case c;
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, model, "m.yaml", set);
        model_instantiate(&c);
        assert_derivatives(&c, coordinates[k], 0.05);
        model_close(&c);
        run_outputs(model, k, 0.1, value[k]);
    }
    assert_true(value[0][0] > 0.1); // it touched
    for (int i = 0; i < 2; i++)     // the run, with forces of 20 N
        assert_near(value[0][i], value[1][i], 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_one_sided_is_a_contact_and_a_stop),
        cmocka_unit_test(test_mechanism_one_sided_cam_throws_its_follower),
        cmocka_unit_test(test_mechanism_one_sided_derivatives_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
