// SPDX-License-Identifier: Apache-2.0
// A rod without mass.
#include "modelling/multibody/joints/joints.h"

static trmi_row_value evaluate_rod(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    return trmi_row_rod(view, view->size);
}

// p = (d^2 - L^2)/2L as d - L
static double rod_distance(double p, double L)
{
    return sqrt(fmax(L * (L + 2 * p), 0)) - L;
}

static const trmi_row_type rod_length = {.name = "length",
                                         .shape = TRMI_ROW_GENERAL,
                                         .evaluate = evaluate_rod,
                                         .distance = rod_distance};

typedef struct rod_input {
    trmi_joint_input joint;
    trmi_v3 to;
} rod_input;

static const trmi_parameter from = {"from", TRMI_PARAMETER_POINT, offsetof(trmi_joint_input, at),
                                    .required = true, .help = "its end on the first body"};
static const trmi_parameter to = {"to", TRMI_PARAMETER_POINT, offsetof(rod_input, to),
                                  .required = true, .help = "its end on the second body"};
static const trmi_parameter length = {"length",
                                      TRMI_PARAMETER_POSITIVE,
                                      offsetof(trmi_joint_input, size),
                                      .preset = "null",
                                      .help = "the distance of its ends without it, m",
                                      .unit = "m"};

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
    .row = {&rod_length},
    .plane_row = {&rod_length},
    .parameter = {&trmi_joint_between, &from, &to, &length},
    .input_size = sizeof(rod_input),
    .finish = finish_rod,
};
