// SPDX-License-Identifier: Apache-2.0
// Values held between steps, and coordinates that change with them.
#ifndef TRMI_SOLVER_INTEGRATOR_SETTLE_H
#define TRMI_SOLVER_INTEGRATOR_SETTLE_H

#include "solver/integrator/method.h"

// Before a step: the values held between steps; coordinates change if they must.
trm_status trmi_settle_held(trm_simulation *s, double t_end);
// [q | v] in other coordinates; false: there are none.
bool trmi_reexpress_values(trm_simulation *s, const trmi_recentring *r, double *y);
// Accelerations that belong to q and v, which stay as they are.
void trmi_reexpress_acceleration(trm_simulation *s, const trmi_recentring *r, const double *q,
                                 const double *v, double *a);
// jacobian_update = extended: how derivatives depend on the excitations up to t_end.
void trmi_extend_derivatives(trm_simulation *s, double t_end);

#endif
