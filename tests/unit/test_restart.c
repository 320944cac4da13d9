// SPDX-License-Identifier: Apache-2.0
// A new beginning after a jump: consistent as at the start, and as if it were one.
#include "unit/cases.h"

static void restart_well(trm_simulation *s, const trm_initial *initial)
{
    assert_status(trm_simulation_restart(s, initial), TRM_OK, trm_simulation_error(s));
}

static void run_well(trm_simulation *s, double t)
{
    assert_status(trm_simulation_run(s, t), TRM_OK, trm_simulation_error(s));
}

// the same, whatever it says of its trust: DASSL starts with steps that are all roundoff
static void run_anyhow(trm_simulation *s, double t)
{
    trm_status status = trm_simulation_run(s, t);
    assert_status(status == TRM_UNTRUSTED ? TRM_OK : status, TRM_OK, trm_simulation_error(s));
}

static trm_simulation *pendulum_with(const trm_options *options)
{
    const trm_system system = pendulum(NULL);
    return create(&system, options, &pendulum_start);
}

// ---- the same motion ----

// Without a jump, in the middle of a run, at the start and twice in a row: the motion goes on. Both
// runs are good to some hundred tolerances; a smoother keeps no accuracy.
static void check_no_jump(const trial *a)
{
    if (a->formulation == TRM_FORMULATION_CM_FROZEN)
        return;
    trial_case c = open_trial(a);
    c.options.rtol = c.options.atol = 1e-7;
    trm_simulation *plain = create(&c.system, &c.options, &c.initial);
    trm_simulation *s = create(&c.system, &c.options, &c.initial);
    double end = 0.2 * c.end;
    restart_well(s, NULL);
    run_anyhow(s, 0.5 * end);
    long steps = trm_simulation_statistics(s)->steps;
    double t = trm_simulation_state(s)->t; // with control classic beyond
    restart_well(s, NULL);
    restart_well(s, &(trm_initial){.t = 77});
    assert_true(trm_simulation_state(s)->t == t);
    assert_true(trm_simulation_next_step(s) == 0);
    assert_int_equal(trm_simulation_statistics(s)->steps, steps);
    run_anyhow(s, end);
    run_anyhow(plain, end);
    assert_true(trm_simulation_statistics(s)->steps > steps);
    double x[64], y[64];
    trm_simulation_interpolate(s, end, x, NULL, NULL, NULL, NULL);
    trm_simulation_interpolate(plain, end, y, NULL, NULL, NULL, NULL);
    if (!(distance_of(x, y, c.system.n_q) < 3e-4))
        fail_msg("%s: q is off by %g", c.name, distance_of(x, y, c.system.n_q));
    trm_simulation_destroy(s);
    trm_simulation_destroy(plain);
    close_trial(&c);
}

static void test_restart_without_a_jump_goes_on(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++)
        check_no_jump(&trials[k]);
}

// the same steps as those of a simulation that is created there
static void test_restart_is_like_a_start(void **state)
{
    (void)state;
    for (int control = 0; control < 2; control++) {
        trm_options options = trm_options_default();
        options.control = (trm_control)control;
        trm_simulation *s = pendulum_with(&options);
        run_well(s, 0.5);
        const trm_state *at = trm_simulation_state(s);
        const double q[] = {at->q[0], at->q[1]}, v[] = {-at->v[0], -at->v[1]}, t = at->t;
        const trm_system system = pendulum(NULL);
        trm_simulation *fresh = create(&system, &options, &(trm_initial){.t = t, .q = q, .v = v});
        restart_well(s, &(trm_initial){.v = v});
        long steps = trm_simulation_statistics(s)->steps;
        for (int k = 0; k < 20; k++) {
            assert_int_equal(trm_simulation_step(s, 1, NULL), TRM_OK);
            assert_int_equal(trm_simulation_step(fresh, 1, NULL), TRM_OK);
            // a choice of coordinates kept from before changes roundoff, which the error estimates
            // of the first, short steps contain: measured 1e-4
            const trm_state *x = trm_simulation_state(s), *y = trm_simulation_state(fresh);
            assert_true(fabs(x->t - y->t) < 1e-2 * (y->t - t));
            assert_true(distance_of(x->q, y->q, 2) < 1e-2 * 6 * (y->t - t)); // speed 6
        }
        assert_int_equal(trm_simulation_statistics(s)->steps - steps,
                         trm_simulation_statistics(fresh)->steps);
        trm_simulation_destroy(s);
        trm_simulation_destroy(fresh);
    }
}

// A grid of constant steps begins at the restart: t + k h, each step counted once.
static void test_restart_fixed_steps_begin_a_new_grid(void **state)
{
    (void)state;
    trm_options options = trm_options_default();
    options.h_fixed = 0.01;
    trm_simulation *s = pendulum_with(&options);
    run_well(s, 0.113); // twelve steps, the last one shorter
    assert_int_equal(trm_simulation_statistics(s)->steps, 12);
    restart_well(s, NULL);
    double t;
    assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK); // the first points, at once
    assert_true(fabs(t - 0.163) < 1e-12);                    // max_order = 5
    assert_int_equal(trm_simulation_statistics(s)->steps, 17);
    assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK);
    assert_true(fabs(t - 0.173) < 1e-12);
    assert_int_equal(trm_simulation_statistics(s)->steps, 18);
    trm_simulation_destroy(s);
}

// ---- what is made of the new values ----

// unit mass on a unit circle: the mass norm takes q (q v) away
static void test_restart_projects_velocities_in_the_mass_norm(void **state)
{
    (void)state;
    trm_simulation *s = pendulum_with(NULL);
    run_well(s, 0.5);
    const double kick[] = {1.25, -2.5};
    const trm_state *at = trm_simulation_state(s);
    double along = at->q[0] * kick[0] + at->q[1] * kick[1];
    const double expected[] = {kick[0] - along * at->q[0], kick[1] - along * at->q[1]};
    restart_well(s, &(trm_initial){.v = kick});
    at = trm_simulation_state(s);
    // q is on the circle to 1e-9 only before it is projected
    assert_true(distance_of(at->v, expected, 2) < 1e-8);
    assert_true(fabs(at->q[0] * at->v[0] + at->q[1] * at->v[1]) < 1e-14);
    // the report is that of the restart
    const trm_start_report *report = trm_simulation_start(s);
    assert_true(fabs(report->velocity_before - fabs(along)) < 1e-8);
    assert_true(report->velocity_after < 1e-14 && report->position_after < 1e-12);
    assert_int_equal(report->mobility, 1);
    assert_string_equal(report->solver, "null-space");
    // the accelerations are those of the new velocities: G a = -v^2
    double v2 = at->v[0] * at->v[0] + at->v[1] * at->v[1];
    assert_true(fabs(at->q[0] * at->a[0] + at->q[1] * at->a[1] + v2) < 1e-12);
    run_well(s, 1);
    trm_simulation_destroy(s);
}

// the state that was shown is a valid source of the new one
static void test_restart_from_the_state_itself_is_allowed(void **state)
{
    (void)state;
    trm_simulation *s = pendulum_with(NULL);
    for (int k = 0; k < 3; k++) {
        const trm_state *at = trm_simulation_state(s);
        const trm_initial same = {.q = at->q, .v = at->v, .lambda = at->lambda};
        const double q[] = {at->q[0], at->q[1]};
        restart_well(s, &same);
        assert_true(distance_of(q, trm_simulation_state(s)->q, 2) < 1e-8);
        if (k > 0)
            run_well(s, 0.3 * k);
    }
    trm_simulation_destroy(s);
}

// x jumps, and z with it: z + z^3 = x + 0.1 v
static void test_restart_states_jump_and_algebraic_variables_follow(void **state)
{
    (void)state;
    const trm_system system = driven_pendulum();
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    run_well(s, 0.4);
    const double x = 2.5;
    restart_well(s, &(trm_initial){.x = &x});
    const trm_state *at = trm_simulation_state(s);
    assert_true(at->x[0] == x);
    // Newton on one equation ends at roundoff
    assert_true(fabs(at->z[0] + pow(at->z[0], 3) - x - 0.1 * at->v[0]) < 1e-14);
    assert_true(at->u[0] == sin(3 * 0.4));
    run_well(s, 0.5);
    // x decays towards u with 0.2 s: x' = (u - x)/0.2 with u between sin 1.2 and sin 1.5;
    // tolerances
    double low = sin(1.2) + (x - sin(1.2)) * exp(-0.5),
           high = sin(1.5) + (x - sin(1.5)) * exp(-0.5);
    assert_true(trm_simulation_state(s)->x[0] > low - 1e-4);
    assert_true(trm_simulation_state(s)->x[0] < high + 1e-4);
    trm_simulation_destroy(s);
}

// after a glide, and a sample in between
static void test_restart_after_a_glide_begins_there(void **state)
{
    (void)state;
    trm_simulation *s = pendulum_with(NULL);
    run_well(s, 0.3);
    run_well(s, 0.3001);
    const trm_state *at;
    restart_well(s, NULL);
    assert_true(trm_simulation_state(s)->t == 0.3001);
    assert_int_equal(trm_simulation_sample(s, 0.3001, &at), TRM_OK);
    assert_int_equal(trm_simulation_sample(s, 0.30005, &at), TRM_ERR_RANGE);
    run_well(s, 0.3002);
    run_well(s, 0.6);
    trm_simulation_destroy(s);
}

// redundant rows stay dropped; a guess of the multipliers has all of them
static void test_restart_keeps_dropped_rows(void **state)
{
    (void)state;
    const trm_system system = doubled_pendulum();
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    run_well(s, 0.3);
    const double lambda[] = {3, 4};
    restart_well(s, &(trm_initial){.lambda = lambda});
    assert_int_equal(trm_simulation_start(s)->redundant, 1);
    run_well(s, 0.6);
    trm_simulation_destroy(s);
}

// ---- refusals ----

// The state stays, and the run goes on from it.
static void test_restart_that_fails_leaves_the_state(void **state)
{
    (void)state;
    trm_options options = trm_options_default();
    options.start = TRM_START_KEEP;
    trm_simulation *s = pendulum_with(&options);
    run_well(s, 0.5);
    const double away[] = {3, 1}, hole[] = {0, NAN};
    kept last = {.n_q = 2};
    keep(s, &last);
    assert_status(trm_simulation_restart(s, &(trm_initial){.q = away}), TRM_ERR_INITIAL,
                  trm_simulation_error(s));
    assert_contains(trm_simulation_error(s)->text, "violate the constraints");
    assert_last_good(s, &last);
    assert_status(trm_simulation_restart(s, &(trm_initial){.v = away}), TRM_ERR_INITIAL,
                  trm_simulation_error(s));
    assert_contains(trm_simulation_error(s)->text, "velocities violate");
    assert_last_good(s, &last);
    assert_status(trm_simulation_restart(s, &(trm_initial){.v = hole}), TRM_ERR_INITIAL,
                  trm_simulation_error(s));
    assert_contains(trm_simulation_error(s)->text, "v[1]");
    assert_last_good(s, &last);
    run_well(s, 1);
    trm_simulation_destroy(s);
}

static void test_restart_failing_callback_is_named(void **state)
{
    (void)state;
    fault f = {.quantity = TRM_QUANTITY_GAMMA, .from = 5, .until = 6, .result = -1};
    const trm_system system = pendulum(&f);
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    run_well(s, 0.5);
    f.from = 0;
    assert_status(trm_simulation_restart(s, NULL), TRM_ERR_CALLBACK, trm_simulation_error(s));
    assert_string_equal(trm_simulation_error(s)->item, "GAMMA");
    assert_true(trm_simulation_error(s)->t == 0.5);
    f.from = 5;
    run_well(s, 1);
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restart_without_a_jump_goes_on),
        cmocka_unit_test(test_restart_is_like_a_start),
        cmocka_unit_test(test_restart_fixed_steps_begin_a_new_grid),
        cmocka_unit_test(test_restart_projects_velocities_in_the_mass_norm),
        cmocka_unit_test(test_restart_from_the_state_itself_is_allowed),
        cmocka_unit_test(test_restart_states_jump_and_algebraic_variables_follow),
        cmocka_unit_test(test_restart_after_a_glide_begins_there),
        cmocka_unit_test(test_restart_keeps_dropped_rows),
        cmocka_unit_test(test_restart_that_fails_leaves_the_state),
        cmocka_unit_test(test_restart_failing_callback_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
