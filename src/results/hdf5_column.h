// SPDX-License-Identifier: Apache-2.0
// A column of an HDF5 file: a dataset with one dimension that grows. Rows are collected in memory
// until they fill a chunk, which is then written compressed. A chunk that a flush finds incomplete
// is written uncompressed, always to the same place, until it is full: the file does not grow with
// the number of flushes, and a reader never meets a chunk that is half replaced.
#ifndef TRMI_HDF5_COLUMN_H
#define TRMI_HDF5_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

typedef struct trmi_column {
    hid_t dataset, type;
    size_t size;           // bytes of a value
    int64_t rows, on_file; // given so far, extent of the dataset
    int64_t chunk;         // rows of a chunk
    char *buffer;          // the values of the last chunk, rows % chunk of them
} trmi_column;

// Creates the dataset with the attributes unit and description (NULL: none). type: of the values
// in memory and in the file, borrowed.
bool trmi_column_create(trmi_column *column, hid_t location, const char *name, hid_t type,
                        int64_t chunk, const char *unit, const char *description);
// Opens an existing one, to go on after its last row.
bool trmi_column_open(trmi_column *column, hid_t location, const char *path, hid_t type);
void trmi_column_close(trmi_column *column); // a zeroed column is allowed

bool trmi_column_append(trmi_column *column, const void *value);
// Everything given so far is in the dataset.
bool trmi_column_flush(trmi_column *column);

#endif
