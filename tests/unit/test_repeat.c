// SPDX-License-Identifier: Apache-2.0
// Steps that a sample contradicts: those that had passed over something are replaced, others stand.
#include "one_mass.h"
#include "solver/integrator/simulation.h"
#include "unit/cases.h"

// ---- steps that passed over nothing ----

// Every step is tried again. One that stands is the same afterwards, bit by bit, and so is the rest
// of the run. *replaced: trials whose first attempt failed, after which the runs part.
static long try_every_step(const trial *a, long *replaced)
{
    trial_case c = open_trial(a);
    trm_simulation *plain = create(&c.system, &c.options, &c.initial);
    trm_simulation *tried = create(&c.system, &c.options, &c.initial);
    long stand = 0, parted = 0;
    for (double t = 0; t < c.end && !parted;) {
        double before = t;
        assert_status(trm_simulation_step(plain, c.end, NULL), TRM_OK, trm_simulation_error(plain));
        assert_status(trm_simulation_keep(tried), TRM_OK, trm_simulation_error(tried));
        assert_status(trm_simulation_step(tried, c.end, &t), TRM_OK, trm_simulation_error(tried));
        const trm_state *at;
        assert_int_equal(trm_simulation_sample(tried, 0.3 * before + 0.7 * t, &at), TRM_OK);
        for (int i = 0; i < 2 * c.system.n_q + c.system.n_x; i++) {
            tried->repetition.harmless[i] = 0;
            tried->repetition.sum[i] = 1e20; // whatever the sample shows
        }
        if (!trm_simulation_contradicts(tried, 0))
            continue;
        assert_status(trm_simulation_repeat(tried, 0, c.end, &t), TRM_OK,
                      trm_simulation_error(tried));
        parted = trm_simulation_statistics(tried)->repeated;
        stand += !parted;
        if (!parted)
            assert_same_run(&c, plain, tried);
    }
    *replaced += parted;
    trm_simulation_destroy(plain);
    trm_simulation_destroy(tried);
    close_trial(&c);
    return stand;
}

static void test_repeat_steps_that_stand_are_not_touched(void **state)
{
    (void)state;
    long stand = 0, replaced = 0;
    for (int k = 0; k < TRIALS; k++)
        stand += try_every_step(&trials[k], &replaced);
    print_message("%ld steps stand, %ld runs have one that does not\n", stand, replaced);
    assert_true(stand > 10 * replaced && replaced > 0);
}

// ---- a step over a pulse ----

// 3 N s at t = 5, 0.02 s long
static int pulse(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 3 / (0.02 * sqrt(acos(-1))) * exp(-pow((s->t - 5) / 0.02, 2));
    return 0;
}

static trm_simulation *mass_at_rest(trm_integrator integrator, const trm_allocator *allocator)
{
    static const double q = 0, v = 0;
    const trm_initial start = {.q = &q, .v = &v};
    const trm_system system = {
        .n_q = 1, .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = pulse}};
    trm_options options = trm_options_default();
    options.integrator = integrator;
    options.rtol = options.atol = 1e-6;
    if (allocator)
        options.allocator = *allocator;
    return create(&system, &options, &start);
}

// A run to 10 with a sample every 0.01 s, as rows are written.
static double run_with_samples(trm_simulation *s)
{
    static const double span = 0.01;
    int row = 1;
    for (double t = 0; t < 10;) {
        assert_int_equal(trm_simulation_keep(s), TRM_OK);
        assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
        while (row * span <= t) {
            const trm_state *at;
            assert_int_equal(trm_simulation_sample(s, row * span, &at), TRM_OK);
            if (trm_simulation_contradicts(s, span))
                assert_int_equal(trm_simulation_repeat(s, span, 10, &t), TRM_OK);
            else
                row++;
        }
    }
    return trm_simulation_state(s)->q[0];
}

// Alone each of these steps over the pulse; with samples the mass has 3 m/s after it and is at
// 3 (10 - 5) m at the end (closed form: the pulse is even about t = 5). Tolerance: 1000 times that
// of the run, as for a run whose steps add up.
static void test_repeat_a_step_over_a_pulse_is_replaced(void **state)
{
    (void)state;
    static const trm_integrator integrators[] = {
        TRM_INTEGRATOR_BDF,   TRM_INTEGRATOR_RADAU_ADAPTIVE,    TRM_INTEGRATOR_EXPLICIT,
        TRM_INTEGRATOR_ADAMS, TRM_INTEGRATOR_GENERALIZED_ALPHA, TRM_INTEGRATOR_AUTO};
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
        trm_simulation *s = mass_at_rest(integrators[k], NULL);
        assert_int_equal(trm_simulation_run(s, 10), TRM_OK);
        assert_true(fabs(trm_simulation_state(s)->q[0]) < 0.1);
        trm_simulation_destroy(s);
        s = mass_at_rest(integrators[k], NULL);
        const double q = run_with_samples(s);
        if (!(fabs(q - 15) < 1000 * 1e-6 * 15))
            fail_msg("%s: %.9g m for 15 m", trm_simulation_start(s)->integrator, q);
        assert_true(trm_simulation_statistics(s)->repeated > 0);
        trm_simulation_destroy(s);
    }
}

// ---- where nothing can be repeated ----

static void test_repeat_without_a_kept_state_nothing_contradicts(void **state)
{
    (void)state;
    trm_simulation *s = mass_at_rest(TRM_INTEGRATOR_EXPLICIT, NULL);
    double t = 0, reached = -1;
    while (t < 5.005)
        assert_int_equal(trm_simulation_step(s, 10, &t), TRM_OK);
    const trm_state *at;
    assert_int_equal(trm_simulation_sample(s, 5.005, &at), TRM_OK);
    assert_true(trm_simulation_defect(s, 0.01) > 1000);
    assert_false(trm_simulation_contradicts(s, 0.01));
    assert_int_equal(trm_simulation_repeat(s, 0.01, 10, &reached), TRM_OK);
    assert_true(reached == t && trm_simulation_statistics(s)->repeated == 0);
    trm_simulation_destroy(s);
}

static void test_repeat_without_memory_is_an_error(void **state)
{
    (void)state;
    supply memory = {0};
    const trm_allocator allocator = {take, give, &memory};
    trm_simulation *s = mass_at_rest(TRM_INTEGRATOR_EXPLICIT, &allocator);
    const long held = memory.held;
    memory.fail_at = memory.calls + 1;
    assert_status(trm_simulation_keep(s), TRM_ERR_MEMORY, trm_simulation_error(s));
    assert_contains(trm_simulation_error(s)->text, "no memory to repeat a step");
    assert_int_equal(memory.held, held);
    memory.fail_at = 0;
    assert_int_equal(trm_simulation_keep(s), TRM_OK);
    const long calls = memory.calls;
    assert_int_equal(trm_simulation_keep(s), TRM_OK); // memory is there
    assert_int_equal(memory.calls, calls);
    trm_simulation_destroy(s);
    assert_int_equal(memory.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeat_steps_that_stand_are_not_touched),
        cmocka_unit_test(test_repeat_a_step_over_a_pulse_is_replaced),
        cmocka_unit_test(test_repeat_without_a_kept_state_nothing_contradicts),
        cmocka_unit_test(test_repeat_without_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
