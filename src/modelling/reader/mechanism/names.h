// SPDX-License-Identifier: Apache-2.0
// What the names of a mechanism are made of.
#ifndef TRMI_MODELLING_READER_MECHANISM_NAMES_H
#define TRMI_MODELLING_READER_MECHANISM_NAMES_H

#include "modelling/multibody/tree.h"
#include "modelling/reader/model.h"

// The channels of every body or joint.
typedef struct trmi_channel_parts {
    int count;
    const char *name[7], *unit[7];
} trmi_channel_parts;

trmi_channel_parts trmi_pose_parts(trmi_plane plane);
trmi_channel_parts trmi_reaction_parts(trmi_plane plane);

// Whether the rate of a coordinate is that of a joint with one measure, "pivot_rate".
bool trmi_has_short_rate(const trmi_mechanism *mechanism, const trmi_column *column);

#endif
