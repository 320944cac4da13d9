// SPDX-License-Identifier: Apache-2.0
// A page about a study: what its parameters do to what it records.
#ifndef TRMI_PROGRAM_STUDY_STUDY_REPORT_H
#define TRMI_PROGRAM_STUDY_STUDY_REPORT_H

#include "program/plot/page.h"
#include "program/study/study_data.h"

#include <stdio.h>

// How much of the variance of y is that of its mean at given x: Var(E(y | x))/Var(y), Sobol's index
// of first order, from groups of points of nearly equal x; points with a NaN are left out. NaN: too
// few. mean: of the groups, x and y in turn, for TRMI_MAX_GROUPS of them; NULL: not needed.
double trmi_first_order_index(const double *x, const double *y, int64_t count, double *mean,
                              int *groups);
enum { TRMI_MAX_GROUPS = 64 };

// total_order.c: indices from Saltelli's design ---------------------------------------------------

// Shares of the variance that a parameter explains alone, and with all of its interactions: what
// would be left if all others were fixed. With standard errors; NaN: too few values.
typedef struct trmi_sobol_indices {
    double first, first_error, total, total_error;
} trmi_sobol_indices;

// Of parameter k. y: of all runs, in the order of the design; NaN where a run has none: its block
// is left out.
trmi_sobol_indices trmi_total_order_index(const double *y, int64_t blocks, int parameters, int k);

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

// A run that has a page of the viewer, relative to the report.
typedef struct trmi_study_view {
    int64_t run; // from 1 on
    const char *link;
} trmi_study_view;

// What the report of a study is made from.
typedef struct trmi_study_pages {
    const trmi_plan *plan;
    const trmi_study_data *data;
    // what all runs have in place of what the model has beyond the settings of the study,
    // "PATH=VALUE", ended by NULL
    const char *const *set;
    int views;
    const trmi_study_view *view;
} trmi_study_pages;

// The page of a run; NULL: none.
const char *trmi_study_link(const trmi_study_pages *pages, int64_t run);
// Chooses up to `count` rows for pages of their own: those with the smallest and largest values of
// what is recorded, then others of the list of runs, evenly. How many there are.
int trmi_study_choose(const trmi_study_data *data, int count, int64_t *row);

// study_runs.c: the runs themselves ---------------------------------------------------------------

// The command that shows the run of a row of the data.
void trmi_study_command(trmi_text *out, const trmi_study_pages *pages, int64_t row);
// Gives a page its scatter matrix and list of runs, in that memory. False: no memory.
bool trmi_study_runs(trmi_memory *memory, const trmi_study_pages *pages, trmi_page *page);

// Writes the page; ferror(out) reports failures. False: no memory.
bool trmi_study_report(FILE *out, const trmi_study_pages *pages);

#endif
