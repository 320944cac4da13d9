// SPDX-License-Identifier: Apache-2.0
// Result files of runs that are killed, meet a full disk, or each other. The run is in a child
// process, which tells through a pipe how many rows it has flushed.
#define _POSIX_C_SOURCE 200809L
#include "unit/results.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_SECONDS = 500 }; // after which a child that hangs ends, however loaded the machine is

static void tell(int pipe_end, int64_t number)
{
    if (write(pipe_end, &number, sizeof number) != (ssize_t)sizeof number)
        _exit(3);
}

// the last number reported, -1 when there was none; waits until the child has ended or `wanted`
// came
static int64_t listen_for(int pipe_end, int64_t wanted)
{
    int64_t last = -1, number;
    while (last < wanted && read(pipe_end, &number, sizeof number) == (ssize_t)sizeof number)
        last = number;
    return last;
}

// starts act(path, pipe end, argument) in a child, which ends with what act returns
static pid_t start_child(int (*act)(const char *path, int pipe_end, long argument),
                         const char *path, long argument, int *pipe_end)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        alarm(MOST_SECONDS);
        exit(act(path, ends[1], argument)); // with the exit handlers of HDF5
    }
    assert_true(child > 0);
    close(ends[1]);
    *pipe_end = ends[0];
    return child;
}

static int end_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static const char *format_of(const char *path)
{
    return strstr(path, ".csv") ? "csv" : "hdf5";
}

static const char *third_of(const char *path)
{
    return strstr(path, ".csv") ? third_csv : third_hdf5;
}

// ---- kill ----

// `rows` rows, flushed; some more, not flushed; then it waits to be killed
static int flush_and_wait(const char *path, int pipe_end, long rows)
{
    trmi_writer *writer = open_run(format_of(path), path, NULL);
    if (write_run(writer, 0, rows, NULL) != TRM_OK || trmi_writer_flush(writer, NULL) != TRM_OK ||
        write_run(writer, rows, rows + 5, NULL) != TRM_OK)
        return 1;
    tell(pipe_end, rows);
    for (;;)
        pause();
}

static void kill_after_flush(const char *path, long rows)
{
    int pipe_end;
    pid_t child = start_child(flush_and_wait, path, rows, &pipe_end);
    assert_int_equal(listen_for(pipe_end, rows), rows);
    kill(child, SIGKILL);
    assert_true(WIFSIGNALED(end_of(child)));
    close(pipe_end);
}

static void test_survival_killed_run_keeps_flushed_rows(void **state)
{
    // inside the first chunk, at its end, behind it
    const long rows[] = {1, 100, 256, 300};
    const char *const file[] = {"run.h5", "run.csv"};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const char *path = in_folder(state, file[k]);
            kill_after_flush(path, rows[i]);
            trmi_result *result = open_result(path);
            assert_run(result, rows[i], third_of(path));
            if (k == 0)
                assert_string_equal(trmi_result_attribute(result, "finished"), "0");
            trmi_result_close(result);
        }
}

static void test_survival_killed_run_goes_on(void **state)
{
    const char *const file[] = {"run.h5", "run.csv"};
    for (int k = 0; k < 2; k++) {
        const char *path = in_folder(state, file[k]);
        const trmi_resume checkpoint = run_count(300);
        trm_error error;
        kill_after_flush(path, 300);
        trmi_writer *writer = open_run(format_of(path), path, &checkpoint);
        assert_done(write_run(writer, 300, 700, &error), &error);
        close_run(writer);
        trmi_result *result = open_result(path);
        assert_run(result, 700, third_of(path));
        trmi_result_close(result);
    }
}

// writes and flushes all the time, then ends properly
static int write_on(const char *path, int pipe_end, long rows)
{
    trmi_writer *writer = open_run(format_of(path), path, NULL);
    for (long row = 0; row < rows; row += 20) {
        if (write_run(writer, row, row + 20, NULL) != TRM_OK ||
            trmi_writer_flush(writer, NULL) != TRM_OK)
            return 1;
        tell(pipe_end, row + 20);
    }
    return trmi_writer_close(writer, "done", "", "", NULL) == TRM_OK ? 0 : 1;
}

// Kills at moments that fall anywhere, in the middle of writing and of the ending too.
static void test_survival_kill_at_any_moment_keeps_flushed_rows(void **state)
{
    for (int k = 0; k < 60; k++) {
        const char *path = in_folder(state, "run.h5");
        int pipe_end;
        unlink(path);
        pid_t child = start_child(write_on, path, 400, &pipe_end);
        int64_t first = listen_for(pipe_end, 20 * (1 + k % 20)); // the last ones: near the ending
        struct timespec moment = {0, 50000L * (k / 20)};         // 0 to 0.1 ms later
        nanosleep(&moment, NULL);
        kill(child, SIGKILL);
        int64_t rest = listen_for(pipe_end, INT64_MAX);
        close(pipe_end);
        end_of(child);
        trmi_result *result = open_result(path);
        assert_run(result, rest > first ? rest : first, third_hdf5);
        trmi_result_close(result);
    }
}

// two rows, between them longer than the second after which rows are flushed by themselves
static int write_slowly(const char *path, int pipe_end, long rows)
{
    struct timespec pause_time = {1, 100000000};
    trmi_writer *writer = open_run(format_of(path), path, NULL);
    if (write_run(writer, 0, rows - 1, NULL) != TRM_OK || nanosleep(&pause_time, NULL) != 0 ||
        write_run(writer, rows - 1, rows, NULL) != TRM_OK)
        return 1;
    tell(pipe_end, rows);
    for (;;)
        pause();
}

static void test_survival_rows_are_flushed_every_second(void **state)
{
    const char *path = in_folder(state, "run.h5");
    int pipe_end;
    pid_t child = start_child(write_slowly, path, 3, &pipe_end);
    assert_int_equal(listen_for(pipe_end, 3), 3);
    kill(child, SIGKILL);
    end_of(child);
    close(pipe_end);
    trmi_result *result = open_result(path);
    int64_t count;
    read_channel(result, "total", 3, &count);
    assert_int_equal(count, 3);
    trmi_result_close(result);
}

// ---- full disk ----

// what the child tells besides numbers of rows
enum { NOT_OPENED = -2, COMPLETE = 1000000 };

// A run with a limit for the size of files; exit code 1: it did not say what it should.
static int write_limited(const char *path, int pipe_end, long limit)
{
    struct rlimit size = {(rlim_t)limit, (rlim_t)limit};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &size) != 0)
        return 2;
    trm_error error = {.status = TRM_OK};
    trmi_writer *writer =
        trmi_writer_open(format_of(path), path, &run_info, run_channel, RUN_CHANNELS, NULL, &error);
    if (!writer) {
        tell(pipe_end, NOT_OPENED);
        return error.status == TRM_ERR_RESULT && strstr(error.text, "File too large") ? 0 : 1;
    }
    trm_status status = TRM_OK;
    for (long row = 0; row < 600 && status == TRM_OK; row += 30) {
        status = write_run(writer, row, row + 30, &error);
        if (status == TRM_OK)
            status = trmi_writer_flush(writer, &error);
        if (status == TRM_OK)
            tell(pipe_end, row + 30);
        else if (row > 0 && !strstr(error.text, "are safe"))
            return 1;
    }
    bool failed = status != TRM_OK;
    trm_error again, last;
    if (failed && (trmi_writer_row(writer, 0, (double[RUN_CHANNELS]){0}, &again) != status ||
                   strcmp(again.text, error.text) != 0))
        return 1;
    status = trmi_writer_close(writer, "done", "", "", &last);
    if (failed && (status != TRM_ERR_RESULT || strcmp(last.text, error.text) != 0))
        return 1;
    if (status == TRM_OK)
        tell(pipe_end, COMPLETE);
    return status == TRM_OK || strstr(last.text, "File too large") ? 0 : 1;
}

// every limit between nothing and a complete file: an error that says so, the exit code of a
// process that ended in order, and a file with the rows that were called safe
static void check_limits(void **state, const char *file, long step, int *failures, int *complete)
{
    for (long limit = 0; *complete == 0; limit += step) {
        const char *path = in_folder(state, file);
        int pipe_end;
        unlink(path);
        pid_t child = start_child(write_limited, path, limit, &pipe_end);
        int64_t reported = listen_for(pipe_end, COMPLETE);
        close(pipe_end);
        int status = end_of(child);
        if (status != 0)
            fail_msg("limit of %ld bytes: the run ended with status %x", limit, (unsigned)status);
        if (reported == NOT_OPENED)
            continue;
        *complete += reported == COMPLETE;
        *failures += reported != COMPLETE;
        trmi_result *result = open_result(path);
        assert_run(result,
                   reported == COMPLETE ? 600
                   : reported < 0       ? 0
                                        : reported,
                   third_of(path));
        trmi_result_close(result);
    }
}

static void test_survival_full_disk_keeps_flushed_rows_hdf5(void **state)
{
    int failures = 0, complete = 0;
    check_limits(state, "run.h5", 3001, &failures, &complete);
    assert_true(failures > 5); // the file has about 80 KiB, 30 of them before the first row
}

static void test_survival_full_disk_keeps_flushed_rows_csv(void **state)
{
    int failures = 0, complete = 0;
    check_limits(state, "run.csv", 5003, &failures, &complete);
    assert_true(failures > 5); // 600 lines with about 80 characters
}

static void test_survival_full_device_is_told(void **state)
{
    (void)state;
    trm_error error;
    trmi_writer *writer =
        trmi_writer_open("csv", "/dev/full", &run_info, run_channel, RUN_CHANNELS, NULL, &error);
    assert_null(writer); // already the header cannot be written
    assert_int_equal(error.status, TRM_ERR_RESULT);
    assert_string_equal(error.text, "cannot write /dev/full: No space left on device");
    assert_contains(error.advice, "free space");
}

// ---- company ----

static int write_and_wait(const char *path, int pipe_end, long rows)
{
    trmi_writer *writer = open_run("hdf5", path, NULL);
    if (write_run(writer, 0, rows, NULL) != TRM_OK || trmi_writer_flush(writer, NULL) != TRM_OK)
        return 1;
    tell(pipe_end, rows);
    struct timespec moment = {0, 10000000};
    while (access(path, F_OK) == 0) // until the test removes the file
        nanosleep(&moment, NULL);
    return trmi_writer_close(writer, "done", "", "", NULL) == TRM_OK ? 1 : 0; // it is gone
}

static void test_survival_file_of_a_running_run_is_read_but_not_replaced(void **state)
{
    const char *path = in_folder(state, "run.h5");
    int pipe_end;
    pid_t child = start_child(write_and_wait, path, 40, &pipe_end);
    assert_int_equal(listen_for(pipe_end, 40), 40);
    trm_error error;
    assert_null(trmi_writer_open("hdf5", path, NULL, NULL, 0, NULL, &error));
    assert_contains(error.text, "another run is writing it");
    trmi_result *result = open_result(path);
    assert_run(result, 40, third_hdf5);
    assert_string_equal(trmi_result_attribute(result, "status"), "running");
    trmi_result_close(result);
    unlink(path);
    close(pipe_end);
    assert_int_equal(end_of(child), 0);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_survival_killed_run_keeps_flushed_rows),
        IN_FOLDER(test_survival_killed_run_goes_on),
        IN_FOLDER(test_survival_kill_at_any_moment_keeps_flushed_rows),
        IN_FOLDER(test_survival_rows_are_flushed_every_second),
        IN_FOLDER(test_survival_full_disk_keeps_flushed_rows_hdf5),
        IN_FOLDER(test_survival_full_disk_keeps_flushed_rows_csv),
        cmocka_unit_test(test_survival_full_device_is_told),
        IN_FOLDER(test_survival_file_of_a_running_run_is_read_but_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
