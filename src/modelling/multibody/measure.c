// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/measure.h"

#include <string.h>

enum { X, Y, Z };

#define TRAVEL(name, axis)                                                                         \
    {                                                                                              \
        name, TRMI_MEASURE_TRAVEL, axis                                                            \
    }
#define ANGLE(name, axis)                                                                          \
    {                                                                                              \
        name, TRMI_MEASURE_ANGLE, axis                                                             \
    }
#define ROTATIONS                                                                                  \
    {"rotation_x", TRMI_MEASURE_ROTATION, X}, {"rotation_y", TRMI_MEASURE_ROTATION, Y},            \
    {                                                                                              \
        "rotation_z", TRMI_MEASURE_ROTATION, Z                                                     \
    }

static const trmi_measure spatial[TRMI_JOINT_KINDS][TRMI_MAX_MEASURES] = {
    [TRMI_JOINT_REVOLUTE] = {ANGLE("angle", Z)},
    [TRMI_JOINT_PRISMATIC] = {TRAVEL("travel", Z)},
    [TRMI_JOINT_CYLINDRICAL] = {TRAVEL("travel", Z), ANGLE("angle", Z)},
    [TRMI_JOINT_SCREW] = {ANGLE("angle", Z)},
    [TRMI_JOINT_UNIVERSAL] = {ANGLE("angle_x", X), ANGLE("angle_y", Y)},
    [TRMI_JOINT_SPHERICAL] = {ROTATIONS},
    [TRMI_JOINT_PLANAR] = {TRAVEL("x", X), TRAVEL("y", Y), ANGLE("angle", Z)},
    [TRMI_JOINT_POINT_ON_LINE] = {TRAVEL("travel", Z), ROTATIONS},
    [TRMI_JOINT_POINT_ON_PLANE] = {TRAVEL("x", X), TRAVEL("y", Y), ROTATIONS},
    [TRMI_JOINT_FREE] = {TRAVEL("x", X), TRAVEL("y", Y), TRAVEL("z", Z), ROTATIONS},
};

// Plane models: the axes of a free joint are those of the plane, z is its normal; a line has z
// along it and y as the normal.
static const trmi_measure plane_free[4][3] = {
    [TRMI_PLANE_XY] = {TRAVEL("x", X), TRAVEL("y", Y), ANGLE("angle", Z)},
    [TRMI_PLANE_YZ] = {TRAVEL("y", X), TRAVEL("z", Y), ANGLE("angle", Z)},
    [TRMI_PLANE_ZX] = {TRAVEL("z", X), TRAVEL("x", Y), ANGLE("angle", Z)},
};
static const trmi_measure plane_line[2] = {TRAVEL("travel", Z), ANGLE("angle", Y)};

static const trmi_measure *list_of(trmi_joint_kind kind, trmi_plane plane, int *most)
{
    *most = TRMI_MAX_MEASURES;
    if (plane == TRMI_SPATIAL)
        return spatial[kind];
    *most = kind == TRMI_JOINT_POINT_ON_LINE ? 2 : 3;
    if (kind == TRMI_JOINT_POINT_ON_LINE)
        return plane_line;
    return kind == TRMI_JOINT_FREE ? plane_free[plane] : spatial[kind];
}

int trmi_measure_count(trmi_joint_kind kind, trmi_plane plane)
{
    int count = 0, most;
    const trmi_measure *list = list_of(kind, plane, &most);
    while (count < most && list[count].name)
        count++;
    return count;
}

trmi_measure trmi_measure_of(trmi_joint_kind kind, trmi_plane plane, int index)
{
    int most;
    return list_of(kind, plane, &most)[index];
}

int trmi_measure_first(trmi_joint_kind kind, trmi_plane plane, int index)
{
    trmi_measure measure = trmi_measure_of(kind, plane, index);
    return measure.kind == TRMI_MEASURE_ROTATION ? index - measure.axis : index;
}

int trmi_measure_find(trmi_joint_kind kind, trmi_plane plane, const char *name, bool *rate)
{
    int count = trmi_measure_count(kind, plane), most;
    const trmi_measure *list = list_of(kind, plane, &most);
    *rate = count == 1 && strcmp(name, "rate") == 0;
    if (*rate)
        return 0;
    for (int k = 0; k < count; k++) {
        size_t length = strlen(list[k].name);
        bool begins = strncmp(name, list[k].name, length) == 0;
        *rate = begins && strcmp(name + length, "_rate") == 0;
        if (*rate || (begins && name[length] == '\0'))
            return k;
    }
    return TRMI_NOTHING;
}

bool trmi_joint_in_plane(trmi_joint_kind kind)
{
    switch (kind) {
    case TRMI_JOINT_FIXED:
    case TRMI_JOINT_REVOLUTE:
    case TRMI_JOINT_PRISMATIC:
    case TRMI_JOINT_POINT_ON_LINE:
    case TRMI_JOINT_FREE:
    case TRMI_JOINT_ROD:
    case TRMI_JOINT_COUPLING:
    case TRMI_JOINT_RACK_PINION:
        return true;
    default:
        return false;
    }
}

void trmi_plane_axes(trmi_plane plane, int axis[3])
{
    static const int first[] = {
        [TRMI_SPATIAL] = X, [TRMI_PLANE_XY] = X, [TRMI_PLANE_YZ] = Y, [TRMI_PLANE_ZX] = Z};
    for (int k = 0; k < 3; k++)
        axis[k] = (first[plane] + k) % 3;
}
