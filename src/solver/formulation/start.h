// SPDX-License-Identifier: Apache-2.0
// A consistent start in three stages (positions, velocities, accelerations with multipliers), and
// the rank of the constraints.
#ifndef TRMI_SOLVER_FORMULATION_START_H
#define TRMI_SOLVER_FORMULATION_START_H

#include "solver/formulation/manifold.h"

// Checks options, system and initial values as they are given from outside.
trm_status trmi_check_given(const trm_system *system, const trm_options *options,
                            const trm_initial *initial, trm_error *error);
// Whether all initial values are finite.
trm_status trmi_check_initial(const trm_system *system, const trm_initial *initial,
                              trm_error *error);

// Makes the point p (t, q, v, x, z, guess of lambda) consistent as options->start requires, fills
// in p->a and p->lambda, drops redundant rows from the evaluator and creates the saddle matrix of
// the manifold, of which only e and values are set before.
trm_status trmi_start(trmi_manifold *manifold, trmi_memory *memory, bool geometric, trmi_point *p,
                      trm_start_report *report, trm_error *error);

// The same for a later point of the same system, after a jump: with the saddle matrix and the rows
// of the start. report keeps what belongs to those.
trm_status trmi_start_again(trmi_manifold *manifold, trmi_point *p, trm_start_report *report,
                            trm_error *error);

#endif
