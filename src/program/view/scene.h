// SPDX-License-Identifier: Apache-2.0
// The scene of a mechanism: all that a picture needs besides the motion, as numbers in JSON. It
// lies in every result file beside the channels of the bodies. Points and axes are those of the
// reference configuration, global axes; with the pose (r, R) of a body, whose centre is c there,
// its point p is at r + R (p - c).
//
//     {"version": 1, "plane": "xy",                       null: in space
//      "gravity": [0, -9.81, 0],
//      "bodies": [{"name", "center", "joint": its edge of the tree, "massless": true,
//                  "shape": {"kind", "points", "size",
//                            "half": edges from the middle, box and mesh; "mesh", "at", "axes"},
//                  "node_of": frame, "beam_of": first node of its beam in space, "beam": {"from",
//                  "along", "length", "stiffness", "nodes"}}],
//      "joints": [{"name", "type", "bodies": [first, second], "at", "x", "z", "size",
//                  "second": {"at", "x", "z"}, "terms": [joint, ...], "cut": true, "driven":
//                  true}],
//      "forces": [{"name", "type", "bodies", "at", "to", "x", "z", "axis", "size", "joint",
//                  "parameters": {"stiffness": 100}}],
//      "meshes": see scene_mesh.h,
//      "draw": [{"name", "kind": "line", "points": [["rod_1_x", "rod_1_y"], ...], "radius":
//                "mass_r"}]}                            names of outputs
//
// Body 0 is the ground. What does not apply is left out.
#ifndef TRMI_PROGRAM_VIEW_SCENE_H
#define TRMI_PROGRAM_VIEW_SCENE_H

#include "trammel/model.h"

// The scene, owned by the caller (free); NULL when the model is not a mechanism and draws
// nothing, or without memory.
char *trmi_scene_json(const trm_model *model);

#endif
