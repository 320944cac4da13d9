// SPDX-License-Identifier: Apache-2.0
// Warnings of the system, each reported once.
#ifndef TRMI_SOLVER_INTEGRATOR_WATCH_WARNINGS_H
#define TRMI_SOLVER_INTEGRATOR_WATCH_WARNINGS_H

#include "base/memory.h"
#include "trammel/simulation.h"

bool trmi_warnings_create(trm_simulation *s);
// After a step and the view of it.
void trmi_warnings_update(trm_simulation *s);

#endif
