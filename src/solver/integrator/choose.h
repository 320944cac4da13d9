// SPDX-License-Identifier: Apache-2.0
// integrator = auto where other settings leave no choice.
#ifndef TRMI_SOLVER_INTEGRATOR_CHOOSE_H
#define TRMI_SOLVER_INTEGRATOR_CHOOSE_H

#include "trammel/options.h"

// What bdf tests of the tolerances where auto has chosen it: so its error is about that of the
// tolerance, as that of the other methods of auto is.
#define TRMI_BDF_OF_AUTO 0.01

// Why integrator = auto is bdf with these options, NULL: it changes methods (auto/auto.h).
const char *trmi_reason_for_bdf(const trm_options *options);
// Sets the integrator that auto is where there are to be sensitivities, of a system with n_a
// rolling rows; returns why.
const char *trmi_choose_for_sensitivities(trm_options *options, int n_a);

#endif
