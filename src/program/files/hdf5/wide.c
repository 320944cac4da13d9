// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/wide.h"

#include "program/files/file_error.h"
#include "program/files/hdf5/checksum.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/layout.h"
#include "program/files/hdf5/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// A column lies in all chunks of its group. They are read once for as many columns as fit into
// so many values (32 MB), which become series together.
enum { VALUES_AT_ONCE = 1 << 22 };

// ---- channels ----

// rows and columns of the values, false when there are none
static bool find_shape(hid_t group, int64_t *rows, int64_t *columns)
{
    hid_t dataset = H5I_INVALID_HID;
    if (H5Lexists(group, TRMI_HDF5_VALUES, H5P_DEFAULT) > 0)
        dataset = H5Dopen2(group, TRMI_HDF5_VALUES, H5P_DEFAULT);
    if (dataset < 0)
        return false;
    bool known = trmi_hdf5_shape(dataset, rows, columns);
    H5Dclose(dataset);
    return known;
}

bool trmi_wide_is(hid_t group)
{
    int64_t rows, columns;
    if (find_shape(group, &rows, &columns))
        return columns > 1; // 1: a channel called "values"
    // values that cannot be opened, beside the names of their columns, are damaged ones
    return H5Lexists(group, TRMI_HDF5_VALUES, H5P_DEFAULT) > 0 &&
           H5Lexists(group, TRMI_HDF5_NAMES, H5P_DEFAULT) > 0;
}

// "" where the list is missing, "damaged" where it cannot be read
static const char *text_at(const trmi_text_list *list, hid_t group, const char *name, int64_t index)
{
    if (list->data)
        return trmi_text_list_at(list, index);
    return H5Lexists(group, name, H5P_DEFAULT) > 0 ? "damaged" : "";
}

static bool fits(const trmi_text_list *list, int64_t count)
{
    return !list->data || list->count == count;
}

static trm_status add_channels(const trmi_wide *wide, trmi_result *r, hid_t group, const char *name,
                               trmi_memory *memory, trm_error *error)
{
    trmi_text_list names = trmi_hdf5_get_list(group, TRMI_HDF5_NAMES, memory);
    trmi_text_list units = trmi_hdf5_get_list(group, TRMI_HDF5_UNITS, memory);
    trmi_text_list descriptions = trmi_hdf5_get_list(group, TRMI_HDF5_DESCRIPTIONS, memory);
    if (memory->failed)
        return trmi_result_no_memory(r, error);
    if (!names.data || !fits(&names, wide->width) || !fits(&units, wide->width) ||
        !fits(&descriptions, wide->width))
        return trmi_file_error_text(error, "read", r->path, "the file is damaged (names of %.100s)",
                                    wide->path);
    for (int k = 0; k < wide->width; k++) {
        const trmi_channel channel = {name, trmi_text_list_at(&names, k),
                                      text_at(&units, group, TRMI_HDF5_UNITS, k),
                                      text_at(&descriptions, group, TRMI_HDF5_DESCRIPTIONS, k)};
        if (!trmi_result_add_channel(r, &channel))
            return trmi_result_no_memory(r, error);
    }
    return TRM_OK;
}

trm_status trmi_wide_add(trmi_wide **list, trmi_result *result, hid_t group, const char *link,
                         const char *name, trm_error *error)
{
    trmi_wide *wide;
    int64_t rows = 0, columns = 0;
    char *path;
    size_t length = strlen(link);
    if (!TRMI_TAKE(&result->memory, path, length + sizeof "/" TRMI_HDF5_VALUES) ||
        !TRMI_TAKE(&result->memory, wide, 1))
        return trmi_result_no_memory(result, error);
    memcpy(path, link, length);
    strcpy(path + length, "/" TRMI_HDF5_VALUES);
    if (!find_shape(group, &rows, &columns) || columns > INT_MAX - result->channels ||
        !trmi_hdf5_can_hold(group, rows, (size_t)columns * sizeof(double)))
        return trmi_file_error_text(error, "read", result->path,
                                    "the file is damaged (size of %.100s)", path);
    *wide = (trmi_wide){*list, path, result->channels, (int)columns, rows, false};
    *list = wide;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_status status = add_channels(wide, result, group, name, &memory, error);
    trmi_memory_release_all(&memory);
    return status;
}

// ---- values ----

trmi_wide *trmi_wide_find(trmi_wide *list, int index)
{
    trmi_wide *wide = list;
    while (wide && (index < wide->first || index - wide->first >= wide->width))
        wide = wide->next;
    return wide;
}

// out := the block, column by column; buffer: for the rows of a chunk
static bool read_columns(hid_t dataset, const trmi_hdf5_block *block, int64_t chunk, double *buffer,
                         double *out)
{
    bool done = true;
    for (trmi_hdf5_block b = *block; b.row < block->rows && done; b.row += b.rows) {
        int64_t left = block->rows - b.row;
        b.rows = left < chunk ? left : chunk;
        done = trmi_hdf5_read(dataset, H5T_NATIVE_DOUBLE, &b, buffer);
        for (int64_t j = 0; j < b.columns; j++)
            for (int64_t i = 0; i < b.rows; i++)
                out[j * block->rows + b.row + i] = buffer[i * b.columns + j];
    }
    return done;
}

trm_status trmi_wide_load(trmi_wide *wide, trmi_result *result, hid_t file, int index,
                          trm_error *error)
{
    // the columns that are read together with this one
    int64_t count = wide->rows > 0 ? VALUES_AT_ONCE / wide->rows : wide->width;
    count = count < 1 ? 1 : count;
    int64_t column = index - wide->first, first = column - column % count;
    int64_t left = wide->width - first;
    const trmi_hdf5_block block = {
        .rows = wide->rows, .column = first, .columns = count < left ? count : left};
    int64_t chunk = trmi_hdf5_wide_chunk(wide->width);
    double *value, *buffer = malloc((size_t)(chunk * block.columns) * sizeof *buffer);
    if (!buffer || !TRMI_TAKE(&result->memory, value, block.rows * block.columns)) {
        free(buffer);
        return trmi_result_no_memory(result, error);
    }
    hid_t dataset = H5Dopen2(file, wide->path, H5P_DEFAULT);
    // all of them, once: a column lies in every chunk, so most of this is read anyway
    wide->intact = dataset >= 0 && (wide->intact || trmi_hdf5_intact(dataset));
    bool done = wide->intact && read_columns(dataset, &block, chunk, buffer, value);
    trmi_hdf5_close(dataset);
    free(buffer);
    if (!done)
        return trmi_file_error_text(error, "read", result->path, "%.100s is damaged", wide->path);
    trmi_series *series = result->series + wide->first + block.column;
    for (int64_t j = 0; j < block.columns; j++)
        series[j] = (trmi_series){value + j * block.rows, block.rows};
    return TRM_OK;
}
