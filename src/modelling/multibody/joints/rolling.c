// SPDX-License-Identifier: Apache-2.0
// Joints that restrict velocities: rolling and knife-edge.
#include "modelling/multibody/joints/joints.h"

#include "modelling/multibody/frames.h"

enum { X, Y };

typedef struct rolling_input {
    trmi_joint_input joint;
    trmi_v3 normal;
} rolling_input;

static const trmi_parameter normal = {"normal", TRMI_PARAMETER_DIRECTION,
                                      offsetof(rolling_input, normal), .required = true,
                                      .help = "normal of the plane, towards the disc"};

// The plane on the first body touches the rim below the centre.
static bool finish_rolling(trmi_finish *finish, void *input, trmi_joint *joint)
{
    rolling_input *in = input;
    if (!trmi_finish_axis(finish, input, joint) ||
        !trmi_take_second_marker(finish, &in->joint, joint))
        return false;
    trmi_v3 n = in->normal, a = trmi_m3_column(in->joint.frame, 2);
    double c = trmi_v3_dot(n, a), s = sqrt(fmax(0, 1 - c * c));
    if (s < 1e-3)
        return trmi_finish_error(
            finish, "axis", "the disc '%.60s' lies flat on the plane: it cannot roll", joint->name);
    trmi_v3 down = trmi_v3_scale(-1 / s, trmi_v3_axpy(n, -c, a));
    in->joint.frame = trmi_frame_about(n);
    joint->at = trmi_v3_axpy(joint->at, joint->extra->size, down);
    return true;
}

const trmi_joint_type trmi_joint_rolling = {
    .name = "rolling",
    .help = "a disc rolls on a plane",
    .row = {&trmi_contact, &trmi_roll[X], &trmi_roll[Y]},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_axis, &normal,
                  &trmi_joint_radius},
    .input_size = sizeof(rolling_input),
    .finish = finish_rolling,
};

const trmi_joint_type trmi_joint_knife_edge = {
    .name = "knife-edge",
    .help = "a point moves along its edge only",
    .row = {&trmi_edge},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_axis},
    .finish = trmi_finish_axis,
};
