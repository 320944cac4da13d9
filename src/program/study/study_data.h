// SPDX-License-Identifier: Apache-2.0
// The table of a study in memory, in the order of its runs.
#ifndef TRMI_PROGRAM_STUDY_STUDY_DATA_H
#define TRMI_PROGRAM_STUDY_STUDY_DATA_H

#include "program/study/plan.h"

typedef enum trmi_study_column_kind {
    TRMI_STUDY_RUN,
    TRMI_STUDY_PARAMETER,
    TRMI_STUDY_OUTCOME,  // status, exit_code, trusted, t, steps, digits
    TRMI_STUDY_RECORDED, // what the study records: a number,
    TRMI_STUDY_CHANNEL,  // or a whole channel
    TRMI_STUDY_END       // message, fingerprint
} trmi_study_column_kind;

typedef struct trmi_study_column {
    trmi_study_column_kind kind;
    const char *label;       // as in the table, "speed [m/s]"
    const char *name, *unit; // "speed", "m/s"
    int width;               // values of a row
    double *value;           // of numbers, row by row; NaN where there is none
    const char **text;       // of words; NULL: they are numbers
} trmi_study_column;

typedef struct trmi_study_data {
    trmi_memory memory;
    int64_t rows;
    int columns;
    trmi_study_column *column;
} trmi_study_data;

// Reads the table of a study, or its parts, files ended by NULL; a run that several have is taken
// once. The data must be released in any case.
trm_status trmi_study_data_read(trmi_study_data *data, const char *const *path,
                                const trmi_plan *plan, trm_error *error);
// Its columns, with memory for so many rows; likewise. False: no memory.
bool trmi_study_data_columns(trmi_study_data *data, const trmi_plan *plan, int64_t rows);
void trmi_study_data_release(trmi_study_data *data);
// The column of that name of how runs ended; NULL: none.
const trmi_study_column *trmi_study_data_outcome(const trmi_study_data *data, const char *name);
// How many runs are not done: failed, ended by a limit.
int64_t trmi_study_data_undone(const trmi_study_data *data);
// NaN for what was recorded of them: a part of a run is not to be compared with whole ones.
void trmi_study_data_leave_out(trmi_study_data *data);

#endif
