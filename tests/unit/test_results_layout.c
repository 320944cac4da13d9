// SPDX-License-Identifier: Apache-2.0
// The layout of HDF5 results as a user of python3-h5py sees it, finished and after a kill.
#define _POSIX_C_SOURCE 200809L
#include "unit/results.h"

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

static void test_layout_h5py_finds_everything(void **state)
{
    const char *finished = in_folder(state, "finished.h5"), *killed = in_folder(state, "killed.h5");
    trm_error error;
    trmi_writer *writer = open_run("hdf5", finished, NULL);
    assert_done(write_run(writer, 0, ROWS, &error), &error);
    close_run(writer);
    write_killed(killed);
    char command[1200];
    snprintf(command, sizeof command, "/usr/bin/python3 tests/unit/check_layout.py %s %s %d",
             finished, killed, ROWS);
    int status = system(command);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_layout_h5py_finds_everything, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
