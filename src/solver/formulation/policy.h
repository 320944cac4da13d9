// SPDX-License-Identifier: Apache-2.0
// The formulations as policies of one corrector.
#ifndef TRMI_SOLVER_FORMULATION_POLICY_H
#define TRMI_SOLVER_FORMULATION_POLICY_H

#include "trammel/options.h"

#include <stdbool.h>

typedef enum trmi_multiplier_start {
    TRMI_MULTIPLIERS_EXTRAPOLATED, // from the history, by the predictor
    TRMI_MULTIPLIERS_FROM_RESIDUAL // s = -(GY)^-T Y^T r at the predictor
} trmi_multiplier_start;

// The equations of the corrector's constraint rows. All have the same matrix, so that Newton
// converges in one or two iterations on the first level only, and linearly, at a rate of about
// h |v|, on the others. Rolling rows are at the level of velocities or, from the third on, of
// accelerations.
typedef enum trmi_level {
    TRMI_LEVEL_POSITION,     // g = 0
    TRMI_LEVEL_VELOCITY,     // G v + g_t = 0
    TRMI_LEVEL_ACCELERATION, // G a + gamma = 0
    TRMI_LEVEL_FEEDBACK      // G a + gamma + 2 alpha (G v + g_t) + beta^2 g = 0
} trmi_level;

// What follows the corrector.
typedef enum trmi_after {
    TRMI_AFTER_NOTHING,   // constraints of other levels drift
    TRMI_AFTER_VELOCITY,  // velocities onto G v + g_t = 0, with the matrix of the step
    TRMI_AFTER_PROJECTION // positions, then velocities (formulation/manifold.h)
} trmi_after;

typedef struct trmi_policy {
    const char *name;
    bool unknown_multipliers;    // iterated with q and v; otherwise taken from the residual
    trmi_multiplier_start start; // multipliers at the first iterate
    bool geometric;              // (G^T lambda)_q is part of the matrix
    bool frozen_direction;       // constraint forces are along G of the last matrix
    bool test_multipliers;       // multipliers are part of the Newton test
    bool classic_independent;    // control classic tests X^T q instead of q
    trmi_level level;            // of the constraint rows
    trmi_after after;            // what follows the corrector
    bool test_velocities;        // velocities are in the error test, at the full tolerance
    bool classic;                // exists under control classic
} trmi_policy;

const trmi_policy *trmi_policy_of(trm_formulation formulation);

#endif
