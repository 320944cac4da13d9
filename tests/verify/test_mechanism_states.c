// SPDX-License-Identifier: Apache-2.0
// States, algebraic variables, inputs and definitions beside a mechanism: against the same machine
// by its equations, in both kinds of coordinates and formalisms; derivatives against differences.
#include "mechanism_runs.h"

// values of the first outputs at the end of a run
static void outputs_at(const char *text, const char *path, const char *const *set, double end,
                       double *value)
{
    model_case c;
    model_try(&c, text, path, set);
    model_instantiate(&c);
    trm_simulation *s = start(&c);
    run_to(s, end);
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    trm_simulation_destroy(s);
    model_close(&c);
}

// examples/mechanisms/motor-slider-crank.yaml by hand: q = (angle of the crank, place of the
// slider), a massless rod between them
#define MOTOR_EQUATIONS                                                                            \
    "trammel: 1\n"                                                                                 \
    "parameters: {R: 0.8, L: 4e-3, k: 0.12, kp: 0.6, ki: 4, r: 0.15, l: 0.4}\n"                    \
    "equations:\n"                                                                                 \
    "  define: {error: \"20*tanh(t/0.1) - w\", voltage: \"kp*error + ki*memory\"}\n"               \
    "  coordinates: {phi: w, x: v}\n"                                                              \
    "  mass: [5e-3, 0.6]\n"                                                                        \
    "  force: [\"k*current\", \"-15*sin(7*t) - 3*v\"]\n"                                           \
    "  constraints: {rod: \"((x - r*cos(phi))^2 + (r*sin(phi))^2 - l^2)/(2*l)\"}\n"                \
    "  states: {current: \"(voltage - R*current - k*w)/L\", memory: error}\n"                      \
    "initial: {values: {x: 0.55}}\n"                                                               \
    "outputs: {speed: w, stroke: \"x - r - l\", torque: \"k*current\"}\n"                          \
    "simulate: {end: 2, integrator: radau, tolerance: 1e-9}\n"

// Both runs keep 1e-9 in a step; the speed of 20 rad/s after 2 s agrees to 1e-7 of it.
static void test_mechanism_states_motor_is_that_of_its_equations(void **state)
{
    (void)state;
    static const char *const ways[][5] = {
        {"mechanism.coordinates=joint", "mechanism.formalism=residual"},
        {"mechanism.coordinates=joint", "mechanism.formalism=explicit"},
        {"mechanism.coordinates=absolute", "mechanism.formalism=residual"},
    };
    double reference[3], value[3];
    outputs_at(MOTOR_EQUATIONS, "m.yaml", NULL, 2, reference);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const char *const set[] = {ways[k][0], ways[k][1], "simulate.tolerance=1e-9",
                                   "simulate.integrator=radau", NULL};
        outputs_at(NULL, "examples/mechanisms/motor-slider-crank.yaml", set, 2, value);
        for (int i = 0; i < 3; i++)
            assert_near(value[i], reference[i], 2e-6);
    }
}

// every kind of unknown in every kind of formula, signals of all kinds
#define EVERYTHING                                                                                 \
    "trammel: 1\n"                                                                                 \
    "tables: {curve: {points: [[-2, 1], [0, 0.2], [1, 0.5], [3, 2]], interpolation: spline}}\n"    \
    "mechanism:\n"                                                                                 \
    "  gravity: [0, 0, -9.81]\n"                                                                   \
    "  inputs: {u: \"0.3*sin(4*t)\", w: \"u^2 + t\"}\n"                                            \
    "  define:\n"                                                                                  \
    "    lag: \"s - tip_travel\"\n"                                                                \
    "    both: \"lag*z + u*d(w) - table(curve, arm_z)\"\n"                                         \
    "  states:\n"                                                                                  \
    "    s: {rate: \"both - s + fore_y*arm_x_rate\", start: 0.4}\n"                                \
    "    p: \"sin(s)*p + dd(u) + link_length*link_rate\"\n"                                        \
    "  algebraic:\n"                                                                               \
    "    z: {zero: \"z^3 + 2*z - s*tip_angle - w + p\", start: 0.3}\n"                             \
    "    y: \"y + exp(-y) - 2 + z*arm_x\"\n"                                                       \
    "  bodies:\n"                                                                                  \
    "    arm: {mass: 2, center: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"                         \
    "    fore: {mass: 1, center: [1.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"                        \
    "    cart: {mass: 1, center: [2, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                           \
    "  joints:\n"                                                                                  \
    "    shoulder: {revolute: {between: [ground, arm], at: [0, 0, 0], axis: y},\n"                 \
    "               motion: \"0.2 + w\"}\n"                                                        \
    "    elbow: {spherical: {between: [arm, fore], at: [1, 0, 0]}}\n"                              \
    "    tip: {cylindrical: {between: [fore, cart], at: [2, 0, 0], axis: [1, 0.2, 0]}}\n"          \
    "  forces:\n"                                                                                  \
    "    link: {spring: {between: [ground, cart], from: [2, 0, 1], to: [2, 0, 0], stiffness: 5,\n" \
    "           force: \"both + y\"}}\n"                                                           \
    "    push: {force: {on: fore, at: [1.6, 0.1, 0],\n"                                            \
    "           value: [\"s*z\", \"p + u\", \"-y*arm_z_rate*d(u)\"], axes: body}}\n"               \
    "    turn: {torque: {on: cart, value: \"z^2 - both\", axis: z}}\n"                             \
    "simulate: {end: 1}\n"

// The largest error that trm_system_check_derivatives finds is that of the differences.
static void test_mechanism_states_derivatives_are_exact(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        model_case c;
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, EVERYTHING, "m.yaml", set);
        model_instantiate(&c);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            const model_point p = model_near(c.system, trm_instance_initial(c.instance), 0.1, seed);
            const trm_state at = model_view(&p);
            trm_status status = trm_system_check_derivatives(c.system, &at, 1e-6, NULL, &c.error);
            if (status != TRM_OK)
                fail_msg("%s %s: %s", coordinates[k], c.error.item, c.error.text);
        }
        model_close(&c);
    }
}

// Outputs may name those above them, and events outputs.
static void test_mechanism_states_outputs_name_outputs(void **state)
{
    (void)state;
    double value[3];
    outputs_at(
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies: {a: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
        "  joints: {j: {prismatic: {between: [ground, a], at: [0, 0, 0], axis: x}, "
        "motion: way}}\n"
        "  forces: {f: {actuator: {joint: j, damping: 1}}}\n"
        "  coordinates: absolute\n"
        "outputs: {ramp: \"min(t, 1)\", way: \"10*ramp^3 + t^4\", twice: \"2*way + 0*a_x\"}\n"
        "simulate: {end: 0.5}\n",
        "m.yaml", NULL, 0.5, value);
    assert_near(value[0], 0.5, 1e-12);
    assert_near(value[1], 1.25 + 0.0625, 1e-12);
    assert_near(value[2], 2.625, 1e-12);
}

// examples/mechanisms/hydraulic-arm.yaml by hand: angle, rate and two pressures, the length of the
// cylinder by Pythagoras, the classical method of Runge and Kutta with 40000 steps: at t = 2.5 s
// angle 0.14848744964, force 17712.4791872 N, pressures 4311220.68437 and 4086590.41003 Pa (20000
// steps: the same). A relative 1e-9 in a step of 2000 leaves 1e-7.
static void test_mechanism_states_hydraulics_are_those_of_their_equations(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {coordinates[k], "simulate.tolerance=1e-9", NULL};
        double value[3];
        outputs_at(NULL, "examples/mechanisms/hydraulic-arm.yaml", set, 2.5, value);
        assert_near(value[0], 0.14848744964, 1e-7);
        assert_near(value[1], 17712.4791872, 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_states_motor_is_that_of_its_equations),
        cmocka_unit_test(test_mechanism_states_derivatives_are_exact),
        cmocka_unit_test(test_mechanism_states_hydraulics_are_those_of_their_equations),
        cmocka_unit_test(test_mechanism_states_outputs_name_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
