// SPDX-License-Identifier: Apache-2.0
// Points of bodies and what forces and joints do, as names in formulas: against closed forms, in
// both kinds of coordinates; derivatives against differences.
#include "mechanism_runs.h"

static void assert_value(const char *what, double is, double should, double within)
{
    if (!(fabs(is - should) <= within))
        fail_msg("%s is %.12g, not %.12g", what, is, should);
}

// An arm turns about z by phi = 0.3 + 2 t + t^2, a wrist on it about x by psi = t.
#define TURNING                                                                                    \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  coordinates: absolute\n"                                                                    \
    "  bodies:\n"                                                                                  \
    "    arm: {mass: 1, center: [0.5, 0, 0], inertia: [1, 1, 1]}\n"                                \
    "    wrist: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}\n"                                \
    "  joints:\n"                                                                                  \
    "    a: {revolute: {between: [ground, arm], at: [0, 0, 0], axis: z}, motion: \"phi\"}\n"       \
    "    b: {revolute: {between: [arm, wrist], at: [1, 0, 0], axis: x}, motion: \"t\"}\n"          \
    "  points:\n"                                                                                  \
    "    tip: {body: arm, at: [2, 0, 0.5]}\n"                                                      \
    "    hand: {body: wrist, at: [1, 1, 0], from: root}\n"                                         \
    "    root: {body: arm, at: [1, 0, 0]}\n"                                                       \
    "outputs:\n"                                                                                   \
    "  phi: \"0.3 + 2*t + t^2\"\n"                                                                 \
    "  x: tip_x\n"                                                                                 \
    "  vy: tip_y_rate\n"                                                                           \
    "  ax: a(tip_x)\n"                                                                             \
    "  wz: tip_wz\n"                                                                               \
    "  r12: tip_r12\n"                                                                             \
    "  far: tip_distance\n"                                                                        \
    "  hy: hand_y\n"                                                                               \
    "  hz_rate: hand_z_rate\n"                                                                     \
    "  hwx: hand_wx\n"                                                                             \
    "  hr32: hand_r32\n"                                                                           \
    "  hwx_global: root_wz\n"                                                                      \
    "simulate: {end: 1, integrator: radau}\n"

static void test_mechanism_points_follow_closed_forms(void **state)
{
    (void)state;
    model_case c;
    double value[12];
    const double t = 1, phi = 3.3, w = 4;
    // prescribed motions have no error of integration: what is left is that of the constraints
    const double expected[] = {phi,
                               2 * cos(phi),
                               2 * w * cos(phi),
                               -2 * (2 * sin(phi) + w * w * cos(phi)),
                               w,
                               -sin(phi),
                               sqrt(4.25),
                               cos(t),
                               cos(t),
                               1,
                               sin(t),
                               w};
    static const char *const name[] = {"phi", "x",  "vy",      "ax",  "wz",   "r12",
                                       "far", "hy", "hz_rate", "hwx", "hr32", "root_wz"};
    model_read(&c, TURNING);
    trm_simulation *s = start(&c);
    run_to(s, t);
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    for (int k = 0; k < 12; k++)
        assert_value(name[k], value[k], expected[k], 1e-9);
    trm_simulation_destroy(s);
    model_close(&c);
}

// Every kind of signal of points in forces.
#define PULLED                                                                                     \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, -9.81]\n"                                                                   \
    "  bodies:\n"                                                                                  \
    "    arm: {mass: 2, center: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"                         \
    "    fore: {mass: 1, center: [1.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"                        \
    "  joints:\n"                                                                                  \
    "    pivot: {revolute: {between: [ground, arm], at: [0, 0, 0], axis: y},\n"                    \
    "            start: {angle: 0.3, rate: 1}}\n"                                                  \
    "    elbow: {spherical: {between: [arm, fore], at: [1, 0, 0]}, start: {spin: [1, 2, 3]}}\n"    \
    "  points:\n"                                                                                  \
    "    tip: {body: fore, at: [2, 0, 0.1]}\n"                                                     \
    "    seen: {body: fore, at: [2, 0, 0.1], from: hand, frame: {axis: z, angle: 0.3}}\n"          \
    "    hand: {body: arm, at: [1, 0.2, 0], frame: {axis: x, angle: 0.2}}\n"                       \
    "  forces:\n"                                                                                  \
    "    strut: {spring: {between: [ground, arm], from: [0, 0, 1], to: [0.8, 0, 0], length: 1,\n"  \
    "            stiffness: 60, damping: 2}}\n"                                                    \
    "    drag: {force: {body: fore, at: [2, 0, 0.1], value: [\"-0.5*tip_x_rate\",\n"               \
    "           \"-0.5*tip_y_rate - 0.1*seen_wz*seen_wx\",\n"                                      \
    "           \"-0.2*seen_distance*seen_r12 - 0.3*seen_y*seen_z_rate - "                         \
    "seen_distance_rate\"]}}\n"                                                                    \
    "outputs:\n"                                                                                   \
    "  pull: strut_force\n"                                                                        \
    "  same: \"60*(strut_length - 1) + 2*strut_rate\"\n"                                           \
    "  along: \"hypot(strut_fx, strut_fz)\"\n"                                                     \
    "  power: strut_power\n"                                                                       \
    "  drag_power: drag_power\n"                                                                   \
    "  by_hand: \"drag_fx*tip_x_rate + drag_fy*tip_y_rate + drag_fz*tip_z_rate\"\n"                \
    "  carried: \"pivot_fz - elbow_fz + strut_fz - 2*9.81 - 2*a(arm_z)\"\n"                        \
    "simulate: {end: 0.5, tolerance: 1e-8}\n"

static void test_mechanism_points_effects_fit_together(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        model_case c;
        double v[7];
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, PULLED, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 0.5);
        trm_instance_outputs(c.instance, trm_simulation_state(s), v);
        // the same numbers in two ways: roundoff of forces of order 100 N
        assert_value("pull", v[0], v[1], 1e-11);
        assert_value("along", v[2], fabs(v[0]), 1e-11);
        assert_value("drag_power", v[4], v[5], 1e-11);
        // Newton's law of the arm along z: accelerations are those of the constraints, 1e-9 of 100
        assert_value("carried", v[6], 0, 1e-7);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

static void test_mechanism_points_derivatives_are_exact(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        model_case c;
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, PULLED, "m.yaml", set);
        model_instantiate(&c);
        assert_derivatives(&c, coordinates[k], 0.1);
        model_close(&c);
    }
}

// A ball falls from 0.5 m onto the floor: it touches after sqrt(2 0.4/g), and not before.
static void test_mechanism_points_contact_is_seen(void **state)
{
    (void)state;
    model_case c;
    double value[2], fall = sqrt(2 * 0.4 / 9.81);
    model_read(
        &c,
        "trammel: 1\n"
        "mechanism:\n"
        "  gravity: [0, 0, -9.81]\n"
        "  bodies: {ball: {mass: 1, center: [0, 0, 0.5], inertia: [1, 1, 1]}}\n"
        "  joints: {guide: {prismatic: {between: [ground, ball], at: [0, 0, 0.5], axis: z}}}\n"
        "  forces: {floor: {contact: {between: [ground, ball], center: [0, 0, 0.5], at: [0, 0, 0],"
        " normal: z, radius: 0.1, stiffness: 1e5}}}\n"
        "outputs: {touch: floor_contact, push: floor_fz}\n"
        "simulate: {end: 1}\n");
    trm_simulation *s = start(&c);
    run_to(s, fall - 1e-3);
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    assert_true(value[0] == 0 && value[1] == 0);
    run_to(s, fall + 1e-3);
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    assert_true(value[0] == 1 && value[1] > 0);
    trm_simulation_destroy(s);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_points_follow_closed_forms),
        cmocka_unit_test(test_mechanism_points_effects_fit_together),
        cmocka_unit_test(test_mechanism_points_derivatives_are_exact),
        cmocka_unit_test(test_mechanism_points_contact_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
