// SPDX-License-Identifier: Apache-2.0
// Joints of two shafts: universal and constant-velocity.
#include "modelling/multibody/joints/joints.h"

#include "modelling/multibody/frames.h"

enum { X, Y };

// x on the first, y on the second body
static bool finish_universal(trmi_finish *finish, void *input, trmi_joint *joint)
{
    trmi_joint_input *in = input;
    trmi_v3 x = in->axis, y = in->second_axis;
    if (!trmi_finish_axis(finish, input, joint))
        return false;
    double cosine = trmi_v3_dot(x, y);
    if (fabs(cosine) > 1e-6)
        return trmi_finish_error(
            finish, "second_axis",
            "the axes of universal joint '%.60s' are not perpendicular: cosine %.3g", joint->name,
            cosine);
    y = trmi_v3_axpy(y, -cosine, x);
    y = trmi_v3_scale(1 / trmi_v3_length(y), y);
    in->frame = trmi_frame_of(x, y, trmi_v3_cross(x, y));
    return true;
}

// The second turn is about y of B: x_A = cos x_B + sin z_B.
const trmi_joint_type trmi_joint_universal = {
    .name = "universal",
    .help = "turns about x of the first and y of the second body",
    .synonyms = (const char *const[]){"cardan", NULL},
    .edge = true,
    .mirror = TRMI_MIRROR_CROSS,
    .row = {TRMI_POINT_ROWS, &trmi_cross},
    .measure = {TRMI_ANGLE("angle_x", X), {"angle_y", TRMI_MEASURE_ANGLE, Y, &trmi_second_turn}},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_axis, &trmi_joint_second_axis},
    .finish = finish_universal,
};

// shortest turn of a to b, both of length 1: 1 + [c] + [c]^2/(1 + a.b), c = a x b
static trmi_m3 shortest_turn(trmi_v3 a, trmi_v3 b)
{
    trmi_m3 c = trmi_m3_cross(trmi_v3_cross(a, b));
    return trmi_m3_axpy(trmi_m3_axpy(trmi_m3_unit(), 1, c), 1 / (1 + trmi_v3_dot(a, b)),
                        trmi_m3_mul(c, c));
}

static bool finish_constant_velocity(trmi_finish *finish, void *input, trmi_joint *joint)
{
    const trmi_joint_input *in = input;
    if (!trmi_finish_axis(finish, input, joint))
        return false;
    trmi_v3 a = trmi_m3_column(in->frame, 2), b = in->second_axis;
    if (trmi_v3_dot(a, b) < -0.99)
        return trmi_finish_error(
            finish, "second_axis",
            "the shafts of '%.60s' point against each other; let both point from the first "
            "to the second body",
            joint->name);
    if (!trmi_take_second_marker(finish, in, joint))
        return false;
    joint->extra->second->frame = trmi_m3_mul(shortest_turn(a, b), in->frame);
    return true;
}

// It has one component of a rotation only, which alone does not lead to the right root from far.
const trmi_joint_type trmi_joint_constant_velocity = {
    .name = "constant-velocity",
    .help = "a point, and equal turns of two shafts",
    .near_rows_only = true,
    .row = {TRMI_POINT_ROWS, &trmi_skew[2]},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_axis, &trmi_joint_second_axis},
    .finish = finish_constant_velocity,
};
