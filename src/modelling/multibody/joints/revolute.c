// SPDX-License-Identifier: Apache-2.0
// Joints that turn about or slide along one axis: revolute, prismatic, cylindrical, screw.
#include "modelling/multibody/joints/joints.h"

enum { X, Y, Z };

const trmi_joint_type trmi_joint_revolute = {
    .name = "revolute",
    .help = "turns about an axis",
    .synonyms = (const char *const[]){"hinge", "pin", NULL},
    .edge = true,
    .mirror = TRMI_MIRROR_ANGLE,
    .in_plane = true,
    .friction = TRMI_FRICTION_PIN,
    .row = {TRMI_POINT_ROWS, TRMI_AXIS_ROWS},
    .plane_row = {TRMI_LINE_ROWS},
    .measure = {TRMI_ANGLE("angle", Z)},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_axis, &trmi_joint_frame},
    .finish = trmi_finish_axis,
};

// In plane models z lies along the line and y is the normal.
const trmi_joint_type trmi_joint_prismatic = {
    .name = "prismatic",
    .help = "slides along an axis",
    .synonyms = (const char *const[]){"slider", "translational", NULL},
    .edge = true,
    .mirror = TRMI_MIRROR_TRAVEL,
    .in_plane = true,
    .line = true,
    .friction = TRMI_FRICTION_TRAVEL,
    .row = {TRMI_LINE_ROWS, TRMI_ORIENTATION_ROWS},
    .plane_row = {&trmi_slide[X], &trmi_plane_axis},
    .measure = {TRMI_TRAVEL("travel", Z)},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_line_axis, &trmi_joint_frame},
    .finish = trmi_finish_axis,
};

const trmi_joint_type trmi_joint_cylindrical = {
    .name = "cylindrical",
    .help = "slides along and turns about an axis",
    .edge = true,
    .mirror = TRMI_MIRROR_TRAVEL,
    .row = {TRMI_LINE_ROWS, TRMI_AXIS_ROWS},
    .measure = {TRMI_TRAVEL("travel", Z), TRMI_ANGLE("angle", Z)},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_axis, &trmi_joint_frame},
    .finish = trmi_finish_axis,
};

static const trmi_parameter pitch = {
    "pitch",          TRMI_PARAMETER_NUMBER,           offsetof(trmi_joint_input, size),
    .required = true, .help = "advance per radian, m", .unit = "m"};

// travel - pitch angle
static trmi_row_value evaluate_screw(const trmi_row_type *type, const trmi_view *view)
{
    trmi_row_value row[2] = {trmi_row_slide(view, view->u[Z]), trmi_evaluate_angle(type, view)};
    trmi_composition f = {.f = row[0].p - view->size * row[1].p, .f_i = {1, -view->size}};
    return trmi_row_composite(2, row, &f);
}

static const trmi_row_type screw = {.name = "screw",
                                    .shape = TRMI_ROW_GENERAL,
                                    .dots = 2,
                                    .dot = {{1, X, X}, {1, Y, X}},
                                    .evaluate = evaluate_screw,
                                    TRMI_COUNTS_TURNS};

const trmi_joint_type trmi_joint_screw = {
    .name = "screw",
    .help = "turns about an axis and advances with the pitch",
    .edge = true,
    .mirror = TRMI_MIRROR_ANGLE,
    .screw = true,
    .row = {TRMI_LINE_ROWS, TRMI_AXIS_ROWS, &screw},
    .measure = {TRMI_ANGLE("angle", Z)},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_axis, &trmi_joint_frame, &pitch},
    .finish = trmi_finish_axis,
};
