// SPDX-License-Identifier: Apache-2.0
// Reads groups that are stored wide: one dataset with a column for each channel.
#ifndef TRMI_PROGRAM_FILES_HDF5_WIDE_H
#define TRMI_PROGRAM_FILES_HDF5_WIDE_H

#include "program/files/result.h"

#include <hdf5.h>

// The channels [first, first + width) of a result.
typedef struct trmi_wide {
    struct trmi_wide *next;
    const char *path; // of the values
    int first, width;
    int64_t rows;
    bool intact; // its values were compared with their checksum
} trmi_wide;

// Whether the group is stored wide.
bool trmi_wide_is(hid_t group);
// Adds its channels to the result, and it to the list, in the memory of the result. link: how the
// group is called in the file, name: what that means.
trm_status trmi_wide_add(trmi_wide **list, trmi_result *result, hid_t group, const char *link,
                         const char *name, trm_error *error);

// The one of a channel, NULL when there is none.
trmi_wide *trmi_wide_find(trmi_wide *list, int index);
// The series of a channel, and with it those of its neighbours.
trm_status trmi_wide_load(trmi_wide *wide, trmi_result *result, hid_t file, int index,
                          trm_error *error);

#endif
