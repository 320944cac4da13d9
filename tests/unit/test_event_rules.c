// SPDX-License-Identifier: Apache-2.0
// The rules of events one by one: where the functions are evaluated, how signs are found, when an
// event fires without end, and what a checkpoint keeps. The functions record where they are asked;
// the expected times follow from the rules, computed here a second time.
#include "fail/fail.h"
#include "one_mass.h"
#include "solver/integrator/events.h"
#include "solver/integrator/simulation.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2, RECORDS = 4000 };

// What the functions of a test return, and where they were asked.
typedef struct probe {
    double zero; // value t - zero, of the second one zero - t
    int sign;    // not 0: this, whatever the time
    int result;  // of the callback
    int calls;   // since the last reset
    double t[RECORDS];
} probe;

static int record_values(const trm_state *s, double *out, void *user)
{
    probe *p = user;
    if (p->calls < RECORDS)
        p->t[p->calls] = s->t;
    p->calls++;
    out[0] = p->sign ? p->sign : s->t - p->zero;
    return p->result;
}

static int record_both(const trm_state *s, double *out, void *user)
{
    int result = record_values(s, out, user);
    out[1] = -out[0];
    return result;
}

// ---- a mass that moves uniformly ----

static trm_simulation *open_mass(double t, trm_integrator integrator,
                                 const trm_allocator *allocator)
{
    const trm_system system = {
        .name = "mass",
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = no_force}};
    const double q = 0, v = 1;
    const trm_initial initial = {.t = t, .q = &q, .v = &v};
    trm_options o = trm_options_default();
    trm_simulation *s;
    trm_error error;
    o.integrator = integrator;
    if (allocator)
        o.allocator = *allocator;
    assert_status(trm_simulation_create(&s, &system, &o, &initial, &error), TRM_OK, &error);
    return s;
}

// constant steps of BDF: the first points are found together
static trm_simulation *open_constant(double h)
{
    const trm_system system = {
        .name = "mass",
        .n_q = 1,
        .function = {[TRM_QUANTITY_MASS] = unit_mass, [TRM_QUANTITY_FORCE] = no_force}};
    const double q = 0, v = 1;
    const trm_initial initial = {.q = &q, .v = &v};
    trm_options o = trm_options_default();
    trm_simulation *s;
    trm_error error;
    o.integrator = TRM_INTEGRATOR_BDF;
    o.h_fixed = h;
    assert_status(trm_simulation_create(&s, &system, &o, &initial, &error), TRM_OK, &error);
    return s;
}

static trm_events one_event(probe *p)
{
    return (trm_events){.count = 1, .function = record_values, .user = p};
}

static trm_events two_events(probe *p)
{
    return (trm_events){.count = 2, .function = record_both, .user = p};
}

static void watch(trm_simulation *s, trm_events events)
{
    assert_status(trm_simulation_watch(s, &events), TRM_OK, &s->error);
}

// ---- what is watched ----

static void test_event_rules_directions_are_checked_from_the_first_on(void **state)
{
    (void)state;
    probe p = {.zero = 1};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
    const int wrong[][MOST] = {{2, 0}, {-2, 0}, {0, 2}, {0, -2}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        trm_events events = two_events(&p);
        events.direction = wrong[k];
        assert_int_equal(trm_simulation_watch(s, &events), TRM_ERR_RANGE);
        assert_contains(s->error.text, "the direction of an event is");
    }
    const int right[MOST] = {1, -1};
    trm_events events = two_events(&p);
    events.direction = right;
    watch(s, events);
    trm_simulation_destroy(s);
}

// No events need no memory; as many as before take no more; each watch begins afresh.
static void test_event_rules_watching_again_takes_no_memory(void **state)
{
    (void)state;
    probe p = {.zero = 1};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
    assert_int_equal(trm_simulation_watch(s, NULL), TRM_OK);
    assert_null(s->sampler);
    assert_int_equal(s->events.capacity, 0);
    watch(s, two_events(&p));
    assert_non_null(s->sampler);
    const trmi_event *event = s->events.event;
    for (int i = 0; i < MOST; i++)
        s->events.event[i] =
            (trmi_event){.t_last = 3, .interval = 4, .t_counted = 5, .fired = true};
    watch(s, two_events(&p));
    assert_ptr_equal(s->events.event, event);
    for (int i = 0; i < MOST; i++) {
        assert_true(isnan(event[i].t_last) && isnan(event[i].interval));
        assert_true(event[i].t_counted == -HUGE_VAL);
        assert_int_equal(trm_simulation_fired(s, i), 0);
    }
    trm_simulation_destroy(s);
}

typedef struct budget {
    int left; // allocations; negative: no limit
} budget;

static void *take_some(size_t size, void *user)
{
    budget *b = user;
    if (b->left == 0)
        return NULL;
    b->left -= b->left > 0;
    return malloc(size);
}

static void give_back(void *memory, void *user)
{
    (void)user;
    free(memory);
}

static void test_event_rules_watching_without_memory_is_refused(void **state)
{
    (void)state;
    trm_status status = TRM_ERR_MEMORY;
    int tried = 0;
    for (; status != TRM_OK; tried++) {
        budget b = {.left = -1};
        probe p = {.zero = 1};
        const trm_allocator allocator = {take_some, give_back, &b};
        trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, &allocator);
        const trm_events events = two_events(&p);
        b.left = tried;
        status = trm_simulation_watch(s, &events);
        if (status != TRM_OK)
            assert_status(status, TRM_ERR_MEMORY, &s->error);
        trm_simulation_destroy(s);
    }
    assert_in_range(tried, 4, 1000);
}

// what fired is forgotten with the next step
static void test_event_rules_firing_belongs_to_one_point(void **state)
{
    (void)state;
    probe p = {.zero = 0.5};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
    watch(s, two_events(&p));
    assert_int_equal(trm_simulation_run(s, 10), TRM_STOP_EVENT);
    assert_int_equal(trm_simulation_fired(s, 0), 1);
    assert_int_equal(trm_simulation_fired(s, 1), 1);
    assert_int_equal(trm_simulation_run(s, 10), TRM_OK);
    assert_int_equal(trm_simulation_fired(s, 0), 0);
    assert_int_equal(trm_simulation_fired(s, 1), 0);
    trm_simulation_destroy(s);
}

// ---- signs ----

// Functions with a sign are evaluated once at the start; one that is zero is probed along the
// motion: d = 128 roundoffs of t, or 1e-9 of the longest, eight times further each time, until it
// grows in proportion.
static void test_event_rules_zeros_at_the_start_are_probed(void **state)
{
    (void)state;
    const double t = 2;
    probe p = {.zero = 1};
    trm_simulation *s = open_mass(t, TRM_INTEGRATOR_EXPLICIT, NULL);
    watch(s, one_event(&p));
    s->method->begin(s, 10);
    p.calls = 0;
    assert_int_equal(trmi_arm_events(s), TRM_OK);
    assert_int_equal(p.calls, 1);
    assert_int_equal(s->events.event[0].sign, 1);
    p = (probe){.zero = t};
    watch(s, one_event(&p));
    p.calls = 0;
    assert_int_equal(trmi_arm_events(s), TRM_OK);
    assert_int_equal(s->events.event[0].sign, 1); // t - zero grows
    double most = 1e-3 * s->control.h, d = fmax(128 * DBL_EPSILON * t, 1e-9 * most);
    assert_true(128 * DBL_EPSILON * t < 1e-4 * most); // or this proves little
    assert_in_range(p.calls, 3, 40);
    assert_true(p.t[0] == t);
    for (int k = 1; k < p.calls; k++, d *= 8)
        if (p.t[k] != t + d)
            fail_msg("probe %d at t + %.17g, not t + %.17g", k, p.t[k] - t, d);
    // eight times the last d that counts is beyond the longest, or the values grew: they do at once
    assert_true(d / 64 <= most);
    trm_simulation_destroy(s);
}

static int record_zeros(const trm_state *s, double *out, void *user)
{
    (void)record_values(s, out, user);
    out[0] = 0;
    return 0;
}

// A function that stays zero is probed up to the longest d, that one included, and once behind it;
// where no time passes in a step, once.
static void test_event_rules_probes_end_with_the_longest(void **state)
{
    (void)state;
    probe p = {0};
    const double h = 1, most = 1e-3 * h;
    const double t = most / (128 * DBL_EPSILON * 64); // d = most/64, and exactly most at last
    trm_simulation *s = open_mass(t, TRM_INTEGRATOR_EXPLICIT, NULL);
    const trm_events events = {.count = 1, .function = record_zeros, .user = &p};
    for (int k = 0; k < 2; k++) {
        watch(s, events);
        s->method->begin(s, t + 1);
        s->control.h = k == 0 ? h : 0;
        p.calls = 0;
        assert_int_equal(trmi_arm_events(s), TRM_OK);
        // t, then t + most/64, most/8, most, 8 most; without a step t, t and t
        assert_int_equal(p.calls, k == 0 ? 5 : 3);
        assert_true(p.t[p.calls - 1] == t + (k == 0 ? 8 * most : 0));
    }
    trm_simulation_destroy(s);
}

// A function that falls through zero, and a restart there: it has the sign of what follows, and
// does not fire again.
static void test_event_rules_crossed_function_does_not_fire_after_a_restart(void **state)
{
    (void)state;
    for (int falling = 0; falling < 2; falling++) {
        probe p = {.zero = 0.5};
        trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
        trm_events events = falling ? two_events(&p) : one_event(&p);
        watch(s, events);
        assert_int_equal(trm_simulation_run(s, 10), TRM_STOP_EVENT);
        assert_status(trm_simulation_restart(s, NULL), TRM_OK, &s->error);
        for (int i = 0; i < events.count; i++)
            assert_int_equal(trm_simulation_fired(s, i), 1); // until the next step
        assert_int_equal(trm_simulation_run(s, 10), TRM_OK);
        assert_int_equal(s->events.event[0].sign, 1);
        if (falling)
            assert_int_equal(s->events.event[1].sign, -1);
        trm_simulation_destroy(s);
    }
}

// With fewer events than before the others are left alone.
static void test_event_rules_events_beyond_the_number_are_not_touched(void **state)
{
    (void)state;
    probe p = {.zero = 0};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
    watch(s, two_events(&p));
    watch(s, one_event(&p));
    for (int zero = 0; zero < 2; zero++) { // with and without a probe of the start
        p.zero = zero ? 0 : -1;
        watch(s, one_event(&p));
        s->events.event[1].sign = 0;
        s->events.value[1] = 7;
        s->events.ahead[1] = 1e-3;
        s->method->begin(s, 10);
        assert_int_equal(trmi_arm_events(s), TRM_OK);
        assert_int_equal(s->events.event[1].sign, 0);
    }
    assert_int_equal(trm_simulation_run(s, 10), TRM_OK);
    assert_int_equal(s->events.event[1].sign, 0);
    s->events.event[1].fired = true; // by those who watched before
    assert_int_equal(trm_simulation_fired(s, 1), 0);
    trm_simulation_destroy(s);
}

// ---- where they are evaluated ----

// Inside a step of order k at its k + 1 parts, the last of them its end.
static void test_event_rules_each_step_is_seen_in_its_parts(void **state)
{
    (void)state;
    const trm_integrator integrators[] = {TRM_INTEGRATOR_EXPLICIT, TRM_INTEGRATOR_RADAU,
                                          TRM_INTEGRATOR_BDF};
    for (int which = 0; which < 3; which++) {
        probe p = {.zero = -1};
        trm_simulation *s = open_mass(0, integrators[which], NULL);
        watch(s, one_event(&p));
        for (int step = 0; step < 4; step++) {
            p.calls = 0;
            assert_int_equal(trm_simulation_step(s, 100, NULL), TRM_OK);
            double begin = s->history.t[1], length = s->history.t[0] - begin;
            int parts = s->statistics.order_last + 1, first = p.calls - parts;
            assert_in_range(first, 0, 2); // the sign at the start
            for (int k = 1; k < parts; k++)
                if (p.t[first + k - 1] != begin + k * length / parts)
                    fail_msg("%d: part %d of step %d at %.17g", which, k, step, p.t[first + k - 1]);
            assert_true(p.t[p.calls - 1] == s->history.t[0]);
        }
        trm_simulation_destroy(s);
    }
}

// Several steps at once, as at the start of constant ones: each of them in its parts, in order.
static void test_event_rules_steps_of_a_start_are_seen_one_by_one(void **state)
{
    (void)state;
    probe p = {.zero = -1};
    trm_simulation *s = open_constant(0.5);
    watch(s, one_event(&p));
    p.calls = 0;
    assert_int_equal(trm_simulation_step(s, 100, NULL), TRM_OK);
    const trmi_history *history = &s->history;
    int parts = s->statistics.order_last + 1, last = history->count - 1;
    assert_in_range(last, 2, 20); // or this proves nothing
    assert_true(history->t[last] == 0);
    assert_in_range(p.calls, last * parts, last * parts + 2);
    int call = p.calls - last * parts; // behind the signs at the start
    for (int j = last; j > 0; j--)
        for (int k = 1; k <= parts; k++, call++) {
            double begin = history->t[j], length = history->t[j - 1] - begin;
            double t = k < parts ? begin + k * length / parts : history->t[j - 1];
            if (p.t[call] != t)
                fail_msg("step %d, part %d at %.17g, not %.17g", last - j, k, p.t[call], t);
        }
    trm_simulation_destroy(s);
}

// After an event the rest of its step, from the event on.
static void test_event_rules_rest_of_a_step_is_seen_after_an_event(void **state)
{
    (void)state;
    probe p = {.zero = 0.5};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
    watch(s, one_event(&p));
    assert_int_equal(trm_simulation_run(s, 100), TRM_STOP_EVENT);
    double begin = s->history.t[1], length = s->history.t[0] - begin;
    int parts = s->statistics.order_last + 1, k = 1;
    assert_true(begin < 0.5 && begin + length > 0.5); // or this proves nothing
    p.calls = 0;
    assert_int_equal(trm_simulation_step(s, 100, NULL), TRM_OK);
    while (begin + k * length / parts <= 0.5)
        k++;
    for (int i = 0; k < parts; i++, k++)
        assert_true(p.t[i] == begin + k * length / parts);
    trm_simulation_destroy(s);
}

// An end much closer than a step is reached by the polynomial of the last one, and seen there only.
static void test_event_rules_short_rest_behind_a_step_is_seen_at_its_end(void **state)
{
    (void)state;
    probe p = {.zero = -1};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_BDF, NULL);
    watch(s, one_event(&p));
    for (int step = 0; step < 4; step++)
        assert_int_equal(trm_simulation_step(s, 100, NULL), TRM_OK);
    double newest = s->history.t[0];
    s->control.h = 20 * (newest - s->history.t[1]); // also one that is longer than the last step
    double end = newest + 0.09 * s->control.h;
    p.calls = 0;
    assert_int_equal(trm_simulation_run(s, end), TRM_OK);
    assert_true(s->history.t[0] == newest); // or this proves nothing
    assert_int_equal(p.calls, 1);
    assert_true(p.t[0] == end);
    trm_simulation_destroy(s);
}

// ---- without end ----

// Fires at t when the function has changed its sign since.
static trm_status fire(trm_simulation *s, probe *p, double t)
{
    s->now.t = t;
    p->sign = -p->sign;
    return trmi_fire_events(s);
}

// The firing, from 1, at which intervals that repeat end with an error; 0: none of `most` does.
static int chatters_at(double t_first, double t, const double *interval, int count, int most)
{
    probe p = {.sign = 1};
    trm_simulation *s = open_mass(t_first, TRM_INTEGRATOR_EXPLICIT, NULL);
    watch(s, one_event(&p));
    s->events.event[0].sign = 1;
    int k = 1;
    for (; k <= most; k++) {
        trm_status status = fire(s, &p, t);
        if (status == TRM_ERR_CHATTER)
            break;
        assert_int_equal(status, TRM_STOP_EVENT);
        assert_int_equal(trm_simulation_fired(s, 0), 1);
        t += interval[(k - 1) % count];
    }
    trm_simulation_destroy(s);
    return k > most ? 0 : k;
}

// More than a hundred within 1e-5 of the time simulated so far.
static void test_event_rules_a_hundred_firings_in_no_time_are_an_error(void **state)
{
    (void)state;
    const double often = 5e-5, seldom = 1.1e-4, late = 2e-5;
    assert_int_equal(chatters_at(0, 1000, &often, 1, 150), 101);
    assert_int_equal(chatters_at(0, 1000, &seldom, 1, 300), 0);
    // a run that began at 900 has simulated 100 only
    assert_int_equal(chatters_at(900, 1000, &late, 1, 300), 0);
}

// Twice in a row a shorter interval, when it is that short already.
static void test_event_rules_shrinking_intervals_are_an_error(void **state)
{
    (void)state;
    const double shrinks[] = {1e-3, 5e-4, 2.5e-4, 1.25e-4}, changes[] = {1e-3, 2e-3},
                 longer[] = {4, 2, 1, 0.5};
    assert_int_equal(chatters_at(0, 1000, shrinks, 4, 4), 4);
    assert_int_equal(chatters_at(0, 1000, changes, 2, 40), 0);
    assert_int_equal(chatters_at(0, 1000, longer, 4, 4), 0);
}

// Two crossings that times cannot distinguish, after a longer interval.
static void test_event_rules_firings_at_one_time_are_an_error(void **state)
{
    (void)state;
    // 1e4 roundoffs of 1000 are 2.2e-9
    const double falls[] = {1e-3, 1e-9}, equal = 1e-9;
    assert_int_equal(chatters_at(999.9999, 1000, falls, 2, 3), 3);
    assert_int_equal(chatters_at(999.9999, 1000, &equal, 1, 2), 0);
}

// Of several that do so the first is named; a function that fails is reported as such.
static void test_event_rules_first_of_those_without_end_is_named(void **state)
{
    (void)state;
    probe p = {.sign = 1};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
    assert_int_equal(trmi_fire_events(s), TRM_OK); // there are none
    trm_events events = two_events(&p);
    const char *const names[] = {"first", "second"};
    events.names = names;
    watch(s, events);
    assert_int_equal(trmi_fire_events(s), TRM_OK); // nothing was crossed
    s->events.event[0].sign = 1;
    s->events.event[1].sign = -1;
    trm_status status = TRM_STOP_EVENT;
    double t = 1000, interval = 1e-3;
    for (int k = 0; k < 4; k++, t += interval, interval /= 2)
        status = fire(s, &p, t);
    assert_int_equal(status, TRM_ERR_CHATTER);
    assert_string_equal(s->error.item, "event first");
    p.result = -1;
    assert_int_equal(trmi_fire_events(s), TRM_ERR_CALLBACK);
    trm_simulation_destroy(s);
}

// ---- checkpoints ----

enum { BYTES = 1000 };

static trm_status reload(trm_simulation *s, unsigned char *bytes, size_t *size)
{
    trmi_archive out = {.to = bytes, .size = BYTES};
    trmi_events_archive(s, &out);
    *size = out.at;
    trmi_archive in = {.loading = true, .from = bytes, .size = out.at};
    trmi_events_archive(s, &in);
    assert_true(in.status != TRM_OK || in.at == out.at);
    return in.status;
}

static void test_event_rules_checkpoint_keeps_every_number(void **state)
{
    (void)state;
    unsigned char bytes[BYTES];
    size_t size, none;
    probe p = {.zero = 1};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
    assert_int_equal(reload(s, bytes, &none), TRM_OK);
    // number of events, the flag that signs are due, time up to which they are known, two points,
    // their number, a turn
    assert_int_equal(none, 3 * sizeof(int) + 4 * sizeof(double));
    watch(s, two_events(&p));
    const trmi_event kept[MOST] = {{.sign = -1,
                                    .crossed = true,
                                    .t_last = 1,
                                    .seen = {10, 11},
                                    .interval = 2,
                                    .shrinking = 0,
                                    .t_counted = 3,
                                    .count = 0},
                                   {.sign = 1,
                                    .fired = true,
                                    .t_last = 4,
                                    .interval = 5,
                                    .shrinking = 6,
                                    .t_counted = 7,
                                    .count = 8}};
    memcpy(s->events.event, kept, sizeof kept);
    s->events.t_seen = 9;
    s->events.t_point[1] = 12;
    s->events.points = 2;
    s->events.arm = false;
    trmi_archive out = {.to = bytes, .size = BYTES};
    trmi_events_archive(s, &out);
    // sign, two flags, shrinking and count; three times and two values
    assert_int_equal(out.at - none, MOST * (5 * sizeof(int) + 5 * sizeof(double)));
    memset(s->events.event, 0, sizeof kept);
    s->events.t_seen = s->events.t_point[1] = 0;
    s->events.points = 0;
    s->events.arm = true;
    trmi_archive in = {.loading = true, .from = bytes, .size = out.at};
    trmi_events_archive(s, &in);
    assert_int_equal(in.status, TRM_OK);
    for (int i = 0; i < MOST; i++) {
        const trmi_event *a = &s->events.event[i], *b = &kept[i];
        assert_true(a->sign == b->sign && a->crossed == b->crossed && a->fired == b->fired);
        assert_true(a->t_last == b->t_last && a->interval == b->interval);
        assert_true(a->t_counted == b->t_counted && a->count == b->count);
        assert_true(a->shrinking == b->shrinking);
        assert_true(a->seen[0] == b->seen[0] && a->seen[1] == b->seen[1]);
    }
    assert_true(s->events.t_seen == 9 && !s->events.arm);
    assert_true(s->events.t_point[1] == 12 && s->events.points == 2);
    // numbers that cannot be
    int *const number[] = {&s->events.event[0].sign, &s->events.event[1].sign,
                           &s->events.event[0].shrinking, &s->events.event[1].count};
    const int wrong[] = {2, -2, -1, -1};
    for (int k = 0; k < 4; k++) {
        int right = *number[k];
        *number[k] = wrong[k];
        assert_int_equal(reload(s, bytes, &size), TRM_ERR_RANGE);
        *number[k] = right;
        assert_int_equal(reload(s, bytes, &size), TRM_OK);
    }
    trm_simulation_destroy(s);
}

static void test_event_rules_checkpoint_of_other_events_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[BYTES];
    probe p = {.zero = 1};
    trm_simulation *s = open_mass(0, TRM_INTEGRATOR_EXPLICIT, NULL);
    watch(s, two_events(&p));
    trmi_archive out = {.to = bytes, .size = BYTES};
    trmi_events_archive(s, &out);
    watch(s, one_event(&p));
    trmi_archive in = {.loading = true, .from = bytes, .size = out.at};
    trmi_events_archive(s, &in);
    assert_int_equal(in.status, TRM_ERR_RANGE);
    assert_string_equal(s->error.text, "the checkpoint watches 2 events, this simulation 1");
    // what failed before is not hidden
    s->error.text[0] = '\0';
    in = (trmi_archive){.loading = true, .from = bytes, .size = 0, .status = TRM_ERR_MEMORY};
    trmi_events_archive(s, &in);
    assert_int_equal(in.status, TRM_ERR_MEMORY);
    assert_string_equal(s->error.text, "");
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event_rules_directions_are_checked_from_the_first_on),
        cmocka_unit_test(test_event_rules_watching_again_takes_no_memory),
        cmocka_unit_test(test_event_rules_watching_without_memory_is_refused),
        cmocka_unit_test(test_event_rules_firing_belongs_to_one_point),
        cmocka_unit_test(test_event_rules_zeros_at_the_start_are_probed),
        cmocka_unit_test(test_event_rules_probes_end_with_the_longest),
        cmocka_unit_test(test_event_rules_crossed_function_does_not_fire_after_a_restart),
        cmocka_unit_test(test_event_rules_events_beyond_the_number_are_not_touched),
        cmocka_unit_test(test_event_rules_each_step_is_seen_in_its_parts),
        cmocka_unit_test(test_event_rules_steps_of_a_start_are_seen_one_by_one),
        cmocka_unit_test(test_event_rules_rest_of_a_step_is_seen_after_an_event),
        cmocka_unit_test(test_event_rules_short_rest_behind_a_step_is_seen_at_its_end),
        cmocka_unit_test(test_event_rules_a_hundred_firings_in_no_time_are_an_error),
        cmocka_unit_test(test_event_rules_shrinking_intervals_are_an_error),
        cmocka_unit_test(test_event_rules_firings_at_one_time_are_an_error),
        cmocka_unit_test(test_event_rules_first_of_those_without_end_is_named),
        cmocka_unit_test(test_event_rules_checkpoint_keeps_every_number),
        cmocka_unit_test(test_event_rules_checkpoint_of_other_events_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
