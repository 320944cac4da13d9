// SPDX-License-Identifier: Apache-2.0
// HDF5 result files opened to read, and parts of their datasets.
#ifndef TRMI_PROGRAM_FILES_HDF5_OPEN_H
#define TRMI_PROGRAM_FILES_HDF5_OPEN_H

#include "trammel/status.h"

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#define TRMI_HDF5_FORMAT "trammel result"
enum { TRMI_HDF5_VERSION = 1 };

// A finished result, one of a killed run, or one still being written; negative, with the reason in
// error, when it is none or of a later version.
hid_t trmi_hdf5_open(const char *path, trm_error *error);

// Rows and columns of a dataset: one dimension is one column, two dimensions are several. False
// when it has another shape.
bool trmi_hdf5_shape(hid_t dataset, int64_t *rows, int64_t *columns);
// Number of rows of a dataset with one dimension, -1 when it has another shape.
int64_t trmi_hdf5_rows(hid_t dataset);

// Rows [row, row + rows) and columns [column, column + columns) of a dataset.
typedef struct trmi_hdf5_block {
    int64_t row, rows, column, columns;
} trmi_hdf5_block;

// out := the block as `type`, row by row
bool trmi_hdf5_read(hid_t dataset, hid_t type, const trmi_hdf5_block *block, void *out);

#endif
