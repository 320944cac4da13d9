// SPDX-License-Identifier: Apache-2.0
// The state machine of the matrix, as the table it is.
#include "fail/fail.h"

#include "solver/integrator/corrector/update.h"

#include <math.h>

typedef struct row {
    bool derivatives, estimates; // rules: derivatives are kept, patterns estimated
    trmi_matrix_event event;
    trmi_matrix_quality quality;
    bool moved;
    trmi_matrix_action action;
} row;

// section 6 of the study's table, and what DASSL does where nothing is kept
static const row table[] = {
    {true, false, TRMI_MATRIX_GOOD, TRMI_MATRIX_OLD, true, TRMI_MATRIX_KEEP},
    {true, false, TRMI_MATRIX_FIRST, TRMI_MATRIX_NONE, false, TRMI_MATRIX_EVALUATE},
    {true, false, TRMI_MATRIX_EVERY_STEP, TRMI_MATRIX_OLD, false, TRMI_MATRIX_REFORM},
    {true, false, TRMI_MATRIX_CJ, TRMI_MATRIX_OLD, true, TRMI_MATRIX_REFORM},
    {true, false, TRMI_MATRIX_WANTED, TRMI_MATRIX_OLD, false, TRMI_MATRIX_REFORM},
    {true, false, TRMI_MATRIX_SLOW, TRMI_MATRIX_OLD, true, TRMI_MATRIX_EVALUATE},
    {true, false, TRMI_MATRIX_INSIDE, TRMI_MATRIX_FULL, false, TRMI_MATRIX_REFORM},
    {true, false, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_OLD, true, TRMI_MATRIX_REFORM},
    {true, false, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_OLD, false, TRMI_MATRIX_EVALUATE},
    {true, false, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_CHEAP, true, TRMI_MATRIX_EVALUATE},
    {true, false, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_CHEAP, false, TRMI_MATRIX_EVALUATE},
    {true, false, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_FULL, true, TRMI_MATRIX_SHORTEN},
    {true, true, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_FULL, true, TRMI_MATRIX_WIDEN},
    {true, true, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_DENSE, true, TRMI_MATRIX_SHORTEN},
    {true, true, TRMI_MATRIX_SINGULAR, TRMI_MATRIX_CHEAP, false, TRMI_MATRIX_EVALUATE},
    {true, false, TRMI_MATRIX_SINGULAR, TRMI_MATRIX_FULL, false, TRMI_MATRIX_SHORTEN},
    {false, false, TRMI_MATRIX_GOOD, TRMI_MATRIX_OLD, true, TRMI_MATRIX_KEEP},
    {false, false, TRMI_MATRIX_EVERY_STEP, TRMI_MATRIX_OLD, true, TRMI_MATRIX_EVALUATE},
    {false, false, TRMI_MATRIX_CJ, TRMI_MATRIX_OLD, true, TRMI_MATRIX_EVALUATE},
    {false, false, TRMI_MATRIX_WANTED, TRMI_MATRIX_OLD, true, TRMI_MATRIX_EVALUATE},
    {false, false, TRMI_MATRIX_INSIDE, TRMI_MATRIX_FULL, true, TRMI_MATRIX_EVALUATE},
    {false, false, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_OLD, true, TRMI_MATRIX_EVALUATE},
    {false, true, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_FULL, true, TRMI_MATRIX_WIDEN},
    {false, false, TRMI_MATRIX_NO_CONVERGENCE, TRMI_MATRIX_FULL, true, TRMI_MATRIX_SHORTEN},
};

static void test_update_table_gives_the_action_of_every_event(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const row *r = &table[k];
        trmi_update u = {
            .keeps_derivatives = r->derivatives, .estimates = r->estimates, .quality = r->quality};
        trmi_matrix_action action = trmi_update_decide(&u, r->event, r->moved);
        if (action != r->action)
            fail_msg("row %zu: %s with a matrix %s gives %s, not %s", k,
                     trmi_matrix_event_name(r->event), trmi_matrix_quality_name(r->quality),
                     trmi_matrix_action_name(action), trmi_matrix_action_name(r->action));
    }
}

// the ratio 0.6 of DASSL, both ways
static void test_update_step_begins_matrix_serves_while_cj_is_near(void **state)
{
    (void)state;
    const struct {
        double cj;
        trmi_matrix_event event;
    } cases[] = {{100, TRMI_MATRIX_GOOD},
                 {61, TRMI_MATRIX_GOOD},
                 {59, TRMI_MATRIX_CJ},
                 {166, TRMI_MATRIX_GOOD},
                 {167, TRMI_MATRIX_CJ}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trmi_update u = {.keeps_matrix = true, .keeps_derivatives = true};
        assert_int_equal(trmi_update_begin(&u, 100), TRMI_MATRIX_FIRST);
        trmi_update_formed(&u, true, 100);
        assert_int_equal(u.quality, TRMI_MATRIX_FULL);
        assert_int_equal(trmi_update_begin(&u, cases[k].cj), cases[k].event);
        assert_int_equal(u.quality, TRMI_MATRIX_OLD);
    }
}

static void test_update_matrix_of_every_step_is_never_kept(void **state)
{
    (void)state;
    trmi_update u = {.keeps_derivatives = true};
    trmi_update_formed(&u, true, 100);
    assert_int_equal(trmi_update_begin(&u, 100), TRMI_MATRIX_EVERY_STEP);
}

// what is wanted is wanted until it is done: a matrix by any, derivatives by new ones only
static void test_update_wishes_last_until_they_are_met(void **state)
{
    (void)state;
    trmi_update u = {.keeps_matrix = true, .keeps_derivatives = true};
    trmi_update_formed(&u, true, 100);
    u.wanted = true;
    assert_int_equal(trmi_update_begin(&u, 100), TRMI_MATRIX_WANTED);
    trmi_update_formed(&u, false, 100);
    assert_int_equal(trmi_update_begin(&u, 100), TRMI_MATRIX_GOOD);
    trmi_update_slow(&u);
    assert_int_equal(trmi_update_begin(&u, 100), TRMI_MATRIX_SLOW);
    trmi_update_formed(&u, false, 100);
    assert_int_equal(trmi_update_begin(&u, 100), TRMI_MATRIX_SLOW);
    trmi_update_formed(&u, true, 100);
    trmi_update_slow(&u); // new derivatives would be the same
    assert_int_equal(trmi_update_begin(&u, 100), TRMI_MATRIX_GOOD);
    trmi_update_reset(&u);
    assert_int_equal(trmi_update_begin(&u, 100), TRMI_MATRIX_FIRST);
}

// every way through the failures of one step ends: matrices get no older inside an attempt
static void test_update_failures_in_a_row_end_in_a_shorter_step(void **state)
{
    (void)state;
    trmi_update u = {.keeps_matrix = true, .keeps_derivatives = true, .estimates = true};
    trmi_update_formed(&u, true, 100);
    const trmi_matrix_action expected[] = {TRMI_MATRIX_KEEP, TRMI_MATRIX_REFORM,
                                           TRMI_MATRIX_EVALUATE, TRMI_MATRIX_WIDEN,
                                           TRMI_MATRIX_SHORTEN};
    trmi_matrix_event event = trmi_update_begin(&u, 120);
    for (int k = 0; k < 5; k++) {
        trmi_matrix_action action = trmi_update_decide(&u, event, u.cj != 120);
        assert_int_equal(action, expected[k]);
        if (action == TRMI_MATRIX_WIDEN)
            trmi_update_widened(&u);
        if (action != TRMI_MATRIX_KEEP)
            trmi_update_formed(&u, action != TRMI_MATRIX_REFORM, 120);
        if (k > 1) // a further matrix inside the attempt
            trmi_update_formed(&u, false, 120);
        event = TRMI_MATRIX_NO_CONVERGENCE;
    }
    assert_int_equal(u.quality, TRMI_MATRIX_DENSE);
}

// ---- from outside ----

static void count_message(trm_log_level level, const char *text, void *user)
{
    assert_true(level != TRM_LOG_TRACE || strstr(text, "cj ratio") || strstr(text, "retry with"));
    ((int *)user)[level]++;
}

static void test_update_trace_tells_of_every_matrix_to_who_asks(void **state)
{
    (void)state;
    const trm_log_level levels[] = {TRM_LOG_DEBUG, TRM_LOG_TRACE};
    for (int k = 0; k < 2; k++) {
        int messages[TRM_LOG_TRACE + 1] = {0};
        trm_system system = pendulum(NULL);
        trm_options o = trm_options_default();
        assert_int_equal(o.log_level, TRM_LOG_DEBUG);
        o.log = count_message;
        o.user = messages;
        o.log_level = levels[k];
        o.jacobian_update = TRM_JACOBIAN_UPDATE_PARTITIONED;
        trm_simulation *s = create(&system, &o, &pendulum_start);
        assert_int_equal(trm_simulation_run(s, 1), TRM_OK);
        const trm_statistics *st = trm_simulation_statistics(s);
        long matrices = st->jacobian_evaluations + st->jacobian_updates;
        assert_true(st->jacobian_updates > 0);
        assert_int_equal(messages[TRM_LOG_TRACE], k == 0 ? 0 : matrices);
        trm_simulation_destroy(s);
    }
}

// kept derivatives, exact ones as well, by every integrator of the corrector; radau has its own way
static void test_update_integrators_keep_derivatives_or_refuse(void **state)
{
    (void)state;
    const struct {
        trm_integrator integrator;
        trm_jacobian_update update;
        bool keeps, refused;
    } cases[] = {{TRM_INTEGRATOR_BDF, TRM_JACOBIAN_UPDATE_PARTITIONED, true, false},
                 {TRM_INTEGRATOR_BDF, TRM_JACOBIAN_UPDATE_AUTO, false, false},
                 {TRM_INTEGRATOR_GENERALIZED_ALPHA, TRM_JACOBIAN_UPDATE_PARTITIONED, true, false},
                 {TRM_INTEGRATOR_GENERALIZED_ALPHA, TRM_JACOBIAN_UPDATE_AUTO, false, false},
                 {TRM_INTEGRATOR_RADAU, TRM_JACOBIAN_UPDATE_PARTITIONED, true, false},
                 {TRM_INTEGRATOR_RADAU, TRM_JACOBIAN_UPDATE_FULL, false, false},
                 {TRM_INTEGRATOR_RADAU, TRM_JACOBIAN_UPDATE_SECANT, false, true},
                 {TRM_INTEGRATOR_RADAU, TRM_JACOBIAN_UPDATE_EXTENDED, false, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trm_system system = pendulum(NULL);
        trm_options o = trm_options_default();
        o.integrator = cases[k].integrator;
        o.jacobian_update = cases[k].update;
        if (cases[k].refused) {
            assert_refused(&system, &o, &pendulum_start, TRM_ERR_OPTION,
                           "does not go with integrator radau");
            continue;
        }
        trm_simulation *s = create(&system, &o, &pendulum_start);
        assert_int_equal(trm_simulation_run(s, 2), TRM_OK);
        const trm_statistics *st = trm_simulation_statistics(s);
        if (cases[k].keeps != (st->jacobian_updates > 0) ||
            cases[k].keeps != (st->jacobian_evaluations < st->steps))
            fail_msg("case %zu: %ld steps, %ld evaluations, %ld updates", k, st->steps,
                     st->jacobian_evaluations, st->jacobian_updates);
        // length 1, to the tolerance of 1e-6
        const double *q = trm_simulation_state(s)->q;
        assert_true(fabs(q[0] * q[0] + q[1] * q[1] - 1) < 1e-6);
        trm_simulation_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_update_table_gives_the_action_of_every_event),
        cmocka_unit_test(test_update_step_begins_matrix_serves_while_cj_is_near),
        cmocka_unit_test(test_update_matrix_of_every_step_is_never_kept),
        cmocka_unit_test(test_update_wishes_last_until_they_are_met),
        cmocka_unit_test(test_update_failures_in_a_row_end_in_a_shorter_step),
        cmocka_unit_test(test_update_trace_tells_of_every_matrix_to_who_asks),
        cmocka_unit_test(test_update_integrators_keep_derivatives_or_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
