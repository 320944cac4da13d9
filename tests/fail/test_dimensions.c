// SPDX-License-Identifier: Apache-2.0
// Sizes at the edge: no constraints, no freedom, no positions, one coordinate, more rows than
// coordinates. Each works, or is refused with words.
#include "fail/fail.h"

static const trm_solver solvers[] = {TRM_SOLVER_AUTO, TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static trm_options with_solver(trm_solver solver, double tol)
{
    trm_options options = trm_options_default();
    options.linear_solver = solver;
    options.rtol = options.atol = tol;
    return options;
}

static void run_well(trm_simulation *s, double t)
{
    assert_status(trm_simulation_run(s, t), TRM_OK, trm_simulation_error(s));
    assert_true(trm_simulation_state(s)->t >= t);
}

static void assert_near(double is, double should, double most, const char *what)
{
    if (!(fabs(is - should) < most))
        fail_msg("%s is %.12g instead of %.12g, more than %g away", what, is, should, most);
}

// user: the number of coordinates
static int unit_mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    for (int i = 0; i < *(const int *)user; i++)
        out[i] = 1;
    return 0;
}

static int spring(const trm_state *s, double *out, void *user)
{
    for (int i = 0; i < *(const int *)user; i++)
        out[i] = -s->q[i];
    return 0;
}

static trm_system free_masses(int *n)
{
    return (trm_system){
        .n_q = *n,
        .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = spring},
        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
        .user = n};
}

// ---- no constraints ----

// q = cos t, v = -sin t; 100 tolerances over a period and a half
static void test_dimensions_no_constraints_oscillates(void **state)
{
    (void)state;
    int n = 2;
    const double q[] = {1, -2}, v[] = {0, 0};
    const trm_system system = free_masses(&n);
    for (int k = 0; k < SOLVERS; k++)
        for (int classic = 0; classic < 2; classic++) {
            trm_options options = with_solver(solvers[k], 1e-8);
            options.control = classic ? TRM_CONTROL_CLASSIC : TRM_CONTROL_DEFAULT;
            trm_simulation *s = create(&system, &options, &(trm_initial){.q = q, .v = v});
            assert_int_equal(trm_simulation_start(s)->rank, 0);
            assert_int_equal(trm_simulation_start(s)->mobility, 2);
            run_well(s, 10);
            const trm_state *at = trm_simulation_state(s);
            for (int i = 0; i < 2; i++) {
                // classic: 1000 tolerances, its error test sees the steps of positions only
                assert_near(at->q[i], q[i] * cos(at->t), classic ? 2e-5 : 2e-6, "q");
                assert_near(at->v[i], -q[i] * sin(at->t), classic ? 2e-5 : 2e-6, "v");
            }
            double a[2];
            assert_int_equal(trm_simulation_accelerations(s, a, NULL), TRM_OK);
            assert_near(a[0], -at->q[0], 1e-14, "a");
            assert_true(trm_simulation_statistics(s)->position_residual_max == 0);
            trm_simulation_destroy(s);
        }
}

static void test_dimensions_no_constraints_every_formulation(void **state)
{
    (void)state;
    int n = 1;
    const double q[] = {1}, v[] = {0};
    const trm_system system = free_masses(&n);
    const trm_formulation all[] = {TRM_FORMULATION_CS, TRM_FORMULATION_CM, TRM_FORMULATION_GGL,
                                   TRM_FORMULATION_GGL_STAR};
    for (int k = 0; k < 4; k++)
        for (int classic = 0; classic < 2; classic++) {
            trm_options options = with_solver(TRM_SOLVER_AUTO, 1e-6);
            options.formulation = all[k];
            options.control = classic ? TRM_CONTROL_CLASSIC : TRM_CONTROL_DEFAULT;
            trm_simulation *s = create(&system, &options, &(trm_initial){.q = q, .v = v});
            run_well(s, 3);
            assert_near(trm_simulation_state(s)->q[0], cos(trm_simulation_state(s)->t), 1e-3, "q");
            trm_simulation_destroy(s);
        }
}

// blocks without joints
static void test_dimensions_no_constraints_with_blocks(void **state)
{
    (void)state;
    int n = 2;
    const int first[] = {0, 1, 2};
    const double q[] = {1, -2}, v[] = {0, 0};
    trm_system system = free_masses(&n);
    system.n_bodies = 2;
    system.body_first = first;
    trm_options options = with_solver(TRM_SOLVER_BLOCK, 1e-8);
    trm_simulation *s = create(&system, &options, &(trm_initial){.q = q, .v = v});
    run_well(s, 3);
    assert_near(trm_simulation_state(s)->q[1], -2 * cos(3), 1e-6, "q");
    trm_simulation_destroy(s);
}

// ---- no freedom ----

static int prescribed(const trm_state *s, double *out, void *user)
{
    out[0] = s->q[0] - cos(s->t);
    if (*(const int *)user > 1)
        out[1] = s->q[1] - sin(s->t);
    return 0;
}

// q = (cos t, sin t) is what the springs want too: lambda = f - a = -q + q = 0
static void check_prescribed(int n, trm_solver solver, trm_control control)
{
    trm_system system = free_masses(&n);
    system.n_g = n;
    system.function[TRM_QUANTITY_CONSTRAINT] = prescribed;
    const double q[] = {1, 0}, v[] = {0, 1};
    trm_options options = with_solver(solver, 1e-6);
    options.control = control;
    trm_simulation *s = create(&system, &options, &(trm_initial){.q = q, .v = v});
    assert_int_equal(trm_simulation_start(s)->mobility, 0);
    assert_int_equal(trm_simulation_start(s)->rank, n);
    run_well(s, 7);
    const trm_state *at = trm_simulation_state(s);
    const double exact[] = {cos(at->t), sin(at->t)}, rates[] = {-sin(at->t), cos(at->t)};
    for (int i = 0; i < n; i++) { // to roundoff, for v to that of differences
        assert_near(at->q[i], exact[i], 1e-10, "q");
        assert_near(at->v[i], rates[i], 1e-8, "v");
    }
    double a[2], lambda[2];
    assert_int_equal(trm_simulation_accelerations(s, a, lambda), TRM_OK);
    for (int i = 0; i < n; i++) {
        assert_near(a[i], -exact[i], 1e-6, "a");
        assert_near(lambda[i], 0, 1e-6, "lambda");
    }
    trm_simulation_destroy(s);
}

static void test_dimensions_no_freedom_follows_the_prescription(void **state)
{
    (void)state;
    for (int k = 0; k < SOLVERS; k++)
        check_prescribed(2, solvers[k], TRM_CONTROL_DEFAULT);
}

static void test_dimensions_no_freedom_classic_follows_too(void **state)
{
    (void)state;
    for (int k = 0; k < SOLVERS; k++)
        check_prescribed(2, solvers[k], TRM_CONTROL_CLASSIC);
}

// ---- one coordinate ----

static void test_dimensions_one_coordinate_works(void **state)
{
    (void)state;
    int n = 1;
    const double q[] = {1}, v[] = {0};
    const trm_system system = free_masses(&n);
    for (int k = 0; k < SOLVERS; k++) {
        trm_options options = with_solver(solvers[k], 1e-8);
        trm_simulation *s = create(&system, &options, &(trm_initial){.q = q, .v = v});
        run_well(s, 10);
        assert_near(trm_simulation_state(s)->q[0], cos(10), 1e-6, "q");
        trm_simulation_destroy(s);
        check_prescribed(1, solvers[k], TRM_CONTROL_DEFAULT);
    }
}

// ---- more rows than coordinates ----

// x = cos t, y = sin t, and what follows from both: their sum and the circle
static int too_many(const trm_state *s, double *out, void *user)
{
    (void)user;
    const double x = s->q[0], y = s->q[1];
    out[0] = x - cos(s->t);
    out[1] = y - sin(s->t);
    out[2] = x + y - cos(s->t) - sin(s->t);
    out[3] = 0.5 * (x * x + y * y - 1);
    return 0;
}

static void test_dimensions_more_rows_than_coordinates_follow(void **state)
{
    (void)state;
    int n = 2;
    const double q[] = {1, 0}, v[] = {0, 1};
    for (int k = 0; k < SOLVERS; k++) {
        trm_system system = free_masses(&n);
        system.n_g = 4;
        system.function[TRM_QUANTITY_CONSTRAINT] = too_many;
        trm_options options = with_solver(solvers[k], 1e-6);
        trm_simulation *s = create(&system, &options, &(trm_initial){.q = q, .v = v});
        assert_int_equal(trm_simulation_start(s)->rank, 2);
        assert_int_equal(trm_simulation_start(s)->mobility, 0);
        assert_int_equal(trm_simulation_start(s)->redundant, 2);
        run_well(s, 7);
        assert_near(trm_simulation_state(s)->q[0], cos(7), 1e-9, "q");
        assert_near(trm_simulation_state(s)->q[1], sin(7), 1e-9, "q");
        trm_simulation_destroy(s);
    }
}

// ---- states without, or beside, positions ----

static int decay(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -s->x[0];
    out[1] = s->x[0] - 2 * s->x[1];
    return 0;
}

// x0 = e^-t, x1 = e^-t + c e^-2t with c = x1(0) - 1
static double exact_decay(int i, double t)
{
    return i == 0 ? exp(-t) : exp(-t) + 2 * exp(-2 * t);
}

static const double decay_start[] = {1, 3};

// 100 tolerances
static void check_decay(const trm_simulation *s, double tol)
{
    const trm_state *at = trm_simulation_state(s);
    for (int i = 0; i < 2; i++)
        assert_near(at->x[i], exact_decay(i, at->t), 100 * tol, "x");
}

static void test_dimensions_states_alone_decay(void **state)
{
    (void)state;
    const trm_system system = {.n_x = 2, .function = {[TRM_QUANTITY_RATE] = decay}};
    for (int k = 0; k < SOLVERS; k++)
        for (double tol = 1e-4; tol > 1e-9; tol *= 1e-2) {
            trm_options options = with_solver(solvers[k], tol);
            trm_simulation *s = create(&system, &options, &(trm_initial){.x = decay_start});
            assert_int_equal(trm_simulation_start(s)->mobility, 0);
            check_decay(s, 1e-14);
            run_well(s, 3);
            check_decay(s, tol);
            double x[2];
            assert_int_equal(trm_simulation_interpolate(s, 3, NULL, NULL, x, NULL, NULL), TRM_OK);
            assert_memory_equal(x, trm_simulation_state(s)->x, sizeof x);
            assert_int_equal(trm_simulation_accelerations(s, NULL, NULL), TRM_OK);
            assert_true(isnan(trm_simulation_energy(s)));
            trm_simulation_destroy(s);
        }
}

static int follower(const trm_state *s, double *out, void *user) // z = x0 + x1
{
    (void)user;
    out[0] = s->z[0] - s->x[0] - s->x[1];
    return 0;
}

static void test_dimensions_states_with_algebraic_alone_decay(void **state)
{
    (void)state;
    const trm_system system = {
        .n_x = 2,
        .n_z = 1,
        .function = {[TRM_QUANTITY_RATE] = decay, [TRM_QUANTITY_ALGEBRAIC] = follower}};
    for (int k = 0; k < SOLVERS; k++) {
        trm_options options = with_solver(solvers[k], 1e-6);
        trm_simulation *s = create(&system, &options, &(trm_initial){.x = decay_start});
        assert_near(trm_simulation_state(s)->z[0], 4, 1e-12, "z");
        run_well(s, 3);
        check_decay(s, 1e-6);
        assert_near(trm_simulation_state(s)->z[0], exact_decay(0, 3) + exact_decay(1, 3), 2e-4,
                    "z");
        trm_simulation_destroy(s);
    }
}

// a pendulum and states that do not know of each other: both as if alone
static void test_dimensions_states_beside_positions_do_not_meet(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.n_x = 2;
    system.function[TRM_QUANTITY_RATE] = decay;
    const trm_quantity none[] = {TRM_QUANTITY_FORCE_X, TRM_QUANTITY_RATE_Q, TRM_QUANTITY_RATE_V,
                                 TRM_QUANTITY_RATE_LAMBDA};
    for (int declared = 0; declared < 2; declared++) { // or found out by differences
        for (int k = 0; k < 4 && declared; k++)
            system.pattern[none[k]].count = TRM_PATTERN_ZERO;
        const trm_initial initial = {.q = pendulum_q, .v = pendulum_v, .x = decay_start};
        trm_system bare = pendulum(NULL);
        for (int k = 0; k < SOLVERS; k++) {
            trm_options options = with_solver(solvers[k], 1e-6);
            trm_simulation *s = create(&system, &options, &initial);
            trm_simulation *alone = create(&bare, &options, &pendulum_start);
            run_well(s, 2);
            run_well(alone, 2);
            check_decay(s, 1e-6);
            for (int i = 0; i < 2; i++)
                assert_near(trm_simulation_state(s)->q[i], trm_simulation_state(alone)->q[i], 1e-4,
                            "q");
            trm_simulation_destroy(s);
            trm_simulation_destroy(alone);
        }
    }
}

static void test_dimensions_states_alone_classic_is_exact_to_the_tolerance(void **state)
{
    (void)state;
    const trm_system system = {.n_x = 2, .function = {[TRM_QUANTITY_RATE] = decay}};
    trm_options options = trm_options_default();
    options.control = TRM_CONTROL_CLASSIC;
    trm_simulation *s = create(&system, &options, &(trm_initial){.x = decay_start});
    run_well(s, 3);
    check_decay(s, options.rtol);
    trm_simulation_destroy(s);
}

// nothing tells the time scale of states before the first step: its error test must
static void test_dimensions_states_alone_far_end_starts_small_enough(void **state)
{
    (void)state;
    const trm_system system = {.n_x = 2, .function = {[TRM_QUANTITY_RATE] = decay}};
    trm_options options = with_solver(TRM_SOLVER_AUTO, 1e-6);
    trm_simulation *s = create(&system, &options, &(trm_initial){.x = decay_start});
    for (double t = 0; t < 1e4;) {
        assert_status(trm_simulation_step(s, 1e4, &t), TRM_OK, trm_simulation_error(s));
        check_decay(s, 1e-6);
    }
    trm_simulation_destroy(s);
}

// ---- nothing ----

static void test_dimensions_nothing_is_refused(void **state)
{
    (void)state;
    assert_refused(&(trm_system){0}, NULL, NULL, TRM_ERR_SYSTEM, "neither positions nor states");
    assert_refused(&(trm_system){.n_z = 1, .function = {[TRM_QUANTITY_ALGEBRAIC] = follower}}, NULL,
                   NULL, TRM_ERR_SYSTEM, "neither positions nor states");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dimensions_no_constraints_oscillates),
        cmocka_unit_test(test_dimensions_no_constraints_every_formulation),
        cmocka_unit_test(test_dimensions_no_constraints_with_blocks),
        cmocka_unit_test(test_dimensions_no_freedom_follows_the_prescription),
        cmocka_unit_test(test_dimensions_no_freedom_classic_follows_too),
        cmocka_unit_test(test_dimensions_one_coordinate_works),
        cmocka_unit_test(test_dimensions_more_rows_than_coordinates_follow),
        cmocka_unit_test(test_dimensions_states_alone_decay),
        cmocka_unit_test(test_dimensions_states_with_algebraic_alone_decay),
        cmocka_unit_test(test_dimensions_states_beside_positions_do_not_meet),
        cmocka_unit_test(test_dimensions_states_alone_classic_is_exact_to_the_tolerance),
        cmocka_unit_test(test_dimensions_states_alone_far_end_starts_small_enough),
        cmocka_unit_test(test_dimensions_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
