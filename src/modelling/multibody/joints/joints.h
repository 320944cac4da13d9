// SPDX-License-Identifier: Apache-2.0
// The list of the types of joints. Each is a struct trmi_joint_<name> in a file of this folder.
#ifndef TRMI_MODELLING_MULTIBODY_JOINTS_JOINTS_H
#define TRMI_MODELLING_MULTIBODY_JOINTS_JOINTS_H

#include "modelling/multibody/joints/joint.h"

// In the order of the manual.
#define TRMI_JOINT_LIST(X)                                                                         \
    X(fixed)                                                                                       \
    X(revolute)                                                                                    \
    X(prismatic)                                                                                   \
    X(cylindrical)                                                                                 \
    X(screw)                                                                                       \
    X(universal)                                                                                   \
    X(spherical)                                                                                   \
    X(planar)                                                                                      \
    X(point_on_line)                                                                               \
    X(point_on_plane)                                                                              \
    X(free)                                                                                        \
    X(yaw_roll_pitch)                                                                              \
    X(rod)                                                                                         \
    X(constant_velocity)                                                                           \
    X(coupling)                                                                                    \
    X(rack_pinion)                                                                                 \
    X(relation)                                                                                    \
    X(path)                                                                                        \
    X(rolling)                                                                                     \
    X(knife_edge)                                                                                  \
    X(wheel_rail)                                                                                  \
    X(elastic_wheel_rail)                                                                          \
    TRMI_MORE_JOINTS(X)

// A test that includes joints.c appends its own types.
#ifndef TRMI_MORE_JOINTS
#define TRMI_MORE_JOINTS(X)
#endif

#define TRMI_JOINT_DECLARE(name) extern const trmi_joint_type trmi_joint_##name;
TRMI_JOINT_LIST(TRMI_JOINT_DECLARE)
#undef TRMI_JOINT_DECLARE

// The type with that number, NULL after the last one.
const trmi_joint_type *trmi_joint_type_at(int index);

#endif
