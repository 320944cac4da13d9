// SPDX-License-Identifier: Apache-2.0
// The first points of constant steps are found under error control: a motion that is too fast for
// the step does not keep it busy for longer than max_steps.
#include "models.h"

static void test_fixed_start_of_a_fast_motion_ends_with_max_steps(void **state)
{
    (void)state;
    // 1e6 rad/s: at the tolerance of the start more than 1e5 steps of some 1e-7 s
    static const char fast[] = "trammel: 1\n"
                               "equations: {coordinates: {x: v}, mass: [1], force: [\"-1e12*x\"]}\n"
                               "initial: {values: {x: 1}}\n"
                               "simulate: {end: 1, step: {fixed: 0.01}, max_steps: 300}\n";
    model_case c;
    trm_simulation *s;
    trm_error error;
    model_read(&c, fast);
    assert_int_equal(trm_simulation_create(&s, c.system, trm_model_options(c.model),
                                           trm_instance_initial(c.instance), &error),
                     TRM_OK);
    assert_int_equal(trm_simulation_run(s, 1), TRM_ERR_STEPS);
    assert_contains(trm_simulation_error(s)->text,
                    "the first points of constant steps need more than max_steps = 300");
    assert_contains(trm_simulation_error(s)->advice, "shorten the constant step");
    assert_true(trm_simulation_error(s)->t > 0 && trm_simulation_error(s)->t < 0.01);
    trm_simulation_destroy(s);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_start_of_a_fast_motion_ends_with_max_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
