// SPDX-License-Identifier: Apache-2.0
// Columns of an experiment: what is taken from the summary of a run.
#ifndef TRMI_PROGRAM_REPRODUCE_COLUMN_H
#define TRMI_PROGRAM_REPRODUCE_COLUMN_H

#include "program/reproduce/trial.h"

// What a column is taken from. All pointers are borrowed.
typedef struct trmi_trial_outcome {
    const trmi_item *summary;   // of the run
    const trmi_item *reference; // of the reference run, NULL: there is none
    const trmi_assignments *set;
    double parts;                      // of the largest setting that worked, NaN: nothing was tried
    const trmi_trial_matrices *matrix; // NULL: no column asks for it
} trmi_trial_outcome;

// The number of a column; of a share the other column's number is needed, so it is NaN here. False
// when there is none, which is reported at the column.
bool trmi_column_measure(const trmi_experiment *experiment, const trmi_table_column *column,
                         const trmi_trial_outcome *outcome, double *value);

#endif
