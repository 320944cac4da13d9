// SPDX-License-Identifier: Apache-2.0
// Scratch memory: arrays of a stack, and simulations of every kind that stay within theirs.
#include "cases.h"

#include "solver/integrator/simulation.h"

#include <stdint.h>

static void test_scratch_arrays_do_not_overlap(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_scratch s;
    trmi_memory_init(&memory, NULL);
    assert_true(trmi_scratch_create(&s, &memory, trmi_scratch_size(3) + trmi_scratch_size(9)));
    double *a = trmi_scratch_take(&s, 3), *b = trmi_scratch_take(&s, 9);
    assert_true(b >= a + 3);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_int_equal((uintptr_t)b % 64, 0);
    assert_int_equal(s.top, s.size);
    trmi_memory_release_all(&memory);
}

static void test_scratch_release_frees_what_was_taken_since(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_scratch s;
    trmi_memory_init(&memory, NULL);
    assert_true(trmi_scratch_create(&s, &memory, 3 * trmi_scratch_size(5)));
    double *a = trmi_scratch_take(&s, 5), *b = trmi_scratch_take(&s, 5);
    assert_ptr_not_equal(trmi_scratch_take(&s, 5), b);
    trmi_scratch_release(&s, b);
    assert_ptr_equal(trmi_scratch_take(&s, 2), b);
    trmi_scratch_release(&s, a);
    assert_int_equal(s.top, 0);
    assert_int_equal(s.peak, s.size);
    trmi_memory_release_all(&memory);
}

// All is released between steps, and the size suffices: also for samples, accelerations, a restart.
static void test_scratch_of_simulations_suffices(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++) {
        trial_case c = open_trial(&trials[k]);
        trm_simulation *s = create(&c.system, &c.options, &c.initial);
        const trm_state *view;
        for (double t = 0; t < c.end;) {
            assert_status(trm_simulation_step(s, c.end, &t), TRM_OK, trm_simulation_error(s));
            trm_simulation_sample(s, t, &view);
            assert_int_equal(s->scratch.top, 0);
        }
        trm_simulation_accelerations(s, NULL, NULL);
        trm_simulation_restart(s, NULL);
        assert_int_equal(s->scratch.top, 0);
        assert_in_range(s->scratch.peak, 1, s->scratch.size);
        trm_simulation_destroy(s);
        close_trial(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scratch_arrays_do_not_overlap),
        cmocka_unit_test(test_scratch_release_frees_what_was_taken_since),
        cmocka_unit_test(test_scratch_of_simulations_suffices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
