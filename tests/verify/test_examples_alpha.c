// SPDX-License-Identifier: Apache-2.0
// Example mechanisms with the alpha-methods. They are of order 2: what costs bdf some thousand
// steps costs them a hundred thousand, so less is asked.
#include "examples.h"

static void test_examples_agree_with_newmark(void **state)
{
    example_table(*state, "newmark", NULL, 1e-4);
}

static void test_examples_agree_with_hht(void **state)
{
    example_table(*state, "hht", NULL, 1e-4);
}

static void test_examples_agree_with_generalized_alpha(void **state)
{
    example_table(*state, "generalized-alpha", NULL, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_newmark),
        cmocka_unit_test(test_examples_agree_with_hht),
        cmocka_unit_test(test_examples_agree_with_generalized_alpha),
    };
    return cmocka_run_group_tests(tests, example_begin, example_end);
}
