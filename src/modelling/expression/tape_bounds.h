// SPDX-License-Identifier: Apache-2.0
// What values a tape has while its inputs vary: its instructions in interval arithmetic.
#ifndef TRMI_MODELLING_EXPRESSION_TAPE_BOUNDS_H
#define TRMI_MODELLING_EXPRESSION_TAPE_BOUNDS_H

#include "modelling/expression/interval.h"
#include "modelling/expression/tape.h"

// `bound` has trmi_tape_registers intervals. Those of inputs, constants and what depends on slow
// inputs become the points that `reg` has, after trmi_tape_prepare and with the inputs of one
// state.
void trmi_tape_bounds_begin(const trmi_tape *tape, const double *reg, trmi_interval *bound);
// Computes the groups whose bits are set.
void trmi_tape_bounds_run(const trmi_tape *tape, trmi_interval *bound, uint64_t groups);
// The bounds of output `index` of a group, after a run.
trmi_interval trmi_tape_bounds_of(const trmi_tape *tape, const trmi_interval *bound, int group,
                                  int index);

#endif
