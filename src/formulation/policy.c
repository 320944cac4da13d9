// SPDX-License-Identifier: Apache-2.0
#include "formulation/policy.h"

// In order of trm_formulation. The columns are those of docs/formulations.md.
static const trmi_policy policies[] = {
    {"cs", false, TRMI_MULTIPLIERS_FROM_RESIDUAL, true, false, false, true},
    {"cm", false, TRMI_MULTIPLIERS_FROM_RESIDUAL, false, false, false, true},
    {"cm-frozen", false, TRMI_MULTIPLIERS_FROM_RESIDUAL, false, true, false, true},
    {"ggl", true, TRMI_MULTIPLIERS_EXTRAPOLATED, true, false, true, false},
    {"ggl-star", true, TRMI_MULTIPLIERS_FROM_RESIDUAL, true, false, false, false},
    {"index1-projected", true, TRMI_MULTIPLIERS_FROM_RESIDUAL, true, false, false, false},
    {"index1", true, TRMI_MULTIPLIERS_FROM_RESIDUAL, true, false, false, false},
    {"index2", true, TRMI_MULTIPLIERS_FROM_RESIDUAL, true, false, false, false},
    {"index3", true, TRMI_MULTIPLIERS_FROM_RESIDUAL, true, false, false, false},
    {"baumgarte", true, TRMI_MULTIPLIERS_FROM_RESIDUAL, true, false, false, false},
};

const trmi_policy *trmi_policy_of(trm_formulation formulation)
{
    return &policies[formulation];
}
