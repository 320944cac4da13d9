// SPDX-License-Identifier: Apache-2.0
// The companion of a run: what it finds does not depend on how far it is ahead of the run or behind
// it.
#define _POSIX_C_SOURCE 200809L
#include "framework.h"

#include "program/run/run.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

// a ball that bounces, is logged, and comes to rest before the end
static const char ball[] =
    "trammel: 1\n"
    "equations: {coordinates: {x: vx, y: vy}, mass: [1, 1], force: [\"-0.2*vx\", -9.81]}\n"
    "initial: {values: {y: 1, vx: 3}}\n"
    "events:\n"
    "  hit: {when: y, direction: falling, set: {vy: \"-0.7*vy\"}}\n"
    "  high: {when: vy, direction: falling, log: turns}\n"
    "  tired: {when: \"vx - 2\", direction: falling, action: stop}\n"
    "simulate: {end: 4, output_interval: 0.03, tolerance: 1e-6}\n";

// A body at rest and a pulse of 20 ms that the run and a companion with long steps pass over. Rows
// are closer.
static const char pulse[] =
    "trammel: 1\n"
    "equations: {coordinates: {x: v}, mass: [1], force: [\"100*exp(-((t - 5)/0.02)^2) - x\"]}\n"
    "initial: {values: {x: 0}}\n"
    "simulate: {end: 10, output_interval: 0.02, integrator: explicit}\n";

// a row for every step: the companion cannot know where the next one is
static const char steps[] =
    "trammel: 1\n"
    "equations: {coordinates: {x: v}, mass: [1], force: [\"sin(3*t) - x\"]}\n"
    "initial: {values: {x: 1}}\n"
    "simulate: {end: 10, output_interval: steps}\n";

// z^3 - z + 0.8 t = 0 has no root beside 1 beyond t = 2/(3 sqrt(3))/0.8 = 0.48113; with loose steps
// the run jumps to another one.
static const char fold[] =
    "trammel: 1\n"
    "equations: {coordinates: {x: v}, mass: [1], force: [z], algebraic: {z: \"z^3 - z + 0.8*t\"}}\n"
    "initial: {values: {z: 1}}\n"
    "simulate: {end: 1, integrator: bdf, step: {fixed: 0.05}}\n";

// fewer steps than the companion needs with a tenth of the tolerance, and enough for the run
static const char few[] =
    "trammel: 1\n"
    "equations: {coordinates: {x: v}, mass: [1], force: [-sin(x)]}\n"
    "initial: {values: {x: 1}}\n"
    "simulate: {end: 100, integrator: radau-adaptive, tolerance: 1e-6, max_steps: 140}\n";

// Rest at the upper end: a push of 1e-12 of the weight grows like e^(10 t). Steps that the
// tolerance allows are long, and implicit ones damp it.
static const char growth[] =
    "trammel: 1\n"
    "equations: {coordinates: {x: v}, mass: [1], force: [\"100*x + 1e-12*sin(3*t)\"]}\n"
    "initial: {values: {x: 0}}\n"
    "simulate: {end: 3, integrator: radau-adaptive, tolerance: 1e-3}\n";

// A damper of 1e4/s: stability allows explicit steps of 0.6 ms, and rows are 20 ms apart.
static const char stiff[] =
    "trammel: 1\n"
    "equations: {coordinates: {x: v}, mass: [1], force: [\"1e4*(sin(t) - v) - x\"]}\n"
    "initial: {values: {x: 0}}\n"
    "simulate: {end: 10, integrator: radau-adaptive, tolerance: 1e-6}\n";

// Two masses, whose vibration of sqrt(3e10 (1 + 10)) = 6e5/s allows 0.01 ms; rows are 0.04 ms
// apart. A hundredth of the tolerance of an explicit companion, 1e-13, is roundoff of s and x.
static const char vibrating[] =
    "trammel: 1\n"
    "equations: {coordinates: {x: v, s: w}, mass: [1, 0.1],\n"
    "            force: [\"3e10*(s - x) - 9.81*sin(t)\", \"-3e10*(s - x) - 10*w\"]}\n"
    "initial: {values: {x: 1, s: 1}}\n"
    "simulate: {end: 0.02, integrator: radau-adaptive, tolerance: 1e-10}\n";

enum { CHANNELS = 12 };

typedef struct finding {
    trm_verify_report report;
    trmi_companion_ending ending;
    char integrator[20];
    bool dead_end, trusted;
    double failed_at;
    long events;
    double error[CHANNELS];
} finding;

typedef struct pace {
    bool patient;    // the run waits until the companion can go no further
    int64_t largest; // rows that the companion was ahead, and those that it has got
} pace;

static bool keep_pace(trmi_run *run, double from, double to, void *user)
{
    pace *p = user;
    (void)from, (void)to;
    int ahead = -1;
    while (p->patient && (ahead = trmi_companion_ahead(run->companion)) < 0)
        sched_yield();
    if (ahead > 0 && ahead + run->grid > p->largest)
        p->largest = ahead + run->grid;
    return true;
}

static finding compare(const char *text, pace *p)
{
    trm_model *model;
    trm_error error;
    finding f = {0};
    assert_int_equal(trm_model_read(&model, text, strlen(text), "m.yaml", NULL, &error), TRM_OK);
    const trmi_run_observer observer = {.step = keep_pace, .user = p};
    const trmi_run_request request = {
        .model = model, .verify = TRMI_VERIFY_ALWAYS, .observer = &observer};
    trmi_run *run = trmi_run_create(&request);
    assert_non_null(run);
    trmi_run_go(run);
    assert_int_equal(run->outcome, TRMI_RUN_DONE);
    const trmi_companion_result *r = trmi_companion_result_of(run->companion);
    f.report = run->accuracy;
    f.ending = r->ending;
    snprintf(f.integrator, sizeof f.integrator, "%s", r->integrator);
    f.dead_end = r->dead_end;
    f.failed_at = r->error.t;
    f.trusted = run->trusted;
    f.events = r->events;
    assert_true(run->sample_size <= CHANNELS);
    for (int k = 0; k < run->sample_size; k++)
        f.error[k] = trm_verify_error(r->verify, k);
    trmi_run_destroy(run);
    trm_model_destroy(model);
    return f;
}

// the same bits; returns how many rows the companion had when it was farthest ahead
static int64_t assert_same(const char *text, long events, bool trusted)
{
    pace hurried = {false, 0}, patient = {true, 0};
    const finding a = compare(text, &hurried), b = compare(text, &patient);
    assert_int_equal(a.ending, TRMI_COMPANION_COMPLETE);
    assert_int_equal(b.ending, TRMI_COMPANION_COMPLETE);
    assert_true(a.report.rows > 1 && a.report.rows == b.report.rows);
    assert_true(a.report.t == b.report.t && a.report.error == b.report.error);
    assert_int_equal(a.report.trusted, trusted);
    assert_int_equal(b.report.trusted, trusted);
    assert_string_equal(a.integrator, b.integrator);
    assert_int_equal(a.events, events);
    assert_int_equal(b.events, events);
    assert_memory_equal(a.error, b.error, sizeof a.error);
    return patient.largest;
}

// vx = 3 exp(-0.2 t) is 2 at t = 2.027, where both end. The ball hits at sqrt(2/9.81) = 0.4515, and
// 0.903 times 0.7, 0.49, 0.343, ... later: 1.084, 1.526, 1.836, 2.053; between these it is highest.
static void test_companion_ahead_finds_same_with_events(void **state)
{
    (void)state;
    // four hits and four highest points; no row comes after the event that ends the run
    assert_int_equal(assert_same(ball, 8, true), 1 + 67); // 67 * 0.03 = 2.01
}

// It begins again, with shorter steps, at the row that shows the pulse, and does not trust a run
// that has not moved.
static void test_companion_ahead_finds_same_pulse(void **state)
{
    (void)state;
    assert_int_equal(assert_same(pulse, 0, false), 501);
}

static void test_companion_of_every_step_does_not_go_ahead(void **state)
{
    (void)state;
    assert_int_equal(assert_same(steps, 0, true), 0);
}

// Implicit steps of the run damp the motion to 1e-12, as those of a companion would. Right is
// x = 1e-12/109 (0.3 sinh(10 t) - sin(3 t)), 0.0147 at the end: the run is off by all of it.
static void test_companion_does_not_damp_what_grows(void **state)
{
    (void)state;
    pace hurried = {false, 0};
    assert_same(growth, 0, false);
    const finding f = compare(growth, &hurried);
    assert_string_equal(f.integrator, "explicit");
    // Its own first steps may be off by atol = 1e-6, a million pushes: it has a motion of about
    // that size, which is all that it must show.
    assert_true(f.report.error > 0.99 && f.error[0] > 0.0147 / 10);
}

// It begins again with another method where stability forbids steps from row to row, wherever it
// is then.
static void test_companion_of_stiff_machine_is_implicit(void **state)
{
    (void)state;
    pace hurried = {false, 0};
    assert_same(stiff, 0, true);
    assert_string_equal(compare(stiff, &hurried).integrator, "radau-adaptive");
    assert_string_equal(compare(vibrating, &hurried).integrator, "radau-adaptive");
}

// What the run does behind the end of the solution is not trusted; both methods of the companion
// end there.
static void test_companion_in_dead_end_is_no_trust(void **state)
{
    (void)state;
    pace hurried = {false, 0};
    const finding f = compare(fold, &hurried);
    assert_int_equal(f.ending, TRMI_COMPANION_FAILED);
    assert_true(f.dead_end && !f.trusted && f.report.trusted);
    assert_true(fabs(f.failed_at - 2 / (3 * sqrt(3)) / 0.8) < 1e-4); // of its tolerance
}

// The limit of the number of steps is none of the motion.
static void test_companion_without_steps_is_in_no_dead_end(void **state)
{
    (void)state;
    pace hurried = {false, 0};
    const finding f = compare(few, &hurried);
    assert_int_equal(f.ending, TRMI_COMPANION_FAILED);
    assert_true(!f.dead_end && f.trusted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_companion_ahead_finds_same_with_events),
        cmocka_unit_test(test_companion_ahead_finds_same_pulse),
        cmocka_unit_test(test_companion_of_every_step_does_not_go_ahead),
        cmocka_unit_test(test_companion_does_not_damp_what_grows),
        cmocka_unit_test(test_companion_of_stiff_machine_is_implicit),
        cmocka_unit_test(test_companion_in_dead_end_is_no_trust),
        cmocka_unit_test(test_companion_without_steps_is_in_no_dead_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
