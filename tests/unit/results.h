// SPDX-License-Identifier: Apache-2.0
// Common to the tests of result files: a folder that is removed again, a run whose numbers follow
// from the row number, and what must come back.
#ifndef RESULTS_H
#define RESULTS_H

#include "framework.h"

#include "program/files/reader.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct test_folder {
    char path[64];
} test_folder;

static inline int make_folder(void **state)
{
    test_folder *folder = calloc(1, sizeof *folder);
    strcpy(folder->path, "/tmp/trammel-test-XXXXXX");
    *state = folder;
    return mkdtemp(folder->path) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    test_folder *folder = *state;
    DIR *entries = opendir(folder->path);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
        if (entry->d_name[0] != '.')
            remove(path);
    }
    closedir(entries);
    int result = rmdir(folder->path);
    free(folder);
    return result;
}

// a path in the folder of the test, valid until the second next call
static inline const char *in_folder(void **state, const char *name)
{
    static char path[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", ((test_folder *)*state)->path, name);
    return path[next];
}

static inline void assert_done(trm_status status, const trm_error *error)
{
    if (status != TRM_OK)
        fail_msg("%s: %s", trm_status_name(status), error->text);
}

// ---- a run ----

enum { RUN_CHANNELS = 4 };
static const trmi_channel run_channel[RUN_CHANNELS] = {
    {"position", "x", "m", "height of the \"ball\""},
    {"velocity", "x", "m/s", "its rate"},
    {"output", "a/b, 100%", "", ""},
    {"energy", "total", "J", "kinetic and potential"},
};
static const trmi_run_info run_info = {.title = "ball",
                                       .model = "trammel: 1\nname: ball\n",
                                       .model_length = 23,
                                       .options = "{\"rtol\": 1e-06}",
                                       .command_line = "trammel run ball.yaml",
                                       .version = "0.1",
                                       .features = "klu hdf5"};

static inline double run_time(int64_t row)
{
    return 0.1 * (double)row;
}

static inline double run_value(int64_t row, int channel)
{
    return sin(0.37 * (double)row + channel) * pow(10, channel - 1);
}

static inline trmi_step_row run_step(int64_t step)
{
    int k = (int)(step % 1000);
    return (trmi_step_row){.t = 0.05 * (double)step,
                           .h = 1.0 / (1 + k),
                           .order = 1 + k % 5,
                           .iterations = 1 + k % 3,
                           .rejected_error = k % 7 == 0 ? 1 : 0,
                           .rejected_newton = k % 11 == 0 ? 2 : 0,
                           .residuals = 3 * (long)step,
                           .factorizations = (long)step / 4,
                           .jacobians = (long)step / 8,
                           .updates = (long)step / 5};
}

// rows [from, to), two steps for each, an event for every 50th
static inline trm_status write_run(trmi_writer *writer, int64_t from, int64_t to, trm_error *error)
{
    trm_status status = TRM_OK;
    for (int64_t row = from; row < to && status == TRM_OK; row++) {
        double value[RUN_CHANNELS];
        for (int k = 0; k < RUN_CHANNELS; k++)
            value[k] = run_value(row, k);
        status = trmi_writer_row(writer, run_time(row), value, error);
        for (int64_t step = 2 * row; step < 2 * row + 2 && status == TRM_OK; step++) {
            trmi_step_row data = run_step(step);
            status = trmi_writer_step(writer, &data, error);
        }
        if (row % 50 == 0 && status == TRM_OK)
            status =
                trmi_writer_event(writer, run_time(row), "bounce", "\"up\", then\ndown", error);
    }
    return status;
}

static inline trmi_resume run_count(int64_t rows)
{
    return (trmi_resume){rows, 2 * rows, (rows + 49) / 50};
}

static inline trmi_writer *open_run(const char *format, const char *path, const trmi_resume *resume)
{
    trm_error error;
    trmi_writer *writer =
        trmi_writer_open(format, path, &run_info, run_channel, RUN_CHANNELS, resume, &error);
    if (!writer)
        fail_msg("%s", error.text);
    return writer;
}

static inline void close_run(trmi_writer *writer)
{
    trm_error error;
    assert_done(trmi_writer_close(writer, "done", "reached t_end", "{\"steps\": 3}", &error),
                &error);
}

static inline trmi_result *open_result(const char *path)
{
    trm_error error;
    trmi_result *result = trmi_result_open(path, &error);
    if (!result)
        fail_msg("%s", error.text);
    return result;
}

// bit for bit, also NaN and -0
static inline void assert_same_bits(double value, double expected)
{
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%.17g is not %.17g", value, expected);
}

// The values of a channel by name, at least `least` of them.
static inline const double *read_channel(trmi_result *result, const char *name, int64_t least,
                                         int64_t *count)
{
    trm_error error;
    const double *t, *value;
    int index = trmi_result_find(result, name, &error);
    if (index < 0)
        fail_msg("%s", error.text);
    assert_done(trmi_result_read(result, index, &t, &value, count, &error), &error);
    if (*count < least)
        fail_msg("%s has %lld rows, not %lld", name, (long long)*count, (long long)least);
    return value;
}

// At least the first `rows` rows of the run with their steps and events came back, and nothing that
// is wrong. The name of the third channel differs between the formats.
static inline void assert_run(trmi_result *result, int64_t rows, const char *third)
{
    const char *const name[RUN_CHANNELS] = {"position/x", "velocity/x", third, "total"};
    int64_t count;
    for (int k = 0; k < RUN_CHANNELS; k++) {
        const double *value = read_channel(result, name[k], rows, &count);
        for (int64_t row = 0; row < count; row++)
            assert_same_bits(value[row], run_value(row, k));
    }
    const double *h = read_channel(result, "solver/h", 2 * rows, &count);
    for (int64_t step = 0; step < count; step++)
        assert_same_bits(h[step], run_step(step).h);
    const double *reason = read_channel(result, "solver/reason", 2 * rows, &count);
    for (int64_t step = 0; step < count; step++) {
        trmi_step_row row = run_step(step);
        assert_same_bits(reason[step], (row.rejected_error > 0) + 2 * (row.rejected_newton > 0));
    }
    assert_true(trmi_result_events(result) >= run_count(rows).events);
    for (int64_t k = 0; k < trmi_result_events(result); k++) {
        double t;
        const char *event, *text;
        trmi_result_event(result, k, &t, &event, &text);
        assert_same_bits(t, run_time(50 * k));
        assert_string_equal(event, "bounce");
        assert_string_equal(text, "\"up\", then\ndown");
    }
}

static const char third_hdf5[] = "output/a/b, 100%", third_csv[] = "a/b, 100%";

#endif
