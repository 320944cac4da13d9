// SPDX-License-Identifier: Apache-2.0
// Derivatives that are kept and follow the excitations, against those they stand for.
#include "fail/fail.h"

#include "solver/integrator/corrector/derivatives.h"

#include <math.h>

// Two masses on springs k + 10 u, with dampers 3 + 2 u', the first with a cubic part: the
// derivatives are linear in u and u', u'' pushes and changes none, and nothing uses the second
// excitation.
enum { N = 2, INPUTS = 2 };

static int evaluate(const trm_state *s, double *const want[TRM_QUANTITY_COUNT], void *user)
{
    (void)user;
    if (want[TRM_QUANTITY_INPUT])
        for (int i = 0; i < INPUTS; i++) { // [u | u' | u'']
            want[TRM_QUANTITY_INPUT][i] = sin(s->t + i);
            want[TRM_QUANTITY_INPUT][INPUTS + i] = cos(s->t + i);
            want[TRM_QUANTITY_INPUT][2 * INPUTS + i] = -sin(s->t + i);
        }
    for (int i = 0; i < N && want[TRM_QUANTITY_MASS]; i++)
        want[TRM_QUANTITY_MASS][i] = 1;
    for (int i = 0; i < N && want[TRM_QUANTITY_FORCE]; i++) {
        double k = 100 * (i + 1) + 10 * s->u[0], d = 3 + 2 * s->u[INPUTS];
        want[TRM_QUANTITY_FORCE][i] = -k * s->q[i] - d * s->v[i] + s->u[2 * INPUTS];
        want[TRM_QUANTITY_FORCE][i] -= i == 0 ? 50 * s->q[0] * s->q[0] * s->q[0] : 0;
    }
    return 0;
}

static const uint64_t MATRIX = TRM_BIT(STIFFNESS) | TRM_BIT(DAMPING);

typedef struct fixture {
    trmi_memory memory;
    trm_statistics statistics;
    trmi_evaluator e;
    trmi_values values;
    trmi_point p;
    trmi_derivatives d;
} fixture;

static void set_up(fixture *f, trm_jacobian_update rule)
{
    const trm_initial initial = {0};
    trm_error error;
    trm_system s = {.name = "excited", .n_q = N, .n_u = INPUTS, .evaluate = evaluate};
    s.evaluates = TRM_BIT(INPUT) | TRM_BIT(MASS) | TRM_BIT(FORCE);
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    memset(f, 0, sizeof *f);
    trmi_memory_init(&f->memory, NULL);
    trm_status status = trmi_evaluator_create(&f->e, &f->values, &f->memory, &s, MATRIX, &initial,
                                              &f->statistics, &error);
    assert_status(status, TRM_OK, &error);
    assert_true(trmi_point_create(&f->p, &f->memory, &f->e));
    f->p.q[0] = f->p.v[1] = 0.5;
    assert_true(trmi_derivatives_create(&f->d, &f->memory, &f->values, MATRIX, rule));
    assert_true(trmi_derivatives_probe(&f->d, &f->memory, &f->p));
}

static void tear_down(fixture *f)
{
    trmi_memory_release_all(&f->memory);
}

// evaluates at t, and keeps that
static void take_at(fixture *f, double t)
{
    f->p.t = t;
    assert_int_equal(trmi_evaluate(&f->e, &f->p, MATRIX, &f->values), 0);
    trmi_derivatives_take(&f->d);
}

// the largest difference between what is kept, as it follows the excitations, and an evaluation
static double error_at(fixture *f, double t)
{
    double kept[2 * N * N], error = 0;
    f->p.t = t;
    assert_int_equal(trmi_evaluate(&f->e, &f->p, 0, &f->values), 0);
    trmi_derivatives_apply(&f->d);
    for (int k = 0; k < N * N; k++) {
        kept[k] = f->values.of[TRM_QUANTITY_STIFFNESS][k];
        kept[N * N + k] = f->values.of[TRM_QUANTITY_DAMPING][k];
    }
    assert_int_equal(trmi_evaluate(&f->e, &f->p, MATRIX, &f->values), 0);
    for (int k = 0; k < N * N; k++) {
        error = fmax(error, fabs(kept[k] - f->values.of[TRM_QUANTITY_STIFFNESS][k]));
        error = fmax(error, fabs(kept[N * N + k] - f->values.of[TRM_QUANTITY_DAMPING][k]));
    }
    return error;
}

static void test_derivatives_unused_excitations_are_left_out(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, TRM_JACOBIAN_UPDATE_SECANT);
    // u, u' and u'' of the first of two
    assert_int_equal(f.d.count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(f.d.input[i], i * INPUTS);
    // the probe counts as work for derivatives
    assert_int_equal(f.statistics.residual_evaluations, 0);
    assert_true(f.statistics.residual_evaluations_for_jacobian > 0);
    tear_down(&f);
}

static void test_derivatives_partitioned_keeps_what_was_evaluated(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, TRM_JACOBIAN_UPDATE_PARTITIONED);
    assert_int_equal(f.d.count, 0);
    take_at(&f, 0);
    assert_true(error_at(&f, 0) == 0);
    // 10 (u(1) - u(0)), less than 0.01 of noise aside
    assert_true(fabs(error_at(&f, 1) - 10 * sin(1)) < 0.01);
    assert_false(trmi_derivatives_moved(&f.d));
    tear_down(&f);
}

static void test_derivatives_extended_follow_what_is_linear(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, TRM_JACOBIAN_UPDATE_EXTENDED);
    assert_int_equal(trmi_derivatives_extend(&f.d, &f.p, 6.283185307179586), 0);
    take_at(&f, 0);
    // noise of one-sided differences of forces of size 50, 50 eps / 1.5e-8 = 7e-7, by 0.2, and as
    // much again where they are compared
    assert_true(error_at(&f, 1) < 2e-5);
    assert_true(error_at(&f, 4) < 2e-5);
    // entries off the diagonal and those of u'' are zero, not noise
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2 * N * N; k++) {
            double expected = k == 0 || k == 3 ? (i == 0 ? 10 : 0) : 0;
            expected = k == 4 || k == 7 ? (i == 1 ? 2 : 0) : expected;
            double is = f.d.slope[i * f.d.size + k];
            assert_true(expected == 0 ? is == 0 : fabs(is - expected) < 1e-5);
        }
    // also after a restart; in other coordinates nothing of it is true
    trmi_derivatives_reset(&f.d, false);
    assert_true(f.d.known && !f.d.exists);
    trmi_derivatives_reset(&f.d, true);
    assert_false(f.d.known);
    f.p.t = 0;
    assert_int_equal(trmi_derivatives_extend(&f.d, &f.p, 1), 0);
    take_at(&f, 0);
    assert_true(error_at(&f, 1) < 2e-5);
    // once only
    long evaluations = f.statistics.residual_evaluations_for_jacobian;
    assert_int_equal(trmi_derivatives_extend(&f.d, &f.p, 1), 0);
    assert_int_equal(f.statistics.residual_evaluations_for_jacobian, evaluations);
    tear_down(&f);
}

// every evaluation at other excitations teaches one direction of three
static void test_derivatives_secant_learns_from_evaluations(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, TRM_JACOBIAN_UPDATE_SECANT);
    take_at(&f, 0);
    double before = error_at(&f, 0.8);
    take_at(&f, 0.7);
    double near = error_at(&f, 0.8);
    assert_true(before > 7 && near < 0.2 * before);
    for (int k = 0; k < 20; k++)
        take_at(&f, 1.3 * k);
    // 20 secants in three directions, of which u and u'' are one: what is left is small everywhere
    assert_true(error_at(&f, 40) < 1e-2 * before);
    tear_down(&f);
}

static void test_derivatives_secant_ignores_small_moves(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, TRM_JACOBIAN_UPDATE_SECANT);
    take_at(&f, 1);
    f.p.q[0] = 0.9; // changes the derivatives, at excitations that changed by 0.3 %
    take_at(&f, 1.003);
    for (int k = 0; k < f.d.count * f.d.size; k++)
        assert_true(f.d.slope[k] == 0);
    tear_down(&f);
}

static void test_derivatives_secant_that_fails_twice_is_forgotten(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, TRM_JACOBIAN_UPDATE_SECANT);
    take_at(&f, 0);
    take_at(&f, 1);
    assert_true(f.d.known && error_at(&f, 1.5) < 5);
    trmi_derivatives_judge(&f.d, false);
    trmi_derivatives_judge(&f.d, true);
    trmi_derivatives_judge(&f.d, false);
    assert_true(f.d.known); // not in a row
    trmi_derivatives_judge(&f.d, false);
    assert_false(f.d.known);
    // as if nothing had been learned: K of t = 1, 10 (u(4) - u(1)) away
    assert_true(fabs(error_at(&f, 4) - 10 * fabs(sin(4) - sin(1))) < 0.01);
    tear_down(&f);
}

// a matrix formed again is another one if the excitations moved by 1e-3 of their size, and if that
// changes anything
static void test_derivatives_moved_excitations_are_noticed(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, TRM_JACOBIAN_UPDATE_SECANT);
    take_at(&f, 0);
    take_at(&f, 1);
    assert_false(trmi_derivatives_moved(&f.d));
    f.p.t = 1.0005;
    assert_int_equal(trmi_evaluate(&f.e, &f.p, 0, &f.values), 0);
    assert_false(trmi_derivatives_moved(&f.d));
    f.p.t = 1.01;
    assert_int_equal(trmi_evaluate(&f.e, &f.p, 0, &f.values), 0);
    assert_true(trmi_derivatives_moved(&f.d));
    trmi_derivatives_reset(&f.d, false);
    assert_false(trmi_derivatives_moved(&f.d));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_unused_excitations_are_left_out),
        cmocka_unit_test(test_derivatives_partitioned_keeps_what_was_evaluated),
        cmocka_unit_test(test_derivatives_extended_follow_what_is_linear),
        cmocka_unit_test(test_derivatives_secant_learns_from_evaluations),
        cmocka_unit_test(test_derivatives_secant_ignores_small_moves),
        cmocka_unit_test(test_derivatives_secant_that_fails_twice_is_forgotten),
        cmocka_unit_test(test_derivatives_moved_excitations_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
