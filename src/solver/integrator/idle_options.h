// SPDX-License-Identifier: Apache-2.0
// Options that were set and have no effect in this run.
#ifndef TRMI_SOLVER_INTEGRATOR_IDLE_OPTIONS_H
#define TRMI_SOLVER_INTEGRATOR_IDLE_OPTIONS_H

#include "trammel/simulation.h"

// Warns of each, with the reason; for a simulation that is complete.
void trmi_warn_of_idle_options(trm_simulation *s);

#endif
