// SPDX-License-Identifier: Apache-2.0
#include "results/hdf5_column.h"

#include "results/hdf5_open.h"
#include "results/hdf5_text.h"

#include <stdlib.h>
#include <string.h>

enum { DEFLATE_LEVEL = 4 };
static const uint32_t no_filters = 0x3; // skip shuffle and deflate

static bool take_buffer(trmi_column *column, hid_t type, int64_t chunk)
{
    column->type = type;
    column->size = H5Tget_size(type);
    column->chunk = chunk;
    column->buffer = calloc((size_t)chunk, column->size);
    return column->buffer != NULL;
}

// The cache of HDF5 holds one chunk: ours are written whole.
static hid_t dataset_access(void)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access >= 0)
        H5Pset_chunk_cache(access, 1, 0, 1);
    return access;
}

static hid_t dataset_creation(int64_t chunk)
{
    hsize_t rows = (hsize_t)chunk;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (creation >= 0 && H5Pset_chunk(creation, 1, &rows) >= 0 && H5Pset_shuffle(creation) >= 0 &&
        H5Pset_deflate(creation, DEFLATE_LEVEL) >= 0)
        return creation;
    if (creation >= 0)
        H5Pclose(creation);
    return H5I_INVALID_HID;
}

bool trmi_column_create(trmi_column *column, hid_t location, const char *name, hid_t type,
                        int64_t chunk, const char *unit, const char *description)
{
    *column = (trmi_column){.dataset = H5I_INVALID_HID};
    if (!take_buffer(column, type, chunk))
        return false;
    hsize_t none = 0, unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &none, &unlimited);
    hid_t creation = dataset_creation(chunk), access = dataset_access();
    if (space >= 0 && creation >= 0 && access >= 0)
        column->dataset = H5Dcreate2(location, name, type, space, H5P_DEFAULT, creation, access);
    if (space >= 0)
        H5Sclose(space);
    if (creation >= 0)
        H5Pclose(creation);
    if (access >= 0)
        H5Pclose(access);
    return column->dataset >= 0 && (!unit || trmi_hdf5_put_text(column->dataset, "unit", unit)) &&
           (!description || trmi_hdf5_put_text(column->dataset, "description", description));
}

// rows of a chunk of an existing dataset with one dimension, 0 when it is none of ours
static int64_t chunk_of(hid_t dataset)
{
    hsize_t chunk = 0;
    hid_t creation = H5Dget_create_plist(dataset);
    if (creation < 0)
        return 0;
    bool chunked = H5Pget_layout(creation) == H5D_CHUNKED &&
                   H5Pget_chunk(creation, 1, &chunk) == 1 && chunk < INT32_MAX;
    H5Pclose(creation);
    return chunked ? (int64_t)chunk : 0;
}

bool trmi_column_open(trmi_column *column, hid_t location, const char *path, hid_t type)
{
    hid_t access = dataset_access();
    *column = (trmi_column){.dataset = H5Dopen2(location, path, access)};
    if (access >= 0)
        H5Pclose(access);
    int64_t chunk = column->dataset >= 0 ? chunk_of(column->dataset) : 0;
    if (chunk == 0 || !take_buffer(column, type, chunk))
        return false;
    column->rows = column->on_file = trmi_hdf5_rows(column->dataset);
    int64_t tail = column->rows % chunk;
    return column->rows >= 0 &&
           trmi_hdf5_read_rows(column->dataset, type, column->rows - tail, tail, column->buffer);
}

void trmi_column_close(trmi_column *column)
{
    if (column->dataset > 0)
        H5Dclose(column->dataset);
    free(column->buffer);
    *column = (trmi_column){0};
}

static bool grow(trmi_column *column)
{
    hsize_t rows = (hsize_t)column->rows;
    column->on_file = column->rows;
    return H5Dset_extent(column->dataset, &rows) >= 0;
}

// the full buffer, compressed
static bool write_chunk(trmi_column *column)
{
    hsize_t rows = (hsize_t)column->chunk, first = (hsize_t)(column->rows - column->chunk);
    hid_t file = H5Dget_space(column->dataset), memory = H5Screate_simple(1, &rows, NULL);
    bool done =
        file >= 0 && memory >= 0 &&
        H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &rows, NULL) >= 0 &&
        H5Dwrite(column->dataset, column->type, memory, file, H5P_DEFAULT, column->buffer) >= 0;
    if (file >= 0)
        H5Sclose(file);
    if (memory >= 0)
        H5Sclose(memory);
    return done;
}

bool trmi_column_append(trmi_column *column, const void *value)
{
    int64_t place = column->rows++ % column->chunk;
    memcpy(column->buffer + (size_t)place * column->size, value, column->size);
    if (place + 1 < column->chunk)
        return true;
    return grow(column) && write_chunk(column);
}

bool trmi_column_flush(trmi_column *column)
{
    if (column->on_file == column->rows)
        return true;
    hsize_t first = (hsize_t)(column->rows - column->rows % column->chunk);
    return grow(column) &&
           H5Dwrite_chunk(column->dataset, H5P_DEFAULT, no_filters, &first,
                          (size_t)column->chunk * column->size, column->buffer) >= 0;
}
