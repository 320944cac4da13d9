// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/open.h"

#include "base/error.h"
#include "program/files/file_error.h"
#include "program/files/hdf5/text.h"

#include <stdlib.h>
#include <string.h>

static trm_status check_format(hid_t file, const char *path, trm_error *error)
{
    int version = 0;
    char *format = trmi_hdf5_get_text(file, "format");
    bool ours = format && strcmp(format, TRMI_HDF5_FORMAT) == 0 &&
                trmi_hdf5_get_integer(file, "format_version", &version);
    free(format);
    if (!ours)
        return trmi_file_error_text(error, "read", path,
                                    "it is an HDF5 file, but not a result of trammel");
    if (version <= TRMI_HDF5_VERSION)
        return TRM_OK;
    trmi_file_error_text(error, "read", path, "it has format version %d, this program knows %d",
                         version, TRMI_HDF5_VERSION);
    trmi_error_advise(error, "use a newer version of trammel");
    return TRM_ERR_RESULT;
}

// A file that is being written, or whose writer was killed. What the writer is just changing is
// tried again, each time after twice the pause: 25 times make 0.1 s. The 100 times of HDF5 would
// not end for something that stays damaged.
static hid_t open_while_written(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (access < 0)
        return file;
    if (H5Pset_metadata_read_attempts(access, 25) >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    H5Pclose(access);
    return file;
}

// A file that ends too early is told by HDF5 as "truncated file: eof = 100, ..., stored_eof =
// 5000".
static void tell_unreadable(trm_error *error, const char *path, const char *reason)
{
    const char *there = strstr(reason, "eof = "), *wanted = strstr(reason, "stored_eof = ");
    if (there && wanted && strstr(reason, "truncated"))
        trmi_file_error_text(error, "read", path,
                             "the file is cut off: %ld bytes are there, %ld were written",
                             strtol(there + strlen("eof = "), NULL, 10),
                             strtol(wanted + strlen("stored_eof = "), NULL, 10));
    else
        trmi_file_error_text(error, "read", path, "the file is damaged (%s)", reason);
}

hid_t trmi_hdf5_open(const char *path, trm_error *error)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // we tell errors ourselves
    char reason[160];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        trmi_hdf5_reason(reason, sizeof reason);
        file = open_while_written(path);
    }
    if (file < 0) {
        tell_unreadable(error, path, reason);
        return file;
    }
    if (check_format(file, path, error) == TRM_OK)
        return file;
    H5Fclose(file);
    return H5I_INVALID_HID;
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

// Both spaces get the same number of dimensions: else HDF5 goes from value to value. With one
// dimension it looks at the rows only.
bool trmi_hdf5_read(hid_t dataset, hid_t type, const trmi_hdf5_block *block, void *out)
{
    const hsize_t start[] = {(hsize_t)block->row, (hsize_t)block->column};
    const hsize_t count[] = {(hsize_t)block->rows, (hsize_t)block->columns};
    if (block->rows == 0 || block->columns == 0)
        return true;
    hid_t file = H5Dget_space(dataset);
    int dimensions = file >= 0 ? H5Sget_simple_extent_ndims(file) : 0;
    if (dimensions < 1 || dimensions > 2) {
        if (file >= 0)
            H5Sclose(file);
        return false;
    }
    hid_t memory = H5Screate_simple(dimensions, count, NULL);
    bool done = memory >= 0 &&
                H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dread(dataset, type, memory, file, H5P_DEFAULT, out) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    H5Sclose(file);
    return done;
}
