// SPDX-License-Identifier: Apache-2.0
// Parts that are used several times: the walker of six legs against intersections of circles, the
// robot of six links against the recursion of Newton and Euler.
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

// The robot by the recursion of Newton and Euler in its Denavit-Hartenberg frames: frame i - 1 to i
// is Rz(q) Tz(d) Tx(a) Rx(alpha), links as in the file.
enum { LINKS = 6 };
typedef struct vector {
    double x, y, z;
} vector;
typedef struct robot_link {
    double a, d, alpha, m;
    vector c, J;
    double by, w;
} robot_link;

static vector sum(vector a, vector b)
{
    return (vector){a.x + b.x, a.y + b.y, a.z + b.z};
}
static vector cross(vector a, vector b)
{
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static vector times(double s, vector a)
{
    return (vector){s * a.x, s * a.y, s * a.z};
}
// Rz(q) Rx(alpha) v, and back
static vector out_of(double q, double alpha, vector v)
{
    double y = cos(alpha) * v.y - sin(alpha) * v.z, z = sin(alpha) * v.y + cos(alpha) * v.z;
    return (vector){cos(q) * v.x - sin(q) * y, sin(q) * v.x + cos(q) * y, z};
}
static vector into(double q, double alpha, vector v)
{
    double x = cos(q) * v.x + sin(q) * v.y, y = -sin(q) * v.x + cos(q) * v.y;
    return (vector){x, cos(alpha) * y + sin(alpha) * v.z, -sin(alpha) * y + cos(alpha) * v.z};
}

static void robot_torques(const robot_link *link, double t, double *torque)
{
    vector w = {0, 0, 0}, wd = {0, 0, 0}, vd = {0, 0, 9.81}, F[LINKS], N[LINKS];
    double q[LINKS + 1] = {0};
    for (int i = 0; i < LINKS; i++) {
        const robot_link *l = &link[i];
        q[i] = l->by * (1 - cos(l->w * t)) / 2;
        const vector turn = {0, 0, l->by * l->w * sin(l->w * t) / 2};
        const vector more = {0, 0, l->by * l->w * l->w * cos(l->w * t) / 2};
        const vector p = {l->a, l->d * sin(l->alpha), l->d * cos(l->alpha)};
        wd = into(q[i], l->alpha, sum(sum(wd, more), cross(w, turn)));
        w = into(q[i], l->alpha, sum(w, turn));
        vd = sum(into(q[i], l->alpha, vd), sum(cross(wd, p), cross(w, cross(w, p))));
        F[i] = times(l->m, sum(vd, sum(cross(wd, l->c), cross(w, cross(w, l->c)))));
        const vector L = {l->J.x * w.x, l->J.y * w.y, l->J.z * w.z};
        N[i] = sum((vector){l->J.x * wd.x, l->J.y * wd.y, l->J.z * wd.z}, cross(w, L));
    }
    vector f = {0, 0, 0}, n = {0, 0, 0}; // in the frame of the link, moment about the joint before
    double alpha = 0;
    for (int i = LINKS - 1; i >= 0; i--) {
        const robot_link *l = &link[i];
        const vector p = {l->a, l->d * sin(l->alpha), l->d * cos(l->alpha)};
        f = out_of(q[i + 1], alpha, f);
        n = sum(out_of(q[i + 1], alpha, n), cross(p, f));
        n = sum(n, sum(cross(sum(p, l->c), F[i]), N[i]));
        f = sum(f, F[i]);
        alpha = l->alpha;
        torque[i] = n.y * sin(alpha) + n.z * cos(alpha); // the axis before is (0, sin, cos)
    }
}

// Torques follow from accelerations at the end of a step, 1e-7 N m at this tolerance.
static void test_mechanism_parts_robot_needs_its_torques(void **state)
{
    (void)state;
    const double right = 1.57079632679489661923;
    static const char *const name[] = {"shoulder", "upper_arm", "forearm",
                                       "wrist_1",  "wrist_2",   "wrist_3"};
    const robot_link link[LINKS] = {
        {0, 0.089159, right, 3.7, {0, -0.02561, 0.00193}, {0.0084, 0.0064, 0.0084}, 1.2, 2},
        {-0.425, 0, 0, 8.393, {0.2125, 0, 0.11336}, {0.0078, 0.21, 0.21}, -1.5, 1.5},
        {-0.39225, 0, 0, 2.33, {0.15, 0, 0.0265}, {0.0016, 0.0462, 0.0462}, 1.8, 2.5},
        {0, 0.10915, right, 1.219, {0, -0.0018, 0.01634}, {0.0016, 0.0016, 0.0009}, -1, 3},
        {0, 0.09465, -right, 1.219, {0, 0.0018, 0.01634}, {0.0016, 0.0016, 0.0009}, 0.8, 3.5},
        {0, 0.0823, 0, 0.1879, {0, 0, -0.001159}, {0.0001, 0.0001, 0.0001}, 2, 4}};
    model_case c;
    double place[VALUES], value[VALUES], torque[LINKS];
    const char *const set[] = {"simulate.tolerance=1e-10", NULL};
    model_open(&c, "examples/mechanisms/ur5.yaml", set);
    trm_simulation *s = start(&c);
    for (double t = 0.7; t < 3; t += 0.7) {
        run_to(s, t);
        robot_torques(link, t, torque);
        trmi_instance_mechanism(c.instance, trm_simulation_state(s), place);
        trmi_instance_forces(c.instance, trm_simulation_state(s), value);
        for (int i = 0; i < LINKS; i++) {
            char full[40];
            snprintf(full, sizeof full, "%s.joint_effort", name[i]);
            assert_string_equal(trm_model_channel(c.model, TRM_CHANNEL_FORCE, i), full);
            // all joints are driven: no error test sees the efforts of radau-adaptive, also alone
            assert_near(value[i], torque[i], 1e-7 + 1e-6 * fabs(torque[i]));
        }
    }
    trm_simulation_destroy(s);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_parts_legs_walk),
        cmocka_unit_test(test_mechanism_parts_are_what_is_written_out),
        cmocka_unit_test(test_mechanism_parts_robot_needs_its_torques),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
