// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/rows/row_library.h"

#include <stddef.h>

enum { X, Y, Z };

// ---- evaluation ------------------------------------------------------------------------------

static trmi_row_value slide(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_slide(view, view->u[type->axis]);
}

static trmi_row_value dot_row(const trmi_dot *dot, const trmi_view *view)
{
    return trmi_row_dot(view->u[dot->u], view->w[dot->w]);
}

static trmi_row_value dots(const trmi_row_type *type, const trmi_view *view)
{
    trmi_row_value row[2];
    trmi_composition sum = {0};
    for (int i = 0; i < type->dots; i++) {
        row[i] = dot_row(&type->dot[i], view);
        sum.f_i[i] = type->dot[i].coefficient;
        sum.f += sum.f_i[i] * row[i].p;
    }
    return trmi_row_composite(type->dots, row, &sum);
}

trmi_row_value trmi_evaluate_angle(const trmi_row_type *type, const trmi_view *view)
{
    trmi_row_value c = dot_row(&type->dot[0], view), s = dot_row(&type->dot[1], view);
    if (type->dot[1].coefficient < 0)
        s = trmi_row_composite(1, &s, &(trmi_composition){.f = -s.p, .f_i = {-1}});
    return trmi_row_angle(&c, &s, view->held ? view->held[0] : 0);
}

static trmi_row_value plain_length(const trmi_row_type *type, const trmi_view *view)
{
    (void)type;
    return trmi_row_length(view);
}

static trmi_row_value rotation(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_rotation(view, type->axis);
}

static trmi_row_value tilt(const trmi_row_type *type, const trmi_view *view)
{
    trmi_row_value c = dot_row(&type->dot[0], view), s = dot_row(&type->dot[1], view);
    return trmi_row_tilt(&c, &s, type->dot[1].coefficient);
}

static trmi_row_value mean_slide(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_mean_slide(view, type->axis);
}

static trmi_row_value sphere_slip(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_tangent(view->size, view->u[Z], view->u[type->axis]);
}

static trmi_row_value along_second(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_knife(view->w[type->axis]);
}

static trmi_row_value torque_along(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_moment(view->w[type->axis], true);
}

static trmi_row_value world_torque(const trmi_row_type *type, const trmi_view *view)
{
    return trmi_row_moment(view->u[type->axis], false);
}

// ---- values held between steps ---------------------------------------------------------------

static void hold_rotation(const trmi_row_type *type, const trmi_view *view, double *held)
{
    (void)type;
    trmi_v3 now = trmi_rotation_vector(view);
    if (trmi_v3_length(trmi_v3_sub(now, trmi_v3_of(held))) <= 1)
        return;
    held[0] = now.x;
    held[1] = now.y;
    held[2] = now.z;
}

// ---- roots -----------------------------------------------------------------------------------

// ax, ay vanish also where the axes point against each other
static bool axes_agree(const trmi_view *view)
{
    return trmi_v3_dot(view->u[Z], view->w[Z]) > 0;
}

// skew rows vanish also at half a turn, where the trace of the rotation is -1
static bool less_than_quarter(const trmi_view *view)
{
    double trace = 0;
    for (int i = 0; i < 3; i++)
        trace += trmi_v3_dot(view->u[i], view->w[i]);
    return trace > 1;
}

// ---- the table -------------------------------------------------------------------------------

#define SLIDE(label, k)                                                                            \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_SLIDE, .axis = k, .evaluate = slide                       \
    }
#define SKEW(label, i, j)                                                                          \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_DOTS, .dots = 2, .dot = {{0.5, j, i}, {-0.5, i, j}},      \
        .evaluate = dots, .is_right_root = less_than_quarter, .far_row = &trmi_shortest[3 - i - j] \
    }
#define DOT(label, c, i, j, root, way)                                                             \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_DOTS, .dots = 1, .dot = {{c, i, j}}, .evaluate = dots,    \
        .is_right_root = root, .far_row = way                                                      \
    }
// an angle without full turns, with its cosine and sine
#define FAR(label, k, function, root, ...)                                                         \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_ANGULAR, .axis = k, .dots = 2, .dot = {__VA_ARGS__},      \
        .evaluate = function, .is_right_root = root                                                \
    }
// about the axis that completes i, j: cosine u_i.w_k, sine u_j.w_k
#define TURN(c_u, c_w, s_u, s_w)                                                                   \
    {                                                                                              \
        .name = "drive", .shape = TRMI_ROW_ANGULAR, .dots = 2,                                     \
        .dot = {{1, c_u, c_w}, {1, s_u, s_w}}, .evaluate = trmi_evaluate_angle, TRMI_COUNTS_TURNS  \
    }
#define ROTATION(label, k)                                                                         \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_ANGULAR, .axis = k, .evaluate = rotation, .held = 3,      \
        .hold = hold_rotation                                                                      \
    }
#define ALONG(label, k, form, function)                                                            \
    {                                                                                              \
        .name = label, .shape = form, .axis = k, .evaluate = function                              \
    }
#define VELOCITY(label, k, function)                                                               \
    {                                                                                              \
        .name = label, .shape = TRMI_ROW_GENERAL, .velocity = true, .axis = k,                     \
        .evaluate = function                                                                       \
    }

const trmi_row_type trmi_slide[3] = {SLIDE("x", X), SLIDE("y", Y), SLIDE("z", Z)};
const trmi_row_type trmi_axis_x = DOT("ax", -1, Y, Z, axes_agree, &trmi_tilt[X]);
const trmi_row_type trmi_axis_y = DOT("ay", 1, X, Z, axes_agree, &trmi_tilt[Y]);
const trmi_row_type trmi_skew[3] = {SKEW("rx", Y, Z), SKEW("ry", Z, X), SKEW("rz", X, Y)};
const trmi_row_type trmi_cross = DOT("cross", 1, X, Y, NULL, NULL);
const trmi_row_type trmi_plane_turn = DOT("rz", 1, Y, X, less_than_quarter, &trmi_plane_angle);
const trmi_row_type trmi_plane_axis = DOT("ry", 1, X, Z, axes_agree, &trmi_plane_lean);

const trmi_row_type trmi_tilt[2] = {FAR("ax", X, tilt, axes_agree, {1, Z, Z}, {-1, Y, Z}),
                                    FAR("ay", Y, tilt, axes_agree, {1, Z, Z}, {1, X, Z})};
const trmi_row_type trmi_shortest[3] = {
    FAR("rx", X, rotation, less_than_quarter, {1, Y, Y}, {1, Z, Y}),
    FAR("ry", Y, rotation, less_than_quarter, {1, Z, Z}, {1, X, Z}),
    FAR("rz", Z, rotation, less_than_quarter, {1, X, X}, {1, Y, X})};
const trmi_row_type trmi_plane_angle =
    FAR("rz", Z, trmi_evaluate_angle, less_than_quarter, {1, X, X}, {1, Y, X});
const trmi_row_type trmi_plane_lean =
    FAR("ry", Y, trmi_evaluate_angle, axes_agree, {1, Z, Z}, {1, X, Z});

const trmi_row_type trmi_turn[3] = {TURN(Y, Y, Z, Y), TURN(Z, Z, X, Z), TURN(X, X, Y, X)};
const trmi_row_type trmi_second_turn = TURN(X, X, X, Z);
const trmi_row_type trmi_rotation[3] = {ROTATION("rotation_x", X), ROTATION("rotation_y", Y),
                                        ROTATION("rotation_z", Z)};
const trmi_row_type trmi_plain_length = ALONG("length", X, TRMI_ROW_GENERAL, plain_length);
const trmi_row_type trmi_mean_slide[3] = {ALONG("x", X, TRMI_ROW_GENERAL, mean_slide),
                                          ALONG("y", Y, TRMI_ROW_GENERAL, mean_slide),
                                          ALONG("z", Z, TRMI_ROW_GENERAL, mean_slide)};
const trmi_row_type trmi_sphere_slip[2] = {VELOCITY("slip_x", X, sphere_slip),
                                           VELOCITY("slip_y", Y, sphere_slip)};
const trmi_row_type trmi_force_along[3] = {
    VELOCITY("x", X, along_second), VELOCITY("y", Y, along_second), VELOCITY("z", Z, along_second)};
const trmi_row_type trmi_torque_along[3] = {
    VELOCITY("x", X, torque_along), VELOCITY("y", Y, torque_along), VELOCITY("z", Z, torque_along)};
const trmi_row_type trmi_world_torque[3] = {
    VELOCITY("x", X, world_torque), VELOCITY("y", Y, world_torque), VELOCITY("z", Z, world_torque)};
const trmi_row_type trmi_entry[9] = {
    DOT("r11", 1, X, X, NULL, NULL), DOT("r12", 1, X, Y, NULL, NULL),
    DOT("r13", 1, X, Z, NULL, NULL), DOT("r21", 1, Y, X, NULL, NULL),
    DOT("r22", 1, Y, Y, NULL, NULL), DOT("r23", 1, Y, Z, NULL, NULL),
    DOT("r31", 1, Z, X, NULL, NULL), DOT("r32", 1, Z, Y, NULL, NULL),
    DOT("r33", 1, Z, Z, NULL, NULL)};
