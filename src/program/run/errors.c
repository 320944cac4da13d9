// SPDX-License-Identifier: Apache-2.0
// The errors of the rows in the result files. The companion is behind the run: they are written
// when both are at their end, for every row of the files. Rows that were not compared have none
// (NaN); those of events, between two rows of the grid, have those of the next.
#include "program/run/run.h"

#include "base/error.h"
#include "program/run/compared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The groups of errors, "error/position", each once.
static const char *group_of_errors(trmi_run *run, const char *group)
{
    char name[60], *kept;
    int length = snprintf(name, sizeof name, TRMI_ERROR_GROUP "%.40s", group);
    for (int k = run->selection; k < run->selection + run->errors; k++)
        if (strcmp(run->channel[k].group, name) == 0)
            return run->channel[k].group;
    return TRMI_TAKE(&run->memory, kept, length + 1) ? strcpy(kept, name) : NULL;
}

bool trmi_errors_channels(trmi_run *run)
{
    int count = run->sample_size;
    if (run->request.verify == TRMI_VERIFY_NEVER)
        return true;
    size_t size = (size_t)(run->channels + count + 1) * sizeof *run->channel;
    trmi_channel *more = realloc(run->channel, size);
    bool *compared = calloc((size_t)count + 1, sizeof *compared);
    bool good = more && compared && TRMI_TAKE(&run->memory, run->error_of, count);
    if (more)
        run->channel = more;
    if (good)
        trmi_compared_which(run->request.model, run->simulation, compared);
    for (int s = 0; s < run->selection && good; s++) {
        int k = run->selected[s];
        if (k >= count || !compared[k])
            continue;
        const trmi_channel *of = &run->channel[s];
        const char *group = group_of_errors(run, of->group);
        good = group != NULL;
        run->channel[run->selection + run->errors] = (trmi_channel){group, of->name, of->unit, ""};
        run->error_of[run->errors++] = k;
    }
    free(compared);
    return good;
}

bool trmi_errors_row(trmi_run *run, double t)
{
    if (run->errors == 0)
        return true;
    if (run->times == run->time_capacity) {
        int64_t capacity = 2 * run->time_capacity + 256;
        double *time = realloc(run->time, (size_t)capacity * sizeof *time);
        if (!time) {
            trm_error error = trmi_no_error();
            trmi_error_set(&error, TRM_ERR_MEMORY, "no memory for the times of the rows");
            return trmi_run_fail(run, TRMI_STAGE_SIMULATION, &error);
        }
        run->time = time;
        run->time_capacity = capacity;
    }
    run->time[run->times++] = t;
    return true;
}

// The errors of a row into out; NaN where it was not compared.
static void find_errors(const trmi_run *run, const trm_verify *verify, double t, double *all,
                        double *out)
{
    bool there = t >= run->accuracy.t_first && trm_verify_row(verify, t, all);
    for (int k = 0; k < run->errors; k++)
        out[k] = there ? all[run->error_of[k]] : NAN;
}

bool trmi_errors_write(trmi_run *run)
{
    if (run->errors == 0 || !run->companion || run->accuracy.rows == 0)
        return true;
    const trm_verify *verify = trmi_companion_result_of(run->companion)->verify;
    double *all = calloc((size_t)run->sample_size + (size_t)run->errors + 1, sizeof *all);
    double *out = all ? all + run->sample_size : NULL;
    trm_error error = trmi_no_error();
    if (!all) {
        trmi_error_set(&error, TRM_ERR_MEMORY, "no memory for the errors of the rows");
        return trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
    }
    bool good = true;
    for (int64_t i = 0; i < run->times && good; i++) {
        find_errors(run, verify, run->time[i], all, out);
        for (int k = 0; k < TRMI_FORMATS && good; k++)
            if (run->writer[k] &&
                trmi_writer_errors(run->writer[k], run->time[i], out, &error) != TRM_OK)
                good = trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
    }
    free(all);
    return good;
}
