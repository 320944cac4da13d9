// SPDX-License-Identifier: Apache-2.0
// Constraints that contradict each other, lose rank on the way, or are redundant in the start
// position only. A wrong motion without a word is the one thing that must not come out.
#include "fail/fail.h"

static int unit_masses(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[1] = out[2] = 1;
    return 0;
}

static int no_forces(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[1] = out[2] = 0;
    return 0;
}

static int drop(const trm_state *s, double *out, void *user) // gravity along y
{
    (void)s, (void)user;
    out[0] = out[2] = 0;
    out[1] = -9.81;
    return 0;
}

static const char *const names[] = {"first", "second", "third"};

static trm_system particle(int n_q, int n_g, trm_function *force, trm_function *constraint)
{
    return (trm_system){.n_q = n_q,
                        .n_g = n_g,
                        .function = {[TRM_QUANTITY_MASS] = unit_masses,
                                     [TRM_QUANTITY_FORCE] = force,
                                     [TRM_QUANTITY_CONSTRAINT] = constraint},
                        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                        .g_names = names};
}

// ---- contradictions ----

static int two_places(const trm_state *s, double *out, void *user) // y = 0; x = 0 and x = 1
{
    (void)user;
    out[0] = s->q[1];
    out[1] = s->q[0];
    out[2] = s->q[0] - 1;
    return 0;
}

static void test_rank_contradiction_names_rows(void **state)
{
    (void)state;
    const double places[] = {0, 0.5, 1, 3, -100};
    const trm_solver solvers[] = {TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE};
    const trm_system system = particle(3, 3, drop, two_places);
    for (int k = 0; k < 5; k++)
        for (int n = 0; n < 2; n++) {
            const double q[] = {places[k], 0, 0};
            trm_options options = trm_options_default();
            options.linear_solver = solvers[n];
            trm_simulation *s;
            trm_error error;
            trm_status status =
                trm_simulation_create(&s, &system, &options, &(trm_initial){.q = q}, &error);
            trm_simulation_destroy(s);
            assert_status(status, TRM_ERR_CONTRADICTION, &error);
            char text[2000];
            trm_error_format(&error, text, sizeof text);
            assert_contains(text, "second"); // both rows, and not the one that has no part in it
            assert_contains(text, "third");
            assert_null(strstr(text, "first"));
        }
}

static int two_speeds(const trm_state *s, double *out, void *user) // x = 0 and x = t
{
    (void)user;
    out[0] = s->q[0];
    out[1] = s->q[0] - s->t;
    return 0;
}

// the rows agree at t = 0 and in no later moment: at the start or in the first step
static void test_rank_contradiction_of_speeds_is_found(void **state)
{
    (void)state;
    const trm_system system = particle(2, 2, drop, two_speeds);
    const trm_options preset = trm_options_default();
    trm_simulation *s;
    trm_error error;
    trm_status status = trm_simulation_create(&s, &system, &preset, NULL, &error);
    if (status == TRM_OK) {
        kept last = {.n_q = 2};
        status = run_watched(s, 1, &last);
        error = *trm_simulation_error(s);
        assert_true(last.t < 1e-6);
        assert_last_good(s, &last);
    }
    trm_simulation_destroy(s);
    assert_status(status, TRM_ERR_CONTRADICTION, &error);
}

// ---- redundant in the start position only ----

static int touching(const trm_state *s, double *out, void *user) // y = 0 and y = x^2
{
    (void)user;
    out[0] = s->q[1];
    out[1] = s->q[1] - s->q[0] * s->q[0];
    return 0;
}

static void test_rank_redundancy_that_ends_is_an_error(void **state)
{
    (void)state;
    const double q[] = {0, 0}, v[] = {1, 0};
    const trm_system system = particle(2, 2, no_forces, touching);
    const trm_initial initial = {.q = q, .v = v};
    const trm_options preset = trm_options_default();
    trm_simulation *s;
    trm_error error;
    trm_status status = trm_simulation_create(&s, &system, &preset, &initial, &error);
    if (status == TRM_OK) {
        kept last = {.n_q = 2};
        status = run_watched(s, 1, &last);
        error = *trm_simulation_error(s);
        // a good state satisfies all rows: to 1e-8 of the size of q, as the check has it
        double g[2];
        touching(trm_simulation_state(s), g, NULL);
        if (!(fabs(g[1]) < 2e-8))
            fail_msg("at t = %g the last good state misses a row by %g", last.t, g[1]);
        assert_last_good(s, &last);
    }
    trm_simulation_destroy(s);
    assert_true(status == TRM_ERR_CONTRADICTION || status == TRM_ERR_SINGULAR);
    assert_true(strstr(error.item, "first") || strstr(error.item, "second"));
}

static int turning(const trm_state *s, double *out, void *user) // x' = 0, x' + sin(y) y' = 0
{
    (void)user;
    out[0] = out[1] = 1;
    out[2] = 0;
    out[3] = sin(s->q[1]);
    return 0;
}

// the same for velocity constraints: at y = 0 the rows agree, then only y' = 0 is left
static void test_rank_rolling_redundancy_that_ends_is_an_error(void **state)
{
    (void)state;
    const double v[] = {0, 1};
    trm_system system = particle(2, 0, no_forces, NULL);
    system.n_a = 2;
    system.function[TRM_QUANTITY_ROLLING] = turning;
    const trm_initial initial = {.v = v};
    const trm_options preset = trm_options_default();
    trm_simulation *s;
    trm_error error;
    trm_status status = trm_simulation_create(&s, &system, &preset, &initial, &error);
    if (status == TRM_OK) {
        status = trm_simulation_run(s, 1);
        error = *trm_simulation_error(s);
        const trm_state *last = trm_simulation_state(s);
        double miss = last->v[0] + sin(last->q[1]) * last->v[1];
        if (status == TRM_OK && !(fabs(miss) < 1e-6))
            fail_msg("TRM_OK, but at t = %g a row is violated by %g", last->t, miss);
    }
    trm_simulation_destroy(s);
    assert_true(status == TRM_ERR_CONTRADICTION || status == TRM_ERR_SINGULAR);
}

// ---- redundant rows together with rolling rows ----

static int floor_twice(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = out[1] = s->q[2];
    return 0;
}

static int runner(const trm_state *s, double *out, void *user) // no motion across the direction 0.3
{
    (void)s, (void)user;
    out[0] = -sin(0.3);
    out[1] = cos(0.3);
    out[2] = 0;
    return 0;
}

static int push(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    out[1] = 0;
    out[2] = -9.81;
    return 0;
}

static void test_rank_redundant_and_rolling_rows_keep_motion(void **state)
{
    (void)state;
    trm_system system = particle(3, 2, push, floor_twice);
    system.n_a = 1;
    system.function[TRM_QUANTITY_ROLLING] = runner;
    trm_simulation *s = create(&system, NULL, NULL);
    assert_status(trm_simulation_run(s, 1), TRM_OK, trm_simulation_error(s));
    const double *q = trm_simulation_state(s)->q; // acceleration cos 0.3 along (cos 0.3, sin 0.3)
    assert_true(fabs(q[0] - 0.5 * cos(0.3) * cos(0.3)) < 1e-6);
    assert_true(fabs(q[1] - 0.5 * cos(0.3) * sin(0.3)) < 1e-6);
    double a[3], lambda[3];
    assert_int_equal(trm_simulation_accelerations(s, a, lambda), TRM_OK);
    assert_true(fabs(lambda[0] + 4.905) < 1e-9 && fabs(lambda[1] + 4.905) < 1e-9);
    assert_true(fabs(lambda[2] + sin(0.3)) < 1e-9);
    trm_simulation_destroy(s);
}

// ---- singular on the way ----

static int cross(const trm_state *s, double *out, void *user) // the two axes: x y = 0
{
    (void)user;
    out[0] = s->q[0] * s->q[1];
    return 0;
}

// along the x axis through the origin, where the gradient vanishes
static void test_rank_crossing_goes_straight_or_says_no(void **state)
{
    (void)state;
    const trm_system system = particle(2, 1, no_forces, cross);
    const trm_solver solvers[] = {TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE};
    for (int k = 0; k < 20; k++) {
        const double q[] = {-1 - 0.01 * k, 0}, v[] = {1, 0};
        trm_options options = trm_options_default();
        options.linear_solver = solvers[k % 2];
        options.h_max = 0.03 + 0.001 * k; // other points of the grid
        trm_simulation *s = create(&system, &options, &(trm_initial){.q = q, .v = v});
        kept last = {.n_q = 2};
        trm_status status = run_watched(s, 2, &last);
        if (status != TRM_OK) {
            assert_status(status, TRM_ERR_SINGULAR, trm_simulation_error(s));
            assert_contains(trm_simulation_error(s)->item, "first");
            assert_last_good(s, &last);
        }
        assert_true(fabs(last.q[0] - q[0] - last.t) < 1e-6 && fabs(last.q[1]) < 1e-9);
        trm_simulation_destroy(s);
    }
}

// start on the singular point itself: no direction is allowed, or all
static void test_rank_crossing_start_says_no(void **state)
{
    (void)state;
    const trm_system system = particle(2, 1, no_forces, cross);
    const double q[] = {0, 0}, v[] = {1, 0.5};
    const trm_options preset = trm_options_default();
    trm_simulation *s;
    trm_status status =
        trm_simulation_create(&s, &system, &preset, &(trm_initial){.q = q, .v = v}, NULL);
    if (status == TRM_OK)
        status = trm_simulation_run(s, 1);
    trm_simulation_destroy(s);
    assert_true(status < 0);
}

// Slider crank with crank and rod of length 1: when the crank is upright, the slider stands at the
// pivot and the rod may go on turning or stay with the crank.
//     g = (cos a + cos b - x, sin a + sin b),  q = (a, b, x)
static int equal_lengths(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = cos(s->q[0]) + cos(s->q[1]) - s->q[2];
    out[1] = sin(s->q[0]) + sin(s->q[1]);
    return 0;
}

static void test_rank_equal_crank_keeps_branch_or_says_no(void **state)
{
    (void)state;
    const trm_system system = particle(3, 2, no_forces, equal_lengths);
    for (int k = 0; k < 10; k++) {
        const double a = 0.5 + 0.01 * k, q[] = {a, -a, 2 * cos(a)}, v[] = {1, -1, -2 * sin(a)};
        trm_simulation *s = create(&system, NULL, &(trm_initial){.q = q, .v = v});
        kept last = {.n_q = 3};
        double energy = 1 + 2 * sin(a) * sin(a), g[2]; // T = (a'^2 + b'^2 + x'^2) / 2
        trm_status status = run_watched(s, 3, &last);
        if (status != TRM_OK) {
            assert_status(status, TRM_ERR_SINGULAR, trm_simulation_error(s));
            assert_contains(trm_simulation_error(s)->item, "second");
            assert_last_good(s, &last);
        }
        double *w = last.v, now = 0.5 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        equal_lengths(trm_simulation_state(s), g, NULL);
        if (!(fabs(now - energy) < 1e-3 && fabs(g[0]) < 1e-7 && fabs(g[1]) < 1e-7))
            fail_msg("start %g, t = %g: energy %g instead of %g, g = %g, %g", a, last.t, now,
                     energy, g[0], g[1]);
        trm_simulation_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_contradiction_names_rows),
        cmocka_unit_test(test_rank_contradiction_of_speeds_is_found),
        cmocka_unit_test(test_rank_redundancy_that_ends_is_an_error),
        cmocka_unit_test(test_rank_rolling_redundancy_that_ends_is_an_error),
        cmocka_unit_test(test_rank_redundant_and_rolling_rows_keep_motion),
        cmocka_unit_test(test_rank_crossing_goes_straight_or_says_no),
        cmocka_unit_test(test_rank_crossing_start_says_no),
        cmocka_unit_test(test_rank_equal_crank_keeps_branch_or_says_no),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
