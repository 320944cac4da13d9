// SPDX-License-Identifier: Apache-2.0
// Lists of texts in HDF5 files: datasets with one dimension, texts of one length.
#ifndef TRMI_PROGRAM_FILES_HDF5_LIST_H
#define TRMI_PROGRAM_FILES_HDF5_LIST_H

#include "base/memory.h"

#include <stdint.h>

#include <hdf5.h>

typedef struct trmi_text_list {
    const char *data; // NULL: there is none
    size_t stride;    // bytes from one text to the next
    int64_t count;
} trmi_text_list;

// A new dataset, as long as the longest text needs. NULL texts: "".
bool trmi_hdf5_put_list(hid_t location, const char *name, const char *const *text, int count);

// The list lives in the memory. Without data when there is no such list, it cannot be read, or
// there is no memory.
trmi_text_list trmi_hdf5_get_list(hid_t location, const char *path, trmi_memory *memory);

const char *trmi_text_list_at(const trmi_text_list *list, int64_t index);

#endif
