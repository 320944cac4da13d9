// SPDX-License-Identifier: Apache-2.0
// A rod without mass.
#include "modelling/multibody/joints/joints.h"

typedef struct rod_input {
    trmi_joint_input joint;
    trmi_v3 to;
} rod_input;

static const trmi_parameter from = {"from", TRMI_PARAMETER_POINT, offsetof(trmi_joint_input, at),
                                    .required = true, .help = "its end on the first body"};
static const trmi_parameter to = {"to", TRMI_PARAMETER_POINT, offsetof(rod_input, to),
                                  .required = true, .help = "its end on the second body"};
static const trmi_parameter length = {"length", TRMI_PARAMETER_POSITIVE,
                                      offsetof(trmi_joint_input, size), .preset = "null",
                                      .help = "the distance of its ends without it, m"};

static bool finish_rod(trmi_finish *finish, void *input, trmi_joint *joint)
{
    rod_input *in = input;
    double distance = trmi_v3_length(trmi_v3_sub(in->to, in->joint.at));
    in->joint.frame = trmi_m3_unit();
    joint->at = in->joint.at;
    joint->extra->size = isnan(in->joint.size) ? distance : in->joint.size;
    if (!trmi_take_second_marker(finish, &in->joint, joint))
        return false;
    joint->extra->second->at = in->to;
    return joint->extra->size > 0 ||
           trmi_finish_key_error(
               finish, NULL,
               "the ends of rod '%.60s' coincide; a spherical joint keeps two points together",
               joint->name);
}

const trmi_joint_type trmi_joint_rod = {
    .name = "rod",
    .help = "a massless rod: two points keep their distance",
    .in_plane = true,
    .row = {&trmi_rod},
    .plane_row = {&trmi_rod},
    .parameter = {&trmi_joint_between, &from, &to, &length},
    .input_size = sizeof(rod_input),
    .finish = finish_rod,
};
