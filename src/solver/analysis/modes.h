// SPDX-License-Identifier: Apache-2.0
// Modes of small motions: the state, and three methods for its eigenvalues.
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
    trmi_manifold manifold;
    trmi_point point;
    trm_modes_report report;
    int wanted;   // number of modes requested, 0: all
    double omega; // frequency near which they are computed, 0: the lowest
    int count, capacity;
    trm_mode *mode;
};

// Appends a mode; shape and imaginary (may be NULL) have n_q + n_x numbers.
void trmi_modes_add(trm_modes *m, double growth, double omega, double uncertainty,
                    const double *shape, const double *imaginary);

// Finds all modes: the eigenvalues of the dense matrix F_y.
trm_status trmi_modes_dense(trm_modes *m, trm_error *error);

// Finds the lowest modes of an undamped system at rest, with sparse matrices (subspace.h).
trm_status trmi_modes_lowest(trm_modes *m, int count, trm_error *error);

// Whether the system is undamped and at rest; otherwise *why is the reason.
bool trmi_modes_undamped(trm_modes *m, const char **why);

// Finds the modes closest to s = i omega, or to 0, of a system in equilibrium, with sparse matrices
// (nearest_modes.c).
trm_status trmi_modes_nearest(trm_modes *m, int count, double omega, trm_error *error);

// Whether the system is in equilibrium and its constraints do not move; otherwise *why is the
// reason.
bool trmi_modes_in_equilibrium(trm_modes *m, const char **why);

// Allocates the list of modes with their shapes; false: no memory.
bool trmi_modes_create_list(trm_modes *m, int capacity);

#endif
