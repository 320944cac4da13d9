// SPDX-License-Identifier: Apache-2.0
// A free joint with three angles in place of a rotation vector: R = R_z(yaw) R_x(roll) R_y(pitch),
// for bodies whose attitude is known but for one of them, as wheelsets and vehicles.
//
//     y_B = (-sin yaw cos roll, cos yaw cos roll, sin roll),   z_A in B: (-cos roll sin pitch, ..,
//     cos roll cos pitch)
#include "modelling/multibody/joints/joints.h"

enum { X, Y, Z };

// atan2(-x_A.y_B, y_A.y_B)
static const trmi_row_type yaw = {.name = "drive",
                                  .shape = TRMI_ROW_ANGULAR,
                                  .dots = 2,
                                  .dot = {{1, Y, Y}, {-1, X, Y}},
                                  .evaluate = trmi_evaluate_angle,
                                  TRMI_COUNTS_TURNS};

// asin(z_A.y_B): f' = 1/c, f'' = s/c^3
static trmi_row_value evaluate_roll(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    trmi_row_value sine = trmi_row_dot(view->u[Z], view->w[Y]);
    double s = sine.p, c = sqrt(fmax(1 - s * s, 0));
    trmi_composition f = {.f = asin(fmin(fmax(s, -1), 1)), .f_i = {1 / c}};
    f.f_ij[0][0] = s / (c * c * c);
    return trmi_row_composite(1, &sine, &f);
}

static const trmi_row_type roll = {
    .name = "drive", .shape = TRMI_ROW_ANGULAR, .axis = X, .evaluate = evaluate_roll};

// atan2(-z_A.x_B, z_A.z_B)
static const trmi_row_type pitch = {.name = "drive",
                                    .shape = TRMI_ROW_ANGULAR,
                                    .dots = 2,
                                    .dot = {{1, Z, Z}, {-1, Z, X}},
                                    .evaluate = trmi_evaluate_angle,
                                    TRMI_COUNTS_TURNS};

static const trmi_parameter at = {
    "at", TRMI_PARAMETER_POINT, offsetof(trmi_joint_input, at),
    .help = "point of the joint; the centre of mass of the second body without it"};

const trmi_joint_type trmi_joint_yaw_roll_pitch = {
    .name = "yaw-roll-pitch",
    .help = "no restriction; angles about z, then x, then y",
    .edge = true,
    .mirror = TRMI_MIRROR_FRAME,
    .measure = {TRMI_TRAVEL("x", X),
                TRMI_TRAVEL("y", Y),
                TRMI_TRAVEL("z", Z),
                {"yaw", TRMI_MEASURE_ANGLE, Z, &yaw},
                {"roll", TRMI_MEASURE_ANGLE, X, &roll},
                {"pitch", TRMI_MEASURE_ANGLE, Y, &pitch}},
    .parameter = {&trmi_joint_between, &at, &trmi_joint_frame},
    .finish = trmi_finish_frame,
};
