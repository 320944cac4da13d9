// SPDX-License-Identifier: Apache-2.0
// All datasets of an HDF5 result file that grow.
#ifndef TRMI_PROGRAM_FILES_HDF5_COLUMNS_H
#define TRMI_PROGRAM_FILES_HDF5_COLUMNS_H

#include "program/files/format.h"
#include "program/files/hdf5/column.h"
#include "program/files/hdf5/layout.h"

enum { TRMI_EVENT_NAME = 64, TRMI_EVENT_TEXT = 256 }; // bytes, with the zero at the end

typedef struct trmi_hdf5_columns {
    trmi_hdf5_column time;
    trmi_hdf5_layout layout;
    trmi_hdf5_column *data; // the parts of the layout
    double *row;            // values in the order of the layout
    trmi_hdf5_column step[TRMI_STEP_COLUMNS];
    trmi_hdf5_column event_t, event_name, event_text;
    hid_t name_type, text_type;
    hid_t file;
    int written; // datasets with something new since the file was flushed
} trmi_hdf5_columns;

// False when there is no memory; release then too.
bool trmi_hdf5_columns_init(trmi_hdf5_columns *columns, const trmi_channel *channel, int channels);
void trmi_hdf5_columns_release(trmi_hdf5_columns *columns);

// Creates the datasets in a new file; opens those of an existing one, to go on after the last row.
bool trmi_hdf5_columns_create(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel);
bool trmi_hdf5_columns_open(trmi_hdf5_columns *columns, hid_t file, const trmi_channel *channel);
void trmi_hdf5_columns_close(trmi_hdf5_columns *columns);

bool trmi_hdf5_columns_row(trmi_hdf5_columns *columns, double t, const double *value);
bool trmi_hdf5_columns_step(trmi_hdf5_columns *columns, const double value[TRMI_STEP_COLUMNS]);
// Texts that are too long are cut between two characters.
bool trmi_hdf5_columns_event(trmi_hdf5_columns *columns, double t, const char *name,
                             const char *text);
bool trmi_hdf5_columns_flush(trmi_hdf5_columns *columns);

// Fills new columns with the first rows, steps and events of the file at path.
trm_status trmi_hdf5_columns_copy(trmi_hdf5_columns *columns, const char *path,
                                  const trmi_resume *count, trm_error *error);

#endif
