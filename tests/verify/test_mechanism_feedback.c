// SPDX-License-Identifier: Apache-2.0
// Forces and reactions by name inside formulas of forces, rates and equations: closed forms, and
// exact derivatives against differences where everything depends on everything.
#include "mechanism_runs.h"

// A block of 2 kg on a guide, pressed on it by 5 N: N = 2*9.81 + 5, and a brake of 0.3 N slows it
// down. x = v t - 0.3 N/m t^2/2, and the heat of the brake is 0.3 N x.
static void test_mechanism_feedback_brake_of_the_reaction(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  plane: xy\n"
        "  gravity: [0, -9.81]\n"
        "  bodies: {block: {mass: 2, center: [0, 0], inertia: 0.1}}\n"
        "  joints:\n"
        "    guide: {prismatic: {between: [ground, block], at: [0, 0], axis: x}, start: {rate: "
        "3}}\n"
        "  forces:\n"
        "    press: {force: {body: block, at: [0, 0], value: [0, -5]}}\n"
        "    brake: {actuator: {joint: guide, effort: \"-0.3*guide_fy\"}}\n"
        "  states: {heat: {rate: \"-brake_power\"}, push: {rate: \"press_fy\"}}\n"
        "outputs: {x: guide_travel, N: guide_fy, heat: heat, push: push}\n"
        "simulate: {end: 1, tolerance: 1e-9}\n";
    for (int k = 0; k < 2; k++) {
        double value[4], t = 0.7, N = 2 * 9.81 + 5, x = 3 * t - 0.3 * N / 2 * t * t / 2;
        run_outputs(model, k, t, value);
        // polynomials of order 2: what is left is the tolerance of the run
        assert_near(value[0], x, 1e-8);
        assert_near(value[1], N, 1e-7);
        assert_near(value[2], 0.3 * N * x, 1e-7);
        assert_near(value[3], -5 * t, 1e-8);
    }
}

// A mass of 1 kg on a spring of 100 N/m: the impulse of the spring is the change of momentum,
// v = -10 sin 10t from x = 1, and an algebraic variable is its force.
static void test_mechanism_feedback_impulse_of_a_spring(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies: {mass: {mass: 1, center: [2, 0, 0], inertia: [1, 1, 1]}}\n"
        "  joints:\n"
        "    guide: {prismatic: {between: [ground, mass], at: [2, 0, 0], axis: x}, start: {travel: "
        "1}}\n"
        "  forces:\n"
        "    s: {spring: {between: [ground, mass], from: [0, 0, 0], to: [2, 0, 0], stiffness: "
        "100}}\n"
        "  states: {impulse: {rate: \"s_force\"}}\n"
        "  algebraic: {f: {zero: \"f + s_fx\"}}\n"
        "outputs: {impulse: impulse, f: f}\n"
        "simulate: {end: 1, tolerance: 1e-9}\n";
    for (int k = 0; k < 2; k++) {
        double value[2], t = 0.77;
        run_outputs(model, k, t, value);
        // of the run, over 1.2 periods
        assert_near(value[0], 10 * sin(10 * t), 1e-6);
        assert_near(value[1], 100 * cos(10 * t), 1e-5);
    }
}

// Everything from everything: wrenches of a bushing between bodies that both move, reactions of
// joints that are cut, forces that use forces, in rates and equations as well.
static void test_mechanism_feedback_derivatives_agree(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  gravity: [0.3, -9.81, 0.5]\n"
        "  bodies:\n"
        "    base: {mass: 2, center: [0.2, 0.1, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.15, xy: "
        "0.02}}\n"
        "    arm: {mass: 1, center: [1, 0.2, 0.1], inertia: [0.1, 0.2, 0.15]}\n"
        "    ball: {mass: 1, center: [2, 0.3, 0.4], inertia: [0.1, 0.2, 0.15]}\n"
        "  joints:\n"
        "    pivot: {revolute: {between: [ground, base], at: [0, 0, 0], axis: z}, start: {angle: "
        "0.3, rate: 1}}\n"
        "    pin: {revolute: {between: [base, arm], at: [0.5, 0, 0], axis: [0.2, 0.3, 1]}, start: "
        "{angle: -0.2, rate: 2}, friction: {static: 0.2, radius: 0.1, slip: 5, stick: 0}}\n"
        "    tip: {spherical: {between: [arm, ball], at: [1.5, 0, 0.3]}, start: {spin: [1, 2, 3], "
        "rotation: [0.1, 0.2, 0.3]}}\n"
        "  forces:\n"
        "    s: {spring: {between: [ground, ball], from: [0, 1, 0], to: [2, 0.5, 0.5], stiffness: "
        "20, damping: 2}}\n"
        "    b: {bushing: {between: [base, ball], at: [1.7, 0, 0.3], stiffness: [10, 20, 30], "
        "damping: [1, 2, 3], rotation_stiffness: [1, 2, 3], rotation_damping: [0.1, 0.2, 0.3]}}\n"
        "    m: {actuator: {joint: pivot, effort: \"-0.3*s_force*sin(pivot_angle) + 0.1*y + "
        "b_mx\"}}\n"
        "    push: {force: {body: arm, at: [1, 0, 0], value: [\"0.1*pin_fx\", \"0.2*b_fy\", "
        "\"0.05*pin_mz + 0.01*m_effort\"]}}\n"
        "    tq: {torque: {between: [base, ball], value: [\"0.1*push_fz\", \"0.3*tip_fy\", "
        "\"0.01*s_power + 0.1*pin_friction\"]}}\n"
        "  states: {y: {rate: \"-y + 0.1*pin_fy + s_force\"}}\n"
        "  algebraic: {w: {zero: \"w^3 + w - 0.1*tip_fx - b_fz - 0.2*push_fx\"}}\n"
        "outputs: {a: pin_fx, b: s_force, y: y, w: w}\n"
        "simulate: {end: 1, tolerance: 1e-7, integrator: radau-adaptive}\n";
    double value[2][4];
    for (int k = 0; k < 2; k++) {
        model_case c;
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, model, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        const trm_state *at = trm_simulation_state(s);
        // central differences of the check: 1e-8 of the largest entries
        if (trm_system_check_derivatives(c.system, at, 1e-6, NULL, &c.error) != TRM_OK)
            fail_msg("%s", c.error.text);
        trm_simulation_destroy(s);
        model_close(&c);
        run_outputs(model, k, 0.5, value[k]);
    }
    for (int i = 0; i < 4; i++) // the run, with forces of order 10
        assert_near(value[0][i], value[1][i], 1e-5);
}

// A driven crank with a gear by formula: a state that integrates the power of the drive is its
// work, which is what kinetic and potential energy gain.
static void test_mechanism_feedback_work_of_a_drive(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  gravity: [0, -9.81, 0]\n"
        "  bodies:\n"
        "    crank: {mass: 1, center: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
        "    wheel: {mass: 1, center: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
        "    free: {mass: 1, center: [2, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
        "  joints:\n"
        "    drive: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, motion: "
        "\"2*t^2\"}\n"
        "    axle: {revolute: {between: [ground, wheel], at: [1, 0, 0], axis: z}}\n"
        "    gear: {relation: {zero: \"axle_angle + 2*drive_angle\"}}\n"
        "    other: {revolute: {between: [ground, free], at: [2, 0, 0], axis: z}}\n"
        "  forces: {follow: {actuator: {joint: other, effort: gear_effort}}}\n"
        "  states: {work: {rate: \"drive_effort*drive_rate\"}}\n"
        "outputs: {work: work, rate: other_rate}\n"
        "simulate: {end: 1, tolerance: 1e-9}\n";
    for (int k = 0; k < 2; k++) {
        double value[2], t = 0.8, w = 4 * t;
        run_outputs(model, k, t, value);
        // crank about its pin 0.1 + 0.09, wheel with -2 w; 2 t^2 turned up
        double T = (0.19 * w * w + 0.1 * 4 * w * w) / 2, V = 9.81 * 0.3 * sin(2 * t * t);
        assert_near(value[0], T + V, 1e-6);
        // the gear turns the wheel with J (-2 w'): minus 0.1*8 N m all the time, on J = 0.1
        assert_near(value[1], -8 * t, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_feedback_brake_of_the_reaction),
        cmocka_unit_test(test_mechanism_feedback_impulse_of_a_spring),
        cmocka_unit_test(test_mechanism_feedback_derivatives_agree),
        cmocka_unit_test(test_mechanism_feedback_work_of_a_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
