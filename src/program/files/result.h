// SPDX-License-Identifier: Apache-2.0
// What the readers of the formats fill. Everything lives in the memory of the result.
#ifndef TRMI_PROGRAM_FILES_RESULT_H
#define TRMI_PROGRAM_FILES_RESULT_H

#include "program/files/format.h"
#include "program/files/reader.h"

#define TRMI_ATTRIBUTE_LIST(X)                                                                     \
    X(title)                                                                                       \
    X(model)                                                                                       \
    X(scene)                                                                                       \
    X(options) X(command_line) X(version) X(features) X(status) X(text) X(summary) X(finished)

#define TRMI_ATTRIBUTE_ENUM(name) TRMI_ATTRIBUTE_##name,
enum { TRMI_ATTRIBUTE_LIST(TRMI_ATTRIBUTE_ENUM) TRMI_ATTRIBUTES };

#define TRMI_STATUS_RUNNING "running" // the attribute status until the end of the run

typedef struct trmi_series {
    double *value; // NULL: not read yet
    int64_t count;
} trmi_series;

typedef struct trmi_recorded_event {
    double t;
    const char *name, *text;
} trmi_recorded_event;

typedef enum trmi_time_axis { TRMI_AXIS_GRID, TRMI_AXIS_STEPS, TRMI_AXES } trmi_time_axis;

struct trmi_result {
    trmi_memory memory;
    const char *path;
    const trmi_file_reader *reader;
    void *file;                  // of the reader
    trmi_channel *channel;       // those of the grid first
    trmi_series *series;         // of the channels
    int channels, grid_channels; // all, on the grid
    int capacity;
    trmi_series time[TRMI_AXES];
    const char *attribute[TRMI_ATTRIBUTES];
    trmi_recorded_event *event;
    int64_t events;
};

// How far a part of a result has come.
typedef struct trmi_reach {
    int64_t rows; // complete ones
    double t;     // of the last row, if there is one
} trmi_reach;

// What the reader of a format has to offer.
struct trmi_file_reader {
    // whether the first bytes of a file are those of this format
    bool (*recognises)(const char *head, size_t length);
    // channels, attributes and events; series may be read later
    trm_status (*open)(trmi_result *result, trm_error *error);
    // one series that has not been read yet
    trm_status (*load_channel)(trmi_result *result, int index, trm_error *error);
    // the times of an axis
    trm_status (*load_time)(trmi_result *result, trmi_time_axis axis, trm_error *error);
    void (*close)(trmi_result *result); // may be NULL
    // Formats with a file for each part: its path (free), NULL without memory. NULL: one file
    // holds all parts.
    char *(*part_path)(const char *path, trmi_file_part part);
    // Finds how far a file has come without reading it into memory. NULL: through the reader.
    trm_status (*measure)(const char *path, trmi_reach *reach, trm_error *error);
};

// Adds a channel, its strings copied, those of the grid before those of the solver. False: no
// memory.
bool trmi_result_add_channel(trmi_result *result, const trmi_channel *channel);
// A copy in the memory of the result, NULL when there is none.
const char *trmi_result_keep(trmi_result *result, const char *text);

trm_status trmi_result_no_memory(const trmi_result *result, trm_error *error);

#endif
