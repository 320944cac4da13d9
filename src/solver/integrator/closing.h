// SPDX-License-Identifier: Apache-2.0
// The step after a gap has closed: how short it must be for what begins there.
#ifndef TRMI_SOLVER_INTEGRATOR_CLOSING_H
#define TRMI_SOLVER_INTEGRATOR_CLOSING_H

#include "trammel/simulation.h"

#include <stdbool.h>

// Whether the past points go on through a closing. Sensitivities may jump there: they begin again.
bool trmi_keeps_past(const trm_simulation *s);
// Whether steps of length h resolve whatever begins when gap i closes: they did, and the way of the
// gap in a step is not longer than it was then.
bool trmi_resolves_closing(const trm_simulation *s, int i, double h);
// Before the marked gaps (closing) are landed on, which would close in a step of length h: what
// they would do in a longer step is estimated, and remembered as `brief`.
void trmi_estimate_landings(trm_simulation *s, double h);
// The longest step up to h that resolves the forces of the marked gaps, which have just closed.
double trmi_find_resolved_step(trm_simulation *s, double h);

#endif
