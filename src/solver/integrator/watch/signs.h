// SPDX-License-Identifier: Apache-2.0
// Signs that a tolerance does not suit the numbers of a run, whatever its steps were.
#ifndef TRMI_SOLVER_INTEGRATOR_WATCH_SIGNS_H
#define TRMI_SOLVER_INTEGRATOR_WATCH_SIGNS_H

#include "trammel/simulation.h"

// TRM_OK, or TRM_UNTRUSTED with the reason in s->error.
trm_status trmi_trust_numbers(trm_simulation *s);

#endif
