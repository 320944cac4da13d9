// SPDX-License-Identifier: Apache-2.0
// The files of a study: its table, or with --split the parts of it that the ranks write, the HDF5
// file, the page.
#ifndef TRMI_PROGRAM_CLI_SWEEP_FILES_H
#define TRMI_PROGRAM_CLI_SWEEP_FILES_H

#include "program/run/console.h"
#include "program/study/study_table.h"

typedef struct trmi_sweep_files {
    const char *path;       // of the table
    const char *report;     // of the page; NULL: none
    const char *const *set; // --set, ended by NULL, for the commands of the page
    bool hdf5, split;
    int views; // pages of runs beside the report
    const trmi_console *console;
    const trmi_stop *stop;
    bool joined; // with split: in one file
    int saved;   // with split: ranks have saved the HDF5 files of parts 1 .. saved - 1
    // of the first rank:
    char *first; // with split: the path of its part
    trmi_study_table table;
} trmi_sweep_files;

// Opens the table, or the first part, and finds the runs that are done. To be closed in any case.
trm_status trmi_sweep_open(trmi_sweep_files *files, const trmi_plan *plan, bool replace,
                           trm_error *error);
// While the study runs: the HDF5 file with the rows so far; user is a trmi_sweep_files. What fails
// is reported at the end.
void trmi_sweep_save(void *user);
// At the end: the table in order, and in other forms.
trm_status trmi_sweep_write(trmi_sweep_files *files, trm_error *error);
trm_status trmi_sweep_close(trmi_sweep_files *files, trm_error *error);

// What was done. how: "done", "interrupted", ...
void trmi_sweep_print(const trmi_sweep_files *files, const char *name, double seconds,
                      const char *how);

#endif
