// SPDX-License-Identifier: Apache-2.0
// Joints that need no axis: fixed, spherical, free.
#include "modelling/multibody/joints/joints.h"

enum { X, Y, Z };

static const trmi_parameter optional_at = {
    "at", TRMI_PARAMETER_POINT, offsetof(trmi_joint_input, at),
    .help = "point of the joint; the centre of mass of the second body without it"};

const trmi_joint_type trmi_joint_fixed = {
    .name = "fixed",
    .help = "no relative motion",
    .synonyms = (const char *const[]){"weld", "rigid", NULL},
    .edge = true,
    .mirror = TRMI_MIRROR_FRAME,
    .in_plane = true,
    .row = {TRMI_POINT_ROWS, TRMI_ORIENTATION_ROWS},
    .plane_row = {TRMI_LINE_ROWS, &trmi_plane_turn},
    .parameter = {&trmi_joint_between, &optional_at, &trmi_joint_frame},
    .finish = trmi_finish_frame,
};

const trmi_joint_type trmi_joint_spherical = {
    .name = "spherical",
    .help = "turns about a point",
    .synonyms = (const char *const[]){"ball", NULL},
    .edge = true,
    .mirror = TRMI_MIRROR_ANGLES,
    .row = {TRMI_POINT_ROWS},
    .measure = {TRMI_ROTATIONS},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_frame},
    .finish = trmi_finish_point,
};

// In plane models the measures have the names of the axes of the plane.
static const trmi_measure free_xy[] = {TRMI_TRAVEL("x", X), TRMI_TRAVEL("y", Y),
                                       TRMI_ANGLE("angle", Z)};
static const trmi_measure free_yz[] = {TRMI_TRAVEL("y", X), TRMI_TRAVEL("z", Y),
                                       TRMI_ANGLE("angle", Z)};
static const trmi_measure free_zx[] = {TRMI_TRAVEL("z", X), TRMI_TRAVEL("x", Y),
                                       TRMI_ANGLE("angle", Z)};

const trmi_joint_type trmi_joint_free = {
    .name = "free",
    .help = "no restriction; gives start values a place",
    .edge = true,
    .mirror = TRMI_MIRROR_FRAME,
    .in_plane = true,
    .measure = {TRMI_TRAVEL("x", X), TRMI_TRAVEL("y", Y), TRMI_TRAVEL("z", Z), TRMI_ROTATIONS},
    .plane_measure = {free_xy, free_yz, free_zx},
    .parameter = {&trmi_joint_between, &optional_at, &trmi_joint_frame},
    .finish = trmi_finish_frame,
};
