// SPDX-License-Identifier: Apache-2.0
// Memory of a simulation: aligned, zeroed, overflow refused, everything given back.
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// An allocator that counts, fills blocks with rubbish, shifts them off large alignments and can be
// made to fail.
typedef struct counter {
    long taken, given;   // blocks
    size_t bytes;        // asked for
    long fail_at;        // this call (from 1 on) and later ones return NULL; 0: none
    size_t shift;        // blocks start this far behind a multiple of 64
    void *blocks[1000];  // as handed out
    void *origins[1000]; // as malloc gave them
} counter;

static void *take_counted(size_t size, void *user)
{
    counter *c = user;
    if (c->fail_at > 0 && c->taken + 1 >= c->fail_at)
        return NULL;
    if (c->taken == 1000)
        return NULL;
    char *origin = malloc(size + 256);
    if (!origin)
        return NULL;
    uintptr_t start = ((uintptr_t)origin + 63) / 64 * 64 + c->shift;
    memset(origin, 0xA5, size + 256);
    c->origins[c->taken] = origin;
    c->blocks[c->taken++] = (void *)start;
    c->bytes += size;
    return (void *)start;
}

static void give_counted(void *block, void *user)
{
    counter *c = user;
    for (long k = 0; k < c->taken; k++)
        if (c->blocks[k] == block) {
            free(c->origins[k]);
            c->blocks[k] = NULL;
            c->given++;
            return;
        }
    fail_msg("a block was given back that had not been taken, or twice");
}

static trmi_memory counted(counter *c)
{
    trmi_memory memory;
    trmi_memory_init(&memory, &(trm_allocator){take_counted, give_counted, c});
    return memory;
}

static void assert_zeroed(const void *block, size_t bytes)
{
    const unsigned char *b = block;
    for (size_t k = 0; k < bytes; k++)
        assert_int_equal(b[k], 0);
}

static void test_memory_block_is_aligned_and_zeroed(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 64; shift += 16) { // malloc promises 16
        counter c = {.shift = shift};
        trmi_memory memory = counted(&c);
        for (size_t count = 0; count < 200; count += 7) {
            char *block = trmi_memory_take(&memory, count, 3);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 64, 0);
            assert_zeroed(block, 3 * count);
            memset(block, 0xFF, 3 * count); // all of it is ours: sanitizers watch the ends
        }
        trmi_memory_release_all(&memory);
        assert_int_equal(c.given, c.taken);
    }
}

static void test_memory_block_lies_inside_what_was_taken(void **state)
{
    (void)state;
    counter c = {.shift = 16};
    trmi_memory memory = counted(&c);
    for (size_t count = 1; count < 300; count += 13) {
        size_t before = c.bytes;
        char *block = trmi_memory_take(&memory, count, 8);
        const char *first = c.blocks[c.taken - 1], *end = first + (c.bytes - before);
        assert_true(block >= first + sizeof(void *)); // the link of the list stands before
        assert_true(block + 8 * count <= end);
    }
    trmi_memory_release_all(&memory);
}

static void test_memory_count_zero_gives_valid_pointers(void **state)
{
    (void)state;
    counter c = {0};
    trmi_memory memory = counted(&c);
    void *first = trmi_memory_take(&memory, 0, 8), *second = trmi_memory_take(&memory, 0, 8);
    assert_non_null(first);
    assert_non_null(second);
    assert_ptr_not_equal(first, second);
    assert_non_null(trmi_memory_take(&memory, 5, 0));
    trmi_memory_release_all(&memory);
    assert_int_equal(c.given, 3);
}

static void test_memory_vectors_lie_in_one_block(void **state)
{
    (void)state;
    counter c = {.shift = 16};
    trmi_memory memory = counted(&c);
    double *a, *b, *empty, *last;
    const trmi_vector vector[] = {{&a, 5}, {&empty, 0}, {&b, 8}, {&last, 17}};
    assert_true(trmi_memory_take_vectors(&memory, vector, 4));
    assert_int_equal(c.taken, 1);
    // 5 numbers take a line of 8, and 8 numbers another one
    assert_ptr_equal(empty, a + 8);
    assert_ptr_equal(b, a + 8);
    assert_ptr_equal(last, a + 16);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_zeroed(a, (16 + 17) * sizeof *a);
    memset(last, 0xFF, 17 * sizeof *last); // sanitizers watch the end
    trmi_memory_release_all(&memory);
    assert_int_equal(c.given, 1);
}

static void test_memory_vectors_are_refused_without_memory(void **state)
{
    (void)state;
    counter c = {.fail_at = 1};
    trmi_memory memory = counted(&c);
    double *a, *b;
    assert_false(trmi_memory_take_vectors(&memory, &(trmi_vector){&a, 5}, 1));
    const trmi_vector most[] = {{&a, SIZE_MAX / 16}, {&b, SIZE_MAX / 16}};
    assert_false(trmi_memory_take_vectors(&memory, most, 2));
    assert_int_equal(c.taken, 0);
    trmi_memory_release_all(&memory);
}

static void test_memory_overflow_is_refused(void **state)
{
    (void)state;
    const struct {
        size_t count, size;
    } asked[] = {{SIZE_MAX, 8},       {SIZE_MAX / 8 + 1, 8}, {SIZE_MAX / 8, 8}, {SIZE_MAX, 1},
                 {SIZE_MAX - 100, 1}, {SIZE_MAX, SIZE_MAX},  {2, SIZE_MAX / 2}, {1, SIZE_MAX}};
    counter c = {0};
    trmi_memory memory = counted(&c);
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        assert_null(trmi_memory_take(&memory, asked[k].count, asked[k].size));
    assert_int_equal(c.taken, 0); // not even asked for
    assert_int_equal(memory.total, 0);
    // a negative int as count, as TRMI_TAKE would convert it
    double *numbers = NULL;
    assert_false(TRMI_TAKE(&memory, numbers, -1));
    assert_null(numbers);
    trmi_memory_release_all(&memory);
}

static void test_memory_release_gives_back_all(void **state)
{
    (void)state;
    counter c = {0};
    trmi_memory memory = counted(&c);
    for (size_t k = 0; k < 500; k++)
        assert_non_null(trmi_memory_take(&memory, k, 4));
    assert_int_equal(c.taken, 500);
    assert_true(memory.total == c.bytes);
    trmi_memory_release_all(&memory);
    assert_int_equal(c.given, 500);
    assert_int_equal(memory.total, 0);
    trmi_memory_release_all(&memory); // nothing is left: no harm
    assert_int_equal(c.given, 500);
    // and it can be used again
    assert_non_null(trmi_memory_take(&memory, 1, 1));
    trmi_memory_release_all(&memory);
    assert_int_equal(c.given, c.taken);
}

static void test_memory_small_pieces_share_blocks(void **state)
{
    (void)state;
    counter c = {.shift = 16};
    trmi_memory memory = counted(&c);
    const size_t alignments[] = {1, 16, 64};
    char *last = NULL;
    for (size_t k = 0; k < 300; k++) {
        size_t alignment = alignments[k % 3], size = k % 50;
        char *piece = trmi_memory_share(&memory, size, 1, alignment);
        assert_non_null(piece);
        assert_ptr_not_equal(piece, last); // also where it has no bytes
        assert_int_equal((uintptr_t)piece % alignment, 0);
        assert_zeroed(piece, size);
        memset(piece, 0xFF, size); // a piece that overlaps the next one would not find it zeroed
        last = piece;
    }
    // 300 pieces of 24.5 bytes, with gaps for the alignment: 16 kB at most
    assert_in_range(c.taken, 2, 4);
    long before = c.taken;
    assert_non_null(trmi_memory_share(&memory, 5000, 1, 1)); // a block of its own
    assert_int_equal(c.taken, before + 1);
    assert_null(trmi_memory_share(&memory, SIZE_MAX, 8, 8));
    trmi_memory_release_all(&memory);
    assert_int_equal(c.given, c.taken);
    assert_non_null(trmi_memory_share(&memory, 1, 1, 1)); // a new block after the old ones are gone
    trmi_memory_release_all(&memory);
    assert_int_equal(c.given, c.taken);
}

static void test_memory_failure_keeps_earlier_blocks(void **state)
{
    (void)state;
    counter c = {.fail_at = 4};
    trmi_memory memory = counted(&c);
    int *numbers[3];
    for (int k = 0; k < 3; k++) {
        assert_true(TRMI_TAKE(&memory, numbers[k], 10));
        numbers[k][9] = k;
    }
    size_t total = memory.total;
    int *more = numbers[0];
    assert_false(TRMI_TAKE(&memory, more, 10));
    assert_null(more);
    assert_true(memory.total == total);
    for (int k = 0; k < 3; k++)
        assert_int_equal(numbers[k][9], k);
    trmi_memory_release_all(&memory);
    assert_int_equal(c.given, 3);
}

static void test_memory_default_is_malloc(void **state)
{
    (void)state;
    const trm_allocator none = {0};
    const trm_allocator *choices[] = {NULL, &none};
    for (int k = 0; k < 2; k++) {
        trmi_memory memory;
        trmi_memory_init(&memory, choices[k]);
        double *numbers;
        assert_true(TRMI_TAKE(&memory, numbers, 1000));
        assert_int_equal((uintptr_t)numbers % 64, 0);
        assert_zeroed(numbers, 1000 * sizeof *numbers);
        trmi_memory_release_all(&memory);
    }
}

// a block must go back to where it came from: half an allocator is none
static void test_memory_half_an_allocator_is_not_used(void **state)
{
    (void)state;
    counter c = {0};
    const trm_allocator halves[] = {{take_counted, NULL, &c}, {NULL, give_counted, &c}};
    for (int k = 0; k < 2; k++) {
        trmi_memory memory;
        trmi_memory_init(&memory, &halves[k]);
        assert_non_null(trmi_memory_take(&memory, 3, 8));
        trmi_memory_release_all(&memory);
    }
    assert_int_equal(c.taken + c.given, 0);
}

static void test_memory_copy_or_zero_does_either(void **state)
{
    (void)state;
    const double in[] = {1, 2, 3};
    double out[] = {7, 7, 7, 7};
    trmi_copy_or_zero(out, in, 3);
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3 && out[3] == 7);
    trmi_copy_or_zero(out, NULL, 2);
    assert_true(out[0] == 0 && out[1] == 0 && out[2] == 3);
    trmi_copy_or_zero(NULL, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_block_is_aligned_and_zeroed),
        cmocka_unit_test(test_memory_block_lies_inside_what_was_taken),
        cmocka_unit_test(test_memory_count_zero_gives_valid_pointers),
        cmocka_unit_test(test_memory_vectors_lie_in_one_block),
        cmocka_unit_test(test_memory_vectors_are_refused_without_memory),
        cmocka_unit_test(test_memory_overflow_is_refused),
        cmocka_unit_test(test_memory_release_gives_back_all),
        cmocka_unit_test(test_memory_small_pieces_share_blocks),
        cmocka_unit_test(test_memory_failure_keeps_earlier_blocks),
        cmocka_unit_test(test_memory_default_is_malloc),
        cmocka_unit_test(test_memory_half_an_allocator_is_not_used),
        cmocka_unit_test(test_memory_copy_or_zero_does_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
