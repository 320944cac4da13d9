// SPDX-License-Identifier: Apache-2.0
// Callbacks that stop, ask for smaller steps, write what is no number or nothing at all, or change
// their mind, from the first call on or later, with every integrator: the run ends, its state is
// finite and its error has a text, and every function can be called afterwards.
#include "fail/fail.h"

#include <limits.h>
#include <stdlib.h>

typedef enum way {
    STOPS,
    RETRIES,
    NO_NUMBER,
    INFINITE,
    UNKNOWN_RESULT,
    LOWEST_RESULT,
    NEARLY_INFINITE,
    WRITES_NOTHING,
    NOISE, // another number at every call
    RETRIES_EVERY_THIRD,
    STOPS_ONCE,
    WAYS
} way;
enum { MASS, FORCE, CONSTRAINT, EVENT, CALLBACKS, ALL = -1 };

// Calls of all callbacks after which a case is said to hang. Noise takes most, up to 400 calls in
// each of the steps of two runs, whose number is limited: a tenth of HANGS.
enum { MOST_STEPS = 1000, HANGS = 8000000 };

typedef struct troublemaker {
    way way;
    int which, from, calls, total;
    uint32_t noise;
} troublemaker;

// Whether this call goes wrong; then *result is what the callback returns.
static bool goes_wrong(troublemaker *t, int which, double *out, int n, int *result)
{
    t->calls++;
    if (t->total++ > HANGS)
        fail_msg("no end: way %d of callback %d from call %d on", t->way, t->which, t->from);
    if (t->from < 0 || t->calls < t->from || (t->which != ALL && t->which != which))
        return false;
    static const int results[WAYS] = {[STOPS] = -1,
                                      [RETRIES] = 1,
                                      [UNKNOWN_RESULT] = 12345,
                                      [LOWEST_RESULT] = INT_MIN,
                                      [RETRIES_EVERY_THIRD] = 1,
                                      [STOPS_ONCE] = -1};
    static const double values[WAYS] = {
        [NO_NUMBER] = NAN, [INFINITE] = INFINITY, [NEARLY_INFINITE] = 1e308};
    *result = results[t->way];
    if ((t->way == RETRIES_EVERY_THIRD && t->calls % 3 != 0) ||
        (t->way == STOPS_ONCE && t->calls != t->from))
        return false;
    for (int i = 0; i < n && *result == 0 && t->way != WRITES_NOTHING; i++) {
        t->noise = t->noise * 1664525 + 1013904223;
        out[i] = t->way == NOISE ? t->noise / 4294967296.0 : values[t->way];
    }
    return true;
}

// A unit mass on a unit circle; derivatives are left to the library.
static int mass(const trm_state *s, double *out, void *user)
{
    (void)s;
    int result = 0;
    if (!goes_wrong(user, MASS, out, 2, &result))
        out[0] = out[1] = 1;
    return result;
}

static int force(const trm_state *s, double *out, void *user)
{
    (void)s;
    int result = 0;
    if (!goes_wrong(user, FORCE, out, 2, &result))
        out[0] = 0, out[1] = -9.81;
    return result;
}

static int circle(const trm_state *s, double *out, void *user)
{
    int result = 0;
    if (!goes_wrong(user, CONSTRAINT, out, 1, &result))
        out[0] = s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1;
    return result;
}

static int crossing(const trm_state *s, double *out, void *user)
{
    int result = 0;
    if (!goes_wrong(user, EVENT, out, 1, &result))
        out[0] = s->q[0];
    return result;
}

static trm_system troubled(troublemaker *t)
{
    return (trm_system){.n_q = 2,
                        .n_g = 1,
                        .function = {[TRM_QUANTITY_MASS] = mass,
                                     [TRM_QUANTITY_FORCE] = force,
                                     [TRM_QUANTITY_CONSTRAINT] = circle},
                        .pattern = {[TRM_QUANTITY_MASS] = {.count = TRM_PATTERN_DIAGONAL}},
                        .user = t};
}

// After a failure everything may be called, and the state is that of the last good step.
static void assert_usable(trm_simulation *s)
{
    char text[3000];
    const trm_state *now = trm_simulation_state(s), *sample;
    assert_true(isfinite(now->q[0]) && isfinite(now->q[1]));
    assert_true(isfinite(now->v[0]) && isfinite(now->v[1]));
    assert_true(trm_simulation_error(s)->status < 0 && trm_simulation_error(s)->text[0]);
    assert_true(trm_error_format(trm_simulation_error(s), text, sizeof text) > 10);
    trm_simulation_run(s, 0.6);
    trm_simulation_step(s, 0.7, NULL);
    trm_simulation_sample(s, 0.1, &sample);
    trm_simulation_restart(s, NULL);
    trm_simulation_accelerations(s, NULL, NULL);
    trm_simulation_energy(s);
    size_t size = trm_simulation_save(s, NULL, 0);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(trm_simulation_save(s, bytes, size), size);
    trm_simulation_load(s, bytes, size);
    free(bytes);
}

// Returns whether the run failed. From the first call on: the start fails, too.
static bool run_troubled(trm_integrator integrator, troublemaker *t, int from)
{
    const trm_system system = troubled(t);
    const trm_initial initial = {.q = (double[]){1, 0}};
    const trm_events events = {.count = 1, .function = crossing, .user = t};
    trm_options options = trm_options_default();
    trm_error error;
    trm_simulation *s = NULL;
    options.integrator = integrator;
    options.max_steps = MOST_STEPS;
    t->from = from == 1 ? 1 : -1;
    trm_status status = trm_simulation_create(&s, &system, &options, &initial, &error);
    if (status != TRM_OK) {
        assert_null(s);
        assert_true(status < 0 && error.status == status && error.text[0]);
        return true;
    }
    trm_simulation_watch(s, &events);
    t->calls = 0;
    t->from = from;
    status = trm_simulation_run(s, 0.5);
    for (int k = 0; k < 100 && status == TRM_STOP_EVENT; k++)
        status = trm_simulation_run(s, 0.5);
    if (status < 0)
        assert_usable(s);
    trm_simulation_destroy(s);
    return status < 0;
}

#define NUMBER(name, ...) +1
enum { INTEGRATORS = 0 TRM_INTEGRATOR_LIST(NUMBER) };

static void run_all(way first, way last)
{
    const int from[] = {1, 30, 400};
    int failed = 0, cases = 0;
    for (int integrator = 0; integrator < INTEGRATORS; integrator++)
        for (way w = first; w <= last; w++)
            for (int which = ALL; which < CALLBACKS; which++)
                for (int k = 0; k < 3; k++, cases++) {
                    troublemaker t = {.way = w, .which = which, .noise = 1};
                    failed += run_troubled((trm_integrator)integrator, &t, from[k]);
                }
    // Those of the first 30 calls do. Some runs end before their 400th call; values of events are
    // evaluated rarely.
    assert_true(failed > cases / 2);
}

static void test_callbacks_that_refuse_end_the_run(void **state)
{
    (void)state;
    run_all(STOPS, RETRIES);
    run_all(UNKNOWN_RESULT, LOWEST_RESULT);
}

static void test_callbacks_without_numbers_end_the_run(void **state)
{
    (void)state;
    run_all(NO_NUMBER, INFINITE);
}

// these may pass: what they write is a number, and a smaller step may help
static void test_callbacks_that_change_their_mind_do_not_hang(void **state)
{
    (void)state;
    const int from[] = {1, 30, 400};
    for (int integrator = 0; integrator < INTEGRATORS; integrator++)
        for (way w = NEARLY_INFINITE; w < WAYS; w++)
            for (int which = ALL; which < CALLBACKS; which++)
                for (int k = 0; k < 3; k++) {
                    troublemaker t = {.way = w, .which = which, .noise = 1};
                    run_troubled((trm_integrator)integrator, &t, from[k]);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callbacks_that_refuse_end_the_run),
        cmocka_unit_test(test_callbacks_without_numbers_end_the_run),
        cmocka_unit_test(test_callbacks_that_change_their_mind_do_not_hang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
