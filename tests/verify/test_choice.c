// SPDX-License-Identifier: Apache-2.0
// integrator = auto on every problem in C: that it never does much more work than the best of its
// methods, which of them it uses, and that it goes on where one of them fails. ctest -V prints the
// table; bench_choice compares at equal error.
#include "verify.h"

// One run: its work, and the methods it has used.
typedef struct outcome {
    bool failed;
    long steps;
    double work; // as auto counts it
    char integrator[32], because[200];
    trm_method_share share[3];
    int shares;
} outcome;

static outcome run_once(const trp_problem *problem, trm_integrator integrator, double tol)
{
    outcome out = {0};
    trm_options options = verify_options(tol);
    options.integrator = integrator;
    trm_simulation *s;
    trm_error error;
    trm_status status = trm_simulation_create(&s, trp_problem_system(problem), &options,
                                              trp_problem_initial(problem), &error);
    if (status != TRM_OK)
        fail_msg("%s", error.text);
    out.failed = trm_simulation_run(s, trp_problem_end(problem)) < 0;
    const trm_start_report *start = trm_simulation_start(s);
    snprintf(out.integrator, sizeof out.integrator, "%s", start->integrator);
    snprintf(out.because, sizeof out.because, "%s", start->because);
    const trm_statistics *count = trm_simulation_statistics(s);
    out.steps = count->steps;
    out.work = (double)count->residual_evaluations + 1.5 * (double)count->jacobian_evaluations +
               0.1 * (double)count->solves;
    while (out.shares < 3 && trm_simulation_method(s, out.shares, &out.share[out.shares]))
        out.shares++;
    trm_simulation_destroy(s);
    return out;
}

// The time that a method has covered, as a share of all.
static double share_of(const outcome *o, const char *name)
{
    double all = 0, own = 0;
    for (int k = 0; k < o->shares; k++) {
        all += o->share[k].time;
        own += strcmp(o->share[k].name, name) == 0 ? o->share[k].time : 0;
    }
    return own / all;
}

// Of the work of the best. Runs of some hundred evaluations have no time to find out: explicit
// begins, and a trial costs a hundred. Measured: 2.1 at the most, and 1.1 in the mean.
static const double max_ratio = 3;

// auto against its methods; returns what auto did
static outcome compare(const char *name, const trm_problem_option *options, double tol)
{
    static const trm_integrator single[] = {TRM_INTEGRATOR_EXPLICIT, TRM_INTEGRATOR_RADAU_ADAPTIVE};
    trp_problem *problem;
    trm_error error;
    if (trp_problem_create(&problem, name, options, &error) != TRM_OK)
        fail_msg("%s: %s", name, error.text);
    double best = INFINITY;
    for (int k = 0; k < 2; k++) {
        outcome one = run_once(problem, single[k], tol);
        if (!one.failed)
            best = fmin(best, one.work);
        assert_int_equal(one.shares, 1);
        assert_int_equal(one.share[0].steps, one.steps);
    }
    outcome chosen = run_once(problem, TRM_INTEGRATOR_AUTO, tol);
    trp_problem_destroy(problem);
    printf("%-20s %-6.0e work %8.0f, best %8.0f, ratio %.2f; explicit %3.0f %%, radau-adaptive "
           "%3.0f %%, bdf %3.0f %%\n",
           name, tol, chosen.work, best, chosen.work / best, 100 * share_of(&chosen, "explicit"),
           100 * share_of(&chosen, "radau-adaptive"), 100 * share_of(&chosen, "bdf"));
    fflush(stdout);
    long steps = 0;
    for (int k = 0; k < chosen.shares; k++)
        steps += chosen.share[k].steps;
    assert_int_equal(steps, chosen.steps);
    assert_true(!chosen.failed || isinf(best));
    if (!(chosen.work <= max_ratio * best))
        fail_msg("%s at %g: auto does %.2f times the work of the best method", name, tol,
                 chosen.work / best);
    return chosen;
}

// these run for seconds
static bool takes_long(const char *name)
{
    return strcmp(name, "wheelset") == 0 || strcmp(name, "flexible-slider-crank") == 0;
}

static void test_choice_builtin_problems_never_does_much_more_work_than_the_best(void **state)
{
    (void)state;
    const trp_problem_info *info;
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    const trm_problem_option few[] = {{"links", 4}, {NULL, 0}}; // of the pendulum chain, not 16
    for (int k = 0; (info = trp_problem_list(k)); k++)
        for (int i = 0; i < 3 && !takes_long(info->name); i++)
            compare(info->name, strcmp(info->name, "pendulum-chain") == 0 ? few : NULL,
                    tolerances[i]);
}

static void test_choice_not_stiff_is_explicit(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "andrews", "chain"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        outcome o = compare(names[k], NULL, 1e-6);
        assert_true(share_of(&o, "explicit") > 0.9); // the rest is a trial
        assert_string_equal(o.integrator, "auto");
    }
}

static void test_choice_stiff_is_implicit(void **state)
{
    (void)state;
    // a bushing that rings and dies: stability would bind explicit steps to its period
    const trm_problem_option options[] = {{"k", 1e8}, {"zeta", 0.02}, {NULL, 0}};
    outcome o = compare("stiff-bushing", options, 1e-6);
    assert_true(share_of(&o, "explicit") < 0.1);
}

static void test_choice_settings_of_bdf_is_bdf(void **state)
{
    (void)state;
    static const char *const settings[][2] = {
        {"control", "classic"},        {"formulation", "ggl-star"}, {"max_order", "3"},
        {"error_test", "independent"}, {"h_fixed", "1e-3"},         {"jacobian_update", "secant"}};
    const trm_problem_option options[] = {{"k", 1e6}, {NULL, 0}};
    trp_problem *problem;
    trm_error error;
    assert_int_equal(trp_problem_create(&problem, "stiff-bushing", options, &error), TRM_OK);
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        trm_options o = verify_options(1e-8);
        o.integrator = TRM_INTEGRATOR_AUTO;
        assert_int_equal(trm_options_set(&o, settings[k][0], settings[k][1], &error), TRM_OK);
        trm_simulation *s;
        if (trm_simulation_create(&s, trp_problem_system(problem), &o, trp_problem_initial(problem),
                                  &error) != TRM_OK)
            fail_msg("%s = %s: %s", settings[k][0], settings[k][1], error.text);
        assert_string_equal(trm_simulation_start(s)->integrator, "bdf");
        assert_string_not_equal(trm_simulation_start(s)->because, "");
        trm_simulation_destroy(s);
    }
    trp_problem_destroy(problem);
}

// Positions at the end of a run into q (2); returns its steps.
static long run_to_end(const trp_problem *problem, trm_integrator integrator,
                       trm_formulation formulation, double tol, double *q)
{
    trm_options o = verify_options(tol);
    o.integrator = integrator;
    o.formulation = formulation;
    trm_simulation *s;
    trm_error error;
    if (trm_simulation_create(&s, trp_problem_system(problem), &o, trp_problem_initial(problem),
                              &error) != TRM_OK)
        fail_msg("%s", error.text);
    assert_true(trm_simulation_run(s, trp_problem_end(problem)) >= 0);
    memcpy(q, trm_simulation_state(s)->q, 2 * sizeof *q);
    long steps = trm_simulation_statistics(s)->steps;
    trm_simulation_destroy(s);
    return steps;
}

// Where a formulation leaves auto no other method, bdf has 0.015 of the tolerance of 1e-6, as it
// has in auto elsewhere. Errors go with tolerance^(5/6), a factor of 33, steps with
// tolerance^(-1/6), 2.0.
static void test_choice_formulation_of_bdf_has_the_error_of_auto(void **state)
{
    (void)state;
    trp_problem *problem;
    trm_error error;
    assert_int_equal(trp_problem_create(&problem, "pendulum", NULL, &error), TRM_OK);
    double right[2], alone[2], chosen[2];
    run_to_end(problem, TRM_INTEGRATOR_RADAU_ADAPTIVE, TRM_FORMULATION_CS, 1e-12, right);
    static const trm_formulation formulations[] = {TRM_FORMULATION_CM, TRM_FORMULATION_INDEX2};
    for (int k = 0; k < 2; k++) {
        long few = run_to_end(problem, TRM_INTEGRATOR_BDF, formulations[k], 1e-6, alone);
        long many = run_to_end(problem, TRM_INTEGRATOR_AUTO, formulations[k], 1e-6, chosen);
        double before = hypot(alone[0] - right[0], alone[1] - right[1]);
        double now = hypot(chosen[0] - right[0], chosen[1] - right[1]);
        print_message("%s: bdf %ld steps, error %.1e; auto %ld steps, error %.1e\n",
                      verify_formulation(formulations[k]), few, before, many, now);
        assert_true(now < 0.1 * before);
        assert_true(many < 3 * few);
    }
    trp_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice_builtin_problems_never_does_much_more_work_than_the_best),
        cmocka_unit_test(test_choice_not_stiff_is_explicit),
        cmocka_unit_test(test_choice_stiff_is_implicit),
        cmocka_unit_test(test_choice_settings_of_bdf_is_bdf),
        cmocka_unit_test(test_choice_formulation_of_bdf_has_the_error_of_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
