// SPDX-License-Identifier: Apache-2.0
// Memory for what is needed for a moment.
#ifndef TRMI_SOLVER_INTEGRATOR_SCRATCH_H
#define TRMI_SOLVER_INTEGRATOR_SCRATCH_H

#include "trammel/simulation.h"

#include <stdbool.h>

bool trmi_scratch_create(trm_simulation *s);

#endif
