// SPDX-License-Identifier: Apache-2.0
// Forces and reactions that formulas use: effects e, the first ones of a mechanism, with exact
// derivatives. An effect is a sum over elements, or the reaction of a joint that is cut,
//
//     e = c(q, v).F,   F = F(t, p, p', lambda, formulas)
//     e_q = c.(F_p G + F_v (Gv)_q) + c_q.F,    e_v = c.F_v G + c_v.F,    e_lambda = c.F_lambda
//
// and of formulas F_p, F_p', F_y of their signals, states and algebraic variables y, and F_e of
// other effects, whose rows are added. Formulas that use each other in a ring are refused by the
// reader, so there is an order: effects of level 0 need no formula, those of level n formulas of
// effects below it.
#ifndef TRMI_MODELLING_MULTIBODY_FORCES_FEEDBACK_H
#define TRMI_MODELLING_MULTIBODY_FORCES_FEEDBACK_H

#include "modelling/multibody/slots.h"
#include "modelling/multibody/tree.h"
#include "trammel/system.h"

typedef struct trmi_forces trmi_forces;
typedef struct trmi_force_work trmi_force_work;
typedef struct trmi_force_maker trmi_force_maker;
typedef struct trmi_kinematics trmi_kinematics;
typedef struct trmi_feedback_piece trmi_feedback_piece;

// A row of derivatives: which unknowns it has, and where its numbers begin.
typedef struct trmi_feedback_part {
    int count, first;
    const int *index;
    trmi_slots slots; // of its one row
} trmi_feedback_part;

// An effect.
typedef struct trmi_feedback_row {
    int level;
    int multiplier; // minus this one is the effect; TRMI_NOTHING: pieces are
    int pieces;
    const trmi_feedback_piece *piece;
    trmi_feedback_part Q, L, Y; // by coordinates (and velocities), multipliers, states and
                                // algebraic variables after them
} trmi_feedback_row;

// Immutable.
typedef struct trmi_feedback {
    int count, levels; // 0: no formula uses an effect
    const trmi_feedback_row *row;
    int size_Q, size_L, size_Y; // of all rows
} trmi_feedback;

typedef struct trmi_feedback_work {
    double *Q, *V, *L, *Y; // of all rows
} trmi_feedback_work;

// After the elements are made, which must stay where they are. False: no memory.
bool trmi_feedback_create(trmi_feedback *feedback, const trmi_force_maker *maker,
                          const trmi_forces *forces);
bool trmi_feedback_work_create(trmi_feedback_work *work, trmi_memory *memory,
                               const trmi_feedback *feedback);

// Values of a level, where the formulas below it are known.
void trmi_feedback_values(const trmi_forces *forces, trmi_force_work *work,
                          const trmi_kinematics *k, const trm_state *state, int level);
// Where the derivatives of a formula go, one after the other: by the coordinates of what it uses
// (by q and by v), by multipliers, by states and algebraic variables (`other`).
typedef struct trmi_formula_sink {
    void *to;
    void (*by_motion)(void *to, double by_q, double by_v);
    void (*by_multiplier)(void *to, double value);
    void (*by_other)(void *to, int other, double value);
} trmi_formula_sink;
// F_y dy of a formula, times a factor: its signals first, then its others, then its effects.
void trmi_formula_differentiate(const trmi_forces *forces, const trmi_force_work *work,
                                const trmi_formula *formula, double factor,
                                const trmi_formula_sink *sink);
// Derivatives of all, after the slopes of all formulas.
void trmi_feedback_differentiate(const trmi_forces *forces, trmi_force_work *work,
                                 const trmi_kinematics *k, const trm_state *state);

#endif
