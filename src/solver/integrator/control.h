// SPDX-License-Identifier: Apache-2.0
// Step and order: what one attempt leaves for the next.
#ifndef TRMI_SOLVER_INTEGRATOR_CONTROL_H
#define TRMI_SOLVER_INTEGRATOR_CONTROL_H

#include "base/memory.h"

typedef struct trmi_control {
    double h;         // step to try next
    int k;            // order to try next
    int k_last;       // order of the last accepted step, 0 at the start
    double h_last;    // its length
    double h_typical; // decaying maximum of accepted steps
    int since_order;  // steps since the order changed (classic: constant steps in a row)
    bool starting;    // order and step are raised with every step
    int newton_failures, error_failures, singular_failures; // in a row
    bool started;
} trmi_control;

#endif
