// SPDX-License-Identifier: Apache-2.0
// Zero crossings: found, located, in order, without a trace unless one restarts there.
#include "unit/cases.h"

static const double gravity = 9.81;

// ---- systems and event functions ----

// `user` points to the number of masses; they fall freely
static int falling_mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    for (int i = 0; i < *(const int *)user; i++)
        out[i] = 1;
    return 0;
}

static int falling_force(const trm_state *s, double *out, void *user)
{
    (void)s;
    for (int i = 0; i < *(const int *)user; i++)
        out[i] = -gravity;
    return 0;
}

static trm_system falling(int *n)
{
    trm_system s = {
        .name = "falling masses",
        .n_q = *n,
        .function = {[TRM_QUANTITY_MASS] = falling_mass, [TRM_QUANTITY_FORCE] = falling_force},
        .user = n};
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return s;
}

// unit mass on a unit circle under gravity
static int swing_force(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 0;
    out[1] = -gravity;
    return 0;
}

static trm_system swing(void)
{
    trm_system s = pendulum(NULL);
    s.function[TRM_QUANTITY_FORCE] = swing_force;
    s.function[TRM_QUANTITY_STIFFNESS] = s.function[TRM_QUANTITY_DAMPING] = NULL;
    s.pattern[TRM_QUANTITY_STIFFNESS].count = s.pattern[TRM_QUANTITY_DAMPING].count =
        TRM_PATTERN_ZERO;
    return s;
}

// all positions
static int heights(const trm_state *s, double *out, void *user)
{
    for (int i = 0; i < *(const int *)user; i++)
        out[i] = s->q[i];
    return 0;
}

// the first position minus numbers: user = {count, numbers}
static int levels(const trm_state *s, double *out, void *user)
{
    const double *numbers = user;
    for (int i = 0; i < (int)numbers[0]; i++)
        out[i] = s->q[0] - numbers[1 + i];
    return 0;
}

// time minus numbers
static int clocks(const trm_state *s, double *out, void *user)
{
    const double *numbers = user;
    for (int i = 0; i < (int)numbers[0]; i++)
        out[i] = s->t - numbers[1 + i];
    return 0;
}

static void watch_well(trm_simulation *s, const trm_events *events)
{
    assert_status(trm_simulation_watch(s, events), TRM_OK, trm_simulation_error(s));
}

static void run_to_event(trm_simulation *s, double t_end)
{
    assert_status(trm_simulation_run(s, t_end), TRM_STOP_EVENT, trm_simulation_error(s));
}

static void run_well(trm_simulation *s, double t_end)
{
    assert_status(trm_simulation_run(s, t_end), TRM_OK, trm_simulation_error(s));
}

// ---- where they are ----

// A swing released at 90 degrees passes the lowest point at K/sqrt(g), 3K/sqrt(g), ... with K =
// Gamma(1/4)^2 / (4 sqrt(pi)); 1000 tolerances.
static void test_events_pendulum_crosses_at_quarter_periods(void **state)
{
    (void)state;
    const double quarter = 1.8540746773013719 / sqrt(gravity), q[] = {1, 0};
    const trm_system system = swing();
    double level[] = {1, 0};
    for (int direction = -1; direction <= 1; direction++)
        for (int control = 0; control < 2; control++) {
            trm_options options = trm_options_default();
            options.control = (trm_control)control;
            options.rtol = options.atol = 1e-9;
            trm_simulation *s = create(&system, &options, &(trm_initial){.q = q});
            watch_well(s, &(trm_events){1, levels, &direction, NULL, level, NULL});
            for (int k = 0; k < 6; k++) {
                bool falls = k % 2 == 0;
                if (direction != 0 && (direction < 0) != falls)
                    continue;
                run_to_event(s, 10);
                const trm_state *at = trm_simulation_state(s);
                if (!(fabs(at->t - (2 * k + 1) * quarter) < 1e-6))
                    fail_msg("crossing %d is off by %g", k, at->t - (2 * k + 1) * quarter);
                assert_int_equal(trm_simulation_fired(s, 0), 1);
                // the state is on the constraints, and so are its accelerations: G a = -v^2
                double speed2 = at->v[0] * at->v[0] + at->v[1] * at->v[1];
                assert_true(fabs(at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) < 4e-13);
                assert_true(fabs(at->q[0] * at->v[0] + at->q[1] * at->v[1]) < 1e-14);
                assert_true(fabs(at->q[0] * at->a[0] + at->q[1] * at->a[1] + speed2) < 1e-12);
                assert_true(fabs(at->q[0]) < 1e-8); // moved by the projection only
            }
            trm_simulation_destroy(s);
        }
}

// located on the polynomial to roundoff: a line in t is crossed at its number
static void test_events_clock_is_met_to_roundoff(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++) {
        trial_case c = open_trial(&trials[k]);
        trm_simulation *s = create(&c.system, &c.options, &c.initial);
        double number[] = {1, 0.3217 * c.end};
        watch_well(s, &(trm_events){1, clocks, NULL, NULL, number, NULL});
        run_to_event(s, c.end);
        // a bracket is as short as 4 roundoffs; its later end is taken
        double off = trm_simulation_state(s)->t - number[1];
        assert_true(off >= 0 && off <= 8 * 2.3e-16 * number[1]);
        trm_simulation_destroy(s);
        close_trial(&c);
    }
}

// (t - 1) (t - 1.01) by the way -g t^2/2 that the first mass has fallen
static int window(const trm_state *s, double *out, void *user)
{
    (void)user;
    double t = sqrt(fmax(-2 * s->q[0] / gravity, 0));
    out[0] = (t - 1) * (t - 1.01);
    return 0;
}

// A function that is below zero for 10 ms in the middle of steps of tenths of a second: the
// parabola through its values shows where it turns; 100 tolerances.
static void test_events_twice_between_two_points_are_seen(void **state)
{
    (void)state;
    static const trm_integrator integrators[] = {
#define INTEGRATOR(name, ...) name,
        TRM_INTEGRATOR_LIST(INTEGRATOR)
#undef INTEGRATOR
    };
    int n = 1;
    const trm_system system = falling(&n);
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
        for (double tolerance = 1e-3; tolerance > 1e-9; tolerance *= 1e-2) {
            trm_options options = trm_options_default();
            options.integrator = integrators[i];
            options.rtol = options.atol = tolerance;
            trm_simulation *s = create(&system, &options, NULL);
            watch_well(s, &(trm_events){1, window, NULL, NULL, NULL, NULL});
            for (int k = 0; k < 2; k++) {
                run_to_event(s, 3);
                assert_true(fabs(trm_simulation_state(s)->t - 1 - 0.01 * k) < 100 * tolerance);
            }
            run_well(s, 3);
            trm_simulation_destroy(s);
        }
}

// ---- in which order, and which ----

// Without a force a step is a thousandth of the run first and doubles: many numbers in one step.
static void test_events_in_one_step_come_in_order(void **state)
{
    (void)state;
    int n = 1;
    const trm_system system = falling(&n);
    // in disorder; two at the same time, one never
    double number[] = {6, 0.53, 0.51, 0.55, 0.52, 0.53, 77};
    const double expected[] = {0.51, 0.52, 0.53, 0.55};
    trm_options options = trm_options_default();
    options.h_initial = 0.4;
    options.rtol = options.atol = 0.1;
    trm_simulation *s = create(&system, &options, NULL);
    watch_well(s, &(trm_events){6, clocks, NULL, NULL, number, NULL});
    long steps = 0;
    for (int k = 0; k < 4; k++) {
        run_to_event(s, 1);
        assert_true(fabs(trm_simulation_state(s)->t - expected[k]) < 1e-15);
        for (int i = 0; i < 6; i++)
            assert_int_equal(trm_simulation_fired(s, i), number[1 + i] == expected[k]);
        if (k > 0) // no step in between
            assert_int_equal(trm_simulation_statistics(s)->steps, steps);
        steps = trm_simulation_statistics(s)->steps;
    }
    run_well(s, 1);
    for (int i = -1; i < 8; i++)
        assert_int_equal(trm_simulation_fired(s, i), 0);
    trm_simulation_destroy(s);
}

// two crossings back and forth inside the step of another event: seen, since that one stops there
static void test_events_direction_is_respected(void **state)
{
    (void)state;
    int n = 1;
    const trm_system system = falling(&n);
    const int direction[] = {1, -1, 0};
    const double up[] = {5}; // thrown up: level 0.5 is passed rising, then falling
    double number[] = {3, 0.5, 0.5, 0.5};
    trm_simulation *s = create(&system, NULL, &(trm_initial){.v = up});
    watch_well(s, &(trm_events){3, levels, direction, NULL, number, NULL});
    double root = sqrt(25 - 2 * gravity * 0.5);
    run_to_event(s, 2);
    // 100 tolerances, from v t - g t^2/2 = 0.5
    assert_true(fabs(trm_simulation_state(s)->t - (5 - root) / gravity) < 1e-4);
    assert_true(trm_simulation_fired(s, 0) && !trm_simulation_fired(s, 1) &&
                trm_simulation_fired(s, 2));
    run_to_event(s, 2);
    assert_true(fabs(trm_simulation_state(s)->t - (5 + root) / gravity) < 1e-4);
    assert_true(!trm_simulation_fired(s, 0) && trm_simulation_fired(s, 1) &&
                trm_simulation_fired(s, 2));
    run_well(s, 2);
    trm_simulation_destroy(s);
}

// ---- no trace ----

// Events are passed, sampled and left alone: every step has the bits of a run without events.
static void check_no_trace(const trial *a)
{
    trial_case c = open_trial(a);
    trm_simulation *plain = create(&c.system, &c.options, &c.initial);
    trm_simulation *s = create(&c.system, &c.options, &c.initial);
    double number[26] = {25};
    for (int k = 1; k <= 25; k++)
        number[k] = c.end * (k - 0.37) / 25;
    watch_well(s, &(trm_events){25, clocks, NULL, NULL, number, NULL});
    int events = 0;
    for (double t = 0; t < c.end;) {
        double reached;
        assert_status(trm_simulation_step(plain, c.end, &t), TRM_OK, trm_simulation_error(plain));
        trm_status status = trm_simulation_step(s, c.end, &reached);
        for (; status == TRM_STOP_EVENT; events++) {
            const trm_state *at;
            assert_true(reached < t);
            assert_int_equal(trm_simulation_sample(s, reached, &at), TRM_OK);
            assert_true(same_bits(at->q, trm_simulation_state(s)->q, c.system.n_q));
            status = trm_simulation_step(s, c.end, &reached);
        }
        assert_status(status, TRM_OK, trm_simulation_error(s));
        assert_same_run(&c, plain, s);
    }
    if (events != 25 && c.options.control != TRM_CONTROL_CLASSIC) // classic ends beyond the end
        fail_msg("%s: %d events", c.name, events);
    trm_simulation_destroy(plain);
    trm_simulation_destroy(s);
    close_trial(&c);
}

static void test_events_left_alone_leave_no_trace(void **state)
{
    (void)state;
    for (int k = 0; k < TRIALS; k++)
        check_no_trace(&trials[k]);
}

// ---- ends ----

static void test_events_after_the_end_wait(void **state)
{
    (void)state;
    for (int control = 0; control < 2; control++) {
        trm_options options = trm_options_default();
        options.control = (trm_control)control;
        const trm_system system = swing();
        trm_simulation *s = create(&system, &options, &pendulum_start);
        double number[] = {3, 0.5, 0.75, 0.7500001};
        watch_well(s, &(trm_events){3, clocks, NULL, NULL, number, NULL});
        run_well(s, 0.4999999);
        run_to_event(s, 0.75); // that at 0.5
        assert_true(trm_simulation_fired(s, 0));
        run_well(s, 0.5000001); // inside the step that is done already, or a glide
        double end = trm_simulation_state(s)->t;
        assert_true(control == TRM_CONTROL_CLASSIC ? end >= 0.5000001 : end == 0.5000001);
        run_to_event(s, 0.75); // exactly at the end
        assert_true(trm_simulation_fired(s, 1) && !trm_simulation_fired(s, 2));
        assert_true(trm_simulation_state(s)->t == 0.75);
        run_to_event(s, 0.76);
        assert_true(!trm_simulation_fired(s, 1) && trm_simulation_fired(s, 2));
        run_well(s, 0.76);
        trm_simulation_destroy(s);
    }
}

// the present time of control classic does not pass an event behind the end
static void test_events_classic_stops_before_an_event_beyond_the_end(void **state)
{
    (void)state;
    trm_options options = trm_options_default();
    options.control = TRM_CONTROL_CLASSIC;
    const trm_system system = swing();
    trm_simulation *s = create(&system, &options, &pendulum_start);
    run_well(s, 0.5);
    double h = trm_simulation_next_step(s), t = trm_simulation_state(s)->t, q[2];
    double number[] = {1, t + 0.6 * h};
    watch_well(s, &(trm_events){1, clocks, NULL, NULL, number, NULL});
    run_well(s, t + 0.3 * h); // the step goes to t + h
    assert_true(trm_simulation_state(s)->t == t + 0.3 * h);
    assert_int_equal(trm_simulation_interpolate(s, t + 0.2 * h, q, NULL, NULL, NULL, NULL), TRM_OK);
    run_well(s, t + 0.4 * h);
    assert_true(trm_simulation_state(s)->t == t + 0.4 * h);
    run_to_event(s, t + h);
    assert_true(fabs(trm_simulation_state(s)->t - number[1]) < 1e-15);
    run_well(s, t + 0.9 * h);
    assert_true(trm_simulation_state(s)->t >= t + 0.99 * h); // beyond, as without events
    trm_simulation_destroy(s);
}

static void test_events_in_a_glide_are_seen(void **state)
{
    (void)state;
    const trm_system system = swing();
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    run_well(s, 0.5);
    long steps = trm_simulation_statistics(s)->steps;
    double number[] = {2, 0.50001, 0.50002};
    watch_well(s, &(trm_events){2, clocks, NULL, NULL, number, NULL});
    run_to_event(s, 0.50005);
    assert_true(trm_simulation_fired(s, 0) && !trm_simulation_fired(s, 1));
    run_well(s, 0.500015);
    run_to_event(s, 0.50005);
    assert_true(!trm_simulation_fired(s, 0) && trm_simulation_fired(s, 1));
    run_well(s, 0.50005);
    assert_int_equal(trm_simulation_statistics(s)->steps, steps);
    run_well(s, 0.7); // and not once more in the step that covers the glide
    trm_simulation_destroy(s);
}

// ---- zeros and signs ----

static void test_events_zero_at_the_start_does_not_fire(void **state)
{
    (void)state;
    int n = 1;
    const trm_system system = falling(&n);
    const double up = 3, down = -3;
    // thrown up from 0: comes back after 2v/g; thrown down: never. 100 tolerances.
    for (int k = 0; k < 2; k++) {
        trm_simulation *s = create(&system, NULL, &(trm_initial){.v = k ? &down : &up});
        watch_well(s, &(trm_events){1, heights, NULL, NULL, &n, NULL});
        if (k == 0) {
            run_to_event(s, 2);
            assert_true(fabs(trm_simulation_state(s)->t - 2 * up / gravity) < 1e-4);
        }
        run_well(s, 2);
        trm_simulation_destroy(s);
    }
}

// watched from an event on: not that one once more
static void test_events_watched_late_begin_there(void **state)
{
    (void)state;
    const trm_system system = swing();
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    double number[] = {1, 0.5}, later[] = {2, 0.5, 0.9};
    watch_well(s, &(trm_events){1, clocks, NULL, NULL, number, NULL});
    run_to_event(s, 1);
    watch_well(s, &(trm_events){2, clocks, NULL, NULL, later, NULL});
    assert_int_equal(trm_simulation_fired(s, 0), 0);
    run_to_event(s, 1);
    assert_true(!trm_simulation_fired(s, 0) && trm_simulation_fired(s, 1));
    watch_well(s, NULL);
    run_well(s, 2);
    trm_simulation_destroy(s);
}

// a function that touches zero exactly at an end fires there, once
static void test_events_touching_zero_fires_once(void **state)
{
    (void)state;
    int n = 1;
    const trm_system system = falling(&n);
    trm_simulation *s = create(&system, NULL, NULL);
    double number[] = {1, 0.25};
    watch_well(s, &(trm_events){1, clocks, NULL, NULL, number, NULL});
    run_to_event(s, 0.25);
    assert_true(trm_simulation_state(s)->t == 0.25);
    run_well(s, 1);
    trm_simulation_destroy(s);
}

// ---- restarts ----

// Ball dropped from 1, v -> -0.8 v: impacts at t1 (1 + 2 (0.8 + ... + 0.8^n)), t1 = sqrt(2/g), with
// 0.8^n times the first speed. The error of an impact is some hundred tolerances of q over v.
static void check_bounces(trm_control control, double h_fixed)
{
    int n = 1, direction = -1;
    const trm_system system = falling(&n);
    const double height = 1, first = sqrt(2 / gravity);
    trm_options options = trm_options_default();
    options.control = control;
    options.h_fixed = h_fixed;
    options.rtol = options.atol = 1e-8;
    trm_simulation *s = create(&system, &options, &(trm_initial){.q = &height});
    watch_well(s, &(trm_events){1, heights, &direction, NULL, &n, NULL});
    double t = first, v = -gravity * first;
    for (int bounce = 0; bounce < 12; bounce++) {
        run_to_event(s, 10);
        const trm_state *at = trm_simulation_state(s);
        if (!(fabs(at->t - t) < 3e-6 && fabs(at->v[0] - v) < 1e-5))
            fail_msg("control %d, h_fixed %g, bounce %d: t is off by %g, v by %g", (int)control,
                     h_fixed, bounce, at->t - t, at->v[0] - v);
        const double up = -0.8 * at->v[0];
        assert_int_equal(trm_simulation_restart(s, &(trm_initial){.v = &up}), TRM_OK);
        assert_int_equal(trm_simulation_fired(s, 0), 1); // until the next step
        v *= 0.8;
        t -= 2 * v / gravity;
    }
    trm_simulation_destroy(s);
}

static void test_events_ball_bounces_by_the_formula(void **state)
{
    (void)state;
    check_bounces(TRM_CONTROL_DEFAULT, 0);
    check_bounces(TRM_CONTROL_CLASSIC, 0);
    check_bounces(TRM_CONTROL_DEFAULT, 0.03);
    check_bounces(TRM_CONTROL_CLASSIC, 0.03);
}

// A rebound that is over within the first step: 2v/g. The height, 5e-10, is below the tolerance;
// what the start knows of the motion leads.
static void test_events_rebound_shorter_than_a_step_is_seen(void **state)
{
    (void)state;
    int n = 1, direction = -1;
    const trm_system system = falling(&n);
    const double height = 1, up = 1e-4;
    trm_options options = trm_options_default();
    options.rtol = options.atol = 1e-4;
    trm_simulation *s = create(&system, &options, &(trm_initial){.q = &height});
    watch_well(s, &(trm_events){1, heights, &direction, NULL, &n, NULL});
    run_to_event(s, 10);
    double t = trm_simulation_state(s)->t;
    assert_int_equal(trm_simulation_restart(s, &(trm_initial){.v = &up}), TRM_OK);
    run_to_event(s, 10);
    double interval = trm_simulation_state(s)->t - t;
    assert_true(trm_simulation_statistics(s)->h_last > 10 * interval);
    // the end of the step, off by h^2 g/2, brings in interval/h of the height, at most a tenth;
    // twice that in the speed
    assert_true(fabs(interval - 2 * up / gravity) < 0.1 * 2 * up / gravity);
    assert_true(fabs(trm_simulation_state(s)->v[0] + up) < 0.2 * up);
    trm_simulation_destroy(s);
}

// Down to the point where the bounces pile up, for loose and tight tolerances and floors that are
// not zero: every impact moves downwards, the ball never falls through, and chattering is reported.
static void check_zeno(double restitution, double floor_at, double tol)
{
    int n = 1, direction = -1, bounces = 0;
    const char *const names[] = {"impact"};
    const trm_system system = falling(&n);
    double level[] = {1, floor_at}, q = floor_at + 1, v = 0;
    trm_options options = trm_options_default();
    options.rtol = options.atol = tol;
    trm_simulation *s = create(&system, &options, &(trm_initial){.q = &q, .v = &v});
    watch_well(s, &(trm_events){1, levels, &direction, names, level, NULL});
    trm_status status;
    while ((status = trm_simulation_run(s, 100)) == TRM_STOP_EVENT) {
        v = -restitution * trm_simulation_state(s)->v[0];
        if (!(v > 0) || ++bounces > 1000)
            fail_msg("r = %g, floor %g, tolerance %g: bounce %d with %g", restitution, floor_at,
                     tol, bounces, v);
        assert_int_equal(trm_simulation_restart(s, &(trm_initial){.v = &v}), TRM_OK);
    }
    if (status != TRM_ERR_CHATTER)
        fail_msg("r = %g, floor %g, tolerance %g: %s", restitution, floor_at, tol,
                 trm_status_name(status));
    const trm_error *error = trm_simulation_error(s);
    assert_string_equal(error->item, "event impact");
    assert_contains(error->text, "fires again");
    assert_contains(error->advice, "velocity is small");
    assert_true(error->t == trm_simulation_state(s)->t);
    // all bounces together last (1 + r)/(1 - r) first times; those below ten tolerances may be lost
    double all = sqrt(2 / gravity) * (1 + restitution) / (1 - restitution);
    double lost = sqrt(8 * 10 * tol * (1 + fabs(floor_at)) / gravity) / (1 - restitution);
    assert_true(fabs(error->t - all) < 1e-4 * all + lost);
    trm_simulation_destroy(s);
}

static void test_events_bounces_without_end_are_told_of(void **state)
{
    (void)state;
    const double restitutions[] = {0.3, 0.5, 0.8, 0.9}, floors[] = {0, 1, -30},
                 tolerances[] = {1e-3, 1e-6, 1e-9};
    for (int r = 0; r < 4; r++)
        for (int f = 0; f < 3; f++)
            for (int k = 0; k < 3; k++)
                check_zeno(restitutions[r], floors[f], tolerances[k]);
}

// Two balls that land within roundoff of each other, each reflected when it fires: none is lost.
static void test_events_two_balls_at_once_both_fire(void **state)
{
    (void)state;
    int n = 2;
    const int direction[] = {-1, -1};
    const trm_system system = falling(&n);
    const double q[] = {1, 1 + 1e-15};
    trm_simulation *s = create(&system, NULL, &(trm_initial){.q = q});
    watch_well(s, &(trm_events){2, heights, direction, NULL, &n, NULL});
    int fired[2] = {0, 0};
    while (fired[0] + fired[1] < 6) {
        run_to_event(s, 10);
        const trm_state *at = trm_simulation_state(s);
        double v[2];
        for (int i = 0; i < 2; i++) {
            bool now = trm_simulation_fired(s, i);
            fired[i] += now;
            v[i] = now ? -at->v[i] : at->v[i];
        }
        assert_int_equal(trm_simulation_restart(s, &(trm_initial){.v = v}), TRM_OK);
    }
    assert_int_equal(fired[0], 3);
    assert_int_equal(fired[1], 3);
    trm_simulation_destroy(s);
}

// the same function, watched for the other direction: the ball does not rise through the floor
static void test_events_rebound_is_no_rising_crossing(void **state)
{
    (void)state;
    int n = 1;
    const int direction[] = {-1, 1, 0};
    const trm_system system = falling(&n);
    double level[] = {3, 0, 0, 0};
    const double height = 1;
    trm_simulation *s = create(&system, NULL, &(trm_initial){.q = &height});
    watch_well(s, &(trm_events){3, levels, direction, NULL, level, NULL});
    for (int k = 0; k < 4; k++) {
        run_to_event(s, 10);
        const double up = -trm_simulation_state(s)->v[0];
        assert_true(up > 4); // sqrt(2 g) = 4.43 each time
        assert_true(trm_simulation_fired(s, 0) && !trm_simulation_fired(s, 1) &&
                    trm_simulation_fired(s, 2));
        assert_int_equal(trm_simulation_restart(s, &(trm_initial){.v = &up}), TRM_OK);
    }
    trm_simulation_destroy(s);
}

// ---- failures ----

// a fault for the event functions: {count, from, value, result}
static int faulty(const trm_state *s, double *out, void *user)
{
    const double *f = user;
    for (int i = 0; i < (int)f[0]; i++)
        out[i] = 1;
    if (s->t < f[1])
        return 0;
    out[(int)f[0] - 1] = f[2];
    return (int)f[3];
}

static void check_faulty(double value, int result, int count, const char *item, const char *text)
{
    const trm_system system = swing();
    const char *const names[] = {"first", "second"};
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    double fault_of[] = {count, 0.5, value, result};
    watch_well(s, &(trm_events){count, faulty, NULL, names, fault_of, NULL});
    for (int again = 0; again < 2; again++) { // going on does not help
        assert_status(trm_simulation_run(s, 1), TRM_ERR_CALLBACK, trm_simulation_error(s));
        const trm_error *error = trm_simulation_error(s);
        assert_string_equal(error->item, item);
        assert_contains(error->text, text);
        assert_true(error->t == trm_simulation_state(s)->t);
        assert_true(isfinite(trm_simulation_state(s)->q[0]));
    }
    fault_of[1] = 99;
    run_well(s, 1);
    // and reported at once where the functions fail from the beginning
    fault_of[1] = 0;
    assert_int_equal(
        trm_simulation_watch(s, &(trm_events){count, faulty, NULL, names, fault_of, NULL}),
        TRM_ERR_CALLBACK);
    trm_simulation_destroy(s);
}

static void test_events_failing_function_is_named(void **state)
{
    (void)state;
    check_faulty(NAN, 0, 2, "event second", "the function of event second is nan at t = ");
    check_faulty(-HUGE_VAL, 0, 1, "event first", "event first is -inf");
    check_faulty(1, -3, 1, "event first", "returned -3 at t = ");
    check_faulty(1, 1, 2, "events first and 1 more", "returned 1 at t = ");
}

static void test_events_senseless_are_refused(void **state)
{
    (void)state;
    int n = 1;
    const int direction[] = {0, 2};
    const trm_system system = falling(&n);
    trm_simulation *s = create(&system, NULL, NULL);
    assert_int_equal(trm_simulation_watch(s, &(trm_events){.count = -1}), TRM_ERR_RANGE);
    assert_contains(trm_simulation_error(s)->text, "negative");
    assert_int_equal(trm_simulation_watch(s, &(trm_events){.count = 1}), TRM_ERR_RANGE);
    assert_contains(trm_simulation_error(s)->text, "no function");
    assert_int_equal(trm_simulation_watch(s, &(trm_events){2, heights, direction, NULL, &n, NULL}),
                     TRM_ERR_RANGE);
    assert_contains(trm_simulation_error(s)->text, "direction");
    watch_well(s, &(trm_events){0});
    watch_well(s, NULL);
    run_well(s, 1);
    trm_simulation_destroy(s);
}

static void test_events_without_memory_are_not_watched(void **state)
{
    (void)state;
    supply memory = {0};
    trm_options options = trm_options_default();
    options.allocator = (trm_allocator){take, give, &memory};
    const trm_system system = swing();
    trm_simulation *s = create(&system, &options, &pendulum_start);
    double number[] = {2, 0.1, 0.2};
    const trm_events events = {2, clocks, NULL, NULL, number, NULL};
    trm_status status = TRM_ERR_MEMORY;
    for (long n = 1; status != TRM_OK; n++) {
        memory.fail_at = memory.calls + n;
        status = trm_simulation_watch(s, &events);
        if (status != TRM_OK) {
            assert_status(status, TRM_ERR_MEMORY, trm_simulation_error(s));
            assert_int_equal(trm_simulation_error(s)->status, TRM_ERR_MEMORY);
            assert_contains(trm_simulation_error(s)->text, "no memory");
        }
    }
    memory.fail_at = 0;
    const long calls = memory.calls;
    run_to_event(s, 1);
    assert_int_equal(trm_simulation_restart(s, NULL), TRM_OK);
    run_to_event(s, 1);
    run_well(s, 1);
    assert_int_equal(memory.calls, calls); // steps, events and restarts take none
    trm_simulation_destroy(s);
    assert_int_equal(memory.held, 0);
}

// changes its sign every 3e-8 s
static int fast_wave(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = sin(3.14159265358979 / 3e-8 * (s->t - 1) + 1);
    return 0;
}

// Intervals that do not shrink: a hundred of them within 1e-5 of the time simulated so far. The end
// is so close that the steps are short enough to see every one.
static void test_events_hundred_in_no_time_chatter(void **state)
{
    (void)state;
    const trm_system system = swing();
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    run_well(s, 1);
    assert_int_equal(trm_simulation_restart(s, NULL), TRM_OK); // for short steps from here on
    watch_well(s, &(trm_events){1, fast_wave, NULL, NULL, NULL, NULL});
    trm_status status;
    int fired = 0;
    while ((status = trm_simulation_run(s, 1 + 2e-5)) == TRM_STOP_EVENT) {
        assert_int_equal(trm_simulation_restart(s, NULL), TRM_OK);
        fired++;
    }
    assert_status(status, TRM_ERR_CHATTER, trm_simulation_error(s));
    assert_string_equal(trm_simulation_error(s)->item, "event 0");
    assert_int_equal(fired, 100);
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_pendulum_crosses_at_quarter_periods),
        cmocka_unit_test(test_events_clock_is_met_to_roundoff),
        cmocka_unit_test(test_events_twice_between_two_points_are_seen),
        cmocka_unit_test(test_events_in_one_step_come_in_order),
        cmocka_unit_test(test_events_direction_is_respected),
        cmocka_unit_test(test_events_left_alone_leave_no_trace),
        cmocka_unit_test(test_events_after_the_end_wait),
        cmocka_unit_test(test_events_classic_stops_before_an_event_beyond_the_end),
        cmocka_unit_test(test_events_in_a_glide_are_seen),
        cmocka_unit_test(test_events_zero_at_the_start_does_not_fire),
        cmocka_unit_test(test_events_watched_late_begin_there),
        cmocka_unit_test(test_events_touching_zero_fires_once),
        cmocka_unit_test(test_events_ball_bounces_by_the_formula),
        cmocka_unit_test(test_events_rebound_shorter_than_a_step_is_seen),
        cmocka_unit_test(test_events_bounces_without_end_are_told_of),
        cmocka_unit_test(test_events_two_balls_at_once_both_fire),
        cmocka_unit_test(test_events_rebound_is_no_rising_crossing),
        cmocka_unit_test(test_events_failing_function_is_named),
        cmocka_unit_test(test_events_senseless_are_refused),
        cmocka_unit_test(test_events_without_memory_are_not_watched),
        cmocka_unit_test(test_events_hundred_in_no_time_chatter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
