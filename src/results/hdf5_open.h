// SPDX-License-Identifier: Apache-2.0
// HDF5 result files opened to read, and rows of their datasets.
#ifndef TRMI_HDF5_OPEN_H
#define TRMI_HDF5_OPEN_H

#include "trammel/status.h"

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#define TRMI_HDF5_FORMAT "trammel result"
enum { TRMI_HDF5_VERSION = 1 };

// A finished result, one of a killed run, or one still being written; negative, with the reason in
// error, when it is none or of a later version.
hid_t trmi_hdf5_open(const char *path, trm_error *error);

// Number of rows of a dataset with one dimension, -1 when it has another shape.
int64_t trmi_hdf5_rows(hid_t dataset);
// out := values [first, first + count), as `type`
bool trmi_hdf5_read_rows(hid_t dataset, hid_t type, int64_t first, int64_t count, void *out);

#endif
