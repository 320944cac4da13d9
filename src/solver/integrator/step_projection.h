// SPDX-License-Identifier: Apache-2.0
// Projections of steps and of output onto the constraints.
#ifndef TRMI_SOLVER_INTEGRATOR_STEP_PROJECTION_H
#define TRMI_SOLVER_INTEGRATOR_STEP_PROJECTION_H

#include "solver/integrator/corrector/corrector.h"
#include "trammel/simulation.h"

// Whether invariants are projected; what the formulation needs; I_0; the new point
// onto the constraints, where that follows
bool trmi_keeps_invariants(const trm_simulation *s);
trm_status trmi_projected_create(trm_simulation *s);
// a matrix beside that of the step, and the solver for such ones
trm_status trmi_mass_saddle_create(trm_simulation *s);
trm_solver trmi_mass_saddle_solver(const trm_simulation *s);
trm_status trmi_projected_begin(trm_simulation *s, const trmi_point *start);
trmi_outcome trmi_project_step(trm_simulation *s);
// a point of the dense output as the formulation has its points: on the constraints, or not
trm_status trmi_project_output(trm_simulation *s, trmi_saddle *saddle, trmi_point *p,
                               trm_error *error);

#endif
