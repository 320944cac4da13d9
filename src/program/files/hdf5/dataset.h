// SPDX-License-Identifier: Apache-2.0
// Shape and parts of datasets.
#ifndef TRMI_PROGRAM_FILES_HDF5_DATASET_H
#define TRMI_PROGRAM_FILES_HDF5_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

// Closes an object of HDF5 that is not a file; negative: nothing.
void trmi_hdf5_close(hid_t object);

// Rows and columns of a dataset: one dimension is one column, two dimensions are several. False
// when it has another shape.
bool trmi_hdf5_shape(hid_t dataset, int64_t *rows, int64_t *columns);
// Number of rows of a dataset with one dimension, -1 when it has another shape.
int64_t trmi_hdf5_rows(hid_t dataset);

// Whether the file of an object can hold so many rows of that many bytes: no compression makes more
// of it. For sizes that come from a file, before memory is taken for them.
bool trmi_hdf5_can_hold(hid_t object, int64_t rows, size_t size);

// Rows [row, row + rows) and columns [column, column + columns) of a dataset.
typedef struct trmi_hdf5_block {
    int64_t row, rows, column, columns;
} trmi_hdf5_block;

// out := the block as `type`, row by row
bool trmi_hdf5_read(hid_t dataset, hid_t type, const trmi_hdf5_block *block, void *out);

#endif
