// SPDX-License-Identifier: Apache-2.0
// Forces from shared objects with parameters and signals: the same motion as with formulas, exact
// derivatives against differences, in both coordinates.
#include "mechanism_runs.h"

// An arm on a driven base, a ball on the arm: the force on the ball uses measures of another joint,
// a state, an algebraic variable and the force of a spring; a rate uses the force itself.
static const char model[] =
    "trammel: 1\n"
    "parameters: {gain: 4}\n"
    "mechanism:\n"
    "  gravity: [0.3, -9.81, 0.5]\n"
    "  bodies:\n"
    "    base: {mass: 2, center: [0.2, 0.1, 0], inertia: [0.1, 0.2, 0.15]}\n"
    "    arm: {mass: 1, center: [1, 0.2, 0.1], inertia: [0.1, 0.2, 0.15]}\n"
    "    ball: {mass: 1, center: [2, 0.3, 0.4], inertia: [0.1, 0.2, 0.15]}\n"
    "  joints:\n"
    "    pivot: {revolute: {between: [ground, base], at: [0, 0, 0], axis: z}, start: {angle: 0.3, "
    "rate: 1}}\n"
    "    pin: {revolute: {between: [base, arm], at: [0.5, 0, 0], axis: [0.2, 0.3, 1]}, start: "
    "{angle: -0.2, rate: 2}}\n"
    "    tip: {spherical: {between: [arm, ball], at: [1.5, 0, 0.3]}, start: {spin: [1, 2, 3]}}\n"
    "  points: {eye: {body: ball, at: [2, 0.5, 0.5]}}\n"
    "  forces:\n"
    "    s: {spring: {between: [ground, ball], from: [0, 1, 0], to: [2, 0.5, 0.5], stiffness: 20, "
    "damping: 2}}\n"
    "    u: %s\n"
    "  states: {y: {rate: \"-y + 0.1*u_fx + 0.01*u_power\"}}\n"
    "  algebraic: {w: {zero: \"w^3 + w - 0.1*u_fy - pivot_angle\"}}\n"
    "outputs: {a: pivot_angle, b: pin_rate, y: y, w: w}\n"
    "events: {change: {when: \"t - 0.2\", set: {gain: 2.5}}}\n"
    "simulate: {end: 1, tolerance: 1e-8, integrator: radau-adaptive}\n";

#define LOAD "s_force + 2*y + 0.1*w*pin_fy"
#define CODE(name)                                                                                 \
    "{user: {between: [ground, ball], at: [2, 0.5, 0.5], library: " LIBRARIES                      \
    "/mix.so, name: " name ", parameters: {shift: 30 mm, gain: gain}, signals: {rate: pin_rate, "  \
    "angle: pivot_angle, load: \"" LOAD "\"}}}"

// what mix.c computes
static const char formula[] =
    "{force: {body: ball, at: [2, 0.5, 0.5], value: [\"-gain*(eye_x - 2)*pivot_angle^2 - 0.3*(" LOAD
    ")\", \"-gain*eye_y_rate*pin_rate + 0.03*sin((" LOAD
    ")/10)\", \"-pivot_angle*(eye_z - 0.5)\"]}}";

static void run_with(const char *force, int k, bool derivatives, double *value)
{
    char text[4000];
    model_case c;
    const char *const set[] = {coordinates[k], NULL};
    snprintf(text, sizeof text, model, force);
    model_try(&c, text, "m.yaml", set);
    model_instantiate(&c);
    trm_simulation *s = start(&c);
    const trm_state *at = trm_simulation_state(s);
    // central differences of the check: 1e-8 of the largest entries
    if (derivatives && trm_system_check_derivatives(c.system, at, 1e-6, NULL, &c.error) != TRM_OK)
        fail_msg("%s", c.error.text);
    assert_int_equal(trm_simulation_watch(s, trm_instance_events(c.instance)), TRM_OK);
    assert_int_equal(trm_simulation_run(s, 0.5), TRM_STOP_EVENT);
    assert_int_equal(trm_instance_event(c.instance, s, 0), TRM_OK);
    run_to(s, 0.5);
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    trm_simulation_destroy(s);
    model_close(&c);
}

static void test_mechanism_user_code_moves_as_formulas_do(void **state)
{
    (void)state;
    double expected[4], value[4];
    run_with(formula, 0, true, expected);
    static const char *const codes[] = {CODE("mix"), CODE("rough")};
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < 2; k++) {
            run_with(codes[n], k, true, value);
            for (int i = 0; i < 4; i++) // tolerance 1e-8 of values of order 1, over 0.5 s
                assert_near(value[i], expected[i], 1e-6);
        }
}

// headers from before there were parameters and signals
static void test_mechanism_user_code_of_earlier_headers_runs(void **state)
{
    (void)state;
    double value[4];
    run_with("{user: {between: [ground, ball], at: [2, 0.5, 0.5], library: " LIBRARIES
             "/mix.so, name: first}}",
             0, true, value);
}

static void assert_said(const char *more, const char *said)
{
    char text[1000];
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "mechanism:\n"
             "  bodies: {cart: {mass: 4, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
             "  joints: {rail: {prismatic: {between: [ground, cart], at: [0, 0, 0], axis: x}}}\n"
             "  forces:\n"
             "    f:\n"
             "      user:\n"
             "        library: " LIBRARIES "/mix.so\n"
             "        between: [ground, cart]\n"
             "        at: [0, 0, 0]\n"
             "%s"
             "simulate: {end: 1}\n",
             more);
    model_case c;
    model_try(&c, text, "m.yaml", NULL);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_string_equal(c.said, said);
    model_close(&c);
}

static void test_mechanism_user_code_wrong_arguments(void **state)
{
    (void)state;
    assert_said("        name: mix\n"
                "        parameters: {gian: 1, shift: 0}\n"
                "        signals: {angle: rail_travel, rate: rail_rate, load: 0, more: 1}\n",
                "m.yaml:12:22: error: 'mix' has no parameter 'gian'; did you mean 'gain'?\n"
                "            parameters: {gian: 1, shift: 0}\n"
                "                         ^~~~\n"
                "m.yaml:13:65: error: 'mix' has no signal 'more'\n"
                "            signals: {angle: rail_travel, rate: rail_rate, load: 0, more: 1}\n"
                "                                                                    ^~~~\n");
    assert_said("        name: mix\n"
                "        parameters: {gain: rail_travel, shift: 0}\n"
                "        signals: {angle: rail_angle, rate: f_fx, load: 0}\n",
                "m.yaml:12:28: error: 'rail_travel' is a measure; parameter 'gain' may depend on "
                "parameters only\n"
                "            parameters: {gain: rail_travel, shift: 0}\n"
                "                               ^~~~~~~~~~~\n"
                "m.yaml:13:26: error: 'rail_angle' is not defined\n"
                "            signals: {angle: rail_angle, rate: f_fx, load: 0}\n"
                "                             ^~~~~~~~~~\n");
    assert_said("        name: mix\n"
                "        signals: {angle: rail_travel, rate: rail_rate, load: 0}\n",
                "m.yaml:7:7: error: 'mix' needs the parameter 'gain', at the key 'parameters'\n"
                "          user:\n"
                "          ^~~~\n"
                "m.yaml:7:7: error: 'mix' needs the parameter 'shift', at the key 'parameters'\n"
                "          user:\n"
                "          ^~~~\n");
    assert_said("        name: first\n"
                "        parameters: {gain: 1}\n",
                "m.yaml:12:22: error: 'first' has no parameter 'gain'\n"
                "            parameters: {gain: 1}\n"
                "                         ^~~~\n");
    assert_said("        name: mix\n"
                "        parameters: [1, 2]\n"
                "        signals: {angle: rail_travel, rate: rail_rate, load: 0}\n",
                "m.yaml:12:21: error: 'parameters' must be a map, not a list\n"
                "            parameters: [1, 2]\n"
                "                        ^\n");
    assert_said("        name: empty\n",
                "m.yaml:11:15: error: empty: it gives neither 'force' nor 'law'\n"
                "            name: empty\n"
                "                  ^~~~~\n");
    assert_said("        name: mix\n"
                "        parameters: {gain: 1, shift: 0}\n"
                "        signals: {angle: f_fx, rate: rail_rate, load: 0}\n",
                "m.yaml:13:26: error: force 'f' is defined by itself\n"
                "            signals: {angle: f_fx, rate: rail_rate, load: 0}\n"
                "                             ^~~~\n");
}

// ---- constraints -----------------------------------------------------------------------------

// a crank that lifts a follower; lift changes on the way, at a moment when it has no effect on
// positions: the angle of the cam is 0 there
static const char cam_model[] =
    "trammel: 1\n"
    "parameters: {lift: 0.2}\n"
    "mechanism:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    crank: {mass: 2, center: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "    follower: {mass: 1, center: [0, 0, 1], inertia: [0.1, 0.1, 0.1]}\n"
    "  joints:\n"
    "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: x}, start: {angle: 0.4, "
    "rate: 3}}\n"
    "    guide: {prismatic: {between: [ground, follower], at: [0, 0, 1], axis: z}}\n"
    "    cam: {relation: %s}\n"
    "outputs: {a: pivot_angle, b: pivot_rate, c: follower_z, d: lambda_cam_zero}\n"
    "simulate: {end: 1, tolerance: 1e-8, integrator: radau-adaptive}\n";

#define CAM(name)                                                                                  \
    "{library: " LIBRARIES "/mix.so, name: " name                                                  \
    ", parameters: {lift: \"2*lift\"}, signals: {height: \"guide_travel - 0.01*sin(t)\", angle: "  \
    "\"pivot_angle + 0.1*t^2\"}}"

static const char cam_formula[] =
    "{zero: \"(guide_travel - 0.01*sin(t))*(1 + guide_travel - 0.01*sin(t)) - "
    "2*lift*sin(pivot_angle + 0.1*t^2)^2\"}";

static trm_status run_cam(const char *cam, int k, double *value, trm_error *error)
{
    char text[4000];
    model_case c;
    const char *const set[] = {coordinates[k], NULL};
    snprintf(text, sizeof text, cam_model, cam);
    model_try(&c, text, "m.yaml", set);
    model_instantiate(&c);
    trm_simulation *s = start(&c);
    // central differences of the check: 1e-8 of the largest entries
    if (trm_system_check_derivatives(c.system, trm_simulation_state(s), 1e-6, NULL, &c.error) !=
        TRM_OK)
        fail_msg("%s", c.error.text);
    trm_status status = trm_simulation_run(s, 0.5);
    *error = *trm_simulation_error(s);
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    trm_simulation_destroy(s);
    model_close(&c);
    return status;
}

static void test_mechanism_user_code_constrains_as_formulas_do(void **state)
{
    (void)state;
    static const char *const codes[] = {CAM("cam"), CAM("rough_cam")};
    double expected[4], value[4];
    trm_error error;
    assert_int_equal(run_cam(cam_formula, 0, expected, &error), TRM_OK);
    assert_true(expected[2] > 1.1); // it was lifted
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < 2; k++) {
            if (run_cam(codes[n], k, value, &error) != TRM_OK)
                fail_msg("%s", error.text);
            for (int i = 0; i < 4; i++) // tolerance 1e-8; forces of order 20, velocities of 3
                assert_near(value[i], expected[i], 1e-5);
        }
}

// it runs as far as the constraint has a value, and the error is the one of formulas
static void test_mechanism_user_code_constraint_without_value(void **state)
{
    (void)state;
    double value[4];
    trm_error error;
    assert_int_not_equal(run_cam(CAM("no_cam"), 0, value, &error), TRM_OK);
    assert_near(value[0], 0.5, 0.01); // the angle, 0.1 t^2 more there
    assert_contains(error.text, "is nan");
}

static void assert_cam_said(const char *more, const char *said)
{
    char text[1000];
    model_case c;
    snprintf(text, sizeof text,
             "trammel: 1\n"
             "mechanism:\n"
             "  bodies: {cart: {mass: 4, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
             "  joints:\n"
             "    rail: {planar: {between: [ground, cart], at: [0, 0, 0], axis: z}}\n"
             "    cam:\n"
             "      relation:\n"
             "%ssimulate: {end: 1}\n",
             more);
    model_try(&c, text, "m.yaml", NULL);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_string_equal(c.said, said);
    model_close(&c);
}

static void test_mechanism_user_code_wrong_constraints(void **state)
{
    (void)state;
    assert_cam_said(
        "        library: " LIBRARIES "/mix.so\n"
        "        signals: {angle: cart_x, height: cart_y}\n",
        "m.yaml:7:7: error: the key 'name' is missing: the function that the library exports\n"
        "          relation:\n"
        "          ^~~~~~~~\n");
    assert_cam_said("        zero: cart_x\n"
                    "        signals: {angle: cart_x}\n",
                    "m.yaml:9:9: error: 'signals' goes with 'library', not with 'zero'\n"
                    "            signals: {angle: cart_x}\n"
                    "            ^~~~~~~\n");
    assert_cam_said(
        "        name: cam\n"
        "        library: " LIBRARIES "/mix.so\n"
        "        zero: cart_x\n",
        "m.yaml:10:9: error: 'zero' beside 'library': exactly one of zero, library is accepted\n"
        "            zero: cart_x\n"
        "            ^~~~\n");
    assert_cam_said("        library: " LIBRARIES "/mix.so\n"
                    "        name: cam\n"
                    "        parameters: {lift: 1}\n"
                    "        signals: {angle: cart_x_rate, hight: cart_y}\n",
                    "m.yaml:11:39: error: 'cam' has no signal 'hight'; did you mean 'height'?\n"
                    "            signals: {angle: cart_x_rate, hight: cart_y}\n"
                    "                                          ^~~~~\n"
                    "m.yaml:11:26: error: 'cart_x_rate' is a rate; signal 'angle' may depend on t "
                    "and positions only\n"
                    "            signals: {angle: cart_x_rate, hight: cart_y}\n"
                    "                             ^~~~~~~~~~~\n");
    assert_cam_said("        library: " LIBRARIES "/mix.so\n"
                    "        name: cam\n"
                    "        parameters: {lift: 1}\n"
                    "        signals: {angle: t, height: 0}\n",
                    "m.yaml:9:15: error: the signals of this function name no measure, point or "
                    "body: it constrains nothing\n"
                    "            name: cam\n"
                    "                  ^~~\n");
    assert_cam_said("        library: " LIBRARIES "/mix.so\n"
                    "        name: empty_cam\n",
                    "m.yaml:9:15: error: empty_cam: it gives no 'constraint'\n"
                    "            name: empty_cam\n"
                    "                  ^~~~~~~~~\n");
    assert_cam_said("        library: " LIBRARIES "/mix.so\n"
                    "        name: mix\n",
                    "m.yaml:9:15: error: mix: it gives no 'constraint'\n"
                    "            name: mix\n"
                    "                  ^~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_user_code_moves_as_formulas_do),
        cmocka_unit_test(test_mechanism_user_code_of_earlier_headers_runs),
        cmocka_unit_test(test_mechanism_user_code_wrong_arguments),
        cmocka_unit_test(test_mechanism_user_code_constrains_as_formulas_do),
        cmocka_unit_test(test_mechanism_user_code_constraint_without_value),
        cmocka_unit_test(test_mechanism_user_code_wrong_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
