// SPDX-License-Identifier: Apache-2.0
// Modes from inside: the state made ready, and the two ways to its eigenvalues.
#ifndef TRMI_SOLVER_ANALYSIS_MODES_H
#define TRMI_SOLVER_ANALYSIS_MODES_H

#include "solver/analysis/linearisation.h"
#include "solver/formulation/start.h"
#include "trammel/modes.h"

struct trm_modes {
    trmi_memory memory; // owns the modes too
    trm_options options;
    trm_statistics statistics;
    trm_start_report start;
    trmi_evaluator e;
    trmi_values values;
    trmi_saddle saddle;
    trmi_scratch scratch;
    trmi_projection projection;
    trmi_point point;
    trm_modes_report report;
    int wanted;   // 0: all
    double omega; // near which, 0: the lowest
    int count, capacity;
    trm_mode *mode;
};

// A new mode at the end; shape and imaginary (may be NULL) point to n_q + n_x numbers.
void trmi_modes_add(trm_modes *m, double growth, double omega, double uncertainty,
                    const double *shape, const double *imaginary);

// All of them: eigenvalues of the dense matrix F_y.
trm_status trmi_modes_dense(trm_modes *m, trm_error *error);

// The lowest ones of an undamped system at rest, with sparse matrices (subspace.h).
trm_status trmi_modes_lowest(trm_modes *m, int count, trm_error *error);
// Whether it is one; otherwise why not.
bool trmi_modes_undamped(trm_modes *m, const char **why);

// Those next to s = i omega of a system in equilibrium, or next to 0, with sparse matrices
// (nearest_modes.c).
trm_status trmi_modes_nearest(trm_modes *m, int count, double omega, trm_error *error);
// Whether it is in one and has constraints that stand still; otherwise why not.
bool trmi_modes_in_equilibrium(trm_modes *m, const char **why);

// Room for the shapes of that many; false: no memory.
bool trmi_modes_create_list(trm_modes *m, int capacity);

#endif
