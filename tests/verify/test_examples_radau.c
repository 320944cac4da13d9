// SPDX-License-Identifier: Apache-2.0
// Example mechanisms with Radau IIA of order 5, in all coordinates, formalisms and formulations.
#include "examples.h"

static void test_examples_agree_with_radau(void **state)
{
    example_table(*state, "radau", NULL, 1e-6);
}

// The explicit formalism is the residual one times M^-1, and with M as metric the multipliers of
// the stages start from the same values: Newton converges alike. Measured 0.97 .. 1.08; with 1 as
// metric Andrews' mechanism took 62 times as many steps in its first 3 ms.
static void test_examples_explicit_formalism_takes_the_steps_of_the_residual(void **state)
{
    (void)state;
    for (int k = 0; k < EXAMPLES; k++) {
        example_motion m[2];
        for (int i = 0; i < 2; i++) {
            const example_way way = {"joint", i ? "explicit" : "residual", "cs", "radau", 1e-6};
            example_run(&m[i], &examples[k], &way);
            assert_int_equal(m[i].status, TRM_OK);
        }
        double ratio = (double)m[1].steps / (double)m[0].steps;
        if (!(ratio > 0.8 && ratio < 1.25))
            fail_msg("%s: %ld steps instead of %ld", examples[k].name, m[1].steps, m[0].steps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_radau),
        cmocka_unit_test(test_examples_explicit_formalism_takes_the_steps_of_the_residual),
    };
    return cmocka_run_group_tests(tests, example_begin, example_end);
}
