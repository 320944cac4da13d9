// SPDX-License-Identifier: Apache-2.0
// A new beginning: history, step and order start again.
#ifndef TRMI_SOLVER_INTEGRATOR_RESTART_H
#define TRMI_SOLVER_INTEGRATOR_RESTART_H

#include "solver/integrator/current_point.h"

// Makes the point of trmi_restart_point consistent, and the start of what follows.
trm_status trmi_restart_there(trm_simulation *s, trmi_point *p);

#endif
