// SPDX-License-Identifier: Apache-2.0
// Derivatives by differences with as few evaluations as their patterns allow. Columns of declared
// patterns are grouped once. Patterns that are not declared are, on request, estimated from dense
// differences at three perturbed states,
//
//     (i, r) belongs to it if |J_ir| s_r > 1e-9 max_k |J_ik| s_k         s: typical sizes
//
// and widened by one more, where a step failed to converge with a matrix formed in that very
// attempt. A missing entry makes Newton slow, never the result wrong: the terms of the equations
// themselves (G, and b where g depends on z) are not estimated.
#ifndef TRMI_SOLVER_SYSTEM_PATTERNS_H
#define TRMI_SOLVER_SYSTEM_PATTERNS_H

#include "solver/system/evaluator.h"
#include "solver/system/groups.h"

// Derivatives that share their evaluations.
typedef struct trmi_sweep {
    uint64_t quantities;
    uint64_t estimated; // those whose pattern is
    trmi_groups coloring;
    trmi_column_groups groups;
    int *start, *column;               // of the groups
    int *pattern_row, *pattern_column; // of all quantities together
} trmi_sweep;

typedef struct trmi_patterns {
    trmi_evaluator *e;
    const trmi_values *values; // as those of these the evaluations are counted
    int count;                 // sweeps
    trmi_sweep *sweep;
    uint64_t estimated;                          // quantities of all sweeps
    unsigned char *included[TRM_QUANTITY_COUNT]; // estimated patterns: entries that belong to them
    double *dense[TRM_QUANTITY_COUNT];           // their values in a dense evaluation
    double *row_size;                            // scratch
    trmi_point probe;
} trmi_patterns;

// Groups the columns of the declared patterns; estimate: and prepares the estimation of the others.
// To be called when redundant rows have been dropped. False when there is no memory.
bool trmi_patterns_create(trmi_patterns *p, trmi_memory *memory, trmi_evaluator *e,
                          const trmi_values *values, bool estimate);

// Numbers of groups and entries in the statistics, of what belongs to the matrix alone.
void trmi_patterns_count(const trmi_patterns *p);

// Estimates patterns at three states around the point, or (exactly) at the point alone, where a
// symmetric state may hide entries. Where callbacks fail there the derivatives stay dense.
void trmi_patterns_estimate(trmi_patterns *p, const trmi_point *point, bool exactly);

// Adds what a dense evaluation at the point shows; true when there was something new.
bool trmi_patterns_widen(trmi_patterns *p, const trmi_point *point);

// The estimated patterns.
void trmi_patterns_archive(trmi_patterns *p, trmi_archive *archive);

// Differences this small beside the largest one of their row are roundoff.
extern const double trmi_pattern_noise;

enum { TRMI_PERTURBED_STATES = 3 }; // at which patterns and dependences are probed
// to = from, moved by up to a thousandth of the typical sizes (or of the values, where those are
// larger), at the same time. The seed, 1 at first, goes on; the states are the same in every run.
void trmi_perturb_point(const trmi_evaluator *e, const trmi_point *from, trmi_point *to,
                        uint64_t *seed);

#endif
