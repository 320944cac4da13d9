// SPDX-License-Identifier: Apache-2.0
// Sensitivities over a step of BDF: what its two solutions share.
#ifndef TRMI_SOLVER_INTEGRATOR_BDF_BDF_SENSITIVITY_H
#define TRMI_SOLVER_INTEGRATOR_BDF_BDF_SENSITIVITY_H

#include "solver/integrator/sensitivity/sensitivity.h"

// One parameter over a step.
typedef struct trmi_bdf_along {
    double cj;
    const double *bq, *bv, *bx; // offsets of s' = cj s + offset
    double *q, *v, *x, *z;      // the new point
    double *lambda;             // n_r + 1: its multipliers
} trmi_bdf_along;

// Scratch of all parameters; the multipliers of the past points are those of sensitivity->past.
typedef struct trmi_bdf_sensitivity {
    double *value; // count * size: predicted
    double *lambda,
        *rest; // count * (n_r_full + 1): predicted, and what the predictor gives besides
    double *a; // n_q
    trmi_parameter_terms total; // of one parameter, along its sensitivities
} trmi_bdf_sensitivity;

// ---- bdf_sensitivity_step.c: with the matrix that the step itself has used ----

// Whether it may serve at all.
bool trmi_bdf_step_may_serve(const trm_simulation *s);
// Whether it serves for a parameter with this prediction.
bool trmi_bdf_step_serves(const trm_simulation *s, int parameter, const trmi_point *p,
                          const trmi_bdf_along *y);
// The solution from the prediction on. values: derivatives at the new point, for parameters with
// exact terms; otherwise NULL, and the step had corrector.velocity_q. False: it does not converge,
// and the prediction is lost.
bool trmi_bdf_solve_with_step(trm_simulation *s, int parameter, const trmi_point *p,
                              const trmi_values *values, const trmi_bdf_along *y);

#endif
