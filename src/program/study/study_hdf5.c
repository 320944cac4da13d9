// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/study_hdf5.h"

#include "base/error.h"
#include "program/files/disk.h"
#include "program/files/file_error.h"
#include "program/files/hdf5/column.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/scale.h"
#include "program/files/hdf5/text.h"
#include "trammel/version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_ROWS = 4096 };

// groups of the kinds of columns
static const char *const group[] = {[TRMI_STUDY_RUN] = "/",
                                    [TRMI_STUDY_PARAMETER] = "/parameter",
                                    [TRMI_STUDY_OUTCOME] = "/outcome",
                                    [TRMI_STUDY_RECORDED] = "/recorded",
                                    [TRMI_STUDY_CHANNEL] = "/channel",
                                    [TRMI_STUDY_END] = "/outcome"};

static hid_t open_group(hid_t file, const char *path)
{
    if (path[1] == '\0' || H5Lexists(file, path, H5P_DEFAULT) > 0)
        return H5Gopen2(file, path, H5P_DEFAULT);
    return H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool put_numbers(trmi_hdf5_column *out, const trmi_study_column *c, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        if (!trmi_column_append(out, &c->value[i * c->width]))
            return false;
    return trmi_column_flush(out);
}

static bool put_texts(trmi_hdf5_column *out, const trmi_study_column *c, int64_t rows, size_t size)
{
    char *field = calloc(size, 1);
    bool good = field != NULL;
    for (int64_t i = 0; i < rows && good; i++) {
        memset(field, 0, size);
        memcpy(field, c->text[i], strlen(c->text[i]));
        good = trmi_column_append(out, field);
    }
    free(field);
    return good && trmi_column_flush(out);
}

// a dataset for a column; false: HDF5 has the reason
static bool put_column(hid_t file, const trmi_study_column *c, int64_t rows, hid_t scale,
                       hid_t time)
{
    size_t size = 1;
    for (int64_t i = 0; i < rows && c->text; i++)
        size = strlen(c->text[i]) + 1 > size ? strlen(c->text[i]) + 1 : size;
    hid_t type = c->text ? trmi_hdf5_text_type(size, false) : H5Tcopy(H5T_NATIVE_DOUBLE);
    hid_t location = open_group(file, group[c->kind]);
    const trmi_column_plan plan = {.name = c->name,
                                   .type = type,
                                   .width = c->width,
                                   .chunk = c->width < CHUNK_ROWS ? CHUNK_ROWS / c->width : 1,
                                   .unit = c->unit};
    trmi_hdf5_column out = {0};
    bool good = type >= 0 && location >= 0 && trmi_column_create(&out, location, &plan);
    if (good)
        good = c->text ? put_texts(&out, c, rows, size) : put_numbers(&out, c, rows);
    if (good && scale >= 0)
        good = trmi_hdf5_use_scales(out.dataset, scale, c->width > 1 ? time : -1);
    if (good && scale < 0)
        good = trmi_hdf5_make_scale(out.dataset, c->name);
    trmi_column_close(&out);
    trmi_hdf5_close(type);
    trmi_hdf5_close(location);
    return good;
}

void trmi_study_hdf5_path(trmi_text *out, const trmi_study_column *c)
{
    const char *in = group[c->kind];
    TRMI_TEXT_ADD(out, in, in[1] ? "/" : "");
    trmi_hdf5_add_name(out, c->name);
}

bool trmi_study_hdf5_head(hid_t file, const trmi_plan *plan, hid_t *time)
{
    size_t length;
    const char *model = trm_model_text(plan->model, &length);
    const char *study = trmi_document_text(plan->study->document, &length);
    bool good = trmi_hdf5_put_text(file, "format", "trammel study") &&
                trmi_hdf5_put_integer(file, "format_version", 1) &&
                trmi_hdf5_put_text(file, "program", trm_version()) &&
                trmi_hdf5_put_text_dataset(file, "study", study, length) &&
                trmi_hdf5_put_text_dataset(file, "model", model, strlen(model));
    const trmi_study_column times = {
        .kind = TRMI_STUDY_RUN, .name = "time", .unit = "s", .width = 1, .value = plan->time};
    *time = H5I_INVALID_HID;
    if (!good || plan->times == 0)
        return good;
    good = put_column(file, &times, plan->times, -1, -1);
    *time = good ? H5Dopen2(file, "time", H5P_DEFAULT) : H5I_INVALID_HID;
    return good;
}

static bool put_all(hid_t file, const trmi_plan *plan, const trmi_study_data *data)
{
    hid_t scale = H5I_INVALID_HID, time = H5I_INVALID_HID;
    bool good = trmi_study_hdf5_head(file, plan, &time);
    for (int k = 0; k < data->columns && good; k++) {
        good = put_column(file, &data->column[k], data->rows, scale, time);
        if (k == 0 && good)
            scale = H5Dopen2(file, data->column[0].name, H5P_DEFAULT);
    }
    trmi_hdf5_close(scale);
    trmi_hdf5_close(time);
    return good;
}

// What trmi_study_hdf5_write puts into its file.
typedef struct table {
    const trmi_plan *plan;
    const trmi_study_data *data;
} table;

static bool put_table(hid_t file, void *user)
{
    const table *t = user;
    return put_all(file, t->plan, t->data);
}

// Closing what failed makes HDF5 forget why; the system still knows of a full disk.
static trm_status report_failure(const char *path, const char *reason, int code, trm_error *error)
{
    if (code != ENOSPC && code != EDQUOT && code != EFBIG)
        return trmi_file_error_text(error, "write", path, "%s", reason);
    trmi_file_error(error, "write", path, code);
    trmi_error_advise(error, "the table itself is written; free space and give the same command "
                             "again, or give --no-hdf5");
    return TRM_ERR_RESULT;
}

trm_status trmi_study_hdf5_replace(const char *path, trmi_study_hdf5_put *put, void *user,
                                   trm_error *error)
{
    char *temporary = trmi_path_with(path, ".new"), reason[300] = "";
    if (!temporary)
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for %.200s", path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    hid_t file = H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = file >= 0 && put(file, user);
    int code = errno;
    if (!good)
        trmi_hdf5_reason(reason, sizeof reason);
    if (file >= 0 && H5Fclose(file) < 0 && good) {
        good = false;
        code = errno;
        trmi_hdf5_reason(reason, sizeof reason);
    }
    trm_status status = TRM_OK;
    if (!good)
        status = report_failure(path, reason, code, error);
    else if (rename(temporary, path) != 0)
        status = trmi_file_error(error, "write", path, errno);
    if (status != TRM_OK)
        unlink(temporary);
    free(temporary);
    return status;
}

trm_status trmi_study_hdf5_write(const char *path, const trmi_plan *plan,
                                 const trmi_study_data *data, trm_error *error)
{
    table t = {plan, data};
    return trmi_study_hdf5_replace(path, put_table, &t, error);
}
