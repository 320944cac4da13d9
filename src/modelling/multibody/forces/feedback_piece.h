// SPDX-License-Identifier: Apache-2.0
// A summand of an effect that formulas use: an element, or the rows of a joint that is cut.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_FEEDBACK_PIECE_H
#define TRMI_MODELLING_MULTIBODY_FORCES_FEEDBACK_PIECE_H

#include "modelling/multibody/forces/effect.h"

struct trmi_feedback_piece {
    const trmi_element *element;       // NULL: rows, whose forces are multipliers
    const trmi_constraint *constraint; // whose rows these are
    trmi_row_set path[2];              // of wrenches: the columns that move body A, body B
};

// The state of its rows with their forces.
void trmi_feedback_act(const trmi_feedback_piece *piece, const trmi_force_work *work,
                       const trmi_kinematics *k, const trm_state *state, bool derivatives,
                       trmi_acting *acting);

// Whether an effect is a component in global axes, which turns with the bodies.
bool trmi_feedback_turns(const trmi_effect *effect);

#endif
