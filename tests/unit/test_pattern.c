// SPDX-License-Identifier: Apache-2.0
// Patterns by blocks: they mean what the lists mean that they were made of.
#include "base/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 64 };

static void *refuse(size_t size, void *user)
{
    (void)size;
    (void)user;
    return NULL;
}

static void release(void *block, void *user)
{
    (void)block;
    (void)user;
}

// packs a list and lists what came out
static void pack(trm_pattern *p, trmi_memory *memory, int count, const int *row, const int *column)
{
    int back_row[MOST], back_column[MOST];
    trmi_memory_init(memory, NULL);
    assert_in_range(count, 1, MOST);
    assert_true(trmi_pattern_pack(p, memory, count, row, column));
    assert_int_equal(p->count, count);
    trm_pattern_list(p, back_row, back_column);
    assert_memory_equal(back_row, row, (size_t)count * sizeof *row);
    assert_memory_equal(back_column, column, (size_t)count * sizeof *column);
}

// three rows of a spherical joint between two bodies: one slide and three rotations of each, where
// the third slide stands next to the rotations
static void test_pattern_joint_rows_become_four_blocks(void **state)
{
    (void)state;
    trm_pattern p;
    trmi_memory memory;
    int row[24], column[24], k = 0;
    for (int i = 0; i < 3; i++)
        for (int body = 0; body < 2; body++) {
            row[k] = 7 + i;
            column[k++] = 6 * body + i;
            for (int j = 3; j < 6; j++) {
                row[k] = 7 + i;
                column[k++] = 6 * body + j;
            }
        }
    pack(&p, &memory, k, row, column);
    assert_int_equal(p.blocks, 4);
    assert_true(p.block[0].rows == 3 && p.block[0].columns == 0 && p.block[0].column == 0);
    assert_true(p.block[3].rows == 3 && p.block[3].columns == 3 && p.block[3].column == 9);
    trmi_memory_release_all(&memory);
}

// equal columns are a block of one column, rising ones a diagonal: what the second row has decides
static void test_pattern_column_and_diagonal_are_told_apart(void **state)
{
    (void)state;
    trm_pattern p;
    trmi_memory memory;
    const int row[] = {0, 1, 2, 3, 5, 6, 7, 8}, column[] = {4, 4, 4, 4, 1, 2, 3, 4};
    pack(&p, &memory, 8, row, column);
    assert_int_equal(p.blocks, 2);
    assert_true(p.block[0].columns == 1 && p.block[0].rows == 4);
    assert_true(p.block[1].columns == 0 && p.block[1].rows == 4);
    trmi_memory_release_all(&memory);
}

// two panels of the same rows would lie side by side: such an order is kept as lists
static void test_pattern_rows_that_come_again_stay_lists(void **state)
{
    (void)state;
    trm_pattern p;
    trmi_memory memory;
    const int row[] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1};
    const int column[] = {0, 1, 2, 0, 1, 2, 5, 6, 7, 5, 6, 7};
    pack(&p, &memory, 12, row, column);
    assert_null(p.block);
    trmi_memory_release_all(&memory);
}

static void test_pattern_scattered_entries_stay_lists(void **state)
{
    (void)state;
    trm_pattern p;
    trmi_memory memory;
    const int row[] = {3, 1, 4, 1, 5}, column[] = {2, 7, 1, 8, 2};
    pack(&p, &memory, 5, row, column);
    assert_null(p.block);
    trmi_memory_release_all(&memory);
}

// any list comes back: rows in order, entries at random with many neighbours
static void test_pattern_random_lists_come_back(void **state)
{
    (void)state;
    uint32_t seed = 1;
    int packed = 0;
    for (int trial = 0; trial < 2000; trial++) {
        int row[MOST], column[MOST], count = 0;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 8; j++) {
                seed = seed * 1664525u + 1013904223u;
                if (seed >> 30 == 0 && count > 0) // the same columns as the row above has
                    continue;
                if ((seed >> 20) % 3 != 0 || (j > 0 && (seed >> 10) % 2)) {
                    row[count] = i;
                    column[count++] = j;
                }
            }
        trm_pattern p;
        trmi_memory memory;
        pack(&p, &memory, count, row, column);
        packed += p.block != NULL;
        for (int k = 0; k < count; k += 5)
            assert_true(trmi_pattern_at(&p, k).row == row[k]);
        trmi_memory_release_all(&memory);
    }
    assert_true(packed > 1000); // so that the test is one of blocks
}

static void test_pattern_without_memory_is_refused(void **state)
{
    (void)state;
    trm_pattern p;
    trmi_memory memory;
    const trm_allocator none = {refuse, release, NULL};
    const int index[] = {0, 1, 2};
    trmi_memory_init(&memory, &none);
    assert_false(trmi_pattern_pack(&p, &memory, 3, index, index));
}

static void test_pattern_blocks_are_counted(void **state)
{
    (void)state;
    const trm_block good[] = {{0, 0, 3, 0}, {0, 3, 3, 2}}, empty[] = {{0, 0, 0, 2}};
    trm_block huge[3] = {{0, 0, 65535, 65535}, {0, 0, 65535, 65535}, {0, 0, 65535, 65535}};
    assert_int_equal(trmi_blocks_count(good, 2), 9);
    assert_int_equal(trmi_blocks_count(empty, 1), 0);
    assert_int_equal(trmi_blocks_count(huge, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern_joint_rows_become_four_blocks),
        cmocka_unit_test(test_pattern_column_and_diagonal_are_told_apart),
        cmocka_unit_test(test_pattern_rows_that_come_again_stay_lists),
        cmocka_unit_test(test_pattern_scattered_entries_stay_lists),
        cmocka_unit_test(test_pattern_random_lists_come_back),
        cmocka_unit_test(test_pattern_without_memory_is_refused),
        cmocka_unit_test(test_pattern_blocks_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
