// SPDX-License-Identifier: Apache-2.0
// The table of a study as a CSV file, a line per run. While workers finish runs in any order their
// lines are appended; at the end the file is replaced by one in the order of the runs. Whatever
// happens in between, its complete lines are good: a study that is started again goes on with the
// runs that have none. Lines belong to runs by the fingerprint at their ends, so that a study may
// also grow.
#ifndef TRMI_PROGRAM_STUDY_STUDY_TABLE_H
#define TRMI_PROGRAM_STUDY_STUDY_TABLE_H

#include "program/files/csv/part.h"
#include "program/files/disk.h"
#include "program/study/plan.h"

typedef struct trmi_study_table {
    const trmi_plan *plan;
    const char *path;
    trmi_file_claim claim;
    trmi_csv_part part;
    off_t *place;      // of the line of each run; 0: there is none, negative: in another file
    int64_t done;      // runs that have a line,
    int64_t failed;    // of them with an exit code that is not 0,
    int64_t found;     // of them that were there at the start
    int64_t strangers; // lines of other runs that the file had
    bool renumbered;   // lines have numbers of runs as they were before, or belong to none
    bool ordered;      // as it is in the file
    bool replaced;     // by one in order: the file that is open has no name any more
} trmi_study_table;

// The fingerprint of a run, for finding it.
typedef struct trmi_study_mark {
    uint64_t fingerprint;
    int64_t run;
} trmi_study_mark;
// Those of all runs, sorted by fingerprint; the caller frees them. NULL: no memory.
trmi_study_mark *trmi_study_marks(const trmi_plan *plan);

// Opens the file and finds the runs that are done. replace: lines that do not belong to the study
// may be lost; otherwise they are an error. marks: of the plan; NULL: not made yet. The table must
// be closed in any case.
trm_status trmi_study_table_open(trmi_study_table *table, const trmi_plan *plan, const char *path,
                                 bool replace, const trmi_study_mark *marks, trm_error *error);
bool trmi_study_table_has(const trmi_study_table *table, int64_t run);
// Appends a row.
trm_status trmi_study_table_add(trmi_study_table *table, const trmi_study_row *row,
                                trm_error *error);
// A row that another file has.
void trmi_study_table_note(trmi_study_table *table, int64_t run, int code);
// Rows that the file has after a failure to write; otherwise all.
int64_t trmi_study_table_written(const trmi_study_table *table);
trm_status trmi_study_table_flush(trmi_study_table *table, trm_error *error);
// Puts the lines in order.
trm_status trmi_study_table_order(trmi_study_table *table, trm_error *error);
trm_status trmi_study_table_close(trmi_study_table *table, trm_error *error);

#endif
