// SPDX-License-Identifier: Apache-2.0
// The rows of an experiment, measured: all combinations of the ensemble, their ranges and verdicts.
#ifndef TRMI_PROGRAM_REPRODUCE_MEASURE_H
#define TRMI_PROGRAM_REPRODUCE_MEASURE_H

#include "program/reproduce/trial.h"
#include "program/reproduce/verdict.h"

typedef struct trmi_measured_row {
    double *value; // columns x runs of the ensemble, NaN where a run failed
    trmi_cell cell[TRMI_EXPERIMENT_COLUMNS];
    trmi_verdict verdict;
    int failed;        // runs that did not reach the end
    char failure[400]; // why the first of them did not
} trmi_measured_row;

// An experiment with what came out.
typedef struct trmi_measured {
    const trmi_experiment *experiment;
    trmi_measured_row *row;
    bool drawn; // its figures are in the folder
} trmi_measured;

// The settings of one run of a row: number `index` of its ensemble. `buffer` holds what is made for
// it. index -1: the row without variation.
enum { TRMI_ASSIGNMENT_BYTES = 300 };
typedef char trmi_assignment_buffer[TRMI_EXPERIMENT_VARIATIONS][TRMI_ASSIGNMENT_BYTES];
void trmi_row_assignments(const trmi_experiment *experiment, const trmi_experiment_row *row,
                          int index, trmi_assignments *out, trmi_assignment_buffer buffer);

// Runs all rows. An exit code; what is wrong has been reported. The result is to be released in any
// case.
int trmi_measure_experiment(trmi_measured *out, const trmi_experiment *experiment,
                            const trmi_reproduce_context *context);
void trmi_measured_release(trmi_measured *measured);

// Numbers of rows and cells of one kind.
typedef struct trmi_tally {
    int rows;                   // of that kind, judged or not
    int verdict[TRMI_VERDICTS]; // rows by verdict
    int numbers, inside, agree; // cells: judged, inside the range of the runs, with slack
} trmi_tally;

// Counts the rows that are compared with numbers printed in a paper, or the other ones: compared
// with theory, with another implementation or with each other. No row is in both.
trmi_tally trmi_measured_tally(const trmi_measured *measured, bool published);
void trmi_tally_add(trmi_tally *sum, const trmi_tally *other);

#endif
