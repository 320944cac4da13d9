// SPDX-License-Identifier: Apache-2.0
// What is wrong with a mechanism is said with place, line and caret: whole texts, as the command
// prints them. Every expected text was reviewed: it is what one should read.
#include "models.h"

#define SPATIAL                                                                                    \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"
#define PLANE                                                                                      \
    "trammel: 1\n"                                                                                 \
    "mechanism:\n"                                                                                 \
    "  plane: xy\n"
#define CRANK                                                                                      \
    "  bodies:\n"                                                                                  \
    "    crank: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}\n"
#define PLANE_CRANK                                                                                \
    "  bodies:\n"                                                                                  \
    "    crank: {mass: 1, center: [1, 0], inertia: 1}\n"
#define PIVOT                                                                                      \
    "  joints:\n"                                                                                  \
    "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n"
#define PLANE_PIVOT                                                                                \
    "  joints:\n"                                                                                  \
    "    pivot: {revolute: {between: [ground, crank], at: [0, 0]}}\n"
// a parallelogram without its second crank, of which the first is kept
#define PARALLELOGRAM                                                                              \
    "  bodies:\n"                                                                                  \
    "    left: {mass: 1, center: [0, 0.5], inertia: 1}\n"                                          \
    "    top: {mass: 1, center: [0.5, 1], inertia: 1}\n"                                           \
    "    right: {mass: 1, center: [1, 0.5], inertia: 1}\n"                                         \
    "  joints:\n"                                                                                  \
    "    a: {revolute: {between: [ground, left], at: [0, 0]}, start: {rate: 1, keep: true}}\n"     \
    "    b: {revolute: {between: [left, top], at: [0, 1]}}\n"
#define END "simulate: {end: 1}\n"

static void assert_said(const char *text, trm_status status, const char *expected)
{
    model_case c;
    model_try(&c, text, "m.yaml", NULL);
    assert_string_equal(c.said, expected);
    assert_int_equal(c.status, status);
    assert_int_equal(c.model != NULL, status == TRM_OK);
    model_close(&c);
}

static void assert_refused(const char *text, const char *expected)
{
    assert_said(text, TRM_ERR_MODEL, expected);
}

static void assert_apart(const char *text, const char *expected)
{
    assert_said(text, TRM_ERR_INITIAL, expected);
}

static void assert_warned(const char *text, const char *expected)
{
    assert_said(text, TRM_OK, expected);
}

static void test_mechanism_errors_unknown_body_names_the_nearest(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK
        "  joints:\n"
        "    pivot: {revolute: {between: [ground, cranc], at: [0, 0, 0], axis: z}}\n" END,
        "m.yaml:6:42: error: there is no body 'cranc'; did you mean 'crank'?\n"
        "        pivot: {revolute: {between: [ground, cranc], at: [0, 0, 0], axis: z}}\n"
        "                                             ^~~~~\n");
}

static void test_mechanism_errors_body_between_itself_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK
                   "  joints:\n"
                   "    pivot: {revolute: {between: [crank, crank], at: [0, 0, 0], axis: z}}\n" END,
                   "m.yaml:6:41: error: 'crank' cannot be between itself and itself\n"
                   "        pivot: {revolute: {between: [crank, crank], at: [0, 0, 0], axis: z}}\n"
                   "                                            ^~~~~\n");
}

static void test_mechanism_errors_axis_of_length_zero_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK
        "  joints:\n"
        "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 0]}}\n" END,
        "m.yaml:6:71: error: 'axis' has length 0: it gives no direction\n"
        "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 0]}}\n"
        "                                                                          ^\n");
}

static void test_mechanism_errors_missing_axis_is_asked_for(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK
                   "  joints:\n"
                   "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0]}}\n" END,
                   "m.yaml:6:13: error: revolute joint 'pivot' needs an 'axis'\n"
                   "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0]}}\n"
                   "                ^~~~~~~~\n");
}

static void test_mechanism_errors_missing_point_is_asked_for(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK "  joints:\n"
                                 "    pivot: {revolute: {between: [ground, crank], axis: z}}\n" END,
                   "m.yaml:6:13: error: revolute joint 'pivot' needs a point: 'at'\n"
                   "        pivot: {revolute: {between: [ground, crank], axis: z}}\n"
                   "                ^~~~~~~~\n");
}

static void test_mechanism_errors_inertia_that_no_body_has_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL
                   "  bodies:\n"
                   "    crank: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 3]}\n" PIVOT END,
                   "m.yaml:4:50: error: no body has the inertia of 'crank': of its principal "
                   "moments 1, 1, 3 the largest exceeds the sum of the others\n"
                   "        crank: {mass: 1, center: [1, 0, 0], inertia: [1, 1, 3]}\n"
                   "                                                     ^\n");
}

static void test_mechanism_errors_negative_inertia_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL
        "  bodies:\n"
        "    crank: {mass: 1, center: [1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1, xy: 2}}\n" PIVOT
            END,
        "m.yaml:4:50: error: the inertia of 'crank' has a negative principal moment: -1, 1, 3\n"
        "        crank: {mass: 1, center: [1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1, xy: 2}}\n"
        "                                                     ^\n");
}

static void test_mechanism_errors_asymmetric_inertia_names_the_entries(void **state)
{
    (void)state;
    assert_refused(SPATIAL "  bodies:\n"
                           "    crank: {mass: 1, center: [1, 0, 0], inertia: [[1, 0, 0], [0.1, 1, "
                           "0], [0, 0, 1]]}\n" PIVOT END,
                   "m.yaml:4:50: error: 'inertia' is not symmetric: xy is 0 and yx is 0.1\n"
                   "        crank: {mass: 1, center: [1, 0, 0], inertia: [[1, 0, 0], [0.1, 1, 0], "
                   "[0, 0, 1]]}\n"
                   "                                                     ^\n");
}

static void test_mechanism_errors_negative_mass_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL
                   "  bodies:\n"
                   "    crank: {mass: -1, center: [1, 0, 0], inertia: [1, 1, 1]}\n" PIVOT END,
                   "m.yaml:4:19: error: the mass of 'crank' is negative: -1\n"
                   "        crank: {mass: -1, center: [1, 0, 0], inertia: [1, 1, 1]}\n"
                   "                      ^~\n");
}

static void test_mechanism_errors_body_without_mass_and_joints_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL "  bodies:\n"
                           "    crank: {mass: 0, center: [1, 0, 0]}\n" PIVOT END,
                   "m.yaml:4:5: error: body 'crank' has no mass and only one joint, which lets it "
                   "move: nothing "
                   "determines its motion\n"
                   "        crank: {mass: 0, center: [1, 0, 0]}\n"
                   "        ^~~~~\n");
}

static void test_mechanism_errors_point_mass_without_joint_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK "    point: {mass: 1, center: [3, 0, 0]}\n" PIVOT END,
                   "m.yaml:5:5: warning: no joint holds body 'point': it moves freely; if that is "
                   "meant, add a free joint to the ground\n"
                   "        point: {mass: 1, center: [3, 0, 0]}\n"
                   "        ^~~~~\n"
                   "m.yaml:5:5: error: body 'point' has no inertia and no joint: nothing "
                   "determines its rotation\n"
                   "        point: {mass: 1, center: [3, 0, 0]}\n"
                   "        ^~~~~\n");
}

static void test_mechanism_errors_point_out_of_the_plane_is_refused(void **state)
{
    (void)state;
    assert_refused(PLANE PLANE_CRANK
                   "  joints:\n"
                   "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0.1]}}\n" END,
                   "m.yaml:7:54: error: 'at' is out of the plane xy: its z is 0.1, not 0\n"
                   "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0.1]}}\n"
                   "                                                         ^\n");
}

static void test_mechanism_errors_axis_out_of_the_plane_is_refused(void **state)
{
    (void)state;
    assert_refused(PLANE PLANE_CRANK
                   "  joints:\n"
                   "    pivot: {revolute: {between: [ground, crank], at: [0, 0], axis: x}}\n"
                   "    guide: {prismatic: {between: [ground, crank], at: [0, 0], axis: z}}\n" END,
                   "m.yaml:7:68: error: 'axis' must be normal to the plane of the model\n"
                   "        pivot: {revolute: {between: [ground, crank], at: [0, 0], axis: x}}\n"
                   "                                                                       ^\n"
                   "m.yaml:8:69: error: 'axis' must lie in the plane of the model\n"
                   "        guide: {prismatic: {between: [ground, crank], at: [0, 0], axis: z}}\n"
                   "                                                                        ^\n");
}

static void test_mechanism_errors_spatial_joint_in_the_plane_is_refused(void **state)
{
    (void)state;
    assert_refused(PLANE PLANE_CRANK
                   "  joints:\n"
                   "    ball: {spherical: {between: [ground, crank], at: [0, 0]}}\n" END,
                   "m.yaml:7:12: error: a plane model has no spherical joints\n"
                   "        ball: {spherical: {between: [ground, crank], at: [0, 0]}}\n"
                   "               ^~~~~~~~~\n");
}

static void test_mechanism_errors_force_out_of_the_plane_is_refused(void **state)
{
    (void)state;
    assert_refused(PLANE PLANE_CRANK PLANE_PIVOT
                   "  forces:\n"
                   "    push: {force: {on: crank, at: [1, 0], value: [0, 1, 2]}}\n" END,
                   "m.yaml:9:57: error: this component of 'push' is out of the plane xy\n"
                   "        push: {force: {on: crank, at: [1, 0], value: [0, 1, 2]}}\n"
                   "                                                            ^\n");
}

static void test_mechanism_errors_ground_cannot_be_described(void **state)
{
    (void)state;
    assert_refused(SPATIAL "  bodies:\n"
                           "    ground: {mass: 1, center: [0, 0, 0]}\n" END,
                   "m.yaml:4:5: error: the ground is always there and cannot be described\n"
                   "        ground: {mass: 1, center: [0, 0, 0]}\n"
                   "        ^~~~~~\n");
}

static void test_mechanism_errors_two_kinds_of_a_joint_are_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK
                   "  joints:\n"
                   "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, "
                   "prismatic: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n" END,
                   "m.yaml:6:75: error: 'prismatic' beside 'revolute': exactly one of fixed, "
                   "revolute, prismatic, cylindrical, screw, universal, spherical, planar, "
                   "point-on-line, point-on-plane, free, yaw-roll-pitch, rod, constant-velocity, "
                   "coupling, rack-pinion, relation, path, rolling, knife-edge, wheel-rail, "
                   "elastic-wheel-rail is accepted\n"
                   "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, "
                   "prismatic: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n"
                   "                                                                              "
                   "^~~~~~~~~\n");
}

static void test_mechanism_errors_misspelt_kind_names_the_nearest(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK
                   "  joints:\n"
                   "    pivot: {revolut: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n" END,
                   "m.yaml:6:13: error: unknown key 'revolut'; did you mean 'revolute'?\n"
                   "        pivot: {revolut: {between: [ground, crank], at: [0, 0, 0], axis: z}}\n"
                   "                ^~~~~~~\n");
}

static void test_mechanism_errors_key_of_another_kind_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK
        "  joints:\n"
        "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z, pitch: 1}}\n" END,
        "m.yaml:6:74: error: unknown key 'pitch'; valid here: between, at, axis, frame\n"
        "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z, pitch: 1}}\n"
        "                                                                             ^~~~~\n");
}

static void test_mechanism_errors_unknown_measure_lists_those_there_are(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK "  joints:\n"
                      "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, "
                      "start: {travel: 1}}\n" END,
        "m.yaml:6:83: error: joint 'pivot' has no measure 'travel'; its measures: angle\n"
        "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, start: "
        "{travel: 1}}\n"
        "                                                                                      "
        "^~~~~~\n");
}

static void test_mechanism_errors_start_of_prescribed_motion_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK "  joints:\n"
                                 "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], "
                                 "axis: z}, motion: \"2*t\", start: {angle: 1}}\n" END,
                   "m.yaml:6:98: error: the motion of 'pivot' is prescribed: its start follows "
                   "from the formula\n"
                   "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, "
                   "motion: \"2*t\", start: {angle: 1}}\n"
                   "                                                                               "
                   "                      ^~~~~\n");
    assert_refused(
        SPATIAL CRANK "  joints:\n"
                      "    pivot: {spherical: {between: [ground, crank], at: [0, 0, 0]}, motion: "
                      "{rotation_x: \"t\"}, start: {spin: [0, 1, 0]}}\n" END,
        "m.yaml:6:102: error: the motion of 'pivot' is prescribed: its start follows from the "
        "formula\n"
        "        pivot: {spherical: {between: [ground, crank], at: [0, 0, 0]}, motion: "
        "{rotation_x: \"t\"}, start: {spin: [0, 1, 0]}}\n"
        "                                                                              "
        "                           ^~~~\n");
}

static void test_mechanism_errors_motion_of_several_measures_must_say_which(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK "  joints:\n"
                                 "    pivot: {cylindrical: {between: [ground, crank], at: [0, 0, "
                                 "0], axis: z}, motion: \"2*t\"}\n" END,
                   "m.yaml:6:78: error: joint 'pivot' has 2 measures: choose which one 'motion' "
                   "prescribes; its measures: travel, angle\n"
                   "        pivot: {cylindrical: {between: [ground, crank], at: [0, 0, 0], axis: "
                   "z}, motion: \"2*t\"}\n"
                   "                                                                               "
                   "  ^~~~~~\n");
}

static void test_mechanism_errors_motion_of_a_rod_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK PIVOT "    strut: {rod: {between: [ground, crank], from: [1, 1, "
                            "0], to: [1, 0, 0]}, motion: \"1 + t\"}\n" END,
        "m.yaml:7:78: error: joint 'strut' has no measure that a motion could "
        "prescribe; those of revolute, prismatic, cylindrical, .. joints can be\n"
        "        strut: {rod: {between: [ground, crank], from: [1, 1, 0], to: [1, 0, "
        "0]}, motion: \"1 + t\"}\n"
        "                                                                                 "
        "^~~~~~\n");
}

static void test_mechanism_errors_motion_that_depends_on_the_state_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK "  joints:\n"
                                 "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], "
                                 "axis: z}, motion: \"2*t + crank_x\"}\n"
                                 "outputs: {x: \"crank_x\"}\n" END,
                   "m.yaml:6:90: error: 'crank_x' is a measure; a motion may depend on t only\n"
                   "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, "
                   "motion: \"2*t + crank_x\"}\n"
                   "                                                                               "
                   "              ^~~~~~~\n");
}

static void test_mechanism_errors_force_that_uses_an_acceleration_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT
                   "  forces:\n"
                   "    push: {force: {on: crank, at: [1, 0, 0], value: [0, \"-felt\", 0]}}\n"
                   "outputs: {felt: \"2*a(crank_x)\"}\n" END,
                   "m.yaml:9:20: error: 'a(crank_x)' is an acceleration; output 'felt', which "
                   "the mechanism uses, may depend on t, positions, velocities, states, "
                   "algebraic variables and multipliers only\n"
                   "    outputs: {felt: \"2*a(crank_x)\"}\n"
                   "                       ^~~~~~~~~~\n");
    assert_refused(SPATIAL CRANK PIVOT
                   "  forces:\n"
                   "    push: {force: {on: crank, at: [1, 0, 0], value: [0, \"-felt\", 0]}}\n"
                   "outputs: {felt: \"2*felt\"}\n" END,
                   "m.yaml:9:20: error: 'felt' is defined by itself\n"
                   "    outputs: {felt: \"2*felt\"}\n"
                   "                       ^~~~\n");
}

static void test_mechanism_errors_axis_and_frame_are_too_much(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK "  joints:\n"
                      "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z, "
                      "frame: {x: x}}}\n" END,
        "m.yaml:6:74: error: 'frame' beside 'axis': give one of them\n"
        "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z, frame: {x: "
        "x}}}\n"
        "                                                                             ^~~~~\n");
}

static void test_mechanism_errors_frame_that_is_not_square_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK "  joints:\n"
                      "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], frame: {x: "
                      "[1, 0.2, 0], z: [0.1, 0, 1]}}}\n" END,
        "m.yaml:6:76: error: 'x' is not perpendicular to 'z': the angle between them has cosine "
        "0.0976\n"
        "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], frame: {x: [1, 0.2, "
        "0], z: [0.1, 0, 1]}}}\n"
        "                                                                               ^\n");
}

static void test_mechanism_errors_axes_of_a_universal_joint_must_be_square(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK "  joints:\n"
                                 "    cross: {universal: {between: [ground, crank], at: [0, 0, 0], "
                                 "axis: x, second_axis: [1, 1, 0]}}\n" END,
                   "m.yaml:6:88: error: the axes of universal joint 'cross' are not perpendicular: "
                   "cosine 0.707\n"
                   "        cross: {universal: {between: [ground, crank], at: [0, 0, 0], axis: x, "
                   "second_axis: [1, 1, 0]}}\n"
                   "                                                                               "
                   "            ^\n");
}

static void test_mechanism_errors_rod_without_length_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK PIVOT
        "    strut: {rod: {between: [ground, crank], from: [1, 1, 0], to: [1, 1, 0]}}\n" END,
        "m.yaml:7:13: error: the ends of rod 'strut' coincide; a spherical joint keeps two points "
        "together\n"
        "        strut: {rod: {between: [ground, crank], from: [1, 1, 0], to: [1, 1, 0]}}\n"
        "                ^~~\n");
}

static void test_mechanism_errors_coupling_of_no_measure_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT "    gear: {coupling: {terms: {pivot_angel: 1}}}\n" END,
                   "m.yaml:7:31: error: 'pivot_angel' is not a measure of a joint; did you mean "
                   "'pivot_angle'?\n"
                   "        gear: {coupling: {terms: {pivot_angel: 1}}}\n"
                   "                                  ^~~~~~~~~~~\n");
}

static void test_mechanism_errors_rack_without_travel_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT
                   "    rack: {rack-pinion: {rack: pivot, pinion: pivot, radius: 1}}\n" END,
                   "m.yaml:7:32: error: revolute joint 'pivot' has no travel\n"
                   "        rack: {rack-pinion: {rack: pivot, pinion: pivot, radius: 1}}\n"
                   "                                   ^~~~~\n");
}

static void test_mechanism_errors_spring_without_length_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT "  forces:\n"
                                       "    spring: {spring: {between: [ground, crank], from: [1, "
                                       "0, 0], to: [1, 0, 0], stiffness: 1}}\n" END,
                   "m.yaml:8:14: error: the ends of 'spring' coincide: it has no direction; a "
                   "bushing has one\n"
                   "        spring: {spring: {between: [ground, crank], from: [1, 0, 0], to: [1, "
                   "0, 0], stiffness: 1}}\n"
                   "                 ^~~~~~\n");
}

static void test_mechanism_errors_unknown_signal_names_the_nearest(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT
                   "  forces:\n"
                   "    motor: {actuator: {joint: pivot, effort: \"-pivot_rte\"}}\n" END,
                   "m.yaml:8:48: error: 'pivot_rte' is not defined; did you mean 'pivot_rate'?\n"
                   "        motor: {actuator: {joint: pivot, effort: \"-pivot_rte\"}}\n"
                   "                                                   ^~~~~~~~~\n");
}

static void test_mechanism_errors_unknown_joint_names_the_nearest(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT "  forces:\n"
                                       "    motor: {actuator: {joint: pivo, effort: 1}}\n" END,
                   "m.yaml:8:31: error: there is no joint 'pivo'; did you mean 'pivot'?\n"
                   "        motor: {actuator: {joint: pivo, effort: 1}}\n"
                   "                                  ^~~~\n");
}

static void test_mechanism_errors_value_without_axis_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK PIVOT "  forces:\n"
                            "    push: {force: {on: crank, at: [1, 0, 0], value: 3}}\n" END,
        "m.yaml:8:46: error: one value needs an 'axis'; or give the components as a list\n"
        "        push: {force: {on: crank, at: [1, 0, 0], value: 3}}\n"
        "                                                 ^~~~~\n");
}

static void test_mechanism_errors_force_on_the_ground_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT
                   "  forces:\n"
                   "    push: {force: {on: ground, at: [1, 0, 0], value: [1, 0, 0]}}\n" END,
                   "m.yaml:8:24: error: a force on the ground moves nothing\n"
                   "        push: {force: {on: ground, at: [1, 0, 0], value: [1, 0, 0]}}\n"
                   "                           ^~~~~~\n");
}

static void test_mechanism_errors_table_that_descends_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT
                   "  forces:\n"
                   "    spring: {spring: {between: [ground, crank], from: [0, 0, 0], to: [1, 0, "
                   "0], spring_table: [[0, 0], [2, 1], [1, 2]]}}\n" END,
                   "m.yaml:8:112: error: the table must ascend: 1 comes after 2\n"
                   "        spring: {spring: {between: [ground, crank], from: [0, 0, 0], to: [1, "
                   "0, 0], spring_table: [[0, 0], [2, 1], [1, 2]]}}\n"
                   "                                                                               "
                   "                                    ^\n");
}

static void test_mechanism_errors_negative_stick_is_refused(void **state)
{
    (void)state;
    assert_refused(PLANE PLANE_CRANK
                   "  joints:\n"
                   "    pivot: {revolute: {between: [ground, crank], at: [0, 0]},\n"
                   "            friction: {static: 0.1, radius: 0.01, stick: -1}}\n" END,
                   "m.yaml:8:58: error: 'stick' must be 0 or more, not -1\n"
                   "                friction: {static: 0.1, radius: 0.01, stick: -1}}\n"
                   "                                                             ^~\n");
}

static void test_mechanism_errors_unknown_interpolation_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT
                   "  forces:\n"
                   "    spring: {actuator: {joint: pivot, interpolation: cubic}}\n" END,
                   "m.yaml:8:54: error: 'interpolation' cannot be 'cubic'; it is one of linear, "
                   "monotone, spline\n"
                   "        spring: {actuator: {joint: pivot, interpolation: cubic}}\n"
                   "                                                         ^~~~~\n");
}

static void test_mechanism_errors_negative_stiffness_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK PIVOT "  forces:\n"
                                       "    spring: {spring: {between: [ground, crank], from: [0, "
                                       "0, 0], to: [1, 0, 0], stiffness: -5}}\n" END,
                   "m.yaml:8:92: error: 'stiffness' must be 0 or more, not -5\n"
                   "        spring: {spring: {between: [ground, crank], from: [0, 0, 0], to: [1, "
                   "0, 0], stiffness: -5}}\n"
                   "                                                                               "
                   "                ^~\n");
}

static void test_mechanism_errors_friction_of_a_ball_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL CRANK "  joints:\n"
                      "    ball: {spherical: {between: [ground, crank], at: [0, 0, 0]}, friction: "
                      "{static: 0.1}}\n" END,
        "m.yaml:6:66: error: only revolute and prismatic joints have friction, not 'ball'\n"
        "        ball: {spherical: {between: [ground, crank], at: [0, 0, 0]}, friction: {static: "
        "0.1}}\n"
        "                                                                     ^~~~~~~~\n");
}

static void test_mechanism_errors_stops_the_wrong_way_round_are_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK
                   "  joints:\n"
                   "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, "
                   "stops: {angle: {low: 1, high: -1, stiffness: 1}}}\n" END,
                   "m.yaml:6:83: error: 'low' must be below 'high': 1 and -1\n"
                   "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, "
                   "stops: {angle: {low: 1, high: -1, stiffness: 1}}}\n"
                   "                                                                               "
                   "       ^~~~~\n");
}

static void test_mechanism_errors_parameter_with_the_name_of_a_measure_is_refused(void **state)
{
    (void)state;
    assert_refused(
        "trammel: 1\n"
        "parameters: {pivot_angle: 1}\n"
        "mechanism:\n" CRANK PIVOT END,
        "m.yaml:2:14: error: the name 'pivot_angle' is already that of a measure of the mechanism\n"
        "    parameters: {pivot_angle: 1}\n"
        "                 ^~~~~~~~~~~\n");
}

static void test_mechanism_errors_mass_that_an_event_changes_is_refused(void **state)
{
    (void)state;
    assert_refused("trammel: 1\n"
                   "parameters: {m: 1}\n"
                   "mechanism:\n"
                   "  bodies:\n"
                   "    crank: {mass: \"m\", center: [1, 0, 0], inertia: [1, 1, 1]}\n" PIVOT
                   "events: {drop: {when: \"crank_y\", set: {m: 2}}}\n" END,
                   "m.yaml:5:19: error: an event sets a parameter of this number; only formulas of "
                   "forces and motions can follow\n"
                   "        crank: {mass: \"m\", center: [1, 0, 0], inertia: [1, 1, 1]}\n"
                   "                      ^~~\n");
}

static void test_mechanism_errors_no_bodies_at_all_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL "  bodies: {}\n" END,
                   "m.yaml:3:3: error: a mechanism needs at least one body\n"
                   "      bodies: {}\n"
                   "      ^~~~~~\n");
}

static void test_mechanism_errors_disc_that_lies_flat_is_refused(void **state)
{
    (void)state;
    assert_refused(SPATIAL CRANK "  joints:\n"
                                 "    table: {rolling: {between: [ground, crank], at: [1, 0, 0], "
                                 "axis: z, normal: z, radius: 0.1}}\n" END,
                   "m.yaml:6:70: error: the disc 'table' lies flat on the plane: it cannot roll\n"
                   "        table: {rolling: {between: [ground, crank], at: [1, 0, 0], axis: z, "
                   "normal: z, radius: 0.1}}\n"
                   "                                                                         ^\n");
}

static void test_mechanism_errors_name_that_formulas_cannot_use_is_refused(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL "  bodies:\n"
                "    \"big wheel\": {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n" END,
        "m.yaml:4:5: error: 'big wheel' is not a valid name of a body: a letter or _, then "
        "letters, digits and _\n"
        "        \"big wheel\": {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
        "        ^~~~~~~~~~~\n");
}

static void test_mechanism_errors_loose_body_is_told(void **state)
{
    (void)state;
    assert_warned(SPATIAL CRANK
                  "    stone: {mass: 1, center: [3, 0, 0], inertia: [1, 1, 1]}\n" PIVOT END,
                  "m.yaml:5:5: warning: no joint holds body 'stone': it moves freely; if that is "
                  "meant, add a free joint to the ground\n"
                  "        stone: {mass: 1, center: [3, 0, 0], inertia: [1, 1, 1]}\n"
                  "        ^~~~~\n");
}

static void test_mechanism_errors_loose_group_is_told_once(void **state)
{
    (void)state;
    assert_warned(
        SPATIAL CRANK "    rod: {mass: 1, center: [2, 0, 0], inertia: [1, 1, 1]}\n"
                      "    tail: {mass: 1, center: [3, 0, 0], inertia: [1, 1, 1]}\n" PIVOT
                      "    pin: {revolute: {between: [rod, tail], at: [2, 0, 0], axis: z}}\n" END,
        "m.yaml:5:5: warning: no joint leads from the ground to body 'rod' and what it is joined "
        "to: it moves freely; if that is meant, add a free joint to the ground\n"
        "        rod: {mass: 1, center: [2, 0, 0], inertia: [1, 1, 1]}\n"
        "        ^~~\n");
}

// one message for all of them; what a beam, a bushing or a spring holds is not loose
static void test_mechanism_errors_loose_bodies_are_listed_once(void **state)
{
    (void)state;
    assert_warned(
        SPATIAL CRANK "    a: {mass: 1, center: [2, 0, 0], inertia: [1, 1, 1]}\n"
                      "    b: {mass: 1, center: [3, 0, 0], inertia: [1, 1, 1]}\n"
                      "    c: {mass: 1, center: [4, 0, 0], inertia: [1, 1, 1]}\n"
                      "    d: {mass: 1, center: [5, 0, 0], inertia: [1, 1, 1]}\n"
                      "    e: {mass: 1, center: [6, 0, 0], inertia: [1, 1, 1]}\n" PIVOT
                      "  forces:\n"
                      "    hold: {bushing: {between: [crank, e], at: [6, 0, 0]}}\n" END,
        "m.yaml:5:5: warning: no joint holds bodies 'a', 'b', 'c' and 1 more: they move freely; if "
        "that is meant, add free joints to the ground\n"
        "        a: {mass: 1, center: [2, 0, 0], inertia: [1, 1, 1]}\n"
        "        ^\n");
}

static void test_mechanism_errors_forgotten_inertia_is_reported(void **state)
{
    (void)state;
    assert_warned(PLANE "  bodies:\n"
                        "    arm: {mass: 1, center: [1, 0]}\n"
                        "    toe: {mass: 0, center: [2, 0]}\n"
                        "    bob: {mass: 1, center: [2, 0], inertia: 0}\n"
                        "    sledge: {mass: 1, center: [0, 0]}\n"
                        "  joints:\n"
                        "    rail: {prismatic: {between: [ground, sledge], at: [0, 0], axis: x}}\n"
                        "    hip: {revolute: {between: [ground, arm], at: [0, 0]}}\n"
                        "    pin: {revolute: {between: [arm, bob], at: [1, 0]}}\n"
                        "    tip: {fixed: {between: [arm, toe]}}\n" END,
                  "m.yaml:5:5: warning: body 'arm' has no 'inertia': it turns as a point mass; "
                  "write 'inertia: 0' if that is meant\n"
                  "        arm: {mass: 1, center: [1, 0]}\n"
                  "        ^~~\n");
}

static void test_mechanism_errors_millimetres_are_suspected(void **state)
{
    (void)state;
    assert_warned(SPATIAL
                  "  gravity: [0, 0, -9810]\n"
                  "  bodies:\n"
                  "    crank: {mass: 1, center: [100, 0, 0], inertia: [1, 1, 1]}\n" PIVOT END,
                  "m.yaml:3:3: warning: gravity is 9810 m/s^2: were millimetres meant? Lengths "
                  "without a unit "
                  "are in metres\n"
                  "      gravity: [0, 0, -9810]\n"
                  "      ^~~~~~~\n"
                  "m.yaml:5:5: warning: the mechanism has parts of 100 m: were millimetres meant? "
                  "Lengths without a unit are in metres\n"
                  "        crank: {mass: 1, center: [100, 0, 0], inertia: [1, 1, 1]}\n"
                  "        ^~~~~\n");
}

static void test_mechanism_errors_degrees_are_suspected(void **state)
{
    (void)state;
    assert_warned(
        SPATIAL CRANK "  joints:\n"
                      "    pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, "
                      "start: {angle: 90}}\n" END,
        "m.yaml:6:75: warning: 'angle' of 'pivot' starts at 90 rad, more than a turn: were degrees "
        "meant?\n"
        "        pivot: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, start: "
        "{angle: 90}}\n"
        "                                                                              ^~~~~\n");
}

static void test_mechanism_errors_inertia_in_other_units_is_suspected(void **state)
{
    (void)state;
    assert_warned(
        SPATIAL
        "  bodies:\n"
        "    crank: {mass: 1, center: [0.1, 0, 0], inertia: [2000, 2000, 2000]}\n" PIVOT END,
        "m.yaml:4:5: warning: inertia and mass of 'crank' are those of a body of 44.7 m, but no "
        "point of the mechanism is farther than 0.1 m from a centre of mass: is it in kg m^2?\n"
        "        crank: {mass: 1, center: [0.1, 0, 0], inertia: [2000, 2000, 2000]}\n"
        "        ^~~~~\n");
}

// One that carries a body with mass follows it, and is not warned of.
static void test_mechanism_errors_massless_link_is_told(void **state)
{
    (void)state;
    assert_warned(
        SPATIAL "  bodies:\n"
                "    crank: {mass: 0, center: [1, 0, 0]}\n"
                "    link: {mass: 0, center: [1.5, 0, 0]}\n"
                "    rod: {mass: 1, center: [2, 0, 0], inertia: [1, 1, 1]}\n" PIVOT
                "    pin: {prismatic: {between: [crank, link], at: [1, 0, 0], axis: x}}\n"
                "    end: {revolute: {between: [link, rod], at: [1.5, 0, 0], axis: y}}\n" END,
        "m.yaml:4:5: warning: body 'crank' has no mass: its joints must determine its motion\n"
        "        crank: {mass: 0, center: [1, 0, 0]}\n"
        "        ^~~~~\n");
}

// ---- what the whole is ----

static void test_mechanism_errors_loop_that_cannot_close_names_the_joint(void **state)
{
    (void)state;
    // the ends come as near as 2 m, 1.5 m more than the length; the row says
    // (2^2 - 0.5^2)/(2 0.5) = 3.75
    assert_apart(
        PLANE PLANE_CRANK PLANE_PIVOT
        "    strut: {rod: {between: [ground, crank], from: [3, 0], to: [1, 0], length: 0.5}}\n" END,
        "m.yaml:8:5: error: the mechanism cannot be assembled: strut_length is off by 1.5 m "
        "after 2 iterations (rows up to 3.75 at the start values); give start values nearer to an "
        "assembled position, keep fewer, or remove what contradicts\n"
        "        strut: {rod: {between: [ground, crank], from: [3, 0], to: [1, 0], length: 0.5}}\n"
        "        ^~~~~\n");
}

static void test_mechanism_errors_contradictory_joints_are_both_named(void **state)
{
    (void)state;
    assert_apart(
        PLANE PLANE_CRANK PLANE_PIVOT
        "    one: {rod: {between: [ground, crank], from: [1, 1], to: [1, 0]}}\n"
        "    two: {rod: {between: [ground, crank], from: [1, 1], to: [1, 0], length: 1.1}}\n" END,
        "m.yaml:9:5: error: the mechanism cannot be assembled: two_length is off by -0.0525 "
        "m, one_length by 0.0475 m after 21 iterations (rows up to 0.0955 at the start values); "
        "give start values nearer to an assembled position, keep fewer, or remove what "
        "contradicts\n"
        "        two: {rod: {between: [ground, crank], from: [1, 1], to: [1, 0], length: 1.1}}\n"
        "        ^~~\n");
}

// the third hinge closes the loop; the first one is kept
static void test_mechanism_errors_start_rates_of_cuts_that_change_are_told(void **state)
{
    (void)state;
    assert_warned(
        PLANE PARALLELOGRAM
        "    c: {revolute: {between: [ground, right], at: [1, 0]}}\n"
        "    d: {revolute: {between: [top, right], at: [1, 1]}, start: {rate: 5}, cut: true}\n" END,
        "m.yaml:12:5: warning: the start rate d_rate = 5 does not fit the other joints and became "
        "1; "
        "'keep: true' holds it and lets the others change\n"
        "        d: {revolute: {between: [top, right], at: [1, 1]}, start: {rate: 5}, cut: true}\n"
        "        ^\n");
}

static void test_mechanism_errors_start_values_kept_and_guessed_are_reported(void **state)
{
    (void)state;
    assert_refused(
        PLANE "  bodies:\n"
              "    left: {mass: 1, center: [0, 0.5], inertia: 1}\n"
              "  joints:\n"
              "    a: {revolute: {between: [ground, left], at: [0, 0]}, start: {rate: 1, keep: "
              "true, guess: "
              "true}}\n" END,
        "m.yaml:7:87: error: 'guess' contradicts 'keep' in line 7: start values are either kept or "
        "guesses\n"
        "        a: {revolute: {between: [ground, left], at: [0, 0]}, start: {rate: 1, keep: true, "
        "guess: "
        "true}}\n"
        "                                                                                          "
        "^~~~~\n");
}

// a parallelogram: both cranks turn alike, and the first one is kept
static void test_mechanism_errors_start_rates_that_change_are_told(void **state)
{
    (void)state;
    assert_warned(
        PLANE PARALLELOGRAM
        "    c: {revolute: {between: [ground, right], at: [1, 0]}, start: {rate: 2}}\n"
        "    d: {revolute: {between: [top, right], at: [1, 1]}}\n" END,
        "m.yaml:11:5: warning: the start rate c_rate = 2 does not fit the other joints and became "
        "1; "
        "'keep: true' holds it and lets the others change\n"
        "        c: {revolute: {between: [ground, right], at: [1, 0]}, start: {rate: 2}}\n"
        "        ^\n");
}

static void test_mechanism_errors_body_and_joint_of_one_name_are_refused(void **state)
{
    (void)state;
    assert_refused(
        PLANE PLANE_CRANK "  joints:\n"
                          "    crank: {revolute: {between: [ground, crank], at: [0, 0]}}\n" END,
        "m.yaml:7:5: error: joint 'crank' has the name of the body in line 5; give one of "
        "them another, so that 'crank_x' or 'crank_rate' means one thing\n"
        "        crank: {revolute: {between: [ground, crank], at: [0, 0]}}\n"
        "        ^~~~~\n");
}

static void test_mechanism_errors_product_of_inertia_turned_round_is_named(void **state)
{
    (void)state;
    assert_refused(
        SPATIAL
        "  bodies:\n"
        "    crank: {mass: 1, center: [1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1, xz: 0.1}}\n" PIVOT
            END,
        "m.yaml:4:72: error: unknown key 'xz'; did you mean 'zx'?\n"
        "        crank: {mass: 1, center: [1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1, xz: 0.1}}\n"
        "                                                                           ^~\n");
}

static void test_mechanism_errors_nothing_but_prescribed_joints_is_refused(void **state)
{
    (void)state;
    assert_refused(PLANE "  coordinates: joint\n" PLANE_CRANK "  joints:\n"
                         "    pivot: {revolute: {between: [ground, crank], at: [0, 0]}, motion: "
                         "\"2*t\"}\n" END,
                   "m.yaml:2:1: error: every joint is fixed or prescribed and no coordinate is "
                   "left; with 'coordinates: absolute', or without the key, the forces that this "
                   "takes are computed\n"
                   "    mechanism:\n"
                   "    ^~~~~~~~~\n");
}

// without the key the coordinates are those of the bodies
static void test_mechanism_errors_structures_and_driven_machines_are_accepted(void **state)
{
    (void)state;
    static const char *const joint[] = {
        "{revolute: {between: [ground, crank], at: [0, 0]}, motion: \"2*t\"}",
        "{fixed: {between: [ground, crank], at: [0, 0]}}"};
    for (int k = 0; k < 2; k++) {
        model_case c;
        char text[600];
        snprintf(text, sizeof text, "%s  joints:\n    pivot: %s\n%s", PLANE PLANE_CRANK, joint[k],
                 END);
        model_read(&c, text);
        assert_string_equal(c.said, "");
        assert_int_equal(trm_model_count(c.model, TRM_CHANNEL_POSITION), 3);
        model_close(&c);
    }
}

// ---- beams ----

#define BEAM(more)                                                                                 \
    "  bodies:\n"                                                                                  \
    "    rod: {beam: {from: [0, 0], to: [2, 0], elements: 4, modulus: 1, area: 1, inertia: 1, "    \
    "density: 1}" more "}\n"

static void test_mechanism_errors_joint_between_nodes_names_the_nearest(void **state)
{
    (void)state;
    assert_refused(
        PLANE BEAM("") "  joints:\n"
                       "    pin: {revolute: {between: [ground, rod], at: [0.9, 0]}}\n" END,
        "m.yaml:7:5: error: 'pin' is at (0.9, 0, 0), where beam 'rod' has no node; the nearest is "
        "rod_2 at (1, 0, 0): move the point, change 'elements', or name the node as the body\n"
        "        pin: {revolute: {between: [ground, rod], at: [0.9, 0]}}\n"
        "        ^~~\n");
}

static void test_mechanism_errors_beam_gives_its_mass_itself(void **state)
{
    (void)state;
    assert_refused(PLANE BEAM(", mass: 1") END,
                   "m.yaml:5:103: error: 'mass' beside 'beam': it follows from the beam\n"
                   "        rod: {beam: {from: [0, 0], to: [2, 0], elements: 4, modulus: 1, area: "
                   "1, inertia: 1, density: 1}, mass: 1}\n"
                   "                                                                               "
                   "                           ^~~~\n");
}

static void test_mechanism_errors_beam_keys_belong_to_plane_or_space(void **state)
{
    (void)state;
    assert_refused(SPATIAL "  bodies:\n"
                           "    rod: {beam: {from: [0, 0, 0], to: [2, 0, 0], stiffening: false,\n"
                           "          modulus: 1, area: 1, inertia: 1, density: 1}}\n" END,
                   "m.yaml:4:50: error: 'stiffening' is for beams of plane models\n"
                   "        rod: {beam: {from: [0, 0, 0], to: [2, 0, 0], stiffening: false,\n"
                   "                                                     ^~~~~~~~~~\n");
    assert_refused(PLANE "  bodies:\n"
                         "    rod: {beam: {from: [0, 0], to: [2, 0], torsion: 1,\n"
                         "          modulus: 1, area: 1, inertia: 1, density: 1}}\n" END,
                   "m.yaml:5:44: error: 'torsion' is for beams in space\n"
                   "        rod: {beam: {from: [0, 0], to: [2, 0], torsion: 1,\n"
                   "                                               ^~~~~~~\n");
    assert_refused(
        PLANE "  bodies:\n"
              "    rod: {beam: {from: [0, 0], to: [2, 0], stretching: true, stiffening: false,\n"
              "          modulus: 1, area: 1, inertia: 1, density: 1}}\n" END,
        "m.yaml:5:44: error: 'stretching' needs the shifts that 'stiffening: false' leaves out\n"
        "        rod: {beam: {from: [0, 0], to: [2, 0], stretching: true, stiffening: false,\n"
        "                                               ^~~~~~~~~~\n");
    assert_refused(SPATIAL "  bodies:\n"
                           "    rod: {beam: {from: [0, 0, 0], to: [2, 0, 0], stretching: true,\n"
                           "          modulus: 1, area: 1, inertia: 1, density: 1}}\n" END,
                   "m.yaml:4:50: error: 'stretching' is for beams of plane models\n"
                   "        rod: {beam: {from: [0, 0, 0], to: [2, 0, 0], stretching: true,\n"
                   "                                                     ^~~~~~~~~~\n");
    assert_refused(SPATIAL "  bodies:\n"
                           "    rod: {beam: {from: [0, 0, 0], to: [2, 0, 0], torsion: 0,\n"
                           "          modulus: 1, area: 1, inertia: 1, density: 1}}\n" END,
                   "m.yaml:4:59: error: 'torsion' must be positive, not 0\n"
                   "        rod: {beam: {from: [0, 0, 0], to: [2, 0, 0], torsion: 0,\n"
                   "                                                              ^\n");
}

static void test_mechanism_errors_beam_without_extent_is_refused(void **state)
{
    (void)state;
    assert_refused(PLANE "  bodies:\n"
                         "    rod: {beam: {from: [1, 0], to: [1, 0], elements: 0, modulus: 1,\n"
                         "          area: 1, inertia: 1, density: 1}}\n" END,
                   "m.yaml:5:54: error: 'elements' must be a whole number from 1 to 10000\n"
                   "        rod: {beam: {from: [1, 0], to: [1, 0], elements: 0, modulus: 1,\n"
                   "                                                         ^\n");
    assert_refused(PLANE "  bodies:\n"
                         "    rod: {beam: {from: [1, 0], to: [1, 0], modulus: 1, area: 1,\n"
                         "          inertia: 1, density: 1}}\n" END,
                   "m.yaml:5:11: error: the ends of beam 'rod' coincide\n"
                   "        rod: {beam: {from: [1, 0], to: [1, 0], modulus: 1, area: 1,\n"
                   "              ^~~~\n");
}

static void test_mechanism_errors_beam_damping_is_not_negative(void **state)
{
    (void)state;
    assert_refused(PLANE "  bodies:\n"
                         "    rod: {beam: {from: [0, 0], to: [1, 0], damping: -1e-3, modulus: 1,\n"
                         "          area: 1, inertia: 1, density: 1}}\n" END,
                   "m.yaml:5:53: error: 'damping' must be 0 or more, not -0.001\n"
                   "        rod: {beam: {from: [0, 0], to: [1, 0], damping: -1e-3, modulus: 1,\n"
                   "                                                        ^~~~~\n");
}

static void test_mechanism_errors_body_called_as_a_node_is_refused(void **state)
{
    (void)state;
    assert_refused(
        PLANE BEAM("") "    rod_2: {mass: 1, center: [0, 0], inertia: 1}\n" END,
        "m.yaml:5:5: error: beam 'rod' has a node 'rod_2', and another body is called so too\n"
        "        rod: {beam: {from: [0, 0], to: [2, 0], elements: 4, modulus: 1, area: 1, inertia: "
        "1, density: 1}}\n"
        "        ^~~\n");
}

// axial force acts on any beam: nothing needs to hold its left end
static void test_mechanism_errors_stiffening_goes_with_any_joint(void **state)
{
    (void)state;
    static const char *const good[] = {
        "{revolute: {between: [ground, rod], at: [0, 0]}}",
        "{fixed: {between: [ground, rod], at: [0, 0]}}",
        "{revolute: {between: [ground, rod], at: [0, 0]}, motion: {angle: \"t\"}}"};
    for (int k = 0; k < 3; k++) {
        model_case c;
        char text[600];
        snprintf(text, sizeof text, "%s  joints:\n    pin: %s\n%s", PLANE BEAM(""), good[k], END);
        model_read(&c, text);
        assert_string_equal(c.said, "");
        model_close(&c);
    }
}

static void test_mechanism_errors_body_without_mass_or_beam_is_refused(void **state)
{
    (void)state;
    assert_refused(PLANE "  bodies:\n"
                         "    rod: {center: [1, 0]}\n" END,
                   "m.yaml:5:5: error: the key 'mass' is missing: kg\n"
                   "        rod: {center: [1, 0]}\n"
                   "        ^~~\n");
}

static void test_mechanism_errors_short_point_of_the_plane_asks_for_two(void **state)
{
    (void)state;
    assert_refused(PLANE PLANE_CRANK
                   "  joints:\n"
                   "    pivot: {revolute: {between: [ground, crank], at: [0]}}\n" END,
                   "m.yaml:7:54: error: 'at' must be a list of 2 numbers, not 1\n"
                   "        pivot: {revolute: {between: [ground, crank], at: [0]}}\n"
                   "                                                         ^\n");
}

static void test_mechanism_errors_word_of_other_programs_names_the_kind(void **state)
{
    (void)state;
    assert_refused(PLANE PLANE_CRANK
                   "  joints:\n"
                   "    pivot: {hinge: {between: [ground, crank], at: [0, 0]}}\n" END,
                   "m.yaml:7:13: error: unknown key 'hinge'; did you mean 'revolute'?\n"
                   "        pivot: {hinge: {between: [ground, crank], at: [0, 0]}}\n"
                   "                ^~~~~\n");
}

static void test_mechanism_errors_numbers_without_digits_are_refused(void **state)
{
    (void)state;
    assert_refused(PLANE "  bodies:\n"
                         "    crank: {mass: 1, center: [1e200, 0], inertia: 1}\n" PLANE_PIVOT END,
                   "m.yaml:5:31: error: element 1 of 'center' is 1e+200, beyond 1e+50: no "
                   "computation has digits for that; the units are m, kg, s and rad\n"
                   "        crank: {mass: 1, center: [1e200, 0], inertia: 1}\n"
                   "                                  ^~~~~\n");
}

// ---- long chains in joint coordinates ----

// N rods in a row; free() it
static char *long_chain(int n, const char *formalism, const char *integrator)
{
    size_t size = 1000 + 200 * (size_t)n, used = 0;
    char *text = malloc(size);
    assert_non_null(text);
    used += (size_t)snprintf(text, size, PLANE "  formalism: %s\n  bodies:\n", formalism);
    for (int k = 1; k <= n; k++)
        used += (size_t)snprintf(text + used, size - used,
                                 "    b%d: {mass: 1, center: [%d.5, 0], inertia: 1}\n", k, k - 1);
    used += (size_t)snprintf(text + used, size - used, "  joints:\n");
    char before[20] = "ground";
    for (int k = 1; k <= n; k++) {
        used += (size_t)snprintf(text + used, size - used,
                                 "    j%d: {revolute: {between: [%s, b%d], at: [%d, 0]}}\n", k,
                                 before, k, k - 1);
        snprintf(before, sizeof before, "b%d", k);
    }
    snprintf(text + used, size - used, "simulate: {end: 1, integrator: %s}\n", integrator);
    return text;
}

static void assert_chain_said(int n, const char *formalism, const char *integrator,
                              trm_status status, const char *expected)
{
    char *text = long_chain(n, formalism, integrator);
    assert_said(text, status, expected);
    free(text);
}

// 4500 4501 = 2.0e7 entries; 300 bytes for two of them: a run of 1000 bodies took 152 MB
static void
test_mechanism_errors_chain_of_4500_joints_is_refused_before_memory_is_taken(void **state)
{
    (void)state;
    assert_chain_said(
        4500, "residual", "bdf", TRM_ERR_MODEL,
        "m.yaml:2:1: error: in joint coordinates every body meets all those before it: M, K and D "
        "have 2e+07 entries each and a run takes about 3 GB; try 'coordinates: absolute', or "
        "'formalism: explicit' with 'integrator: adams', which needs no matrices\n"
        "    mechanism:\n"
        "    ^~~~~~~~~\n");
    assert_chain_said(
        4500, "explicit", "bdf", TRM_ERR_MODEL,
        "m.yaml:2:1: error: in joint coordinates every body meets all those before it: M, K and D "
        "have 2e+07 entries each and a run takes about 3 GB; try 'coordinates: absolute', or "
        "'integrator: adams', which needs no matrices\n"
        "    mechanism:\n"
        "    ^~~~~~~~~\n");
}

// 1500 1501 = 2.3e6 entries
static void test_mechanism_errors_chain_of_1500_joints_is_warned_of(void **state)
{
    (void)state;
    assert_chain_said(
        1500, "residual", "bdf", TRM_OK,
        "m.yaml:2:1: warning: in joint coordinates every body meets all those before it: M, K and "
        "D have 2.3e+06 entries each and a run takes about 0.34 GB; try 'coordinates: absolute', "
        "or 'formalism: explicit' with 'integrator: adams', which needs no matrices\n"
        "    mechanism:\n"
        "    ^~~~~~~~~\n");
}

static void test_mechanism_errors_chain_of_4500_joints_without_matrices_is_accepted(void **state)
{
    (void)state;
    assert_chain_said(4500, "explicit", "adams", TRM_OK, "");
    assert_chain_said(4500, "explicit", "explicit", TRM_OK, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mechanism_errors_unknown_body_names_the_nearest),
        cmocka_unit_test(test_mechanism_errors_short_point_of_the_plane_asks_for_two),
        cmocka_unit_test(test_mechanism_errors_word_of_other_programs_names_the_kind),
        cmocka_unit_test(test_mechanism_errors_numbers_without_digits_are_refused),
        cmocka_unit_test(
            test_mechanism_errors_chain_of_4500_joints_is_refused_before_memory_is_taken),
        cmocka_unit_test(test_mechanism_errors_chain_of_1500_joints_is_warned_of),
        cmocka_unit_test(test_mechanism_errors_chain_of_4500_joints_without_matrices_is_accepted),
        cmocka_unit_test(test_mechanism_errors_body_between_itself_is_refused),
        cmocka_unit_test(test_mechanism_errors_axis_of_length_zero_is_refused),
        cmocka_unit_test(test_mechanism_errors_missing_axis_is_asked_for),
        cmocka_unit_test(test_mechanism_errors_missing_point_is_asked_for),
        cmocka_unit_test(test_mechanism_errors_inertia_that_no_body_has_is_refused),
        cmocka_unit_test(test_mechanism_errors_negative_inertia_is_refused),
        cmocka_unit_test(test_mechanism_errors_asymmetric_inertia_names_the_entries),
        cmocka_unit_test(test_mechanism_errors_negative_mass_is_refused),
        cmocka_unit_test(test_mechanism_errors_body_without_mass_and_joints_is_refused),
        cmocka_unit_test(test_mechanism_errors_point_mass_without_joint_is_refused),
        cmocka_unit_test(test_mechanism_errors_point_out_of_the_plane_is_refused),
        cmocka_unit_test(test_mechanism_errors_axis_out_of_the_plane_is_refused),
        cmocka_unit_test(test_mechanism_errors_spatial_joint_in_the_plane_is_refused),
        cmocka_unit_test(test_mechanism_errors_force_out_of_the_plane_is_refused),
        cmocka_unit_test(test_mechanism_errors_ground_cannot_be_described),
        cmocka_unit_test(test_mechanism_errors_two_kinds_of_a_joint_are_refused),
        cmocka_unit_test(test_mechanism_errors_misspelt_kind_names_the_nearest),
        cmocka_unit_test(test_mechanism_errors_key_of_another_kind_is_refused),
        cmocka_unit_test(test_mechanism_errors_unknown_measure_lists_those_there_are),
        cmocka_unit_test(test_mechanism_errors_start_of_prescribed_motion_is_refused),
        cmocka_unit_test(test_mechanism_errors_motion_of_several_measures_must_say_which),
        cmocka_unit_test(test_mechanism_errors_motion_of_a_rod_is_refused),
        cmocka_unit_test(test_mechanism_errors_motion_that_depends_on_the_state_is_refused),
        cmocka_unit_test(test_mechanism_errors_force_that_uses_an_acceleration_is_refused),
        cmocka_unit_test(test_mechanism_errors_axis_and_frame_are_too_much),
        cmocka_unit_test(test_mechanism_errors_frame_that_is_not_square_is_refused),
        cmocka_unit_test(test_mechanism_errors_axes_of_a_universal_joint_must_be_square),
        cmocka_unit_test(test_mechanism_errors_rod_without_length_is_refused),
        cmocka_unit_test(test_mechanism_errors_coupling_of_no_measure_is_refused),
        cmocka_unit_test(test_mechanism_errors_rack_without_travel_is_refused),
        cmocka_unit_test(test_mechanism_errors_spring_without_length_is_refused),
        cmocka_unit_test(test_mechanism_errors_unknown_signal_names_the_nearest),
        cmocka_unit_test(test_mechanism_errors_unknown_joint_names_the_nearest),
        cmocka_unit_test(test_mechanism_errors_value_without_axis_is_refused),
        cmocka_unit_test(test_mechanism_errors_force_on_the_ground_is_refused),
        cmocka_unit_test(test_mechanism_errors_table_that_descends_is_refused),
        cmocka_unit_test(test_mechanism_errors_negative_stick_is_refused),
        cmocka_unit_test(test_mechanism_errors_unknown_interpolation_is_refused),
        cmocka_unit_test(test_mechanism_errors_negative_stiffness_is_refused),
        cmocka_unit_test(test_mechanism_errors_friction_of_a_ball_is_refused),
        cmocka_unit_test(test_mechanism_errors_stops_the_wrong_way_round_are_refused),
        cmocka_unit_test(test_mechanism_errors_parameter_with_the_name_of_a_measure_is_refused),
        cmocka_unit_test(test_mechanism_errors_mass_that_an_event_changes_is_refused),
        cmocka_unit_test(test_mechanism_errors_no_bodies_at_all_is_refused),
        cmocka_unit_test(test_mechanism_errors_disc_that_lies_flat_is_refused),
        cmocka_unit_test(test_mechanism_errors_name_that_formulas_cannot_use_is_refused),
        cmocka_unit_test(test_mechanism_errors_loose_body_is_told),
        cmocka_unit_test(test_mechanism_errors_loose_group_is_told_once),
        cmocka_unit_test(test_mechanism_errors_loose_bodies_are_listed_once),
        cmocka_unit_test(test_mechanism_errors_forgotten_inertia_is_reported),
        cmocka_unit_test(test_mechanism_errors_millimetres_are_suspected),
        cmocka_unit_test(test_mechanism_errors_degrees_are_suspected),
        cmocka_unit_test(test_mechanism_errors_inertia_in_other_units_is_suspected),
        cmocka_unit_test(test_mechanism_errors_massless_link_is_told),
        cmocka_unit_test(test_mechanism_errors_loop_that_cannot_close_names_the_joint),
        cmocka_unit_test(test_mechanism_errors_contradictory_joints_are_both_named),
        cmocka_unit_test(test_mechanism_errors_start_rates_of_cuts_that_change_are_told),
        cmocka_unit_test(test_mechanism_errors_start_values_kept_and_guessed_are_reported),
        cmocka_unit_test(test_mechanism_errors_start_rates_that_change_are_told),
        cmocka_unit_test(test_mechanism_errors_body_and_joint_of_one_name_are_refused),
        cmocka_unit_test(test_mechanism_errors_product_of_inertia_turned_round_is_named),
        cmocka_unit_test(test_mechanism_errors_nothing_but_prescribed_joints_is_refused),
        cmocka_unit_test(test_mechanism_errors_structures_and_driven_machines_are_accepted),
        cmocka_unit_test(test_mechanism_errors_joint_between_nodes_names_the_nearest),
        cmocka_unit_test(test_mechanism_errors_beam_gives_its_mass_itself),
        cmocka_unit_test(test_mechanism_errors_beam_keys_belong_to_plane_or_space),
        cmocka_unit_test(test_mechanism_errors_beam_without_extent_is_refused),
        cmocka_unit_test(test_mechanism_errors_beam_damping_is_not_negative),
        cmocka_unit_test(test_mechanism_errors_body_called_as_a_node_is_refused),
        cmocka_unit_test(test_mechanism_errors_stiffening_goes_with_any_joint),
        cmocka_unit_test(test_mechanism_errors_body_without_mass_or_beam_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
