// SPDX-License-Identifier: Apache-2.0
// Signals of a mechanism as rows: each is a set of one row, so that its value, its rate and their
// derivatives come from the one assembly.
#ifndef TRMI_MODELLING_MULTIBODY_SIGNALS_H
#define TRMI_MODELLING_MULTIBODY_SIGNALS_H

#include "modelling/multibody/rows/row_set.h"

typedef struct trmi_signals {
    int count;
    const trmi_row_set *set; // one row each
} trmi_signals;

// The first `count` signals of a mechanism. Held values (turns) are numbered on from *n_held.
// False: no memory.
bool trmi_signals_create(trmi_signals *signals, trmi_memory *memory,
                         const trmi_mechanism *mechanism, const trmi_tree *tree, int count,
                         int *n_held);

// p, p' and (unless NULL, after the accelerations of the state) p'' of each.
void trmi_signals_evaluate(const trmi_signals *signals, const trmi_kinematics *k,
                           const trm_state *state, double *p, double *rate, double *second);

// Renews held values at an accepted point; true if one changed.
bool trmi_signals_settle(const trmi_signals *signals, const trmi_kinematics *k,
                         const trm_state *state, double *held);

#endif
