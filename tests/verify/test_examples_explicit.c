// SPDX-License-Identifier: Apache-2.0
// Example mechanisms with the integrators that solve for accelerations and project every step.
#include "examples.h"

static void test_examples_agree_with_adams(void **state)
{
    example_table(*state, "adams", "ggl", 1e-6);
}

static void test_examples_agree_with_explicit(void **state)
{
    example_table(*state, "explicit", "ggl", 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_adams),
        cmocka_unit_test(test_examples_agree_with_explicit),
    };
    return cmocka_run_group_tests(tests, example_begin, example_end);
}
