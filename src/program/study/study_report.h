// SPDX-License-Identifier: Apache-2.0
// A page about a study: what its parameters do to what it records.
#ifndef TRMI_PROGRAM_STUDY_STUDY_REPORT_H
#define TRMI_PROGRAM_STUDY_STUDY_REPORT_H

#include "program/plot/plot.h"
#include "program/study/study_data.h"

#include <stdio.h>

// How much of the variance of y is that of its mean at given x: Var(E(y | x))/Var(y), Sobol's index
// of first order, from groups of points of nearly equal x; points with a NaN are left out. NaN: too
// few. mean: of the groups, x and y in turn, for TRMI_MAX_GROUPS of them; NULL: not needed.
double trmi_first_order_index(const double *x, const double *y, int64_t count, double *mean,
                              int *groups);
enum { TRMI_MAX_GROUPS = 64 };

// study_envelopes.c: what all runs have at a time ---------------------------------------------

enum {
    TRMI_ENVELOPE_LARGEST,
    TRMI_ENVELOPE_HIGH, // 95 % of the runs have less
    TRMI_ENVELOPE_MEAN,
    TRMI_ENVELOPE_LOW, // 5 % of the runs have less
    TRMI_ENVELOPE_SMALLEST,
    TRMI_ENVELOPES
};
// Of the finite ones of `count` values, which are sorted on the way; NaN: there is none.
void trmi_envelope_at(double *value, int64_t count, double out[TRMI_ENVELOPES]);
// A plot of a whole channel, in that memory; without panels: no run has a value. False: no memory.
bool trmi_study_envelopes(trmi_memory *memory, const trmi_plan *plan, const trmi_study_data *data,
                          const trmi_study_column *column, trmi_plot *out);

// Writes the page; ferror(out) reports failures. False: no memory.
bool trmi_study_report(FILE *out, const trmi_plan *plan, const trmi_study_data *data);

#endif
