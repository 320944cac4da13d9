// SPDX-License-Identifier: Apache-2.0
// What the joint and the force on a curve read from the model file.
#ifndef TRMI_MODELLING_MULTIBODY_JOINTS_PATH_H
#define TRMI_MODELLING_MULTIBODY_JOINTS_PATH_H

#include "modelling/multibody/parameter.h"
#include "modelling/multibody/rows/path_row.h"

typedef struct trmi_path_input {
    trmi_point_list path, second_path;
    bool closed, second_closed;
    trmi_v3 at, axis;
    double radius;
} trmi_path_input;

// The parameters of a struct with a member `path` of that type.
#define TRMI_PATH_PARAMETERS(type)                                                                 \
    static const trmi_parameter path = {"path",                                                    \
                                        TRMI_PARAMETER_POINTS,                                     \
                                        offsetof(type, path.path),                                 \
                                        .required = true,                                          \
                                        .help = "points of a curve of the first body, m",          \
                                        .unit = "m"};                                              \
    static const trmi_parameter closed = {"closed", TRMI_PARAMETER_TRUTH,                          \
                                          offsetof(type, path.closed), .preset = "false",          \
                                          .help = "the last point leads back to the first"};       \
    static const trmi_parameter at = {"at", TRMI_PARAMETER_POINT, offsetof(type, path.at),         \
                                      .one_of = true,                                              \
                                      .help = "point of the second body on it, or its roller"};    \
    static const trmi_parameter second_path = {                                                    \
        "second_path",                                                                             \
        TRMI_PARAMETER_POINTS,                                                                     \
        offsetof(type, path.second_path),                                                          \
        .one_of = true,                                                                            \
        .help = "points of a curve of the second body that touches it, m",                         \
        .unit = "m"};                                                                              \
    static const trmi_parameter second_closed = {"second_closed", TRMI_PARAMETER_TRUTH,            \
                                                 offsetof(type, path.second_closed),               \
                                                 .preset = "false", .help = "likewise"};           \
    static const trmi_parameter radius = {                                                         \
        "radius",      TRMI_PARAMETER_NOT_NEGATIVE,         offsetof(type, path.radius),           \
        .preset = "0", .help = "of a roller about `at`, m", .unit = "m"};                          \
    static const trmi_parameter axis = {"axis", TRMI_PARAMETER_NORMAL, offsetof(type, path.axis),  \
                                        .preset = "z",                                             \
                                        .help = "normal of the plane of the curves"};

// The pair of curves, the points of the markers and their axes; NULL after an error. Where the
// roller is too large for a hollow, a joint has no motion without an impact: an error; a force may
// lose contact there, with one_sided it is a warning.
const trmi_path_pair *trmi_path_finish(trmi_finish *finish, const trmi_path_input *in,
                                       const char *name, bool one_sided, trmi_v3 at[2],
                                       trmi_m3 *frame);

// The pair of curves of a joint or force of type `path`; NULL of other types.
const trmi_path_pair *trmi_joint_path_pair(const trmi_joint *joint);
const trmi_path_pair *trmi_force_path_pair(const trmi_force *force);

#endif
