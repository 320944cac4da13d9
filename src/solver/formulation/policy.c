// SPDX-License-Identifier: Apache-2.0
#include "solver/formulation/policy.h"

// The columns are those of docs/formulations.md. What a row does not name is false, or 0: no
// unknown multipliers, extrapolated ones, rows at the level of g = 0, nothing after the corrector.
static const trmi_policy policies[] = {
    // multipliers follow from the residual, their derivative is in the matrix
    [TRM_FORMULATION_CS] = {.name = "cs",
                            .start = TRMI_MULTIPLIERS_FROM_RESIDUAL,
                            .geometric = true,
                            .classic_independent = true,
                            .level = TRMI_LEVEL_POSITION,
                            .after = TRMI_AFTER_VELOCITY,
                            .classic = true},
    // cs without the derivative of the constraint forces
    [TRM_FORMULATION_CM] = {.name = "cm",
                            .start = TRMI_MULTIPLIERS_FROM_RESIDUAL,
                            .classic_independent = true,
                            .level = TRMI_LEVEL_POSITION,
                            .after = TRMI_AFTER_VELOCITY,
                            .classic = true},
    // cm with constraint forces along G of the last matrix
    [TRM_FORMULATION_CM_FROZEN] = {.name = "cm-frozen",
                                   .start = TRMI_MULTIPLIERS_FROM_RESIDUAL,
                                   .frozen_direction = true,
                                   .classic_independent = true,
                                   .level = TRMI_LEVEL_POSITION,
                                   .after = TRMI_AFTER_VELOCITY,
                                   .classic = true},
    // the stabilized index-2 form of Gear, Gupta and Leimkuhler: multipliers are predicted and
    // tested
    [TRM_FORMULATION_GGL] = {.name = "ggl",
                             .unknown_multipliers = true,
                             .start = TRMI_MULTIPLIERS_EXTRAPOLATED,
                             .geometric = true,
                             .test_multipliers = true,
                             .level = TRMI_LEVEL_POSITION,
                             .after = TRMI_AFTER_VELOCITY,
                             .classic = true},
    // ggl with multipliers that are predicted and not tested
    [TRM_FORMULATION_GGL_UNTESTED] = {.name = "ggl-untested",
                                      .unknown_multipliers = true,
                                      .start = TRMI_MULTIPLIERS_EXTRAPOLATED,
                                      .geometric = true,
                                      .level = TRMI_LEVEL_POSITION,
                                      .after = TRMI_AFTER_VELOCITY,
                                      .classic = true},
    // ggl with multipliers that start from the residual and are not tested
    [TRM_FORMULATION_GGL_STAR] = {.name = "ggl-star",
                                  .unknown_multipliers = true,
                                  .start = TRMI_MULTIPLIERS_FROM_RESIDUAL,
                                  .geometric = true,
                                  .level = TRMI_LEVEL_POSITION,
                                  .after = TRMI_AFTER_VELOCITY,
                                  .classic = true},
    // accelerations satisfy the constraints, every point found is projected onto them
    [TRM_FORMULATION_INDEX1_PROJECTED] = {.name = "index1-projected",
                                          .unknown_multipliers = true,
                                          .start = TRMI_MULTIPLIERS_EXTRAPOLATED,
                                          .geometric = true,
                                          .level = TRMI_LEVEL_ACCELERATION,
                                          .after = TRMI_AFTER_PROJECTION,
                                          .test_velocities = true},
    // accelerations satisfy the constraints, positions and velocities drift
    [TRM_FORMULATION_INDEX1] = {.name = "index1",
                                .unknown_multipliers = true,
                                .start = TRMI_MULTIPLIERS_EXTRAPOLATED,
                                .geometric = true,
                                .level = TRMI_LEVEL_ACCELERATION,
                                .after = TRMI_AFTER_NOTHING,
                                .test_velocities = true},
    // velocities satisfy the constraints, positions drift
    [TRM_FORMULATION_INDEX2] = {.name = "index2",
                                .unknown_multipliers = true,
                                .start = TRMI_MULTIPLIERS_EXTRAPOLATED,
                                .geometric = true,
                                .level = TRMI_LEVEL_VELOCITY,
                                .after = TRMI_AFTER_NOTHING,
                                .test_velocities = true},
    // positions satisfy the constraints, velocities do not
    [TRM_FORMULATION_INDEX3] = {.name = "index3",
                                .unknown_multipliers = true,
                                .start = TRMI_MULTIPLIERS_EXTRAPOLATED,
                                .geometric = true,
                                .level = TRMI_LEVEL_POSITION,
                                .after = TRMI_AFTER_NOTHING},
    // accelerations with feedback of positions and velocities
    [TRM_FORMULATION_BAUMGARTE] = {.name = "baumgarte",
                                   .unknown_multipliers = true,
                                   .start = TRMI_MULTIPLIERS_EXTRAPOLATED,
                                   .geometric = true,
                                   .level = TRMI_LEVEL_FEEDBACK,
                                   .after = TRMI_AFTER_NOTHING,
                                   .test_velocities = true},
};

const trmi_policy *trmi_policy_of(trm_formulation formulation)
{
    return &policies[formulation];
}
