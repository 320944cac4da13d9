// SPDX-License-Identifier: Apache-2.0
// A system some of whose coordinates are held, at their place or at a constant speed: the same
// system with the further constraints
//
//     q_i - q_i(0) - v_i(0) (t - t_0) = 0          after g, before the rolling rows
//
// whose multipliers are minus the forces that hold them. Every search then knows held coordinates.
#ifndef TRMI_SOLVER_ANALYSIS_HOLD_H
#define TRMI_SOLVER_ANALYSIS_HOLD_H

#include "base/memory.h"
#include "trammel/system.h"

typedef struct trmi_hold {
    trm_system given, held; // as the user has it, and with the rows
    int count;
    const int *coordinate; // count
    const double *q, *v;   // count: where they begin, and their speeds
    double t;              // when
    double *lambda;        // n_g + n_a: multipliers without those of the held rows
    trmi_memory memory;    // owns all of it, and itself
} trmi_hold;

// Creates the held system. `coordinate` and what the given system points to are borrowed. NULL: no
// memory.
trmi_hold *trmi_hold_create(const trm_allocator *allocator, const trm_system *given,
                            const trm_initial *at, const int *coordinate, int count);

// Frees it. NULL is allowed.
void trmi_hold_destroy(trmi_hold *h);

// Takes the multipliers of the held rows out of those of all rows: `lambda` then has those of the
// given system, and `force`, one for each held coordinate, what holds it.
void trmi_hold_split(const trmi_hold *h, double *lambda, double *force);

#endif
