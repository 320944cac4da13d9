// SPDX-License-Identifier: Apache-2.0
// Comparison of a supplied derivative with differences. Of a matrix with a declared pattern the
// entries of the pattern are compared, columns that share no row moved together, and one direction
// in which an entry outside of it would show: the time is that of a few evaluations, whatever the
// size. Where the direction disagrees, and for matrices without a pattern, all entries of the
// rectangle are compared, column by column.
#ifndef TRMI_SOLVER_SYSTEM_CHECK_PATTERN_H
#define TRMI_SOLVER_SYSTEM_CHECK_PATTERN_H

#include "solver/system/difference.h"

// relative error that is not a disagreement at the usual tolerance of 1e-6
#define TRMI_UNSEEN 1e-6

typedef struct trmi_comparison {
    double *supplied, *difference;
    int rows, columns, count;
    const trm_pattern *pattern; // of the entries; NULL: all of them, column by column
    double noise;               // what roundoff makes of an entry of either
    double *doubt;              // how sure each difference is; NULL: not known
} trmi_comparison;

// The largest entry, at least 1e-3, so that zeros compare, and so much that roundoff is not seen.
double trmi_check_size(const trmi_comparison *c);
// The values of a quantity as the entries of the comparison; zero where the evaluator takes it for
// zero: a dependence that the probe did not see, or declared zero.
void trmi_check_spread(const trmi_comparison *c, const trmi_values *values, trm_quantity quantity,
                       double *entries);
// Columns of the quantity that share no row are moved together. False: no memory.
bool trmi_check_group(trmi_evaluator *bare, trm_quantity quantity, trmi_memory *memory);
// All columns at once, by increments of different size and sign: the change of each row must be
// what the differences of the pattern make of it. The disagreement relative to the largest entry,
// or infinity. The groups and scales of the evaluator are others then.
double trmi_check_outside(trmi_evaluator *bare, const trmi_point *p, trm_quantity quantity,
                          trmi_values *differences, trmi_memory *memory, const trmi_comparison *c);

#endif
