// SPDX-License-Identifier: Apache-2.0
// A new beginning: history, step and order start again.
#ifndef TRMI_SOLVER_INTEGRATOR_RESTART_H
#define TRMI_SOLVER_INTEGRATOR_RESTART_H

#include "solver/integrator/current_point.h"

// The current point at time t, where the corrector works, to be changed before trmi_restart_there.
trmi_point *trmi_restart_point(trm_simulation *s, double t);
// Makes that point consistent, and the start of what follows.
trm_status trmi_restart_there(trm_simulation *s, trmi_point *p);

#endif
