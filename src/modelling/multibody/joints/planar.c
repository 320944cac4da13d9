// SPDX-License-Identifier: Apache-2.0
// Joints of a plane or a line: planar, point-on-line, point-on-plane.
#include "modelling/multibody/joints/joints.h"

enum { X, Y, Z };

static const trmi_parameter normal = {
    "axis", TRMI_PARAMETER_NORMAL, offsetof(trmi_joint_input, axis), .help = "normal of the plane"};

const trmi_joint_type trmi_joint_planar = {
    .name = "planar",
    .help = "moves in the plane normal to the axis",
    .edge = true,
    .mirror = TRMI_MIRROR_ANGLE,
    .row = {&trmi_slide[Z], TRMI_AXIS_ROWS},
    .measure = {TRMI_TRAVEL("x", X), TRMI_TRAVEL("y", Y), TRMI_ANGLE("angle", Z)},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &normal, &trmi_joint_frame},
    .finish = trmi_finish_axis,
};

// In plane models z lies along the line and y is the normal.
static const trmi_measure line_in_plane[3] = {TRMI_TRAVEL("travel", Z), TRMI_ANGLE("angle", Y)};

const trmi_joint_type trmi_joint_point_on_line = {
    .name = "point-on-line",
    .help = "a point stays on the axis",
    .edge = true,
    .mirror = TRMI_MIRROR_TRAVEL,
    .in_plane = true,
    .line = true,
    .row = {TRMI_LINE_ROWS},
    .plane_row = {&trmi_slide[X]},
    .measure = {TRMI_TRAVEL("travel", Z), TRMI_ROTATIONS},
    .plane_measure = {line_in_plane, line_in_plane, line_in_plane},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_line_axis, &trmi_joint_frame},
    .finish = trmi_finish_axis,
};

const trmi_joint_type trmi_joint_point_on_plane = {
    .name = "point-on-plane",
    .help = "a point stays in the plane normal to the axis",
    .edge = true,
    .mirror = TRMI_MIRROR_ANGLE,
    .row = {&trmi_slide[Z]},
    .measure = {TRMI_TRAVEL("x", X), TRMI_TRAVEL("y", Y), TRMI_ROTATIONS},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &normal, &trmi_joint_frame},
    .finish = trmi_finish_axis,
};
