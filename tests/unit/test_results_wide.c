// SPDX-License-Identifier: Apache-2.0
// HDF5 results of groups with many channels, which share one dataset.
#define _POSIX_C_SOURCE 200809L
#include "unit/results_wide.h"

#include <hdf5.h>
#include <signal.h>

static int make_run(void **state)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return make_folder(state);
}

static void write_wide_file(wide_run *run, const char *path, int64_t rows)
{
    trm_error error;
    trmi_writer *writer = open_wide(run, path, NULL);
    assert_done(write_wide_rows(run, writer, 0, rows, &error), &error);
    close_run(writer);
}

static bool has(hid_t file, const char *path)
{
    return H5Lexists(file, path, H5P_DEFAULT) > 0;
}

// ---- round trip ----

static void test_wide_run_comes_back(void **state)
{
    const char *path = in_folder(state, "run.h5");
    wide_run *run = make_wide_run();
    // one more than a chunk of 163 rows, and four more than 10 of 16
    write_wide_file(run, path, 164);
    assert_int_equal(assert_wide_rows(run, path, 164), 164);
    free(run);
}

static void test_wide_no_rows_come_back(void **state)
{
    const char *path = in_folder(state, "run.h5");
    wide_run *run = make_wide_run();
    write_wide_file(run, path, 0);
    assert_int_equal(assert_wide_rows(run, path, 0), 0);
    free(run);
}

static void test_wide_begins_behind_200_channels(void **state)
{
    const char *path = in_folder(state, "run.h5");
    wide_run *run = make_wide_run();
    write_wide_file(run, path, 1);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(has(file, "output/values0") && !has(file, "output/values"));
    assert_true(has(file, "state/values") && !has(file, "state/a%2Fb %250"));
    assert_true(has(file, "position/values") && has(file, "position/descriptions"));
    // lists without a text are left out
    assert_true(has(file, "position/units") && !has(file, "state/units"));
    assert_false(has(file, "state/descriptions"));
    H5Fclose(file);
    free(run);
}

// group by group, each in the order of the writer, with the solver behind them
static void test_wide_channels_keep_order_and_texts(void **state)
{
    const char *path = in_folder(state, "run.h5");
    const char *const group[] = {"position", "output", "state"};
    wide_run *run = make_wide_run();
    write_wide_file(run, path, 1);
    trmi_result *result = open_result(path);
    assert_int_equal(trmi_result_channels(result), WIDE_CHANNELS + 10);
    int next = 0;
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < WIDE_CHANNELS; k++) {
            if (strcmp(run->channel[k].group, group[g]) != 0)
                continue;
            const trmi_channel *channel = trmi_result_channel(result, next++);
            assert_string_equal(channel->group, group[g]);
            assert_string_equal(channel->name, run->channel[k].name);
            assert_string_equal(channel->unit, run->channel[k].unit);
            assert_string_equal(channel->description, run->channel[k].description);
        }
    assert_string_equal(trmi_result_channel(result, next)->name, "h");
    trmi_result_close(result);
    free(run);
}

static void test_wide_channels_are_found_by_name(void **state)
{
    const char *path = in_folder(state, "run.h5");
    trm_error error;
    wide_run *run = make_wide_run();
    write_wide_file(run, path, 1);
    trmi_result *result = open_result(path);
    assert_int_equal(trmi_result_find(result, "position/q1999", &error), 1999);
    assert_int_equal(trmi_result_find(result, "q17", &error), 17);
    assert_int_equal(trmi_result_find(result, "a/b %0", &error), WIDE_POSITIONS + WIDE_OUTPUTS);
    assert_int_equal(trmi_result_find(result, "position/values", &error), -1);
    assert_int_equal(trmi_result_find(result, "position/q19999", &error), -1);
    assert_contains(error.advice, "did you mean position/q1999?");
    trmi_result_close(result);
    free(run);
}

// `channels` channels "position/x<k>"; the caller frees both
static trmi_channel *number_channels(int channels, char (**name)[16])
{
    trmi_channel *channel = calloc((size_t)channels, sizeof *channel);
    *name = calloc((size_t)channels, sizeof **name);
    for (int k = 0; k < channels; k++) {
        snprintf((*name)[k], sizeof(*name)[k], "x%d", k);
        channel[k] = (trmi_channel){"position", (*name)[k], "", ""};
    }
    return channel;
}

// 300 columns of 15000 rows are more than the 2^22 values that are read together
static void test_wide_long_columns_come_back(void **state)
{
    enum { COLUMNS = 300, ROWS = 15000 };
    const char *path = in_folder(state, "run.h5");
    char(*name)[16];
    trmi_channel *channel = number_channels(COLUMNS, &name);
    double value[COLUMNS];
    trm_error error;
    trmi_writer *writer = trmi_writer_open("hdf5", path, NULL, channel, COLUMNS, NULL, &error);
    for (int row = 0; row < ROWS; row++) {
        for (int k = 0; k < COLUMNS; k++)
            value[k] = 1000 * row + k;
        assert_done(trmi_writer_row(writer, row, value, &error), &error);
    }
    close_run(writer);
    trmi_result *result = open_result(path);
    for (int k = COLUMNS - 1; k >= 0; k--) {
        int64_t count;
        const double *back = read_channel(result, name[k], ROWS, &count);
        assert_int_equal(count, ROWS);
        for (int row = 0; row < ROWS; row++)
            if (back[row] != 1000 * row + k)
                fail_msg("x%d is %g in row %d", k, back[row], row);
    }
    trmi_result_close(result);
    free(channel);
    free(name);
}

// A row of 40000 values has more than the 256 KiB of a chunk: it is one.
static void test_wide_row_larger_than_a_chunk_comes_back(void **state)
{
    enum { COLUMNS = 40000, ROWS = 3 };
    const char *path = in_folder(state, "run.h5");
    char(*name)[16];
    trmi_channel *channel = number_channels(COLUMNS, &name);
    double *value = calloc(COLUMNS, sizeof *value);
    trm_error error;
    trmi_writer *writer = trmi_writer_open("hdf5", path, NULL, channel, COLUMNS, NULL, &error);
    for (int row = 0; row < ROWS; row++) {
        for (int k = 0; k < COLUMNS; k++)
            value[k] = 1e6 * row + k;
        assert_done(trmi_writer_row(writer, row, value, &error), &error);
    }
    close_run(writer);
    trmi_result *result = open_result(path);
    for (int k = 0; k < COLUMNS; k += 1111) {
        int64_t count;
        const double *back = read_channel(result, name[k], ROWS, &count);
        for (int row = 0; row < ROWS; row++)
            assert_true(back[row] == 1e6 * row + k);
    }
    trmi_result_close(result);
    free(value);
    free(channel);
    free(name);
}

// one name of 300 bytes would make a list of 201 names 60 kB long, one of a megabyte 200 MB
static void test_wide_group_with_a_long_name_stays_narrow(void **state)
{
    enum { COLUMNS = 201 };
    const char *path = in_folder(state, "run.h5");
    char(*name)[16], longest[301];
    trmi_channel *channel = number_channels(COLUMNS, &name);
    double value[COLUMNS] = {0};
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    channel[100].name = longest;
    value[100] = 5;
    trm_error error;
    trmi_writer *writer = trmi_writer_open("hdf5", path, NULL, channel, COLUMNS, NULL, &error);
    assert_done(trmi_writer_row(writer, 0, value, &error), &error);
    close_run(writer);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_false(has(file, "position/values"));
    H5Fclose(file);
    trmi_result *result = open_result(path);
    int64_t count;
    assert_true(read_channel(result, longest, 1, &count)[0] == 5);
    trmi_result_close(result);
    free(channel);
    free(name);
}

// what the names of its own datasets mean in a group with few channels
static void test_wide_names_of_the_layout_are_free(void **state)
{
    const char *path = in_folder(state, "run.h5");
    const trmi_channel channel[] = {{"position", "values", "m", ""}, {"position", "names", "", ""}};
    const double value[] = {1, 2};
    int64_t count;
    trm_error error;
    trmi_writer *writer = trmi_writer_open("hdf5", path, NULL, channel, 2, NULL, &error);
    assert_done(trmi_writer_row(writer, 0, value, &error), &error);
    close_run(writer);
    trmi_result *result = open_result(path);
    assert_true(read_channel(result, "position/values", 1, &count)[0] == 1);
    assert_true(read_channel(result, "position/names", 1, &count)[0] == 2);
    trmi_result_close(result);
}

// ---- size ----

// Flushed row by row, every chunk lies there uncompressed, but once.
static void test_wide_flushing_does_not_grow_the_file(void **state)
{
    enum { ROWS = 60 };
    const char *path = in_folder(state, "run.h5");
    struct stat empty, full;
    wide_run *run = make_wide_run();
    trm_error error;
    write_wide_file(run, path, 0);
    assert_int_equal(stat(path, &empty), 0);
    trmi_writer *writer = open_wide(run, path, NULL);
    for (int row = 0; row < ROWS; row++) {
        assert_done(write_wide_rows(run, writer, row, row + 1, &error), &error);
        assert_done(trmi_writer_flush(writer, &error), &error);
    }
    close_run(writer);
    assert_int_equal(stat(path, &full), 0);
    // 4 chunks of 16 x 2000 values, one of 163 x 201, 201 of 256 (with the time); 10 % for the
    // index of the chunks
    double values = 4 * 16 * 2000 + 163 * 201 + 201 * 256;
    assert_true((double)(full.st_size - empty.st_size) < 1.1 * 8 * values);
    assert_wide_rows(run, path, ROWS);
    free(run);
}

// ---- going on ----

// As if a run of 400 rows had been interrupted behind row 230 with a checkpoint at row 170.
static void test_wide_resumed_run_equals_uninterrupted(void **state)
{
    const char *path = in_folder(state, "run.h5");
    const trmi_resume checkpoint = {.rows = 170};
    wide_run *run = make_wide_run();
    trm_error error;
    write_wide_file(run, path, 230);
    trmi_writer *writer = open_wide(run, path, &checkpoint);
    assert_done(write_wide_rows(run, writer, 170, 400, &error), &error);
    close_run(writer);
    assert_int_equal(assert_wide_rows(run, path, 400), 400);
    free(run);
}

static void test_wide_resume_with_other_channels_is_refused(void **state)
{
    const char *path = in_folder(state, "run.h5");
    const trmi_resume checkpoint = {.rows = 5}, too_many = {.rows = 11};
    wide_run *run = make_wide_run();
    trm_error error;
    write_wide_file(run, path, 10);
    // the last channel is a position or a state: one column less
    assert_null(
        trmi_writer_open("hdf5", path, NULL, run->channel, WIDE_CHANNELS - 1, &checkpoint, &error));
    assert_contains(error.text, "other channels in /");
    strcpy(run->name[3], "other");
    assert_null(
        trmi_writer_open("hdf5", path, NULL, run->channel, WIDE_CHANNELS, &checkpoint, &error));
    assert_contains(error.text, "other channels in /position/values");
    strcpy(run->name[3], "q3");
    assert_null(
        trmi_writer_open("hdf5", path, NULL, run->channel, WIDE_CHANNELS, &too_many, &error));
    assert_contains(error.text, "has 10 entries, the checkpoint needs 11");
    assert_int_equal(assert_wide_rows(run, path, 10), 10); // nothing was touched
    free(run);
}

// ---- kill ----

// `rows` rows, flushed, then one more that is not
static void write_and_die(wide_run *run, const char *path, int64_t rows)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        trmi_writer *writer = open_wide(run, path, NULL);
        for (int64_t row = 0; row < rows; row += rows / 2 + 1) { // flushed in between too
            int64_t end = row + rows / 2 + 1 < rows ? row + rows / 2 + 1 : rows;
            if (write_wide_rows(run, writer, row, end, NULL) != TRM_OK ||
                trmi_writer_flush(writer, NULL) != TRM_OK)
                _exit(1);
        }
        if (write_wide_rows(run, writer, rows, rows + 1, NULL) == TRM_OK)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void test_wide_killed_run_keeps_flushed_rows_and_goes_on(void **state)
{
    // inside the first chunk of 16 rows, one before its end, at its end, behind it, some later
    const int64_t rows[] = {1, 15, 16, 17, 40};
    const char *path = in_folder(state, "run.h5");
    wide_run *run = make_wide_run();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const trmi_resume checkpoint = {.rows = rows[k]};
        trm_error error;
        write_and_die(run, path, rows[k]);
        assert_wide_rows(run, path, rows[k]);
        trmi_writer *writer = open_wide(run, path, &checkpoint);
        assert_done(write_wide_rows(run, writer, rows[k], 50, &error), &error);
        close_run(writer);
        assert_int_equal(assert_wide_rows(run, path, 50), 50);
    }
    free(run);
}

// ---- damage ----

static void assert_names_refused(const char *path)
{
    trm_error error;
    assert_null(trmi_result_open(path, &error));
    assert_int_equal(error.status, TRM_ERR_RESULT);
    assert_contains(error.text, "the file is damaged (names of position/values)");
}

static void test_wide_missing_names_are_told(void **state)
{
    const char *path = in_folder(state, "run.h5");
    wide_run *run = make_wide_run();
    write_wide_file(run, path, 2);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "position/names", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_names_refused(path);
    // as many as another group has
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(
        H5Lcreate_hard(file, "state/names", file, "position/names", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_names_refused(path);
    free(run);
}

// any length too short: refused, or read without what is missing
static void test_wide_cut_files_do_no_harm(void **state)
{
    const char *path = in_folder(state, "run.h5");
    struct stat about;
    int refused = 0;
    wide_run *run = make_wide_run();
    write_wide_file(run, path, 20);
    assert_int_equal(stat(path, &about), 0);
    for (off_t length = about.st_size - 1; length > 0; length -= 20011) {
        trm_error error;
        assert_int_equal(truncate(path, length), 0);
        trmi_result *result = trmi_result_open(path, &error);
        refused += !result;
        if (!result)
            assert_contains(error.text, length >= 48 ? "cut off" : "damaged");
        trmi_result_close(result);
    }
    assert_true(refused > 5);
    free(run);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_run, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_wide_run_comes_back),
        IN_FOLDER(test_wide_no_rows_come_back),
        IN_FOLDER(test_wide_begins_behind_200_channels),
        IN_FOLDER(test_wide_channels_keep_order_and_texts),
        IN_FOLDER(test_wide_channels_are_found_by_name),
        IN_FOLDER(test_wide_long_columns_come_back),
        IN_FOLDER(test_wide_row_larger_than_a_chunk_comes_back),
        IN_FOLDER(test_wide_group_with_a_long_name_stays_narrow),
        IN_FOLDER(test_wide_names_of_the_layout_are_free),
        IN_FOLDER(test_wide_flushing_does_not_grow_the_file),
        IN_FOLDER(test_wide_resumed_run_equals_uninterrupted),
        IN_FOLDER(test_wide_resume_with_other_channels_is_refused),
        IN_FOLDER(test_wide_killed_run_keeps_flushed_rows_and_goes_on),
        IN_FOLDER(test_wide_missing_names_are_told),
        IN_FOLDER(test_wide_cut_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
