// SPDX-License-Identifier: Apache-2.0
// Checks what the formats need not check again, flushes by the clock, and remembers the first
// error together with the time up to which the file is good.
#define _POSIX_C_SOURCE 200809L
#include "program/files/writer.h"
#include "base/clock.h"

#include "base/error.h"
#include "program/files/disk.h"
#include "program/files/file_error.h"
#include "program/files/format.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double flush_interval = 1; // s
static const double flush_share = 0.1;  // of the time at most

struct trmi_writer {
    const trmi_file_writer *format;
    void *file;
    trmi_file_claim claim; // on the path
    bool durable;
    trmi_resume count;
    double last_t, safe_t; // of the last row given, of the last that was flushed; NaN: none
    double next_flush;     // s, on the clock
    trm_error failure;     // the first, TRM_OK while there is none
};

// ---- steps ----

const trmi_step_column *trmi_step_column_at(int index)
{
    static const trmi_step_column table[] = {
#define STEP_COLUMN(name, unit, whole, description) {#name, unit, whole, description},
        TRMI_STEP_LIST(STEP_COLUMN)};
    return &table[index];
}

void trmi_step_values(const trmi_step_row *row, double value[TRMI_STEP_COLUMNS])
{
    int reason = (row->rejected_error > 0 ? 1 : 0) + (row->rejected_newton > 0 ? 2 : 0);
    const double all[TRMI_STEP_COLUMNS] = {row->t,
                                           row->h,
                                           row->order,
                                           row->iterations,
                                           row->rejected_error,
                                           row->rejected_newton,
                                           reason,
                                           (double)row->residuals,
                                           (double)row->factorizations,
                                           (double)row->jacobians,
                                           (double)row->updates};
    memcpy(value, all, sizeof all);
}

// ---- checks ----

static int compare_channels(const void *a, const void *b)
{
    const trmi_channel *x = *(const trmi_channel *const *)a, *y = *(const trmi_channel *const *)b;
    int order = strcmp(x->group, y->group);
    return order ? order : strcmp(x->name, y->name);
}

// every pair of group and name once, no group that the format itself uses
static trm_status check_channels(const trmi_file_plan *plan, trm_error *error)
{
    static const char *const taken[] = {"time", "model", "solver", "events", "error"};
    const trmi_channel **sorted = malloc(((size_t)plan->channels + 1) * sizeof *sorted);
    if (!sorted)
        return trmi_file_error(error, "write", plan->path, ENOMEM);
    const trmi_channel *twice = NULL, *bad = NULL;
    for (int k = 0; k < plan->channels; k++) {
        sorted[k] = &plan->channel[k];
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            if (strcmp(sorted[k]->group, taken[i]) == 0)
                bad = sorted[k];
    }
    qsort(sorted, (size_t)plan->channels, sizeof *sorted, compare_channels);
    for (int k = 1; k < plan->channels; k++)
        if (compare_channels(&sorted[k - 1], &sorted[k]) == 0)
            twice = sorted[k];
    free(sorted);
    if (bad)
        return trmi_file_error_text(error, "write", plan->path,
                                    "channel %.40s/%.40s: the group is taken by the format",
                                    bad->group, bad->name);
    if (twice)
        return trmi_file_error_text(error, "write", plan->path,
                                    "two channels are called %.40s/%.40s", twice->group,
                                    twice->name);
    return TRM_OK;
}

// checks that do not depend on the format
static trm_status check_path(const char *path, trm_error *error)
{
    struct stat about;
    if (!*path)
        return trmi_file_error(error, "write", path, ENOENT);
    if (stat(path, &about) != 0)
        return errno == ENOENT ? TRM_OK : trmi_file_error(error, "write", path, errno);
    if (S_ISDIR(about.st_mode))
        return trmi_file_error(error, "write", path, EISDIR);
    return TRM_OK;
}

static const trmi_file_writer *find_writer(const char *name, trm_error *error)
{
    char known[100] = "";
    for (int k = 0; k < TRMI_FORMATS; k++) {
        if (strcmp(trmi_formats[k].name, name) == 0)
            return trmi_formats[k].writer;
        size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", k ? ", " : "",
                 trmi_formats[k].name);
    }
    trmi_error_clear(error);
    trmi_error_advise(error, "one of %s", known);
    trmi_error_set(error, TRM_ERR_RESULT, "there is no result format '%.60s'", name);
    return NULL;
}

trm_status trmi_writer_check_there(const char *path, trm_error *error)
{
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return TRM_OK; // anything else is reported when it is opened
    trmi_file_error_text(error, "continue", path, "it is not there any more");
    trmi_error_advise(error, "put it beside its checkpoint, or start again without --resume");
    return TRM_ERR_RESULT;
}

// ---- life ----

trmi_writer *trmi_writer_open(const char *format_name, const char *path, const trmi_run_info *info,
                              const trmi_channel *channel, int channels, const trmi_resume *resume,
                              trm_error *error)
{
    trmi_file_plan plan = {.path = path,
                           .info = info,
                           .channel = channel,
                           .channels = channels,
                           .resume = resume,
                           .durable = !info || !info->left_to_system};
    while (plan.errors < channels && trmi_channel_is_error(&channel[channels - 1 - plan.errors]))
        plan.errors++;
    const trmi_file_writer *format = find_writer(format_name, error);
    if (!format || check_path(path, error) != TRM_OK || check_channels(&plan, error) != TRM_OK ||
        (resume && trmi_writer_check_there(path, error) != TRM_OK))
        return NULL;
    trmi_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        trmi_file_error(error, "write", path, ENOMEM);
        return NULL;
    }
    writer->format = format;
    writer->durable = plan.durable;
    int code = trmi_file_claim_take(&writer->claim, path);
    if (code == 0)
        writer->file = format->open(&plan, error);
    else
        trmi_file_error(error, "write", path, code);
    if (!writer->file) {
        trmi_file_claim_release(&writer->claim);
        free(writer);
        return NULL;
    }
    writer->last_t = writer->safe_t = NAN;
    if (resume)
        writer->count = *resume;
    trmi_error_clear(&writer->failure);
    writer->next_flush = trmi_clock_seconds() + flush_interval;
    return writer;
}

trmi_resume trmi_writer_count(const trmi_writer *writer)
{
    return writer->count;
}

// ---- errors ----

// true after an error, which is repeated
static bool has_failed(const trmi_writer *writer, trm_error *error)
{
    if (error)
        *error = writer->failure;
    return writer->failure.status != TRM_OK;
}

// completes the first failure with what is safe
static trm_status keep_failure(trmi_writer *writer, trm_error *error)
{
    trm_error *failure = &writer->failure;
    size_t length = strlen(failure->text);
    if (!isnan(writer->safe_t))
        snprintf(failure->text + length, sizeof failure->text - length,
                 "; rows up to t = %.9g are safe", writer->safe_t);
    failure->t = writer->safe_t;
    has_failed(writer, error);
    return failure->status;
}

trm_status trmi_writer_flush(trmi_writer *writer, trm_error *error)
{
    double start = trmi_clock_seconds();
    if (has_failed(writer, error))
        return writer->failure.status;
    if (writer->format->flush(writer->file, &writer->failure) != TRM_OK)
        return keep_failure(writer, error);
    writer->safe_t = writer->last_t;
    double now = trmi_clock_seconds(), pause = (now - start) / flush_share;
    writer->next_flush = now + (pause > flush_interval ? pause : flush_interval);
    return TRM_OK;
}

trm_status trmi_writer_synchronise(trmi_writer *writer, trm_error *error)
{
    trm_status status = trmi_writer_flush(writer, error);
    if (status != TRM_OK || !writer->durable)
        return status;
    if (writer->format->synchronise(writer->file, &writer->failure) != TRM_OK)
        return keep_failure(writer, error);
    return TRM_OK;
}

// after a row, step or event was given to the format
static trm_status after_writing(trmi_writer *writer, trm_status status, trm_error *error)
{
    if (status != TRM_OK)
        return keep_failure(writer, error);
    return trmi_clock_seconds() >= writer->next_flush ? trmi_writer_flush(writer, error) : TRM_OK;
}

// ---- data ----

trm_status trmi_writer_row(trmi_writer *writer, double t, const double *value, trm_error *error)
{
    if (has_failed(writer, error))
        return writer->failure.status;
    trm_status status = writer->format->row(writer->file, t, value, &writer->failure);
    if (status == TRM_OK) {
        writer->count.rows++;
        writer->last_t = t;
    }
    return after_writing(writer, status, error);
}

trm_status trmi_writer_errors(trmi_writer *writer, double t, const double *value, trm_error *error)
{
    if (has_failed(writer, error))
        return writer->failure.status;
    trm_status status = writer->format->errors(writer->file, t, value, &writer->failure);
    return after_writing(writer, status, error);
}

trm_status trmi_writer_step(trmi_writer *writer, const trmi_step_row *row, trm_error *error)
{
    if (has_failed(writer, error))
        return writer->failure.status;
    double value[TRMI_STEP_COLUMNS];
    trmi_step_values(row, value);
    trm_status status = writer->format->step(writer->file, value, &writer->failure);
    writer->count.steps += status == TRM_OK;
    return after_writing(writer, status, error);
}

trm_status trmi_writer_event(trmi_writer *writer, double t, const char *name, const char *text,
                             trm_error *error)
{
    if (has_failed(writer, error))
        return writer->failure.status;
    trm_status status = writer->format->event(writer->file, t, name ? name : "", text ? text : "",
                                              &writer->failure);
    writer->count.events += status == TRM_OK;
    return after_writing(writer, status, error);
}

trm_status trmi_writer_close(trmi_writer *writer, const char *status, const char *text,
                             const char *summary, trm_error *error)
{
    if (!writer)
        return TRM_OK;
    trmi_ending ending = {status ? status : "", text ? text : "", summary ? summary : ""};
    trm_status result = trmi_writer_flush(writer, error);
    if (result != TRM_OK)
        writer->format->close(writer->file, NULL, NULL);
    else if (writer->format->close(writer->file, &ending, &writer->failure) != TRM_OK)
        result = keep_failure(writer, error);
    trmi_file_claim_release(&writer->claim);
    free(writer);
    return result;
}
