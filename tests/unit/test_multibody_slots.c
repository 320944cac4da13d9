// SPDX-License-Identifier: Apache-2.0
// Positions that many pieces add to.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "modelling/multibody/slots.h"

static void begin(trmi_slots *slots, trmi_memory *memory)
{
    *slots = (trmi_slots){0};
    trmi_memory_init(memory, NULL);
}

// what comes again has the slot of before, and the pattern has it once, row by row
static void test_slots_repeated_position_has_one_slot(void **state)
{
    (void)state;
    trmi_slots s;
    trmi_memory memory;
    begin(&s, &memory);
    trmi_slots_add(&s, 1, 4);
    trmi_slots_add(&s, 0, 2);
    trmi_slots_add(&s, 1, 4);
    trmi_slots_add(&s, TRM_PATTERN_ZERO, 3); // any negative row: not in the matrix
    assert_true(trmi_slots_finish(&s, &memory));
    assert_int_equal(s.pattern.count, 2);
    assert_int_equal(trmi_slots_at(&s, 0), 1);
    assert_int_equal(trmi_slots_at(&s, 1), 0);
    assert_int_equal(trmi_slots_at(&s, 2), 1);
    assert_true(trmi_slots_at(&s, 3) < 0);
    const trmi_cursor last = trmi_pattern_at(&s.pattern, 1);
    assert_true(last.row == 1 && last.column == 4);
    trmi_memory_release_all(&memory);
}

static void test_slots_in_order_are_not_kept(void **state)
{
    (void)state;
    trmi_slots s;
    trmi_memory memory;
    double out[3] = {0};
    begin(&s, &memory);
    for (int i = 0; i < 3; i++)
        trmi_slots_add(&s, i / 2, i);
    assert_true(trmi_slots_finish(&s, &memory));
    assert_null(s.slot);
    trmi_slots_put(&s, 2, out, 5);
    assert_true(out[0] == 0 && out[1] == 0 && out[2] == 5);
    trmi_memory_release_all(&memory);
}

// a run is one number, its entries stand side by side, also where they were announced one by one
static void test_slots_run_is_contiguous(void **state)
{
    (void)state;
    trmi_slots s;
    trmi_memory memory;
    begin(&s, &memory);
    trmi_slots_add(&s, 2, 0);
    for (int i = 0; i < 3; i++)
        trmi_slots_add(&s, 2, 3 + i);
    int again = trmi_slots_add_run(&s, 2, 3, 3), other = trmi_slots_add_run(&s, 0, 6, 3);
    assert_true(trmi_slots_finish(&s, &memory));
    assert_int_equal(s.pattern.count, 7);
    assert_int_equal(trmi_slots_at(&s, other), 0);
    assert_int_equal(trmi_slots_at(&s, again), trmi_slots_at(&s, 1));
    for (int i = 0; i < 3; i++) {
        int k = trmi_slots_at(&s, again) + i;
        const trmi_cursor at = trmi_pattern_at(&s.pattern, k),
                          first = trmi_pattern_at(&s.pattern, i);
        assert_true(at.row == 2 && at.column == 3 + i);
        assert_true(first.row == 0 && first.column == 6 + i);
    }
    trmi_memory_release_all(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_repeated_position_has_one_slot),
        cmocka_unit_test(test_slots_in_order_are_not_kept),
        cmocka_unit_test(test_slots_run_is_contiguous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
