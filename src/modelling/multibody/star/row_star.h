// SPDX-License-Identifier: Apache-2.0
// Joints made of slides and dots between free bodies of the star: closed blocks instead of the
// general formulas of row_set.h. In space row_star.c, in the plane row_plane.c.
#ifndef TRMI_MODELLING_MULTIBODY_STAR_ROW_STAR_H
#define TRMI_MODELLING_MULTIBODY_STAR_ROW_STAR_H

#include "modelling/multibody/rows/row_assembly.h"

// Whether the blocks apply: slides and dots only.
bool trmi_star_closes(const trmi_joint *joint, trmi_plane plane);
// Fills what they need of the joint of the mechanism that `c` names.
void trmi_star_close(trmi_constraint *c, const trmi_mechanism *mechanism, const trmi_tree *tree);
// The components in the plane, then zero; in space the vector itself.
trmi_v3 trmi_star_flatten(trmi_v3 a, trmi_plane plane);

// Announces the positions of the blocks, in the order in which they are written.
void trmi_star_announce(trmi_constraints *c, const trmi_constraint *joint);
void trmi_plane_announce(trmi_constraints *c, const trmi_constraint *joint);

// Writes what is wanted of g, G, (Gv)_q and gamma; adds to (G^T lambda)_q.
void trmi_star_joint(const trmi_constraints *c, const trmi_constraint *joint,
                     const trmi_kinematics *k, const trm_state *state,
                     double *const want[TRM_QUANTITY_COUNT]);
void trmi_plane_joint(const trmi_constraints *c, const trmi_constraint *joint,
                      const trmi_kinematics *k, const trm_state *state,
                      double *const want[TRM_QUANTITY_COUNT]);

// Multipliers of slides along fixed directions as those of slides along the axes of A, which have
// the same wrench. In place, per row of the joint; pair: its markers.
void trmi_star_turn_multipliers(const trmi_constraint *joint, const trmi_pair *pair,
                                const trmi_kinematics *k, double *lambda);

#endif
