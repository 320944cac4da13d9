// SPDX-License-Identifier: Apache-2.0
// Redundancy follows the motion: where the pivots of the constraint rows in use fall, those that
// are left out are chosen again (formulation/row_choice.h). The past of the run stays as it is,
// with other multipliers; matrices are made again.
#ifndef TRMI_SOLVER_INTEGRATOR_ROWS_H
#define TRMI_SOLVER_INTEGRATOR_ROWS_H

#include "base/archive.h"
#include "base/memory.h"
#include "trammel/simulation.h"

typedef struct trmi_rows {
    trmi_memory memory; // of the matrices of another choice than at the start
    bool *dropped;      // n_r_full scratch, where rows are dropped
    double pivot;       // largest since the last choice, 0: none yet
    double t_rescued;   // time of the last choice that a failed step asked for
} trmi_rows;

// Takes memory; false: there is none.
bool trmi_rows_create(trm_simulation *s);
void trmi_rows_destroy(trm_simulation *s);
// After an accepted step.
trm_status trmi_rows_follow(trm_simulation *s);
// Where a step that failed with this status would end the run: TRM_OK where other rows are left out
// from now on and the step can be tried again, otherwise the status.
trm_status trmi_rows_rescue(trm_simulation *s, trm_status status);
// Before everything else that depends on the numbers of rows.
void trmi_rows_archive(trm_simulation *s, trmi_archive *archive);

#endif
