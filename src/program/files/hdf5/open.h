// SPDX-License-Identifier: Apache-2.0
// HDF5 result files opened to read.
#ifndef TRMI_PROGRAM_FILES_HDF5_OPEN_H
#define TRMI_PROGRAM_FILES_HDF5_OPEN_H

#include "trammel/status.h"

#include <hdf5.h>

#define TRMI_HDF5_FORMAT "trammel result"
enum { TRMI_HDF5_VERSION = 1 };

// A finished result, one of a killed run, or one still being written; negative, with the reason in
// error, when it is none or of a later version.
hid_t trmi_hdf5_open(const char *path, trm_error *error);

#endif
