// SPDX-License-Identifier: Apache-2.0
// A page about a study: what its parameters do to what it records.
#ifndef TRMI_PROGRAM_STUDY_STUDY_REPORT_H
#define TRMI_PROGRAM_STUDY_STUDY_REPORT_H

#include "program/study/plan.h"
#include "program/study/study_data.h"

#include <stdio.h>

// How much of the variance of y is that of its mean at given x: Var(E(y | x))/Var(y), Sobol's index
// of first order, from groups of points of nearly equal x; points with a NaN are left out. NaN: too
// few. mean: of the groups, x and y in turn, for TRMI_MAX_GROUPS of them; NULL: not needed.
double trmi_first_order_index(const double *x, const double *y, int64_t count, double *mean,
                              int *groups);
enum { TRMI_MAX_GROUPS = 64 };

// Writes the page; ferror(out) reports failures. False: no memory.
bool trmi_study_report(FILE *out, const trmi_plan *plan, const trmi_study_data *data);

#endif
