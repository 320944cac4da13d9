// SPDX-License-Identifier: Apache-2.0
// The beginning of an earlier file, for a run that goes on after a checkpoint. Copying costs one
// pass over the old data, but works from a file of a killed run too, and the old file stays as it
// is until the new one is complete.
#include "program/files/hdf5/columns.h"

#include "base/error.h"
#include "program/files/file_error.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/open.h"
#include "program/files/hdf5/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct copy_source {
    hid_t file, new_file;
    const char *path;
} copy_source;

// the first `count` rows of a dataset, a chunk at a time; false when HDF5 fails
static bool copy_rows(trmi_hdf5_column *column, hid_t dataset, int64_t count)
{
    char *rows = malloc((size_t)column->chunk * column->size);
    bool done = rows != NULL;
    for (int64_t first = 0; first < count && done; first += column->chunk) {
        int64_t left = count - first;
        const trmi_hdf5_block block = {first, left < column->chunk ? left : column->chunk, 0,
                                       column->width};
        done = trmi_hdf5_read(dataset, column->type, &block, rows);
        for (int64_t i = 0; i < block.rows && done; i++)
            done = trmi_column_append(column, rows + (size_t)i * column->size);
    }
    free(rows);
    return done;
}

// whether the columns of a wide dataset, "/group/values", have the same names in both files
static bool same_names(const copy_source *old, const char *path)
{
    trmi_memory memory;
    trmi_text names = {0};
    trmi_memory_init(&memory, NULL);
    trmi_text_add_bytes(&names, path, (size_t)(strrchr(path, '/') + 1 - path));
    trmi_text_add(&names, TRMI_HDF5_NAMES);
    bool same = !names.failed;
    if (same) {
        trmi_text_list ours = trmi_hdf5_get_list(old->new_file, names.data, &memory);
        trmi_text_list theirs = trmi_hdf5_get_list(old->file, names.data, &memory);
        same = ours.data && theirs.data && ours.count == theirs.count;
        for (int64_t k = 0; k < ours.count && same; k++)
            same = strcmp(trmi_text_list_at(&ours, k), trmi_text_list_at(&theirs, k)) == 0;
    }
    trmi_text_free(&names);
    trmi_memory_release_all(&memory);
    return same;
}

// from the dataset at the same path in the old file
static trm_status copy_dataset(trmi_hdf5_column *column, const copy_source *old, const char *path,
                               hid_t dataset, int64_t count, trm_error *error)
{
    int64_t rows, width;
    if (!trmi_hdf5_shape(dataset, &rows, &width) || width != column->width ||
        (width > 1 && !same_names(old, path)))
        return trmi_file_error_text(error, "continue", old->path,
                                    "it was written with other channels in %.100s", path);
    if (rows < count) {
        trmi_file_error_text(error, "continue", old->path,
                             "%.60s has %" PRId64 " entries, the checkpoint needs %" PRId64, path,
                             rows, count);
        trmi_error_advise(error, "use the result file that belongs to the checkpoint");
        return TRM_ERR_RESULT;
    }
    if (!trmi_hdf5_intact(dataset))
        return trmi_file_error_text(error, "continue", old->path, "%.100s is damaged", path);
    if (!copy_rows(column, dataset, count))
        return trmi_file_error_text(error, "continue", old->path, "%.100s cannot be copied", path);
    return TRM_OK;
}

static trm_status copy_column(trmi_hdf5_column *column, const copy_source *old, int64_t count,
                              trm_error *error)
{
    ssize_t length = H5Iget_name(column->dataset, NULL, 0);
    char *path = length > 0 ? malloc((size_t)length + 1) : NULL; // in the new file and the old one
    if (!path || H5Iget_name(column->dataset, path, (size_t)length + 1) != length) {
        free(path);
        return trmi_file_error(error, "continue", old->path, ENOMEM);
    }
    trm_status status;
    hid_t dataset = H5Dopen2(old->file, path, H5P_DEFAULT);
    if (dataset < 0) {
        status =
            trmi_file_error_text(error, "continue", old->path,
                                 "it was written with other channels, %.100s is missing", path);
    } else {
        status = copy_dataset(column, old, path, dataset, count, error);
        H5Dclose(dataset);
    }
    free(path);
    return status;
}

trm_status trmi_hdf5_columns_copy(trmi_hdf5_columns *columns, const char *path,
                                  const trmi_resume *count, trm_error *error)
{
    copy_source old = {trmi_hdf5_open(path, error), columns->file, path};
    if (old.file < 0)
        return TRM_ERR_RESULT;
    const int steps = trmi_hdf5_first_step(columns), events = steps + TRMI_STEP_COLUMNS;
    const int errors = steps - columns->error_parts; // found again by the companion, from the start
    trm_status status = TRM_OK;
    for (int k = 0; k < columns->count && status == TRM_OK; k++)
        if (k < errors || k >= steps)
            status = copy_column(&columns->column[k], &old,
                                 k < steps    ? count->rows
                                 : k < events ? count->steps
                                              : count->events,
                                 error);
    H5Fclose(old.file);
    return status;
}
