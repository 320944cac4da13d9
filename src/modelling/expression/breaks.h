// SPDX-License-Identifier: Apache-2.0
// The times at which formulas of t alone jump or have a kink: `if(t > 5, ..)`, abs(t - 1),
// mod(t, 2), where one of their operations goes over to another branch. Found by interval
// arithmetic: a stretch of time on which every branch is decided has no break, others are halved.
// No break is missed, however short the stretch between two of them.
#ifndef TRMI_MODELLING_EXPRESSION_BREAKS_H
#define TRMI_MODELLING_EXPRESSION_BREAKS_H

#include "base/memory.h"
#include "modelling/expression/interval.h"
#include "modelling/expression/tape.h"

typedef struct trmi_breaks trmi_breaks;

// What a search keeps of one operation.
typedef struct trmi_break_work {
    trmi_interval value;
    double branch; // on the stretch evaluated last
    double before; // at the time before
} trmi_break_work;

// Those of the outputs of a tape. Input `t` is the time; inputs from `parameter` on have values
// that are constant between breaks; inputs before that have a `formula` (NULL: none) unless it is
// TRMI_NO_NODE. What depends on any other input has no breaks here. Lies in `memory` and never
// changes. False: no memory. *out is NULL where no formula has a break.
bool trmi_breaks_create(trmi_memory *memory, trmi_graph *graph, const trmi_tape_output *output,
                        int outputs, const trmi_node *formula, int t, int parameter,
                        const trmi_breaks **out);

// The number of entries of `work`; 0 for NULL.
int trmi_breaks_work(const trmi_breaks *breaks);

// The first time after t and up to t_end at which a formula is on another branch than just before;
// INFINITY: none, as for NULL. parameter: values of the inputs from `parameter` on. The search ends
// without a result, INFINITY, where branches cannot be decided even on stretches of single numbers.
double trmi_breaks_next(const trmi_breaks *breaks, const double *parameter, double t, double t_end,
                        trmi_break_work *work);

#endif
