// SPDX-License-Identifier: Apache-2.0
// Whether a step of a machine without freedoms stays on its branch. Where the constraints leave
// nothing to integrate (as many rows as coordinates: every motion is prescribed) the error test has
// nothing to test, steps grow, and the corrector may end in another assembly of the linkage.
// Likewise where positions drift past a position in which the constraints lose rank.
#ifndef TRMI_SOLVER_INTEGRATOR_BRANCH_H
#define TRMI_SOLVER_INTEGRATOR_BRANCH_H

#include "solver/integrator/method.h"

// What the sides of a branch are found with.
typedef struct trmi_branch {
    double *matrix; // n_q x n_q; NULL: they are not compared
    int *pivot;
} trmi_branch;

// Memory for the test, where it is needed.
trm_status trmi_branch_create(trm_simulation *s);
// Whether the step to corrector.point is too long to be sure.
bool trmi_leaves_branch(trm_simulation *s, const trmi_step_trial *trial);

// Whether positions that drift are so far from the constraints, close to a position where these
// lose rank, that the next step follows the drift, which has no crossing there, and not the motion.
bool trmi_drift_hides_branch(trm_simulation *s);

#endif
