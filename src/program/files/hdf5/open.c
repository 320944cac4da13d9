// SPDX-License-Identifier: Apache-2.0
#include "program/files/hdf5/open.h"

#include "base/error.h"
#include "program/files/file_error.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static trm_status check_format(hid_t file, const char *path, trm_error *error)
{
    int version = 0;
    char *format;
    if (!trmi_hdf5_get_text(file, "format", &format))
        return trmi_file_error(error, "read", path, ENOMEM);
    bool ours = format && strcmp(format, TRMI_HDF5_FORMAT) == 0 &&
                trmi_hdf5_get_integer(file, "format_version", &version);
    bool study = format && strcmp(format, "trammel study") == 0;
    free(format);
    if (study) {
        trmi_file_error_text(error, "read", path, "it is the table of a study, not of one run");
        trmi_error_advise(error, "read the CSV file beside it, or the datasets with h5py; "
                                 "trammel sweep STUDY --report PAGE.html shows it");
        return TRM_ERR_RESULT;
    }
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

// HDF5 reports a file that ends too early as "truncated file: eof = 100, ..., stored_eof = 5000".
static void report_unreadable(trm_error *error, const char *path, const char *reason)
{
    const char *there = strstr(reason, "eof = "), *written = strstr(reason, "stored_eof = ");
    if (there && written && strstr(reason, "truncated"))
        trmi_file_error_text(error, "read", path,
                             "the file is cut off: %ld bytes are there, %ld were written",
                             strtol(there + strlen("eof = "), NULL, 10),
                             strtol(written + strlen("stored_eof = "), NULL, 10));
    else
        trmi_file_error_text(error, "read", path, "the file is damaged (%s)", reason);
}

hid_t trmi_hdf5_open(const char *path, trm_error *error)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // errors are reported by the program
    char reason[160];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        trmi_hdf5_reason(reason, sizeof reason);
        // The file is being written, or its writer was killed. What the writer is just changing is
        // tried again, each time after twice the pause: 25 times make 0.1 s. The 100 times of HDF5
        // would not end for something that stays damaged.
        hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        if (access >= 0 && H5Pset_metadata_read_attempts(access, 25) >= 0)
            file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
        trmi_hdf5_close(access);
    }
    if (file < 0) {
        report_unreadable(error, path, reason);
        return file;
    }
    if (check_format(file, path, error) == TRM_OK)
        return file;
    H5Fclose(file);
    return H5I_INVALID_HID;
}
