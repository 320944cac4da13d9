// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/dataset.h"

void trmi_hdf5_close(hid_t object)
{
    if (object >= 0)
        H5Idec_ref(object);
}

bool trmi_hdf5_shape(hid_t dataset, int64_t *rows, int64_t *columns)
{
    hsize_t extent[2] = {0, 1};
    hid_t space = H5Dget_space(dataset);
    if (space < 0)
        return false;
    int dimensions = H5Sget_simple_extent_ndims(space);
    bool known = (dimensions == 1 || dimensions == 2) &&
                 H5Sget_simple_extent_dims(space, extent, NULL) == dimensions;
    H5Sclose(space);
    *rows = (int64_t)extent[0];
    *columns = (int64_t)extent[1];
    return known && (dimensions == 1 || extent[1] > 1);
}

int64_t trmi_hdf5_rows(hid_t dataset)
{
    int64_t rows, columns;
    return trmi_hdf5_shape(dataset, &rows, &columns) && columns == 1 ? rows : -1;
}

// The type in memory; texts, which are marked as ASCII or as UTF-8, as in the file. To be closed.
static hid_t memory_type(hid_t dataset, hid_t type)
{
    hid_t own = H5Tcopy(type);
    if (own < 0 || H5Tget_class(own) != H5T_STRING)
        return own;
    hid_t stored = H5Dget_type(dataset);
    if (stored >= 0 && H5Tget_class(stored) == H5T_STRING)
        H5Tset_cset(own, H5Tget_cset(stored));
    trmi_hdf5_close(stored);
    return own;
}

bool trmi_hdf5_can_hold(hid_t object, int64_t rows, size_t size)
{
    enum { DEFLATE = 1032 }; // the highest ratio of deflate: 258 bytes from two bits
    hsize_t bytes = 0;
    hid_t file = H5Iget_file_id(object);
    bool known = file >= 0 && H5Fget_filesize(file, &bytes) >= 0;
    trmi_hdf5_close(file);
    return known && rows >= 0 && (double)rows * (double)size <= (double)DEFLATE * (double)bytes;
}

// Both spaces get the same number of dimensions: else HDF5 goes from value to value. With one
// dimension only the rows count.
bool trmi_hdf5_read(hid_t dataset, hid_t type, const trmi_hdf5_block *block, void *out)
{
    const hsize_t start[] = {(hsize_t)block->row, (hsize_t)block->column};
    const hsize_t count[] = {(hsize_t)block->rows, (hsize_t)block->columns};
    if (block->rows == 0 || block->columns == 0)
        return true;
    hid_t file = H5Dget_space(dataset);
    int dimensions = file >= 0 ? H5Sget_simple_extent_ndims(file) : 0;
    bool possible = dimensions == 1 || dimensions == 2;
    hid_t memory = possible ? H5Screate_simple(dimensions, count, NULL) : H5I_INVALID_HID;
    hid_t own = memory_type(dataset, type);
    bool done = memory >= 0 && own >= 0 &&
                H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dread(dataset, own, memory, file, H5P_DEFAULT, out) >= 0;
    trmi_hdf5_close(own);
    trmi_hdf5_close(memory);
    trmi_hdf5_close(file);
    return done;
}
