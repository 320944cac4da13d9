// SPDX-License-Identifier: Apache-2.0
// The formats of result files, and what the writer of a format has to offer. A format is a writer
// (trmi_file_writer), a reader (trmi_file_reader in result.h) and a line in TRMI_FORMAT_LIST.
#ifndef TRMI_PROGRAM_FILES_FORMAT_H
#define TRMI_PROGRAM_FILES_FORMAT_H

#include "program/files/writer.h"

// Columns per step: name, unit, whole number, description. t comes first.
#define TRMI_STEP_LIST(X)                                                                          \
    X(t, "s", 0, "end of the step, or the event that cuts it short")                               \
    X(h, "s", 0, "length of the step")                                                             \
    X(order, "", 1, "order of the formula")                                                        \
    X(iterations, "", 1, "Newton iterations of the accepted attempt")                              \
    X(rejected_error, "", 1, "attempts since the step before that failed the error test")          \
    X(rejected_newton, "", 1, "attempts since the step before that did not converge")              \
    X(reason, "", 1, "of rejected attempts: 0 none, 1 error test, 2 Newton, 3 both")               \
    X(residuals, "", 1, "evaluations of the residual since the start")                             \
    X(factorizations, "", 1, "factorizations of the matrix since the start")                       \
    X(jacobians, "", 1, "evaluations of the derivatives since the start")                          \
    X(updates, "", 1, "matrices formed from kept derivatives since the start")

#define TRMI_STEP_COUNT_ONE(name, unit, whole, description) +1
enum { TRMI_STEP_COLUMNS = 0 TRMI_STEP_LIST(TRMI_STEP_COUNT_ONE) };

typedef struct trmi_step_column {
    const char *name, *unit;
    bool whole;
    const char *description;
} trmi_step_column;

const trmi_step_column *trmi_step_column_at(int index);
void trmi_step_values(const trmi_step_row *row, double value[TRMI_STEP_COLUMNS]);

// The arguments of trmi_writer_open, checked.
typedef struct trmi_file_plan {
    const char *path;
    const trmi_run_info *info;
    const trmi_channel *channel;
    int channels;
    int errors; // of them, the last ones, are errors of others
    const trmi_resume *resume;
    bool durable; // the file survives a power failure
} trmi_file_plan;

typedef struct trmi_ending {
    const char *status, *text, *summary;
} trmi_ending;

// The parts of a result that grow independently.
typedef enum trmi_file_part {
    TRMI_PART_ROWS,
    TRMI_PART_STEPS,
    TRMI_PART_EVENTS,
    TRMI_PARTS,
    TRMI_PART_ERRORS = TRMI_PARTS, // written at once at the end, never continued
    TRMI_ALL_PARTS
} trmi_file_part;

// Errors have the text "cannot write PATH: reason"; writer.c adds how far the file is good.
typedef struct trmi_file_writer {
    void *(*open)(const trmi_file_plan *plan, trm_error *error);
    trm_status (*row)(void *file, double t, const double *value, trm_error *error);
    // Errors of the rows from the first on, after all rows, in the order of their channels.
    trm_status (*errors)(void *file, double t, const double *value, trm_error *error);
    trm_status (*step)(void *file, const double value[TRMI_STEP_COLUMNS], trm_error *error);
    trm_status (*event)(void *file, double t, const char *name, const char *text, trm_error *error);
    trm_status (*flush)(void *file, trm_error *error);
    trm_status (*synchronise)(void *file, trm_error *error); // after a flush
    // ending NULL: after an error, only to free
    trm_status (*close)(void *file, const trmi_ending *ending, trm_error *error);
} trmi_file_writer;

// The formats: name, suffix of the file, how the command calls the file, whether it is written
// without being asked for, option of `trammel run` that changes this, help of the option.
#define TRMI_FORMAT_LIST(X)                                                                        \
    X(hdf5, ".h5", "result", true, "no-hdf5", "write no HDF5 file")                                \
    X(csv, ".csv", "table", false, "csv", "write CSV files too")

#define TRMI_FORMAT_ENUM(name, ...) TRMI_FORMAT_##name,
enum { TRMI_FORMAT_LIST(TRMI_FORMAT_ENUM) TRMI_FORMATS };

typedef struct trmi_file_reader trmi_file_reader;

typedef struct trmi_format {
    const char *name, *suffix, *label;
    bool by_default; // written unless the option is given; else only with the option
    const char *option, *help;
    const trmi_file_writer *writer;
    const trmi_file_reader *reader;
} trmi_format;

extern const trmi_format trmi_formats[TRMI_FORMATS];

// The writers and readers of the list: trmi_hdf5_writer, trmi_hdf5_reader, ...
#define TRMI_FORMAT_DECLARE(name, ...)                                                             \
    extern const trmi_file_writer trmi_##name##_writer;                                            \
    extern const trmi_file_reader trmi_##name##_reader;
TRMI_FORMAT_LIST(TRMI_FORMAT_DECLARE)

#endif
