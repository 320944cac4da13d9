// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/checksum.h"

#include "program/files/crc32.h"
#include "program/files/hdf5/dataset.h"

#include <stdlib.h>
#include <string.h>

#define NAME "crc32"

int64_t trmi_text_sum(const char *text)
{
    return text ? trmi_crc32(0, text, strlen(text)) : 0; // that of "" is 0
}

// ---- attribute ----

bool trmi_hdf5_put_sums(hid_t object, const int64_t *sum, int count)
{
    const hsize_t extent = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &extent, NULL);
    hid_t attribute = H5Acreate2(object, NAME, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, sum) >= 0;
    trmi_hdf5_close(attribute);
    trmi_hdf5_close(space);
    return done;
}

// an attribute with so many whole numbers, else a negative number
static hid_t open_sums(hid_t object, int count)
{
    hid_t attribute = H5Aopen(object, NAME, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool ours = type >= 0 && H5Tget_class(type) == H5T_INTEGER && space >= 0 &&
                H5Sget_simple_extent_npoints(space) == count;
    trmi_hdf5_close(type);
    trmi_hdf5_close(space);
    if (ours)
        return attribute;
    trmi_hdf5_close(attribute);
    return H5I_INVALID_HID;
}

bool trmi_hdf5_set_sums(hid_t object, const int64_t *sum, int count)
{
    hid_t attribute = open_sums(object, count);
    bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, sum) >= 0;
    trmi_hdf5_close(attribute);
    return done;
}

bool trmi_hdf5_get_sums(hid_t object, int64_t *sum, int count)
{
    memset(sum, 0, (size_t)count * sizeof *sum);
    htri_t exists = H5Aexists(object, NAME);
    if (exists <= 0)
        return exists == 0;
    hid_t attribute = open_sums(object, count);
    bool done = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, sum) >= 0;
    trmi_hdf5_close(attribute);
    return done;
}

// ---- rows ----

// whether the bytes in memory are those of the file: there are numbers of this machine and texts
static bool as_in_file(hid_t type)
{
    return type >= 0 &&
           (H5Tget_class(type) == H5T_STRING || H5Tequal(type, H5T_NATIVE_DOUBLE) > 0 ||
            H5Tequal(type, H5T_NATIVE_FLOAT) > 0 || H5Tequal(type, H5T_NATIVE_INT64) > 0);
}

// the sum of the first `rows` rows, read some at a time; false when they cannot be read
static bool sum_rows(hid_t dataset, hid_t type, int64_t rows, int64_t columns, uint32_t *sum)
{
    enum { BYTES = 1 << 18 };
    const size_t size = H5Tget_size(type) * (size_t)columns;
    const int64_t at_once = size < BYTES ? (int64_t)(BYTES / size) : 1;
    char *buffer = malloc((size_t)at_once * size);
    bool done = buffer != NULL;
    *sum = 0;
    for (int64_t row = 0; row < rows && done; row += at_once) {
        int64_t left = rows - row;
        const trmi_hdf5_block block = {row, left < at_once ? left : at_once, 0, columns};
        done = trmi_hdf5_read(dataset, type, &block, buffer);
        if (done)
            *sum = trmi_crc32(*sum, buffer, (size_t)block.rows * size);
    }
    free(buffer);
    return done;
}

bool trmi_hdf5_intact(hid_t dataset)
{
    int64_t sum[TRMI_SUMS], rows, columns;
    uint32_t found = 0;
    if (!trmi_hdf5_get_sums(dataset, sum, TRMI_SUMS) || !trmi_hdf5_shape(dataset, &rows, &columns))
        return false;
    if (sum[TRMI_SUM_ROWS] <= 0 || sum[TRMI_SUM_ROWS] > rows)
        return true;
    hid_t type = H5Dget_type(dataset);
    bool good =
        !as_in_file(type) || (sum_rows(dataset, type, sum[TRMI_SUM_ROWS], columns, &found) &&
                              found == (uint32_t)sum[TRMI_SUM_VALUES]);
    trmi_hdf5_close(type);
    return good;
}

bool trmi_hdf5_intact_values(hid_t dataset, const double *value, int64_t rows)
{
    int64_t sum[TRMI_SUMS];
    hid_t type = H5Dget_type(dataset);
    bool same = type >= 0 && H5Tequal(type, H5T_NATIVE_DOUBLE) > 0;
    trmi_hdf5_close(type);
    if (!same)
        return trmi_hdf5_intact(dataset);
    if (!trmi_hdf5_get_sums(dataset, sum, TRMI_SUMS))
        return false;
    int64_t counted = sum[TRMI_SUM_ROWS];
    return counted <= 0 || counted > rows ||
           trmi_crc32(0, value, (size_t)counted * sizeof *value) == (uint32_t)sum[TRMI_SUM_VALUES];
}
