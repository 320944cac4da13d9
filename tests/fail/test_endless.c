// SPDX-License-Identifier: Apache-2.0
// Motions on which no time passes: accelerations beyond all bounds, formulas of t that jump at
// every number, steps shorter than times can be distinguished, conditions that are zero at every
// landing. Each ends with an error, after few steps.
#include "fail.h"

#include <string.h>

enum { FEW_STEPS = 2000 };

// Runs the model to its end, with its events, as far as FEW_STEPS go.
static trm_status run_model(const char *text, trm_error *error, trm_statistics *statistics)
{
    const char *const set[] = {"simulate.max_steps=2000", NULL};
    const trm_load load = {.set = set};
    trm_model *model;
    trm_instance *instance;
    trm_simulation *s;
    assert_status(trm_model_read(&model, text, strlen(text), "endless.yaml", &load, error), TRM_OK,
                  error);
    assert_status(trm_instance_create(&instance, model, error), TRM_OK, error);
    assert_status(trm_simulation_create(&s, trm_instance_system(instance), trm_model_options(model),
                                        trm_instance_initial(instance), error),
                  TRM_OK, error);
    if (trm_instance_events(instance))
        assert_int_equal(trm_simulation_watch(s, trm_instance_events(instance)), TRM_OK);
    trm_status status = trm_simulation_run(s, trm_model_schedule(model)->end);
    *error = *trm_simulation_error(s);
    *statistics = *trm_simulation_statistics(s);
    trm_simulation_destroy(s);
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    return status;
}

static void assert_ends(const char *text, const char *part)
{
    trm_error error;
    trm_statistics statistics;
    trm_status status = run_model(text, &error, &statistics);
    char all[3000] = "";
    trm_error_format(&error, all, sizeof all);
    assert_true(statistics.steps <= FEW_STEPS);
    if (status >= 0 || !strstr(all, part) || !error.advice[0])
        fail_msg("%s, without \"%s\" or advice:\n%s", trm_status_name(status), part, all);
}

// A mass of 1e-300 is accelerated by 1e300: the first step would be 0.
static void test_endless_acceleration_gives_up(void **state)
{
    (void)state;
    assert_ends("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: v, y: w}\n"
                "  mass: [\"1e-300 + y\", 1]\n"
                "  force: [1, \"tanh(x)\"]\n"
                "events: {e: {when: \"w\", direction: falling, action: log}}\n"
                "simulate: {end: 0.5}\n",
                "");
}

// Jumps of a formula at each number that t can have.
static void test_endless_jumps_of_time_give_up(void **state)
{
    (void)state;
    assert_ends("trammel: 1\n"
                "equations:\n"
                "  coordinates: {x: v}\n"
                "  mass: [1]\n"
                "  force: [\"sin(floor(1e30*max(t - 0.5, 0)))\"]\n"
                "simulate: {end: 1}\n",
                "jump");
}

// (-1)^t has no value between whole numbers: that is not a jump at each number.
static void test_endless_condition_without_value_ends(void **state)
{
    (void)state;
    trm_error error;
    trm_statistics statistics;
    run_model("trammel: 1\n"
              "parameters: {p: -1}\n"
              "equations:\n"
              "  coordinates: {x: v}\n"
              "  mass: [1]\n"
              "  force: [\"if((p^t) < 0.5, 1, 0.8) - x\"]\n"
              "simulate: {end: 10}\n",
              &error, &statistics);
    assert_true(statistics.steps <= FEW_STEPS);
}

// floor(log(t)) jumps 745 times before t = 1, the first times one number apart.
static void test_endless_jumps_at_start_end(void **state)
{
    (void)state;
    trm_error error;
    trm_statistics statistics;
    run_model("trammel: 1\n"
              "equations:\n"
              "  coordinates: {x: v}\n"
              "  mass: [1]\n"
              "  force: [\"tanh(floor(log(t)))\"]\n"
              "simulate: {end: 0.8}\n",
              &error, &statistics);
    assert_true(statistics.steps <= FEW_STEPS);
}

// Where the constraint holds q3 = 0 the condition 0.3/q3 < 1.5 has a gap near 1e60, and the step up
// to its closing is rounded to the same one again and again.
static void test_endless_landings_end(void **state)
{
    (void)state;
    assert_ends(
        "trammel: 1\n"
        "parameters: {p0: 0.8, p1: 2}\n"
        "equations:\n"
        "  coordinates: {q0: v0, q1: v1, q2: v2, q3: v3}\n"
        "  mass: [1.5, 0.8, 1.5, 3]\n"
        "  force: [\"-p1*q0 - 0.1*v0 + tanh(if((0.3/q3) < 1.5, (v2*q3), 3)) + 0.1*s\", \"-p1*q1 - "
        "0.1*v1 + tanh(v3) + 0.1*s\", \"-p1*q2 - 0.1*v2 + tanh(if(q3 < 2, (q3 - v3), 2)) + "
        "0.1*s\", \"-p1*q3 - 0.1*v3 + tanh((if(t < 0, v1, 2) + tanh(q1))) + 0.1*s\"]\n"
        "  states: {s: \"-s + q0\"}\n"
        "  constraints: {g0: \"q3\", g1: \"q1\"}\n"
        "  velocity_constraints: {a0: \"v0 - sin(q0)*v3\"}\n"
        "initial: {values: {q0: 1, q3: 0.2}}\n"
        "outputs: {o0: \"q0\", o1: \"q1\", o2: \"q2\", o3: \"q3\"}\n"
        "simulate: {end: 0.8}\n",
        "max_steps");
}

// Far from 0 two times cannot be closer than 2e-10.
static void test_endless_constant_steps_below_roundoff_give_up(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    trm_initial initial = pendulum_start;
    initial.t = 1e6;
    options.integrator = TRM_INTEGRATOR_RADAU;
    options.h_fixed = 1e-12;
    trm_simulation *s = create(&system, &options, &initial);
    assert_status(trm_simulation_run(s, 1e6 + 1), TRM_ERR_ERROR_TEST, trm_simulation_error(s));
    assert_non_null(strstr(trm_simulation_error(s)->text, "does not change the time"));
    assert_non_null(strstr(trm_simulation_error(s)->advice, "longer step"));
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endless_acceleration_gives_up),
        cmocka_unit_test(test_endless_jumps_of_time_give_up),
        cmocka_unit_test(test_endless_condition_without_value_ends),
        cmocka_unit_test(test_endless_jumps_at_start_end),
        cmocka_unit_test(test_endless_landings_end),
        cmocka_unit_test(test_endless_constant_steps_below_roundoff_give_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
