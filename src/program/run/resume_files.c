// SPDX-License-Identifier: Apache-2.0
// Whether the result files can be continued from a checkpoint without losing rows: each output that
// the run had so far is wanted again and has the rows up to the checkpoint, and no other is wanted.
// All are looked at before the first is touched.
#define _POSIX_C_SOURCE 200809L
#include "program/run/run.h"

#include "base/error.h"
#include "program/files/csv/names.h"
#include "program/files/file_error.h"
#include "program/files/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NUMBER = 40 };

// how far a result file has come
typedef struct reach {
    int64_t rows;
    double t; // of the last row, if there is one
} reach;

static trm_status measure_hdf5(const char *path, reach *r, trm_error *error)
{
    const double *t;
    trmi_result *result = trmi_result_open(path, error);
    trm_status status =
        result ? trmi_result_time(result, false, &t, &r->rows, error) : TRM_ERR_RESULT;
    if (status == TRM_OK && r->rows > 0)
        r->t = t[r->rows - 1];
    trmi_result_close(result);
    return status;
}

// Complete lines behind the header, and the first field of the last one. The file may be long: it
// is read through, not into memory.
static trm_status measure_csv(const char *path, reach *r, trm_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return trmi_file_error(error, "continue", path, errno);
    char field[LONGEST_NUMBER] = "";
    size_t length = 0;
    int64_t lines = 0;
    bool quoted = false, first = true;
    for (int c; (c = getc(file)) != EOF;) {
        quoted ^= c == '"'; // a doubled quote changes it twice
        first = first && c != ',' && c != '\n';
        if (first && length + 1 < sizeof field)
            field[length++] = (char)c;
        if (c != '\n' || quoted)
            continue;
        field[length] = '\0';
        if (lines++ > 0)
            r->t = strtod(field, NULL);
        length = 0;
        first = true;
    }
    r->rows = lines > 0 ? lines - 1 : 0;
    int failed = ferror(file) ? EIO : 0;
    fclose(file);
    return failed ? trmi_file_error(error, "continue", path, failed) : TRM_OK;
}

static trm_status measure(const char *format, const char *path, reach *r, trm_error *error)
{
    return strcmp(format, "csv") == 0 ? measure_csv(path, r, error) : measure_hdf5(path, r, error);
}

// "it has 501 rows, up to t = 10"
static void describe(const reach *r, char *text, size_t size)
{
    int done = snprintf(text, size, "it has %" PRId64 " rows", r->rows);
    if (r->rows > 0 && done > 0 && (size_t)done < size)
        snprintf(text + done, size - (size_t)done, ", up to t = %.9g", r->t);
}

// An output is wanted that the run did not have so far: its rows up to here would be missing, and
// what an earlier run has left there would be lost.
static bool refuse_added(trmi_run *run, int k, double t)
{
    const char *format = run->request.format[k], *path = run->request.path[k];
    char has[100] = "";
    reach r = {0};
    trm_error error = trmi_no_error();
    if (access(path, F_OK) == 0 && measure(format, path, &r, &error) == TRM_OK)
        describe(&r, has, sizeof has);
    trmi_file_error_text(&error, "continue", path,
                         "%s%sthe run up to the checkpoint at t = %.9g did not write it", has,
                         has[0] ? ", but " : "", t);
    trmi_error_advise(&error, "%s as before, or run anew with another --out",
                      strcmp(format, "csv") == 0 ? "leave --csv out" : "give --no-hdf5");
    return trmi_run_fail(run, TRMI_STAGE_MODEL, &error);
}

// An output of the run so far is not wanted any more: it could never be continued again.
static bool refuse_left_out(trmi_run *run, int k, int64_t rows, double t)
{
    trm_error error = trmi_no_error();
    trmi_file_error_text(&error, "go on without", run->request.path[k],
                         "the run wrote %" PRId64 " rows to it up to the checkpoint at t = %.9g",
                         rows, t);
    trmi_error_advise(&error, "give --csv and --no-hdf5 as before, or run anew with another --out");
    return trmi_run_fail(run, TRMI_STAGE_MODEL, &error);
}

static bool check_reach(trmi_run *run, const char *format, const char *path, int64_t rows, double t)
{
    char has[100];
    reach r = {0};
    trm_error error = trmi_no_error();
    if (trmi_writer_check_there(path, &error) != TRM_OK ||
        measure(format, path, &r, &error) != TRM_OK)
        return trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
    if (r.rows >= rows)
        return true;
    describe(&r, has, sizeof has);
    trmi_file_error_text(&error, "continue", path,
                         "%s; the checkpoint at t = %.9g wants %" PRId64 " rows", has, t, rows);
    trmi_error_advise(&error, "use the result file that belongs to the checkpoint, or run anew "
                              "with another --out");
    return trmi_run_fail(run, TRMI_STAGE_MODEL, &error);
}

// The files beside the rows of a CSV table. HDF5 has all in one file, which is copied whole or not.
static bool check_beside(trmi_run *run, const char *path, const trmi_resume *wanted, double t)
{
    const struct {
        const char *suffix;
        int64_t lines;
    } part[] = {{"-steps.csv", wanted->steps}, {"-events.csv", wanted->events}};
    bool good = true;
    for (int k = 0; k < 2 && good; k++) {
        trm_error error = trmi_no_error();
        char *beside = trmi_csv_beside(path, part[k].suffix);
        if (beside) {
            good = check_reach(run, "csv", beside, part[k].lines, t);
        } else {
            trmi_file_error(&error, "continue", path, ENOMEM);
            good = trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
        }
        free(beside);
    }
    return good;
}

static bool check_output(trmi_run *run, int k, const trmi_resume *wanted, double t)
{
    const char *format = run->request.format[k], *path = run->request.path[k];
    return check_reach(run, format, path, wanted->rows, t) &&
           (strcmp(format, "csv") != 0 || check_beside(run, path, wanted, t));
}

bool trmi_resume_check_files(trmi_run *run, const trmi_resume *files)
{
    double t = trm_simulation_state(run->simulation)->t;
    for (int k = 0; k < TRMI_RUN_WRITERS; k++) {
        // a run writes the row of its start before its first checkpoint: none, no file
        bool had = files[k].rows > 0, wanted = run->request.format[k] != NULL;
        if (wanted && !had)
            return refuse_added(run, k, t);
        if (had && !wanted)
            return refuse_left_out(run, k, files[k].rows, t);
        if (wanted && !check_output(run, k, &files[k], t))
            return false;
    }
    return true;
}
