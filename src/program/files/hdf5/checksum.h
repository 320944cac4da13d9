// SPDX-License-Identifier: Apache-2.0
// Checksums of what the HDF5 library keeps without one: values of rows that are added in place, and
// texts of any length. They are in the attribute `crc32` of an object, whole numbers under the
// checksum of its header:
//     dataset   rows, CRC-32 of their bytes, CRC-32 of the text `unit`, of the text `description`
//     root      CRC-32 of each text of the run, in the order of TRMI_ATTRIBUTE_LIST
// 0 means that there is none. Rows behind those that are counted have no checksum: a run was
// stopped between two writes.
#ifndef TRMI_PROGRAM_FILES_HDF5_CHECKSUM_H
#define TRMI_PROGRAM_FILES_HDF5_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

enum { TRMI_SUM_ROWS, TRMI_SUM_VALUES, TRMI_SUM_UNIT, TRMI_SUM_DESCRIPTION, TRMI_SUMS };

// Of a text without the zero at its end; NULL: 0.
int64_t trmi_text_sum(const char *text);

bool trmi_hdf5_put_sums(hid_t object, const int64_t *sum, int count); // a new attribute
bool trmi_hdf5_set_sums(hid_t object, const int64_t *sum, int count);
// Zeros where there are none; false when they cannot be read.
bool trmi_hdf5_get_sums(hid_t object, int64_t *sum, int count);

// Whether the rows of a dataset, which is read for this, fit its checksum.
bool trmi_hdf5_intact(hid_t dataset);
// The same for a dataset with one dimension whose rows are in memory.
bool trmi_hdf5_intact_values(hid_t dataset, const double *value, int64_t rows);

#endif
