// SPDX-License-Identifier: Apache-2.0
// The HDF5 format, with the layout of writer.h. A file is built under another name, renamed, and
// from then on written in the mode for one writer and many readers (SWMR) through a driver that
// keeps the order: whatever happens, what was flushed can be read. That mode creates no objects and
// no attributes, so those of the ending are there from the start.
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 // realpath
#include "program/files/crc32.h"
#include "program/files/disk.h"
#include "program/files/file_error.h"
#include "program/files/format.h"
#include "program/files/hdf5/checksum.h"
#include "program/files/hdf5/columns.h"
#include "program/files/hdf5/dataset.h"
#include "program/files/hdf5/driver.h"
#include "program/files/hdf5/open.h"
#include "program/files/hdf5/text.h"
#include "program/files/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, ATTRIBUTES = 64 }; // bytes; more than a result has

typedef struct hdf5_file {
    char *path;
    trmi_hdf5_disk disk;
    hid_t plain, ordered; // properties with the driver: to build the file, to write on
    hid_t file;
    ino_t inode; // of the file at path
    trmi_hdf5_columns columns;
} hdf5_file;

// ---- failures ----

static trm_status report_failure(const hdf5_file *f, trm_error *error)
{
    if (f->disk.failure)
        return trmi_file_error(error, "write", f->path, f->disk.failure);
    return trmi_file_error_text(error, "write", f->path, "HDF5 reports an error; out of memory?");
}

static trm_status check(const hdf5_file *f, bool done, trm_error *error)
{
    return done && f->disk.failure == 0 ? TRM_OK : report_failure(f, error);
}

// columns and file; false when something could not be written
static bool close_all(hdf5_file *f)
{
    trmi_hdf5_columns_close(&f->columns);
    bool done = f->file < 0 || H5Fclose(f->file) >= 0;
    f->file = H5I_INVALID_HID;
    return done && f->disk.failure == 0;
}

// ---- opening ----

// those of the ending have none yet
static bool put_sums(const hdf5_file *f, const trmi_run_info *i)
{
    const int64_t sum[TRMI_ATTRIBUTES] = {
        [TRMI_ATTRIBUTE_title] = trmi_text_sum(i->title),
        [TRMI_ATTRIBUTE_model] =
            i->model ? trmi_crc32(0, i->model, strnlen(i->model, i->model_length)) : 0,
        [TRMI_ATTRIBUTE_scene] = trmi_text_sum(i->scene),
        [TRMI_ATTRIBUTE_options] = trmi_text_sum(i->options),
        [TRMI_ATTRIBUTE_command_line] = trmi_text_sum(i->command_line),
        [TRMI_ATTRIBUTE_version] = trmi_text_sum(i->version),
        [TRMI_ATTRIBUTE_features] = trmi_text_sum(i->features)};
    return trmi_hdf5_put_sums(f->file, sum, TRMI_ATTRIBUTES);
}

static bool describe_run(hdf5_file *f, const trmi_run_info *info)
{
    const trmi_run_info none = {0}, *i = info ? info : &none;
    size_t length = i->model ? i->model_length : 0;
    return trmi_hdf5_put_text(f->file, "format", TRMI_HDF5_FORMAT) &&
           trmi_hdf5_put_integer(f->file, "format_version", TRMI_HDF5_VERSION) &&
           trmi_hdf5_put_text(f->file, "title", i->title) &&
           trmi_hdf5_put_text(f->file, "options", i->options) &&
           trmi_hdf5_put_text(f->file, "command_line", i->command_line) &&
           trmi_hdf5_put_text(f->file, "version", i->version) &&
           trmi_hdf5_put_text(f->file, "features", i->features) &&
           trmi_hdf5_put_text(f->file, "status", TRMI_STATUS_RUNNING) &&
           trmi_hdf5_put_text(f->file, "text", "") && trmi_hdf5_put_text(f->file, "summary", "") &&
           trmi_hdf5_put_integer(f->file, "finished", 0) &&
           trmi_hdf5_put_text_dataset(f->file, "model", i->model, length) &&
           (!i->scene ||
            trmi_hdf5_put_text_dataset(f->file, "scene", i->scene, strlen(i->scene))) &&
           put_sums(f, i);
}

// the whole file with no rows, or those of an earlier run, closed again
static trm_status build(hdf5_file *f, const trmi_file_plan *plan, const char *temporary,
                        trm_error *error)
{
    // What HDF5 keeps besides values does not cross the border of two pages. A kill may stop the
    // system between two pages of one write, but not inside a page.
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_phase_change(creation, ATTRIBUTES, 0); // in the header, under its checksum
    H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1);
    H5Pset_file_space_page_size(creation, PAGE);
    f->file = H5Fcreate(temporary, H5F_ACC_TRUNC, creation, f->plain);
    H5Pclose(creation);
    if (f->file < 0)
        return report_failure(f, error);
    bool done = trmi_hdf5_columns_create(&f->columns, f->file, plan->channel) &&
                describe_run(f, plan->info);
    trm_status status = check(f, done, error);
    if (status == TRM_OK && plan->resume)
        status = trmi_hdf5_columns_copy(&f->columns, f->path, plan->resume, error);
    if (status == TRM_OK)
        status = check(f, trmi_hdf5_columns_flush(&f->columns), error);
    if (!close_all(f) && status == TRM_OK)
        status = report_failure(f, error);
    if (status != TRM_OK)
        unlink(temporary);
    return status;
}

static void release(hdf5_file *f)
{
    close_all(f);
    trmi_hdf5_columns_release(&f->columns);
    trmi_hdf5_close(f->plain);
    trmi_hdf5_close(f->ordered);
    free(f->path);
    free(f);
}

// A link stays a link: what it points to is replaced. Owned by the caller, NULL without memory.
static char *follow_link(const char *path)
{
    struct stat about;
    bool is_link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    char *target = is_link ? realpath(path, NULL) : NULL;
    return target ? target : strdup(path);
}

static hdf5_file *take_file(const trmi_file_plan *plan)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // errors are reported by the program
    hdf5_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->path = follow_link(plan->path);
    f->file = H5I_INVALID_HID;
    f->disk.durable = plan->durable;
    f->plain = trmi_hdf5_access(&f->disk, false);
    f->ordered = trmi_hdf5_access(&f->disk, true);
    // the names and texts of events are those of the model
    const trmi_run_info *info = plan->info;
    bool ascii = info && info->model && trmi_is_ascii(info->model, info->model_length);
    if (trmi_hdf5_columns_init(&f->columns, plan->channel, plan->channels, plan->errors, ascii) &&
        f->path && f->plain >= 0 && f->ordered >= 0)
        return f;
    release(f);
    return NULL;
}

// built under another name and renamed
static trm_status put_in_place(hdf5_file *f, const trmi_file_plan *plan, trm_error *error)
{
    trmi_text temporary = {0};
    TRMI_TEXT_ADD(&temporary, f->path, ".new");
    trm_status status = temporary.failed ? trmi_file_error(error, "write", f->path, ENOMEM)
                                         : build(f, plan, temporary.data, error);
    if (status == TRM_OK && rename(temporary.data, f->path) != 0) {
        status = trmi_file_error(error, "write", f->path, errno);
        unlink(temporary.data);
    }
    struct stat about;
    if (status == TRM_OK && stat(f->path, &about) == 0)
        f->inode = about.st_ino;
    if (status == TRM_OK && plan->durable)
        trmi_synchronise_folder(f->path);
    trmi_text_free(&temporary);
    return status;
}

static void *open_file(const trmi_file_plan *plan, trm_error *error)
{
    struct stat about;
    if (stat(plan->path, &about) == 0 && !S_ISREG(about.st_mode)) {
        trmi_file_error_text(error, "write", plan->path, "HDF5 needs a regular file");
        return NULL;
    }
    hdf5_file *f = take_file(plan);
    if (!f) {
        trmi_file_error(error, "write", plan->path, ENOMEM);
        return NULL;
    }
    if (put_in_place(f, plan, error) == TRM_OK) {
        f->file = H5Fopen(f->path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, f->ordered);
        if (f->file >= 0 && trmi_hdf5_columns_open(&f->columns, f->file, plan->channel) &&
            f->disk.failure == 0)
            return f;
        report_failure(f, error);
    }
    release(f);
    return NULL;
}

// ---- data ----

static trm_status write_row(void *file, double t, const double *value, trm_error *error)
{
    hdf5_file *f = file;
    return check(f, trmi_hdf5_columns_row(&f->columns, t, value), error);
}

static trm_status write_errors(void *file, double t, const double *value, trm_error *error)
{
    hdf5_file *f = file;
    (void)t; // that of the rows
    return check(f, trmi_hdf5_columns_errors(&f->columns, value), error);
}

static trm_status write_step(void *file, const double value[TRMI_STEP_COLUMNS], trm_error *error)
{
    hdf5_file *f = file;
    return check(f, trmi_hdf5_columns_step(&f->columns, value), error);
}

static trm_status write_event(void *file, double t, const char *name, const char *text,
                              trm_error *error)
{
    hdf5_file *f = file;
    return check(f, trmi_hdf5_columns_event(&f->columns, t, name, text), error);
}

static trm_status flush_file(void *file, trm_error *error)
{
    hdf5_file *f = file;
    return check(f, trmi_hdf5_columns_flush(&f->columns), error);
}

static trm_status synchronise_file(void *file, trm_error *error)
{
    const hdf5_file *f = file;
    int code = trmi_hdf5_synchronise(f->file);
    return code == 0 ? TRM_OK : trmi_file_error(error, "write", f->path, code);
}

// ---- ending ----

// Each attribute keeps its size, so each is changed in one block of the file.
static bool write_ending(hdf5_file *f, const trmi_ending *ending)
{
    int64_t sum[TRMI_ATTRIBUTES];
    bool done = trmi_hdf5_get_sums(f->file, sum, TRMI_ATTRIBUTES);
    sum[TRMI_ATTRIBUTE_status] = trmi_text_sum(ending->status);
    sum[TRMI_ATTRIBUTE_text] = trmi_text_sum(ending->text);
    sum[TRMI_ATTRIBUTE_summary] = trmi_text_sum(ending->summary);
    f->disk.ending = true;
    return done && trmi_hdf5_set_sums(f->file, sum, TRMI_ATTRIBUTES) &&
           trmi_hdf5_set_text(f->file, "text", ending->text) &&
           trmi_hdf5_set_text(f->file, "summary", ending->summary) &&
           trmi_hdf5_set_text(f->file, "status", ending->status) &&
           trmi_hdf5_set_integer(f->file, "finished", 1);
}

// 0, or errno: whoever removes a result that is being written has none
static int find_file(const hdf5_file *f)
{
    struct stat about;
    if (stat(f->path, &about) != 0)
        return errno;
    return about.st_ino == f->inode ? 0 : ENOENT;
}

static trm_status close_file(void *file, const trmi_ending *ending, trm_error *error)
{
    hdf5_file *f = file;
    bool done = !ending || write_ending(f, ending);
    trm_status status = close_all(f) && done ? TRM_OK : report_failure(f, error);
    int code = find_file(f);
    if (status == TRM_OK && code != 0)
        status = trmi_file_error_text(error, "write", f->path,
                                      "it was removed or replaced while it was written");
    release(f);
    return status;
}

const trmi_file_writer trmi_hdf5_writer = {.open = open_file,
                                           .row = write_row,
                                           .errors = write_errors,
                                           .step = write_step,
                                           .event = write_event,
                                           .flush = flush_file,
                                           .synchronise = synchronise_file,
                                           .close = close_file};
