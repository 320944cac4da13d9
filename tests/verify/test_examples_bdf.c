// SPDX-License-Identifier: Apache-2.0
// Example mechanisms with backward differences, in all coordinates, formalisms and formulations.
#include "examples.h"

static void test_examples_agree_with_bdf(void **state)
{
    example_table(*state, "bdf", NULL, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_bdf),
    };
    return cmocka_run_group_tests(tests, example_begin, example_end);
}
