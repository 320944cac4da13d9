// SPDX-License-Identifier: Apache-2.0
// integrator = auto.
#ifndef TRMI_SOLVER_INTEGRATOR_CHOOSE_H
#define TRMI_SOLVER_INTEGRATOR_CHOOSE_H

#include "trammel/options.h"
#include "trammel/simulation.h"

// What integrator = auto stands for, and why.
typedef struct trmi_choice {
    trm_integrator integrator;
    char because[160];
} trmi_choice;

// An error is one of memory.
trm_status trmi_choose_integrator(trmi_choice *choice, const trm_system *system,
                                  const trm_options *options, const trm_initial *initial,
                                  trm_error *error);

#endif
