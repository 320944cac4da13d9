// SPDX-License-Identifier: Apache-2.0
// Consistent states inside the last step that leave no trace.
#ifndef TRMI_SOLVER_INTEGRATOR_SAMPLE_H
#define TRMI_SOLVER_INTEGRATOR_SAMPLE_H

#include "solver/formulation/saddle.h"
#include "trammel/simulation.h"

// Values, a matrix and a point of its own, for states inside the last step that leave no trace.
typedef struct trmi_sampler {
    trmi_memory memory;
    trmi_values values;
    trm_statistics uncounted; // the work of samples, which no counter of the simulation shows
    trmi_saddle saddle;
    trmi_point point;
    double *lambda; // n_r_full
    double *stages; // of a step to a point inside the last one, taken when first needed
    double *rate;   // [v' | x'] of the polynomial; see trmi_sample_defects
    bool raw;       // dense output is the polynomial, also where it contradicts the forces
    trm_state view; // what trm_simulation_sample gives
} trmi_sampler;

// Creates the sampler, if there is none yet.
trm_status trmi_sampler_create(trm_simulation *s);
void trmi_sampler_destroy(trm_simulation *s);
// p becomes the consistent point at t, a = NaN where there is none; full (may be NULL): multipliers
// of all rows. Changes nothing but p, full and the sampler.
void trmi_sample_point(trm_simulation *s, double t, bool present, trmi_point *p, double *full);

// The sampler without anything of the last sample: pivots, excitations.
trmi_sampler *trmi_sampler_reset(trm_simulation *s);

// The point of the sampler, p with the accelerations and multipliers that belong to its positions
// and velocities, with the held values as they are. NULL: there are none.
const trmi_point *trmi_sample_solved(trm_simulation *s, const trmi_point *p);

// [v' | x'] at the point of the sampler, which gets the accelerations and multipliers there, with
// the held values as they are. False: there are none.
bool trmi_sample_rates(trm_simulation *s, double *rate);

// By how much the equations contradict the polynomial at the sample, y' - f: of velocities along
// the constraints, of states, of velocities across the constraints. NULL where there is no sample
// inside the last step. Borrowed until the next call.
const double *trmi_sample_defects(trm_simulation *s);

#endif
