// SPDX-License-Identifier: Apache-2.0
// Checkpoints and the calls of the system that they rest on, which this program has in place of
// those of the C library: short and interrupted ones change nothing, each that fails is reported
// and leaves what was there, and each that must be made is made.
#define _GNU_SOURCE
#include "program/run/checkpoint.h"

#include "unit/results.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

// ---- the calls ----

typedef enum call { WRITE, READ, CLOSE, RENAME, FSYNC, CALLS } call;

static struct {
    bool on;
    bool short_ones;  // one byte at a time
    bool interrupted; // every second call ends with EINTR
    bool nothing;     // read finds the end at once
    call fails;       // the at-th call of this kind fails with code
    int at, code;
    int count[CALLS];
} system_calls;

// true: the call fails, errno is set
static bool fails(call kind)
{
    if (!system_calls.on)
        return false;
    int n = ++system_calls.count[kind];
    if (system_calls.interrupted && (kind == WRITE || kind == READ) && n % 2 == 1) {
        errno = EINTR;
        return true;
    }
    if (system_calls.at == 0 || kind != system_calls.fails || n != system_calls.at)
        return false;
    errno = system_calls.code;
    return true;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    if (fails(WRITE))
        return -1;
    return syscall(SYS_write, fd, bytes, system_calls.short_ones && size > 1 ? 1 : size);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    if (fails(READ))
        return -1;
    if (system_calls.nothing)
        return 0;
    return syscall(SYS_read, fd, bytes, system_calls.short_ones && size > 1 ? 1 : size);
}

int close(int fd)
{
    int result = (int)syscall(SYS_close, fd);
    return fails(CLOSE) ? -1 : result;
}

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_rename, from, to);
}

int fsync(int fd)
{
    return fails(FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

// ---- tests ----

static const trmi_checkpoint_block block = {"numbers", "0123456789", 10};

static trm_status save(const char *path, uint64_t model, trm_error *error)
{
    *error = (trm_error){.status = TRM_OK};
    memset(system_calls.count, 0, sizeof system_calls.count);
    system_calls.on = true;
    trm_status status = trmi_checkpoint_write(path, model, &block, 1, error);
    system_calls.on = false;
    return status;
}

// the model of the checkpoint there, 0: none
static uint64_t model_of(const char *path, trm_error *error)
{
    *error = (trm_error){.status = TRM_OK};
    memset(system_calls.count, 0, sizeof system_calls.count);
    system_calls.on = true;
    trmi_checkpoint *c = trmi_checkpoint_read(path, error);
    system_calls.on = false;
    uint64_t model = c ? trmi_checkpoint_model(c) : 0;
    trmi_checkpoint_free(c);
    return model;
}

static void usual_calls(void)
{
    memset(&system_calls, 0, sizeof system_calls);
}

static void test_calls_file_and_folder_are_synchronised(void **state)
{
    const char *path = in_folder(state, "c");
    trm_error error;
    usual_calls();
    assert_done(save(path, 1, &error), &error);
    assert_int_equal(system_calls.count[FSYNC], 2);
    assert_int_equal(system_calls.count[RENAME], 2); // there was none before
    assert_int_equal(model_of(path, &error), 1);
    assert_string_equal(error.text, "");
    assert_string_equal(error.advice, "");
}

static void test_calls_short_and_interrupted_ones_go_on(void **state)
{
    const char *path = in_folder(state, "c"), *usual = in_folder(state, "u");
    trm_error error;
    char bytes[2][200];
    usual_calls();
    assert_done(save(usual, 5, &error), &error);
    for (int how = 1; how < 4; how++) {
        usual_calls();
        system_calls.short_ones = how & 1;
        system_calls.interrupted = how & 2;
        assert_done(save(path, 5, &error), &error);
        assert_int_equal(model_of(path, &error), 5);
        usual_calls();
        size_t sizes[2];
        const char *const names[] = {path, usual};
        for (int k = 0; k < 2; k++) {
            FILE *file = fopen(names[k], "rb");
            assert_non_null(file);
            sizes[k] = fread(bytes[k], 1, sizeof bytes[k], file);
            fclose(file);
        }
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    }
}

// The checkpoint 2 and, as the one before, 1.
static void save_two(const char *path)
{
    trm_error error;
    usual_calls();
    assert_done(save(path, 1, &error), &error);
    assert_done(save(path, 2, &error), &error);
}

// Each call that can fail; the checkpoints before are there, under one name or the other.
static void test_calls_that_fail_are_reported_and_cost_nothing(void **state)
{
    const struct {
        call kind;
        int at, code;
        const char *words;
    } cases[] = {{WRITE, 1, ENOSPC, "No space left"},      {WRITE, 3, EIO, "Input/output error"},
                 {FSYNC, 1, EIO, "Input/output error"},    {CLOSE, 1, EDQUOT, "quota exceeded"},
                 {RENAME, 1, EACCES, "Permission denied"}, {RENAME, 2, EROFS, "Read-only"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *path = in_folder(state, "c"), *older = in_folder(state, "c.previous");
        trm_error error;
        save_two(path);
        system_calls.fails = cases[k].kind;
        system_calls.at = cases[k].at;
        system_calls.code = cases[k].code;
        assert_int_equal(save(path, 3, &error), TRM_ERR_RESULT);
        assert_contains(error.text, cases[k].words);
        usual_calls();
        bool moved = cases[k].kind == RENAME && cases[k].at == 2;
        assert_int_equal(model_of(path, &error), moved ? 0 : 2);
        assert_int_equal(model_of(older, &error), moved ? 2 : 1);
        assert_int_equal(access(in_folder(state, "c.new"), F_OK), -1);
        unlink(path);
        unlink(older);
    }
}

// A failure of reading, and a file that is shorter than it says.
static void test_calls_of_reading_that_fail_are_reported(void **state)
{
    const char *path = in_folder(state, "c");
    trm_error error;
    usual_calls();
    assert_done(save(path, 1, &error), &error);
    system_calls.fails = READ;
    system_calls.at = 1;
    system_calls.code = EIO;
    assert_int_equal(model_of(path, &error), 0);
    assert_contains(error.text, "cannot read checkpoint");
    assert_contains(error.text, "Input/output error");
    assert_string_equal(error.advice, "");
    usual_calls();
    system_calls.nothing = true;
    errno = EACCES; // of something else
    assert_int_equal(model_of(path, &error), 0);
    assert_contains(error.text, "it is not a checkpoint");
    usual_calls();
    assert_int_equal(model_of(in_folder(state, "none"), &error), 0);
    assert_contains(error.advice, "start without --resume: a checkpoint is written");
}

// with standard input closed the file has the descriptor 0
static void test_calls_descriptor_0_is_a_file(void **state)
{
    const char *path = in_folder(state, "c");
    trm_error error;
    usual_calls();
    int kept = dup(0);
    close(0);
    trm_status status = save(path, 7, &error);
    uint64_t model = model_of(path, &error);
    if (kept >= 0)
        dup2(kept, 0);
    assert_int_equal(status, TRM_OK);
    assert_int_equal(model, 7);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_calls_file_and_folder_are_synchronised),
        IN_FOLDER(test_calls_short_and_interrupted_ones_go_on),
        IN_FOLDER(test_calls_that_fail_are_reported_and_cost_nothing),
        IN_FOLDER(test_calls_of_reading_that_fail_are_reported),
        IN_FOLDER(test_calls_descriptor_0_is_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
