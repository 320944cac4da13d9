// SPDX-License-Identifier: Apache-2.0
// integrator = auto where other settings leave no choice.
#ifndef TRMI_SOLVER_INTEGRATOR_CHOOSE_H
#define TRMI_SOLVER_INTEGRATOR_CHOOSE_H

#include "trammel/options.h"

// The part of the tolerances that a method tests where auto has chosen it: at the same tolerance
// the errors of methods differ by a factor of 1000, and the more the tighter it is.
double trmi_tightening_in_auto(trm_integrator integrator, double rtol);

// Why integrator = auto is bdf with these options, NULL: it changes methods (auto/auto.h).
const char *trmi_reason_for_bdf(const trm_options *options);
// Sets the integrator that auto is where there are to be sensitivities, of a system with n_a
// rolling rows; returns why.
const char *trmi_choose_for_sensitivities(trm_options *options, int n_a);

#endif
