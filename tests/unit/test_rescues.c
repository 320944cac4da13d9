// SPDX-License-Identifier: Apache-2.0
// The rescues of the nested corrector, row by row: each applies under its condition only, and
// leaves behind no more than it says.
#include "framework.h"
#include "solver/integrator/corrector/rescues.h"

#include <string.h>

enum { UNSYMMETRIC, MULTIPLIERS, FRESH_MATRICES, LAST_VELOCITY };

// A corrector of two coordinates and one constraint, in which every rescue applies.
typedef struct bench {
    trmi_memory memory;
    trm_options options;
    trm_statistics statistics;
    trmi_policy policy;
    trmi_evaluator e;
    trmi_saddle saddle;
    trmi_corrector c;
} bench;

static trmi_solver *create_solver(bench *b, bool block)
{
    const int row[] = {0, 1, 2, 2, 0, 1, 2}, col[] = {0, 1, 0, 1, 2, 2, 2}, first[] = {0, 2, 3};
    const trmi_structure structure = {.n = 3,
                                      .count = 7,
                                      .row = row,
                                      .col = col,
                                      .node_count = 2,
                                      .body_count = 1,
                                      .node_first = first,
                                      .constraints = 1};
    trmi_solver *solver =
        block ? trmi_block_create(&b->memory, &structure) : trmi_klu_create(&b->memory, &structure);
    assert_non_null(solver);
    solver->pivot = (trmi_pivot){1, 2};
    return solver;
}

static void begin(bench *b, bool block)
{
    memset(b, 0, sizeof *b);
    trmi_memory_init(&b->memory, NULL);
    b->options = trm_options_default();
    b->policy = *trmi_policy_of(TRM_FORMULATION_CS);
    b->e.n_q = 2;
    b->e.n_g = b->e.n_r = 1;
    b->saddle = (trmi_saddle){.e = &b->e, .memory = &b->memory, .n = 3};
    b->saddle.solver = b->saddle.factored = create_solver(b, block);
    b->c = (trmi_corrector){.e = &b->e,
                            .saddle = &b->saddle,
                            .policy = &b->policy,
                            .options = &b->options,
                            .statistics = &b->statistics,
                            .rough_predictor = true,
                            .attempts = 40};
}

static void end(bench *b)
{
    trmi_saddle_destroy(&b->saddle);
    trmi_memory_release_all(&b->memory);
}

static bool applies(const bench *b, int row)
{
    return trmi_rescues[row].applies(&b->c);
}

static void test_rescues_unsymmetric_matrix_applies_after_its_symmetric_part(void **state)
{
    (void)state;
    bench b;
    begin(&b, true);
    assert_true(applies(&b, UNSYMMETRIC));
    b.saddle.solver->pivot.smallest = 1e-6; // what Newton lacks may be rank
    assert_false(applies(&b, UNSYMMETRIC));
    b.saddle.solver->pivot.smallest = 1;
    b.saddle.unsymmetric = true;
    assert_false(applies(&b, UNSYMMETRIC));
    end(&b);
    begin(&b, false);
    assert_false(applies(&b, UNSYMMETRIC)); // KLU has the matrix as it is
    end(&b);
}

static void test_rescues_unsymmetric_matrix_lasts_a_thousand_attempts(void **state)
{
    (void)state;
    bench b;
    begin(&b, true);
    trmi_corrector before = b.c;
    trmi_rescues[UNSYMMETRIC].prepare(&b.c);
    assert_true(b.saddle.unsymmetric);
    assert_int_equal(b.c.unsymmetric_until, b.c.attempts + 1000);
    assert_null(trmi_rescues[UNSYMMETRIC].undo);
    before.unsymmetric_until = b.c.unsymmetric_until;
    assert_memory_equal(&b.c, &before, sizeof before);
    end(&b);
}

static void test_rescues_residual_multipliers_apply_where_they_are_not_in_use(void **state)
{
    (void)state;
    bench b;
    begin(&b, true);
    assert_true(applies(&b, MULTIPLIERS));
    b.c.exact_until = b.c.attempts + 1; // in use
    assert_false(applies(&b, MULTIPLIERS));
    b.c.exact_until = 0;
    b.e.n_z = 1;
    assert_false(applies(&b, MULTIPLIERS));
    b.e.n_z = 0;
    b.e.n_r = 0;
    assert_false(applies(&b, MULTIPLIERS));
    b.e.n_r = 1;
    b.policy = *trmi_policy_of(TRM_FORMULATION_GGL); // extrapolates them
    assert_false(applies(&b, MULTIPLIERS));
    b.policy = *trmi_policy_of(TRM_FORMULATION_CM); // has no place for them in the matrix
    assert_false(applies(&b, MULTIPLIERS));
    end(&b);
}

// Two attempts, twice as many where the last ones were too few, two again after a long time.
static void test_rescues_residual_multipliers_last_longer_when_needed_again(void **state)
{
    (void)state;
    bench b;
    begin(&b, true);
    trmi_corrector before = b.c;
    const int gap[] = {100, 0, 1, 0, 0, 30}, granted[] = {2, 4, 8, 16, 20, 2};
    assert_null(trmi_rescues[MULTIPLIERS].undo);
    for (int k = 0; k < 6; k++) {
        b.c.attempts = b.c.exact_until + gap[k];
        assert_true(applies(&b, MULTIPLIERS));
        trmi_rescues[MULTIPLIERS].prepare(&b.c);
        assert_false(applies(&b, MULTIPLIERS));
        assert_int_equal(b.c.exact_until - b.c.attempts, granted[k]);
    }
    before.attempts = b.c.attempts;
    before.exact_until = b.c.exact_until;
    before.exact_for = b.c.exact_for;
    assert_memory_equal(&b.c, &before, sizeof before);
    end(&b);
}

static void test_rescues_fresh_matrices_apply_to_alpha_and_algebraic_variables(void **state)
{
    (void)state;
    bench b;
    begin(&b, true);
    assert_true(applies(&b, FRESH_MATRICES));
    b.c.rough_predictor = false;
    assert_false(applies(&b, FRESH_MATRICES));
    b.e.n_z = 1;
    assert_true(applies(&b, FRESH_MATRICES));
    end(&b);
}

static void test_rescues_last_velocity_applies_where_forces_depend_on_velocities(void **state)
{
    (void)state;
    bench b;
    begin(&b, true);
    assert_true(applies(&b, LAST_VELOCITY));
    b.e.absent = TRM_BIT(DAMPING);
    assert_false(applies(&b, LAST_VELOCITY));
    end(&b);
}

// These two last for one retry: nothing stays but that it succeeded.
static void test_rescues_of_one_retry_leave_no_trace(void **state)
{
    (void)state;
    const int rows[] = {FRESH_MATRICES, LAST_VELOCITY};
    for (int k = 0; k < 4; k++) {
        bench b;
        begin(&b, true);
        trmi_corrector before = b.c;
        const trmi_rescue *rescue = &trmi_rescues[rows[k / 2]];
        bool succeeded = k % 2;
        rescue->prepare(&b.c);
        assert_true(b.c.refreshing);
        assert_int_equal(b.c.start_from_last_velocity, rows[k / 2] == LAST_VELOCITY);
        rescue->undo(&b.c, succeeded);
        before.was_rescued = rows[k / 2] == LAST_VELOCITY && succeeded;
        assert_memory_equal(&b.c, &before, sizeof before);
        end(&b);
    }
}

// ---- the loop over the rows ----

static int calls, fails; // tries so far; those that diverge
static struct seen {
    bool fresh, unsymmetric, multipliers, refreshing, last_velocity;
    long attempts;
} seen[8];

static trmi_outcome pretend(trmi_corrector *c, const trmi_stage *stage, bool fresh)
{
    (void)stage;
    seen[calls++] =
        (struct seen){fresh,         c->saddle->unsymmetric,      trmi_residual_multipliers_now(c),
                      c->refreshing, c->start_from_last_velocity, c->attempts};
    return calls <= fails ? TRMI_OUTCOME_DIVERGED : TRMI_OUTCOME_OK;
}

static void assert_seen(const struct seen *a, const struct seen *b)
{
    assert_int_equal(a->fresh, b->fresh);
    assert_int_equal(a->unsymmetric, b->unsymmetric);
    assert_int_equal(a->multipliers, b->multipliers);
    assert_int_equal(a->refreshing, b->refreshing);
    assert_int_equal(a->last_velocity, b->last_velocity);
    assert_int_equal(a->attempts, b->attempts);
}

static trmi_outcome drive(bench *b, bool fresh, int diverging)
{
    const trmi_stage stage = {.t = 1, .h = 0.1};
    calls = 0;
    fails = diverging;
    return trmi_try_with_rescues(&b->c, &stage, fresh, pretend);
}

static void test_rescues_are_tried_in_turn_until_one_succeeds(void **state)
{
    (void)state;
    const struct seen expected[] = {{true, false, false, false, false, 40},
                                    {true, true, false, false, false, 40},
                                    {true, true, true, false, false, 41},
                                    {true, true, true, true, false, 41},
                                    {true, true, true, true, true, 41}};
    for (int diverging = 0; diverging <= 5; diverging++) {
        bench b;
        begin(&b, true);
        trmi_outcome result = drive(&b, true, diverging);
        assert_int_equal(result, diverging < 5 ? TRMI_OUTCOME_OK : TRMI_OUTCOME_DIVERGED);
        assert_int_equal(calls, diverging < 5 ? diverging + 1 : 5);
        for (int k = 0; k < calls; k++)
            assert_seen(&seen[k], &expected[k]);
        assert_int_equal(b.c.attempts, 41);
        assert_int_equal(b.c.was_rescued, diverging == 4);
        assert_false(b.c.refreshing || b.c.start_from_last_velocity);
        end(&b);
    }
}

// Kept derivatives are evaluated first: there is nothing to rescue yet.
static void test_rescues_kept_derivatives_are_not_rescued(void **state)
{
    (void)state;
    bench b;
    begin(&b, true);
    assert_int_equal(drive(&b, false, 1), TRMI_OUTCOME_DIVERGED);
    assert_int_equal(calls, 1);
    assert_false(seen[0].fresh);
    assert_int_equal(b.c.attempts, 41);
    end(&b);
}

static void test_rescues_unsymmetric_matrix_ends_when_its_attempts_are_over(void **state)
{
    (void)state;
    bench b;
    begin(&b, true);
    drive(&b, true, 1);
    drive(&b, true, 0);
    assert_true(seen[0].unsymmetric);
    b.c.attempts = b.c.unsymmetric_until;
    drive(&b, true, 0);
    assert_false(seen[0].unsymmetric);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rescues_unsymmetric_matrix_applies_after_its_symmetric_part),
        cmocka_unit_test(test_rescues_unsymmetric_matrix_lasts_a_thousand_attempts),
        cmocka_unit_test(test_rescues_residual_multipliers_apply_where_they_are_not_in_use),
        cmocka_unit_test(test_rescues_residual_multipliers_last_longer_when_needed_again),
        cmocka_unit_test(test_rescues_fresh_matrices_apply_to_alpha_and_algebraic_variables),
        cmocka_unit_test(test_rescues_last_velocity_applies_where_forces_depend_on_velocities),
        cmocka_unit_test(test_rescues_of_one_retry_leave_no_trace),
        cmocka_unit_test(test_rescues_are_tried_in_turn_until_one_succeeds),
        cmocka_unit_test(test_rescues_kept_derivatives_are_not_rescued),
        cmocka_unit_test(test_rescues_unsymmetric_matrix_ends_when_its_attempts_are_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
