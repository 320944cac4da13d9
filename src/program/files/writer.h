// SPDX-License-Identifier: Apache-2.0
// Result files: channels on the output grid, solver channels per step, events. One interface, two
// formats.
//
// "hdf5": one file, one dataset per channel, a user can guess where:
//     /time                          output grid
//     /<group>/<name>                a channel over /time; attributes units, description;
//                                    /time is its dimension scale
//     /<group>/values                of a group with more than 200 channels, or of errors with
//                                    more than one: all of them over /time, a column for each
//     /<group>/names                 of the columns; units and descriptions too, if there are any
//     /error/<group>/values          how far each channel of the group may be from the truth, over
//                                    /time; written at the end of a run with a companion
//     /solver/{t,h,order,...}        one entry per accepted step (TRMI_STEP_LIST in format.h)
//     /events/{t,name,text}          texts of at most 63 and 255 bytes
//     /model                         text of the model file
//     /scene                         mechanisms: shapes, joints and forces, JSON
//     attributes of the root: format "trammel result", format_version 1, title, options,
//         command_line, version, features; status "running", text and finished 0 until the end;
//         summary from then on
// In the names of datasets, '/' is written %2F and '%' is %25. A group in which a name, unit or
// description has more than 255 bytes has a dataset per channel in any case. The file can be read
// while it is written and after a kill with h5py.File(path, swmr=True), at the end with
// h5py.File(path).
//
// "csv": PATH with the header `t [s],x [m],...` (`velocity/x [m/s]` only where x alone is not
// unique), and next to it `<stem>-steps.csv`, `<stem>-events.csv` and, of a run with a companion,
// `<stem>-errors.csv`. Title, options and ending are
// not in it. When PATH is a pipe or a device (/dev/stdout), only the rows are written.
//
// Numbers come back bit for bit from both, errors as 32-bit numbers from HDF5 (the sign and payload
// of a NaN from HDF5 only).
#ifndef TRMI_PROGRAM_FILES_WRITER_H
#define TRMI_PROGRAM_FILES_WRITER_H

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

// A column of the result: "position/x", "solver/h".
typedef struct trmi_channel {
    const char *group, *name; // "position", "x"
    const char *unit;         // "m", "" when unknown
    const char *description;
} trmi_channel;

// One accepted step.
typedef struct trmi_step_row {
    double t, h;
    int order, iterations;
    int rejected_error, rejected_newton;                // attempts rejected since the step before
    long residuals, factorizations, jacobians, updates; // since the start
} trmi_step_row;

// Everything that belongs to the run as a whole. Texts may be NULL.
typedef struct trmi_run_info {
    const char *title; // name of the model
    const char *model; // text of the model file
    size_t model_length;
    const char *scene;   // what a picture needs, JSON (view/scene.h); NULL: there is none
    const char *options; // resolved options, JSON
    const char *command_line;
    const char *version;
    const char *features; // what was compiled in
    // Nothing waits for the disk: faster for many short runs, but a power failure within the next
    // half minute or so may cost the whole file.
    bool left_to_system;
} trmi_run_info;

// Numbers of rows, steps and events.
typedef struct trmi_resume {
    int64_t rows, steps, events;
} trmi_resume;

typedef struct trmi_writer trmi_writer;

// Groups of errors begin with this: those of "position/x" are in "error/position", under the same
// name.
#define TRMI_ERROR_GROUP "error/"

// Whether the channel holds errors of another one.
static inline bool trmi_channel_is_error(const trmi_channel *channel)
{
    return strncmp(channel->group, TRMI_ERROR_GROUP, sizeof TRMI_ERROR_GROUP - 1) == 0;
}

// Formats: "hdf5", "csv". `channel` are the columns besides the time, copied; every pair of group
// and name is there once, and the groups time, model, solver and events are taken. Channels of
// errors come last. resume NULL: an existing file is replaced. Else the file of an earlier run with
// the same channels is continued after so many rows, steps and events, and what lies beyond is
// dropped. On failure NULL, and error (TRM_ERR_RESULT) names the file and the reason; then an
// earlier HDF5 file is as it was.
trmi_writer *trmi_writer_open(const char *format, const char *path, const trmi_run_info *info,
                              const trmi_channel *channel, int channels, const trmi_resume *resume,
                              trm_error *error);

// What is to be continued must be there: TRM_OK, or what to do about it.
trm_status trmi_writer_check_there(const char *path, trm_error *error);

// Each returns TRM_OK, or TRM_ERR_RESULT with the reason in error and how far the file is good.
// After an error the writer keeps what it has, takes nothing more and repeats the error. Row and
// step also flush, every second, or less often where flushing takes long (at most a tenth of the
// time goes there).
trm_status trmi_writer_row(trmi_writer *writer, double t, const double *value, trm_error *error);
trm_status trmi_writer_step(trmi_writer *writer, const trmi_step_row *row, trm_error *error);
trm_status trmi_writer_event(trmi_writer *writer, double t, const char *name, const char *text,
                             trm_error *error);
// The errors of a row, in the order of their channels, after the last row: rows from the first on.
trm_status trmi_writer_errors(trmi_writer *writer, double t, const double *value, trm_error *error);
// What was given so far survives a kill from now on.
trm_status trmi_writer_flush(trmi_writer *writer, trm_error *error);
// What was given so far survives a power failure from now on, where the file is not left to the
// system.
trm_status trmi_writer_synchronise(trmi_writer *writer, trm_error *error);
// Numbers given so far, for checkpoints (after a flush).
trmi_resume trmi_writer_count(const trmi_writer *writer);
// Ends the file with a status ("done", "failed", "interrupted") and a text, and frees the writer.
// summary: JSON, may be NULL. After an earlier error the ending is not written, and that error is
// returned once more. NULL writer: nothing.
trm_status trmi_writer_close(trmi_writer *writer, const char *status, const char *text,
                             const char *summary, trm_error *error);

#endif
