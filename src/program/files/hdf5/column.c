// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/column.h"

#include "program/files/crc32.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/text.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t no_filters = 0x7; // skip shuffle, deflate and checksum

static int dimensions(int64_t width)
{
    return width > 1 ? 2 : 1;
}

static bool take_buffer(trmi_hdf5_column *column, hid_t type, int64_t width, int64_t chunk)
{
    column->type = type;
    column->plain = H5Tequal(type, H5T_NATIVE_FLOAT) > 0; // errors
    column->width = width;
    column->size = H5Tget_size(type) * (size_t)width;
    column->chunk = chunk;
    column->buffer = calloc((size_t)chunk, column->size);
    return column->buffer != NULL;
}

// ---- creation ----

// The cache of HDF5 holds one chunk: ours are written whole.
static hid_t dataset_access(void)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access >= 0)
        H5Pset_chunk_cache(access, 1, 0, 1);
    return access;
}

static hid_t create_dataset(hid_t location, const trmi_column_plan *plan)
{
    const int rank = dimensions(plan->width);
    const hsize_t none[] = {0, (hsize_t)plan->width};
    const hsize_t maximum[] = {H5S_UNLIMITED, (hsize_t)plan->width};
    const hsize_t chunk[] = {(hsize_t)plan->chunk, (hsize_t)plan->width};
    hid_t dataset = H5I_INVALID_HID, space = H5Screate_simple(rank, none, maximum);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = dataset_access();
    trmi_text link = {0};
    trmi_hdf5_add_name(&link, plan->name);
    if (!link.failed && space >= 0 && access >= 0 && H5Pset_chunk(creation, rank, chunk) >= 0 &&
        H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, TRMI_HDF5_DEFLATE) >= 0 &&
        H5Pset_fletcher32(creation) >= 0)
        dataset = H5Dcreate2(location, link.data, plan->type, space, H5P_DEFAULT, creation, access);
    trmi_text_free(&link);
    trmi_hdf5_close(space);
    trmi_hdf5_close(creation);
    trmi_hdf5_close(access);
    return dataset;
}

bool trmi_column_create(trmi_hdf5_column *column, hid_t location, const trmi_column_plan *plan)
{
    *column = (trmi_hdf5_column){.dataset = H5I_INVALID_HID};
    if (!take_buffer(column, plan->type, plan->width, plan->chunk))
        return false;
    column->dataset = create_dataset(location, plan);
    column->sum[TRMI_SUM_UNIT] = trmi_text_sum(plan->unit);
    column->sum[TRMI_SUM_DESCRIPTION] = trmi_text_sum(plan->description);
    return column->dataset >= 0 && trmi_hdf5_put_sums(column->dataset, column->sum, TRMI_SUMS) &&
           (!plan->unit || trmi_hdf5_put_text(column->dataset, "units", plan->unit)) &&
           (!plan->description ||
            trmi_hdf5_put_text(column->dataset, "description", plan->description));
}

// ---- opening ----

bool trmi_column_open(trmi_hdf5_column *column, hid_t location, const char *path, hid_t type,
                      int64_t width)
{
    hid_t access = dataset_access();
    *column = (trmi_hdf5_column){.dataset = H5Dopen2(location, path, access)};
    trmi_hdf5_close(access);
    // chunks are whole rows
    hsize_t extent[2] = {0, 1};
    hid_t creation = column->dataset >= 0 ? H5Dget_create_plist(column->dataset) : H5I_INVALID_HID;
    bool chunked = creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED &&
                   H5Pget_chunk(creation, 2, extent) == dimensions(width) &&
                   extent[0] < INT32_MAX && extent[1] == (hsize_t)width;
    trmi_hdf5_close(creation);
    int64_t rows, found, chunk = chunked ? (int64_t)extent[0] : 0;
    if (chunk == 0 || !take_buffer(column, type, width, chunk) ||
        !trmi_hdf5_shape(column->dataset, &rows, &found) || found != width)
        return false;
    column->rows = column->on_file = rows;
    const trmi_hdf5_block tail = {rows - rows % chunk, rows % chunk, 0, width};
    return trmi_hdf5_get_sums(column->dataset, column->sum, TRMI_SUMS) &&
           trmi_hdf5_read(column->dataset, type, &tail, column->buffer);
}

void trmi_column_close(trmi_hdf5_column *column)
{
    if (column->dataset > 0)
        H5Dclose(column->dataset);
    free(column->buffer);
    *column = (trmi_hdf5_column){0};
}

// ---- data ----

static bool grow(trmi_hdf5_column *column)
{
    const hsize_t extent[] = {(hsize_t)column->rows, (hsize_t)column->width};
    column->on_file = column->sum[TRMI_SUM_ROWS] = column->rows;
    return H5Dset_extent(column->dataset, extent) >= 0 &&
           trmi_hdf5_set_sums(column->dataset, column->sum, TRMI_SUMS);
}

// The buffer, from row `first` of the dataset on.
static bool write_compressed(trmi_hdf5_column *column, int64_t first)
{
    const hsize_t start[] = {(hsize_t)first, 0};
    const hsize_t count[] = {(hsize_t)column->chunk, (hsize_t)column->width};
    hid_t file = H5Dget_space(column->dataset);
    hid_t memory = H5Screate_simple(dimensions(column->width), count, NULL);
    bool done =
        file >= 0 && memory >= 0 &&
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        H5Dwrite(column->dataset, column->type, memory, file, H5P_DEFAULT, column->buffer) >= 0;
    trmi_hdf5_close(file);
    trmi_hdf5_close(memory);
    return done;
}

static bool write_plain(trmi_hdf5_column *column, int64_t first)
{
    const hsize_t start[] = {(hsize_t)first, 0};
    return H5Dwrite_chunk(column->dataset, H5P_DEFAULT, no_filters, start,
                          (size_t)column->chunk * column->size, column->buffer) >= 0;
}

// A full chunk whose first rows were flushed has its place in the file already; compressed it would
// need another one, and the first would be lost. It has no checksum of HDF5 either, which would not
// fit the rows while they are written; that of all rows counts those that it knows.
bool trmi_column_append(trmi_hdf5_column *column, const void *row)
{
    int64_t place = column->rows++ % column->chunk;
    memcpy(column->buffer + (size_t)place * column->size, row, column->size);
    column->sum[TRMI_SUM_VALUES] =
        trmi_crc32((uint32_t)column->sum[TRMI_SUM_VALUES], row, column->size);
    if (place + 1 < column->chunk)
        return true;
    int64_t first = column->rows - column->chunk;
    bool plain = column->plain || column->on_file > first;
    return grow(column) && (plain ? write_plain(column, first) : write_compressed(column, first));
}

bool trmi_column_flush(trmi_hdf5_column *column)
{
    if (column->on_file == column->rows)
        return true;
    return grow(column) && write_plain(column, column->rows - column->rows % column->chunk);
}
