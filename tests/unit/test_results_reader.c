// SPDX-License-Identifier: Apache-2.0
// Reading results: channels by name, attributes, and files that are none or damaged.
#define _POSIX_C_SOURCE 200809L
#include "unit/results.h"

#include <hdf5.h>

// a finished run of `rows` rows
static const char *make_run(void **state, const char *format, const char *file, int rows)
{
    const char *path = in_folder(state, file);
    trm_error error;
    trmi_writer *writer = open_run(format, path, NULL);
    assert_done(write_run(writer, 0, rows, &error), &error);
    close_run(writer);
    return path;
}

static void store_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_not_read(const char *path, const char *message)
{
    trm_error error = {.status = TRM_OK};
    trmi_result *result = trmi_result_open(path, &error);
    if (result)
        fail_msg("%s was read, not refused with '%s'", path, message);
    assert_int_equal(error.status, TRM_ERR_RESULT);
    assert_contains(error.text, message);
    assert_null(trmi_result_open(path, NULL));
}

// ---- channels ----

static void test_reader_hdf5_channels_keep_order_and_texts(void **state)
{
    trmi_result *result = open_result(make_run(state, "hdf5", "run.h5", 3));
    // those of the run, then the solver's without its time
    assert_int_equal(trmi_result_channels(result), RUN_CHANNELS + 10);
    for (int k = 0; k < RUN_CHANNELS; k++) {
        const trmi_channel *channel = trmi_result_channel(result, k);
        assert_string_equal(channel->group, run_channel[k].group);
        assert_string_equal(channel->name, run_channel[k].name);
        assert_string_equal(channel->unit, run_channel[k].unit);
        assert_string_equal(channel->description, run_channel[k].description);
    }
    assert_string_equal(trmi_result_channel(result, RUN_CHANNELS)->name, "h");
    assert_string_equal(trmi_result_channel(result, RUN_CHANNELS)->unit, "s");
    trmi_result_close(result);
}

static void test_reader_csv_channels_have_units(void **state)
{
    trmi_result *result = open_result(make_run(state, "csv", "run.csv", 3));
    assert_int_equal(trmi_result_channels(result), RUN_CHANNELS + 10);
    assert_string_equal(trmi_result_channel(result, 1)->group, "velocity");
    assert_string_equal(trmi_result_channel(result, 1)->unit, "m/s");
    assert_string_equal(trmi_result_channel(result, 3)->group, "");
    assert_string_equal(trmi_result_channel(result, 3)->name, "total");
    assert_string_equal(trmi_result_channel(result, 4)->group, "solver");
    trmi_result_close(result);
}

static void test_reader_names_with_any_characters_come_back(void **state)
{
    static const char *const name[] = {"/",   "%",      "%2F", ".",     "..",      "",
                                       "a b", "F [up]", "ä",   "a\"b,", "x\ny/%5", "t"};
    enum { NAMES = sizeof name / sizeof *name };
    trmi_channel channel[NAMES];
    double value[NAMES];
    trm_error error;
    for (int k = 0; k < NAMES; k++) {
        channel[k] = (trmi_channel){"out/put", name[k], k % 2 ? "N" : "", ""};
        value[k] = k;
    }
    trmi_writer *writer =
        trmi_writer_open("hdf5", in_folder(state, "run.h5"), NULL, channel, NAMES, NULL, &error);
    if (!writer)
        fail_msg("%s", error.text);
    assert_done(trmi_writer_row(writer, 0, value, &error), &error);
    close_run(writer);
    trmi_result *result = open_result(in_folder(state, "run.h5"));
    for (int k = 0; k < NAMES; k++) {
        char full[64];
        int64_t count;
        snprintf(full, sizeof full, "out/put/%s", name[k]);
        assert_true(read_channel(result, full, 1, &count)[0] == k);
    }
    trmi_result_close(result);
}

static void test_reader_csv_labels_come_back(void **state)
{
    static const trmi_channel channel[] = {
        {"output", "F [up]", "", ""}, {"output", "a\"b, c", "kg m", ""}, {"output", "t", "", ""}};
    const double value[] = {1, 2, 3};
    trm_error error;
    const char *path = in_folder(state, "run.csv");
    trmi_writer *writer = trmi_writer_open("csv", path, NULL, channel, 3, NULL, &error);
    assert_done(trmi_writer_row(writer, 0, value, &error), &error);
    close_run(writer);
    trmi_result *result = open_result(path);
    assert_string_equal(trmi_result_channel(result, 0)->name, "F [up]");
    assert_string_equal(trmi_result_channel(result, 0)->unit, "");
    assert_string_equal(trmi_result_channel(result, 1)->name, "a\"b, c");
    assert_string_equal(trmi_result_channel(result, 1)->unit, "kg m");
    assert_string_equal(trmi_result_channel(result, 2)->group, "output"); // not the time
    trmi_result_close(result);
}

static void test_reader_find_takes_short_and_full_names(void **state)
{
    trmi_result *result = open_result(make_run(state, "hdf5", "run.h5", 3));
    trm_error error;
    assert_int_equal(trmi_result_find(result, "position/x", &error), 0);
    assert_int_equal(trmi_result_find(result, "velocity/x", &error), 1);
    assert_int_equal(trmi_result_find(result, "a/b, 100%", &error), 2);
    assert_int_equal(trmi_result_find(result, "total", &error), 3);
    assert_int_equal(trmi_result_find(result, "h", &error), RUN_CHANNELS);
    assert_int_equal(trmi_result_find(result, "x", &error), -1);
    assert_int_equal(error.status, TRM_ERR_RESULT);
    assert_string_equal(error.text, "channel 'x' is not unique");
    assert_string_equal(error.advice, "one of position/x, velocity/x");
    assert_int_equal(trmi_result_find(result, "position/y", &error), -1);
    assert_contains(error.text, "there is no channel 'position/y' in ");
    assert_string_equal(error.advice, "did you mean position/x?");
    assert_int_equal(trmi_result_find(result, "totl", &error), -1);
    assert_string_equal(error.advice, "did you mean total?");
    assert_int_equal(trmi_result_find(result, "something else", &error), -1);
    assert_non_null(strstr(error.advice, "--names lists them"));
    assert_int_equal(trmi_result_find(result, "x", NULL), -1);
    trmi_result_close(result);
}

// An acceleration has the name of its position, and nobody wants to write the group each time.
static void test_reader_short_name_means_position_not_acceleration(void **state)
{
    // also where the acceleration comes first
    static const trmi_channel channel[] = {
        {"position", "y", "m", ""},        {"acceleration", "y", "m/s^2", ""},
        {"acceleration", "z", "", ""},     {"position", "z", "", ""},
        {"acceleration", "only", "", ""},  {"position", "three", "", ""},
        {"acceleration", "three", "", ""}, {"output", "three", "", ""},
        {"output", "w", "", ""},           {"acceleration", "w", "", ""},
        {"position", "load_x", "m", ""},   {"acceleration", "load_x", "", ""},
        {"body", "load_x", "m", ""}};
    enum { CHANNELS = sizeof channel / sizeof *channel };
    const double value[CHANNELS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const char *const format[] = {"hdf5", "csv"}, *const file[] = {"run.h5", "run.csv"};
    for (int k = 0; k < 2; k++) {
        trm_error error;
        const char *path = in_folder(state, file[k]);
        trmi_writer *writer =
            trmi_writer_open(format[k], path, NULL, channel, CHANNELS, NULL, &error);
        assert_done(trmi_writer_row(writer, 0, value, &error), &error);
        close_run(writer);
        trmi_result *result = open_result(path);
        int64_t count;
        assert_true(read_channel(result, "y", 1, &count)[0] == 0);
        assert_true(read_channel(result, "acceleration/y", 1, &count)[0] == 1);
        assert_true(read_channel(result, "z", 1, &count)[0] == 3);
        // the pose of a free body is its coordinate
        assert_true(read_channel(result, "load_x", 1, &count)[0] == 10);
        assert_true(read_channel(result, "only", 1, &count)[0] == 4);
        // a third one of that name, or none of them a position
        assert_int_equal(trmi_result_find(result, "three", &error), -1);
        assert_string_equal(error.text, "channel 'three' is not unique");
        assert_int_equal(trmi_result_find(result, "w", &error), -1);
        assert_string_equal(error.text, "channel 'w' is not unique");
        trmi_result_close(result);
    }
}

static void test_reader_attributes_come_back(void **state)
{
    trmi_result *result = open_result(make_run(state, "hdf5", "run.h5", 3));
    assert_string_equal(trmi_result_attribute(result, "title"), run_info.title);
    assert_string_equal(trmi_result_attribute(result, "model"), run_info.model);
    assert_string_equal(trmi_result_attribute(result, "options"), run_info.options);
    assert_string_equal(trmi_result_attribute(result, "command_line"), run_info.command_line);
    assert_string_equal(trmi_result_attribute(result, "version"), run_info.version);
    assert_string_equal(trmi_result_attribute(result, "features"), run_info.features);
    assert_string_equal(trmi_result_attribute(result, "status"), "done");
    assert_string_equal(trmi_result_attribute(result, "text"), "reached t_end");
    assert_string_equal(trmi_result_attribute(result, "summary"), "{\"steps\": 3}");
    assert_string_equal(trmi_result_attribute(result, "finished"), "1");
    assert_null(trmi_result_attribute(result, "other"));
    trmi_result_close(result);
    result = open_result(make_run(state, "csv", "run.csv", 3));
    assert_null(trmi_result_attribute(result, "title"));
    trmi_result_close(result);
}

// more than the 64 KiB that attributes had in older versions of HDF5
static void test_reader_long_model_and_options_come_back(void **state)
{
    enum { LENGTH = 200000 };
    char *text = malloc(LENGTH + 1);
    memset(text, 'm', LENGTH);
    text[LENGTH] = '\0';
    const trmi_run_info info = {.model = text, .model_length = LENGTH, .options = text};
    const char *path = in_folder(state, "run.h5");
    trm_error error;
    trmi_writer *writer = trmi_writer_open("hdf5", path, &info, NULL, 0, NULL, &error);
    assert_non_null(writer);
    assert_done(trmi_writer_close(writer, "done", text, text, &error), &error);
    trmi_result *result = open_result(path);
    assert_string_equal(trmi_result_attribute(result, "model"), text);
    assert_string_equal(trmi_result_attribute(result, "options"), text);
    assert_string_equal(trmi_result_attribute(result, "summary"), text);
    trmi_result_close(result);
    free(text);
}

// ---- files that are none ----

static void test_reader_files_that_are_none_are_refused(void **state)
{
    const char *path = in_folder(state, "file");
    assert_not_read(path, "No such file or directory");
    assert_not_read(in_folder(state, "."), "Is a directory");
    store_text(path, "");
    assert_not_read(path, "the file is empty");
    store_text(path, "name: ball\n");
    assert_not_read(path, "it is neither an HDF5 file nor a CSV file");
    store_text(path, "\x89HDF\r\n\x1a\n and then nothing of the kind");
    assert_not_read(path, "the file is damaged");
}

static void test_reader_other_hdf5_files_are_refused(void **state)
{
    const char *path = in_folder(state, "other.h5");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_not_read(path, "it is an HDF5 file, but not a result of trammel");
    path = make_run(state, "hdf5", "run.h5", 3);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t version = H5Aopen(file, "format_version", H5P_DEFAULT);
    H5Awrite(version, H5T_NATIVE_INT, &(int){2});
    H5Aclose(version);
    H5Fclose(file);
    assert_not_read(path, "it has format version 2, this program knows 1");
}

// any length too short is refused: a finished file says how long it is
static void test_reader_cut_hdf5_files_are_refused(void **state)
{
    const char *path = make_run(state, "hdf5", "run.h5", 300);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    for (off_t length = about.st_size - 1; length > 8; length -= 1009) {
        char expected[100] = "the file is damaged"; // the head that says it is 48 bytes long
        if (length >= 48)
            snprintf(expected, sizeof expected,
                     "the file is cut off: %ld bytes are there, %ld were written", (long)length,
                     (long)about.st_size);
        assert_int_equal(truncate(path, length), 0);
        assert_not_read(path, expected);
    }
}

// one byte changed in the middle of compressed values: an error when they are read, not before
static void test_reader_damaged_values_are_told(void **state)
{
    const char *path = make_run(state, "hdf5", "run.h5", 256);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "energy/total", H5P_DEFAULT);
    haddr_t place;
    hsize_t size;
    assert_true(H5Dget_chunk_info_by_coord(dataset, &(hsize_t){0}, NULL, &place, &size) >= 0);
    H5Dclose(dataset);
    H5Fclose(file);
    FILE *bytes = fopen(path, "r+b");
    assert_non_null(bytes);
    fseek(bytes, (long)(place + size / 2), SEEK_SET);
    int byte = getc(bytes);
    fseek(bytes, -1, SEEK_CUR);
    putc(byte ^ 0xff, bytes);
    fclose(bytes);
    trmi_result *result = open_result(path);
    const double *t, *value;
    int64_t count;
    trm_error error;
    read_channel(result, "position/x", 256, &count); // the others are not affected
    int index = trmi_result_find(result, "total", &error);
    assert_int_equal(trmi_result_read(result, index, &t, &value, &count, &error), TRM_ERR_RESULT);
    assert_contains(error.text, "energy/total is damaged");
    assert_int_equal(count, 0);
    trmi_result_close(result);
}

static void test_reader_bad_csv_lines_are_named(void **state)
{
    const char *path = in_folder(state, "run.csv");
    store_text(path, "t [s],x\n0,1\n1,\n");
    assert_not_read(path, "line 3: a field is not a number");
    store_text(path, "t [s],x\n0,1\n1\n");
    assert_not_read(path, "line 3: there are fewer fields than in the header");
    store_text(path, "t [s],x\n0,1\n1,2,3\n");
    assert_not_read(path, "line 3: there are more fields than in the header");
    store_text(path, "t [s],x\n0,1x\n");
    assert_not_read(path, "line 2: a field is not a number");
    store_text(path, "t [s],x");
    assert_not_read(path, "line 1: the header is incomplete");
    store_text(path, "t [s],x\n0,1\n");
    store_text(in_folder(state, "run-events.csv"), "t [s],name,text\n0,a\n");
    assert_not_read(path, "line 2: an event has three fields");
    store_text(in_folder(state, "run-events.csv"), "t [s],name,text\nsoon,a,b\n");
    assert_not_read(path, "line 2: the first field is not a number");
}

// as spreadsheets write it, with a last line that was not finished and no files beside
static void test_reader_csv_of_others_is_read(void **state)
{
    const char *path = in_folder(state, "run.csv");
    store_text(path, "t [s],\"x [m]\"\r\n0,\"1.5\"\r\n1,2.5\r\n2,3.");
    trmi_result *result = open_result(path);
    int64_t count;
    trm_error error;
    const double *t, *value = read_channel(result, "x", 2, &count);
    assert_int_equal(count, 2);
    assert_true(value[0] == 1.5 && value[1] == 2.5);
    assert_int_equal(trmi_result_events(result), 0);
    assert_int_equal(trmi_result_time(result, true, &t, &count, &error), TRM_ERR_RESULT);
    assert_contains(error.text, "no file with the steps");
    trmi_result_close(result);
    trmi_result_close(NULL);
}

// A block of zeros, as a power failure leaves where nothing was written, ends the table before its
// line; a file beside it that has no whole header is not there yet.
static void test_reader_csv_ends_at_bytes_that_were_not_written(void **state)
{
    static const char text[] = "t [s],x\n0,1\n1,2\n2,\0\0\0\0\n3,4\n";
    const char *path = in_folder(state, "run.csv");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, sizeof text - 1, file), sizeof text - 1);
    assert_int_equal(fclose(file), 0);
    store_text(in_folder(state, "run-errors.csv"), "t [s],posi");
    trmi_result *result = open_result(path);
    int64_t count;
    const double *value = read_channel(result, "x", 2, &count);
    assert_int_equal(count, 2);
    assert_true(value[0] == 1 && value[1] == 2);
    assert_contains(trmi_result_attribute(result, "text"), "the machine failed during the run");
    trmi_result_close(result);
}

int main(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_reader_hdf5_channels_keep_order_and_texts),
        IN_FOLDER(test_reader_csv_channels_have_units),
        IN_FOLDER(test_reader_names_with_any_characters_come_back),
        IN_FOLDER(test_reader_csv_labels_come_back),
        IN_FOLDER(test_reader_find_takes_short_and_full_names),
        IN_FOLDER(test_reader_short_name_means_position_not_acceleration),
        IN_FOLDER(test_reader_attributes_come_back),
        IN_FOLDER(test_reader_long_model_and_options_come_back),
        IN_FOLDER(test_reader_files_that_are_none_are_refused),
        IN_FOLDER(test_reader_other_hdf5_files_are_refused),
        IN_FOLDER(test_reader_cut_hdf5_files_are_refused),
        IN_FOLDER(test_reader_damaged_values_are_told),
        IN_FOLDER(test_reader_bad_csv_lines_are_named),
        IN_FOLDER(test_reader_csv_of_others_is_read),
        IN_FOLDER(test_reader_csv_ends_at_bytes_that_were_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
