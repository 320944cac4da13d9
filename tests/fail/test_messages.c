// SPDX-License-Identifier: Apache-2.0
// Whole texts of failures, numbers masked: time, step, reason, worst rows by name, iterations,
// matrix, pivot and advice. A text that changes on purpose is changed here too.
#include "fail/fail.h"
#include "problems/problems.h"

#include <ctype.h>
#include <stdio.h>

enum { LONGEST = 2000 };

// ---- masks ----

// the length of the number at the beginning of a text, 0 when there is none
static size_t number_length(const char *text)
{
    size_t n = 0;
    if (strncmp(text, "inf", 3) == 0 && !isalpha((unsigned char)text[3]))
        return 3;
    n += text[n] == '-';
    if (!isdigit((unsigned char)text[n]))
        return 0;
    while (isdigit((unsigned char)text[n]) ||
           (text[n] == '.' && isdigit((unsigned char)text[n + 1])))
        n++;
    if (text[n] == 'e' && (text[n + 1] == '-' || text[n + 1] == '+'))
        for (n += 2; isdigit((unsigned char)text[n]);)
            n++;
    return n;
}

// Every number becomes #, and however many iterations there are they become "# # (#)".
static void mask(const char *text, char *out)
{
    for (size_t n = 0; *text;) {
        bool word = n > 0 && isalpha((unsigned char)out[n - 1]); // body7 is a name
        size_t length = word ? 0 : number_length(text);
        out[n++] = length > 0 ? '#' : *text;
        text += length > 0 ? length : 1;
        out[n] = '\0';
        if (n >= 14 && strcmp(out + n - 14, "# (#) # (#) # ") == 0)
            out[n -= 6] = '\0';
        if (n >= 12 && strcmp(out + n - 12, " # (#) # (#)") == 0)
            out[n -= 6] = '\0';
    }
}

static void assert_text(const trm_error *error, const char *should)
{
    char text[LONGEST], is[LONGEST];
    assert_true(trm_error_format(error, text, sizeof text) < LONGEST);
    mask(text, is);
    if (strcmp(is, should) != 0)
        fail_msg("the text is\n%s\nmasked\n%s\ninstead of\n%s", text, is, should);
}

static void test_messages_mask_hides_numbers_only(void **state)
{
    (void)state;
    char out[200];
    mask("t = 0.5, h = -1.25e-07, body7.x, k=-3e+10, inf infinite, [1e-13, 0.1]\n", out);
    assert_string_equal(out, "t = #, h = #, body7.x, k=#, # infinite, [#, #]\n");
    mask("it: 4e+08 3 (0.96) 2.5 (1) 2 (0.5)\n", out);
    assert_string_equal(out, "it: # # (#)\n");
}

// runs to a failure and compares
static void check_run(const trm_system *system, const trm_options *options, double end,
                      trm_status should, const char *text)
{
    trm_simulation *s = create(system, options, &pendulum_start);
    trm_status status = trm_simulation_run(s, end);
    assert_status(status, should, trm_simulation_error(s));
    assert_int_equal(trm_simulation_error(s)->status, should);
    assert_text(trm_simulation_error(s), text);
    trm_simulation_destroy(s);
}

// creation fails
static void check_creation(const trm_system *system, const trm_options *options,
                           const trm_initial *initial, const char *text)
{
    const trm_options preset = trm_options_default();
    trm_simulation *s;
    trm_error error;
    assert_true(trm_simulation_create(&s, system, options ? options : &preset, initial, &error) <
                0);
    assert_text(&error, text);
}

// ---- Newton ----

// f_x = -K x; the stiffness says +K: with steps of at least 1 ms the iteration diverges
static const double stiff = 1e8;

static int stiff_force(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = -stiff * s->q[0];
    out[1] = -9.81;
    return 0;
}

static int wrong_stiffness(const trm_state *s, double *out, void *user)
{
    (void)s, (void)user;
    out[0] = -stiff;
    out[1] = 0;
    return 0;
}

static trm_system wrong_system(void)
{
    trm_system system = pendulum(NULL);
    system.function[TRM_QUANTITY_FORCE] = stiff_force;
    system.function[TRM_QUANTITY_STIFFNESS] = wrong_stiffness;
    system.function[TRM_QUANTITY_DAMPING] = NULL;
    system.pattern[TRM_QUANTITY_DAMPING].count = TRM_PATTERN_ZERO;
    return system;
}

static void test_messages_newton_says_everything(void **state)
{
    (void)state;
    const trm_system system = wrong_system();
    trm_options options = trm_options_default();
    options.h_min = 1e-3;
    check_run(
        &system, &options, 1, TRM_ERR_NEWTON,
        "the Newton iteration did not converge: no step was short enough for Newton's method\n"
        "  at: dynamics of x\n"
        "  t = #\n"
        "  h = #\n"
        "  worst row: dynamics of x, # tolerances\n"
        "  then: constraint circle, # tolerances\n"
        "  then: dynamics of y, # tolerances\n"
        "  iterations (correction in units of the tolerance, contraction): # # (#)\n"
        "  matrix: fresh\n"
        "  smallest pivot: #, constraint circle\n"
        "  try: check the derivatives with trm_system_check_derivatives, or look for a jump "
        "in the forces\n");
}

// the numbers behind the text
static void test_messages_newton_fills_the_fields(void **state)
{
    (void)state;
    const trm_system system = wrong_system();
    trm_options options = trm_options_default();
    options.h_min = 1e-3;
    trm_simulation *s = create(&system, &options, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, 1), TRM_ERR_NEWTON);
    const trm_error *e = trm_simulation_error(s);
    assert_true(e->t == trm_simulation_state(s)->t);
    assert_true(e->h >= 0.99e-3);
    assert_in_range(e->iterations, 1, TRM_ERROR_ITERATIONS);
    assert_true(isnan(e->rate[0])); // there is no contraction yet
    for (int k = 0; k < e->iterations; k++) {
        assert_true(isfinite(e->correction[k]) && e->correction[k] > 1);
        assert_true(k == 0 || fabs(e->rate[k] - e->correction[k] / e->correction[k - 1]) < 1e-9);
    }
    for (int k = 1; k < TRM_ERROR_ROWS; k++)
        assert_true(e->row[k].residual <= e->row[k - 1].residual);
    assert_string_equal(e->item, e->row[0].name);
    assert_int_equal(e->matrix_fresh, 1);
    // the checker finds the cause the advice speaks of
    const trm_state *at = trm_simulation_state(s);
    trm_error found;
    assert_int_equal(trm_system_check_derivatives(&system, at, 1e-6, NULL, &found),
                     TRM_ERR_DERIVATIVE);
    assert_text(&found, "a derivative disagrees with differences: entry (#, #) of STIFFNESS is #, "
                        "differences give # (relative error #)\n"
                        "  at: STIFFNESS(#, #)\n"
                        "  try: check the formula of this entry, its sign and its factor\n");
    trm_simulation_destroy(s);
}

// the coupled matrix of the classic control has no pivot to show; without names there are indices
static void test_messages_newton_classic_without_names(void **state)
{
    (void)state;
    trm_system system = wrong_system();
    system.q_names = system.g_names = NULL;
    trm_options options = trm_options_default();
    options.control = TRM_CONTROL_CLASSIC;
    options.formulation = TRM_FORMULATION_GGL;
    options.h_min = 1e-3;
    check_run(
        &system, &options, 1, TRM_ERR_NEWTON,
        "the Newton iteration did not converge: no step was short enough for Newton's method\n"
        "  at: dynamics of q[#]\n"
        "  t = #\n"
        "  h = #\n"
        "  worst row: dynamics of q[#], # tolerances\n"
        "  then: dynamics of q[#], # tolerances\n"
        "  then: constraint row[#], # tolerances\n"
        "  iterations (correction in units of the tolerance, contraction): # # (#)\n"
        "  matrix: fresh\n"
        "  try: check the derivatives with trm_system_check_derivatives, or look for a jump "
        "in the forces\n");
}

// ---- other ends of a run ----

static void test_messages_error_test_says_everything(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.rtol = options.atol = 1e-10;
    options.h_min = 1e-2;
    check_run(&system, &options, 1, TRM_ERR_ERROR_TEST,
              "the error test failed at the smallest step: no step was short enough for the "
              "tolerance\n"
              "  at: dynamics of x\n"
              "  t = #\n"
              "  h = #\n"
              "  worst row: dynamics of x, # tolerances\n"
              "  then: dynamics of y, # tolerances\n"
              "  then: constraint circle, # tolerances\n"
              "  iterations (correction in units of the tolerance, contraction): # # (#)\n"
              "  matrix: fresh\n"
              "  smallest pivot: #, constraint circle\n"
              "  try: look for a jump in the forces; a tolerance below roundoff also does this\n");
}

static void test_messages_steps_say_time_and_step(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.max_steps = 5;
    check_run(&system, &options, 1, TRM_ERR_STEPS,
              "the number of steps reached its limit: max_steps = # are done\n"
              "  t = #\n"
              "  h = #\n"
              "  try: raise max_steps, loosen the tolerance, or look for a jump in the forces or a "
              "fast motion\n");
}

// a rod on a bushing of 1e10 N/m at 1e-4: the iteration fails again and again
static void test_messages_untrusted_says_how_often(void **state)
{
    (void)state;
    const trm_problem_option numbers[] = {{"k", 1e10}, {NULL, 0}};
    trp_problem *problem;
    assert_int_equal(trp_problem_create(&problem, "stiff-bushing", numbers, NULL), TRM_OK);
    trm_options options = trm_options_default();
    options.rtol = options.atol = 1e-4;
    trm_simulation *s = create(trp_problem_system(problem), &options, trp_problem_initial(problem));
    double end = trp_problem_end(problem);
    assert_status(trm_simulation_run(s, end), TRM_UNTRUSTED, trm_simulation_error(s));
    assert_true(trm_simulation_state(s)->t == end); // it is finished
    assert_text(trm_simulation_error(s),
                "finished, but the result cannot be trusted at this tolerance: in # steps the "
                "Newton iteration failed # times and the error test # times: at rtol = # the "
                "result cannot be trusted\n"
                "  t = #\n"
                "  h = #\n"
                "  try: tighten rtol by ten; a very stiff force stores more energy in a position "
                "error of this tolerance than the motion has\n");
    trm_simulation_destroy(s);
    trp_problem_destroy(problem);
}

// a constraint and nothing else that is supplied
static trm_system constrained(trm_function *constraint, const char *const *names, int rows)
{
    trm_system system = pendulum(NULL);
    for (int k = TRM_QUANTITY_CONSTRAINT_Q; k < TRM_QUANTITY_COUNT; k++) {
        system.function[k] = NULL;
        system.pattern[k].count = TRM_PATTERN_DENSE;
    }
    system.n_g = rows;
    system.function[TRM_QUANTITY_CONSTRAINT] = constraint;
    system.g_names = names;
    return system;
}

static const char *const guide_names[] = {"guide"}, *const drive_names[] = {"circle", "drive"};
static const double top_q[] = {0, 1}, up_v[] = {0, 1}, side_v[] = {1, 0};

// x = 0, in a way that has no direction from 0.5 on: the rank is lost for good
static int letting_go(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->t < 0.5 ? (0.5 - s->t) * s->q[0] : 0;
    return 0;
}

static trm_simulation *run_into_release(trm_solver solver, trm_control control)
{
    const trm_system system = constrained(letting_go, guide_names, 1);
    trm_options options = trm_options_default();
    options.linear_solver = solver;
    options.control = control;
    trm_simulation *s = create(&system, &options, &(trm_initial){.q = top_q, .v = up_v});
    assert_status(trm_simulation_run(s, 1), TRM_ERR_SINGULAR, trm_simulation_error(s));
    assert_true(fabs(trm_simulation_state(s)->t - 0.5) < 1e-6);
    return s;
}

static void test_messages_singular_says_everything(void **state)
{
    (void)state;
    trm_simulation *s = run_into_release(TRM_SOLVER_SPARSE, TRM_CONTROL_DEFAULT);
    assert_text(trm_simulation_error(s),
                "the constraints lost rank or the matrix is singular: the constraints lose rank "
                "close to t = # (relative pivot #, constraint guide) and the step could not cross "
                "this position\n"
                "  at: constraint guide\n"
                "  t = #\n"
                "  h = #\n"
                "  worst row: dynamics of y, # tolerances\n"
                "  then: dynamics of x, # tolerances\n"
                "  then: constraint guide, # tolerances\n"
                "  matrix: fresh\n"
                "  smallest pivot: #, constraint guide\n"
                "  try: loosen rtol so that a step crosses the position, start elsewhere, or "
                "change dimensions slightly\n");
    trm_simulation_destroy(s);
}

// every solver and control finds the row
static void test_messages_singular_names_the_row(void **state)
{
    (void)state;
    const trm_solver solvers[] = {TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE};
    int silent = 0;
    for (int k = 0; k < 4; k++) {
        trm_simulation *s = run_into_release(solvers[k % 2], (trm_control)(k / 2));
        const trm_error *e = trm_simulation_error(s);
        if (strcmp(e->item, "constraint guide") != 0 || !strstr(e->text, "guide") ||
            strstr(e->text, "nan")) {
            print_error("solver %d, control %d: item \"%s\": %s\n", (int)solvers[k % 2], k / 2,
                        e->item, e->text);
            silent++;
        }
        trm_simulation_destroy(s);
    }
    assert_int_equal(silent, 0);
}

// on the circle with x = t: at t = 1 both rows have one direction, and beyond there is no solution
static int driven_beyond(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = 0.5 * (s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1);
    out[1] = s->q[0] - s->t;
    return 0;
}

// it is the constraints that end the run there, not a wrong derivative and not a jump of the forces
static void test_messages_toggle_is_singular_with_every_solver(void **state)
{
    (void)state;
    const trm_solver solvers[] = {TRM_SOLVER_DENSE, TRM_SOLVER_SPARSE};
    int silent = 0;
    for (int k = 0; k < 2; k++)
        for (double tol = 1e-4; tol > 1e-9; tol *= 0.01) {
            const trm_system system = constrained(driven_beyond, drive_names, 2);
            trm_options options = trm_options_default();
            options.linear_solver = solvers[k];
            options.rtol = options.atol = tol;
            trm_simulation *s = create(&system, &options, &(trm_initial){.q = top_q, .v = side_v});
            trm_status status = trm_simulation_run(s, 2);
            const trm_error *e = trm_simulation_error(s);
            assert_true(status < 0 && fabs(e->t - 1) < 1e-3);
            if (status != TRM_ERR_SINGULAR) {
                print_error("solver %d, tolerance %g: %s, relative pivot %g; try: %s\n",
                            (int)solvers[k], tol, trm_status_name(status), e->pivot, e->advice);
                silent++;
            }
            trm_simulation_destroy(s);
        }
    assert_int_equal(silent, 0);
}

// forces by differences are kept over steps, and a callback ends the run in one of those
static void test_messages_callback_names_it(void **state)
{
    (void)state;
    fault f = {TRM_QUANTITY_FORCE, .from = 0.5, .until = HUGE_VAL, .result = -1};
    trm_system system = pendulum(&f);
    system.function[TRM_QUANTITY_STIFFNESS] = NULL;
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, 1), TRM_ERR_CALLBACK);
    char text[LONGEST], is[LONGEST];
    trm_error_format(trm_simulation_error(s), text, sizeof text);
    mask(text, is);
    assert_contains(is, "a value could not be computed: the callback for FORCE asked to stop\n"
                        "  at: FORCE\n"
                        "  t = #\n"
                        "  h = #\n");
    assert_contains(is, "  matrix: kept from an earlier step\n");
    trm_simulation_destroy(s);
}

// ---- before the first step ----

static void test_messages_option_names_value_and_range(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.rtol = 0.5;
    check_creation(&system, &options, &pendulum_start,
                   "an option is out of range: rtol = # is outside [#, #]\n"
                   "  at: rtol\n");
    options = trm_options_default();
    options.linear_solver = TRM_SOLVER_BLOCK;
    check_creation(&system, &options, &pendulum_start,
                   "an option is out of range: linear_solver = block needs declared bodies and "
                   "joints, and no states or algebraic variables\n"
                   "  try: declare n_bodies, body_first, n_joints, joint_first, or use auto\n");
    trm_error error;
    trm_options_set(&options, "start", "anywhere", &error);
    assert_text(&error, "an option is out of range: start cannot be 'anywhere'\n"
                        "  at: start\n"
                        "  try: one of project, keep, raw\n");
}

static void test_messages_system_names_the_callback(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.function[TRM_QUANTITY_FORCE] = NULL;
    check_creation(&system, NULL, &pendulum_start,
                   "the system description is invalid: the system has no callback for FORCE\n"
                   "  try: set system.function[TRM_QUANTITY_FORCE]\n");
}

static void test_messages_metric_beside_masses_is_refused(void **state)
{
    (void)state;
    trm_system system = pendulum(NULL);
    system.function[TRM_QUANTITY_METRIC] = system.function[TRM_QUANTITY_MASS];
    system.pattern[TRM_QUANTITY_MASS].count = TRM_PATTERN_DENSE;
    check_creation(
        &system, NULL, &pendulum_start,
        "the system description is invalid: METRIC is for systems with M = #, whose "
        "pattern of MASS is diagonal\n"
        "  try: leave TRM_QUANTITY_METRIC out, or give the system solved for v' with M = #\n");
}

static void test_messages_initial_names_limit_and_way_out(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_options options = trm_options_default();
    options.start = TRM_START_KEEP;
    const double q[] = {1, 1};
    check_creation(&system, &options, &(trm_initial){.q = q},
                   "no consistent initial state was found: the given positions violate the "
                   "constraints by #, more than #\n"
                   "  try: start = project moves to the nearest consistent state\n");
}

static int contradicting(const trm_state *s, double *out, void *user)
{
    (void)user;
    out[0] = s->q[0];
    out[1] = s->q[0] - 1e-3;
    return 0;
}

static void test_messages_contradiction_names_both_rows(void **state)
{
    (void)state;
    const trm_system system = constrained(contradicting, drive_names, 2);
    check_creation(&system, NULL, &(trm_initial){.q = top_q},
                   "constraint rows contradict each other: row drive has the direction of circle "
                   "but misses it by #: the rows contradict each other\n"
                   "  at: constraint drive\n"
                   "  try: remove the row, or make the dimensions agree\n");
}

static void test_messages_range_names_both_times(void **state)
{
    (void)state;
    const trm_system system = pendulum(NULL);
    trm_simulation *s = create(&system, NULL, &pendulum_start);
    assert_int_equal(trm_simulation_run(s, -1), TRM_ERR_RANGE);
    assert_text(trm_simulation_error(s),
                "a time or an index is outside the valid range: the end # lies before the present "
                "time #\n"
                "  t = #\n");
    trm_simulation_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_mask_hides_numbers_only),
        cmocka_unit_test(test_messages_newton_says_everything),
        cmocka_unit_test(test_messages_newton_fills_the_fields),
        cmocka_unit_test(test_messages_newton_classic_without_names),
        cmocka_unit_test(test_messages_error_test_says_everything),
        cmocka_unit_test(test_messages_steps_say_time_and_step),
        cmocka_unit_test(test_messages_untrusted_says_how_often),
        cmocka_unit_test(test_messages_singular_says_everything),
        cmocka_unit_test(test_messages_singular_names_the_row),
        cmocka_unit_test(test_messages_toggle_is_singular_with_every_solver),
        cmocka_unit_test(test_messages_callback_names_it),
        cmocka_unit_test(test_messages_option_names_value_and_range),
        cmocka_unit_test(test_messages_system_names_the_callback),
        cmocka_unit_test(test_messages_metric_beside_masses_is_refused),
        cmocka_unit_test(test_messages_initial_names_limit_and_way_out),
        cmocka_unit_test(test_messages_contradiction_names_both_rows),
        cmocka_unit_test(test_messages_range_names_both_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
