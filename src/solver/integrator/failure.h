// SPDX-License-Identifier: Apache-2.0
// Reports of failed steps.
#ifndef TRMI_SOLVER_INTEGRATOR_FAILURE_H
#define TRMI_SOLVER_INTEGRATOR_FAILURE_H

#include "solver/integrator/corrector/corrector.h"
#include "trammel/simulation.h"

// The end of all attempts by the reason of the corrector, as a full report.
trm_status trmi_give_up(trm_simulation *s, trmi_outcome reason, double h);
// The end of all attempts by the error test, as a full report.
trm_status trmi_give_up_error_test(trm_simulation *s, double h);
// The end of all attempts because a step of this length ends where it begins, as a full report.
trm_status trmi_give_up_time(trm_simulation *s, double h);

// The end of all attempts because positions that drift hide where the motion goes on (branch.h), as
// a full report.
trm_status trmi_give_up_drift(trm_simulation *s, double h);

#endif
