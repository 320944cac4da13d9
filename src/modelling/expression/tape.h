// SPDX-License-Identifier: Apache-2.0
// A set of formulas compiled to a flat list of instructions that runs without allocation.
//
// Every output belongs to a group (0 .. 63), and a run computes the groups that are wanted. An
// instruction carries the set of groups that need it; what feeds an instruction is needed by at
// least the same groups, so sorting by the size of that set (largest first, then by set) keeps the
// order of dependence and leaves a few segments, each run or skipped as a whole.
//
// Inputs from `slow` on change rarely (parameters): what depends on them and on constants alone is
// computed by trmi_tape_prepare and not in the run.
#ifndef TRMI_MODELLING_EXPRESSION_TAPE_H
#define TRMI_MODELLING_EXPRESSION_TAPE_H

#include "base/memory.h"
#include "modelling/expression/graph.h"

#include <stdint.h>

// What is to be computed: nodes with their groups.
typedef struct trmi_tape_output {
    trmi_node node;
    int group;
} trmi_tape_output;

typedef struct trmi_tape trmi_tape;

// `inputs` numbers of inputs, the slow ones from `slow` on. NULL when there is no memory. The tape
// and all it needs lie in `memory` and never change: many threads may run it.
const trmi_tape *trmi_tape_create(trmi_memory *memory, const trmi_graph *graph,
                                  const trmi_tape_output *output, int outputs, int inputs,
                                  int slow);

// Number of registers a run needs; registers 0 .. inputs-1 are the inputs, set by the caller.
int trmi_tape_registers(const trmi_tape *tape);
// Number of instructions of a run of these groups, for reports.
int trmi_tape_length(const trmi_tape *tape, uint64_t groups);

// Sets constants and computes what depends on slow inputs alone: once after creation of the
// registers and whenever a slow input changed.
void trmi_tape_prepare(const trmi_tape *tape, double *reg);

// Computes the groups whose bits are set.
void trmi_tape_run(const trmi_tape *tape, double *restrict reg, uint64_t groups);

// The outputs of a group, in the order in which they were given, after a run.
int trmi_tape_group_size(const trmi_tape *tape, int group);
void trmi_tape_fetch(const trmi_tape *tape, const double *reg, int group, double *out);

// After a run: why this output is not finite. False: it is, or an input is not.
bool trmi_tape_blame(const trmi_tape *tape, const double *reg, int group, int index,
                     trmi_tape_fault *fault);

#endif
