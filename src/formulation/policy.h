// SPDX-License-Identifier: Apache-2.0
// The formulations as policies of one corrector.
#ifndef TRMI_POLICY_H
#define TRMI_POLICY_H

#include "trammel/options.h"

#include <stdbool.h>

typedef enum trmi_multiplier_start {
    TRMI_MULTIPLIERS_EXTRAPOLATED, // from the history, by the predictor
    TRMI_MULTIPLIERS_FROM_RESIDUAL // s = -(GY)^-T Y^T r at the predictor
} trmi_multiplier_start;

typedef struct trmi_policy {
    const char *name;
    bool unknown_multipliers;    // iterated with q and v; otherwise taken from the residual
    trmi_multiplier_start start; // of unknown multipliers
    bool geometric;              // (G^T lambda)_q in the matrix
    bool frozen_direction;       // constraint force along G of the last matrix
    bool test_multipliers;       // in the Newton test
    bool classic_independent;    // control classic tests X^T q instead of q
} trmi_policy;

const trmi_policy *trmi_policy_of(trm_formulation formulation);

#endif
