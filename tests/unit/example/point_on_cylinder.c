// SPDX-License-Identifier: Apache-2.0
// The example of CONTRIBUTING.md: a point of the second body stays on a cylinder about an axis of
// the first one. This would be the file src/modelling/multibody/joints/point_on_cylinder.c; the
// name is reserved for this test.
#include "modelling/multibody/joints/joints.h"

// (x^2 + y^2 - R^2)/(2R), with the slides x and y across the axis
static trmi_row_value on_cylinder(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    double R = view->size;
    trmi_row_value slide[2] = {trmi_row_slide(view, view->u[0]), trmi_row_slide(view, view->u[1])};
    double x = slide[0].p, y = slide[1].p;
    trmi_composition c = {.f = (x * x + y * y - R * R) / (2 * R), .f_i = {x / R, y / R}};
    c.f_ij[0][0] = c.f_ij[1][1] = 1 / R;
    return trmi_row_composite(2, slide, &c);
}

static const trmi_row_type cylinder = {
    .name = "cylinder", .shape = TRMI_ROW_GENERAL, .evaluate = on_cylinder};

typedef struct cylinder_input {
    trmi_joint_input joint;
    trmi_v3 center;
} cylinder_input;

static const trmi_parameter center = {"center", TRMI_PARAMETER_POINT,
                                      offsetof(cylinder_input, center), .required = true,
                                      .help = "a point of the axis of the cylinder"};

// The marker on the first body is a point of the axis, that on the second one the point `at`.
static bool finish_cylinder(trmi_finish *finish, void *input, trmi_joint *joint)
{
    const cylinder_input *in = input;
    if (!trmi_finish_axis(finish, input, joint) ||
        !trmi_take_second_marker(finish, &in->joint, joint))
        return false;
    joint->at = in->center;
    return true;
}

const trmi_joint_type trmi_joint_point_on_cylinder = {
    .name = "point-on-cylinder",
    .help = "a point stays on a cylinder about the axis",
    .row = {&cylinder},
    .parameter = {&trmi_joint_between, &trmi_joint_at, &trmi_joint_axis, &center,
                  &trmi_joint_radius},
    .input_size = sizeof(cylinder_input),
    .finish = finish_cylinder,
};
