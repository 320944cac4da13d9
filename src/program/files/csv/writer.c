// SPDX-License-Identifier: Apache-2.0
// The CSV format: rows in the file itself, steps and events in files next to it.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "program/files/csv/names.h"
#include "program/files/csv/part.h"
#include "program/files/disk.h"
#include "program/files/file_error.h"
#include "program/files/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = TRMI_PART_ROWS, STEPS = TRMI_PART_STEPS, EVENTS = TRMI_PART_EVENTS };
enum { PARTS = TRMI_PARTS };

typedef struct csv_file {
    trmi_csv_part part[PARTS];
    trmi_csv_part error_part; // opened with its first line
    char *error_path;         // NULL: there are none
    trmi_text error_header;
    int channels, errors;
    bool durable;
    bool named; // the names of the files are on the disk
} csv_file;

// the parts, and last the errors
static trmi_csv_part *part_at(csv_file *f, int k)
{
    return k < PARTS ? &f->part[k] : &f->error_part;
}

static trm_status check(const trmi_csv_part *part, int code, trm_error *error)
{
    return code == 0 ? TRM_OK : trmi_file_error(error, "write", part->path ? part->path : "", code);
}

// ---- headers ----

static int compare_names(const void *a, const void *b)
{
    const trmi_channel *x = *(const trmi_channel *const *)a, *y = *(const trmi_channel *const *)b;
    return strcmp(x->name, y->name);
}

// whether a name is that of a group: "position" alone would be taken for more than it is
static bool is_group(const trmi_channel *channel, int channels, const char *name)
{
    for (int k = 0; k < channels; k++)
        if ((k == 0 || channel[k].group != channel[k - 1].group) &&
            strcmp(channel[k].group, name) == 0)
            return true;
    return false;
}

// qualified[k]: the name alone is not unique, that of the time, or that of a group
static bool find_doubles(const trmi_channel *channel, int channels, bool *qualified)
{
    const trmi_channel **sorted = malloc(((size_t)channels + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (int k = 0; k < channels; k++) {
        sorted[k] = &channel[k];
        qualified[k] =
            strcmp(channel[k].name, "t") == 0 || is_group(channel, channels, channel[k].name);
    }
    qsort(sorted, (size_t)channels, sizeof *sorted, compare_names);
    for (int k = 1; k < channels; k++)
        if (compare_names(&sorted[k - 1], &sorted[k]) == 0)
            qualified[sorted[k - 1] - channel] = qualified[sorted[k] - channel] = true;
    free(sorted);
    return true;
}

static void add_rows_header(trmi_text *header, const trmi_file_plan *plan)
{
    bool *qualified = calloc((size_t)plan->channels + 1, sizeof *qualified);
    int channels = plan->channels - plan->errors;
    header->failed |= !qualified || !find_doubles(plan->channel, channels, qualified);
    trmi_csv_add_label(header, "", "t", "s");
    for (int k = 0; k < channels && !header->failed; k++) {
        const trmi_channel *c = &plan->channel[k];
        trmi_text_add(header, ",");
        trmi_csv_add_label(header, qualified[k] ? c->group : "", c->name, c->unit ? c->unit : "");
    }
    trmi_text_add(header, "\n");
    free(qualified);
}

// full names: those of the rows are unique among other channels
static void add_errors_header(trmi_text *header, const trmi_file_plan *plan)
{
    trmi_csv_add_label(header, "", "t", "s");
    for (int k = plan->channels - plan->errors; k < plan->channels && !header->failed; k++) {
        const trmi_channel *c = &plan->channel[k];
        const char *group = c->group + sizeof TRMI_ERROR_GROUP - 1;
        trmi_text_add(header, ",");
        trmi_csv_add_label(header, group, c->name, c->unit ? c->unit : "");
    }
    trmi_text_add(header, "\n");
}

// ---- opening ----

static trm_status flush_file(void *file, trm_error *error)
{
    csv_file *f = file;
    trm_status status = TRM_OK;
    for (int k = 0; k <= PARTS && status == TRM_OK; k++) {
        trmi_csv_part *part = part_at(f, k);
        status = check(part, trmi_csv_part_flush(part), error);
        if (status == TRM_OK && f->durable)
            status = check(part, trmi_csv_part_synchronise(part), error);
    }
    return status;
}

// The first time the names of the files too.
static trm_status synchronise_file(void *file, trm_error *error)
{
    csv_file *f = file;
    trm_status status = TRM_OK;
    for (int k = 0; k <= PARTS && status == TRM_OK; k++)
        status = check(part_at(f, k), trmi_csv_part_synchronise(part_at(f, k)), error);
    if (status == TRM_OK && !f->named)
        trmi_synchronise_folder(f->part[ROWS].path);
    f->named = true;
    return status;
}

// the files; only the first when that is not a regular file but a pipe, the screen, ...
static trm_status open_parts(csv_file *f, const trmi_file_plan *plan, trm_error *error)
{
    struct stat about;
    bool alone = stat(plan->path, &about) == 0 && !S_ISREG(about.st_mode);
    for (int k = 0; k < (alone ? 1 : PARTS); k++) {
        char *path = trmi_csv_part_path(plan->path, (trmi_file_part)k);
        int code = trmi_csv_part_open(&f->part[k], path, !plan->resume);
        trm_status status = check(&f->part[k], code, error);
        if (status != TRM_OK)
            return status;
    }
    if (alone)
        return TRM_OK;
    f->error_path = trmi_csv_part_path(plan->path, TRMI_PART_ERRORS);
    if (!f->error_path)
        return trmi_file_error(error, "write", plan->path, ENOMEM);
    unlink(f->error_path); // of an earlier run, or of a part of this one
    return TRM_OK;
}

// all are checked before the first is cut
static trm_status continue_parts(csv_file *f, const trmi_text *header, const trmi_resume *resume,
                                 trm_error *error)
{
    const int64_t needed[PARTS] = {resume->rows, resume->steps, resume->events};
    off_t end[PARTS];
    for (int k = 0; k < PARTS; k++) {
        const char *path = f->part[k].path ? f->part[k].path : "";
        int64_t found = trmi_csv_part_find(&f->part[k], &header[k], needed[k], &end[k]);
        if (found == needed[k])
            continue;
        if (found < 0)
            trmi_file_error_text(error, "continue", path, "it was written with other channels");
        else
            trmi_file_error_text(error, "continue", path,
                                 "it has %" PRId64 " lines, the checkpoint needs %" PRId64, found,
                                 needed[k]);
        trmi_error_advise(error, "use the result file that belongs to the checkpoint");
        return TRM_ERR_RESULT;
    }
    trm_status status = TRM_OK;
    for (int k = 0; k < PARTS && status == TRM_OK; k++)
        status = check(&f->part[k], trmi_csv_part_continue(&f->part[k], end[k]), error);
    return status;
}

static trm_status prepare(csv_file *f, const trmi_file_plan *plan, trm_error *error)
{
    trmi_text header[PARTS] = {{0}};
    trm_status status = open_parts(f, plan, error);
    add_rows_header(&header[ROWS], plan);
    add_errors_header(&f->error_header, plan);
    for (int k = 0; k < TRMI_STEP_COLUMNS; k++) {
        trmi_text_add(&header[STEPS], k ? "," : "");
        trmi_csv_add_label(&header[STEPS], "", trmi_step_column_at(k)->name,
                           trmi_step_column_at(k)->unit);
    }
    trmi_text_add(&header[STEPS], "\n");
    trmi_text_add(&header[EVENTS], "t [s],name,text\n");
    bool failed = f->error_header.failed || header[ROWS].failed || header[STEPS].failed ||
                  header[EVENTS].failed;
    if (status == TRM_OK && failed)
        status = trmi_file_error(error, "write", plan->path, ENOMEM);
    if (status == TRM_OK && plan->resume)
        status = continue_parts(f, header, plan->resume, error);
    for (int k = 0; k < PARTS && status == TRM_OK && !plan->resume; k++)
        status = check(&f->part[k], trmi_csv_part_begin(&f->part[k], &header[k]), error);
    if (status == TRM_OK && !plan->resume)
        status = flush_file(f, error);
    if (status == TRM_OK && f->durable)
        status = synchronise_file(f, error);
    for (int k = 0; k < PARTS; k++)
        trmi_text_free(&header[k]);
    return status;
}

static void release(csv_file *f)
{
    trmi_csv_part_close(&f->error_part);
    trmi_text_free(&f->error_header);
    free(f->error_path);
    free(f);
}

static void *open_file(const trmi_file_plan *plan, trm_error *error)
{
    csv_file *f = calloc(1, sizeof *f);
    if (!f) {
        trmi_file_error(error, "write", plan->path, ENOMEM);
        return NULL;
    }
    f->channels = plan->channels - plan->errors;
    f->errors = plan->errors;
    f->durable = plan->durable;
    if (prepare(f, plan, error) == TRM_OK)
        return f;
    for (int k = 0; k < PARTS; k++)
        trmi_csv_part_close(&f->part[k]);
    release(f);
    return NULL;
}

// ---- data ----

static trm_status end_line(trmi_csv_part *part, trm_error *error)
{
    trmi_text_add(&part->pending, "\n");
    return check(part, trmi_csv_part_line(part), error);
}

static trm_status write_numbers(trmi_csv_part *part, double first, const double *value, int count,
                                trm_error *error)
{
    trmi_text_add_number(&part->pending, first);
    for (int k = 0; k < count; k++) {
        trmi_text_add(&part->pending, ",");
        trmi_text_add_number(&part->pending, value[k]);
    }
    return end_line(part, error);
}

static trm_status write_row(void *file, double t, const double *value, trm_error *error)
{
    csv_file *f = file;
    return write_numbers(&f->part[ROWS], t, value, f->channels, error);
}

static trm_status write_errors(void *file, double t, const double *value, trm_error *error)
{
    csv_file *f = file;
    if (f->error_path) {
        int code = trmi_csv_part_open(&f->error_part, f->error_path, true);
        f->error_path = NULL; // it is the part's own now
        if (code == 0)
            code = trmi_csv_part_begin(&f->error_part, &f->error_header);
        if (code != 0)
            return check(&f->error_part, code, error);
    }
    return write_numbers(&f->error_part, t, value, f->errors, error);
}

static trm_status write_step(void *file, const double value[TRMI_STEP_COLUMNS], trm_error *error)
{
    csv_file *f = file;
    return write_numbers(&f->part[STEPS], value[0], value + 1, TRMI_STEP_COLUMNS - 1, error);
}

static trm_status write_event(void *file, double t, const char *name, const char *text,
                              trm_error *error)
{
    csv_file *f = file;
    trmi_text *line = &f->part[EVENTS].pending;
    trmi_text_add_number(line, t);
    trmi_text_add(line, ",");
    trmi_csv_add_field(line, name);
    trmi_text_add(line, ",");
    trmi_csv_add_field(line, text);
    return end_line(&f->part[EVENTS], error);
}

// A table has no place for the ending.
static trm_status close_file(void *file, const trmi_ending *ending, trm_error *error)
{
    csv_file *f = file;
    int code = 0;
    trm_status status = ending && f->durable ? synchronise_file(f, error) : TRM_OK;
    for (int k = 0; k <= PARTS; k++) {
        trmi_csv_part *part = part_at(f, k);
        char *path = part->path ? strdup(part->path) : NULL;
        code = trmi_csv_part_close(part);
        if (code != 0 && status == TRM_OK)
            status = trmi_file_error(error, "write", path ? path : "", code);
        free(path);
    }
    release(f);
    return status;
}

const trmi_file_writer trmi_csv_writer = {.open = open_file,
                                          .row = write_row,
                                          .errors = write_errors,
                                          .step = write_step,
                                          .event = write_event,
                                          .flush = flush_file,
                                          .synchronise = synchronise_file,
                                          .close = close_file};
