// SPDX-License-Identifier: Apache-2.0
// The pattern of the Newton matrix of a step in all unknowns of the stabilized index-2 form, as one
// draws it: which entries are not zero, in which block, and groups of columns that can be
// differenced together (Arnold, Fuchs and Fuehrer, equations (9), (10), (19) and Figures 3 to 5).
//
//                        q               v         x        z       lambda            eta
//     kinematics         I               -I                                           G^T
//     dynamics           K + (G^T l)_q   M, D      f_x      f_z     G^T - f_lambda
//     states             c_q             c_v       I, c_x   c_z     c_lambda
//     algebraic          b_q             b_v       b_x      b_z     b_lambda
//     velocities         (Gv)_q          G, A
//     positions          G                                  g_z
//
// The steps themselves use a smaller matrix, with the velocities eliminated (formulation/saddle.h).
#ifndef TRMI_SOLVER_SYSTEM_NEWTON_PATTERN_H
#define TRMI_SOLVER_SYSTEM_NEWTON_PATTERN_H

#include "solver/system/groups.h"
#include "trammel/system.h"

enum { TRMI_NEWTON_PARTS = 6 };

// Unknowns, or equations, that belong together.
typedef struct trmi_newton_part {
    const char *name;
    int first, count;
} trmi_newton_part;

typedef struct trmi_newton_pattern {
    int n;                                        // order of the matrix
    trmi_newton_part unknown[TRMI_NEWTON_PARTS];  // columns
    trmi_newton_part equation[TRMI_NEWTON_PARTS]; // rows
    int count, *row, *column;                     // entries, each once, column by column
    trmi_groups groups;                           // of the columns
} trmi_newton_pattern;

// Which entries belong to the pattern.
typedef enum trmi_pattern_rule {
    TRMI_PATTERN_FOUND,    // what is more than roundoff at one of the perturbed states
    TRMI_PATTERN_DECLARED, // what the system declares, zero or not; differences: what is found
    TRMI_PATTERN_DEPENDENT // the same, but of constraints what is found: not on all coordinates of
                           // their bodies a constraint need depend
} trmi_pattern_rule;

// The pattern near a state. error may be NULL. The pattern lives as long as memory.
trm_status trmi_newton_pattern_create(trmi_newton_pattern *out, trmi_memory *memory,
                                      trmi_pattern_rule rule, const trm_system *system,
                                      const trm_state *state, trm_error *error);

#endif
