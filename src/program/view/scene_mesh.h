// SPDX-License-Identifier: Apache-2.0
// The meshes of a scene:
//
//     "meshes": [{"x": series, "y": series, "z": series, "corners": series}]
//
// in the coordinates of their files, to 1/65536 of their size; three corners for each triangle are
// numbers of points. Shapes refer to them: a point x of the file is at + axes x.
#ifndef TRMI_PROGRAM_VIEW_SCENE_MESH_H
#define TRMI_PROGRAM_VIEW_SCENE_MESH_H

#include "modelling/multibody/mechanism.h"
#include "program/files/json.h"

// Adds a list of meshes; NULL: none.
void trmi_scene_add_meshes(trmi_json *json, const trmi_mesh *first);

#endif
