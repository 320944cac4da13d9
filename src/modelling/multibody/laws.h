// SPDX-License-Identifier: Apache-2.0
// Unknowns beside the bodies: states with a rate, x' = c, and algebraic variables with an equation,
// 0 = b. Both are formulas of t, inputs, signals p with their rates p', states and algebraic
// variables y,
//
//     c_q = c_p G + c_p' (G v)_q        c_v = c_p' G        c_y as it is        (G = p_q)
//
// and of effects e (forces/feedback.h), c_e times their rows. Forces whose formulas use y, or
// effects that depend on y, have f_y = -Gam^T (F_y + F_e e_y). States of a force itself have the
// rate c(p, v, x) of its law instead of a formula.
#ifndef TRMI_MODELLING_MULTIBODY_LAWS_H
#define TRMI_MODELLING_MULTIBODY_LAWS_H

#include "modelling/multibody/forces/force.h"

// The derivatives of the rates, or of the equations.
typedef struct trmi_law_slots {
    trmi_slots Q, V, X, Z, L;
} trmi_law_slots;

// Immutable.
typedef struct trmi_laws {
    int count; // states and algebraic variables; 0: there are none
    const trmi_forces *forces;
    trmi_law_slots part[2];      // of states, of algebraic variables
    trmi_slots force_X, force_Z; // of forces
} trmi_laws;

// Announces all positions. forces must stay where they are. False: no memory.
bool trmi_laws_create(trmi_laws *laws, trmi_memory *memory, const trmi_forces *forces);

// Patterns of the quantities that have to do with states and algebraic variables.
void trmi_laws_patterns(const trmi_laws *laws, trm_pattern *pattern);

// The quantities that trmi_laws_evaluate fills, as bits; solved: the system is given solved for its
// accelerations, whose derivatives are not known.
uint64_t trmi_laws_evaluates(const trmi_laws *laws, bool solved);

// Fills those of its quantities that are in `want`, after a move. Returns what a trm_function does.
int trmi_laws_evaluate(const trmi_laws *laws, trmi_force_work *work, const trmi_kinematics *k,
                       const trm_state *state, double *const *want);

// b_t of the algebraic variables, of their formulas with inputs and of the signals in these
// (laws_in_time.c). After the formulas and their slopes.
void trmi_laws_in_time(const trmi_laws *laws, trmi_force_work *work, const trm_state *state,
                       double *out);

#endif
