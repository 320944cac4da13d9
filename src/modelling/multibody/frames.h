// SPDX-License-Identifier: Apache-2.0
// Frames: matrices whose columns are axes of length 1.
#ifndef TRMI_MODELLING_MULTIBODY_FRAMES_H
#define TRMI_MODELLING_MULTIBODY_FRAMES_H

#include "modelling/multibody/mechanism.h"

// The frame with these columns.
trmi_m3 trmi_frame_of(trmi_v3 x, trmi_v3 y, trmi_v3 z);
// The frame with that z; the other axes are as near to the global ones as possible.
trmi_m3 trmi_frame_about(trmi_v3 z);
// The axes of a plane in cyclic order: 0 1 2 for x y z, the normal last. Spatial: 0 1 2.
void trmi_plane_axes(trmi_plane plane, int axis[3]);
// The axes of the plane with its normal as z; spatial: the global axes.
trmi_m3 trmi_plane_frame(trmi_plane plane);
// z of that frame.
trmi_v3 trmi_plane_normal(trmi_plane plane);

#endif
