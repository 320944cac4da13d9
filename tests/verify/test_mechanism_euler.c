// SPDX-License-Identifier: Apache-2.0
// Angles of three rotations one after the other: they are those of the rotation matrix, in all
// sequences, and do not jump where a body turns round and round.
#include "mechanism_runs.h"

static const char *const sequence[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                       "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};
enum { SEQUENCES = sizeof sequence / sizeof *sequence, ANGLES = 3 * SEQUENCES };

// R = R R_axis(angle)
static void turn(double R[3][3], char axis, double angle)
{
    int i = (axis - 'x' + 1) % 3, j = (axis - 'x' + 2) % 3;
    double c = cos(angle), s = sin(angle);
    for (int r = 0; r < 3; r++) {
        double a = R[r][i], b = R[r][j];
        R[r][i] = c * a + s * b;
        R[r][j] = c * b - s * a;
    }
}

static const char *spinning_top(char *text, size_t size, bool force)
{
    size_t used = (size_t)snprintf(
        text, size,
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies:\n"
        "    top: {mass: 1, center: [0, 0, 0.1], inertia: [0.1, 0.12, 0.03]}\n"
        "    base: {mass: 1, center: [0, 0, 0], inertia: [0.1, 0.12, 0.13]}\n"
        "  points:\n"
        "    p: {body: top, at: [0, 0, 0.1], frame: {x: [1, 0.2, 0.1], y: [-0.2, 1, 0]}, from: q}\n"
        "    q: {body: base, at: [0, 0, 0], frame: {x: [1, -0.3, 0.2], y: [0.3, 1, 0]}}\n"
        "  joints:\n"
        "    b: {revolute: {between: [ground, base], at: [0, 0, 0], axis: [0, 0.2, 1]}, start: "
        "{rate: 1}}\n"
        "    ball: {spherical: {between: [base, top], at: [0, 0, 0]}, start: {rotation: [0.6, 0.4, "
        "0.2], spin: [3, 2, 8]}}\n"
        "%s",
        force ? "  forces: {f: {actuator: {joint: b, effort: \"0" : "outputs: {");
    for (int n = 0; n < ANGLES; n++)
        used += (size_t)snprintf(text + used, size - used,
                                 force ? " + 0.01*p_%s%d*p_%s%d_rate" : "%s%d: p_%s%d, ",
                                 sequence[n / 3], n % 3 + 1, sequence[n / 3], n % 3 + 1);
    for (int n = 0; n < 9 && !force; n++)
        used += (size_t)snprintf(text + used, size - used, "r%d%d: p_r%d%d%s", n / 3 + 1, n % 3 + 1,
                                 n / 3 + 1, n % 3 + 1, n < 8 ? ", " : "}\n");
    snprintf(text + used, size - used, "%ssimulate: {end: 1, tolerance: 1e-8}\n",
             force ? "\"}}}\n" : "");
    return text;
}

static void test_mechanism_euler_angles_make_the_matrix(void **state)
{
    (void)state;
    char text[6000];
    double value[2][ANGLES + 9];
    for (int k = 0; k < 2; k++) {
        model_case c;
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, spinning_top(text, sizeof text, false), "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        for (double t = 0.1; t < 0.45; t += 0.1) {
            run_to(s, t);
            trm_instance_outputs(c.instance, trm_simulation_state(s), value[k]);
            for (int n = 0; n < SEQUENCES; n++) {
                double R[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
                for (int i = 0; i < 3; i++)
                    turn(R, sequence[n][i], value[k][3 * n + i]);
                for (int i = 0; i < 9; i++) // roundoff
                    assert_near(R[i / 3][i % 3], value[k][ANGLES + i], 1e-12);
            }
        }
        trm_simulation_destroy(s);
        model_close(&c);
    }
    for (int n = 0; n < ANGLES; n++) // the run, on the same branch
        assert_near(value[0][n], value[1][n], 1e-4);
}

static void test_mechanism_euler_derivatives_are_exact(void **state)
{
    (void)state;
    char text[6000];
    for (int k = 0; k < 2; k++) {
        model_case c;
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, spinning_top(text, sizeof text, true), "m.yaml", set);
        model_instantiate(&c);
        assert_derivatives(&c, coordinates[k], 0.1);
        model_close(&c);
    }
}

// Looping: the second angle of zyx is that about y, over two turns, and the others stay 0; the
// heading counts its turns.
static void test_mechanism_euler_looping_does_not_jump(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies: {plane: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
        "  points: {p: {body: plane}}\n"
        "  joints: {pitch: {revolute: {between: [ground, plane], at: [0, 0, 0], axis: AXIS}, "
        "start: "
        "{rate: 3}}}\n"
        "outputs: {yaw: p_zyx1, pitch: p_zyx2, roll: p_zyx3, rate: p_zyx2_rate, turned: "
        "pitch_angle}\n"
        "simulate: {end: 5, tolerance: 1e-8}\n";
    for (int k = 0; k < 4; k++) {
        char text[1000];
        int about = k / 2 == 0 ? 1 : 0; // y, z
        double value[5];
        model_case c;
        const char *const set[] = {coordinates[k % 2], NULL};
        const char *axis = strstr(model, "AXIS");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(axis - model), model, about == 1 ? "y" : "z",
                 axis + 4);
        model_try(&c, text, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 4.5);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value);
        for (int i = 0; i < 3; i++) // 13.5 rad
            assert_near(value[i], i == about ? value[4] : 0, 1e-7);
        assert_near(value[4], 13.5, 1e-6);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// A body that turns about the axis which is the first and the third at once: each of these angles
// gets half of it, so that they still make the matrix, and their rates are half the rate.
static void test_mechanism_euler_singular_position_keeps_turning(void **state)
{
    (void)state;
    static const char model[] =
        "trammel: 1\n"
        "mechanism:\n"
        "  bodies: {b: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
        "  points:\n"
        "    p: {body: b}\n"
        "    down: {body: b, frame: {x: [0, 0, -1], y: [0, 1, 0]}}\n"
        "    up: {body: b, frame: {x: [0, 0, 1], y: [0, 1, 0]}}\n"
        "  joints: {pin: {revolute: {between: [ground, b], at: [0, 0, 0], axis: z}, start: {rate: "
        "3}}}\n"
        "outputs: {a: p_zxz1, b: p_zxz2, c: p_zxz3, r: p_zxz1_rate, r3: p_zxz3_rate,\n"
        "  d: down_zyx1, e: down_zyx2, f: down_zyx3, s: down_zyx1_rate, s3: down_zyx3_rate,\n"
        "  g: up_zyx1, h: up_zyx2, i: up_zyx3, u: up_zyx1_rate, u3: up_zyx3_rate}\n"
        "simulate: {end: 5, tolerance: 1e-8}\n";
    // 13.5 rad and 3 rad/s, halved; a_2 = 0, 90, -90 degrees
    static const double second[] = {0, 1.5707963267948966, -1.5707963267948966},
                        sense[] = {1, -1, 1};
    for (int k = 0; k < 2; k++) {
        double value[15];
        model_case c;
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, model, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 4.5);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value);
        for (int n = 0; n < 3; n++) { // the error of the run
            assert_near(value[5 * n], 6.75, 1e-6);
            assert_near(value[5 * n + 1], second[n], 1e-12);
            assert_near(value[5 * n + 2], sense[n] * 6.75, 1e-6);
            assert_near(value[5 * n + 3], 1.5, 1e-6);
            assert_near(value[5 * n + 4], sense[n] * 1.5, 1e-6);
        }
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// Turning about y with an x axis that passes the vertical at a distance d: it goes round, whatever
// the steps are. With the angle phi turned, x = (cos d cos phi, sin d, -cos d sin phi); the third
// angle goes on by half a turn each time x passes above and below.
static void test_mechanism_euler_close_to_the_singular_position_no_turn_is_lost(void **state)
{
    (void)state;
    static const double distance[] = {0.05, 0.002};
    static const char *const method[] = {"simulate.integrator=bdf",
                                         "simulate.integrator=radau-adaptive"};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        double value[4], d = distance[k / 2];
        const char *const set[] = {method[k % 2], NULL};
        model_case c;
        snprintf(text, sizeof text,
                 "trammel: 1\n"
                 "mechanism:\n"
                 "  bodies: {b: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                 "  points: {p: {body: b, frame: {x: [%.17g, %.17g, 0], y: [%.17g, %.17g, 0]}}}\n"
                 "  joints: {pin: {revolute: {between: [ground, b], at: [0, 0, 0], axis: y}, "
                 "start: {rate: 3}}}\n"
                 "outputs: {a: p_zyx1, b: p_zyx2, c: p_zyx3, phi: pin_angle}\n"
                 "simulate: {end: 20, tolerance: 1e-6}\n",
                 cos(d), sin(d), -sin(d), cos(d));
        model_try(&c, text, "m.yaml", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 19.9);
        trm_instance_outputs(c.instance, trm_simulation_state(s), value);
        double phi = value[3];
        // roundoff, divided by the distance
        assert_near(value[0], atan2(sin(d), cos(d) * cos(phi)), 1e-11);
        assert_near(value[1], asin(cos(d) * sin(phi)), 1e-11);
        assert_true(fabs(value[2] - phi) < 1.5708); // of 59.7
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_euler_angles_make_the_matrix),
        cmocka_unit_test(test_mechanism_euler_derivatives_are_exact),
        cmocka_unit_test(test_mechanism_euler_looping_does_not_jump),
        cmocka_unit_test(test_mechanism_euler_singular_position_keeps_turning),
        cmocka_unit_test(test_mechanism_euler_close_to_the_singular_position_no_turn_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
