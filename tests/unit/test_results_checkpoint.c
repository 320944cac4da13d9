// SPDX-License-Identifier: Apache-2.0
// Checkpoint files: what comes back, and what is refused with which message.
#define _POSIX_C_SOURCE 200809L
#include "program/run/checkpoint.h"

#include "unit/results.h"

#include <signal.h>
#include <sys/resource.h>

static const uint64_t model_hash = UINT64_C(0x0123456789abcdef);
static const double numbers[] = {1.5, -0.0, 1e-310};
static const trmi_checkpoint_block blocks[] = {
    {"simulation", numbers, sizeof numbers}, {"count", "\0abc", 5}, {"empty", "", 0}};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static void write_checkpoint(const char *path)
{
    trm_error error;
    assert_done(trmi_checkpoint_write(path, model_hash, blocks, BLOCKS, &error), &error);
}

static size_t load_bytes(const char *path, char *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void store_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void assert_refused(const char *path, const char *message)
{
    trm_error error = {.status = TRM_OK};
    assert_null(trmi_checkpoint_read(path, &error));
    assert_int_equal(error.status, TRM_ERR_RESULT);
    assert_contains(error.text, message);
    assert_null(trmi_checkpoint_read(path, NULL));
}

// published test vectors of FNV-1a, 64 bits (draft-eastlake-fnv, appendix C)
static void test_checkpoint_hash_is_fnv(void **state)
{
    (void)state;
    assert_true(trmi_hash(TRMI_HASH, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(trmi_hash(TRMI_HASH, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(trmi_hash(TRMI_HASH, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    assert_true(trmi_hash(trmi_hash(TRMI_HASH, "foo", 3), "bar", 3) ==
                UINT64_C(0x85944171f73967e8));
}

static void test_checkpoint_blocks_come_back_aligned(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    trm_error error;
    write_checkpoint(path);
    write_checkpoint(path); // over the first
    trmi_checkpoint *checkpoint = trmi_checkpoint_read(path, &error);
    if (!checkpoint)
        fail_msg("%s", error.text);
    for (int k = 0; k < BLOCKS; k++) {
        const trmi_checkpoint_block *block = trmi_checkpoint_find(checkpoint, blocks[k].name);
        assert_non_null(block);
        assert_int_equal(block->size, blocks[k].size);
        assert_int_equal((uintptr_t)block->data % 8, 0);
        if (block->size > 0)
            assert_memory_equal(block->data, blocks[k].data, block->size);
    }
    assert_null(trmi_checkpoint_find(checkpoint, "other"));
    trmi_checkpoint_free(checkpoint);
    trmi_checkpoint_free(NULL);
}

static void test_checkpoint_no_blocks_are_allowed(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    trm_error error;
    assert_done(trmi_checkpoint_write(path, model_hash, NULL, 0, &error), &error);
    trmi_checkpoint *checkpoint = trmi_checkpoint_read(path, &error);
    assert_non_null(checkpoint);
    trmi_checkpoint_free(checkpoint);
}

static void test_checkpoint_other_files_are_refused(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    assert_refused(path, "No such file or directory");
    assert_refused(in_folder(state, "."), "Is a directory");
    store_bytes(path, "", 0);
    assert_refused(path, "it is not a checkpoint");
    store_bytes(path, "trammel: 1\nname: ball\n", 22);
    assert_refused(path, "it is not a checkpoint");
}

// no writer is waited for
static void test_checkpoint_pipe_is_refused(void **state)
{
    const char *path = in_folder(state, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, "it is a pipe or a device, not a file");
}

static void test_checkpoint_model_comes_back(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    write_checkpoint(path);
    trmi_checkpoint *checkpoint = trmi_checkpoint_read(path, NULL);
    assert_non_null(checkpoint);
    assert_true(trmi_checkpoint_model(checkpoint) == model_hash);
    trmi_checkpoint_free(checkpoint);
}

// head 32 bytes; three blocks of 16 for their heads, names of 16, 8 and 8, data of 24, 8 and 0; the
// checksum 8: 152 bytes. The block whose head is there is missed.
static void test_checkpoint_cut_off_says_how_much_is_missing(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    char bytes[1000];
    write_checkpoint(path);
    assert_int_equal(load_bytes(path, bytes, sizeof bytes), 152);
    store_bytes(path, bytes, 150);
    assert_refused(path, "it is cut off: 150 bytes are there, at least 152 were written");
    // behind the letters up to where head and checksum have place: 32 and 8
    for (size_t size = 8; size < 40; size++) {
        char words[80];
        snprintf(words, sizeof words, "it is cut off: only %zu bytes are there", size);
        store_bytes(path, bytes, size);
        assert_refused(path, words);
    }
}

static void test_checkpoint_other_version_is_refused(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    char bytes[1000];
    write_checkpoint(path);
    size_t size = load_bytes(path, bytes, sizeof bytes);
    bytes[8] = 2; // the version stands behind the eight letters
    store_bytes(path, bytes, size);
    assert_refused(path, "it has version 2, this program knows version 1");
}

// every byte matters: one bit wrong anywhere, or any length too short, and the file is refused
static void test_checkpoint_damage_anywhere_is_found(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    char bytes[1000];
    write_checkpoint(path);
    size_t size = load_bytes(path, bytes, sizeof bytes);
    for (size_t k = 0; k < size; k++) {
        bytes[k] = (char)(bytes[k] ^ 0x10);
        store_bytes(path, bytes, size);
        assert_refused(path, "it ");
        bytes[k] = (char)(bytes[k] ^ 0x10);
        store_bytes(path, bytes, k);
        assert_refused(path, "it is ");
    }
    bytes[72] = (char)(bytes[72] ^ 1); // a value of the first block, whose data begin at 64
    store_bytes(path, bytes, size);
    assert_refused(path, "it is damaged (the checksum does not fit)");
}

// sizes that point outside, with a checksum that fits
static void test_checkpoint_wrong_sizes_are_found(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    char bytes[1000];
    write_checkpoint(path);
    size_t size = load_bytes(path, bytes, sizeof bytes);
    // number of blocks (24), length of the first name (32), size of the first block (40)
    const size_t place[] = {24, 32, 40};
    const uint64_t wrong[] = {1, 4, 1000, UINT64_MAX, UINT64_MAX - 6, UINT64_C(1) << 60};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            char changed[1000];
            memcpy(changed, bytes, size);
            memcpy(changed + place[k], &wrong[i], sizeof wrong[i]);
            uint64_t checksum = trmi_hash(TRMI_HASH, changed, size - 8);
            memcpy(changed + size - 8, &checksum, sizeof checksum);
            store_bytes(path, changed, size);
            assert_refused(path, "it is damaged (sizes do not fit)");
        }
}

static void seal(char *bytes, size_t size)
{
    uint64_t checksum = trmi_hash(TRMI_HASH, bytes, size - 8);
    memcpy(bytes + size - 8, &checksum, sizeof checksum);
}

// Names without an end, or of no length; bytes that belong to no block. The checksum fits.
static void test_checkpoint_wrong_names_are_found(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    char bytes[1000], changed[1000];
    write_checkpoint(path);
    size_t size = load_bytes(path, bytes, sizeof bytes);
    for (int how = 0; how < 4; how++) {
        size_t now = size;
        const uint64_t none = 0, one = 1;
        memcpy(changed, bytes, size);
        if (how == 0) // the name "simulation" without its zero
            memset(changed + 48, 'x', 16);
        else if (how == 1) // its length
            memcpy(changed + 32, &none, sizeof none);
        else if (how == 2) // one block is named, three are there
            memcpy(changed + 24, &one, sizeof one);
        else if (how == 3) { // a piece of a block behind the last one
            memset(changed + size - 8, 0, 8);
            now += 4;
        }
        seal(changed, now);
        store_bytes(path, changed, now);
        assert_refused(path, "it is damaged (sizes do not fit)");
    }
}

static void test_checkpoint_failed_writing_keeps_the_old_one(void **state)
{
    const char *path = in_folder(state, "run.checkpoint");
    trm_error error;
    write_checkpoint(path);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) { // no file longer than 64 bytes
        struct rlimit size = {64, 64};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &size);
        trm_status status = trmi_checkpoint_write(path, 1, blocks, BLOCKS, &error);
        _exit(status == TRM_ERR_RESULT && strstr(error.text, "File too large") ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    trmi_checkpoint *checkpoint = trmi_checkpoint_read(path, &error);
    assert_non_null(checkpoint);
    trmi_checkpoint_free(checkpoint);
    assert_int_equal(access(in_folder(state, "run.checkpoint.new"), F_OK), -1);
    assert_int_equal(trmi_checkpoint_write("/tmp/no-such-folder/c", 1, NULL, 0, &error),
                     TRM_ERR_RESULT);
    assert_contains(error.text, "cannot write checkpoint /tmp/no-such-folder/c: No such file");
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checkpoint_hash_is_fnv),
        IN_FOLDER(test_checkpoint_blocks_come_back_aligned),
        IN_FOLDER(test_checkpoint_no_blocks_are_allowed),
        IN_FOLDER(test_checkpoint_other_files_are_refused),
        IN_FOLDER(test_checkpoint_pipe_is_refused),
        IN_FOLDER(test_checkpoint_model_comes_back),
        IN_FOLDER(test_checkpoint_cut_off_says_how_much_is_missing),
        IN_FOLDER(test_checkpoint_other_version_is_refused),
        IN_FOLDER(test_checkpoint_damage_anywhere_is_found),
        IN_FOLDER(test_checkpoint_wrong_sizes_are_found),
        IN_FOLDER(test_checkpoint_wrong_names_are_found),
        IN_FOLDER(test_checkpoint_failed_writing_keeps_the_old_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
