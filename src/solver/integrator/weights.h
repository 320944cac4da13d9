// SPDX-License-Identifier: Apache-2.0
// The weights 1 / (rtol |y| + atol) of the error test.
#ifndef TRMI_SOLVER_INTEGRATOR_WEIGHTS_H
#define TRMI_SOLVER_INTEGRATOR_WEIGHTS_H

#include "trammel/simulation.h"

// The part of the tolerances of the options that the error test takes.
double trmi_tightening(const trm_simulation *s);
// The weights of the present point.
void trmi_update_weights(trm_simulation *s);
// Sum of (x_i weight_i)^2 over n entries.
double trmi_weighted_square(const double *x, const double *weight, int n);
// Root of the mean of (x_i weight_i)^2 over n entries.
double trmi_weighted_norm(const double *x, const double *weight, int n);
// Largest |x_i| weight_i of n entries; NaN counts as 0.
double trmi_weighted_max(const double *x, const double *weight, int n);

#endif
