// SPDX-License-Identifier: Apache-2.0
// Whether the results of a run can be trusted.
#ifndef TRMI_SOLVER_INTEGRATOR_WATCH_TRUST_H
#define TRMI_SOLVER_INTEGRATOR_WATCH_TRUST_H

#include "trammel/simulation.h"

// Samples the energy of the error estimate, before a step is accepted.
void trmi_trust_sample_estimate(trm_simulation *s, double ck, double cj);

#endif
