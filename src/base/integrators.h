// SPDX-License-Identifier: Apache-2.0
// Which options go with an integrator, for readers of options as well as for the solver, whose own
// table of methods is solver/integrator/method.h.
#ifndef TRMI_BASE_INTEGRATORS_H
#define TRMI_BASE_INTEGRATORS_H

#include "trammel/options.h"

#include <stdbool.h>

// The one of high order, whose error is close to its tolerance on every kind of machine: companions
// and runs that must reach an accuracy have it.
trm_integrator trmi_integrator_accurate(void);

// Whether the other options go with options->integrator: TRM_OK, or a report.
trm_status trmi_integrator_check(const trm_options *options, trm_error *error);

// Whether the other options go with another integrator.
bool trmi_integrator_admits(trm_integrator integrator, const trm_options *options);

// Whether an option is a parameter of some integrators, and this is none of them.
bool trmi_integrator_lacks(trm_integrator integrator, const char *option);

// Whether all its steps are implicit: what grows within less than a step, they damp.
bool trmi_integrator_damps_growth(trm_integrator integrator);

// Whether it asks a system for v' at given positions and velocities alone, never for derivatives.
bool trmi_integrator_asks_rates_only(trm_integrator integrator);

#endif
