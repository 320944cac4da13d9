// SPDX-License-Identifier: Apache-2.0
// Parts that are used several times: the walker of six legs against intersections of circles.
#include "mechanism_runs.h"

typedef struct place {
    double x, y;
} place;

// the point at distance r from P and s from Q; side 1: to the left of the way from P to Q
static place meet(place P, double r, place Q, double s, double side)
{
    double dx = Q.x - P.x, dy = Q.y - P.y, d = hypot(dx, dy);
    double a = (r * r - s * s + d * d) / (2 * d), h = side * sqrt(r * r - a * a);
    return (place){P.x + (a * dx - h * dy) / d, P.y + (a * dy + h * dx) / d};
}

// Theo Jansen's leg, lengths in metres; mirrored for side -1
static place toe(double angle, double side)
{
    const place B = {-0.38, -0.078}, Z = {side * 0.15 * cos(angle), 0.15 * sin(angle)};
    place X = meet(B, 0.415, Z, 0.5, 1), Y = meet(B, 0.393, Z, 0.619, -1);
    place W = meet(B, 0.401, X, 0.558, 1), V = meet(W, 0.394, Y, 0.367, -1);
    place T = meet(V, 0.657, Y, 0.49, -1);
    return (place){side * T.x, T.y};
}

static void assert_near(double is, double should, double within)
{
    if (!(fabs(is - should) <= within))
        fail_msg("%.12g, not %.12g", is, should);
}

// The toes are where the angle of the shaft puts them, to the accuracy of the constraints.
static void test_mechanism_parts_legs_walk(void **state)
{
    (void)state;
    const double third = 2 * 3.14159265358979323846 / 3;
    for (int k = 0; k < 2; k++) {
        model_case c;
        double value[6];
        const char *const set[] = {coordinates[k], NULL};
        model_open(&c, "examples/mechanisms/walker.yaml", set);
        trm_simulation *s = start(&c);
        for (double t = 0.25; t < 0.9; t += 0.25) {
            run_to(s, t);
            trm_instance_outputs(c.instance, trm_simulation_state(s), value);
            place left = toe(value[4], 1), right = toe(value[4] + 2.5 * third, -1);
            assert_near(value[0], left.x, 1e-8);
            assert_near(value[1], left.y, 1e-8);
            assert_near(value[2], right.x, 1e-8);
            assert_near(value[3], right.y, 1e-8);
        }
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// Two pendulums from a part with states, samples, tables and multipliers are those written by hand.
#define PENDULUM(name, l)                                                                          \
    "    " name "rod: {mass: 1, center: [0, -" l ", 0], inertia: [0.1, 0.1, 0.1]}\n"
static void test_mechanism_parts_are_what_is_written_out(void **state)
{
    (void)state;
    static const char by_hand[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  gravity: [0, -9.81, 0]\n"
        "  bodies:\n" PENDULUM("a_", "0.5") PENDULUM(
            "b_", "0.8") "  joints:\n"
                         "    a_pin: {revolute: {between: [ground, a_rod], at: [0, 0, 0], axis: "
                         "z}, start: {angle: 1}}\n"
                         "    b_pin: {revolute: {between: [ground, b_rod], at: [0, 0, 0], axis: "
                         "z}, start: {angle: 1}}\n"
                         "  states: {a_memory: \"a_pin_angle - a_memory\", b_memory: \"b_pin_angle "
                         "- b_memory\"}\n"
                         "  forces:\n"
                         "    a_drive: {actuator: {joint: a_pin, effort: \"-2*a_memory*0.5\"}}\n"
                         "    b_drive: {actuator: {joint: b_pin, effort: \"-2*b_memory*0.8\"}}\n"
                         "outputs: {a: a_pin_angle, b: \"b_pin_angle + b_memory\"}\n"
                         "simulate: {end: 1}\n";
    static const char with_parts[] =
        "trammel: 1\n"
        "parts:\n"
        "  swing:\n"
        "    parameters: {l: 0.5, gain: \"2*l\"}\n"
        "    bodies: {rod: {mass: 1, center: [0, \"-l\", 0], inertia: [0.1, 0.1, 0.1]}}\n"
        "    joints: {pin: {revolute: {between: [ground, rod], at: [0, 0, 0], axis: z},\n"
        "             start: {angle: 1}}}\n"
        "    states: {memory: \"pin_angle - memory\"}\n"
        "    forces: {drive: {actuator: {joint: pin, effort: \"-gain*memory\"}}}\n"
        "    outputs: {sum: \"pin_angle + memory\"}\n"
        "use: {a: {part: swing}, b: {part: swing, with: {l: 0.8}}}\n"
        "mechanism: {gravity: [0, -9.81, 0]}\n"
        "outputs: {a: a.pin_angle, b: \"b.pin_angle + b.memory\"}\n"
        "simulate: {end: 1}\n";
    double value[2][4];
    for (int k = 0; k < 2; k++) {
        model_case c;
        model_read(&c, k ? with_parts : by_hand);
        trm_simulation *s = start(&c);
        run_to(s, 1);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value[k]);
        trm_simulation_destroy(s);
        model_close(&c);
    }
    // the same formulas up to the order of products
    assert_near(value[1][0], value[0][0], 1e-9);
    assert_near(value[1][1], value[0][1], 1e-9);
    assert_near(value[1][3], value[0][1], 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_parts_legs_walk),
        cmocka_unit_test(test_mechanism_parts_are_what_is_written_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
