// SPDX-License-Identifier: Apache-2.0
// Result files (HDF5 or CSV, by content) read back, also those of a run that was killed or is still
// going on.
#ifndef TRMI_PROGRAM_FILES_READER_H
#define TRMI_PROGRAM_FILES_READER_H

#include "program/files/writer.h"

typedef struct trmi_result trmi_result;

// NULL, with the reason in error, when the file cannot be read, is damaged or no result.
trmi_result *trmi_result_open(const char *path, trm_error *error);
void trmi_result_close(trmi_result *result); // NULL is allowed
// Whether the first bytes of a file are those of a result.
bool trmi_result_recognise(const char *path);

// Whether they are those of an HDF5 file, which cannot be anything else but a result.
bool trmi_result_is_hdf5(const char *path);

// Channels by number: those on the output grid, group by group in the order they were written, then
// solver channels ("solver/h", over solver/t). The strings live until close.
int trmi_result_channels(const trmi_result *result);
const trmi_channel *trmi_result_channel(const trmi_result *result, int index);

// "position/x", or "x" where that is the only channel of that name, or where a position shares it
// with its acceleration only: then it means the position. -1 with the nearest names in error when
// there is none, or when the short name is not unique. In CSV files names that are unique have no
// group. Errors have full names only, "error/position/x".
int trmi_result_find(const trmi_result *result, const char *name, trm_error *error);

// The next channel, from a number on, whose full name (or, without a slash, short name) fits a
// pattern with * ? [...]; -1: none.
int trmi_result_match(const trmi_result *result, const char *pattern, int from);

// The channel that holds the errors of another one, -1: there is none.
int trmi_result_error_of(const trmi_result *result, int index);

// Values of a channel and its times; count is the number of complete rows. Borrowed until close.
trm_status trmi_result_read(trmi_result *result, int index, const double **t, const double **value,
                            int64_t *count, trm_error *error);
// The times alone: of the output grid, or of the steps.
trm_status trmi_result_time(trmi_result *result, bool steps, const double **t, int64_t *count,
                            trm_error *error);

// "title", "model", "scene", "options", "command_line", "version", "features", "status", "text",
// "summary", "finished" ("0", "1"); NULL when the file has none (CSV has none of them).
const char *trmi_result_attribute(const trmi_result *result, const char *name);

// The events.
int64_t trmi_result_events(const trmi_result *result);
void trmi_result_event(const trmi_result *result, int64_t index, double *t, const char **name,
                       const char **text);

#endif
