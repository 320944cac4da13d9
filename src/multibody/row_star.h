// SPDX-License-Identifier: Apache-2.0
// Joints made of slides and dots between free bodies of the star: closed blocks instead of the
// general formulas of row_set.h, with the same results.
#ifndef TRMI_ROW_STAR_H
#define TRMI_ROW_STAR_H

#include "multibody/row_assembly.h"

// Whether the blocks apply: the star, slides and dots only.
bool trmi_star_applies(const trmi_tree *tree, const trmi_constraint *joint);

// Notes columns, coordinates and axes.
void trmi_star_prepare_joint(const trmi_tree *tree, trmi_constraint *joint);

// Announces the positions of the blocks, in the order in which they are written.
void trmi_star_announce(trmi_constraints *c, const trmi_constraint *joint);

// Adds what is wanted, as trmi_constraints_evaluate.
void trmi_star_joint(const trmi_constraints *c, const trmi_constraint *joint,
                     const trmi_kinematics *k, const trm_state *state,
                     double *const want[TRM_QUANTITY_COUNT]);

// The same two for plane models (row_plane.c).
void trmi_plane_announce(trmi_constraints *c, const trmi_constraint *joint);
void trmi_plane_joint(const trmi_constraints *c, const trmi_constraint *joint,
                      const trmi_kinematics *k, const trm_state *state,
                      double *const want[TRM_QUANTITY_COUNT]);

#endif
