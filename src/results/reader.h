// SPDX-License-Identifier: Apache-2.0
// Result files (HDF5 or CSV, by content) read back, also those of a run that was killed or is still
// going on.
#ifndef TRMI_READER_H
#define TRMI_READER_H

#include "results/writer.h"

typedef struct trmi_result trmi_result;

trmi_result *trmi_result_open(const char *path, trm_error *error);
void trmi_result_close(trmi_result *result);

// Channels by number: those on the output grid, then solver channels ("solver/h", over solver/t).
int trmi_result_channels(const trmi_result *result);
const trmi_channel *trmi_result_channel(const trmi_result *result, int index);

// "position/x", or "x" where that is the only channel of that name; -1 with the nearest names in
// error when there is none, or when the short name is not unique.
int trmi_result_find(const trmi_result *result, const char *name, trm_error *error);

// Values of a channel and its times. Borrowed until close.
trm_status trmi_result_read(trmi_result *result, int index, const double **t, const double **value,
                            int64_t *count, trm_error *error);

// "title", "model", "options", "command_line", "version", "status", "text", "summary", "finished";
// NULL when the file has none.
const char *trmi_result_attribute(const trmi_result *result, const char *name);

// The events.
int64_t trmi_result_events(const trmi_result *result);
void trmi_result_event(const trmi_result *result, int64_t index, double *t, const char **name,
                       const char **text);

#endif
