// SPDX-License-Identifier: Apache-2.0
// Rotations in space by name: outputs and events see the rotation vector, in joint coordinates,
// whose charts move their centres along, as in absolute ones.
#include "mechanism_runs.h"

#define BODY                                                                                       \
    "trammel: 1\nmechanism:\n  bodies: {b: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.1, "      \
    "0.1]}}\n"
#define SPHERICAL(start)                                                                           \
    BODY "  joints: {p: {spherical: {between: [ground, b], at: [0, 0, 0]}, start: " start "}}\n"

static const double tolerance = 1e-8;

static void open_case(model_case *c, const char *text, int k)
{
    const char *const set[] = {coordinates[k], "simulate.tolerance=1e-8", NULL};
    model_try(c, text, "m.yaml", set);
    model_instantiate(c);
}

static void get_outputs(model_case *c, const trm_simulation *s, double *out)
{
    assert_int_equal(trm_instance_outputs(c->instance, trm_simulation_state(s), out), 0);
}

// theta = (start + t) e of a body that spins about a fixed axis e, 1 rad/s
static void check_spin(const char *text, double start_angle)
{
    const double e[3] = {0.6, 0, 0.8};
    for (int k = 0; k < 2; k++) {
        model_case c;
        open_case(&c, text, k);
        trm_simulation *s = start(&c);
        for (int i = 0; i <= 4; i++) { // 2 rad; charts move their centres at 0.5
            double out[6], t;
            if (i > 0)
                run_to(s, 0.5 * i);
            t = trm_simulation_state(s)->t;
            get_outputs(&c, s, out);
            // 100 tolerances, local errors of some 50 steps; measured 20
            for (int n = 0; n < 3; n++) {
                assert_true(fabs(out[n] - (start_angle + t) * e[n]) < 100 * tolerance);
                assert_true(fabs(out[3 + n] - e[n]) < 100 * tolerance);
            }
        }
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

#define OUTPUTS                                                                                    \
    "simulate: {end: 2}\n"                                                                         \
    "outputs: {x: p_rotation_x, y: p_rotation_y, z: p_rotation_z, x_rate: p_rotation_x_rate,\n"    \
    "          y_rate: p_rotation_y_rate, z_rate: p_rotation_z_rate}\n"

static void test_rotation_signals_outputs_are_the_rotation_vector(void **state)
{
    (void)state;
    check_spin(SPHERICAL("{rotation: [0.24, 0, 0.32], spin: [0.6, 0, 0.8]}") OUTPUTS, 0.4);
    // a free joint has them after three travels
    check_spin(BODY
               "  joints: {p: {free: {between: [ground, b]},\n"
               "               start: {rotation: [0.24, 0, 0.32], spin: [0.6, 0, 0.8]}}}\n" OUTPUTS,
               0.4);
}

// beyond half a turn the start value says which of the two vectors of a rotation is meant
static void test_rotation_signals_beyond_half_a_turn_go_on_from_the_start(void **state)
{
    (void)state;
    check_spin(SPHERICAL("{rotation: [2.16, 0, 2.88], spin: [0.6, 0, 0.8]}") OUTPUTS, 3.6);
}

// J theta'' = -0.1 theta with J = 0.1: theta = sin t, 0.9 is reached at asin(0.9)
static void test_rotation_signals_stop_a_run_in_both_coordinates(void **state)
{
    (void)state;
    static const char text[] = SPHERICAL(
        "{spin: [0, 0, 1]}") "  forces: {k: {torque: {on: b, value: [0, 0, "
                             "\"-0.1*p_rotation_z\"]}}}\n"
                             "simulate: {end: 10}\n"
                             "events: {far: {when: \"p_rotation_z - 0.9\", action: stop}}\n"
                             "outputs: {z: p_rotation_z, rate: p_rotation_z_rate, second: "
                             "\"a(p_rotation_z)\"}\n";
    for (int k = 0; k < 2; k++) {
        model_case c;
        double out[3];
        open_case(&c, text, k);
        trm_simulation *s = start(&c);
        assert_int_equal(trm_simulation_watch(s, trm_instance_events(c.instance)), TRM_OK);
        assert_int_equal(trm_simulation_run(s, 10), TRM_STOP_EVENT);
        get_outputs(&c, s, out);
        const double t = trm_simulation_state(s)->t;
        // 250 tolerances in t, local errors of 60 steps divided by the slope cos t = 0.44; measured
        // 44. There the event function vanishes but for roundoff; the rate and the second
        // derivative, measured 19 and 20 tolerances from the solution
        assert_true(fabs(t - asin(0.9)) < 250 * tolerance);
        assert_true(fabs(out[0] - 0.9) < 1e-12);
        assert_true(fabs(out[1] - cos(t)) < 100 * tolerance);
        assert_true(fabs(out[2] + sin(t)) < 100 * tolerance);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// The names go on to give coordinates their tolerances, also where outputs use them.
static void test_rotation_signals_names_give_tolerances_of_coordinates(void **state)
{
    (void)state;
    model_case c;
    model_read(&c, SPHERICAL("{}") "simulate:\n"
                                   "  end: 1\n"
                                   "  tolerance:\n"
                                   "    relative: 1e-5\n"
                                   "    absolute: {p_rotation_y: 1e-7, p_rotation_z_rate: 1e-3}\n"
                                   "outputs: {y: p_rotation_y}\n");
    // 1e-5 times the scale is what the file says, one rounding off
    assert_true(fabs(1e-5 * c.system->q_scale[1] - 1e-7) <= 1e-22 && c.system->q_scale[2] == 1);
    assert_true(fabs(1e-5 * c.system->v_scale[2] - 1e-3) <= 1e-18 && c.system->v_scale[1] == 1);
    model_close(&c);
}

// The rate of a rotation vector is no velocity of the system, whatever the coordinates.
static void test_rotation_signals_cannot_be_set_by_events(void **state)
{
    (void)state;
    static const char text[] =
        SPHERICAL("{spin: [0, 0, 1]}") "simulate: {end: 1}\n"
                                       "events:\n"
                                       "  e: {when: \"t - 0.5\",\n"
                                       "      set: {p_rotation_z_rate: 0}}\n";
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {coordinates[k], NULL};
        model_case c;
        model_try(&c, text, "m.yaml", set);
        assert_int_equal(c.status, TRM_ERR_MODEL);
        assert_non_null(strstr(c.said, "'p_rotation_z_rate' is a rate; an event sets velocities"));
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation_signals_outputs_are_the_rotation_vector),
        cmocka_unit_test(test_rotation_signals_beyond_half_a_turn_go_on_from_the_start),
        cmocka_unit_test(test_rotation_signals_stop_a_run_in_both_coordinates),
        cmocka_unit_test(test_rotation_signals_names_give_tolerances_of_coordinates),
        cmocka_unit_test(test_rotation_signals_cannot_be_set_by_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
