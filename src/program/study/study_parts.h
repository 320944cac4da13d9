// SPDX-License-Identifier: Apache-2.0
// A table in parts: every rank appends the rows of its own workers to a file of its own,
// "lengths.3.csv", and only that they are done goes to the first rank. At the end each part gets an
// HDF5 file, "lengths.3.study.h5", and "lengths.study.h5" joins them by virtual datasets.
#ifndef TRMI_PROGRAM_STUDY_STUDY_PARTS_H
#define TRMI_PROGRAM_STUDY_STUDY_PARTS_H

#include "program/study/study_table.h"

// "lengths.3.csv" of "lengths.csv", or with another suffix; part -1: "lengths" with the suffix. The
// caller frees it; NULL: no memory.
char *trmi_part_path(const char *table, int part, const char *suffix);

// The numbers of the parts that are there, ascending and ended by -1, in memory that the caller
// frees. NULL: errno has the reason.
int *trmi_parts_find(const char *table);

// Opens the first part, whose path is borrowed, and finds the runs that are done in all parts: the
// table has them all. As trmi_study_table_open.
trm_status trmi_parts_open(trmi_study_table *first, const trmi_plan *plan, const char *table,
                           const char *path, bool replace, trm_error *error);

// A part of another rank, for appending.
typedef struct trmi_part {
    char *path; // NULL: it is not open
    trmi_file_claim claim;
    trmi_csv_part file;
    off_t last; // where the line that was added last ends: it is in the file up to file.end
} trmi_part;

// Goes on behind what is there, or begins. The part must be closed in any case.
trm_status trmi_part_open(trmi_part *part, const trmi_plan *plan, const char *table, int number,
                          trm_error *error);
trm_status trmi_part_add(trmi_part *part, const trmi_study_row *row, trm_error *error);
trm_status trmi_part_flush(trmi_part *part, trm_error *error);
trm_status trmi_part_close(trmi_part *part, trm_error *error); // a zeroed part is allowed

// The HDF5 file of a part, from its table, where there is one.
trm_status trmi_part_save(const trmi_plan *plan, const char *table, int number, trm_error *error);

// study_join.c: the file that joins the HDF5 files of the parts, in the order of the runs. A run
// that several parts have is taken from the first of them. *rows: how many there are.
trm_status trmi_parts_join(const trmi_plan *plan, const char *table, const int *part, int64_t *rows,
                           trm_error *error);

#endif
