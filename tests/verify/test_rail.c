// SPDX-License-Identifier: Apache-2.0
// Wheelsets on rails that are part of a wagon with freedoms of its own: derivatives of every law,
// both coordinate choices, elastic against rigid contact, and what is reported of wheels that lift
// off.
#include "mechanism_runs.h"

#include "trammel/check.h"

#include <stdio.h>

// A set of cones on round heads; its wagon slides along x on a spring and carries the rails.
static const char model[] =
    "trammel: 1\n"
    "parameters: {lift: 0, b: 0.75, r0: 0.46}\n"
    "tables:\n"
    "  wheel: {points: [[-0.02, -0.0005], [0.02, 0.0005]]}\n"
    "  rail: {points: [[-0.04, 0.0026667], [-0.02, 0.00066667], [0, 0], [0.02, 0.00066667],\n"
    "                  [0.04, 0.0026667]], interpolation: spline}\n"
    "parts:\n"
    "  wheel:\n"
    "    joints:\n"
    "      contact: {%s: {between: [wagon, set], at: [0, \"b\", 0], center: [0, \"b\", \"r0\"],\n"
    "                axis: y, radius: \"r0\", wheel: wheel, rail: rail, inclination: 0.025,\n"
    "                load: 8893%s}}\n"
    "use: {left: {part: wheel}, right: {part: wheel, mirror: y}}\n"
    "mechanism:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    wagon: {mass: 900, center: [0, 0, -0.2], inertia: [100, 200, 300]}\n"
    "    axle: {mass: 0, center: [0, 0, \"r0\"]}\n"
    "    set: {mass: 1813, center: [0, 0, \"r0\"], inertia: [1120, 112, 1120]}\n"
    "  joints:\n"
    "    slide: {prismatic: {between: [ground, wagon], at: [0, 0, 0], axis: x}, start: {rate: "
    "0.3}}\n"
    "    place: {yaw-roll-pitch: {between: [ground, axle]}, motion: {pitch: 0},\n"
    "            start: {yaw: 0.002, x_rate: 5}}\n"
    "    spin: {revolute: {between: [axle, set], at: [0, 0, \"r0\"], axis: y},\n"
    "           start: {rate: \"4.7/r0\"}}\n"
    "  forces:\n"
    "    spring: {spring: {between: [ground, wagon], from: [-2, 0, 0], to: [0, 0, 0],\n"
    "                      stiffness: 4e4, damping: 500}}\n"
    "    crane: {force: {body: set, at: [0, 0.3, \"r0\"], value: [0, 0, \"lift*t\"]}}\n"
    "outputs: {y: place_y, yaw: place_yaw, q: left.contact_q, n: left.contact_n,\n"
    "          xi: left.contact_xi, angle: left.contact_angle, radius: left.contact_radius}\n"
    "simulate: {end: 1, tolerance: 1e-8, integrator: bdf}\n";

typedef struct law {
    const char *joint, *keys;
} law;
static const law laws[] = {
    {"wheel-rail", ""},
    {"wheel-rail", ", creep_law: fastsim"},
    {"elastic-wheel-rail", ", damping: 10"},
    {"wheel-rail", ", creep_axes: wheel, ellipse: follows"},
    {"elastic-wheel-rail", ", damping: 10, creep_axes: wheel, ellipse: follows"}};
enum { RIGID, FASTSIM, ELASTIC, FOLLOWING, ELASTIC_FOLLOWING, LAWS };

static void open_law(model_case *c, const law *l, const char *const *set)
{
    char text[sizeof model + 100];
    snprintf(text, sizeof text, model, l->joint, l->keys);
    model_try(c, text, "m.yaml", set);
    model_instantiate(c);
}

static double output(model_case *c, const trm_simulation *s, const char *name)
{
    double value[VALUES];
    trm_instance_outputs(c->instance, trm_simulation_state(s), value);
    for (int i = 0; i < trm_model_count(c->model, TRM_CHANNEL_OUTPUT); i++)
        if (strcmp(trm_model_channel(c->model, TRM_CHANNEL_OUTPUT, i), name) == 0)
            return value[i];
    fail_msg("no output %s", name);
    return NAN;
}

// The rails move with free coordinates: rates of the wheel depend on them too. At the start, where
// the wheels slide: close to rolling the second derivatives of creep forces jump, and differences
// of a soft minimum over 1e-5 m, and of contacts that give way by 2e-5 m, have four to six digits.
static void test_rail_derivatives_are_exact(void **state)
{
    (void)state;
    for (int l = 0; l < LAWS; l++)
        for (int k = 0; k < 2; k++) {
            model_case c;
            open_law(&c, &laws[l], (const char *const[]){coordinates[k], NULL});
            trm_simulation *s = start(&c);
            trm_derivative_report report;
            if (trm_system_check_derivatives(c.system, trm_simulation_state(s), 1e-4, &report,
                                             &c.error) != TRM_OK)
                fail_msg("%s %s: %s", laws[l].joint, coordinates[k], c.error.text);
            trm_simulation_destroy(s);
            model_close(&c);
        }
}

// Both runs have a tolerance of 1e-8; the wheelset has moved by millimetres. Elastic contacts
// vibrate: phases differ.
static void test_rail_coordinates_agree(void **state)
{
    (void)state;
    for (int l = 0; l < LAWS; l++) {
        double y[2], n[2];
        for (int k = 0; k < 2; k++) {
            model_case c;
            open_law(&c, &laws[l], (const char *const[]){coordinates[k], NULL});
            trm_simulation *s = start(&c);
            run_to(s, 0.5);
            y[k] = output(&c, s, "y");
            n[k] = output(&c, s, "n");
            trm_simulation_destroy(s);
            model_close(&c);
        }
        assert_true(fabs(y[0]) > 1e-5);
        if (!(fabs(y[0] - y[1]) < 3e-7 && fabs(n[0] - n[1]) < 0.01 * fabs(n[0])))
            fail_msg("%s: y %.12g and %.12g, n %.10g and %.10g", laws[l].joint, y[0], y[1], n[0],
                     n[1]);
    }
}

// Hertz' contact gives way by 0.02 mm under the load: the motion is that of the rigid one to 1 %,
// and so are forces once the start has died out.
static void test_rail_elastic_contact_approaches_the_rigid_one(void **state)
{
    (void)state;
    static const char *const names[] = {"y", "yaw", "q", "radius"};
    double value[LAWS][4];
    for (int l = RIGID; l <= ELASTIC; l += ELASTIC - RIGID) {
        model_case c;
        open_law(&c, &laws[l], NULL);
        trm_simulation *s = start(&c);
        run_to(s, 1);
        for (int i = 0; i < 4; i++)
            value[l][i] = output(&c, s, names[i]);
        trm_simulation_destroy(s);
        model_close(&c);
    }
    for (int i = 0; i < 4; i++)
        if (!(fabs(value[RIGID][i] - value[ELASTIC][i]) < 0.01 * fabs(value[RIGID][i])))
            fail_msg("%s: %.8g, elastic %.8g", names[i], value[RIGID][i], value[ELASTIC][i]);
}

static void keep_warnings(trm_log_level level, const char *text, void *user)
{
    char *all = user;
    size_t length = strlen(all);
    if (level == TRM_LOG_WARNING)
        snprintf(all + length, 2000 - length, "%s\n", text);
}

// A crane lifts the set by 18 kN/s at 0.3 m to the left: the left wheel is relieved when it carries
// nothing of 17.8 kN, at lift t (0.75 + 0.3)/1.5 = 8.9 kN, t = 0.706.
static void test_rail_wheel_that_lifts_off_is_reported(void **state)
{
    (void)state;
    static const char *const expected[LAWS] = {
        [RIGID] = "the wheel of 'left.contact' would lift off its rail: the contact pulls with ",
        [ELASTIC] = "the wheel of 'left.contact' lifts off its rail: it is "};
    for (int l = RIGID; l <= ELASTIC; l += ELASTIC - RIGID) {
        model_case c;
        char text[2000] = "";
        open_law(&c, &laws[l], (const char *const[]){"parameters.lift=18000", NULL});
        trm_options options = *trm_model_options(c.model);
        trm_simulation *s;
        options.log = keep_warnings;
        options.user = text;
        if (trm_simulation_create(&s, c.system, &options, trm_instance_initial(c.instance),
                                  &c.error) != TRM_OK)
            fail_msg("%s", c.error.text);
        run_to(s, 0.65);
        assert_string_equal(text, "");
        run_to(s, 0.8);
        const char *found = strstr(text, expected[l]);
        if (!found || strstr(found + 1, expected[l]))
            fail_msg("reported: %s", text);
        double t;
        assert_int_equal(sscanf(text, "t = %lf", &t), 1);
        assert_true(t > 0.69 && t < 0.75);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// Below `slow`, 0.1 m/s, creepages refer to that: a set that hardly moves rolls on. One that is
// pushed back rolls back. Both stay in the middle of the track: the wheels are mirror images.
static void test_rail_slowly_and_backwards(void **state)
{
    (void)state;
    static const double speed[] = {0.02, -3};
    for (int l = 0; l < LAWS; l++)
        for (int k = 0; k < 2; k++) {
            model_case c;
            char along[60], turning[60];
            snprintf(along, sizeof along, "mechanism.joints.place.start.x_rate=%g", speed[k]);
            snprintf(turning, sizeof turning, "mechanism.joints.spin.start.rate=%.17g",
                     speed[k] / 0.46);
            open_law(&c, &laws[l],
                     (const char *const[]){along, turning, "mechanism.joints.slide.start.rate=0",
                                           "mechanism.joints.place.start.yaw=0", NULL});
            trm_simulation *s = start(&c);
            run_to(s, 0.5);
            double x = channel(&c, s, "set_x");
            if (!(fabs(x - 0.5 * speed[k]) < 1e-3 && fabs(output(&c, s, "y")) < 1e-9))
                fail_msg("%s: x %.8g, y %.3g", laws[l].joint, x, output(&c, s, "y"));
            trm_simulation_destroy(s);
            model_close(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rail_derivatives_are_exact),
        cmocka_unit_test(test_rail_coordinates_agree),
        cmocka_unit_test(test_rail_elastic_contact_approaches_the_rigid_one),
        cmocka_unit_test(test_rail_wheel_that_lifts_off_is_reported),
        cmocka_unit_test(test_rail_slowly_and_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
