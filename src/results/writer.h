// SPDX-License-Identifier: Apache-2.0
// Result files. One interface, several formats at once: channels on the output grid, solver
// channels per step, events.
#ifndef TRMI_WRITER_H
#define TRMI_WRITER_H

#include "base/memory.h"

#include <stdint.h>

// A column of the result: "position/x", "solver/h".
typedef struct trmi_channel {
    const char *group, *name; // "position", "x"
    const char *unit;         // "m", "" when unknown
    const char *description;
} trmi_channel;

// One accepted step. `reason` counts what was rejected since the step before.
typedef struct trmi_step_row {
    double t, h;
    int order, iterations;
    int rejected_error, rejected_newton;
    long residuals, factorizations; // since the start
} trmi_step_row;

// Everything that belongs to the run as a whole. Texts may be NULL.
typedef struct trmi_run_info {
    const char *title; // name of the model
    const char *model; // text of the model file
    size_t model_length;
    const char *options; // resolved options, JSON
    const char *command_line;
    const char *version;
} trmi_run_info;

typedef struct trmi_writer trmi_writer;

// Formats: "hdf5", "csv". `channels` are the columns besides the time, copied. On failure NULL and
// error (TRM_ERR_RESULT) says which file and why. Existing files are replaced, except that with
// resume_rows >= 0 the file of an earlier run is continued after so many rows, resume_steps steps
// and resume_events events (what lies beyond is dropped).
typedef struct trmi_resume {
    int64_t rows, steps, events;
} trmi_resume;

trmi_writer *trmi_writer_open(const char *format, const char *path, const trmi_run_info *info,
                              const trmi_channel *channel, int channels, const trmi_resume *resume,
                              trm_error *error);

const char *trmi_writer_path(const trmi_writer *writer);

// Each returns TRM_OK, or TRM_ERR_RESULT with the reason in error; after an error the writer keeps
// what it has and takes nothing more.
trm_status trmi_writer_row(trmi_writer *writer, double t, const double *value, trm_error *error);
trm_status trmi_writer_step(trmi_writer *writer, const trmi_step_row *row, trm_error *error);
trm_status trmi_writer_event(trmi_writer *writer, double t, const char *name, const char *text,
                             trm_error *error);
// What was given so far survives a kill from now on.
trm_status trmi_writer_flush(trmi_writer *writer, trm_error *error);
// Numbers written so far, for checkpoints.
trmi_resume trmi_writer_count(const trmi_writer *writer);
// Ends the file with a status ("done", "failed", "interrupted") and a text, and frees the writer.
// summary: JSON, may be NULL.
trm_status trmi_writer_close(trmi_writer *writer, const char *status, const char *text,
                             const char *summary, trm_error *error);

#endif
