// SPDX-License-Identifier: Apache-2.0
// Constraints by formula: a bead on a curve that moves, against its equation of motion by hand; a
// cam by a spline, against the law of its valve; a gear whose ratio changes.
#include "mechanism_runs.h"

// y = x^2 + s, s = 0.1 sin 5t:  (1 + 4 x^2) x'' = -2x (2 x'^2 + s'' + g)
static double bead(double t, double x, double v)
{
    return -2 * x * (2 * v * v - 2.5 * sin(5 * t) + 9.81) / (1 + 4 * x * x);
}

static void advance(double t, double h, double *x, double *v)
{
    double k[4], l[4];
    k[0] = *v, l[0] = bead(t, *x, *v);
    k[1] = *v + h / 2 * l[0], l[1] = bead(t + h / 2, *x + h / 2 * k[0], k[1]);
    k[2] = *v + h / 2 * l[1], l[2] = bead(t + h / 2, *x + h / 2 * k[1], k[2]);
    k[3] = *v + h * l[2], l[3] = bead(t + h, *x + h * k[2], k[3]);
    *x += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    *v += h / 6 * (l[0] + 2 * l[1] + 2 * l[2] + l[3]);
}

static void test_mechanism_relations_bead_follows_its_curve(void **state)
{
    (void)state;
    static const char *const model[2] = {
        // in the plane, and in space where another surface makes it the same curve
        "trammel: 1\n"
        "mechanism:\n"
        "  plane: xy\n"
        "  gravity: [0, -9.81]\n"
        "  bodies: {bead: {mass: 0.5, center: [1, 1], inertia: 0.01}}\n"
        "  joints:\n"
        "    place: {free: {between: [ground, bead]}}\n"
        "    wire: {relation: {zero: \"bead_y - bead_x^2 - 0.1*sin(5*t)\"}}\n"
        "outputs: {x: bead_x, force: lambda_wire_zero}\n"
        "initial: {values: {place_y_rate: 0.5}}\n"
        "simulate: {end: 1, tolerance: 1e-9}\n",
        "trammel: 1\n"
        "mechanism:\n"
        "  gravity: [0, -9.81, 0]\n"
        "  inputs: {s: \"0.1*sin(5*t)\"}\n"
        "  bodies: {bead: {mass: 0.5, center: [1, 1, 0], inertia: [0.01, 0.01, 0.01]}}\n"
        "  points: {hole: {body: bead, at: [1, 1, 0]}}\n"
        "  joints:\n"
        "    place: {free: {between: [ground, bead]}, start: {y_rate: 0.5, spin: [1, 2, 0]}}\n"
        "    wire: {relation: {zero: \"hole_y - hole_x^2 - s\"}}\n"
        "    flat: {relation: {zero: \"hole_z*(2 + hole_x)\"}}\n"
        "outputs: {x: bead_x, force: lambda_wire_zero}\n"
        "simulate: {end: 1, tolerance: 1e-9}\n"};
    const int steps = 4000;
    double x = 1, v = 0, t = 0.7; // RK4 with h = 1.75e-4: error 1e-13
    for (int i = 0; i < steps; i++)
        advance(i * t / steps, t / steps, &x, &v);
    double y2 = 2 * v * v + 2 * x * bead(t, x, v) - 2.5 * sin(5 * t);
    for (int k = 0; k < 4; k++) {
        model_case c;
        double value[2];
        const char *const set[] = {coordinates[k % 2], NULL};
        model_try(&c, model[k / 2], "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, t);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value);
        // the tolerance of the run with the growth of errors over 0.7 s
        assert_near(value[0], x, 1e-7);
        assert_near(value[1], -0.5 * (9.81 + y2), 1e-5);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// The shaft turns as prescribed: the valve moves as its table, and the constraint carries m (a + g)
// and the spring. The table is one cubic, so that a = profile'' w^2 is known.
static void test_mechanism_relations_cam_carries_the_valve(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "tables: {profile: {points: [[0, 0], [1, 1], [2, 8], [3, 27]], interpolation: spline}}\n"
        "mechanism:\n"
        "  gravity: [0, -9.81, 0]\n"
        "  bodies:\n"
        "    cam: {mass: 2, center: [0, 0, 0], inertia: [0.01, 0.01, 0.02]}\n"
        "    valve: {mass: 0.3, center: [0, 0.2, 0], inertia: [0.001, 0.001, 0.001]}\n"
        "  joints:\n"
        "    shaft: {revolute: {between: [ground, cam], at: [0, 0, 0], axis: z}, motion: \"2*t\"}\n"
        "    guide: {prismatic: {between: [ground, valve], at: [0, 0.2, 0], axis: y}}\n"
        "    lift: {relation: {zero: \"guide_travel - table(profile, shaft_angle)/100\"}}\n"
        "outputs: {y: guide_travel, force: lambda_lift_zero, torque: shaft_effort}\n"
        "simulate: {end: 1, tolerance: 1e-8}\n";
    for (int k = 0; k < 2; k++) {
        model_case c;
        double value[3], t = 0.9, w = 2, a = w * t;
        // the joint formulation leaves no freedom where everything is prescribed
        const char *const set[] = {coordinates[1], k ? "mechanism.formalism=explicit" : NULL, NULL};
        model_try(&c, model, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, t);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value);
        double force = 0.3 * (9.81 + 6 * a * w * w / 100);
        assert_near(value[0], a * a * a / 100, 1e-9);
        assert_near(value[1], -force, 1e-6);
        assert_near(value[2], force * 3 * a * a / 100, 1e-6);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// Kinetic energy with b = a + 0.3 sin a: (J_1 + J_2 (1 + 0.3 cos a)^2) a'^2/2 is constant.
static void test_mechanism_relations_gear_keeps_energy(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies:\n"
        "    one: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
        "    two: {mass: 1, center: [1, 0, 0], inertia: [0.1, 0.1, 0.15]}\n"
        "  joints:\n"
        "    a: {revolute: {between: [ground, one], at: [0, 0, 0], axis: z}, start: {rate: 9}}\n"
        "    b: {revolute: {between: [ground, two], at: [1, 0, 0], axis: z}}\n"
        "    oval: {relation: {zero: \"b_angle - a_angle - 0.3*sin(a_angle)\"}}\n"
        "outputs: {a: a_angle, b: b_angle, rate: a_rate}\n"
        "simulate: {end: 3, tolerance: 1e-9}\n";
    for (int k = 0; k < 2; k++) {
        model_case c;
        double v[3], energy[2];
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, model, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        for (int i = 0; i < 2; i++) { // about four turns
            run_to(s, 0.5 + 2.5 * i);
            trm_instance_outputs(c.instance, trm_simulation_state(s), v);
            double ratio = 1 + 0.3 * cos(v[0]);
            energy[i] = 0.5 * (0.1 + 0.15 * ratio * ratio) * v[2] * v[2];
            assert_near(v[1], v[0] + 0.3 * sin(v[0]), 1e-9);
        }
        assert_true(v[0] > 20);
        assert_near(energy[1], energy[0], 1e-6 * energy[0]);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_relations_bead_follows_its_curve),
        cmocka_unit_test(test_mechanism_relations_cam_carries_the_valve),
        cmocka_unit_test(test_mechanism_relations_gear_keeps_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
