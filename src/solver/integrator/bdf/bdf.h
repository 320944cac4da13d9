// SPDX-License-Identifier: Apache-2.0
// BDF with variable step and fixed leading coefficient.
#ifndef TRMI_SOLVER_INTEGRATOR_BDF_BDF_H
#define TRMI_SOLVER_INTEGRATOR_BDF_BDF_H

#include "solver/integrator/corrector/corrector.h"
#include "trammel/simulation.h"

// The coefficients of one attempt: order k, step h, at t + h.
typedef struct trmi_coefficients {
    double cj;
    double alpha[10]; // alpha_i = h / psi_i, i = 1 .. k + 1
    double sigma[10]; // sigma_0 .. sigma_k
    double ck;        // error constant
} trmi_coefficients;

typedef struct trmi_step_errors {
    double error;      // of the error test: at most 1 passes
    int order;         // for the next step or attempt
    double estimate;   // error estimate that goes with that order
    double now, below; // order-weighted errors at k and k - 1
} trmi_step_errors;

// First step, order and history of a start.
trm_status trmi_bdf_begin(trm_simulation *s, double t_end);
// One accepted step, at most to t_end.
trm_status trmi_bdf_step(trm_simulation *s, double t_end);
void trmi_bdf_coefficients(const trm_simulation *s, double h, int k, trmi_coefficients *c);
// The two points BDF of order one starts from.
void trmi_start_history(trm_simulation *s);

// norm.c: sum over the tested components of (weight (y - p_k))^2, divided by their number, square
// root.
double trmi_test_norm(trm_simulation *s, int k, double t);
// dense.c: the polynomial of BDF at t.
void trmi_bdf_dense(trm_simulation *s, double t, trmi_point *p);

// control.c

void trmi_start_control(trm_simulation *s, double t_end);
trmi_step_errors trmi_estimate_errors(trm_simulation *s, double h, int k,
                                      const trmi_coefficients *c);
// Step and order for the next attempt after a failed error test.
void trmi_after_error_failure(trm_simulation *s, const trmi_step_errors *errors);
// Step and order for the next step.
void trmi_after_acceptance(trm_simulation *s, trmi_step_errors errors, double h, int k);
// Step for the next attempt after a failed corrector.
void trmi_after_newton_failure(trm_simulation *s, trmi_outcome reason);
// Whether the last matrix was close to losing rank.
bool trmi_near_singular(const trm_simulation *s);

// fixed.c: memory for the first points of a constant-step run.
bool trmi_fixed_create(trm_simulation *s);
// fixed.c: computation of the first points of a constant-step run.
trm_status trmi_fixed_start(trm_simulation *s, double t_end);

#endif
