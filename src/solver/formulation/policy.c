// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/policy.h"

// In order of trm_formulation. The columns are those of docs/formulations.md.
#define S TRMI_MULTIPLIERS_FROM_RESIDUAL
#define E TRMI_MULTIPLIERS_EXTRAPOLATED
static const trmi_policy policies[] = {
    {"cs", 0, S, 1, 0, 0, 1, TRMI_LEVEL_POSITION, TRMI_AFTER_VELOCITY, 0, 1},
    {"cm", 0, S, 0, 0, 0, 1, TRMI_LEVEL_POSITION, TRMI_AFTER_VELOCITY, 0, 1},
    {"cm-frozen", 0, S, 0, 1, 0, 1, TRMI_LEVEL_POSITION, TRMI_AFTER_VELOCITY, 0, 1},
    {"ggl", 1, E, 1, 0, 1, 0, TRMI_LEVEL_POSITION, TRMI_AFTER_VELOCITY, 0, 1},
    {"ggl-star", 1, S, 1, 0, 0, 0, TRMI_LEVEL_POSITION, TRMI_AFTER_VELOCITY, 0, 1},
    {"index1-projected", 1, E, 1, 0, 0, 0, TRMI_LEVEL_ACCELERATION, TRMI_AFTER_PROJECTION, 1, 0},
    {"index1", 1, E, 1, 0, 0, 0, TRMI_LEVEL_ACCELERATION, TRMI_AFTER_NOTHING, 1, 0},
    {"index2", 1, E, 1, 0, 0, 0, TRMI_LEVEL_VELOCITY, TRMI_AFTER_NOTHING, 1, 0},
    {"index3", 1, E, 1, 0, 0, 0, TRMI_LEVEL_POSITION, TRMI_AFTER_NOTHING, 0, 0},
    {"baumgarte", 1, E, 1, 0, 0, 0, TRMI_LEVEL_FEEDBACK, TRMI_AFTER_NOTHING, 1, 0},
};
#undef S
#undef E

const trmi_policy *trmi_policy_of(trm_formulation formulation)
{
    return &policies[formulation];
}
