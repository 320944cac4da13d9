// SPDX-License-Identifier: Apache-2.0
// What became of every table and figure of the papers: how many of its printed numbers are
// compared, how many agree, and why the others are not or do not.
#ifndef TRMI_PROGRAM_REPRODUCE_COVERAGE_H
#define TRMI_PROGRAM_REPRODUCE_COVERAGE_H

#include "program/reproduce/measure.h"

enum { TRMI_COVERAGE_REASONS = 8 };

// A table or figure.
typedef struct trmi_covered {
    const trmi_printed_table *table;
    int printed;                               // numbers in it
    int compared;                              // of these, with ours, and judged; each once
    int inside;                                // in the range of our runs
    int agree;                                 // with slack
    int shown;                                 // only shown beside ours
    const char *drawing;                       // a drawing of it, NULL: none
    const char *reason[TRMI_COVERAGE_REASONS]; // why the others do not agree or are not there
    int reasons;
} trmi_covered;

typedef struct trmi_coverage {
    trmi_memory memory;
    const trmi_paper **paper;
    int papers;
    trmi_covered **entry; // of each paper, one for each of its tables
} trmi_coverage;

// Whether every number of a paper is judged by one row at most; the first one that is not is
// reported. An exit code.
int trmi_coverage_check(trmi_experiment *const *experiment, int count);

// Counts. `paper` are papers that are to be listed even when no experiment is about them, with all
// their tables; without any, the papers of the experiments are listed, with the tables they are
// about. False: no memory. To be released in any case.
bool trmi_coverage_create(trmi_coverage *out, const trmi_measured *measured, int count,
                          trmi_paper *const *paper, int papers);
void trmi_coverage_release(trmi_coverage *coverage);

// "reproduced", "reproduced in part", "not reproduced", "shown beside ours", "drawn", "a sketch",
// "counted elsewhere", "not there".
const char *trmi_covered_state(const trmi_covered *covered);

#endif
