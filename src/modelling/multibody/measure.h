// SPDX-License-Identifier: Apache-2.0
// Measures: the scalars that say where a joint stands, one for each freedom it has as a tree joint,
// in the order of its columns. They are 0 in the reference configuration. Start values, prescribed
// motions, stops, actuators and formulas refer to them by name.
#ifndef TRMI_MODELLING_MULTIBODY_MEASURE_H
#define TRMI_MODELLING_MULTIBODY_MEASURE_H

#include "modelling/multibody/mechanism.h"

typedef enum trmi_measure_kind {
    TRMI_MEASURE_TRAVEL,  // of the second body, along an axis of the joint on the first one
    TRMI_MEASURE_ANGLE,   // about an axis; full turns count
    TRMI_MEASURE_ROTATION // a component of the rotation vector, in the axes of the joint
} trmi_measure_kind;

typedef struct trmi_measure {
    const char *name; // "angle", "travel", "x", "rotation_z"
    trmi_measure_kind kind;
    int axis; // 0 1 2: x, y, z of the joint
} trmi_measure;

// How many measures a joint has, at most TRMI_MAX_MEASURES; 0 for joints without a tree form.
int trmi_measure_count(trmi_joint_kind kind, trmi_plane plane);
trmi_measure trmi_measure_of(trmi_joint_kind kind, trmi_plane plane, int index);
// The first of those that are known together: of the three components of a rotation, or itself.
int trmi_measure_first(trmi_joint_kind kind, trmi_plane plane, int index);

// The measure that a name means, or TRMI_NOTHING: "angle", or (rate) "angle_rate", and "rate" where
// there is only one.
int trmi_measure_find(trmi_joint_kind kind, trmi_plane plane, const char *name, bool *rate);

// Whether a joint of this kind has a meaning in a plane model.
bool trmi_joint_in_plane(trmi_joint_kind kind);

// The axes of a plane in cyclic order: 0 1 2 for x y z, the normal last. Spatial: 0 1 2.
void trmi_plane_axes(trmi_plane plane, int axis[3]);

#endif
