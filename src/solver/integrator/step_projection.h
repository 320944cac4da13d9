// SPDX-License-Identifier: Apache-2.0
// Projections of steps and of output onto the constraints.
#ifndef TRMI_SOLVER_INTEGRATOR_STEP_PROJECTION_H
#define TRMI_SOLVER_INTEGRATOR_STEP_PROJECTION_H

#include "solver/integrator/corrector/corrector.h"
#include "trammel/simulation.h"

// What index1-projected has besides the corrector.
typedef struct trmi_step_projection {
    trmi_manifold manifold; // with the matrix mass_saddle
    trmi_invariants
        invariants;      // kept by it and by the manifold of the output, where there are some
    double *unprojected; // [q | v] that the corrector found
    double *estimate;    // n_q, error estimate
} trmi_step_projection;

// Whether invariants are kept.
bool trmi_keeps_invariants(const trm_simulation *s);
// Creates what the projections of the formulation need.
trm_status trmi_projected_create(trm_simulation *s);
// Creates s->mass_saddle, a matrix beside that of the step, unless it exists.
trm_status trmi_mass_saddle_create(trm_simulation *s);
// The linear solver of such a matrix.
trm_solver trmi_mass_saddle_solver(const trm_simulation *s);
// Takes the values of the invariants at a start.
trm_status trmi_projected_begin(trm_simulation *s, const trmi_point *start);
// Moves the point that the corrector found onto the constraints, where the formulation does so.
trmi_outcome trmi_project_step(trm_simulation *s);
// Makes a point of the dense output like the points of the formulation: on the constraints, or not.
trm_status trmi_project_output(trm_simulation *s, trmi_saddle *saddle, trmi_point *p,
                               trm_error *error);

#endif
