// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/joints/joint.h"

#include "modelling/multibody/frames.h"

#include <string.h>

const trmi_row_type *const *trmi_joint_rows(const trmi_joint_type *type, trmi_plane plane)
{
    return plane == TRMI_SPATIAL ? type->row : type->plane_row;
}

bool trmi_joint_may_be_edge(const trmi_joint *joint)
{
    return joint->type->edge && !joint->cut && !joint->observed && !trmi_extra_of(joint).friction;
}

// ---- measures --------------------------------------------------------------------------------

static const trmi_measure *list_measures(const trmi_joint_type *type, trmi_plane plane, int *max)
{
    *max = plane == TRMI_SPATIAL ? TRMI_MAX_MEASURES : 3;
    return plane != TRMI_SPATIAL && type->plane_measure[plane - TRMI_PLANE_XY]
               ? type->plane_measure[plane - TRMI_PLANE_XY]
               : type->measure;
}

int trmi_measure_count(const trmi_joint_type *type, trmi_plane plane)
{
    int count = 0, max;
    const trmi_measure *list = list_measures(type, plane, &max);
    while (count < max && list[count].name)
        count++;
    return count;
}

trmi_measure trmi_measure_of(const trmi_joint_type *type, trmi_plane plane, int index)
{
    int max;
    return list_measures(type, plane, &max)[index];
}

int trmi_measure_first(const trmi_joint_type *type, trmi_plane plane, int index)
{
    trmi_measure measure = trmi_measure_of(type, plane, index);
    return measure.kind == TRMI_MEASURE_ROTATION ? index - measure.axis : index;
}

int trmi_measure_find(const trmi_joint_type *type, trmi_plane plane, const char *name, bool *rate)
{
    int count = trmi_measure_count(type, plane);
    *rate = count == 1 && strcmp(name, "rate") == 0;
    if (*rate)
        return 0;
    for (int k = 0; k < count; k++) {
        const char *own = trmi_measure_of(type, plane, k).name;
        size_t length = strlen(own);
        bool begins = strncmp(name, own, length) == 0;
        *rate = begins && strcmp(name + length, "_rate") == 0;
        if (*rate || (begins && name[length] == '\0'))
            return k;
    }
    return TRMI_NOTHING;
}

const trmi_row_type *trmi_measure_row(trmi_measure measure)
{
    const trmi_row_type *const of_kind[] = {
        [TRMI_MEASURE_TRAVEL] = &trmi_slide[measure.axis],
        [TRMI_MEASURE_ANGLE] = &trmi_turn[measure.axis],
        [TRMI_MEASURE_ROTATION] = &trmi_rotation[measure.axis],
    };
    return measure.row ? measure.row : of_kind[measure.kind];
}

trmi_joint_column trmi_joint_column_of(const trmi_joint_type *type, trmi_plane plane, int index)
{
    static const trmi_column_kind column_of[] = {
        [TRMI_MEASURE_TRAVEL] = TRMI_COLUMN_SLIDE,
        [TRMI_MEASURE_ANGLE] = TRMI_COLUMN_TURN,
        [TRMI_MEASURE_ROTATION] = TRMI_COLUMN_CHART,
    };
    trmi_measure measure = trmi_measure_of(type, plane, index);
    return (trmi_joint_column){type->screw ? TRMI_COLUMN_SCREW : column_of[measure.kind],
                               measure.axis};
}

// ---- parameters ------------------------------------------------------------------------------

const trmi_parameter trmi_joint_between = {"between", TRMI_PARAMETER_BODIES,
                                           offsetof(trmi_joint_input, body), .required = true,
                                           .help = "first and second body"};
const trmi_parameter trmi_joint_at = {"at", TRMI_PARAMETER_POINT, offsetof(trmi_joint_input, at),
                                      .help = "point of the joint"};
const trmi_parameter trmi_joint_axis = {"axis", TRMI_PARAMETER_NORMAL,
                                        offsetof(trmi_joint_input, axis), .help = "its axis"};
const trmi_parameter trmi_joint_line_axis = {"axis", TRMI_PARAMETER_DIRECTION,
                                             offsetof(trmi_joint_input, axis), .help = "its axis"};
const trmi_parameter trmi_joint_second_axis = {"second_axis", TRMI_PARAMETER_DIRECTION,
                                               offsetof(trmi_joint_input, second_axis),
                                               .required = true, .help = "axis on the second body"};
const trmi_parameter trmi_joint_frame = {
    "frame", TRMI_PARAMETER_FRAME, offsetof(trmi_joint_input, frame),
    .help = "axes of the joint, z is its axis; instead of `axis`"};
const trmi_parameter trmi_joint_radius = {
    "radius",         TRMI_PARAMETER_POSITIVE, offsetof(trmi_joint_input, size),
    .required = true, .help = "its radius, m", .unit = "m"};

// ---- from parameters to joints ---------------------------------------------------------------

// Plane models: lines have z along them and y as the normal; turns are about the normal.
static bool finish_plane_frame(trmi_finish *finish, trmi_joint_input *in, const trmi_joint *joint)
{
    trmi_v3 normal = trmi_plane_normal(finish->mechanism->plane);
    if (trmi_given_frame(in->frame))
        return trmi_finish_key_error(
            finish, "frame", "joints of plane models have no 'frame'; give the 'axis' of a line");
    in->frame = trmi_plane_frame(finish->mechanism->plane);
    if (joint->type->line)
        in->frame = trmi_frame_of(trmi_v3_cross(normal, in->axis), normal, in->axis);
    else if (trmi_given_vector(in->axis) && trmi_v3_dot(in->axis, normal) < 0)
        return trmi_finish_error(
            finish, "axis",
            "plane joints turn about the positive normal; exchange the bodies instead");
    return true;
}

bool trmi_finish_frame(trmi_finish *finish, void *input, trmi_joint *joint)
{
    trmi_joint_input *in = input;
    joint->at = in->at;
    if (!trmi_given_vector(joint->at))
        joint->at = finish->mechanism->body[in->body[1] ? in->body[1] : in->body[0]].center;
    joint->extra->size = isnan(in->size) ? 0 : in->size;
    if (finish->mechanism->plane != TRMI_SPATIAL)
        return finish_plane_frame(finish, in, joint);
    if (trmi_given_vector(in->axis))
        in->frame = trmi_frame_about(in->axis);
    else if (!trmi_given_frame(in->frame))
        in->frame = trmi_m3_unit();
    return true;
}

bool trmi_finish_point(trmi_finish *finish, void *input, trmi_joint *joint)
{
    const trmi_joint_input *in = input;
    if (!trmi_given_vector(in->at))
        return trmi_finish_key_error(finish, NULL, "%s joint '%.60s' needs a point: 'at'",
                                     joint->type->name, joint->name);
    return trmi_finish_frame(finish, input, joint);
}

bool trmi_finish_axis(trmi_finish *finish, void *input, trmi_joint *joint)
{
    const trmi_joint_input *in = input;
    bool at = trmi_given_vector(in->at), axis = trmi_given_vector(in->axis);
    bool frame = trmi_given_frame(in->frame);
    bool needed = finish->mechanism->plane == TRMI_SPATIAL || joint->type->line;
    if (at && axis && frame)
        return trmi_finish_key_error(finish, "frame", "'frame' beside 'axis': give one of them");
    if (at && !axis && !frame && needed)
        return trmi_finish_key_error(finish, NULL, "%s joint '%.60s' needs an 'axis'",
                                     joint->type->name, joint->name);
    return trmi_finish_point(finish, input, joint);
}

bool trmi_take_second_marker(trmi_finish *finish, const trmi_joint_input *in, trmi_joint *joint)
{
    if (!TRMI_SHARE(finish->memory, joint->extra->second, 1)) {
        finish->no_memory = true;
        return false;
    }
    *joint->extra->second = (trmi_marker){joint->at, in->frame};
    return true;
}
