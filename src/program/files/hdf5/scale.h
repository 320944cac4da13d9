// SPDX-License-Identifier: Apache-2.0
// Dimension scales: which dataset has the times (or names) that belong to the rows (or columns) of
// another one, in the attributes that HDF5 defines for it (CLASS, NAME, DIMENSION_LIST,
// REFERENCE_LIST). With them tools of NetCDF, and xarray, know the coordinates of every channel.
#ifndef TRMI_PROGRAM_FILES_HDF5_SCALE_H
#define TRMI_PROGRAM_FILES_HDF5_SCALE_H

#include <stdbool.h>

#include <hdf5.h>

// Makes a dataset with one dimension a scale of that name.
bool trmi_hdf5_make_scale(hid_t scale, const char *name);
// Gives a dataset the scales of its one or two dimensions (columns: negative when it has one).
bool trmi_hdf5_use_scales(hid_t dataset, hid_t rows, hid_t columns);
// Writes into a scale which datasets use it for a dimension: 0 rows, 1 columns.
bool trmi_hdf5_list_users(hid_t scale, const hid_t *dataset, int datasets, int dimension);

#endif
