// SPDX-License-Identifier: Apache-2.0
// What the two halves of the saddle matrix share: saddle_create.c makes its structure and solvers,
// saddle.c its numbers.
#ifndef TRMI_SOLVER_FORMULATION_SADDLE_TERMS_H
#define TRMI_SOLVER_FORMULATION_SADDLE_TERMS_H

#include "solver/formulation/saddle.h"

// coefficients of the terms, functions of cv and ca
enum {
    ONE,
    MASS_C,
    DAMPING_C,
    STIFFNESS_C,
    FORCE_C,
    RATE_C,
    RATE_V_C,
    RATE_L_C,
    ALG_C,
    ALG_V_C,
    ALG_L_C,
    ALG_Z_C,
    FORCE_L_C,
    METRIC_C,
    COEFFICIENTS
};

// The power of cj = cv = ca that goes with a coefficient in the matrix of a step, TRMI_NO_POWER
// where it is not part of that.
enum { TRMI_NO_POWER = 3 };
int trmi_saddle_power(int coefficient);

// Collects the structure and creates a solver for it, with its scatters; false: no memory.
bool trmi_saddle_create_solver(trmi_saddle *s, trm_solver choice, trmi_solver **solver,
                               trmi_scatter *list, int *count);

#endif
