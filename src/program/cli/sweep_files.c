// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/cli/sweep_files.h"

#include "base/error.h"
#include "program/cli/sweep_views.h"
#include "program/files/file_error.h"
#include "program/study/study_hdf5.h"
#include "program/study/study_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static trm_status lack_memory(trm_error *error)
{
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
}

trm_status trmi_sweep_open(trmi_sweep_files *f, const trmi_plan *plan, bool replace,
                           trm_error *error)
{
    f->table = (trmi_study_table){.plan = plan, .claim = {.fd = -1}};
    if (!f->split)
        return trmi_study_table_open(&f->table, plan, f->path, replace, NULL, error);
    f->first = trmi_part_path(f->path, 0, ".csv");
    return f->first ? trmi_parts_open(&f->table, plan, f->path, f->first, replace, error)
                    : lack_memory(error);
}

trm_status trmi_sweep_close(trmi_sweep_files *f, trm_error *error)
{
    trm_status status = trmi_study_table_close(&f->table, error);
    free(f->first);
    f->first = NULL;
    return status;
}

// ---- the page ----

// Runs that have pages of their own are written first: the report leads to them. A page that could
// not be written was reported, and is none.
static trm_status write_report(const trmi_sweep_files *f, trmi_study_data *data, trm_error *error)
{
    trmi_study_data_leave_out(data);
    const trmi_sweep_views views = {f->table.plan, data, f->report, f->views, f->stop, f->console};
    trmi_study_pages pages = {.plan = f->table.plan, .data = data, .set = f->set};
    trmi_study_view *view = NULL;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    if (f->views > 0)
        trmi_sweep_views_write(&views, &memory, &view, &pages.views);
    pages.view = view;
    trmi_whole_file file = trmi_whole_file_open(f->report);
    int code = errno;
    if (file.out) {
        if (!trmi_study_report(file.out, &pages))
            file.failure = ENOMEM;
        code = trmi_whole_file_close(&file);
    }
    trmi_memory_release_all(&memory);
    return code == 0 ? TRM_OK : trmi_file_error(error, "write", f->report, code);
}

// ---- one table ----

void trmi_sweep_save(void *user)
{
    const trmi_sweep_files *f = user;
    const trmi_study_table *table = &f->table;
    trm_error error = trmi_no_error();
    trmi_study_data data;
    if (table->strangers > 0 || table->renumbered) // until the lines are in order
        return;
    char *path = trmi_part_path(f->path, -1, ".study.h5");
    if (!path)
        return;
    if (trmi_study_data_read(&data, (const char *const[]){f->path, NULL}, table->plan, &error) ==
            TRM_OK &&
        data.rows > 0)
        trmi_study_hdf5_write(path, table->plan, &data, &error);
    trmi_study_data_release(&data);
    free(path);
}

static trm_status write_table(trmi_sweep_files *f, trm_error *error)
{
    trm_status status = trmi_study_table_order(&f->table, error);
    if (status != TRM_OK || f->table.done == 0 || (!f->hdf5 && !f->report))
        return status;
    trmi_study_data data;
    char *path = trmi_part_path(f->path, -1, ".study.h5");
    status =
        trmi_study_data_read(&data, (const char *const[]){f->path, NULL}, f->table.plan, error);
    if (status == TRM_OK && !path)
        status = lack_memory(error);
    if (status == TRM_OK && f->hdf5)
        status = trmi_study_hdf5_write(path, f->table.plan, &data, error);
    if (status == TRM_OK && f->report)
        status = write_report(f, &data, error);
    trmi_study_data_release(&data);
    free(path);
    return status;
}

// ---- parts ----

// the page of all parts together
static trm_status report_parts(const trmi_sweep_files *f, const int *part, trm_error *error)
{
    int count = 0;
    while (part[count] >= 0)
        count++;
    char **path = calloc((size_t)count + 1, sizeof *path);
    bool good = path != NULL;
    for (int k = 0; k < count && good; k++)
        good = (path[k] = trmi_part_path(f->path, part[k], ".csv")) != NULL;
    trmi_study_data data = {0};
    trm_status status =
        good ? trmi_study_data_read(&data, (const char *const *)path, f->table.plan, error)
             : lack_memory(error);
    if (status == TRM_OK)
        status = write_report(f, &data, error);
    if (good)
        trmi_study_data_release(&data);
    for (int k = 0; k < count && path; k++)
        free(path[k]);
    free(path);
    return status;
}

static trm_status write_parts(trmi_sweep_files *f, trm_error *error)
{
    int64_t rows = 0;
    trm_status status = trmi_study_table_flush(&f->table, error);
    int *part = status == TRM_OK ? trmi_parts_find(f->path) : NULL;
    if (status == TRM_OK && !part)
        status = trmi_file_error(error, "read", f->path, errno);
    for (int k = 0; part && part[k] >= 0 && status == TRM_OK && f->hdf5; k++)
        if (part[k] == 0 || part[k] >= f->saved)
            status = trmi_part_save(f->table.plan, f->path, part[k], error);
    if (status == TRM_OK && f->hdf5 && f->table.done > 0)
        status = trmi_parts_join(f->table.plan, f->path, part, &rows, error);
    f->joined = status == TRM_OK && rows > 0;
    if (status == TRM_OK && f->report && f->table.done > 0)
        status = report_parts(f, part, error);
    free(part);
    return status;
}

trm_status trmi_sweep_write(trmi_sweep_files *f, trm_error *error)
{
    return f->split ? write_parts(f, error) : write_table(f, error);
}

// ---- the end ----

void trmi_sweep_print(const trmi_sweep_files *f, const char *name, double seconds, const char *how)
{
    const trmi_study_table *table = &f->table;
    int64_t runs = table->plan->study->runs, done = trmi_study_table_written(table);
    int64_t run = done > table->found ? done - table->found : 0;
    trmi_print("%s: %s, %" PRId64 " of %" PRId64 " runs %s\n", name, how, done, runs,
               done < table->done ? "are in the table" : "done");
    if (table->found > 0)
        trmi_print("  %-12s %" PRId64 " were there\n", "before", table->found);
    trmi_print("  %-12s %" PRId64 " in %.3g s, %.3g a second\n", "now", run, seconds,
               seconds > 0 ? (double)run / seconds : 0);
    if (table->failed > 0)
        trmi_print("  %-12s %" PRId64 " %s an exit code other than 0; see the table\n", "failed",
                   table->failed, table->failed == 1 ? "run has" : "runs have");
    char *joined = f->joined ? trmi_part_path(f->path, -1, ".study.h5") : NULL;
    trmi_print("  %-12s %s%s%s%s\n", "table", table->path,
               f->split ? " and the parts after it" : "", joined ? ", joined in " : "",
               joined ? joined : "");
    free(joined);
}
