// SPDX-License-Identifier: Apache-2.0
// Kept derivatives in every kind of system: a linkage on a table that is shaken, {explicit,
// residual} formalism x {loops, none} x {forces that depend on multipliers, none} x {full,
// partitioned, extended, secant} x {default, classic}. The motion is that of Radau IIA at a tight
// tolerance, and the counters show that what is asked for is done.
#include "fail/fail.h"
#include "models.h"

#include <math.h>

enum { MOST = 8, RUNS = 6 };
static const double END = 0.5;

// friction in the pivot: the joint is a cut then, and its force depends on its multipliers
#define FRICTION ", friction: {static: 0.2, dynamic: 0.15, radius: 0.01, slip: 0.5, stribeck: 1}"
#define ROCKER "    rocker: {mass: 0.8, center: [0.5, -0.05], inertia: 1.1e-2}\n"
#define CLOSE                                                                                      \
    "    close: {revolute: {between: [rod, rocker], at: [0.5, 0.1]}}\n"                            \
    "    hinge: {revolute: {between: [table, rocker], at: [0.5, -0.2]}}\n"

static const char text[] =
    "trammel: 1\n"
    "mechanism:\n"
    "  gravity: [0, -9.81]\n"
    "  plane: xy\n"
    "  formalism: %s\n"
    "  bodies:\n"
    "    table: {mass: 5, center: [0, -0.2], inertia: 1}\n"
    "    arm: {mass: 0.5, center: [0, 0], inertia: 1.7e-3}\n"
    "    rod: {mass: 1, center: [0.25, 0.05], inertia: 2.5e-2}\n%s"
    "  joints:\n"
    "    lift:\n"
    "      prismatic: {between: [ground, table], at: [0, 0], axis: y}\n"
    "      motion: {travel: \"0.03*sin(9*t)\"}\n"
    "    pivot: {revolute: {between: [table, arm], at: [0, -0.2]}, start: {rate: 5}%s}\n"
    "    elbow: {revolute: {between: [arm, rod], at: [0, 0.2]}}\n%s"
    "  forces:\n"
    "    strut: {spring: {between: [table, rod], from: [0.4, -0.6], to: [0.3, 0.06],\n"
    "                     stiffness: 4e3, damping: 20, length: 0.6}}\n"
    "    brace: {spring: {between: [ground, rod], from: [-0.4, 0.3], to: [0.2, 0.1],\n"
    "                     stiffness: 1e3, damping: 5, length: 0.5}}\n"
    "simulate: {end: 1}\n";

typedef struct machine {
    bool explicit, loops, friction;
} machine;

static void open_machine(model_case *c, machine m)
{
    char all[3000];
    snprintf(all, sizeof all, text, m.explicit ? "explicit" : "residual", m.loops ? ROCKER : "",
             m.friction ? FRICTION : "", m.loops ? CLOSE : "");
    model_read(c, all);
}

static const char *describe(machine m)
{
    static char out[80];
    snprintf(out, sizeof out, "%s, %s, %s", m.explicit ? "explicit" : "residual",
             m.loops ? "loops" : "no loops", m.friction ? "f(lambda)" : "f");
    return out;
}

typedef struct outcome {
    double q[MOST];
    trm_statistics statistics;
    char warnings[1000];
} outcome;

static void collect(trm_log_level level, const char *line, void *user)
{
    outcome *out = user;
    size_t length = strlen(out->warnings);
    if (level <= TRM_LOG_WARNING)
        snprintf(out->warnings + length, sizeof out->warnings - length, "%s\n", line);
}

static outcome run_to(machine m, trm_options options, double end)
{
    model_case c;
    outcome out = {0};
    open_machine(&c, m);
    assert_true(c.system->n_q <= MOST);
    options.log = collect;
    options.log_level = TRM_LOG_WARNING;
    options.user = &out;
    trm_simulation *s = create(c.system, &options, trm_instance_initial(c.instance));
    assert_status(trm_simulation_run(s, end), TRM_OK, trm_simulation_error(s));
    assert_int_equal(trm_simulation_interpolate(s, end, out.q, NULL, NULL, NULL, NULL), TRM_OK);
    out.statistics = *trm_simulation_statistics(s);
    trm_simulation_destroy(s);
    model_close(&c);
    return out;
}

static outcome run(machine m, trm_options options)
{
    return run_to(m, options, END);
}

static trm_options options_of(trm_control control, trm_jacobian_update update)
{
    trm_options o = trm_options_default();
    o.control = control;
    o.jacobian_update = update;
    o.rtol = o.atol = 1e-7;
    return o;
}

static outcome reference(machine m)
{
    trm_options o = trm_options_default();
    o.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    o.rtol = o.atol = 1e-11;
    return run(m, o);
}

static double distance(const outcome *a, const outcome *b)
{
    double most = 0;
    for (int i = 0; i < MOST; i++)
        most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

// ---- every combination ----

// Largest distances measured at a tolerance of 1e-7 of positions alone: default 1.1e-5, with
// friction, whose kinks some runs step over, 2.2e-4; classic 2.5e-3 (a carried-over rate reports
// convergence too early, docs/formulations.md). Wrong constraint forces gave 1.
static double bound_of(trm_control control)
{
    return control == TRM_CONTROL_CLASSIC ? 1e-2 : 1e-3;
}

static void check_combination(machine m, trm_control control, trm_jacobian_update update,
                              const outcome *exact)
{
    const outcome out = run(m, options_of(control, update));
    const bool classic = control == TRM_CONTROL_CLASSIC;
    const double apart = distance(&out, exact);
    const long evaluations = out.statistics.jacobian_evaluations;
    const long updates = out.statistics.jacobian_updates;
    const bool kept = update != TRM_JACOBIAN_UPDATE_FULL;
    print_message("%-32s %-12s %-8s %.1e from the motion, %ld evaluations, %ld updates\n",
                  describe(m), trm_option(17)->choices[update], classic ? "classic" : "default",
                  apart, evaluations, updates);
    if (!(apart <= bound_of(control)))
        fail_msg("%s: %g from the motion", describe(m), apart);
    assert_string_equal(out.warnings, "");
    if (kept && !(updates > evaluations))
        fail_msg("%s: %ld evaluations, %ld updates", describe(m), evaluations, updates);
    if (!kept)
        assert_int_equal(updates, 0);
}

static void test_kept_every_combination_moves_as_it_should(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        const machine m = {k & 1, k & 2, k & 4};
        const outcome exact = reference(m);
        for (int update = TRM_JACOBIAN_UPDATE_FULL; update <= TRM_JACOBIAN_UPDATE_SECANT; update++)
            for (int control = 0; control < 2; control++)
                check_combination(m, (trm_control)control, (trm_jacobian_update)update, &exact);
    }
}

// the same with derivatives by differences, by columns and by groups
static void test_kept_differences_move_as_they_should(void **state)
{
    (void)state;
    static const trm_jacobian_source sources[] = {TRM_JACOBIAN_SOURCE_DIFFERENCES,
                                                  TRM_JACOBIAN_SOURCE_GROUPED};
    for (int k = 0; k < 8; k++) {
        const machine m = {k & 1, k & 2, k & 4};
        const outcome exact = reference(m);
        for (int i = 0; i < 2; i++)
            for (int control = 0; control < 2; control++) {
                trm_options o = options_of((trm_control)control, TRM_JACOBIAN_UPDATE_PARTITIONED);
                o.jacobian_source = sources[i];
                const outcome out = run(m, o);
                const double apart = distance(&out, &exact);
                if (!(apart <= bound_of((trm_control)control)))
                    fail_msg("%s, source %d, control %d: %g from the motion", describe(m),
                             (int)sources[i], control, apart);
                assert_true(out.statistics.jacobian_updates > out.statistics.jacobian_evaluations);
            }
    }
}

// ---- the limit of short steps ----

// Constant steps of 1e-4 s, order 5: the method leaves 1e-11, Newton at these tolerances less than
// 1e-10, the start where multipliers enter 1e-9, and the joint that breaks away inside of the first
// steps 3e-7.
static void test_kept_with_short_steps_all_agree(void **state)
{
    (void)state;
    const double end = 0.02; // before the joint with friction turns back
    double most = 0;
    for (int k = 0; k < 8; k++) {
        const machine m = {k & 1, k & 2, k & 4};
        trm_options o = trm_options_default();
        o.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
        o.rtol = o.atol = 1e-12;
        const outcome exact = run_to(m, o, end);
        for (int i = 0; i < 8; i++) {
            o = options_of((trm_control)(i / 4), (trm_jacobian_update)(i % 4 + 1));
            o.rtol = o.atol = 1e-9;
            o.newton_tolerance = 1e-2;
            o.h_fixed = 1e-4;
            const outcome out = run_to(m, o, end);
            const double apart = distance(&out, &exact);
            most = fmax(most, apart);
            if (!(apart <= (m.friction ? 1e-6 : 1e-8)))
                fail_msg("%s, update %d, control %d: %g apart", describe(m), i % 4 + 1, i / 4,
                         apart);
        }
    }
    print_message("largest distance %.1e\n", most);
}

// ---- counters ----

static int compare(const void *a, const void *b)
{
    const long *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// median of the evaluations over first steps of 1e-4 .. 1.55e-4
static double evaluations(machine m, trm_options options)
{
    long count[RUNS];
    for (int k = 0; k < RUNS; k++) {
        options.h_initial = 1e-4 * (1 + 0.11 * k);
        count[k] = run(m, options).statistics.jacobian_evaluations;
    }
    qsort(count, RUNS, sizeof *count, compare);
    return 0.5 * (double)(count[RUNS / 2 - 1] + count[RUNS / 2]);
}

// Loops in the explicit form, where multipliers enter the accelerations of all bodies: the case
// that partitioned updates were made for. At most a fifth of the evaluations; a third with
// friction, whose slope changes where the joint turns back (measured: 0.22).
static void test_kept_loops_in_explicit_form_take_a_fifth(void **state)
{
    (void)state;
    static const trm_jacobian_update updates[] = {TRM_JACOBIAN_UPDATE_PARTITIONED,
                                                  TRM_JACOBIAN_UPDATE_SECANT};
    for (int friction = 0; friction < 2; friction++)
        for (int control = 0; control < 2; control++) {
            const machine m = {true, true, friction};
            const double full =
                evaluations(m, options_of((trm_control)control, TRM_JACOBIAN_UPDATE_FULL));
            for (int i = 0; i < 2; i++) {
                const double kept = evaluations(m, options_of((trm_control)control, updates[i]));
                print_message("%s, %s, %s: %g of %g\n", describe(m),
                              control ? "classic" : "default", i ? "secant" : "partitioned", kept,
                              full);
                if (!(kept <= (friction ? 1.0 / 3 : 0.2) * full))
                    fail_msg("%s: %g evaluations, %g with full", describe(m), kept, full);
            }
        }
}

// ---- options without effect ----

static void assert_warns(trm_options options, machine m, const char *warning)
{
    const outcome out = run(m, options);
    if (!strstr(out.warnings, warning))
        fail_msg("no warning '%s' in '%s'", warning, out.warnings);
}

static void test_kept_options_without_effect_are_warned_of(void **state)
{
    (void)state;
    const machine m = {.loops = true};
    trm_options o = options_of(TRM_CONTROL_DEFAULT, TRM_JACOBIAN_UPDATE_AUTO);
    o.annihilator = TRM_ANNIHILATOR_QR;
    assert_warns(o, m, "option annihilator has no effect: P is formed under control classic");
    o = options_of(TRM_CONTROL_DEFAULT, TRM_JACOBIAN_UPDATE_AUTO);
    o.projection_norm = TRM_PROJECTION_NORM_EUCLIDEAN;
    assert_warns(o, m, "option projection_norm has no effect: formulation cs has no projection");
    o = options_of(TRM_CONTROL_DEFAULT, TRM_JACOBIAN_UPDATE_AUTO);
    o.jacobian_increments = TRM_INCREMENTS_PAPER;
    assert_warns(o, m, "option jacobian_increments has no effect: no derivative is formed");
    o = options_of(TRM_CONTROL_DEFAULT, TRM_JACOBIAN_UPDATE_PARTITIONED);
    o.integrator = TRM_INTEGRATOR_ADAMS;
    assert_warns(o, m, "option jacobian_update has no effect: integrator adams has no Newton");
    o = options_of(TRM_CONTROL_CLASSIC, TRM_JACOBIAN_UPDATE_AUTO);
    o.error_test = TRM_ERROR_TEST_KAPPA;
    o.annihilator = TRM_ANNIHILATOR_QR;
    assert_warns(o, m, "option error_test has no effect: this matrix chooses no independent");
    o = options_of(TRM_CONTROL_CLASSIC, TRM_JACOBIAN_UPDATE_AUTO);
    o.error_test = TRM_ERROR_TEST_INDEPENDENT;
    assert_warns(o, (machine){.loops = true, .friction = true},
                 "option error_test has no effect: this matrix chooses no independent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_every_combination_moves_as_it_should),
        cmocka_unit_test(test_kept_differences_move_as_they_should),
        cmocka_unit_test(test_kept_with_short_steps_all_agree),
        cmocka_unit_test(test_kept_loops_in_explicit_form_take_a_fifth),
        cmocka_unit_test(test_kept_options_without_effect_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
