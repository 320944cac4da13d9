// SPDX-License-Identifier: Apache-2.0
// All datasets of an HDF5 result file that grow.
#ifndef TRMI_PROGRAM_FILES_HDF5_COLUMNS_H
#define TRMI_PROGRAM_FILES_HDF5_COLUMNS_H

#include "program/files/format.h"
#include "program/files/hdf5/column.h"
#include "program/files/hdf5/layout.h"

enum { TRMI_EVENT_NAME = 64, TRMI_EVENT_TEXT = 256 }; // bytes, with the zero at the end

typedef struct trmi_hdf5_columns {
    trmi_hdf5_layout layout;
    // the time, the parts of the layout, the columns of the steps; t, name and text of the events
    trmi_hdf5_column *column;
    int count;
    int error_parts; // of the layout, the last ones, hold errors
    double *row;     // values in the order of the layout
    float *error;    // errors, which are stored so
    hid_t name_type, text_type;
    hid_t file;
    int written; // datasets with something new since the file was flushed
} trmi_hdf5_columns;

// ascii: the texts of events are. False when there is no memory; release then too.
bool trmi_hdf5_columns_init(trmi_hdf5_columns *columns, const trmi_channel *channel, int channels,
                            int errors, bool ascii);
void trmi_hdf5_columns_release(trmi_hdf5_columns *columns);

// Creates the datasets in a new file.
bool trmi_hdf5_columns_create(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel);
// Opens the datasets of an existing file, to go on after the last row.
bool trmi_hdf5_columns_open(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel);
void trmi_hdf5_columns_close(trmi_hdf5_columns *columns);

bool trmi_hdf5_columns_row(trmi_hdf5_columns *columns, double t, const double *value);
// The errors of a row, after all rows.
bool trmi_hdf5_columns_errors(trmi_hdf5_columns *columns, const double *value);
bool trmi_hdf5_columns_step(trmi_hdf5_columns *columns, const double value[TRMI_STEP_COLUMNS]);
// Texts that are too long are cut between two characters.
bool trmi_hdf5_columns_event(trmi_hdf5_columns *columns, double t, const char *name,
                             const char *text);
bool trmi_hdf5_columns_flush(trmi_hdf5_columns *columns);

// Fills new columns with the first rows, steps and events of the file at path.
trm_status trmi_hdf5_columns_copy(trmi_hdf5_columns *columns, const char *path,
                                  const trmi_resume *count, trm_error *error);

// Number of the first column of the steps; those of the events follow.
static inline int trmi_hdf5_first_step(const trmi_hdf5_columns *columns)
{
    return 1 + columns->layout.parts;
}

#endif
