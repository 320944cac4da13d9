// SPDX-License-Identifier: Apache-2.0
// The beginning of an earlier file, for a run that goes on after a checkpoint. Copying costs one
// pass over the old data, but works from a file of a killed run too, and the old file stays as it
// is until the new one is complete.
#include "results/hdf5_columns.h"

#include "base/error.h"
#include "results/file_error.h"
#include "results/hdf5_open.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

typedef struct copy_source {
    hid_t file;
    const char *path;
} copy_source;

static trm_status tell_short(const copy_source *old, const char *column, int64_t wanted,
                             int64_t found, trm_error *error)
{
    trmi_file_error_text(error, "continue", old->path,
                         "%.60s has %" PRId64 " entries, the checkpoint wants %" PRId64, column,
                         found, wanted);
    trmi_error_advise(error, "use the result file that belongs to the checkpoint");
    return TRM_ERR_RESULT;
}

// the first `count` values of a dataset, a chunk at a time; false when HDF5 fails
static bool copy_values(trmi_column *column, hid_t dataset, int64_t count)
{
    char *block = malloc((size_t)column->chunk * column->size);
    bool done = block != NULL;
    for (int64_t first = 0; first < count && done; first += column->chunk) {
        int64_t rows = count - first < column->chunk ? count - first : column->chunk;
        done = trmi_hdf5_read_rows(dataset, column->type, first, rows, block);
        for (int64_t i = 0; i < rows && done; i++)
            done = trmi_column_append(column, block + (size_t)i * column->size);
    }
    free(block);
    return done;
}

static trm_status copy_column(trmi_column *column, const copy_source *old, int64_t count,
                              trm_error *error)
{
    char path[256] = ""; // of the new dataset and of the old one
    ssize_t length = H5Iget_name(column->dataset, path, sizeof path);
    char *long_path = length >= (ssize_t)sizeof path ? malloc((size_t)length + 1) : NULL;
    if (long_path)
        H5Iget_name(column->dataset, long_path, (size_t)length + 1);
    hid_t dataset = H5Dopen2(old->file, long_path ? long_path : path, H5P_DEFAULT);
    free(long_path);
    if (dataset < 0)
        return trmi_file_error_text(error, "continue", old->path,
                                    "it was written with other channels, %.100s is missing", path);
    int64_t rows = trmi_hdf5_rows(dataset);
    trm_status status = TRM_OK;
    if (rows < count)
        status = tell_short(old, path, count, rows, error);
    else if (!copy_values(column, dataset, count))
        status =
            trmi_file_error_text(error, "continue", old->path, "%.100s cannot be copied", path);
    H5Dclose(dataset);
    return status;
}

trm_status trmi_hdf5_columns_copy(trmi_hdf5_columns *columns, const char *path,
                                  const trmi_resume *count, trm_error *error)
{
    copy_source old = {trmi_hdf5_open(path, error), path};
    if (old.file < 0)
        return TRM_ERR_RESULT;
    trmi_column *event[] = {&columns->event_t, &columns->event_name, &columns->event_text};
    trm_status status = copy_column(&columns->time, &old, count->rows, error);
    for (int k = 0; k < columns->channels && status == TRM_OK; k++)
        status = copy_column(&columns->channel[k], &old, count->rows, error);
    for (int k = 0; k < TRMI_STEP_COLUMNS && status == TRM_OK; k++)
        status = copy_column(&columns->step[k], &old, count->steps, error);
    for (int k = 0; k < 3 && status == TRM_OK; k++)
        status = copy_column(event[k], &old, count->events, error);
    H5Fclose(old.file);
    return status;
}
