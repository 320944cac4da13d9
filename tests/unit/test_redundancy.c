// SPDX-License-Identifier: Apache-2.0
// Constraint rows that follow from others: found, named in the log, without effect on the motion;
// multipliers of minimum norm; a redundancy that ends is an error.
#include "fail/fail.h"

#include <stdio.h>

enum { N = 3, ROWS = 5 };

// A unit mass in space on b(q) = 0, written as the rows g = C b + d with more rows than b has:
//     b = ((x^2 + y^2 + z^2 - 1)/2, z - x/2 - s t)
// with s the speed of the plane.
typedef struct combined {
    int rows;
    double c[ROWS][2], d[ROWS];
    double speed;
    char log[2000];
} combined;

static int mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = out[1] = out[2] = 1;
    return 0;
}

static int force(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    out[1] = -9.81;
    out[2] = 3;
    return 0;
}

static int constraint(const trm_state *s, double *out, void *user)
{
    const combined *k = user;
    const double *q = s->q;
    const double b[] = {0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1),
                        q[2] - 0.5 * q[0] - k->speed * s->t};
    for (int i = 0; i < k->rows; i++)
        out[i] = k->c[i][0] * b[0] + k->c[i][1] * b[1] + k->d[i];
    return 0;
}

static int constraint_q(const trm_state *s, double *out, void *user)
{
    const combined *k = user;
    const double plane[] = {-0.5, 0, 1};
    for (int j = 0; j < N; j++)
        for (int i = 0; i < k->rows; i++)
            out[i + k->rows * j] = k->c[i][0] * s->q[j] + k->c[i][1] * plane[j];
    return 0;
}

static int constraint_t(const trm_state *s, double *out, void *user)
{
    (void)s;
    const combined *k = user;
    for (int i = 0; i < k->rows; i++)
        out[i] = -k->c[i][1] * k->speed;
    return 0;
}

static int gamma_term(const trm_state *s, double *out, void *user)
{
    const combined *k = user;
    const double *v = s->v;
    for (int i = 0; i < k->rows; i++)
        out[i] = k->c[i][0] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return 0;
}

static trm_system system_of(combined *k)
{
    static const char *const names[] = {"sphere", "plane", "third", "fourth", "fifth"};
    return (trm_system){.n_q = N,
                        .n_g = k->rows,
                        .function = {[TRM_QUANTITY_MASS] = mass,
                                     [TRM_QUANTITY_FORCE] = force,
                                     [TRM_QUANTITY_CONSTRAINT] = constraint,
                                     [TRM_QUANTITY_CONSTRAINT_Q] = constraint_q,
                                     [TRM_QUANTITY_CONSTRAINT_T] = constraint_t,
                                     [TRM_QUANTITY_GAMMA] = gamma_term},
                        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                        .g_names = names,
                        .user = k};
}

// x = 0.8, z = 0.4, y completes the sphere
static const double start_q[] = {0.8, -0.44721359549995793, 0.4}, start_v[] = {0, 0, 0};
static const trm_initial start = {.q = start_q, .v = start_v};

static void collect(trm_log_level level, const char *text, void *user)
{
    combined *k = user;
    if (level == TRM_LOG_WARNING)
        snprintf(k->log + strlen(k->log), sizeof k->log - strlen(k->log), "%s\n", text);
}

static trm_options logging(combined *k)
{
    trm_options options = trm_options_default();
    options.log = collect;
    options.user = k;
    return options;
}

// f = M a + G^T lambda with all rows
static void assert_balance(trm_simulation *s, const combined *k, const double *a,
                           const double *lambda, double tolerance)
{
    double f[N], g[ROWS * N];
    const trm_state *state = trm_simulation_state(s);
    force(state, f, NULL);
    constraint_q(state, g, (void *)k);
    for (int j = 0; j < N; j++) {
        double sum = a[j] - f[j], size = 1;
        for (int i = 0; i < k->rows; i++) {
            sum += g[i + k->rows * j] * lambda[i];
            size = fmax(size, fabs(g[i + k->rows * j] * lambda[i]));
        }
        assert_true(fabs(sum) < tolerance * size);
    }
}

// lambda is orthogonal to every w with C^T w = 0: the component along them is what b needs,
// lambda = C (C^T C)^-1 mu with mu the multipliers of the two rows of b
static void assert_minimum_norm(const combined *k, const double *lambda, double tolerance)
{
    double cc[2][2] = {{0}}, mu[2] = {0}, x[2];
    for (int i = 0; i < k->rows; i++)
        for (int r = 0; r < 2; r++) {
            mu[r] += k->c[i][r] * lambda[i];
            for (int c = 0; c < 2; c++)
                cc[r][c] += k->c[i][r] * k->c[i][c];
        }
    double det = cc[0][0] * cc[1][1] - cc[0][1] * cc[1][0];
    x[0] = (cc[1][1] * mu[0] - cc[0][1] * mu[1]) / det;
    x[1] = (cc[0][0] * mu[1] - cc[1][0] * mu[0]) / det;
    for (int i = 0; i < k->rows; i++) {
        double should = k->c[i][0] * x[0] + k->c[i][1] * x[1];
        if (!(fabs(lambda[i] - should) < tolerance * (1 + fabs(should))))
            fail_msg("lambda[%d] is %.12g, of minimum norm is %.12g", i, lambda[i], should);
    }
}

// The motion is that of the two rows alone, the multipliers balance and have minimum norm.
static void check_motion(combined *k, const trm_system *system, const trm_options *options)
{
    combined base = {2, .c = {{1, 0}, {0, 1}}, .speed = k->speed};
    trm_system reference_system = system_of(&base);
    trm_simulation *s = create(system, options, &start);
    trm_simulation *reference = create(&reference_system, NULL, &start);
    const trm_start_report *report = trm_simulation_start(s);
    assert_int_equal(report->rank, 2);
    assert_int_equal(report->mobility, 1);
    assert_int_equal(report->redundant, k->rows - 2);
    int dropped = 0;
    for (int i = 0; i < k->rows; i++)
        dropped += trm_simulation_row_redundant(s, i);
    assert_int_equal(dropped, k->rows - 2);
    assert_status(trm_simulation_run(s, 0.5), TRM_OK, trm_simulation_error(s));
    assert_status(trm_simulation_run(reference, 0.5), TRM_OK, trm_simulation_error(reference));
    const trm_state *is = trm_simulation_state(s), *should = trm_simulation_state(reference);
    for (int i = 0; i < N; i++) {
        // the same method on the same motion: only the iterations differ
        if (!(fabs(is->q[i] - should->q[i]) < 1e-6 && fabs(is->v[i] - should->v[i]) < 1e-5))
            fail_msg("q[%d] = %.9g, v = %.9g instead of %.9g, %.9g", i, is->q[i], is->v[i],
                     should->q[i], should->v[i]);
    }
    double a[N], lambda[ROWS];
    assert_int_equal(trm_simulation_accelerations(s, a, lambda), TRM_OK);
    // roundoff, or the error of differences
    double tolerance = system->function[TRM_QUANTITY_CONSTRAINT_Q] ? 1e-10 : 1e-6;
    assert_balance(s, k, a, lambda, tolerance);
    assert_minimum_norm(k, lambda, tolerance);
    trm_simulation_destroy(s);
    trm_simulation_destroy(reference);
}

static combined duplicate(void)
{
    return (combined){3, .c = {{1, 0}, {0, 1}, {0, 1}}};
}

static combined twice(void)
{
    return (combined){3, .c = {{1, 0}, {2, 0}, {0, 1}}};
}

static combined sum(void)
{
    return (combined){3, .c = {{1, 0}, {0, 1}, {1, 1}}};
}

static combined many(void) // more rows than coordinates
{
    return (combined){5, .c = {{1, 0}, {0, 1}, {1, 1}, {-1, 3}, {0, -2}}};
}

static void check_all_solvers(combined (*make)(void), double speed, bool supplied,
                              uint64_t constant)
{
    const trm_solver solvers[] = {TRM_SOLVER_AUTO, TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE};
    for (int n = 0; n < 3; n++) {
        combined k = make();
        k.speed = speed;
        trm_system system = system_of(&k);
        trm_options options = logging(&k);
        options.linear_solver = solvers[n];
        system.constant = constant;
        if (!supplied)
            system.function[TRM_QUANTITY_CONSTRAINT_Q] =
                system.function[TRM_QUANTITY_CONSTRAINT_T] = system.function[TRM_QUANTITY_GAMMA] =
                    NULL;
        check_motion(&k, &system, &options);
        assert_contains(k.log, "redundant");
    }
}

static void test_redundancy_duplicate_row_keeps_motion(void **state)
{
    (void)state;
    check_all_solvers(duplicate, 0, true, 0);
}

static void test_redundancy_twice_a_row_keeps_motion(void **state)
{
    (void)state;
    check_all_solvers(twice, 0, true, 0);
}

static void test_redundancy_sum_of_rows_keeps_motion(void **state)
{
    (void)state;
    check_all_solvers(sum, 0, true, 0);
}

static void test_redundancy_more_rows_than_coordinates_keeps_motion(void **state)
{
    (void)state;
    check_all_solvers(many, 0, true, 0);
}

static void test_redundancy_moving_plane_keeps_motion(void **state)
{
    (void)state;
    check_all_solvers(twice, 0.1, true, 0);
}

// g_t never changes: evaluated before rows are dropped, and not again
static void test_redundancy_constant_vector_keeps_motion(void **state)
{
    (void)state;
    check_all_solvers(twice, 0.1, true, TRM_BIT(CONSTRAINT_T));
}

static void test_redundancy_differences_keep_motion(void **state)
{
    (void)state;
    check_all_solvers(twice, 0.1, false, 0);
}

static void test_redundancy_classic_keeps_motion(void **state)
{
    (void)state;
    combined k = sum();
    trm_system system = system_of(&k);
    trm_options options = logging(&k);
    options.control = TRM_CONTROL_CLASSIC;
    trm_simulation *s = create(&system, &options, &start);
    assert_status(trm_simulation_run(s, 0.5), TRM_OK, trm_simulation_error(s));
    double g[ROWS];
    constraint(trm_simulation_state(s), g, &k);
    for (int i = 0; i < k.rows; i++)
        assert_true(fabs(g[i]) < 1e-6);
    trm_simulation_destroy(s);
}

// the log names the row and what it follows from
static void test_redundancy_log_names_rows(void **state)
{
    (void)state;
    combined k = duplicate();
    trm_system system = system_of(&k);
    trm_options options = logging(&k);
    trm_simulation *s = create(&system, &options, &start);
    bool plane = strstr(k.log, "row plane is redundant, it follows from third") != NULL;
    bool third = strstr(k.log, "row third is redundant, it follows from plane") != NULL;
    assert_true(plane != third);
    assert_null(strstr(k.log, "sphere"));
    assert_int_equal(trm_simulation_row_redundant(s, 1), plane);
    assert_int_equal(trm_simulation_row_redundant(s, 2), third);
    assert_int_equal(trm_simulation_row_redundant(s, 0), 0);
    assert_int_equal(trm_simulation_row_redundant(s, -1), 0);
    assert_int_equal(trm_simulation_row_redundant(s, 3), 0);
    trm_simulation_destroy(s);
}

static void keep_row(trm_log_level level, int row, const char *text, void *user)
{
    combined *k = user;
    assert_int_equal(level, TRM_LOG_WARNING);
    snprintf(k->log, sizeof k->log, "%d: %.60s", row, text);
}

// a message about a row goes to log_row, with the number that the system gives the row, and not to
// log
static void test_redundancy_row_log_tells_the_number(void **state)
{
    (void)state;
    combined k = duplicate();
    trm_system system = system_of(&k);
    trm_options options = logging(&k);
    options.log_row = keep_row;
    trm_simulation *s = create(&system, &options, &start);
    int row = trm_simulation_row_redundant(s, 1) ? 1 : 2;
    char begin[40];
    snprintf(begin, sizeof begin, "%d: constraint row %s", row, row == 1 ? "plane" : "third");
    assert_int_equal(strncmp(k.log, begin, strlen(begin)), 0);
    trm_simulation_destroy(s);
}

static void test_redundancy_none_is_reported_as_none(void **state)
{
    (void)state;
    combined k = {2, .c = {{1, 0}, {0, 1}}};
    trm_system system = system_of(&k);
    trm_options options = logging(&k);
    trm_simulation *s = create(&system, &options, &start);
    assert_string_equal(k.log, "");
    assert_int_equal(trm_simulation_start(s)->redundant, 0);
    assert_int_equal(trm_simulation_row_redundant(s, 1), 0);
    trm_simulation_destroy(s);
}

// the given state misses all rows a little; the modes treat redundant rows as they treat the others
static void test_redundancy_start_modes_accept_small_misses(void **state)
{
    (void)state;
    const double q[] = {0.8, -0.44721359549995793, 0.4 + 2e-6};
    const trm_initial initial = {.q = q, .v = start_v};
    const trm_start modes[] = {TRM_START_PROJECT, TRM_START_KEEP, TRM_START_RAW};
    for (int k = 0; k < 3; k++) {
        combined c = sum();
        trm_system system = system_of(&c);
        trm_options options = trm_options_default();
        options.start = modes[k];
        trm_simulation *s = create(&system, &options, &initial);
        assert_status(trm_simulation_run(s, 0.1), TRM_OK, trm_simulation_error(s));
        trm_simulation_destroy(s);
    }
}

// forces with a tenth of the constraint forces, whatever rows they come from
static int force_of_rows(const trm_state *s, double *out, void *user)
{
    const combined *k = user;
    double G[N * ROWS];
    force(s, out, user);
    constraint_q(s, G, user);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < k->rows; i++)
            out[j] += 0.1 * G[i + k->rows * j] * s->lambda[i];
    return 0;
}

// friction by one multiplier alone, nothing at rest
static int force_of_friction(const trm_state *s, double *out, void *user)
{
    force(s, out, user);
    for (int j = 0; j < N; j++)
        out[j] -= 0.1 * fabs(s->lambda[1]) * s->v[j];
    return 0;
}

// Multipliers that are not unique may enter as G^T lambda, which is; otherwise they are refused,
// also where they show only in motion.
static void test_redundancy_forces_may_feel_what_is_unique(void **state)
{
    (void)state;
    combined k = duplicate();
    trm_system system = system_of(&k);
    trm_options options = logging(&k);
    trm_error error;
    trm_simulation *s;
    system.function[TRM_QUANTITY_FORCE] = force_of_rows;
    assert_status(trm_simulation_create(&s, &system, &options, &start, &error), TRM_OK, &error);
    assert_status(trm_simulation_run(s, 0.1), TRM_OK, trm_simulation_error(s));
    trm_simulation_destroy(s);
    system.function[TRM_QUANTITY_FORCE] = force_of_friction;
    assert_status(trm_simulation_create(&s, &system, &options, &start, &error), TRM_ERR_SYSTEM,
                  &error);
    assert_non_null(strstr(error.text, "multipliers are not unique"));
}

// rows of velocities: v_x = 0 and 2 v_x = 0
static int rolling(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    memset(out, 0, 2 * N * sizeof *out);
    out[0] = 1;
    out[1] = 2;
    return 0;
}

// There are no rows of positions, so no g to form differences of: the multipliers of minimum norm
// come from A alone. f_x = 1 = lambda_0 + 2 lambda_1 with lambda along (1, 2): 1/5 and 2/5.
static void test_redundancy_of_velocities_alone_keeps_motion(void **state)
{
    (void)state;
    const trm_integrator integrators[] = {TRM_INTEGRATOR_BDF, TRM_INTEGRATOR_RADAU,
                                          TRM_INTEGRATOR_EXPLICIT};
    for (int k = 0; k < 3; k++) {
        trm_system system = {.n_q = N,
                             .n_a = 2,
                             .function = {[TRM_QUANTITY_MASS] = mass,
                                          [TRM_QUANTITY_FORCE] = force,
                                          [TRM_QUANTITY_ROLLING] = rolling},
                             .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}}};
        trm_options options = trm_options_default();
        options.integrator = integrators[k];
        trm_simulation *s = create(&system, &options, &start);
        assert_status(trm_simulation_run(s, 0.5), TRM_OK, trm_simulation_error(s));
        double a[N], lambda[2];
        assert_int_equal(trm_simulation_accelerations(s, a, lambda), TRM_OK);
        const double should[] = {0.2, 0.4};
        for (int i = 0; i < 2; i++) // roundoff: the system is linear
            assert_true(fabs(lambda[i] - should[i]) < 1e-10);
        assert_true(fabs(a[0]) < 1e-10 && fabs(a[1] + 9.81) < 1e-10);
        trm_simulation_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redundancy_of_velocities_alone_keeps_motion),
        cmocka_unit_test(test_redundancy_duplicate_row_keeps_motion),
        cmocka_unit_test(test_redundancy_twice_a_row_keeps_motion),
        cmocka_unit_test(test_redundancy_sum_of_rows_keeps_motion),
        cmocka_unit_test(test_redundancy_more_rows_than_coordinates_keeps_motion),
        cmocka_unit_test(test_redundancy_moving_plane_keeps_motion),
        cmocka_unit_test(test_redundancy_constant_vector_keeps_motion),
        cmocka_unit_test(test_redundancy_differences_keep_motion),
        cmocka_unit_test(test_redundancy_classic_keeps_motion),
        cmocka_unit_test(test_redundancy_log_names_rows),
        cmocka_unit_test(test_redundancy_row_log_tells_the_number),
        cmocka_unit_test(test_redundancy_none_is_reported_as_none),
        cmocka_unit_test(test_redundancy_start_modes_accept_small_misses),
        cmocka_unit_test(test_redundancy_forces_may_feel_what_is_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
