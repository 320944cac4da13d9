// SPDX-License-Identifier: Apache-2.0
// Damaged HDF5 results: what is read from a file with a changed byte is an error or what was
// written, and no size in a file makes the reader take memory that the file cannot fill.
#define _GNU_SOURCE
#include "unit/results.h"

#include "program/files/apart.h"
#include "program/files/crc32.h"
#include "program/files/hdf5/checksum.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <hdf5.h>

enum { WIDE = 230 }; // channels of a group that is stored wide: more than TRMI_HDF5_NARROW

// ---- checksum ----

// The check value of CRC-32/ISO-HDLC: that of the text "123456789" is CBF43926.
static void test_crc32_has_the_check_value_and_can_go_on(void **state)
{
    (void)state;
    assert_int_equal(trmi_crc32(0, "123456789", 9), 0xCBF43926);
    assert_int_equal(trmi_crc32(trmi_crc32(0, "12345", 5), "6789", 4), 0xCBF43926);
    assert_int_equal(trmi_crc32(0, "", 0), 0);
}

// Words are summed by other tables than single bytes are.
static void test_crc32_of_words_is_that_of_their_bytes(void **state)
{
    (void)state;
    unsigned char byte[1024];
    uint32_t sum = 0;
    for (int i = 0; i < 1024; i++) {
        byte[i] = (unsigned char)(i * i / 7 + i);
        sum = trmi_crc32(sum, &byte[i], 1);
        assert_int_equal(trmi_crc32(0, byte, (size_t)i + 1), sum);
    }
}

// ---- flipped bytes ----

static uint32_t add_text(uint32_t sum, const char *text)
{
    return text ? trmi_crc32(sum, text, strlen(text) + 1) : trmi_crc32(sum, "", 1);
}

static uint32_t add_events(uint32_t sum, const trmi_result *r)
{
    for (int64_t k = 0; k < trmi_result_events(r); k++) {
        double t;
        const char *name, *text;
        trmi_result_event(r, k, &t, &name, &text);
        sum = add_text(add_text(trmi_crc32(sum, &t, sizeof t), name), text);
    }
    return sum;
}

// one number for all that a reader can get; false after an error
static bool summarise(const char *path, uint32_t *sum)
{
    static const char *const attribute[] = {"title",   "model",    "options", "command_line",
                                            "version", "features", "status",  "text",
                                            "summary", "finished"};
    trm_error error;
    trmi_result *r = trmi_result_open(path, &error);
    bool good = r != NULL;
    *sum = 0;
    for (size_t k = 0; good && k < sizeof attribute / sizeof *attribute; k++)
        *sum = add_text(*sum, trmi_result_attribute(r, attribute[k]));
    for (int k = 0; good && k < trmi_result_channels(r); k++) {
        const trmi_channel *c = trmi_result_channel(r, k);
        const double *t, *value;
        int64_t count;
        good = trmi_result_read(r, k, &t, &value, &count, &error) == TRM_OK;
        *sum = add_text(add_text(add_text(*sum, c->group), c->name), c->unit);
        good = good && strcmp(c->description, "damaged") != 0 && strcmp(c->unit, "damaged") != 0;
        *sum = add_text(*sum, c->description);
        if (good) {
            *sum = trmi_crc32(*sum, t, (size_t)count * sizeof *t);
            *sum = trmi_crc32(*sum, value, (size_t)count * sizeof *value);
        }
    }
    *sum = good ? add_events(*sum, r) : 0;
    trmi_result_close(r);
    return good;
}

typedef struct comparison {
    const char *path;
    uint32_t expected;
} comparison;

enum { SAME, REPORTED, DIFFERENT };

static int compare(void *data)
{
    const comparison *c = data;
    uint32_t sum;
    for (int number = 1; number < 32; number++) // cmocka catches some
        signal(number, SIG_DFL);
    if (!summarise(c->path, &sum))
        return REPORTED;
    return sum == c->expected ? SAME : DIFFERENT;
}

static void flip(const char *path, long place, int bits)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, place, SEEK_SET);
    int byte = getc(file);
    fseek(file, place, SEEK_SET);
    putc(byte ^ bits, file);
    fclose(file);
}

// Every stride-th byte of the file, one after the other. Where HDF5 itself crashes or never ends,
// the process of its own has ended by a signal, which is a report.
static void flip_bytes(const char *path, long stride)
{
    comparison c = {.path = path};
    struct stat about;
    long count[DIFFERENT + 1] = {0}, crashed = 0;
    assert_true(summarise(path, &c.expected));
    assert_int_equal(stat(path, &about), 0);
    for (long place = 0; place < about.st_size; place += stride) {
        const int bits = 1 << place % 8;
        flip(path, place, bits);
        int code = trmi_apart(compare, &c, (const char *const[]){path, NULL});
        flip(path, place, bits);
        if (code == DIFFERENT)
            fail_msg("byte %ld of %s: other values without an error", place, path);
        crashed += code < 0;
        if (code >= 0)
            count[code]++;
    }
    assert_true(count[REPORTED] > 0 && count[SAME] > 0); // the file has pages with free space
    assert_true(crashed <= count[REPORTED]);
    assert_true(summarise(path, &c.expected));
}

// Rows that were flushed before their chunk was full, chunks that were full, texts, events.
static void test_damage_of_any_byte_is_reported_or_without_effect(void **state)
{
    const char *path = in_folder(state, "run.h5");
    trmi_writer *writer = open_run("hdf5", path, NULL);
    assert_int_equal(write_run(writer, 0, 20, NULL), TRM_OK);
    assert_int_equal(trmi_writer_flush(writer, NULL), TRM_OK);
    assert_int_equal(write_run(writer, 20, 300, NULL), TRM_OK);
    close_run(writer);
    flip_bytes(path, 251); // a prime number: all places of a structure are met
}

static void test_damage_of_a_wide_group_is_reported_or_without_effect(void **state)
{
    const char *path = in_folder(state, "wide.h5");
    trmi_channel channel[WIDE];
    static char name[WIDE][8];
    double value[WIDE];
    for (int k = 0; k < WIDE; k++) {
        snprintf(name[k], sizeof name[k], "c%d", k);
        channel[k] = (trmi_channel){"node", name[k], "m", "a node"};
    }
    trm_error error;
    trmi_writer *writer = trmi_writer_open("hdf5", path, &run_info, channel, WIDE, NULL, &error);
    assert_non_null(writer);
    for (int row = 0; row < 40; row++) {
        for (int k = 0; k < WIDE; k++)
            value[k] = sin(row + 0.1 * k);
        assert_done(trmi_writer_row(writer, run_time(row), value, &error), &error);
        if (row == 20)
            assert_done(trmi_writer_flush(writer, &error), &error);
    }
    close_run(writer);
    flip_bytes(path, 1009);
}

// ---- sizes ----

static void test_damage_of_a_size_does_not_take_memory(void **state)
{
    const char *path = in_folder(state, "run.h5");
    trmi_writer *writer = open_run("hdf5", path, NULL);
    assert_int_equal(write_run(writer, 0, 20, NULL), TRM_OK);
    close_run(writer);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "time", H5P_DEFAULT);
    const hsize_t rows = (hsize_t)1 << 40; // 8 TB
    assert_true(H5Dset_extent(dataset, &rows) >= 0);
    H5Dclose(dataset);
    H5Fclose(file);
    trm_error error;
    trmi_result *result = trmi_result_open(path, &error);
    const double *t;
    int64_t count;
    assert_non_null(result);
    assert_int_equal(trmi_result_time(result, false, &t, &count, &error), TRM_ERR_RESULT);
    assert_contains(error.text, "time is damaged: the file cannot hold its 1099511627776 entries");
    trmi_result_close(result);
    assert_int_equal(trmi_result_check(path, &error), TRM_ERR_RESULT);
    assert_contains(error.text, "cannot hold");
}

// ---- a process of its own ----

static bool silent; // whether reports cannot be written, as by a process that is killed

// in the place of that of the C library
ssize_t write(int file, const void *bytes, size_t count)
{
    return silent && count == sizeof(trm_error) ? -1 : syscall(SYS_write, file, bytes, count);
}

// The process that reads a damaged file ends without a word: this one does not wait for it.
static void test_apart_an_end_without_a_word_is_an_error(void **state)
{
    const char *path = in_folder(state, "run.h5");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("no result", file);
    fclose(file);
    trm_error error;
    alarm(20);
    silent = true;
    assert_int_equal(trmi_result_check(path, &error), TRM_ERR_RESULT);
    silent = false;
    alarm(0);
    assert_contains(error.text, "cannot read");
    assert_contains(error.text, strerror(EIO));
}

static int crash(void *data)
{
    (void)data;
    signal(SIGSEGV, SIG_DFL); // cmocka catches it
    raise(SIGSEGV);
    return 0;
}

static int answer(void *data)
{
    return *(const int *)data;
}

// the seconds of the processor that are allowed here
static int limit_here(void *data)
{
    (void)data;
    struct rlimit time;
    return getrlimit(RLIMIT_CPU, &time) == 0 && time.rlim_cur < 100 ? (int)time.rlim_cur : 100;
}

// Who may not raise a limit of the processor (ulimit -t) still has a shorter one for damaged files.
static void test_apart_time_is_limited_below_a_limit_of_others(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    struct rlimit time;
    assert_int_equal(getrlimit(RLIMIT_CPU, &time), 0);
    int free_of_limits = trmi_apart(limit_here, NULL, none);
    time.rlim_max = time.rlim_max < 36000 ? time.rlim_max : 36000;
    time.rlim_cur = time.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_CPU, &time), 0);
    assert_true(free_of_limits < 100);
    assert_int_equal(trmi_apart(limit_here, NULL, none), free_of_limits);
}

static void test_apart_a_crash_is_a_number(void **state)
{
    (void)state;
    const char *const none[] = {NULL};
    int code = 42;
    char text[100];
    assert_int_equal(trmi_apart(answer, &code, none), 42);
    assert_int_equal(trmi_apart(crash, NULL, none), -SIGSEGV);
    trmi_apart_describe(SIGXCPU, text, sizeof text);
    assert_string_equal(text, "is damaged: reading it does not come to an end");
    trmi_apart_describe(SIGSEGV, text, sizeof text);
    assert_string_equal(text, "is damaged: reading it fails (Segmentation fault)");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc32_has_the_check_value_and_can_go_on),
        cmocka_unit_test(test_crc32_of_words_is_that_of_their_bytes),
        IN_FOLDER(test_damage_of_any_byte_is_reported_or_without_effect),
        IN_FOLDER(test_damage_of_a_wide_group_is_reported_or_without_effect),
        IN_FOLDER(test_damage_of_a_size_does_not_take_memory),
        cmocka_unit_test(test_apart_a_crash_is_a_number),
        IN_FOLDER(test_apart_an_end_without_a_word_is_an_error),
        cmocka_unit_test(test_apart_time_is_limited_below_a_limit_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
