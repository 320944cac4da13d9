// SPDX-License-Identifier: Apache-2.0
// The scratch memory of a simulation.
#ifndef TRMI_SOLVER_INTEGRATOR_SCRATCH_H
#define TRMI_SOLVER_INTEGRATOR_SCRATCH_H

#include "trammel/simulation.h"

#include <stdbool.h>

// Creates s->scratch and s->prediction.y; false: no memory.
bool trmi_create_scratch(trm_simulation *s);

#endif
