// SPDX-License-Identifier: Apache-2.0
// What a simulation shows of its state.
#ifndef TRMI_SOLVER_INTEGRATOR_OUTPUT_H
#define TRMI_SOLVER_INTEGRATOR_OUTPUT_H

#include "trammel/simulation.h"

#include <stdbool.h>

void trmi_update_view(trm_simulation *s);
// The multipliers of all rows, 0 for those that were dropped.
const double *trmi_all_multipliers(trm_simulation *s, const double *lambda);
// Whether there are values at t, with a message; *present: they are those of the current point.
trm_status trmi_check_inside(trm_simulation *s, double t, bool *present);

#endif
