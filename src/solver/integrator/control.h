// SPDX-License-Identifier: Apache-2.0
// Step and order: what one attempt leaves for the next.
#ifndef TRMI_SOLVER_INTEGRATOR_CONTROL_H
#define TRMI_SOLVER_INTEGRATOR_CONTROL_H

#include "solver/integrator/method.h"

typedef struct trmi_control {
    double h;              // step to try next
    int k;                 // order to try next
    int k_last;            // order of the last accepted step, 0 at the start
    double h_last;         // length of the last accepted step
    double error_rejected; // error of the last attempt that failed the test
    double h_typical;      // decaying maximum of accepted steps
    long since_order;      // steps since the order changed (classic: constant steps in a row)
    long bent;             // steps of the run when the past was bent at a break, 0: never
    bool starting;         // order and step are raised with every step
    bool given;            // the first step was given by the options
    int newton_failures;   // attempts in a row that found no point
    int error_failures;    // attempts in a row whose error was too large
    int singular_failures; // attempts in a row whose matrix was singular
    bool started;          // there is a first step
} trmi_control;

// The accuracy that the error test and the order control aim at: that of the options, except in the
// start of constant steps.
typedef struct trmi_accuracy {
    double rtol, atol;
    int max_order;
    double tightening; // of the tolerances in the error test, beside that of the method
} trmi_accuracy;

// A first step is at most this part of the range of a run.
#define TRMI_FIRST_STEP 1e-3

// The first step of order one from the current point.
void trmi_start_control(trm_simulation *s, double t_end);
// A first step within the limits of the options that changes the time.
double trmi_limit_first_step(const trm_simulation *s, double h);
// The step after a failed corrector (method.h, adapt_to_failure): longer ones close to a position
// where constraints lose rank, otherwise shorter.
void trmi_adapt_to_failure(trm_simulation *s, const trmi_step_trial *trial, trmi_outcome reason);
// The next step of a multistep method, whose error would allow h times growth: at most twice as
// long, and the same while it need not be shorter and could not be longer by `worth`. So the
// coefficients, and the matrix, can be kept.
double trmi_change_step(double h, double growth, double worth);
// Whether the last matrix was close to losing rank.
bool trmi_near_singular(const trm_simulation *s);

#endif
