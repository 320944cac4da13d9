// SPDX-License-Identifier: Apache-2.0
// Runs whose tolerance does not suit their numbers say so, and what is close to them does not.
#include "models.h"

static const char nano[] = "trammel: 1\n"
                           "equations:\n"
                           "  coordinates: {x: v}\n"
                           "  mass: [1e-12]\n"
                           "  force: [\"-1*x\"]\n"
                           "initial: {values: {x: 1e-9}}\n"
                           "simulate: {end: \"20*pi*1e-6\"}\n";
static const char rest[] = "trammel: 1\n"
                           "equations:\n"
                           "  coordinates: {x: v}\n"
                           "  mass: [1]\n"
                           "  force: [\"-x\"]\n"
                           "initial: {values: {x: 1e-12}}\n"
                           "simulate: {end: 10}\n";
static const char late[] = "trammel: 1\n"
                           "equations:\n"
                           "  coordinates: {x: v}\n"
                           "  mass: [1]\n"
                           "  force: [\"-x + sin(3*(t - 1e9))\"]\n"
                           "initial: {values: {x: 1}}\n"
                           "simulate: {start: 1e9, end: \"1e9 + 1\"}\n";
#define PENDULUM(invariant, end)                                                                   \
    "trammel: 1\n"                                                                                 \
    "equations:\n"                                                                                 \
    "  coordinates: {x: vx, y: vy}\n"                                                              \
    "  mass: [1, 1]\n"                                                                             \
    "  force: [0, -9.81]\n"                                                                        \
    "  constraints: {circle: \"x^2 + y^2 - 1\"}\n" invariant "initial: {values: {x: 1}}\n"         \
    "simulate: {end: " end "}\n"
#define INVARIANT(factor)                                                                          \
    PENDULUM("  invariants: {energy: \"(vx^2 + vy^2)/2 + 9.81*y*" factor "\"}\n", "2")
static const char drifting[] = PENDULUM("", "100");
// a four-bar whose crank is driven: nothing is left to integrate, and index 3 of the alpha methods
// asks for positions only
static const char driven[] = "trammel: 1\n"
                             "mechanism:\n"
                             "  plane: xy\n"
                             "  bodies:\n"
                             "    crank: {mass: 1, center: [0.15, 0], inertia: 0.1}\n"
                             "    rod: {mass: 1, center: [0.8, 0.5], inertia: 0.1}\n"
                             "    rocker: {mass: 1, center: [1.3, 0.5], inertia: 0.1}\n"
                             "  joints:\n"
                             "    a: {revolute: {between: [ground, crank], at: [0, 0]},\n"
                             "        motion: \"2.23*t\"}\n"
                             "    b: {revolute: {between: [crank, rod], at: [0.3, 0]}}\n"
                             "    c: {revolute: {between: [rod, rocker], at: [1.3, 1]}}\n"
                             "    d: {revolute: {between: [ground, rocker], at: [1.3, 0]}}\n"
                             "simulate: {end: 10}\n";
static const char right[] = INVARIANT("1"), wrong[] = INVARIANT("2");

static void test_signs_are_reported_where_they_apply(void **state)
{
    (void)state;
    static const struct {
        const char *model, *integrator;
        double tolerance;
        const char *more, *said; // NULL: nothing is said
    } cases[] = {
        {nano, "bdf", 1e-8, NULL, "below the absolute tolerance"},
        {nano, "generalized-alpha", 1e-8, NULL, "below the absolute tolerance"},
        {nano, "bdf", 1e-11, NULL, NULL},
        {nano, "explicit", 1e-8, NULL, NULL}, // tests velocities
        {rest, "bdf", 1e-8, NULL, NULL},
        // eps 1e9 s = 2e-7 s, in which x moves by 1e-7: 1000 tolerances of 1e-10, 10 of 1e-8
        {late, "bdf", 1e-10, NULL, "times of 1e+09 are known to"},
        {late, "radau-adaptive", 1e-8, NULL, NULL},
        // index 1 drifts by 400 tolerances in 100 s here
        {drifting, "bdf", 1e-8, "simulate.formulation=index1", "constraint circle is violated"},
        {drifting, "bdf", 1e-8, "simulate.formulation=cs", NULL},
        // |G v + g_t| is 1 m/s where the joints move with 0.7 m/s; with bdf 1e-4 m/s
        {driven, "newmark", 1e-7, "simulate.formulation=index3", "contradict constraint c_y"},
        {driven, "bdf", 1e-5, "simulate.formulation=index3", NULL},
        {driven, "newmark", 1e-7, "simulate.formulation=cs", NULL},
        {right, "bdf", 1e-6, "simulate.formulation=index1-projected", NULL},
        {right, "explicit", 1e-3, NULL, NULL},
        {wrong, "bdf", 1e-3, "simulate.formulation=index1-projected", "invariant 1 is none"},
        {wrong, "explicit", 1e-6, NULL, "invariant 1 is none"},
        {wrong, "adams", 1e-6, NULL, "invariant 1 is none"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        model_case c;
        trm_simulation *s = model_simulate(&c, cases[k].model, "m.yaml", cases[k].integrator,
                                           cases[k].tolerance, cases[k].more);
        trm_status status = trm_simulation_run(s, trm_model_schedule(c.model)->end);
        const char *text = trm_simulation_error(s)->text;
        bool good = cases[k].said ? status == TRM_UNTRUSTED && strstr(text, cases[k].said)
                                  : status == TRM_OK;
        if (!good)
            fail_msg("case %zu, %s at %g: %s %s", k, cases[k].integrator, cases[k].tolerance,
                     trm_status_name(status), text);
        trm_simulation_destroy(s);
        model_close(&c);
    }
}

// At 1e-11 the first steps are as short as the roundoff of the time: no step is short enough.
static void test_signs_coarse_time_is_the_advice_where_steps_fail(void **state)
{
    (void)state;
    model_case c;
    trm_simulation *s = model_simulate(&c, late, "m.yaml", "bdf", 1e-11, NULL);
    assert_int_equal(trm_simulation_run(s, trm_model_schedule(c.model)->end), TRM_ERR_ERROR_TEST);
    assert_string_equal(trm_simulation_error(s)->advice,
                        "measure time from an origin close to the run, or loosen the tolerance");
    trm_simulation_destroy(s);
    model_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs_are_reported_where_they_apply),
        cmocka_unit_test(test_signs_coarse_time_is_the_advice_where_steps_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
