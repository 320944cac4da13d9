// SPDX-License-Identifier: Apache-2.0
// integrator = auto on every problem in C: what it takes, that it says why, that its runs are those
// of the method it took, and that it never does much more work than bdf. ctest -V prints the table;
// bench_choice measures the time.
#include "verify.h"

// One run: its work, and what the simulation says of itself.
typedef struct outcome {
    long steps;
    double work; // evaluations of the forces and factorizations
    char integrator[32], because[200];
    double q;
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
    if (trm_simulation_run(s, trp_problem_end(problem)) < 0)
        fail_msg("%s: %s", trp_problem_system(problem)->name, trm_simulation_error(s)->text);
    const trm_start_report *start = trm_simulation_start(s);
    snprintf(out.integrator, sizeof out.integrator, "%s", start->integrator);
    snprintf(out.because, sizeof out.because, "%s", start->because);
    const trm_statistics *count = trm_simulation_statistics(s);
    out.steps = count->steps;
    out.work = (double)count->residual_evaluations + (double)count->factorizations;
    out.q = trm_simulation_state(s)->q[0];
    trm_simulation_destroy(s);
    return out;
}

static const double max_ratio = 2; // of the work of bdf

// auto against bdf; returns what auto took
static outcome compare(const char *name, const trm_problem_option *options, double tol)
{
    trp_problem *problem;
    trm_error error;
    if (trp_problem_create(&problem, name, options, &error) != TRM_OK)
        fail_msg("%s: %s", name, error.text);
    outcome bdf = run_once(problem, TRM_INTEGRATOR_BDF, tol);
    outcome chosen = run_once(problem, TRM_INTEGRATOR_AUTO, tol);
    trp_problem_destroy(problem);
    double ratio = chosen.work / bdf.work;
    printf("%-20s %-6.0e %-15s %6ld steps, bdf %6ld steps, ratio of work %.2f\n", name, tol,
           chosen.integrator, chosen.steps, bdf.steps, ratio);
    fflush(stdout);
    assert_string_equal(bdf.because, "");
    assert_string_not_equal(chosen.because, "");
    if (strcmp(chosen.integrator, "bdf") == 0) { // computing the modes leaves no trace
        assert_int_equal(chosen.steps, bdf.steps);
        assert_true(chosen.q == bdf.q);
    }
    if (!(ratio <= max_ratio))
        fail_msg("%s at %g: auto takes %s and does %.2f times the work of bdf", name, tol,
                 chosen.integrator, ratio);
    return chosen;
}

// these run for seconds
static bool takes_long(const char *name)
{
    return strcmp(name, "wheelset") == 0 || strcmp(name, "flexible-slider-crank") == 0;
}

static void test_choice_builtin_problems_never_does_much_more_work_than_bdf(void **state)
{
    (void)state;
    const trp_problem_info *info;
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    const trm_problem_option few[] = {{"links", 4}, {NULL, 0}}; // of the pendulum chain, not 16
    for (int k = 0; (info = trp_problem_list(k)); k++)
        for (int i = 0; i < 4 && !takes_long(info->name); i++)
            compare(info->name, strcmp(info->name, "pendulum-chain") == 0 ? few : NULL,
                    tolerances[i]);
}

static const char *chosen_for(double k, double zeta, double tol)
{
    static outcome last;
    const trm_problem_option options[] = {{"k", k}, {"zeta", zeta}, {NULL, 0}};
    last = compare("stiff-bushing", options, tol);
    return last.integrator;
}

static void test_choice_visible_fast_vibration_is_radau(void **state)
{
    (void)state;
    // d = 10/k is far above the tolerance and small: bdf would follow it
    assert_string_equal(chosen_for(1e6, 0.02, 1e-8), "radau-adaptive");
    assert_string_equal(chosen_for(1e6, 0.005, 1e-8), "radau-adaptive");
}

static void test_choice_fast_mode_not_worth_it_is_bdf(void **state)
{
    (void)state;
    // too small to be seen, strongly damped, never dying, the motion itself, and near roundoff
    assert_string_equal(chosen_for(1e8, 0.02, 1e-6), "bdf");
    assert_string_equal(chosen_for(1e6, 0.5, 1e-8), "bdf");
    assert_string_equal(chosen_for(1e6, 0, 1e-8), "bdf");
    assert_string_equal(chosen_for(1e3, 0.02, 1e-8), "bdf");
    assert_string_equal(chosen_for(1e8, 0.02, 1e-10), "bdf");
}

static void test_choice_many_digits_is_radau(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "andrews", "andrews-absolute", "car-axis"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        assert_string_equal(compare(names[k], NULL, 1e-10).integrator, "radau-adaptive");
        assert_string_equal(compare(names[k], NULL, 1.1e-10).integrator, "bdf");
    }
}

static void test_choice_many_digits_where_long_steps_do_not_pay_is_bdf(void **state)
{
    (void)state;
    // ten links: mobility 10. Stiff: undamped, and roundoff of k = 1e10 is above the tolerance,
    // where radau-adaptive takes 10 000 steps at 1e-11
    outcome chain = compare("chain", NULL, 1e-10);
    assert_string_equal(chain.integrator, "bdf");
    assert_non_null(strstr(chain.because, "size"));
    assert_string_equal(chosen_for(1e6, 0, 1e-10), "bdf");
    assert_string_equal(chosen_for(1e10, 0.02, 1e-10), "bdf");
    assert_string_equal(chosen_for(1e10, 0.02, 1e-11), "bdf");
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
        trm_simulation_destroy(s);
    }
    trp_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice_builtin_problems_never_does_much_more_work_than_bdf),
        cmocka_unit_test(test_choice_visible_fast_vibration_is_radau),
        cmocka_unit_test(test_choice_fast_mode_not_worth_it_is_bdf),
        cmocka_unit_test(test_choice_many_digits_is_radau),
        cmocka_unit_test(test_choice_many_digits_where_long_steps_do_not_pay_is_bdf),
        cmocka_unit_test(test_choice_settings_of_bdf_is_bdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
