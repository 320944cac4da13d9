// SPDX-License-Identifier: Apache-2.0
// The rows of earlier parts of a run that is resumed, from its result file: the companion begins at
// the start again and is compared with them as with those that follow.
#include "program/run/run.h"

#include "base/error.h"
#include "program/files/reader.h"

#include <stdlib.h>

// bytes of rows that are read; from more of them only those that follow are compared
static const double MAX_BYTES = 64 << 20;

// A row of an event, on one side of a jump: not on the grid, or at the time of the row before.
static bool is_of_event(trmi_run *run, const double *t, int64_t i)
{
    return (i > 0 && t[i] == t[i - 1]) || !trmi_record_on_grid(run, t[i]);
}

// the times of the rows, whose errors are written again at the end
static bool replay_times(trmi_run *run, trmi_result *result, int64_t rows)
{
    trm_error error = trmi_no_error();
    const double *t;
    int64_t count = 0;
    bool good = trmi_result_time(result, false, &t, &count, &error) == TRM_OK && count >= rows;
    for (int64_t i = 0; i < rows && good; i++)
        good = trmi_errors_row(run, t[i]);
    return good;
}

static bool replay(trmi_run *run, trmi_result *result, int64_t rows)
{
    trm_error error = trmi_no_error();
    const double *t, **value = calloc((size_t)run->sample_size + 1, sizeof *value);
    int64_t count = 0;
    bool good =
        value && trmi_result_time(result, false, &t, &count, &error) == TRM_OK && count >= rows;
    for (int k = 0; k < run->sample_size && good; k++)
        good =
            trmi_result_read(result, k, &t, &value[k], &count, &error) == TRM_OK && count >= rows;
    for (int64_t i = 0; i < rows && good; i++) {
        for (int k = 0; k < run->sample_size; k++)
            run->row[k] = value[k][i];
        if (!is_of_event(run, t, i))
            trmi_companion_row(run->companion, t[i], run->row);
    }
    free(value);
    return good;
}

void trmi_accuracy_replay(trmi_run *run, const trmi_resume files[TRMI_FORMATS])
{
    bool done = false;
    for (int k = 0; k < TRMI_FORMATS && run->companion && !done; k++) {
        trm_error error = trmi_no_error();
        double bytes = (double)files[k].rows * (double)run->sample_size * sizeof(double);
        trmi_result *result =
            run->request.write[k] ? trmi_result_open(run->request.path[k], &error) : NULL;
        done = result && replay_times(run, result, files[k].rows);
        if (done && bytes <= MAX_BYTES && run->selection == run->channels &&
            trmi_result_channels(result) >= run->sample_size)
            replay(run, result, files[k].rows);
        trmi_result_close(result);
    }
}
