// SPDX-License-Identifier: Apache-2.0
// Calls that make no sense: descriptions, options and starts that are no such things, times and
// numbers of items outside, damaged archives. None crashes, and a simulation goes on afterwards.
// (NULL: test_null_arguments.c; descriptions that are refused by name: test_description.c.)
#include "fail/ball.h"
#include "fail/fail.h"

#include <limits.h>
#include <stdlib.h>

// It is refused with a text, or it runs; both for all that may be in `initial` or `options`.
static void refuse_or_run(const trm_system *system, const trm_options *options,
                          const trm_initial *initial)
{
    trm_simulation *s = NULL;
    trm_error error;
    trm_status status = trm_simulation_create(&s, system, options, initial, &error);
    if (status != TRM_OK) {
        assert_true(status < 0 && error.text[0]);
        assert_null(s);
        return;
    }
    status = trm_simulation_run(s, trm_simulation_state(s)->t + 0.1);
    assert_true(status >= 0 || trm_simulation_error(s)->text[0]);
    trm_simulation_destroy(s);
}

static void test_misuse_of_descriptions_does_not_crash(void **state)
{
    (void)state;
    static char name[100000];
    memset(name, 'x', sizeof name - 1);
    const trm_options options = trm_options_default();
    const double zero[] = {0, 0}, no_number[] = {NAN, 1}, negative[] = {-1, 1};
    const char *const none[] = {NULL, NULL}, *const formats[] = {"%s%n", "%n"},
                      *const very_long[] = {name, name};
    const trm_block far = {1, 1, 5, 5}, before = {-1, -1, 1, 1};
#define TRY(...)                                                                                   \
    do {                                                                                           \
        trm_system s = pendulum(NULL);                                                             \
        __VA_ARGS__;                                                                               \
        refuse_or_run(&s, &options, &pendulum_start);                                              \
    } while (0)
    TRY(s.n_i = 1);
    TRY(s.n_held = 5);
    TRY(s.n_held = -5);
    TRY(s.n_switches = 1);
    TRY(s.n_switches = -1);
    TRY(s.pattern[TRM_QUANTITY_MASS].count = 5);
    TRY(s.pattern[TRM_QUANTITY_MASS].count = INT_MIN);
    TRY(s.pattern[TRM_QUANTITY_MASS] = (trm_pattern){0, NULL, NULL, 1, &far});
    TRY(s.pattern[TRM_QUANTITY_MASS] = (trm_pattern){1, NULL, NULL, 1, &before});
    TRY(s.pattern[TRM_QUANTITY_MASS] = (trm_pattern){1, NULL, NULL, 3, NULL});
    TRY(s.q_scale = zero);
    TRY(s.q_scale = no_number);
    TRY(s.v_scale = negative);
    TRY(s.evaluates = UINT64_MAX);
    TRY(s.constant = UINT64_MAX);
    TRY(s.q_names = s.g_names = none);
    TRY(s.q_names = s.g_names = very_long);
    TRY(s.q_names = s.g_names = formats, s.name = "%s%n%s");
    TRY(s.q_size = negative, s.q_size_period = -7);
#undef TRY
}

static void test_misuse_of_options_and_starts_does_not_crash(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
#define TRY(...)                                                                                   \
    do {                                                                                           \
        trm_options o = trm_options_default();                                                     \
        trm_initial i = pendulum_start;                                                            \
        o.max_steps = 100;                                                                         \
        __VA_ARGS__;                                                                               \
        refuse_or_run(&system, &o, &i);                                                            \
    } while (0)
    TRY(memset(&o, 0, sizeof o));
    TRY(memset(&o, 0xff, sizeof o));
    TRY(o.rtol = 0);
    TRY(o.atol = INFINITY);
    TRY(o.integrator = (trm_integrator)99);
    TRY(o.formulation = (trm_formulation)-1);
    TRY(o.h_initial = 1e300);
    TRY(o.h_max = 1e-300);
    TRY(o.h_min = 1e10);
    TRY(o.h_fixed = 1e-300);
    TRY(o.h_fixed = 1e300);
    TRY(o.max_steps = -1);
    TRY(o.max_order = 99);
    TRY(o.log_level = (trm_log_level)99);
    TRY(o.allocator.release = (void (*)(void *, void *))abort); // one of the two functions
    TRY(i.t = NAN);
    TRY(i.t = INFINITY);
    TRY(i.t = 1e308);
    TRY(i.q = NULL);
    TRY(i.q = (double[]){NAN, 0});
    TRY(i.q = (double[]){1e200, 1e200});
    TRY(i.v = (double[]){0, NAN});
    TRY(i.v = (double[]){0, 1e300});
#undef TRY
}

// ---- a simulation on its way ----

static trm_simulation *on_its_way(trm_integrator integrator)
{
    static trm_system system;
    system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.integrator = integrator;
    trm_simulation *s = create(&system, &options, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, 0.3), TRM_OK);
    return s;
}

static int height(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[1];
    return 0;
}

static void test_misuse_of_a_simulation_leaves_it_alone(void **state)
{
    (void)state;
    double d[8];
    const trm_state *sample;
    trm_simulation *s = on_its_way(TRM_INTEGRATOR_BDF);
    assert_true(trm_simulation_run(s, 0.1) < 0);
    assert_true(trm_simulation_run(s, NAN) < 0);
    assert_true(trm_simulation_step(s, NAN, d) < 0);
    assert_true(trm_simulation_step(s, -1, NULL) < 0);
    assert_true(trm_simulation_interpolate(s, 99, d, d, NULL, NULL, d) < 0);
    assert_true(trm_simulation_interpolate(s, NAN, d, d, NULL, NULL, d) < 0);
    assert_int_equal(trm_simulation_interpolate(s, 0.3, NULL, NULL, NULL, NULL, NULL), TRM_OK);
    assert_true(trm_simulation_sample(s, NAN, &sample) < 0);
    assert_true(trm_simulation_sample(s, -5, &sample) < 0);
    assert_int_equal(trm_simulation_accelerations(s, NULL, NULL), TRM_OK);
    for (int i = -1; i < 1000; i += 1000) {
        assert_int_equal(trm_simulation_fired(s, i), 0);
        assert_int_equal(trm_simulation_row_redundant(s, i), 0);
        assert_int_equal(trm_simulation_row_follows(s, i), -1);
        trm_simulation_row_unique(s, i);
    }
    assert_true(trm_simulation_watch(s, &(trm_events){.count = -1, .function = height}) < 0);
    assert_true(trm_simulation_watch(s, &(trm_events){.count = 1}) < 0);
    assert_int_equal(trm_simulation_watch(s, NULL), TRM_OK);
    assert_true(trm_simulation_restart(s, &(trm_initial){.t = 0.3, .v = (double[]){NAN, 0}}) < 0);
    assert_int_equal(trm_simulation_restart(s, &(trm_initial){.t = 99}), TRM_OK); // t is ignored
    assert_int_equal(trm_simulation_restart(s, NULL), TRM_OK);
    assert_true(trm_simulation_state(s)->t == 0.3);
    assert_int_equal(trm_simulation_run(s, 0.6), TRM_OK);
    trm_simulation_destroy(s);
}

// every archive that is cut or has one bit more or less is refused, as is that of another method
static void test_misuse_of_archives_is_refused(void **state)
{
    (void)state;
    trm_simulation *s = on_its_way(TRM_INTEGRATOR_BDF), *other = on_its_way(TRM_INTEGRATOR_RADAU);
    size_t size = trm_simulation_save(s, NULL, 0);
    assert_int_equal(trm_simulation_save(s, NULL, 1000), size);
    unsigned char *bytes = malloc(size), garbage[4096];
    assert_non_null(bytes);
    memset(garbage, 0x55, sizeof garbage);
    assert_int_equal(trm_simulation_save(s, garbage, 4), size); // does not fit
    assert_int_equal(trm_simulation_save(s, bytes, size), size);
    assert_true(trm_simulation_load(s, garbage, sizeof garbage) < 0);
    assert_true(trm_simulation_load(other, bytes, size) < 0);
    for (size_t k = 0; k < size; k++) {
        assert_true(trm_simulation_load(s, bytes, k) < 0);
        bytes[k] ^= 0x40;
        if (trm_simulation_load(s, bytes, size) >= 0)
            fail_msg("the archive was loaded with byte %zu of %zu changed", k, size);
        bytes[k] ^= 0x40;
    }
    assert_int_equal(trm_simulation_load(s, bytes, size), TRM_OK);
    assert_int_equal(trm_simulation_run(s, 0.6), TRM_OK);
    free(bytes);
    trm_simulation_destroy(s);
    trm_simulation_destroy(other);
}

// ---- numbers of items and texts ----

static void test_misuse_of_indices_gives_nothing(void **state)
{
    (void)state;
    char name[20];
    const trm_system system = pendulum(NULL); // with names
    assert_string_equal(trm_coordinate_name(&system, 1, name, sizeof name), "y");
    assert_string_equal(trm_coordinate_name(&system, 99, name, sizeof name), "q[99]");
    assert_string_equal(trm_coordinate_name(&system, -1, name, sizeof name), "q[-1]");
    assert_string_equal(trm_row_name(&system, 1, name, sizeof name), "row[1]");
    assert_null(trm_option(-1));
    assert_null(trm_option(1000));
    trm_quantity_name((trm_quantity)-1);
    trm_quantity_name((trm_quantity)1000);
}

static void test_misuse_of_models_gives_nothing(void **state)
{
    (void)state;
    trm_model *m = NULL;
    trm_instance *instance = NULL;
    trm_error error;
    assert_int_equal(trm_model_read(&m, text, strlen(text), "x", NULL, &error), TRM_OK);
    assert_int_equal(trm_instance_create(&instance, m, &error), TRM_OK);
    for (int i = -1; i < 1000; i += 1000) {
        assert_null(trm_model_channel(m, TRM_CHANNEL_POSITION, i));
        assert_null(trm_model_channel(m, (trm_channel_kind)i, 0));
        assert_int_equal(trm_model_count(m, (trm_channel_kind)i), 0);
        trm_model_unit(m, (trm_channel_kind)i, i);
        trm_model_event_action(m, i);
        assert_string_equal(trm_model_event_text(m, i), "");
        assert_true(trm_instance_event(instance, NULL, i) < 0);
    }
    trm_instance_destroy(instance);
    trm_model_destroy(m);
}

static void test_misuse_of_texts_is_refused(void **state)
{
    (void)state;
    trm_error error;
    trm_model *m = NULL;
    static const char *const set[] = {"=",
                                      "a",
                                      "..=1",
                                      "simulate.end=",
                                      "simulate..end=1",
                                      "equations.force.99=1",
                                      "equations.force.-1=1",
                                      "simulate.end=[",
                                      "simulate.end=&a *a",
                                      "x=y=z"};
    for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
        const trm_load load = {.set = (const char *[]){set[k], NULL}};
        trm_status status = trm_model_read(&m, text, strlen(text), "x", &load, &error);
        if (status == TRM_OK || !error.text[0])
            fail_msg("--set '%s' was not refused", set[k]);
        assert_null(m);
    }
    for (size_t length = 0; length < strlen(text); length++)
        if (trm_model_read(&m, text, length, "x", NULL, &error) == TRM_OK)
            trm_model_destroy(m);
        else
            assert_true(error.status < 0 && error.text[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misuse_of_descriptions_does_not_crash),
        cmocka_unit_test(test_misuse_of_options_and_starts_does_not_crash),
        cmocka_unit_test(test_misuse_of_a_simulation_leaves_it_alone),
        cmocka_unit_test(test_misuse_of_archives_is_refused),
        cmocka_unit_test(test_misuse_of_indices_gives_nothing),
        cmocka_unit_test(test_misuse_of_models_gives_nothing),
        cmocka_unit_test(test_misuse_of_texts_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
