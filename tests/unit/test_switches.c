// SPDX-License-Identifier: Apache-2.0
// One-sided forces: when a gap closes, steps that end there, and what is asked of a system.
#include "fail/fail.h"
#include "solver/integrator/simulation.h"

#include <math.h>

// ---- when a gap closes ----

static void assert_time(double is, double wanted)
{
    // roundoff of a quadratic or of 50 halvings of a cubic's bracket
    if (!(is == wanted || fabs(is - wanted) < 1e-14))
        fail_msg("%.17g is not %.17g", is, wanted);
}

// roots of gap + rate t + second t^2/2, by hand
static void test_gap_closes_at_the_first_root(void **state)
{
    (void)state;
    assert_time(trmi_gap_closes(1, -2, 0), 0.5);
    assert_time(trmi_gap_closes(1, 0, -2), 1);
    assert_time(trmi_gap_closes(1, -3, 4), 0.5); // and 1
    assert_time(trmi_gap_closes(1, 1, -4), 1);   // leaves and comes back
    assert_time(trmi_gap_closes(0, -1, 0), 0);
    assert_time(trmi_gap_closes(-1, 5, 0), 0); // is closed
}

static void test_gap_that_stays_open_closes_never(void **state)
{
    (void)state;
    assert_time(trmi_gap_closes(1, 0, 0), HUGE_VAL);
    assert_time(trmi_gap_closes(1, 2, 0), HUGE_VAL);
    assert_time(trmi_gap_closes(1, 2, 3), HUGE_VAL);
    assert_time(trmi_gap_closes(1, -1, 1), HUGE_VAL); // turns at 1/2
    assert_time(trmi_gap_closes(HUGE_VAL, -1, -1), HUGE_VAL);
}

// A small gap that comes close fast: 2 gap/(sqrt(d) - rate) does not cancel. gap/|rate| to a
// relative second gap/rate^2 = 1e-17.
static void test_gap_closes_without_cancellation(void **state)
{
    (void)state;
    assert_true(fabs(trmi_gap_closes(1e-18, -1, 10) / 1e-18 - 1) < 1e-15);
}

// (s - 1/4)(s - 1/2)(s + 1) 8 and (s - 1/4)(s - 3/4) on 0 .. h, s = t/h, which cubics reproduce
static void test_gap_cubic_closes_inside_a_step(void **state)
{
    (void)state;
    const double h = 0.2;
    const double gap[] = {1, 6}, rate[] = {-5 / h, 23 / h};
    assert_time(trmi_gap_closed(h, gap, rate, 0), 0.25 * h);
    const double open[] = {3.0 / 16, 3.0 / 16}, turning[] = {-1 / h, 1 / h};
    assert_time(trmi_gap_closed(h, open, turning, 0), 0.25 * h);
    assert_time(trmi_gap_closed(h, open, turning, 0.05), 0.25 * h); // falls to -1/16
    assert_time(trmi_gap_closed(h, open, turning, 0.07), HUGE_VAL); // not as far as that
    const double above[] = {0.26, 0.26};                            // falls to 0.01
    assert_time(trmi_gap_closed(h, above, turning, 0), HUGE_VAL);
}

static void test_gap_without_bound_is_never_closed(void **state)
{
    (void)state;
    const double gap[] = {HUGE_VAL, HUGE_VAL}, rate[] = {-1, -1};
    assert_time(trmi_gap_closed(1, gap, rate, 0), HUGE_VAL);
}

// ---- balls on a floor ----

// Balls of 1 kg: f = -9.81 + k d^1.5, d = max(0, -q), unless the gap q is locked
typedef struct balls {
    int count, result; // the gaps' callback returns this
    double k, c;       // stiffness; damping of a touching ball
    double held[4];
} balls;

static int ball_mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    for (int i = 0; i < ((const balls *)user)->count; i++)
        out[i] = 1;
    return 0;
}

static int ball_force(const trm_state *s, double *out, void *user)
{
    const balls *b = user;
    for (int i = 0; i < b->count; i++) {
        bool touches = s->held[i] == 0 && s->q[i] < 0;
        out[i] = -9.81 + (touches ? b->k * pow(-s->q[i], 1.5) - b->c * s->v[i] : 0);
    }
    return 0;
}

static int ball_gaps(const trm_state *s, double *gap, double *rate, double *second, void *user)
{
    const balls *b = user;
    for (int i = 0; i < b->count; i++) {
        gap[i] = s->q[i];
        rate[i] = s->v[i];
        if (second)
            second[i] = s->a[i];
    }
    return b->result;
}

static trm_system ball_system(balls *b)
{
    trm_system s = {
        .name = "balls",
        .n_q = b->count,
        .function = {[TRM_QUANTITY_MASS] = ball_mass, [TRM_QUANTITY_FORCE] = ball_force},
        .n_held = b->count,
        .held = b->held,
        .n_switches = b->count,
        .switches = ball_gaps,
        .user = b};
    s.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DIAGONAL;
    return s;
}

static trm_options ball_options(trm_integrator integrator)
{
    trm_options o = trm_options_default();
    o.integrator = integrator;
    o.rtol = o.atol = 1e-5;
    return o;
}

static const double from_one_metre[4] = {1, 1, 1, 1}, at_rest[4] = {0};

static trm_simulation *drop(const trm_system *system, trm_integrator integrator)
{
    const trm_initial initial = {.q = from_one_metre, .v = at_rest};
    const trm_options options = ball_options(integrator);
    return create(system, &options, &initial);
}

// In no step does a locked gap close by more than a thousandth of the tolerance, and every ball
// comes back.
static void test_switches_steps_end_before_a_locked_gap_closes(void **state)
{
    (void)state;
    for (int k = 0; k < TRM_INTEGRATOR_AUTO; k++) {
        balls b = {.count = 1, .k = 1e6};
        trm_system system = ball_system(&b);
        trm_simulation *s = drop(&system, (trm_integrator)k);
        double deepest = 0, t = 0;
        while (t < 2) {
            assert_int_equal(trm_simulation_step(s, 2, &t), TRM_OK);
            const trm_state *now = trm_simulation_state(s);
            deepest = fmin(deepest, now->q[0]);
            if (now->held[0] != 0)
                assert_true(now->q[0] >= -1e-3 * 1e-5);
        }
        // d = (5/4 v^2/k)^0.4 with v^2 = 2 g, from the energies; some step ends close to it
        double depth = pow(1.25 * 2 * 9.81 / 1e6, 0.4);
        assert_true(-deepest < 1.01 * depth && -deepest > 0.8 * depth);
        trm_simulation_destroy(s);
    }
}

// Four balls that land at the same time are met at the same time.
static void test_switches_equal_gaps_cost_one_landing(void **state)
{
    (void)state;
    const trm_integrator some[] = {TRM_INTEGRATOR_BDF, TRM_INTEGRATOR_RADAU, TRM_INTEGRATOR_HHT};
    for (int k = 0; k < 3; k++) {
        long steps[2];
        for (int many = 0; many < 2; many++) {
            balls b = {.count = many ? 4 : 1, .k = 1e6};
            trm_system system = ball_system(&b);
            trm_simulation *s = drop(&system, some[k]);
            assert_int_equal(trm_simulation_run(s, 2), TRM_OK);
            steps[many] = trm_simulation_statistics(s)->steps;
            trm_simulation_destroy(s);
        }
        assert_in_range(steps[1], 0.8 * (double)steps[0], 1.25 * (double)steps[0]);
    }
}

// A ball at rest on the floor, d = (g/k)^(2/3), is in touch all the time: steps become as long as
// without a floor. 60 steps: the start of an implicit method doubles its step from 1e-3 of the end.
static void test_switches_ball_at_rest_takes_long_steps(void **state)
{
    (void)state;
    const trm_integrator some[] = {TRM_INTEGRATOR_BDF, TRM_INTEGRATOR_RADAU, TRM_INTEGRATOR_HHT};
    for (int k = 0; k < 3; k++) {
        balls b = {.count = 1, .k = 1e6, .c = 10};
        trm_system system = ball_system(&b);
        double rest[] = {-pow(9.81 / 1e6, 2.0 / 3)};
        const trm_initial initial = {.q = rest, .v = at_rest};
        const trm_options options = ball_options(some[k]);
        trm_simulation *s = create(&system, &options, &initial);
        assert_int_equal(trm_simulation_run(s, 100), TRM_OK);
        assert_true(trm_simulation_statistics(s)->steps < 60);
        // its tolerance
        assert_true(fabs(trm_simulation_state(s)->q[0] - rest[0]) < 1e-5);
        trm_simulation_destroy(s);
    }
}

// Constant steps cannot end where a gap closes: no lock is ever set.
static void test_switches_constant_steps_leave_the_force_alone(void **state)
{
    (void)state;
    balls b = {.count = 1, .k = 1e6};
    trm_system system = ball_system(&b);
    trm_options options = ball_options(TRM_INTEGRATOR_RADAU);
    options.h_fixed = 1e-4;
    const trm_initial initial = {.q = from_one_metre, .v = at_rest};
    trm_simulation *s = create(&system, &options, &initial);
    double t = 0;
    while (t < 0.5) {
        assert_int_equal(trm_simulation_step(s, 0.5, &t), TRM_OK);
        assert_true(trm_simulation_state(s)->held[0] == 0);
    }
    trm_simulation_destroy(s);
}

// ---- bounds of second derivatives ----

// A mass of 1 kg moves with 1 m/s from 0 over a slot of the gap 1/2 - exp(-((q - 3)/w)^2), in which
// a force of 100 N pushes it on: far from it the gap is flat.
typedef struct slot {
    double w, held[1];
} slot;

static int slot_force(const trm_state *s, double *out, void *user)
{
    const slot *x = user;
    double u = (s->q[0] - 3) / x->w;
    out[0] = s->held[0] == 0 && exp(-u * u) > 0.5 ? 100 : 0;
    return 0;
}

static int slot_mass(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = 1;
    return 0;
}

static int slot_gap(const trm_state *s, double *gap, double *rate, double *second, void *user)
{
    const slot *x = user;
    double u = (s->q[0] - 3) / x->w, r = s->v[0] / x->w, e = exp(-u * u);
    gap[0] = 0.5 - e;
    rate[0] = 2 * u * r * e;
    if (second)
        second[0] = (2 - 4 * u * u) * r * r * e + 2 * u * e * s->a[0] / x->w;
    return 0;
}

// |(2 - 4 u^2) exp(-u^2)| <= 2, |2 u exp(-u^2)| <= 1, with the greatest speed and acceleration of a
// step in which the force is left out
static int slot_bend(const trm_state *from, const trm_state *to, double *bend, void *user)
{
    const slot *x = user;
    double r = fmax(fabs(from->v[0]), fabs(to->v[0])) / x->w;
    bend[0] = 2 * r * r + fabs(to->v[0] - from->v[0]) / (to->t - from->t) / x->w;
    return 0;
}

static double cross_slot(trm_switch_bend_function *bends, trm_integrator integrator)
{
    slot x = {.w = 0.01};
    trm_system system = {
        .name = "slot",
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = slot_mass, [TRM_QUANTITY_FORCE] = slot_force},
        .n_held = 1,
        .held = x.held,
        .n_switches = 1,
        .switches = slot_gap,
        .switch_bends = bends,
        .user = &x};
    const trm_initial initial = {.q = (double[]){0}, .v = (double[]){1}};
    const trm_options options = ball_options(integrator);
    trm_simulation *s = create(&system, &options, &initial);
    const trm_status status = trm_simulation_run(s, 10);
    assert_true(status == TRM_OK || status == TRM_UNTRUSTED); // BDF: behind a jump of the force
    double q = trm_simulation_state(s)->q[0];
    trm_simulation_destroy(s);
    return q;
}

static int no_bend(const trm_state *from, const trm_state *to, double *bend, void *user)
{
    (void)from, (void)to, (void)user;
    bend[0] = NAN;
    return 0;
}

static int failing_bend(const trm_state *from, const trm_state *to, double *bend, void *user)
{
    (void)from, (void)to, (void)bend, (void)user;
    return 1;
}

// v^2 = 1 + 200 l behind a slot of length l = 2 w sqrt(log 2), crossed in (v - 1)/100 s. 5e-3:
// twice what the worst is off at 1e-5. Without bounds, or with some that say nothing, most
// integrators pass over the slot.
static void test_switches_bounds_find_a_slot_inside_a_step(void **state)
{
    (void)state;
    const double l = 0.02 * sqrt(log(2.0)), v = sqrt(1 + 200 * l), in = 3 - 0.5 * l;
    const double q = in + l + v * (10 - in - (v - 1) / 100);
    int misses = 0;
    for (int k = 0; k < TRM_INTEGRATOR_AUTO; k++) {
        const double found = cross_slot(slot_bend, (trm_integrator)k);
        if (!(fabs(found - q) < 5e-3))
            fail_msg("integrator %d: %.9g instead of %.9g", k, found, q);
        const double missed = cross_slot(NULL, (trm_integrator)k);
        misses += fabs(missed - 10) < 1e-9; // roundoff of sums of steps
        assert_true(cross_slot(no_bend, (trm_integrator)k) == missed);
        assert_true(cross_slot(failing_bend, (trm_integrator)k) == missed);
    }
    assert_true(misses > TRM_INTEGRATOR_AUTO / 2);
}

// ---- restarts and checkpoints ----

// A ball that is put below the floor is pushed out: its lock does not outlive the restart.
static void test_switches_restart_unlocks(void **state)
{
    (void)state;
    balls b = {.count = 1, .k = 1e6};
    trm_system system = ball_system(&b);
    trm_simulation *s = drop(&system, TRM_INTEGRATOR_BDF);
    double low[] = {-0.01};
    assert_int_equal(trm_simulation_run(s, 0.2), TRM_OK);
    assert_true(trm_simulation_state(s)->held[0] != 0);
    assert_int_equal(trm_simulation_restart(s, &(trm_initial){.q = low, .v = at_rest}), TRM_OK);
    // k 0.01^1.5 - g, roundoff of a division by 1
    assert_true(fabs(trm_simulation_state(s)->a[0] - (1000 - 9.81)) < 1e-9);
    trm_simulation_destroy(s);
}

static void assert_same_state(const trm_simulation *s, const trm_simulation *other, int n)
{
    const trm_state *is = trm_simulation_state(s), *wanted = trm_simulation_state(other);
    size_t bytes = (size_t)n * sizeof *is->q;
    assert_true(is->t == wanted->t);
    assert_memory_equal(is->q, wanted->q, bytes);
    assert_memory_equal(is->v, wanted->v, bytes);
    assert_memory_equal(is->held, wanted->held, bytes); // the locks
    assert_int_equal(trm_simulation_statistics(s)->steps, trm_simulation_statistics(other)->steps);
}

// In the air and in touch: what is loaded goes on to the last bit, with every integrator.
static void test_switches_checkpoint_goes_on_alike(void **state)
{
    (void)state;
    const double saved[] = {0.3, 0.4555};
    for (int i = 0; i < TRM_INTEGRATOR_AUTO * 2; i++) {
        balls b = {.count = 2, .k = 1e6};
        trm_system system = ball_system(&b);
        trm_simulation *s = drop(&system, (trm_integrator)(i / 2));
        trm_simulation *other = drop(&system, (trm_integrator)(i / 2));
        static unsigned char bytes[100000];
        assert_int_equal(trm_simulation_run(s, saved[i % 2]), TRM_OK);
        size_t size = trm_simulation_save(s, bytes, sizeof bytes);
        assert_in_range(size, 1, sizeof bytes);
        assert_int_equal(trm_simulation_load(other, bytes, size), TRM_OK);
        assert_same_state(s, other, b.count);
        for (double t = 0; t < 1;) {
            assert_int_equal(trm_simulation_step(s, 1, &t), TRM_OK);
            assert_int_equal(trm_simulation_step(other, 1, NULL), TRM_OK);
            assert_same_state(s, other, b.count);
        }
        trm_simulation_destroy(s);
        trm_simulation_destroy(other);
    }
}

// ---- what is asked of a system ----

static void test_switches_without_what_they_need_are_refused(void **state)
{
    (void)state;
    balls b = {.count = 1, .k = 1e6};
    trm_system system = ball_system(&b);
    system.switches = NULL;
    assert_refused(&system, NULL, NULL, TRM_ERR_SYSTEM, "switches is NULL");
    system = ball_system(&b);
    system.first_lock = 1;
    assert_refused(&system, NULL, NULL, TRM_ERR_SYSTEM, "do not fit into n_held = 1");
    system.first_lock = 0;
    system.n_switches = -1;
    assert_refused(&system, NULL, NULL, TRM_ERR_SYSTEM, "n_switches = -1");
}

static void test_switches_callback_that_fails_is_named(void **state)
{
    (void)state;
    balls b = {.count = 1, .result = -1, .k = 1e6};
    trm_system system = ball_system(&b);
    trm_simulation *s = drop(&system, TRM_INTEGRATOR_BDF);
    assert_int_equal(trm_simulation_run(s, 1), TRM_ERR_CALLBACK);
    assert_non_null(strstr(trm_simulation_error(s)->text, "callback of the gaps returned -1"));
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap_closes_at_the_first_root),
        cmocka_unit_test(test_gap_that_stays_open_closes_never),
        cmocka_unit_test(test_gap_closes_without_cancellation),
        cmocka_unit_test(test_gap_cubic_closes_inside_a_step),
        cmocka_unit_test(test_gap_without_bound_is_never_closed),
        cmocka_unit_test(test_switches_steps_end_before_a_locked_gap_closes),
        cmocka_unit_test(test_switches_equal_gaps_cost_one_landing),
        cmocka_unit_test(test_switches_ball_at_rest_takes_long_steps),
        cmocka_unit_test(test_switches_constant_steps_leave_the_force_alone),
        cmocka_unit_test(test_switches_bounds_find_a_slot_inside_a_step),
        cmocka_unit_test(test_switches_restart_unlocks),
        cmocka_unit_test(test_switches_checkpoint_goes_on_alike),
        cmocka_unit_test(test_switches_without_what_they_need_are_refused),
        cmocka_unit_test(test_switches_callback_that_fails_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
