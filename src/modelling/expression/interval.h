// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic: what values an operation can have while its operands vary.
#ifndef TRMI_MODELLING_EXPRESSION_INTERVAL_H
#define TRMI_MODELLING_EXPRESSION_INTERVAL_H

#include "modelling/expression/graph.h"

typedef struct trmi_interval {
    double low, high; // -inf and inf where nothing is known
} trmi_interval;

static inline bool trmi_interval_is_point(trmi_interval x)
{
    return x.low == x.high;
}

// An interval that contains all values of an operation (not CONSTANT, INPUT) with operands from
// x[0], x[1], x[2]. With points as operands the point that trmi_operation_value gives. Roundoff of
// the bounds is not added.
trmi_interval trmi_interval_apply(trmi_operation operation, const trmi_interval x[3]);

// Which of its smooth branches an operation takes.
enum { TRMI_BRANCH_OPEN = -1, TRMI_BRANCH_NONE = 0 };

// The number of the branch of abs, sign, min, max, mod, floor, ceil, step and comparisons for
// operands from x: a number of its own for each branch, TRMI_BRANCH_OPEN where the operands lead to
// several; TRMI_BRANCH_NONE for operations that have one branch.
double trmi_interval_branch(trmi_operation operation, const trmi_interval x[3]);

#endif
