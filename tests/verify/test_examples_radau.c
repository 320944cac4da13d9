// SPDX-License-Identifier: Apache-2.0
// Example mechanisms with Radau IIA of order 5, in all coordinates, formalisms and formulations.
#include "examples.h"

static void test_examples_agree_with_radau(void **state)
{
    example_table(*state, "radau", NULL, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_radau),
    };
    return cmocka_run_group_tests(tests, example_begin, example_end);
}
