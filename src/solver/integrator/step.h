// SPDX-License-Identifier: Apache-2.0
// What the steps of all methods share.
#ifndef TRMI_SOLVER_INTEGRATOR_STEP_H
#define TRMI_SOLVER_INTEGRATOR_STEP_H

#include "solver/integrator/corrector/corrector.h"
#include "trammel/simulation.h"

// h, or where times are coarse against it the difference of two times they can represent.
double trmi_step_of_times(double t, double h);
// *h = length of the next step; true: it ends at t_end.
bool trmi_step_length(const trm_simulation *s, double t_end, double *h);
// The smallest step worth trying.
double trmi_smallest_step(const trm_simulation *s, double t_end);
// After an attempt whose corrector failed: TRM_OK to try a shorter step, or the report.
trm_status trmi_newton_failed(trm_simulation *s, trmi_outcome reason, double h, double t_end);
// corrector.point becomes the newest point, at t after a step h of order k.
void trmi_accept_step(trm_simulation *s, double t, double h, int k);

#endif
