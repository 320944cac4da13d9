// SPDX-License-Identifier: Apache-2.0
// An element of a beam that bends and does not stretch: the row of stretching.h is zero. The
// multiplier is the axial force, positive when it pulls.
#include "modelling/multibody/joints/inextensible.h"

#include "modelling/multibody/rows/stretching.h"

const trmi_joint_type trmi_joint_inextensible = {
    .name = "inextensible",
    .help = "an element of a beam keeps its length",
    .in_plane = true,
    .row = {&trmi_stretching},
    .plane_row = {&trmi_stretching},
};
