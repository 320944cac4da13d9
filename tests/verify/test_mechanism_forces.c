// SPDX-License-Identifier: Apache-2.0
// Channels of what forces and joints do, against the laws they follow.
#include "mechanism_runs.h"

static const char model[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  gravity: [0, -9.81, 0]\n"
    "  bodies:\n"
    "    disc: {mass: 3, center: [0.2, 0, 0], inertia: [0.3, 0.2, 0.4]}\n"
    "    arm: {mass: 1, center: [1, 0, 0], inertia: [0.01, 0.02, 0.03]}\n"
    "    cross: {mass: 1, center: [0, 3, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "    nut: {mass: 2, center: [0, 5, 0], inertia: [0.1, 0.2, 0.3]}\n"
    "  joints:\n"
    "    hub: {revolute: {between: [ground, disc], at: [0, 0, 0], axis: z}, motion: \"sin(2*t)\"}\n"
    "    pin: {revolute: {between: [ground, arm], at: [0.5, 0, 0], axis: z},\n"
    "          stops: {angle: {low: -0.1, stiffness: 1e4}}}\n"
    "    cardan: {universal: {between: [ground, cross], at: [0, 3, 0], axis: x, second_axis: z},\n"
    "             motion: {angle_x: \"0.5*sin(3*t)\", angle_y: \"t^2\"}}\n"
    "    spindle: {screw: {between: [ground, nut], at: [0, 5, 0], axis: y, pitch: 0.1},\n"
    "              motion: \"t^3\"}\n"
    "  forces:\n"
    "    coil: {spring: {between: [ground, arm], from: [1, 1, 0], to: [1, 0, 0], stiffness: 50,\n"
    "                    length: 0.4, damping: 3}}\n"
    "    motor: {actuator: {joint: pin, effort: \"2*sin(t)\"}}\n"
    "    push: {force: {body: arm, at: [1, 0, 0], value: [1, \"2*t\", 0]}}\n"
    "simulate: {end: 1, tolerance: 1e-9}\n";

static double force(model_case *c, const trm_simulation *s, const char *name)
{
    double values[VALUES];
    assert_true(trm_model_count(c->model, TRM_CHANNEL_BODY) +
                    trm_model_count(c->model, TRM_CHANNEL_REACTION) <=
                VALUES);
    trmi_instance_mechanism(c->instance, trm_simulation_state(s), values);
    trmi_instance_forces(c->instance, trm_simulation_state(s), values);
    for (int i = 0; i < trm_model_count(c->model, TRM_CHANNEL_FORCE); i++)
        if (strcmp(trm_model_channel(c->model, TRM_CHANNEL_FORCE, i), name) == 0)
            return values[i];
    fail_msg("no channel %s", name);
    return NAN;
}

static void test_mechanism_forces_follow_their_laws(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        model_case c;
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, model, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        const double t = 0.7;
        run_to(s, t);
        double x = channel(&c, s, "arm_x"), y = channel(&c, s, "arm_y");
        double length = hypot(x - 1, y - 1), l = force(&c, s, "coil_length");
        assert_near(l, length, 1e-12);
        // the laws of the file; exact but for rounding
        assert_near(force(&c, s, "coil_force"), 50 * (l - 0.4) + 3 * force(&c, s, "coil_rate"),
                    1e-9);
        assert_near(force(&c, s, "coil_power"),
                    -force(&c, s, "coil_force") * force(&c, s, "coil_rate"), 1e-9);
        assert_near(force(&c, s, "motor_effort"), 2 * sin(t), 1e-12);
        assert_near(force(&c, s, "push_fy"), 2 * t, 1e-12);
        // what the stop does is in the equation of the arm alone: compare with k d^1.5
        double angle = atan2(y, x - 0.5), d = -0.1 - angle;
        assert_near(force(&c, s, "pin_stop"), d > 0 ? 1e4 * pow(d, 1.5) : 0, 1e-6);
        // J phi'' + m g r cos(phi): J = 0.4 + 3 0.2^2, phi = sin 2t; accelerations to 1e-9
        double phi = sin(2 * t), torque = 0.52 * -4 * sin(2 * t) + 3 * 9.81 * 0.2 * cos(phi);
        assert_near(force(&c, s, "hub_effort"), torque, 1e-7);
        // a nut of J_yy = 0.2, m = 2 on a screw: (J + m p^2) phi'' + m g p, phi'' = 6t
        assert_near(force(&c, s, "spindle_effort"), (0.2 + 2 * 0.01) * 6 * t + 2 * 9.81 * 0.1,
                    1e-7);
        // a body on two crossed axes, a = 0.5 sin 3t about x, then b = t^2 about its z, with
        // moments of inertia A, B, C: T = ((A cos^2 b + B sin^2 b) a'^2 + C b'^2)/2
        double a1 = 1.5 * cos(3 * t), a2 = -4.5 * sin(3 * t), b = t * t, b1 = 2 * t, b2 = 2;
        double A = 0.1, B = 0.2, C = 0.3;
        assert_near(force(&c, s, "cardan_angle_x_effort"),
                    (A * cos(b) * cos(b) + B * sin(b) * sin(b)) * a2 +
                        (B - A) * sin(2 * b) * b1 * a1,
                    1e-7);
        assert_near(force(&c, s, "cardan_angle_y_effort"),
                    C * b2 - 0.5 * (B - A) * sin(2 * b) * a1 * a1, 1e-7);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// Axes of a point on the body itself are those of the body; of a point on another one they follow
// that one: in the axes of a disc that turns by t the force (1, 0, 0) is (cos t, sin t, 0).
static void test_mechanism_forces_in_axes_of_points(void **state)
{
    (void)state;
    static const char *const text =
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies:\n"
        "    top: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.2, 0.25]}\n"
        "    disc: {mass: 1, center: [0, 0, 3], inertia: [0.1, 0.1, 0.1]}\n"
        "  joints:\n"
        "    place: {free: {between: [ground, top]}, start: {spin: [1, 2, 3]}}\n"
        "    axle: {revolute: {between: [ground, disc], at: [0, 0, 3], axis: z}, motion: t}\n"
        "  points: {nose: {body: top, at: [1, 0, 0]}, mark: {body: disc}}\n"
        "  forces:\n"
        "    jet: {force: {body: top, at: [0, 1, 0], value: [\"1 + t\", 2, 0.5]}}\n"
        "    kick: {torque: {body: top, value: [0.1, 0.2, \"0.3*place_x\"]}}\n"
        "    wind: {force: {body: top, at: [0, 0, 0], value: [1, 0, 0], axes_of: mark}}\n"
        "outputs: {x: top_x, y: top_y, z: top_z, fx: wind_fx, fy: wind_fy}\n"
        "simulate: {end: 1, tolerance: 1e-9}\n";
    static const char *const how[][3] = {
        {"mechanism.forces.jet.force.axes=body", "mechanism.forces.kick.torque.axes=body",
         "mechanism.coordinates=joint"},
        {"mechanism.forces.jet.force.axes_of=nose", "mechanism.forces.kick.torque.axes_of=nose",
         "mechanism.coordinates=joint"},
        {"mechanism.forces.jet.force.axes_of=nose", "mechanism.forces.kick.torque.axes_of=nose",
         "mechanism.coordinates=absolute"}};
    double value[3][5];
    for (int k = 0; k < 3; k++) {
        model_case c;
        const char *const set[] = {how[k][0], how[k][1], how[k][2], NULL};
        model_try(&c, text, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 1);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value[k]);
        assert_near(value[k][3], cos(1), 1e-9);
        assert_near(value[k][4], sin(1), 1e-9);
        for (int i = 0; i < 3; i++)
            assert_near(value[k][i], value[0][i], 1e-6); // of the runs at 1e-9
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

static void test_mechanism_forces_have_names_and_units(void **state)
{
    (void)state;
    static const char *const expected[][2] = {{"coil_length", "m"},
                                              {"coil_rate", "m/s"},
                                              {"coil_force", "N"},
                                              {"coil_power", "W"},
                                              {"motor_effort", "N m"},
                                              {"motor_power", "W"},
                                              {"push_fx", "N"},
                                              {"push_fy", "N"},
                                              {"push_fz", "N"},
                                              {"push_power", "W"},
                                              {"hub_effort", "N m"},
                                              {"pin_stop", "N m"},
                                              {"cardan_angle_x_effort", "N m"},
                                              {"cardan_angle_y_effort", "N m"},
                                              {"spindle_effort", "N m"}};
    const int count = sizeof expected / sizeof *expected;
    model_case c;
    model_read(&c, model);
    assert_int_equal(trm_model_count(c.model, TRM_CHANNEL_FORCE), count);
    for (int k = 0; k < count; k++) {
        assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_FORCE, k), expected[k][0]);
        assert_string_equal(trm_model_unit(c.model, TRM_CHANNEL_FORCE, k), expected[k][1]);
    }
    model_close(&c);
}

// Only what patterns fit is evaluated and counted: 2 forces, the total energy and the time.
static void test_mechanism_forces_are_chosen_by_patterns(void **state)
{
    (void)state;
    model_case c;
    const char *const set[] = {"outputs.channels=['coil_*r*e', energy/total]", NULL};
    model_try(&c, model, "m.yaml", set);
    assert_string_equal(c.said, "");
    assert_int_equal(trm_model_count(c.model, TRM_CHANNEL_FORCE), 2);
    assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_FORCE, 1), "coil_force");
    assert_int_equal(trmi_model_channels(c.model), 4);
    assert_true(trmi_model_writes(c.model, "energy", "total"));
    assert_false(trmi_model_writes(c.model, "energy", "kinetic"));
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_forces_follow_their_laws),
        cmocka_unit_test(test_mechanism_forces_in_axes_of_points),
        cmocka_unit_test(test_mechanism_forces_have_names_and_units),
        cmocka_unit_test(test_mechanism_forces_are_chosen_by_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
