// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/study_parts.h"

#include "base/error.h"
#include "program/files/file_error.h"
#include "program/study/study_data.h"
#include "program/study/study_hdf5.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SUFFIX[] = ".csv";

// the length of a path without ".csv"
static size_t stem_of(const char *table)
{
    size_t length = strlen(table), suffix = strlen(SUFFIX);
    bool has = length > suffix && strcmp(table + length - suffix, SUFFIX) == 0;
    return has ? length - suffix : length;
}

char *trmi_part_path(const char *table, int part, const char *suffix)
{
    size_t stem = stem_of(table), size = stem + strlen(suffix) + 20;
    char *path = malloc(size);
    if (path && part >= 0)
        snprintf(path, size, "%.*s.%d%s", (int)stem, table, part, suffix);
    else if (path)
        snprintf(path, size, "%.*s%s", (int)stem, table, suffix);
    return path;
}

// ---- which there are ----

// the number of a part by the name of its file; -1: it is none
static int number_of(const char *name, const char *stem, size_t length)
{
    char *end;
    if (strncmp(name, stem, length) != 0 || name[length] != '.' || name[length + 1] < '0' ||
        name[length + 1] > '9')
        return -1;
    errno = 0;
    long number = strtol(name + length + 1, &end, 10);
    return errno == 0 && number < 10000000 && strcmp(end, SUFFIX) == 0 ? (int)number : -1;
}

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int *trmi_parts_find(const char *table)
{
    const char *slash = strrchr(table, '/'), *name = slash ? slash + 1 : table;
    char *folder = slash ? strndup(table, (size_t)(slash + 1 - table)) : strdup(".");
    DIR *all = folder ? opendir(folder) : NULL;
    int *part = all ? malloc(sizeof *part) : NULL, count = 0, reason = errno;
    for (const struct dirent *entry; part && (entry = readdir(all));) {
        int number = number_of(entry->d_name, name, stem_of(name));
        int *more = number >= 0 ? realloc(part, ((size_t)count + 2) * sizeof *more) : part;
        if (!more) {
            free(part);
            part = NULL;
            reason = ENOMEM;
            break;
        }
        part = more;
        if (number >= 0)
            part[count++] = number;
    }
    if (part) {
        qsort(part, (size_t)count, sizeof *part, compare_numbers);
        part[count] = -1;
    }
    if (all)
        closedir(all);
    free(folder);
    errno = reason;
    return part;
}

// ---- the first rank ----

// The runs of another part; where it has lines that are not of the study, or have other numbers, it
// is written again without them, before any rank has it open.
static trm_status take_part(trmi_study_table *first, const char *table, int number, bool replace,
                            const trmi_study_mark *marks, trm_error *error)
{
    char *path = trmi_part_path(table, number, SUFFIX);
    if (!path)
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
    trmi_study_table t;
    trm_status status = trmi_study_table_open(&t, first->plan, path, replace, marks, error);
    for (int64_t run = 0; run < first->plan->study->runs && status == TRM_OK && t.done > 0; run++)
        if (trmi_study_table_has(&t, run))
            trmi_study_table_note(first, run, 0);
    first->failed += status == TRM_OK ? t.failed : 0;
    if (status == TRM_OK && (t.strangers > 0 || t.renumbered))
        status = trmi_study_table_order(&t, error);
    trm_error later = trmi_no_error();
    trm_status closed = trmi_study_table_close(&t, &later);
    if (status == TRM_OK && closed != TRM_OK) {
        *error = later;
        status = closed;
    }
    free(path);
    return status;
}

trm_status trmi_parts_open(trmi_study_table *first, const trmi_plan *plan, const char *table,
                           const char *path, bool replace, trm_error *error)
{
    int *part = trmi_parts_find(table);
    if (!part)
        return trmi_file_error(error, "read", table, errno);
    trmi_study_mark *marks = trmi_study_marks(plan);
    trm_status status = marks ? trmi_study_table_open(first, plan, path, replace, marks, error)
                              : trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
    if (status == TRM_OK && (first->strangers > 0 || first->renumbered)) { // without them
        status = trmi_study_table_order(first, error);
        trmi_study_table_close(first, &(trm_error){0});
        if (status == TRM_OK)
            status = trmi_study_table_open(first, plan, path, replace, marks, error);
    }
    for (int k = 0; part[k] >= 0 && status == TRM_OK; k++)
        if (part[k] > 0)
            status = take_part(first, table, part[k], replace, marks, error);
    first->found = first->done;
    free(marks);
    free(part);
    return status;
}

// ---- other ranks ----

static trm_status check(const trmi_part *part, int code, trm_error *error)
{
    return code == 0 ? TRM_OK : trmi_file_error(error, "write", part->path, code);
}

trm_status trmi_part_open(trmi_part *part, const trmi_plan *plan, const char *table, int number,
                          trm_error *error)
{
    *part = (trmi_part){.path = trmi_part_path(table, number, SUFFIX), .claim = {.fd = -1}};
    if (!part->path)
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
    int code = trmi_file_claim_take(&part->claim, part->path);
    if (code == 0)
        code = trmi_csv_part_open(&part->file, strdup(part->path), true);
    off_t end = 0;
    if (code == 0)
        code = trmi_csv_part_find(&part->file, &plan->header, INT64_MAX, &end) < 0
                   ? trmi_csv_part_begin(&part->file, &plan->header)
                   : trmi_csv_part_continue(&part->file, end);
    return check(part, code, error);
}

trm_status trmi_part_add(trmi_part *part, const trmi_study_row *row, trm_error *error)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64 ",", row->run + 1);
    trmi_text_add(&part->file.pending, number);
    trmi_text_add_bytes(&part->file.pending, row->line.data, row->line.length);
    part->last = part->file.end + (off_t)part->file.pending.length;
    return check(part, trmi_csv_part_line(&part->file), error);
}

trm_status trmi_part_flush(trmi_part *part, trm_error *error)
{
    return check(part, part->path ? trmi_csv_part_flush(&part->file) : 0, error);
}

trm_status trmi_part_close(trmi_part *part, trm_error *error)
{
    int code = part->file.path ? trmi_csv_part_finish(&part->file) : 0;
    trm_status status = check(part, code, error);
    trmi_file_claim_release(&part->claim);
    free(part->path);
    *part = (trmi_part){.claim = {.fd = -1}};
    return status;
}

// ---- HDF5 ----

trm_status trmi_part_save(const trmi_plan *plan, const char *table, int number, trm_error *error)
{
    char *path = trmi_part_path(table, number, SUFFIX);
    char *out = trmi_part_path(table, number, ".study.h5");
    trmi_study_data data;
    trm_status status = TRM_ERR_MEMORY;
    if (path && out && access(path, F_OK) != 0) {
        status = TRM_OK;
    } else if (path && out) {
        status = trmi_study_data_read(&data, (const char *const[]){path, NULL}, plan, error);
        if (status == TRM_OK)
            status = trmi_study_hdf5_write(out, plan, &data, error);
        trmi_study_data_release(&data);
    } else {
        trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
    }
    free(path);
    free(out);
    return status;
}
