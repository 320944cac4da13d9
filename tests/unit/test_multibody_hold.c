// SPDX-License-Identifier: Apache-2.0
// Start values of joints that are not edges of the tree: with friction, cut, or closing a loop.
#include "models.h"

#include <math.h>

static const char *const coordinates[] = {"joint", "absolute"};

static void read(model_case *c, const char *text, const char *words)
{
    char *whole = malloc(strlen(text) + 100);
    assert_non_null(whole);
    sprintf(whole, text, words);
    model_read(c, whole);
    free(whole);
}

// the coordinate of this name at the start, and its rate
static double start_of(const model_case *c, const char *wanted, double *rate)
{
    const trm_initial *start = trm_instance_initial(c->instance);
    char name[64];
    for (int i = 0; i < c->system->n_q; i++) {
        trm_coordinate_name(c->system, i, name, sizeof name);
        if (strcmp(name, wanted) == 0) {
            *rate = start->v[i];
            return start->q[i];
        }
    }
    *rate = NAN;
    fail_msg("there is no coordinate %s", wanted);
    return NAN;
}

// Nothing else holds the box: what the joint says is exact.
static void test_multibody_hold_joint_with_friction_starts_as_it_says(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        model_case c;
        double rate;
        read(&c,
             "trammel: 1\nmechanism:\n  plane: xy\n  coordinates: %s\n"
             "  bodies:\n    box: {mass: 1, center: [0, 0], inertia: 1}\n"
             "  joints:\n    rail: {prismatic: {between: [ground, box], at: [0, 0], axis: x},\n"
             "           start: {travel: 50, rate: 2}, friction: {static: 0.3}}\n"
             "simulate: {end: 1}\n",
             coordinates[k]);
        double x = start_of(&c, "box_x", &rate);
        // roundoff of an assembly that ends at 1e-10 or quadratically below
        assert_true(fabs(x - 50) < 1e-11);
        assert_true(fabs(rate - 2) < 1e-12);
        model_close(&c);
    }
}

// A parallelogram of unit sides whose first hinge has friction: both cranks turn by the angle that
// it starts with, and the coupler does not turn.
static void test_multibody_hold_kept_hinge_with_friction_leads_its_loop(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        model_case c;
        double rate;
        read(&c,
             "trammel: 1\nmechanism:\n  plane: xy\n  coordinates: %s\n  bodies:\n"
             "    left: {mass: 1, center: [0, 0.5], inertia: 1}\n"
             "    top: {mass: 1, center: [0.5, 1], inertia: 1}\n"
             "    right: {mass: 1, center: [1, 0.5], inertia: 1}\n"
             "  joints:\n"
             "    a: {revolute: {between: [ground, left], at: [0, 0]}, friction: {static: 0.1,\n"
             "        radius: 0.01}, start: {angle: -0.4, rate: 3, keep: true}}\n"
             "    b: {revolute: {between: [left, top], at: [0, 1]}}\n"
             "    c: {revolute: {between: [ground, right], at: [1, 0]}}\n"
             "    d: {revolute: {between: [top, right], at: [1, 1]}}\n"
             "simulate: {end: 1}\n",
             coordinates[k]);
        // closed to 1e-10 of the length; the last iterations are quadratic
        const char *crank = k == 0 ? "c_angle" : "right_angle";
        assert_true(fabs(start_of(&c, crank, &rate) + 0.4) < 1e-9);
        assert_true(fabs(rate - 3) < 1e-9);
        model_close(&c);
    }
}

// The angle between two rods of a pendulum, by a cut; and more than half a turn of it.
static void test_multibody_hold_cut_starts_beyond_half_a_turn(void **state)
{
    (void)state;
    model_case c;
    double rate;
    read(&c,
         "trammel: 1\nmechanism:\n  plane: xy\n  coordinates: %s\n  bodies:\n"
         "    upper: {mass: 1, center: [0, -0.5], inertia: 0.1}\n"
         "    lower: {mass: 1, center: [0, -1.5], inertia: 0.1}\n"
         "  joints:\n"
         "    a: {revolute: {between: [ground, upper], at: [0, 0]}, start: {angle: 0.3, keep: "
         "true}}\n"
         "    k: {revolute: {between: [upper, lower], at: [0, -1]}, start: {angle: 3.5, rate: 2},\n"
         "        cut: true}\n"
         "simulate: {end: 1}\n",
         "absolute");
    double upper_rate;
    double upper = start_of(&c, "upper_angle", &upper_rate);
    double lower = start_of(&c, "lower_angle", &rate);
    // the angle of a body is known up to full turns
    assert_true(fabs(remainder(lower - upper - 3.5, 2 * 3.14159265358979324)) < 1e-9);
    assert_true(fabs(upper - 0.3) < 1e-12); // kept
    assert_true(fabs(rate - upper_rate - 2) < 1e-9);
    model_close(&c);
}

// A ball in a socket that is a cut, with a hinge at its other end: both start as they say, be they
// guesses or kept; the angular velocity of the ball in its own axes is the spin.
static void test_multibody_hold_rotation_in_space_of_a_cut_is_held(void **state)
{
    (void)state;
    // theta, hinge; then theta' = w + theta x w / 2 + .. for w = (2, 0, 1), which agrees with the
    // difference quotient of log(exp(theta) exp(h w))
    const double wanted[] = {
        0.3, -0.9, 0.5, 0.2, 1.3825980995858, 0.265874171873065, 1.84901464962004};
    for (int k = 0; k < 4; k++) {
        model_case c;
        char text[900];
        snprintf(text, sizeof text,
                 "trammel: 1\nmechanism:\n  coordinates: %s\n  bodies:\n"
                 "    ball: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}\n"
                 "    tip: {mass: 1, center: [2, 1, 0], inertia: [1, 1, 1]}\n  joints:\n"
                 "    socket: {spherical: {between: [ground, ball], at: [0, 0, 0]}, cut: true,\n"
                 "             start: {rotation: [0.3, -0.9, 0.5], spin: [2, 0, 1], keep: %s}}\n"
                 "    hinge: {revolute: {between: [ball, tip], at: [2, 0, 0], axis: z},\n"
                 "            start: {angle: 0.2}}\n"
                 "outputs: {x: socket_rotation_x, y: socket_rotation_y, z: socket_rotation_z,\n"
                 "          angle: hinge_angle, x_rate: socket_rotation_x_rate,\n"
                 "          y_rate: socket_rotation_y_rate, z_rate: socket_rotation_z_rate}\n"
                 "simulate: {end: 1}\n",
                 coordinates[k / 2], k % 2 ? "true" : "false");
        model_read(&c, text);
        assert_string_equal(c.said, "");
        const trm_initial *at = trm_instance_initial(c.instance);
        const double zero[20] = {0};
        const trm_state start = {at->t, at->q, at->v, zero, NULL, NULL, zero, NULL, c.system->held};
        double found[7];
        trm_instance_outputs(c.instance, &start, found);
        // closed to 1e-10 of the length, quadratically below
        for (int i = 0; i < 7; i++)
            assert_true(fabs(found[i] - wanted[i]) < 1e-9);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multibody_hold_joint_with_friction_starts_as_it_says),
        cmocka_unit_test(test_multibody_hold_kept_hinge_with_friction_leads_its_loop),
        cmocka_unit_test(test_multibody_hold_cut_starts_beyond_half_a_turn),
        cmocka_unit_test(test_multibody_hold_rotation_in_space_of_a_cut_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
