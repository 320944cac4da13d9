// SPDX-License-Identifier: Apache-2.0
// Joints that restrict velocities: rolling and knife-edge.
#include "modelling/multibody/joints/joints.h"

#include "modelling/multibody/frames.h"

enum { X, Y, Z };

// The lowest point of the disc is at height 0.
static trmi_row_value evaluate_contact(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    return trmi_row_disc_height(view, view->u[Z], view->w[Z], view->size);
}

// The disc does not slip along x, along y.
static trmi_row_value evaluate_roll(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_roll(view->w[Z], view->size, view->u[Z], view->u[type->axis]);
}

static const trmi_row_type contact = {
    .name = "contact", .shape = TRMI_ROW_GENERAL, .axis = Z, .evaluate = evaluate_contact};
static const trmi_row_type roll[2] = {{.name = "roll_x",
                                       .shape = TRMI_ROW_GENERAL,
                                       .velocity = true,
                                       .axis = X,
                                       .evaluate = evaluate_roll},
                                      {.name = "roll_y",
                                       .shape = TRMI_ROW_GENERAL,
                                       .velocity = true,
                                       .axis = Y,
                                       .evaluate = evaluate_roll}};

typedef struct rolling_input {
    trmi_joint_input joint;
    trmi_v3 normal;
} rolling_input;

static const trmi_parameter at = {"at", TRMI_PARAMETER_POINT, offsetof(trmi_joint_input, at),
                                  .help = "centre of the disc"};
static const trmi_parameter axis = {"axis", TRMI_PARAMETER_DIRECTION,
                                    offsetof(trmi_joint_input, axis), .help = "axis of the disc"};
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
    .row = {&contact, &roll[X], &roll[Y]},
    .parameter = {&trmi_joint_between, &at, &axis, &normal, &trmi_joint_radius},
    .input_size = sizeof(rolling_input),
    .finish = finish_rolling,
};

// No velocity along z of the second body.
static trmi_row_value evaluate_edge(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_knife(view->w[type->axis]);
}

static const trmi_row_type edge = {.name = "edge",
                                   .shape = TRMI_ROW_GENERAL,
                                   .velocity = true,
                                   .axis = Z,
                                   .evaluate = evaluate_edge};

static const trmi_parameter blocked = {"axis", TRMI_PARAMETER_DIRECTION,
                                       offsetof(trmi_joint_input, axis),
                                       .help = "the direction that is blocked"};

const trmi_joint_type trmi_joint_knife_edge = {
    .name = "knife-edge",
    .help = "a point moves along its edge only",
    .row = {&edge},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &blocked},
    .finish = trmi_finish_axis,
};
