// SPDX-License-Identifier: Apache-2.0
// The layout of HDF5 results as a user of python3-h5py sees it, finished and after a kill.
#define _POSIX_C_SOURCE 200809L
#include "unit/results_wide.h"

#include <signal.h>

enum { ROWS = 300 };

static void write_killed(const char *path)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        trmi_writer *writer = open_run("hdf5", path, NULL);
        if (write_run(writer, 0, ROWS, NULL) == TRM_OK && trmi_writer_flush(writer, NULL) == TRM_OK)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void ask_python(const char *script, const char *finished, const char *killed)
{
    char command[1200];
    snprintf(command, sizeof command, "/usr/bin/python3 tests/unit/%s %s %s %d", script, finished,
             killed, ROWS);
    int status = system(command);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_layout_h5py_finds_everything(void **state)
{
    const char *finished = in_folder(state, "finished.h5"), *killed = in_folder(state, "killed.h5");
    trm_error error;
    trmi_writer *writer = open_run("hdf5", finished, NULL);
    assert_done(write_run(writer, 0, ROWS, &error), &error);
    close_run(writer);
    write_killed(killed);
    ask_python("check_layout.py", finished, killed);
}

static void write_wide_killed(const char *path, wide_run *run)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        trmi_writer *writer = open_wide(run, path, NULL);
        if (write_wide_rows(run, writer, 0, ROWS, NULL) == TRM_OK &&
            trmi_writer_flush(writer, NULL) == TRM_OK)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void test_layout_h5py_finds_many_channels(void **state)
{
    const char *finished = in_folder(state, "finished.h5"), *killed = in_folder(state, "killed.h5");
    wide_run *run = make_wide_run();
    trm_error error;
    trmi_writer *writer = open_wide(run, finished, NULL);
    assert_done(write_wide_rows(run, writer, 0, ROWS, &error), &error);
    close_run(writer);
    write_wide_killed(killed, run);
    free(run);
    ask_python("check_wide.py", finished, killed);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_layout_h5py_finds_everything),
        IN_FOLDER(test_layout_h5py_finds_many_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
