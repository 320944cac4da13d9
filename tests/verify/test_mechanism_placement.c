// SPDX-License-Identifier: Apache-2.0
// Parts that are moved, turned and mirrored: the image of a motion is the motion of the image.
#include "mechanism_runs.h"

// joints and forces of all kinds, without symmetry
static const char arm[] =
    "trammel: 1\n"
    "name: A part and its image\n"
    "parameters: {turn: 0.7}\n"
    "parts:\n"
    "  pair: {use: {in: {part: arm, mirror: y, at: [0, 0, 2]}}}\n"
    "  arm:\n"
    "    parameters: {l: 0.4}\n"
    "    bodies:\n"
    "      one: {mass: 2, center: [0.2, 0.1, 0.05], inertia: {xx: 0.02, yy: 0.03, zz: 0.04, xy: "
    "0.004, yz: -0.003, zx: 0.002}, frame: {x: [1, 1, 0], z: z}}\n"
    "      two: {mass: 1, center: [0.5, 0.2, 0.1], inertia: [0.01, 0.012, 0.014]}\n"
    "      three: {mass: 1.5, center: [0.8, 0.1, -0.1], inertia: {xx: 0.02, yy: 0.025, zz: 0.03, "
    "xy: 0.002}}\n"
    "      four: {mass: 0.7, center: [1, 0.3, 0], inertia: [0.01, 0.01, 0.012]}\n"
    "      five: {mass: 0.5, center: [1.2, 0.3, 0.1], inertia: [0.01, 0.011, 0.012]}\n"
    "      six: {mass: 0.6, center: [1.4, 0.2, 0.1], inertia: [0.01, 0.011, 0.012]}\n"
    "      seven: {mass: 0.6, center: [0, 0.4, 0.3], inertia: [0.01, 0.011, 0.012]}\n"
    "    joints:\n"
    "      hip: {revolute: {between: [ground, one], at: [0, 0, 0], axis: [1, 2, 3]}, start: "
    "{angle: 0.2, rate: 1}}\n"
    "      cross: {universal: {between: [one, two], at: {body: one, point: [0.1, 0.05, 0.02]}, "
    "axis: [0, 1, 1], second_axis: [0, 1, -1]}, start: {angle_x: 0.1, angle_y_rate: 0.5}}\n"
    "      ball: {spherical: {between: [two, three], at: [\"0.65*l/0.4\", 0.1, 0]}, start: "
    "{rotation: [0.1, 0.2, -0.1], spin: [0.2, 1, 0.3]}}\n"
    "      slide: {prismatic: {between: [three, four], at: [0.9, 0.2, 0], axis: [1, 0, 1]}, start: "
    "{travel: 0.05, rate: -0.2}}\n"
    "      sleeve: {cylindrical: {between: [four, five], at: [1.1, 0.3, 0], axis: {body: four, "
    "axis: [0, 1, 2]}}, start: {travel: 0.02}}\n"
    "      bolt: {screw: {between: [five, six], at: [1.3, 0.2, 0.1], axis: z, pitch: 0.03}, start: "
    "{rate: 3}}\n"
    "      table: {planar: {between: [ground, seven], at: [0, 0.4, 0.3], axis: [0, 1, 1]}, start: "
    "{x: 0.1, y_rate: 0.3, angle: 0.4}}\n"
    "    points:\n"
    "      tip: {body: six, at: {body: six, point: [0.1, 0.02, 0.03]}, frame: {x: [0, 1, 1], z: "
    "x}}\n"
    "    forces:\n"
    "      push: {force: {body: three, at: [0.8, 0.2, 0], value: [\"3*sin(5*t)\", \"1 + "
    "hip_angle\", -2]}}\n"
    "      twist: {torque: {body: two, value: [0.1, \"0.2*cos(3*t)\", \"-0.05*hip_rate\"]}}\n"
    "      along: {force: {body: four, at: [1, 0.3, 0.1], value: 1.5, axis: [1, -1, 1], axes: "
    "body}}\n"
    "      about: {torque: {between: [one, four], value: 0.3, axis: [1, 2, -1]}}\n"
    "      hold: {actuator: {joint: hip, stiffness: 20, damping: 0.5, natural: 0.1}}\n"
    "      rubber: {bushing: {between: [ground, seven], at: [0, 0.4, 0.3], stiffness: [[100, 5, 2, "
    "1, 0, 0], [5, 90, 3, 0, 2, 0], [2, 3, 80, 0, 0, 1], [1, 0, 0, 4, 0.2, 0.1], [0, 2, 0, 0.2, 5, "
    "0.3], [0, 0, 1, 0.1, 0.3, 6]], preload: [1, 2, 3, 0.1, 0.2, 0.3]}}\n"
    "      rubber2: {bushing: {between: [two, three], at: [0.6, 0.1, 0], frame: {axis: [1, 1, 1], "
    "angle: 0.4}, stiffness: [100, 90, 80], rotation_stiffness: [3, 4, 5]}}\n"
    "      spring: {spring: {between: [ground, six], from: [1, 0, 1], to: [1.4, 0.2, 0.2], "
    "stiffness: 50}}\n"
    "      floor: {contact: {between: [ground, six], center: [1.4, 0.2, 0.1], at: [0, 0, 0.05], "
    "normal: [0, 0.1, 1], radius: 0.1, stiffness: 1000, friction: 0.3}}\n"
    "use:\n"
    "  a: {part: arm}\n"
    "  b: {part: arm, mirror: y, frame: {axis: [1, 2, -1], angle: turn}, at: [1, -2, 3]}\n"
    "  c: {part: arm, mirror: z}\n"
    "  d: {part: pair, mirror: x, at: [0, 1, 0]}\n"
    "mechanism: {}\n"
    "outputs: {ax: a.tip_x, ay: a.tip_y, az: a.tip_z, bx: b.tip_x, by: b.tip_y, bz: b.tip_z,\n"
    "          cx: c.tip_x, cy: c.tip_y, cz: c.tip_z, dx: d.in.tip_x, dy: d.in.tip_y,\n"
    "          dz: d.in.tip_z, a1: a.hip_angle, b1: b.hip_angle, c1: c.hip_angle,\n"
    "          d1: d.in.hip_angle, a2: a.ball_rotation_y, b2: b.ball_rotation_y,\n"
    "          c2: c.ball_rotation_y, d2: d.in.ball_rotation_y, a3: a.table_y, b3: b.table_y,\n"
    "          c3: c.table_y, d3: d.in.table_y, a4: a.sleeve_angle, b4: -b.sleeve_angle,\n"
    "          c4: -c.sleeve_angle, d4: d.in.sleeve_angle, a5: a.bolt_angle, b5: b.bolt_angle,\n"
    "          c5: c.bolt_angle, d5: d.in.bolt_angle}\n"
    "simulate: {end: 0.4, tolerance: 1e-9}\n";

typedef struct point {
    double x[3];
} point;

// v -> cos v + sin e x v + (1 - cos) (e.v) e, e = (1, 2, -1)/sqrt(6), angle 0.7
static point turn(point v)
{
    const double e[3] = {1 / sqrt(6), 2 / sqrt(6), -1 / sqrt(6)}, c = cos(0.7), s = sin(0.7);
    double along = e[0] * v.x[0] + e[1] * v.x[1] + e[2] * v.x[2];
    point out;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out.x[k] = c * v.x[k] + s * (e[i] * v.x[j] - e[j] * v.x[i]) + (1 - c) * along * e[k];
    }
    return out;
}

// Tips are where the formula puts that of the part as it is written; measures of joints are equal,
// but for the angle of the cylindrical joint, whose travel is kept, in the mirror images. The
// tolerance is that of the runs, 1e-9, with the growth of errors over 0.4 s: 1e-7.
static void test_mechanism_placement_image_moves_as_the_part(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        model_case c;
        double v[32];
        const char *const set[] = {coordinates[k], NULL};
        model_try(&c, arm, "model", set);
        model_instantiate(&c);
        trm_simulation *s = start(&c);
        run_to(s, 0.4);
        trm_instance_outputs(c.instance, trm_simulation_state(s), v);
        point b = turn((point){{v[0], -v[1], v[2]}});
        const double shift[3] = {1, -2, 3}, mirror[3] = {1, 1, -1};
        for (int i = 0; i < 3; i++) {
            assert_near(v[3 + i], b.x[i] + shift[i], 1e-7);
            assert_near(v[6 + i], mirror[i] * v[i], 1e-7);
        }
        // (x, y, z) -> (x, -y, z) + (0, 0, 2) -> mirrored in x, moved by (0, 1, 0)
        assert_near(v[9], -v[0], 1e-7);
        assert_near(v[10], 1 - v[1], 1e-7);
        assert_near(v[11], v[2] + 2, 1e-7);
        for (int i = 12; i < 32; i++)
            assert_near(v[i], v[i - i % 4], 1e-7);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// Parts in parts, for each element of a list: three axles with a wheel on each side.
static const char axles[] =
    "trammel: 1\n"
    "parameters: {track: 1.4}\n"
    "parts:\n"
    "  corner:\n"
    "    parameters: {m: 10, base: 1}\n"
    "    bodies: {wheel: {mass: \"m\", center: [0, 0.5, 0], inertia: [0.4, 0.6, 0.4]}}\n"
    "    joints: {lift: {prismatic: {between: [beam, wheel], at: [0, 0.5, 0], axis: z}}}\n"
    "    forces: {spring: {spring: {between: [beam, wheel], from: [0, 0.5, 0.4], to: [0, 0.5, 0], "
    "stiffness: \"1000*base\"}}}\n"
    "  axle:\n"
    "    parameters: {k: 2}\n"
    "    bodies: {beam: {mass: 50, center: [0, 0, 0], inertia: [5, 1, 5]}}\n"
    "    joints: {hold: {prismatic: {between: [ground, beam], at: [0, 0, 0], axis: z}}}\n"
    "    use:\n"
    "      left: {part: corner, at: [0, \"track/2 - 0.5\", 0], with: {base: \"k\"}}\n"
    "      right: {part: corner, mirror: y, at: [0, \"0.5 - track/2\", 0], with: {base: \"k\"}}\n"
    "    outputs: {roll: \"left.lift_travel - right.lift_travel\"}\n"
    "use:\n"
    "  axle: {part: axle, for: {i: [0, 1, 2]}, at: [\"2*i\", 0, 0], with: {k: \"2 + i\"}}\n"
    "mechanism: {gravity: [0, 0, -9.81]}\n"
    "outputs: {x: axle_3.right.wheel_x, y: axle_3.right.wheel_y, z: axle_2.left.spring_force}\n"
    "simulate: {end: 0.2}\n";

static void test_mechanism_placement_parts_in_parts(void **state)
{
    (void)state;
    model_case c;
    double v[6];
    model_read(&c, axles);
    trm_simulation *s = start(&c);
    run_to(s, 0.2);
    trm_instance_outputs(c.instance, trm_simulation_state(s), v);
    assert_near(v[0], 4, 1e-12);    // 2 i
    assert_near(v[1], -0.7, 1e-12); // -track/2
    assert_near(v[2], 0, 1e-12);    // falls freely
    trm_simulation_destroy(s);
    model_close(&c);
}

// In a plane a torque changes its sign in a mirror image, with an axis or without: the image of the
// motion, to the accuracy of the runs.
static const char plane_pair[] =
    "trammel: 1\n"
    "parts:\n"
    "  arm:\n"
    "    bodies: {b: {mass: 1, center: [0.5, 0.1], inertia: 0.1}}\n"
    "    joints: {j: {revolute: {between: [ground, b], at: [0, 0]}}}\n"
    "    forces:\n"
    "      m: {torque: {body: b, value: \"4 + t\"}}\n"
    "      n: {torque: {body: b, value: 1, axis: z}}\n"
    "use:\n"
    "  l: {part: arm}\n"
    "  r: {part: arm, mirror: x, at: [10, 0]}\n"
    "mechanism: {plane: xy, gravity: [0, -9.81]}\n"
    "outputs: {lx: l.b_x, ly: l.b_y, la: l.j_angle, rx: r.b_x, ry: r.b_y, ra: r.j_angle}\n"
    "simulate: {end: 1, tolerance: 1e-9}\n";

static void test_mechanism_placement_torque_in_plane(void **state)
{
    (void)state;
    model_case c;
    double v[6];
    model_read(&c, plane_pair);
    trm_simulation *s = start(&c);
    run_to(s, 1);
    trm_instance_outputs(c.instance, trm_simulation_state(s), v);
    assert_near(v[3], 10 - v[0], 1e-9);
    assert_near(v[4], v[1], 1e-9);
    assert_near(v[5], -v[2], 1e-9);
    assert_true(fabs(v[2]) > 0.1); // it moves
    trm_simulation_destroy(s);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_placement_image_moves_as_the_part),
        cmocka_unit_test(test_mechanism_placement_parts_in_parts),
        cmocka_unit_test(test_mechanism_placement_torque_in_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
