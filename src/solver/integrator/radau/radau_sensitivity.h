// SPDX-License-Identifier: Apache-2.0
// Sensitivities of the stages of a step of Radau.
#ifndef TRMI_SOLVER_INTEGRATOR_RADAU_RADAU_SENSITIVITY_H
#define TRMI_SOLVER_INTEGRATOR_RADAU_RADAU_SENSITIVITY_H

#include "solver/integrator/radau/radau.h"
#include "solver/integrator/sensitivity/sensitivity.h"

// One parameter in one stage.
typedef struct trmi_sensitive_stage {
    trmi_values values;         // derivatives by the state
    trmi_parameter_terms terms; // by the parameter
    double *q, *v, *x, *z;      // S, U, X, Z, one after the other
    double *way;                // n_q: S - s_n, which keeps its digits in short steps
    double *slope, *a, *rate;   // S', U', X'
    double *y;                  // n_q: U - S'
    double *lambda;             // n_r + 1
    double *step;               // of (S, X, Z, lambda): the correction of this iteration,
    double *step_before;        // that of the one before,
    double *change;             // and what that one has added
} trmi_sensitive_stage;

typedef struct trmi_radau_sensitivity {
    trmi_sensitive_stage stage[TRMI_MAX_STAGES];
    double *node[TRMI_MAX_STAGES + 1]; // count * size: at the nodes of the last step
    const trmi_radau_tableau *node_of; // NULL: there is none yet
    double node_t, node_h;             // its beginning and length
    double *next[TRMI_MAX_STAGES + 1]; // the same of the present step
    double *rows, *work;               // n_r + 1, a right-hand side
} trmi_radau_sensitivity;

static inline trmi_radau_sensitivity *trmi_radau_sensitivity_of(const trm_simulation *s)
{
    return s->sensitivity->state;
}

// ---- sensitive_stages.c ----

// Positions of all stages onto the constraints, in a step that begins with the sensitivities y.
void trmi_radau_place_sensitivities(trm_simulation *s, const double *y);
// Their velocities on the constraints, in a step of length h.
void trmi_radau_move_sensitivities(trm_simulation *s, double h);
// Sizes of what an iteration has found, the largest of all stages.
typedef struct trmi_sensitive_size {
    double correction; // of the iteration,
    double left;       // without the part that the corrections before account for,
    double value;      // and of the values themselves
} trmi_sensitive_size;

// One iteration over all stages; first: there is none before it.
trmi_sensitive_size trmi_radau_iterate_sensitivities(trm_simulation *s, double h, const double *y,
                                                     bool first);

#endif
