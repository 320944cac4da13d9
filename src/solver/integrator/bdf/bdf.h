// SPDX-License-Identifier: Apache-2.0
// BDF with variable step and fixed leading coefficient.
#ifndef TRMI_SOLVER_INTEGRATOR_BDF_BDF_H
#define TRMI_SOLVER_INTEGRATOR_BDF_BDF_H

#include "solver/integrator/simulation.h"

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
    double positions;  // norm of the positions (trmi_test_norm); NaN: not needed so far
} trmi_step_errors;

// The state of BDF.
typedef struct trmi_bdf {
    trmi_coefficients coefficients; // of the last attempt
    trmi_predictor predictor;       // of the last attempt
    trmi_step_errors errors;        // of the last attempt
    double *grid[7];                // constant steps: the first points
    double grid_t[7];               // and their times
} trmi_bdf;

static inline trmi_bdf *trmi_bdf_of(const trm_simulation *s)
{
    return s->state;
}

extern const trmi_method trmi_method_bdf;

// Its functions that others have too, see method.h.
bool trmi_bdf_create(trm_simulation *s);
void trmi_bdf_history(const trm_simulation *s, int *points, int *multipliers);
trmi_outcome trmi_bdf_attempt(trm_simulation *s, trmi_step_trial *trial);
bool trmi_bdf_misplaced(trm_simulation *s, trmi_step_trial *trial);
void trmi_bdf_accept(trm_simulation *s, const trmi_step_trial *trial);
// order_control.c
double trmi_bdf_estimate(trm_simulation *s, trmi_step_trial *trial);
void trmi_bdf_adapt_to_error(trm_simulation *s, const trmi_step_trial *trial);
void trmi_bdf_plan(trm_simulation *s, const trmi_step_trial *trial);
// Whether order and step are still raised with every step, as they are then.
bool trmi_bdf_starts(trm_simulation *s, const trmi_step_trial *trial);
// The factor for the next step if the error behaves like h^(order + 1).
double trmi_bdf_step_factor(double estimate, int order);
// Whether another order than k is better, by the estimate at k + 1: into e.
void trmi_bdf_consider_raising(trm_simulation *s, trmi_step_errors *e, double t, int k);

// dense.c
void trmi_bdf_dense(trm_simulation *s, double t, trmi_point *p);
void trmi_bdf_sensitivities_at(trm_simulation *s, double t, double *out);

// bdf_sensitivity.c
bool trmi_bdf_sensitivities_create(trm_simulation *s);
trm_status trmi_bdf_sensitivities(trm_simulation *s, const trmi_step_trial *trial);

// The two points BDF of order one starts from; bend: the part of h^2 a in the positions of the one
// that is made up.
void trmi_start_history(trm_simulation *s, double bend);

// norm.c: sum over the tested components of (weight (y - p_k))^2, divided by their number, square
// root. *positions: norm of the positions, the same for all orders of an attempt; NaN: not known.
double trmi_test_norm(trm_simulation *s, int k, double t, double *positions);

// Whether the roundoff in the velocities of the first step exceeds the tolerance of the error test:
// the motion would keep it.
bool trmi_bdf_begins_badly(trm_simulation *s);

// Whether the test covers independent coordinates, where there are some.
bool trmi_tests_independent(trm_error_test test);

// fixed.c: memory for the first points of a constant-step run.
bool trmi_fixed_create(trm_simulation *s);

#endif
