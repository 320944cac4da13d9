// SPDX-License-Identifier: Apache-2.0
// The methods of control = classic.
#ifndef TRMI_SOLVER_INTEGRATOR_CLASSIC_CLASSIC_METHODS_H
#define TRMI_SOLVER_INTEGRATOR_CLASSIC_CLASSIC_METHODS_H

#include "solver/integrator/method.h"

extern const trmi_method trmi_classic_bdf;
extern const trmi_method trmi_classic_newmark;
extern const trmi_method trmi_classic_hht;
extern const trmi_method trmi_classic_generalized_alpha;

#endif
