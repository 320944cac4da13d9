// SPDX-License-Identifier: Apache-2.0
// A dataset of an HDF5 file that grows by rows: one value per row in one dimension, or `width`
// values in two. Rows are collected in memory until they fill a chunk, which is then written
// compressed, unless the numbers are errors: those are noise. A chunk that a flush finds incomplete
// is written uncompressed and stays so, always in the same place: the file does not grow with the
// number of flushes, and a reader never meets a chunk that is half replaced.
#ifndef TRMI_PROGRAM_FILES_HDF5_COLUMN_H
#define TRMI_PROGRAM_FILES_HDF5_COLUMN_H

#include "program/files/hdf5/checksum.h"

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

typedef struct trmi_hdf5_column {
    hid_t dataset, type;
    int64_t width;          // values of a row; 1: the dataset has one dimension
    size_t size;            // bytes of a row
    int64_t rows, on_file;  // given so far, extent of the dataset
    int64_t chunk;          // rows of a chunk
    char *buffer;           // the last chunk, rows % chunk of its rows
    bool plain;             // no chunk is compressed
    int64_t sum[TRMI_SUMS]; // checksums of rows and texts
} trmi_hdf5_column;

// What a new column is to be.
typedef struct trmi_column_plan {
    const char *group; // NULL: the root
    const char *name;
    hid_t type;                     // of the values in memory and in the file, borrowed
    int64_t width;                  // values of a row
    int64_t chunk;                  // rows of a chunk
    const char *unit, *description; // attributes; NULL: none
} trmi_column_plan;

bool trmi_column_create(trmi_hdf5_column *column, hid_t location, const trmi_column_plan *plan);
// Opens an existing one with rows of that width, to go on after its last row.
bool trmi_column_open(trmi_hdf5_column *column, hid_t location, const char *path, hid_t type,
                      int64_t width);
void trmi_column_close(trmi_hdf5_column *column); // a zeroed column is allowed

bool trmi_column_append(trmi_hdf5_column *column, const void *row);
// Everything given so far is in the dataset.
bool trmi_column_flush(trmi_hdf5_column *column);

#endif
