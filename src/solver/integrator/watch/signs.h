// SPDX-License-Identifier: Apache-2.0
// Signs that a tolerance does not suit the numbers of a run, whatever its steps were.
#ifndef TRMI_SOLVER_INTEGRATOR_WATCH_SIGNS_H
#define TRMI_SOLVER_INTEGRATOR_WATCH_SIGNS_H

#include "trammel/simulation.h"

#include <stdbool.h>

// TRM_OK, or TRM_UNTRUSTED with the reason in s->error.
trm_status trmi_trust_numbers(trm_simulation *s);

// Whether the motion goes much farther than the tolerance while the time changes by its roundoff,
// and what to try then.
bool trmi_time_is_coarse(const trm_simulation *s);
#define TRMI_COARSE_TIME "measure time from an origin close to the run, or loosen the tolerance"

#endif
