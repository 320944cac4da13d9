// SPDX-License-Identifier: Apache-2.0
// Steps that a sample contradicts, and how they are repeated.
#ifndef TRMI_SOLVER_INTEGRATOR_REPEAT_H
#define TRMI_SOLVER_INTEGRATOR_REPEAT_H

#include "base/archive.h"
#include "base/memory.h"
#include "trammel/simulation.h"

// A copy of a simulation's state.
typedef struct trmi_kept_state {
    trmi_memory memory;
    unsigned char *bytes; // NULL: none yet
    size_t size, capacity;
} trmi_kept_state;

// The repetition of a step ends where the sample was taken: there the method evaluates the
// equations itself, and its error test decides whether the step had passed over something.
typedef struct trmi_repetition {
    trmi_kept_state before, after; // the step
    int age;                       // steps since `before` was kept
    long steps;                    // of the run then,
    double begin;                  // and its time
    trm_status last;               // what the last step returned
    double t;                      // where a repetition ends; NaN: none is under way
    double t_summed;               // of the last sample that counts in
    double *sum;      // the integral of trmi_sample_defects since the beginning of the step
    double *harmless; // twice the largest of steps that had passed over nothing, in tolerances
    double *sample;   // [q | v | x] of the sample that contradicts
} trmi_repetition;

// False: no memory.
bool trmi_repetition_create(trm_simulation *s);
void trmi_repetition_destroy(trm_simulation *s);
// t_end, or the end of the repetition before it.
double trmi_repetition_limit(const trm_simulation *s, double t_end);
// After a step that returned status.
void trmi_repetition_update(trm_simulation *s, trm_status status);
void trmi_repetition_archive(trm_simulation *s, trmi_archive *a);

#endif
