// SPDX-License-Identifier: Apache-2.0
// Collisions in which the gap is a distance, with every integrator and in both kinds of
// coordinates: bodies that are fast against the size of what they meet neither fly through it nor
// gain energy. A force k d^1.5 stops a mass m of speed v in
//
//     d = (5/4 m v^2/k)^0.4,   and it lasts T = 2.9432 d/v
//
// (Hertz; 2.9432 = 4/5 B(2/5, 1/2), Goldsmith, Impact, 1960).
#include "models.h"

#include <stdio.h>

static const char *const integrators[] = {"auto",     "bdf",   "adams",
                                          "explicit", "radau", "radau-adaptive",
                                          "newmark",  "hht",   "generalized-alpha"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators, OUTPUTS = 3 };

// A stone of 0.1 kg and radius 0.02 m flies at a ball of radius 0.1 m from 5 m away, b beside its
// centre, with v m/s; to 10/v s.
static void write_stone(char *text, size_t size, const char *coordinates, double v, double b,
                        const char *law)
{
    snprintf(text, size,
             "trammel: 1\n"
             "mechanism:\n"
             "  coordinates: %s\n"
             "  bodies:\n"
             "    ball: {mass: 1, center: [0, 0, 0], inertia: [0.004, 0.004, 0.004],\n"
             "           shape: {sphere: {radius: 0.1}}}\n"
             "    stone: {mass: 0.1, center: [-5, %g, 0], inertia: [1e-5, 1e-5, 1e-5],\n"
             "            shape: {sphere: {radius: 0.02}}}\n"
             "  joints:\n"
             "    hold: {fixed: {between: [ground, ball]}}\n"
             "    fly: {free: {between: [ground, stone], at: [-5, %g, 0]}, start: {x_rate: %g}}\n"
             "  forces: {hit: {contact: {between: [ball, stone], %s}}}\n"
             "simulate: {end: %.17g}\n"
             "outputs: {x: stone_x, vx: stone_x_rate, vy: stone_y_rate}\n",
             coordinates, b, b, v, law, 10 / v);
}

// The outputs at the end, without a companion.
static void run(const char *text, const char *integrator, double tolerance, double *out)
{
    model_case c;
    trm_simulation *s = model_simulate(&c, text, "m.yaml", integrator, tolerance, NULL);
    trm_status status = trm_simulation_run(s, trm_model_schedule(c.model)->end);
    if (status != TRM_OK)
        fail_msg("%s: %s", integrator, trm_simulation_error(s)->text);
    assert_int_equal(trm_instance_outputs(c.instance, trm_simulation_state(s), out), 0);
    trm_simulation_destroy(s);
    model_close(&c);
}

static void assert_within(const char *integrator, const char *what, double is, double wanted,
                          double most)
{
    if (!(fabs(is - wanted) <= most))
        fail_msg("%s: %s %.9g is not %.9g within %.2g", integrator, what, is, wanted, most);
}

// Lossless: it comes back with the speed it came with, after T. 1e-4 of the speed: the tolerance of
// a step is 1e-6, an impact takes 20 to 100 (measured: 3e-5, adams and bdf).
static void test_collisions_stone_bounces_off_a_ball(void **state)
{
    (void)state;
    static const char *const coordinates[] = {"joint", "absolute"};
    char text[2048];
    for (int j = 0; j < 2; j++)
        for (double v = 1; v <= 1000; v *= 10) {
            double depth = pow(1.25 * 0.1 * v * v / 1e9, 0.4), T = 2.9432 * depth / v;
            double x = -0.12 - v * (10 / v - 4.88 / v - T), out[OUTPUTS];
            write_stone(text, sizeof text, coordinates[j], v, 0, "stiffness: 1e9");
            for (int k = 0; k < INTEGRATORS; k++) {
                run(text, integrators[k], 1e-6, out);
                assert_within(integrators[k], "speed", out[1] / v, -1, 1e-4);
                assert_within(integrators[k], "place", out[0], x, 1e-4 * 5);
            }
        }
}

// Restitution is what the file says, to six digits from 0.5 on and 1e-4 at 0.2 by the law. 5e-3:
// bdf, which tests positions, 1e-6 of a depth of 1e-4 m at 1 m/s (the others: 2e-5).
static void test_collisions_restitution(void **state)
{
    (void)state;
    static const double part[] = {0.2, 0.5, 0.8};
    char text[2048], law[80];
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        for (double v = 1; v <= 1000; v *= 10) {
            double out[OUTPUTS];
            snprintf(law, sizeof law, "stiffness: 1e9, restitution: %g", part[i]);
            write_stone(text, sizeof text, "joint", v, 0, law);
            for (int k = 0; k < INTEGRATORS; k++) {
                bool bdf = strcmp(integrators[k], "bdf") == 0;
                run(text, integrators[k], 1e-6, out);
                assert_within(integrators[k], "restitution", -out[1] / v, part[i],
                              bdf ? 5e-3 : 1e-4);
            }
        }
}

// Off the centre: the force is central, so that energy and angular momentum about the ball stay,
// also where the stone grazes it.
static void test_collisions_oblique_keep_energy_and_momentum(void **state)
{
    (void)state;
    static const double beside[] = {0.03, 0.11, 0.119, 0.1199};
    char text[2048];
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        double out[OUTPUTS], reference[OUTPUTS];
        write_stone(text, sizeof text, "joint", 100, beside[i], "stiffness: 1e9");
        run(text, "radau-adaptive", 1e-10, reference);
        assert_within("reference", "deflected", reference[2] > 0.4, 1, 0);
        for (int k = 0; k < INTEGRATORS; k++) {
            run(text, integrators[k], 1e-6, out);
            assert_within(integrators[k], "speed", hypot(out[1], out[2]) / 100, 1, 1e-4);
            assert_within(integrators[k], "deflection", out[2] / 100, reference[2] / 100, 1e-4);
        }
    }
}

// A ball so soft that the stone flies through it, 0.03 m beside its centre, takes little from its
// direction. In the first order, along the straight line r^2 = x^2 + b^2,
//
//     m v_y = 2/v integral k (R - r)^1.5 b/r dx   from 0 to sqrt(R^2 - b^2)
//
// and the second order is smaller by v_y/v = 2e-4 times R/b.
static void test_collisions_soft_ball_is_felt(void **state)
{
    (void)state;
    const double R = 0.12, b = 0.03, v = 10, k = 1, edge = sqrt(R * R - b * b);
    enum { PIECES = 20000 };
    double sum = 0, out[OUTPUTS];
    for (int i = 0; i < PIECES; i++) { // midpoints
        double r = hypot((i + 0.5) * edge / PIECES, b);
        sum += k * pow(R - r, 1.5) * b / r * edge / PIECES;
    }
    char text[2048];
    write_stone(text, sizeof text, "joint", v, b, "stiffness: 1");
    for (int i = 0; i < INTEGRATORS; i++) {
        run(text, integrators[i], 1e-8, out);
        assert_within(integrators[i], "deflection", out[2] / (2 * sum / (0.1 * v)), 1, 2e-3);
    }
}

// Bump-stops from soft to nearly rigid: 3 m/s come back as -3 m/s, after T.
static void test_collisions_bump_stops_of_all_stiffnesses(void **state)
{
    (void)state;
    char text[1024];
    for (double stiffness = 1e4; stiffness < 2e12; stiffness *= 100) {
        snprintf(text, sizeof text,
                 "trammel: 1\n"
                 "mechanism:\n"
                 "  bodies: {cart: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                 "  joints: {rail: {prismatic: {between: [ground, cart], at: [0, 0, 0], axis: x},\n"
                 "                  start: {rate: 3}}}\n"
                 "  forces:\n"
                 "    stop: {bump-stop: {between: [ground, cart], from: [2, 0, 0], to: [0, 0, 0],\n"
                 "                       gap: 1, stiffness: %g}}\n"
                 "simulate: {end: 1}\n"
                 "outputs: {x: cart_x, vx: cart_x_rate, vy: cart_y_rate}\n",
                 stiffness);
        double depth = pow(1.25 * 9 / stiffness, 0.4), T = 2.9432 * depth / 3, out[OUTPUTS];
        for (int k = 0; k < INTEGRATORS; k++) {
            run(text, integrators[k], 1e-6, out);
            assert_within(integrators[k], "speed", out[1], -3, 1e-4 * 3);
            assert_within(integrators[k], "place", out[0], 1 - 3 * (1 - 1.0 / 3 - T), 1e-4 * 3);
        }
    }
}

// An arm of I = 0.35 kg m^2 that turns at 10 rad/s strikes a pin with its tip, 1 m from the axis,
// from both sides in turn: its angle is linear in time, and a step of any method could turn it all
// round. The tip is a ball of radius 0.01 m as the pin is: they touch at delta = 2 asin(0.01) from
// the middle. Hertz with the lever of the force, cos(delta/2); 1e-3: five impacts of 20 to 100
// steps.
static void test_collisions_arm_that_turns_meets_a_pin(void **state)
{
    (void)state;
    static const char *const coordinates[] = {"joint", "absolute"};
    const double w = 10, delta = 2 * asin(0.01), pi = acos(-1.0), lever = cos(0.5 * delta);
    const double m = 0.35 / (lever * lever), v = w * lever;
    const double T = 2.9432 * pow(1.25 * m * v * v / 1e8, 0.4) / v;
    double t = (0.5 * pi - delta) / w, side = -1; // of the pin, on which it is
    for (; t + T + (2 * pi - 2 * delta) / w < 3; side = -side)
        t += T + (2 * pi - 2 * delta) / w;
    double angle = 0.5 * pi + side * delta + side * w * (3 - t - T); // all rounds cancel but one
    for (int j = 0; j < 2; j++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "trammel: 1\n"
                 "mechanism:\n"
                 "  plane: xy\n"
                 "  coordinates: %s\n"
                 "  bodies:\n"
                 "    arm: {mass: 1, center: [0.5, 0], inertia: 0.1,\n"
                 "          shape: {sphere: {radius: 0.01, at: [1, 0]}}}\n"
                 "    peg: {mass: 1, center: [0, 1], inertia: 1,\n"
                 "          shape: {sphere: {radius: 0.01, at: [0, 1]}}}\n"
                 "  joints:\n"
                 "    hold: {fixed: {between: [ground, peg]}}\n"
                 "    pin: {revolute: {between: [ground, arm], at: [0, 0]}, start: {rate: 10}}\n"
                 "  forces: {hit: {contact: {between: [peg, arm], stiffness: 1e8}}}\n"
                 "simulate: {end: 3}\n"
                 "outputs: {c: arm_x, s: arm_y, w: \"hypot(arm_x_rate, arm_y_rate)/0.5\"}\n",
                 coordinates[j]);
        double out[OUTPUTS];
        for (int k = 0; k < INTEGRATORS; k++) {
            run(text, integrators[k], 1e-6, out);
            assert_within(integrators[k], "rate", out[2], 10, 5e-3);
            double off = remainder(atan2(out[1], out[0]) - angle, 2 * pi);
            assert_within(integrators[k], "angle", off, 0, 5e-3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collisions_stone_bounces_off_a_ball),
        cmocka_unit_test(test_collisions_restitution),
        cmocka_unit_test(test_collisions_oblique_keep_energy_and_momentum),
        cmocka_unit_test(test_collisions_soft_ball_is_felt),
        cmocka_unit_test(test_collisions_bump_stops_of_all_stiffnesses),
        cmocka_unit_test(test_collisions_arm_that_turns_meets_a_pin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
