// SPDX-License-Identifier: Apache-2.0
// Whether the result files can be continued from a checkpoint without losing rows: each output that
// the run had so far is requested again and has the rows up to the checkpoint, and no other is
// requested. All are checked before the first is changed.
#define _POSIX_C_SOURCE 200809L
#include "program/run/run.h"

#include "base/error.h"
#include "program/files/apart.h"
#include "program/files/file_error.h"
#include "program/files/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How far a file has come: as its format finds it, or by reading its times, after the whole of it
// was read apart.
static trm_status measure(const trmi_format *format, const char *path, trmi_reach *r,
                          trm_error *error)
{
    if (format->reader->measure)
        return format->reader->measure(path, r, error);
    const double *t;
    trm_status status = trmi_result_check(path, error);
    if (status != TRM_OK)
        return status;
    trmi_result *result = trmi_result_open(path, error);
    status = result ? trmi_result_time(result, false, &t, &r->rows, error) : TRM_ERR_RESULT;
    if (status == TRM_OK && r->rows > 0)
        r->t = t[r->rows - 1];
    trmi_result_close(result);
    return status;
}

// "it has 501 rows, up to t = 10"
static void describe(const trmi_reach *r, char *text, size_t size)
{
    int done = snprintf(text, size, "it has %" PRId64 " rows", r->rows);
    if (r->rows > 0 && done > 0 && (size_t)done < size)
        snprintf(text + done, size - (size_t)done, ", up to t = %.9g", r->t);
}

static bool refuse(trmi_run *run, const char *option, bool give, trm_error *error)
{
    trmi_error_advise(error, "%s --%s as before, or run again with another --out",
                      give ? "give" : "omit", option);
    return trmi_run_fail(run, TRMI_STAGE_MODEL, error);
}

// An output is requested that the run did not have so far: its rows up to here would be missing,
// and what an earlier run has left there would be lost.
static bool refuse_added(trmi_run *run, int k, double t)
{
    const trmi_format *format = &trmi_formats[k];
    const char *path = run->request.path[k];
    char has[100] = "";
    trmi_reach r = {0};
    trm_error error = trmi_no_error();
    if (access(path, F_OK) == 0 && measure(format, path, &r, &error) == TRM_OK)
        describe(&r, has, sizeof has);
    trmi_file_error_text(&error, "continue", path,
                         "%s%sthe run up to the checkpoint at t = %.9g did not write it", has,
                         has[0] ? ", but " : "", t);
    return refuse(run, format->option, format->by_default, &error);
}

// An output of the run so far is not requested any more: it could never be continued again.
static bool refuse_omitted(trmi_run *run, int k, int64_t rows, double t)
{
    const trmi_format *format = &trmi_formats[k];
    trm_error error = trmi_no_error();
    trmi_file_error_text(&error, "go on without", run->request.path[k],
                         "the run wrote %" PRId64 " rows to it up to the checkpoint at t = %.9g",
                         rows, t);
    return refuse(run, format->option, !format->by_default, &error);
}

static bool check_reach(trmi_run *run, const trmi_format *format, const char *path, int64_t rows,
                        double t)
{
    char has[100];
    trmi_reach r = {0};
    trm_error error = trmi_no_error();
    if (trmi_writer_check_there(path, &error) != TRM_OK ||
        measure(format, path, &r, &error) != TRM_OK)
        return trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
    if (r.rows >= rows)
        return true;
    describe(&r, has, sizeof has);
    trmi_file_error_text(&error, "continue", path,
                         "%s; the checkpoint at t = %.9g needs %" PRId64 " rows", has, t, rows);
    trmi_error_advise(&error, "use the result file that belongs to the checkpoint, or run again "
                              "with another --out");
    return trmi_run_fail(run, TRMI_STAGE_MODEL, &error);
}

// the parts of an output, each where the format keeps it
static bool check_output(trmi_run *run, int k, const trmi_resume *needed, double t)
{
    const int64_t count[TRMI_PARTS] = {needed->rows, needed->steps, needed->events};
    const trmi_format *format = &trmi_formats[k];
    const char *path = run->request.path[k];
    if (!format->reader->part_path) // one file, which is copied whole or not at all
        return check_reach(run, format, path, needed->rows, t);
    bool good = true;
    for (int part = 0; part < TRMI_PARTS && good; part++) {
        trm_error error = trmi_no_error();
        char *file = format->reader->part_path(path, (trmi_file_part)part);
        if (file) {
            good = check_reach(run, format, file, count[part], t);
        } else {
            trmi_file_error(&error, "continue", path, ENOMEM);
            good = trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
        }
        free(file);
    }
    return good;
}

bool trmi_resume_check_files(trmi_run *run, const trmi_resume files[TRMI_FORMATS])
{
    double t = trm_simulation_state(run->simulation)->t;
    for (int k = 0; k < TRMI_FORMATS; k++) {
        // a run writes the row of its start before its first checkpoint: no rows, no file
        bool had = files[k].rows > 0, requested = run->request.write[k];
        if (requested && !had)
            return refuse_added(run, k, t);
        if (had && !requested)
            return refuse_omitted(run, k, files[k].rows, t);
        if (requested && !check_output(run, k, &files[k], t))
            return false;
    }
    return true;
}
