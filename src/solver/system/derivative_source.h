// SPDX-License-Identifier: Apache-2.0
// Where derivatives come from.
#ifndef TRMI_SOLVER_SYSTEM_DERIVATIVE_SOURCE_H
#define TRMI_SOLVER_SYSTEM_DERIVATIVE_SOURCE_H

#include "solver/system/evaluator.h"
#include "trammel/options.h"

// The system as the option jacobian_source wants to see it: for differences without the derivatives
// that stand in the matrix alone. Those of the constraints stand in the equations and stay exact.
trm_system trmi_source_system(const trm_system *system, trm_jacobian_source source);

// jacobian_source = analytic: an error names what is needed and not supplied.
trm_status trmi_source_check(const trmi_evaluator *e, trm_jacobian_source source, uint64_t needed,
                             trm_error *error);

#endif
