// SPDX-License-Identifier: Apache-2.0
// The predictor-corrector method of Adams.
#ifndef TRMI_SOLVER_INTEGRATOR_EXPLICIT_ADAMS_H
#define TRMI_SOLVER_INTEGRATOR_EXPLICIT_ADAMS_H

#include "solver/integrator/explicit/ode.h"

extern const trmi_method trmi_method_adams;

// Its dense output (adams_dense.c).
void trmi_adams_dense(trm_simulation *s, double t, trmi_point *p);

#endif
