// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/list.h"

#include "program/files/hdf5/open.h"
#include "program/files/hdf5/text.h"

#include <stdlib.h>
#include <string.h>

enum { DEFLATE_LEVEL = 4 };

// ---- writing ----

// one chunk, compressed: most of the room for the longest text is empty
static hid_t create_dataset(hid_t location, const char *name, hid_t type, int count)
{
    hsize_t extent = (hsize_t)count;
    hid_t dataset = H5I_INVALID_HID, space = H5Screate_simple(1, &extent, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && creation >= 0 && H5Pset_chunk(creation, 1, &extent) >= 0 &&
        H5Pset_deflate(creation, DEFLATE_LEVEL) >= 0)
        dataset = H5Dcreate2(location, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (space >= 0)
        H5Sclose(space);
    if (creation >= 0)
        H5Pclose(creation);
    return dataset;
}

static bool write_list(hid_t location, const char *name, const char *data, size_t stride, int count)
{
    hid_t type = trmi_hdf5_text_type(stride);
    hid_t dataset = type >= 0 ? create_dataset(location, name, type, count) : H5I_INVALID_HID;
    bool done = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (dataset >= 0)
        H5Dclose(dataset);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

bool trmi_hdf5_put_list(hid_t location, const char *name, const char *const *text, int count)
{
    size_t stride = 1;
    for (int k = 0; k < count; k++)
        if (text[k] && strlen(text[k]) + 1 > stride)
            stride = strlen(text[k]) + 1;
    char *data = calloc((size_t)count + 1, stride);
    if (!data)
        return false;
    for (int k = 0; k < count; k++)
        if (text[k])
            strcpy(data + (size_t)k * stride, text[k]);
    bool done = write_list(location, name, data, stride, count);
    free(data);
    return done;
}

// ---- reading ----

// Others may have written texts without a zero at the end: in memory there is room for one.
static const char *read_list(hid_t dataset, hid_t stored, trmi_memory *memory, int64_t count,
                             size_t stride)
{
    char *data = trmi_memory_take(memory, (size_t)count, stride);
    hid_t type = H5Tcopy(stored);
    bool done = data && type >= 0 && H5Tset_size(type, stride) >= 0 &&
                H5Tset_strpad(type, H5T_STR_NULLTERM) >= 0 &&
                trmi_hdf5_read(dataset, type, &(trmi_hdf5_block){0, count, 0, 1}, data);
    if (type >= 0)
        H5Tclose(type);
    return done ? data : NULL;
}

trmi_text_list trmi_hdf5_get_list(hid_t location, const char *path, trmi_memory *memory)
{
    trmi_text_list list = {0};
    hid_t dataset = H5Dopen2(location, path, H5P_DEFAULT);
    hid_t stored = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
    if (stored >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0) {
        list.count = trmi_hdf5_rows(dataset);
        list.stride = H5Tget_size(stored) + 1;
    }
    if (list.count >= 0 && list.stride > 0)
        list.data = read_list(dataset, stored, memory, list.count, list.stride);
    if (stored >= 0)
        H5Tclose(stored);
    if (dataset >= 0)
        H5Dclose(dataset);
    return list.data ? list : (trmi_text_list){0};
}

const char *trmi_text_list_at(const trmi_text_list *list, int64_t index)
{
    return list->data + (size_t)index * list->stride;
}
