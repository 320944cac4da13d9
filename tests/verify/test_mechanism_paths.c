// SPDX-License-Identifier: Apache-2.0
// Points, rollers and curves on curves: eccentric cams against closed forms, in the plane and in
// space, held from both sides and from one; derivatives; energy.
#include "mechanism_runs.h"

enum { POINTS = 48 };
static const double TURN = 6.283185307179586;

// "[[x, y], ...]" of a circle; space: with z
static const char *circle(char *text, size_t size, double x, double y, double R, bool space)
{
    size_t used = 0;
    for (int i = 0; i < POINTS; i++)
        used += (size_t)snprintf(text + used, size - used, "%s[%.15g, %.15g%s]", i ? ", " : "[",
                                 x + R * cos(TURN * i / POINTS), y + R * sin(TURN * i / POINTS),
                                 space ? ", 0.3" : "");
    snprintf(text + used, size - used, "]");
    return text;
}

// A circle of radius R about (0, e), turned by the shaft at the origin; the centre of a roller of
// radius r is on the axis y.
static double lift(double e, double R, double r, double a)
{
    return e * cos(a) + sqrt((R + r) * (R + r) - e * e * sin(a) * sin(a));
}

static const char *cam_of(char *text, size_t size, bool space, bool curve, const char *more)
{
    static char path[2 * 4000];
    const char *z = space ? ", 0" : "", *level = space ? ", 0.3" : "";
    char second[4000];
    snprintf(text, size,
             "trammel: 1\n"
             "mechanism:\n"
             "%s"
             "  gravity: [0, -9.81%s]\n"
             "  bodies:\n"
             "    cam: {mass: 1, center: [0, 0%s], inertia: %s}\n"
             "    follower: {mass: 0.3, center: [0, 0.2%s], inertia: %s}\n"
             "  joints:\n"
             "    shaft: {revolute: {between: [ground, cam], at: [0, 0%s]%s}, %s}\n"
             "    guide: {prismatic: {between: [ground, follower], at: [0, 0.2%s], axis: y}}\n"
             "    roll: {path: {between: [cam, follower], path: %s, closed: true, %s%s}}\n"
             "outputs: {y: guide_travel, force: roll_fy, a: shaft_angle}\n"
             "simulate: {end: 1, tolerance: 1e-8}\n",
             space ? "" : "  plane: xy\n", z, z, space ? "[0.001, 0.001, 0.001]" : "0.001", z,
             space ? "[0.001, 0.001, 0.001]" : "0.001", z, space ? ", axis: z" : "", more, z,
             circle(path, sizeof path, 0, 0.02, 0.05, space),
             curve ? "second_closed: true, second_path: " : "radius: 0.01, at: [0, 0.08",
             curve ? circle(second, sizeof second, 0, 0.08, 0.01, space) : level);
    if (!curve) // the bracket of `at`
        strcpy(strstr(text, "}}\noutputs"), "]}}\noutputs: {y: guide_travel, force: roll_fy, a: "
                                            "shaft_angle}\nsimulate: {end: 1, tolerance: 1e-8}\n");
    return text;
}

static void test_mechanism_paths_cam_lifts_as_it_should(void **state)
{
    (void)state;
    char text[12000];
    for (int k = 0; k < 8; k++) {
        bool space = k & 2, curve = k & 4;
        model_case c;
        double value[3], w = 7, a = w * 0.6, h = 1e-4;
        const char *const set[] = {coordinates[k % 2], NULL};
        model_try(&c, cam_of(text, sizeof text, space, curve, "motion: \"7*t\""), "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 0.6);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value);
        // a spline through 48 points of a circle is off by 5e-7 of the radius, of a small one 1e-8;
        // its curvature by 1e-3
        assert_near(value[0], lift(0.02, 0.05, 0.01, a) - 0.08, 1e-7);
        double second = (lift(0.02, 0.05, 0.01, a + h) - 2 * lift(0.02, 0.05, 0.01, a) +
                         lift(0.02, 0.05, 0.01, a - h)) /
                        (h * h);
        assert_near(value[1], 0.3 * (9.81 + w * w * second), 5e-3);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// A free cam drives a lever with a bent face: energy is kept, both coordinates agree, derivatives
// are exact where the curves are apart as well.
static void test_mechanism_paths_curve_on_curve_keeps_energy(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  gravity: [0, -9.81, 0]\n"
        "  bodies:\n"
        "    cam: {mass: 1, center: [0, 0, 0], inertia: [0.001, 0.001, 0.001]}\n"
        "    lever: {mass: 0.3, center: [0, 0.05, 0], inertia: [0.001, 0.001, 0.001]}\n"
        "  joints:\n"
        "    shaft: {revolute: {between: [ground, cam], at: [0, 0, 0], axis: z}, start: {rate: "
        "40}}\n"
        "    pin: {revolute: {between: [ground, lever], at: [-0.1, 0.03, 0], axis: z}}\n"
        "    touch: {path: {between: [cam, lever], closed: true, path: [[0.05, 0, 0], [0.04, "
        "0.019, 0], [0.025, 0.026, 0], [0, 0.03, 0], [-0.025, 0.026, 0], [-0.04, 0.019, 0], "
        "[-0.05, 0, 0], [-0.04, -0.019, 0], [-0.025, -0.026, 0], [0, -0.03, 0], [0.025, -0.026, "
        "0], [0.04, -0.019, 0]], second_path: [[-0.08, 0.0323, 0], [-0.04, 0.0313, 0], [0, 0.031, "
        "0], [0.04, 0.0313, 0], [0.08, 0.0323, 0]]}}\n"
        "outputs: {angle: pin_angle, rate: pin_rate, a: shaft_angle}\n"
        "simulate: {end: 1, tolerance: 1e-8, integrator: radau-adaptive}\n";
    double value[2][3];
    for (int k = 0; k < 2; k++) {
        model_case c;
        double energy[2];
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, model, "m.yaml", set);
        model_instantiate(&c);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            const model_point p =
                model_near(c.system, trm_instance_initial(c.instance), 0.003, seed);
            const trm_state at = model_view(&p);
            if (trm_system_check_derivatives(c.system, &at, 1e-5, NULL, &c.error) != TRM_OK)
                fail_msg("%s %s: %s", coordinates[k], c.error.item, c.error.text);
        }
        trm_simulation *s = start(&c);
        energy[0] = trm_simulation_energy(s);
        run_to(s, 0.3);
        energy[1] = trm_simulation_energy(s);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value[k]);
        assert_near(energy[1], energy[0], 1e-6); // of 0.2 J
        trm_simulation_destroy(s);
        model_close(&c);
    }
    assert_true(fabs(value[0][2]) > 1.5); // it turned
    for (int i = 0; i < 3; i++)           // the run
        assert_near(value[0][i], value[1][i], 2e-5);
}

// The roller flies off the cam: the same as by a formula for the gap.
static void test_mechanism_paths_roller_flies_off(void **state)
{
    (void)state;
    static char path[4000], text[8000];
    double value[2][2];
    for (int k = 0; k < 2; k++) {
        char force[4500];
        snprintf(force, sizeof force,
                 k == 0 ? "path: {between: [cam, follower], path: %s, closed: true, at: [0, "
                          "0.08], radius: 0.01"
                        : "relation: {positive: \"hypot(0.02*sin(shaft_angle), mid_y - "
                          "0.02*cos(shaft_angle)) - 0.06\"",
                 circle(path, sizeof path, 0, 0.02, 0.05, false));
        snprintf(text, sizeof text,
                 "trammel: 1\n"
                 "mechanism:\n"
                 "  plane: xy\n"
                 "  gravity: [0, -9.81]\n"
                 "  bodies:\n"
                 "    cam: {mass: 1, center: [0, 0], inertia: 0.001}\n"
                 "    follower: {mass: 0.3, center: [0, 0.2], inertia: 0.001}\n"
                 "  points: {mid: {body: follower, at: [0, 0.08]}}\n"
                 "  joints:\n"
                 "    shaft: {revolute: {between: [ground, cam], at: [0, 0]}, motion: \"40*t\"}\n"
                 "    guide: {prismatic: {between: [ground, follower], at: [0, 0.2], axis: y}}\n"
                 "  forces: {push: {%s, stiffness: 1e6, damping: 0.1}}}\n"
                 "outputs: {y: guide_travel, contact: push_contact}\n"
                 "simulate: {end: 1, tolerance: 1e-8}\n",
                 force);
        model_case c;
        model_try(&c, text, "m.yaml", NULL);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 0.1);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value[k]);
        trm_simulation_destroy(s);
        model_close(&c);
    }
    assert_near(value[0][1], 0, 0); // in the air
    // the spline of the circle, and the moment of leaving it
    assert_near(value[0][0], value[1][0], 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_paths_cam_lifts_as_it_should),
        cmocka_unit_test(test_mechanism_paths_curve_on_curve_keeps_energy),
        cmocka_unit_test(test_mechanism_paths_roller_flies_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
