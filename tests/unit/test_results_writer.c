// SPDX-License-Identifier: Apache-2.0
// Result files: what comes back, going on after a checkpoint, refused paths and channels.
#define _POSIX_C_SOURCE 200809L
#include "program/files/format.h"
#include "unit/results.h"

#include <float.h>

// ---- round trip ----

static void check_round_trip(void **state, const char *format, const char *file, const char *third)
{
    const char *path = in_folder(state, file);
    trm_error error;
    trmi_writer *writer = open_run(format, path, NULL);
    // more than two chunks of 256, the last one not full
    assert_done(write_run(writer, 0, 600, &error), &error);
    assert_int_equal(trmi_writer_count(writer).rows, 600);
    assert_int_equal(trmi_writer_count(writer).steps, 1200);
    assert_int_equal(trmi_writer_count(writer).events, 12);
    close_run(writer);
    trmi_result *result = open_result(path);
    assert_run(result, 600, third);
    int64_t count;
    read_channel(result, "total", 600, &count);
    assert_int_equal(count, 600);
    trmi_result_close(result);
}

static void test_writer_hdf5_run_comes_back(void **state)
{
    check_round_trip(state, "hdf5", "run.h5", third_hdf5);
}

static void test_writer_csv_run_comes_back(void **state)
{
    check_round_trip(state, "csv", "run.csv", third_csv);
}

// the smallest and largest numbers, those next to them, and what is not a number
static const double special[] = {0.0,       -0.0, DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN, DBL_MAX,
                                 -DBL_MAX,  0.1,  1.0 / 3,      DBL_EPSILON,   1e23,    INFINITY,
                                 -INFINITY, NAN};
enum { SPECIALS = sizeof special / sizeof *special };

static void check_special_numbers(void **state, const char *format, const char *file)
{
    const char *path = in_folder(state, file);
    const trmi_channel channel = {"state", "s", "", ""};
    trm_error error;
    trmi_writer *writer = trmi_writer_open(format, path, NULL, &channel, 1, NULL, &error);
    assert_non_null(writer);
    for (int k = 0; k < SPECIALS; k++)
        assert_done(trmi_writer_row(writer, special[k], &special[k], &error), &error);
    close_run(writer);
    trmi_result *result = open_result(path);
    int64_t count;
    const double *t;
    const double *value = read_channel(result, "s", SPECIALS, &count);
    assert_done(trmi_result_time(result, false, &t, &count, &error), &error);
    for (int k = 0; k < SPECIALS; k++) {
        assert_same_bits(value[k], special[k]);
        assert_same_bits(t[k], special[k]);
    }
    trmi_result_close(result);
}

static void test_writer_hdf5_special_numbers_keep_their_bits(void **state)
{
    check_special_numbers(state, "hdf5", "run.h5");
}

static void test_writer_csv_special_numbers_keep_their_bits(void **state)
{
    check_special_numbers(state, "csv", "run.csv");
}

static void test_writer_hdf5_keeps_payload_of_nan(void **state)
{
    const char *path = in_folder(state, "run.h5");
    const trmi_channel channel = {"state", "s", "", ""};
    const uint64_t bits = UINT64_C(0xfff8000000abcdef); // a quiet NaN with sign and payload
    double nan, back;
    memcpy(&nan, &bits, sizeof nan);
    trm_error error;
    trmi_writer *writer = trmi_writer_open("hdf5", path, NULL, &channel, 1, NULL, &error);
    assert_done(trmi_writer_row(writer, 0, &nan, &error), &error);
    close_run(writer);
    trmi_result *result = open_result(path);
    int64_t count;
    back = read_channel(result, "s", 1, &count)[0];
    assert_memory_equal(&back, &bits, sizeof back);
    trmi_result_close(result);
}

static void test_writer_no_channels_and_no_rows_give_a_file(void **state)
{
    const char *const format[] = {"hdf5", "csv"};
    for (int k = 0; k < 2; k++) {
        const char *path = in_folder(state, format[k]);
        trm_error error;
        trmi_writer *writer = trmi_writer_open(format[k], path, NULL, NULL, 0, NULL, &error);
        if (!writer)
            fail_msg("%s", error.text);
        close_run(writer);
        trmi_result *result = open_result(path);
        const double *t;
        int64_t count;
        assert_done(trmi_result_time(result, false, &t, &count, &error), &error);
        assert_int_equal(count, 0);
        trmi_result_close(result);
    }
}

// More datasets than the 1000 that are flushed together, over the end of a chunk; ten groups, none
// of them wide.
static void test_writer_hdf5_many_channels_come_back(void **state)
{
    enum { MANY = 1300, ROWS = 260 };
    const char *path = in_folder(state, "run.h5");
    static trmi_channel channel[MANY];
    static char name[MANY][16], group[10][16];
    double value[MANY];
    trm_error error;
    for (int k = 0; k < MANY; k++) {
        snprintf(name[k], sizeof name[k], "x%d", k);
        snprintf(group[k % 10], sizeof group[k % 10], "group%d", k % 10);
        channel[k] = (trmi_channel){group[k % 10], name[k], "m", ""};
    }
    trmi_writer *writer = trmi_writer_open("hdf5", path, NULL, channel, MANY, NULL, &error);
    assert_non_null(writer);
    for (int row = 0; row < ROWS; row++) {
        for (int k = 0; k < MANY; k++)
            value[k] = 1000 * row + k;
        assert_done(trmi_writer_row(writer, row, value, &error), &error);
    }
    close_run(writer);
    trmi_result *result = open_result(path);
    for (int k = 0; k < MANY; k++) {
        int64_t count;
        const double *back = read_channel(result, name[k], ROWS, &count);
        for (int row = 0; row < ROWS; row++)
            assert_true(back[row] == 1000 * row + k);
    }
    trmi_result_close(result);
}

// ---- text ----

static void read_text(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void test_writer_csv_text_is_as_documented(void **state)
{
    char text[1000];
    trm_error error;
    trmi_writer *writer = open_run("csv", in_folder(state, "run.csv"), NULL);
    const double value[RUN_CHANNELS] = {1, -0.5, 1e300, 0.1};
    trmi_step_row step = {0.5, 0.25, 2, 3, 1, 0, 17, 4, 2, 1};
    assert_done(trmi_writer_row(writer, 0.5, value, &error), &error);
    assert_done(trmi_writer_step(writer, &step, &error), &error);
    assert_done(trmi_writer_event(writer, 0.5, "hit", "say \"ah\"", &error), &error);
    close_run(writer);
    read_text(in_folder(state, "run.csv"), text, sizeof text);
    assert_string_equal(text, "t [s],position/x [m],velocity/x [m/s],\"a/b, 100%\",total [J]\n"
                              "0.5,1,-0.5,1e+300,0.1\n");
    read_text(in_folder(state, "run-steps.csv"), text, sizeof text);
    assert_string_equal(text, "t [s],h [s],order,iterations,rejected_error,rejected_newton,reason,"
                              "residuals,factorizations,jacobians,updates\n"
                              "0.5,0.25,2,3,1,0,1,17,4,2,1\n");
    read_text(in_folder(state, "run-events.csv"), text, sizeof text);
    assert_string_equal(text, "t [s],name,text\n0.5,hit,\"say \"\"ah\"\"\"\n");
}

static void test_writer_hdf5_long_event_is_cut_between_characters(void **state)
{
    const char *path = in_folder(state, "run.h5");
    char name[100] = "", cut[64] = "";
    for (int k = 0; k < 40; k++)
        strcat(name, "é"); // two bytes
    for (int k = 0; k < 31; k++)
        strcat(cut, "é"); // 62 bytes: the 32nd would need bytes 63 and 64, and the zero is one
    trm_error error;
    trmi_writer *writer = open_run("hdf5", path, NULL);
    assert_done(trmi_writer_event(writer, 1, name, NULL, &error), &error);
    close_run(writer);
    trmi_result *result = open_result(path);
    double t;
    const char *back, *text;
    assert_int_equal(trmi_result_events(result), 1);
    trmi_result_event(result, 0, &t, &back, &text);
    assert_string_equal(back, cut);
    assert_string_equal(text, "");
    trmi_result_close(result);
}

// A chunk that is flushed while it fills is written again and again to the same place.
static void test_writer_hdf5_flushing_does_not_grow_the_file(void **state)
{
    struct stat often, once;
    trm_error error;
    for (int flushes = 0; flushes < 2; flushes++) {
        const char *path = in_folder(state, flushes ? "often.h5" : "once.h5");
        trmi_writer *writer = open_run("hdf5", path, NULL);
        for (int row = 0; row < 200; row++) {
            assert_done(write_run(writer, row, row + 1, &error), &error);
            if (flushes)
                assert_done(trmi_writer_flush(writer, &error), &error);
        }
        close_run(writer);
        assert_int_equal(stat(path, flushes ? &often : &once), 0);
    }
    // once: the full chunk of the step columns compressed; often: that and what it replaces, not
    // compressed: 2 KiB each; 1 KiB for details of allocation. Compressed at each flush it would
    // move each time.
    assert_true(often.st_size <= once.st_size + TRMI_STEP_COLUMNS * 2048 + 1024);
}

// ---- going on ----

// As if a run of 600 rows had been interrupted behind row 430 with a checkpoint at row 300.
static void check_resume(void **state, const char *format, const char *file, const char *third)
{
    const char *path = in_folder(state, file);
    const trmi_resume checkpoint = run_count(300);
    trm_error error;
    trmi_writer *writer = open_run(format, path, NULL);
    assert_done(write_run(writer, 0, 430, &error), &error);
    close_run(writer);
    writer = open_run(format, path, &checkpoint);
    assert_int_equal(trmi_writer_count(writer).rows, 300);
    assert_done(write_run(writer, 300, 600, &error), &error);
    assert_int_equal(trmi_writer_count(writer).rows, 600);
    close_run(writer);
    trmi_result *result = open_result(path);
    assert_run(result, 600, third);
    int64_t count;
    read_channel(result, "total", 600, &count);
    assert_int_equal(count, 600);
    read_channel(result, "order", 1200, &count);
    assert_int_equal(count, 1200);
    assert_int_equal(trmi_result_events(result), 12);
    trmi_result_close(result);
}

static void test_writer_hdf5_resumed_run_equals_uninterrupted(void **state)
{
    check_resume(state, "hdf5", "run.h5", third_hdf5);
}

static void test_writer_csv_resumed_run_equals_uninterrupted(void **state)
{
    check_resume(state, "csv", "run.csv", third_csv);
}

static void test_writer_csv_resumed_files_have_the_same_bytes(void **state)
{
    static char first[200000], second[200000];
    const char *const suffix[] = {".csv", "-steps.csv", "-events.csv"};
    const trmi_resume checkpoint = run_count(120);
    trm_error error;
    trmi_writer *writer = open_run("csv", in_folder(state, "whole.csv"), NULL);
    assert_done(write_run(writer, 0, 300, &error), &error);
    close_run(writer);
    writer = open_run("csv", in_folder(state, "parts.csv"), NULL);
    assert_done(write_run(writer, 0, 200, &error), &error);
    close_run(writer);
    writer = open_run("csv", in_folder(state, "parts.csv"), &checkpoint);
    assert_done(write_run(writer, 120, 300, &error), &error);
    close_run(writer);
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "whole%s", suffix[k]);
        read_text(in_folder(state, name), first, sizeof first);
        snprintf(name, sizeof name, "parts%s", suffix[k]);
        read_text(in_folder(state, name), second, sizeof second);
        assert_string_equal(first, second);
    }
}

static void check_refused_resume(void **state, const char *format, const char *file)
{
    const char *path = in_folder(state, file);
    const trmi_resume too_many = run_count(101), fitting = run_count(50);
    const trmi_channel other[] = {{"position", "y", "m", ""}};
    trm_error error;
    trmi_writer *writer = open_run(format, path, NULL);
    assert_done(write_run(writer, 0, 100, &error), &error);
    close_run(writer);
    assert_null(
        trmi_writer_open(format, path, &run_info, run_channel, RUN_CHANNELS, &too_many, &error));
    assert_int_equal(error.status, TRM_ERR_RESULT);
    assert_contains(error.text, "100");
    assert_contains(error.text, "the checkpoint needs 101");
    assert_null(trmi_writer_open(format, path, &run_info, other, 1, &fitting, &error));
    assert_contains(error.text, "other channels");
    trmi_result *result = open_result(path); // nothing was touched
    assert_run(result, 100, strcmp(format, "csv") == 0 ? third_csv : third_hdf5);
    trmi_result_close(result);
    assert_null(trmi_writer_open(format, in_folder(state, "none"), &run_info, run_channel,
                                 RUN_CHANNELS, &fitting, &error));
    assert_int_equal(error.status, TRM_ERR_RESULT);
    assert_int_equal(access(in_folder(state, "none"), F_OK), -1);
}

static void test_writer_hdf5_resume_of_another_run_is_refused(void **state)
{
    check_refused_resume(state, "hdf5", "run.h5");
}

static void test_writer_csv_resume_of_another_run_is_refused(void **state)
{
    check_refused_resume(state, "csv", "run.csv");
}

// ---- refusals ----

static void assert_not_opened(const char *format, const char *path, const trmi_channel *channel,
                              int channels, const char *message)
{
    trm_error error;
    assert_null(trmi_writer_open(format, path, NULL, channel, channels, NULL, &error));
    assert_int_equal(error.status, TRM_ERR_RESULT);
    assert_contains(error.text, message);
    assert_null(trmi_writer_open(format, path, NULL, channel, channels, NULL, NULL));
}

static void test_writer_impossible_path_says_why(void **state)
{
    char longest[400];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    const char *file = in_folder(state, "file"), *folder = in_folder(state, ".");
    fclose(fopen(file, "w"));
    const char *const format[] = {"hdf5", "csv"};
    for (int k = 0; k < 2; k++) {
        char below[600];
        snprintf(below, sizeof below, "%s/run", file);
        assert_not_opened(format[k], below, NULL, 0, "Not a directory");
        snprintf(below, sizeof below, "%s-none/run", file);
        assert_not_opened(format[k], below, NULL, 0, "No such file or directory");
        snprintf(below, sizeof below, "/tmp/%s", longest);
        assert_not_opened(format[k], below, NULL, 0, "File name too long");
        assert_not_opened(format[k], folder, NULL, 0, "Is a directory");
        assert_not_opened(format[k], "", NULL, 0, "No such file or directory");
    }
    assert_not_opened("hdf5", "/dev/null", NULL, 0, "HDF5 needs a regular file");
    assert_not_opened("hdf4", file, NULL, 0, "there is no result format 'hdf4'");
}

static void test_writer_failed_replacement_keeps_the_old_file(void **state)
{
    const char *path = in_folder(state, "run.h5");
    const trmi_channel twice[] = {{"a", "x", "", ""}, {"b", "x", "", ""}, {"a", "x", "", ""}};
    trm_error error;
    trmi_writer *writer = open_run("hdf5", path, NULL);
    assert_done(write_run(writer, 0, 10, &error), &error);
    close_run(writer);
    assert_not_opened("hdf5", path, twice, 3, "two channels are called a/x");
    trmi_result *result = open_result(path);
    assert_run(result, 10, third_hdf5);
    trmi_result_close(result);
}

static void test_writer_hdf5_link_stays_a_link(void **state)
{
    const char *link = in_folder(state, "link.h5"), *path = in_folder(state, "run.h5");
    trm_error error;
    struct stat about;
    fclose(fopen(path, "w"));
    assert_int_equal(symlink(path, link), 0);
    trmi_writer *writer = open_run("hdf5", link, NULL);
    assert_done(write_run(writer, 0, 10, &error), &error);
    close_run(writer);
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    trmi_result *result = open_result(path);
    assert_run(result, 10, third_hdf5);
    trmi_result_close(result);
}

static void test_writer_group_of_the_format_is_refused(void **state)
{
    const char *const taken[] = {"time", "model", "solver", "events", "error"};
    for (int k = 0; k < 5; k++) {
        const trmi_channel channel = {taken[k], "x", "", ""};
        assert_not_opened("hdf5", in_folder(state, "run.h5"), &channel, 1, "the group is taken");
    }
}

// Errors come after all rows, one set for each, and are found by the channel they belong to; a
// short name never means them. `wide`: so many that HDF5 keeps them in one dataset.
static void check_errors(void **state, const char *format, const char *file, int wide)
{
    enum { MOST = 250, ROWS = 300 };
    static trmi_channel channel[2 * MOST + 1];
    static char name[MOST][16];
    double value[2 * MOST] = {0};
    int count = wide ? MOST : 2;
    const char *path = in_folder(state, file);
    trm_error error;
    for (int k = 0; k < count; k++) {
        snprintf(name[k], sizeof name[k], "x%d", k);
        channel[k] = (trmi_channel){"position", name[k], "m", ""};
        channel[count + 1 + k] = (trmi_channel){"error/position", name[k], "m", ""};
    }
    channel[count] = (trmi_channel){"energy", "total", "J", ""}; // has no errors
    trmi_writer *writer =
        trmi_writer_open(format, path, NULL, channel, 2 * count + 1, NULL, &error);
    assert_non_null(writer);
    for (int row = 0; row < ROWS; row++) {
        value[1] = row;
        assert_done(trmi_writer_row(writer, row, value, &error), &error);
    }
    for (int row = 0; row < ROWS; row++) {
        value[1] = 1e-3 * row;
        assert_done(trmi_writer_errors(writer, row, value, &error), &error);
    }
    close_run(writer);
    trmi_result *result = open_result(path);
    int64_t rows;
    int x = trmi_result_find(result, "x1", &error), of = trmi_result_error_of(result, x);
    assert_true(x >= 0 && of >= 0);
    assert_int_equal(of, trmi_result_find(result, "error/position/x1", &error));
    assert_int_equal(trmi_result_error_of(result, trmi_result_find(result, "total", &error)), -1);
    assert_true(read_channel(result, "x1", ROWS, &rows)[ROWS - 1] == ROWS - 1);
    assert_true(read_channel(result, "error/position/x1", ROWS, &rows)[7] ==
                (strcmp(format, "hdf5") == 0 ? (double)(float)(1e-3 * 7) : 1e-3 * 7));
    trmi_result_close(result);
}

static void test_writer_errors_come_back(void **state)
{
    check_errors(state, "hdf5", "run.h5", 0);
    check_errors(state, "hdf5", "wide.h5", 1);
    check_errors(state, "csv", "run.csv", 0);
}

// The errors of a killed run are not there, and the file is read all the same; those of an earlier
// run with the same name are gone.
static void test_writer_run_without_errors_has_none(void **state)
{
    const trmi_channel channel[] = {{"position", "x", "m", ""}, {"error/position", "x", "m", ""}};
    const char *const file[] = {"run.h5", "run.csv"}, *const format[] = {"hdf5", "csv"};
    for (int k = 0; k < 4; k++) {
        const char *path = in_folder(state, file[k % 2]);
        const double value = k;
        trm_error error;
        trmi_writer *writer = trmi_writer_open(format[k % 2], path, NULL, channel, 2, NULL, &error);
        assert_done(trmi_writer_row(writer, 0, &value, &error), &error);
        if (k < 2)
            assert_done(trmi_writer_errors(writer, 0, &value, &error), &error);
        close_run(writer);
        trmi_result *result = open_result(path);
        const double *t, *x;
        int64_t rows = 0;
        int of = trmi_result_error_of(result, 0);
        if (of >= 0)
            assert_done(trmi_result_read(result, of, &t, &x, &rows, &error), &error);
        assert_int_equal(rows, k < 2);
        trmi_result_close(result);
    }
}

static void test_writer_close_of_nothing_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(trmi_writer_close(NULL, "done", NULL, NULL, NULL), TRM_OK);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_writer_hdf5_run_comes_back),
        IN_FOLDER(test_writer_csv_run_comes_back),
        IN_FOLDER(test_writer_hdf5_special_numbers_keep_their_bits),
        IN_FOLDER(test_writer_csv_special_numbers_keep_their_bits),
        IN_FOLDER(test_writer_hdf5_keeps_payload_of_nan),
        IN_FOLDER(test_writer_no_channels_and_no_rows_give_a_file),
        IN_FOLDER(test_writer_hdf5_many_channels_come_back),
        IN_FOLDER(test_writer_csv_text_is_as_documented),
        IN_FOLDER(test_writer_hdf5_long_event_is_cut_between_characters),
        IN_FOLDER(test_writer_hdf5_flushing_does_not_grow_the_file),
        IN_FOLDER(test_writer_hdf5_resumed_run_equals_uninterrupted),
        IN_FOLDER(test_writer_csv_resumed_run_equals_uninterrupted),
        IN_FOLDER(test_writer_csv_resumed_files_have_the_same_bytes),
        IN_FOLDER(test_writer_hdf5_resume_of_another_run_is_refused),
        IN_FOLDER(test_writer_csv_resume_of_another_run_is_refused),
        IN_FOLDER(test_writer_impossible_path_says_why),
        IN_FOLDER(test_writer_failed_replacement_keeps_the_old_file),
        IN_FOLDER(test_writer_hdf5_link_stays_a_link),
        IN_FOLDER(test_writer_group_of_the_format_is_refused),
        IN_FOLDER(test_writer_errors_come_back),
        IN_FOLDER(test_writer_run_without_errors_has_none),
        cmocka_unit_test(test_writer_close_of_nothing_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
