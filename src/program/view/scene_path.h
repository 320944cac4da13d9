// SPDX-License-Identifier: Apache-2.0
// The curves of joints and forces of type `path`:
//
//     "curves": [{"body": 1, "points": [[x, y, z], ...]}, ...], "roller": 0.01
//
// in the reference configuration, the last point at the first where a curve is closed; "roller" is
// the radius about the point of the second body, 0: the point itself is on the curve.
#ifndef TRMI_PROGRAM_VIEW_SCENE_PATH_H
#define TRMI_PROGRAM_VIEW_SCENE_PATH_H

#include "modelling/multibody/mechanism.h"
#include "program/files/json.h"

// Adds nothing for other types.
void trmi_scene_add_joint_path(trmi_json *json, const trmi_joint *joint);
void trmi_scene_add_force_path(trmi_json *json, const trmi_force *force);

#endif
