// SPDX-License-Identifier: Apache-2.0
// Common to the tests of result files with many channels: a run whose channels are interleaved, as
// no model has them, with two groups that are stored wide and one that just is not.
#ifndef RESULTS_WIDE_H
#define RESULTS_WIDE_H

#include "unit/results.h"

// 200 channels have a dataset each, 201 share one with 32768/201 = 163 rows in a chunk, and 2000
// one with 16 rows
enum { WIDE_POSITIONS = 2000, WIDE_STATES = 201, WIDE_OUTPUTS = 200 };
enum { WIDE_CHANNELS = WIDE_POSITIONS + WIDE_STATES + WIDE_OUTPUTS };

typedef struct wide_run {
    trmi_channel channel[WIDE_CHANNELS];
    char name[WIDE_CHANNELS][24];
    double value[WIDE_CHANNELS];
} wide_run;

// The caller frees it. Of ten channels one is a state and one an output, until there are enough.
static inline wide_run *make_wide_run(void)
{
    wide_run *run = calloc(1, sizeof *run);
    int positions = 0, states = 0, outputs = 0;
    for (int k = 0; k < WIDE_CHANNELS; k++) {
        bool state = k % 10 == 9 && states < WIDE_STATES;
        bool output = !state && k % 10 == 8 && outputs < WIDE_OUTPUTS;
        bool rest = positions == WIDE_POSITIONS;
        if (state || (rest && states < WIDE_STATES)) {
            snprintf(run->name[k], sizeof run->name[k], "a/b %%%d", states++);
            run->channel[k] = (trmi_channel){"state", run->name[k], "", ""};
        } else if (output || rest) {
            snprintf(run->name[k], sizeof run->name[k], "values%d", outputs++);
            run->channel[k] = (trmi_channel){"output", run->name[k], "N", ""};
        } else {
            snprintf(run->name[k], sizeof run->name[k], "q%d", positions);
            run->channel[k] = (trmi_channel){"position", run->name[k], positions % 3 ? "rad" : "m",
                                             positions == 7 ? "the seventh, from 0" : ""};
            positions++;
        }
    }
    return run;
}

// Numbers with all their digits, a NaN here and there.
static inline double wide_value(int64_t row, int channel)
{
    return (row + channel) % 97 == 0 ? NAN : sin(0.01 * (double)row + 0.1 * channel);
}

static inline trm_status write_wide_rows(wide_run *run, trmi_writer *writer, int64_t from,
                                         int64_t to, trm_error *error)
{
    trm_status status = TRM_OK;
    for (int64_t row = from; row < to && status == TRM_OK; row++) {
        for (int k = 0; k < WIDE_CHANNELS; k++)
            run->value[k] = wide_value(row, k);
        status = trmi_writer_row(writer, run_time(row), run->value, error);
    }
    return status;
}

static inline trmi_writer *open_wide(const wide_run *run, const char *path,
                                     const trmi_resume *resume)
{
    trm_error error;
    trmi_writer *writer =
        trmi_writer_open("hdf5", path, &run_info, run->channel, WIDE_CHANNELS, resume, &error);
    if (!writer)
        fail_msg("%s", error.text);
    return writer;
}

// At least so many rows of every channel came back, bit for bit; returns how many.
static inline int64_t assert_wide_rows(const wide_run *run, const char *path, int64_t rows)
{
    int64_t count = 0;
    int positions = 0, outputs = WIDE_POSITIONS, states = WIDE_POSITIONS + WIDE_OUTPUTS;
    trmi_result *result = open_result(path);
    for (int k = 0; k < WIDE_CHANNELS; k++) {
        const double *t, *value;
        const char *group = run->channel[k].group;
        int *next = group[0] == 'p' ? &positions : group[0] == 'o' ? &outputs : &states;
        trm_error error;
        assert_string_equal(trmi_result_channel(result, *next)->name, run->name[k]);
        assert_done(trmi_result_read(result, (*next)++, &t, &value, &count, &error), &error);
        assert_true(count >= rows);
        for (int64_t row = 0; row < count; row++)
            assert_same_bits(value[row], wide_value(row, k));
    }
    trmi_result_close(result);
    return count;
}

#endif
