// SPDX-License-Identifier: Apache-2.0
// Comparisons with a companion: how errors are measured, judged, kept, and how their growth is
// read.
#include "unit/cases.h"

#include "trammel/verify.h"

#include <math.h>

static trm_verify *compare(const trm_verify_group *group, int groups, const int *group_of,
                           int channels, double rtol)
{
    trm_options options = trm_options_default();
    trm_verify *v;
    trm_error error;
    options.rtol = rtol;
    trm_status status = trm_verify_create(&v, group, groups, group_of, channels, &options, &error);
    assert_status(status, TRM_OK, &error);
    return v;
}

static const trm_verify_group position = {"positions", TRM_VERIFY_RANGE, TRM_VERIFY_DECIDES, NULL};

// sin t with an error of 1e-3 at t = 3: range 2 less the samples beside the maxima
static void test_verify_error_is_share_of_range(void **state)
{
    (void)state;
    trm_verify *v = compare(&position, 1, (const int[]){0}, 1, 1e-6);
    trm_verify_report report;
    for (int i = 0; i <= 100; i++) {
        double right = sin(0.1 * i), run = right + (i == 30 ? 1e-3 : 0);
        assert_int_equal(trm_verify_add(v, 0.1 * i, &run, &right), TRM_OK);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_OK);
    assert_true(fabs(report.error - (0.5e-3)) <= 1e-6); // 0.1 rad of grid: cos(0.05) = 0.999
    assert_true(fabs(trm_verify_error(v, 0) - (1e-3)) <= 1e-9);
    assert_true(report.trusted && report.t_right == 10 && report.rows == 101);
    trm_verify_destroy(v);
}

// Rows that were not compared count in what a channel moves, and in nothing else: until t = 1 the
// channel moves 0.01 with an error of 1e-3, later 1 in all.
static void test_verify_rows_alone_widen_the_range(void **state)
{
    (void)state;
    trm_verify *v = compare(&position, 1, (const int[]){0}, 1, 1e-6);
    trm_verify_report report;
    for (int i = 0; i <= 100; i++) {
        double right = 1e-4 * i * i, run = right + 1e-3;
        trm_verify_add(v, 0.1 * i, &run, i <= 10 ? &right : NULL);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_OK);
    // 1e-3 of 1 + 1e-3
    assert_true(fabs(report.error - 1e-3) < 2e-6 && report.rows == 11 && report.t == 1);
    trm_verify_destroy(v);
}

// The error 1e-4 t^2 exceeds 1 % of the range 1 between t = 10 and 10.1.
static void test_verify_untrusted_names_time(void **state)
{
    (void)state;
    trm_verify *v = compare(&position, 1, (const int[]){0}, 1, 1e-6);
    trm_verify_report report;
    trm_error error;
    for (int i = 0; i <= 200; i++) {
        double t = 0.1 * i, right = i % 2, run = right - (i % 2 ? 1e-4 * t * t : 0);
        trm_verify_add(v, t, &run, &right);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, &error), TRM_UNTRUSTED);
    assert_true(report.t_right >= 9.9 && report.t_right <= 10.1);
    assert_int_equal(report.growth, TRM_VERIFY_STEADY);
    assert_non_null(strstr(error.text, "right to 1 % until t = 10"));
    trm_verify_destroy(v);
}

// A channel that hardly moves is measured by 1 % of the largest of its unit, not by its noise; one
// alone that is roundoff is not wrong; one of another unit is measured by itself.
static void test_verify_small_channels_have_scale_of_group(void **state)
{
    (void)state;
    const trm_verify_group group[] = {position, position, position};
    trm_verify *v = compare(group, 3, (const int[]){0, 0, 1, 2}, 4, 1e-6);
    trm_verify_report report;
    for (int i = 0; i <= 10; i++) {
        double noise = 1e-5 * (i % 2);
        const double run[] = {i, noise, 1e-15 * (i % 3), 1e-9 * i};
        const double right[] = {i, 0, 0, 1e-9 * i * 1.02};
        trm_verify_add(v, i, run, right);
    }
    // 1e-5 of 1 % of 10
    assert_true(fabs(trm_verify_relative_error(v, 1) - (1e-4)) <= 1e-9);
    // 2e-15 of 1000 eps / 1 %
    assert_true(trm_verify_relative_error(v, 2) < 1e-2);
    // 2e-10 of 1.02e-8, a nanometre is a motion like any other
    assert_true(fabs(trm_verify_relative_error(v, 3) - (0.02 / 1.02)) <= 1e-4);
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_UNTRUSTED);
    assert_int_equal(report.channel, 3);
    trm_verify_destroy(v);
}

// What the tolerance leaves open of a position far from its origin is not an error.
static void test_verify_tolerance_times_size_is_no_error(void **state)
{
    (void)state;
    trm_verify *v = compare(&position, 1, (const int[]){0}, 1, 1e-6);
    trm_verify_report report;
    for (int i = 0; i <= 10; i++) {
        double right = 1000, run = 1000 + (i % 2 ? 0.9e-3 : 0);
        trm_verify_add(v, i, &run, &right);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_OK);
    assert_int_equal(report.open, -1); // there is no motion
    trm_verify_destroy(v);
}

// But it is named where it is more than a hundredth of the motion.
static void test_verify_names_a_motion_that_the_tolerance_leaves_open(void **state)
{
    (void)state;
    trm_verify *v = compare(&position, 1, (const int[]){0}, 1, 1e-6);
    trm_verify_report report;
    for (int i = 0; i <= 10; i++) {
        double right = 1000 + 1e-4 * i, run = right + (i % 2 ? 0.9e-4 : 0);
        trm_verify_add(v, i, &run, &right);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_OK);
    assert_int_equal(report.open, 0);
    assert_true(fabs(trm_verify_motion(v, 0) - 1e-3) < 1e-9);
    trm_verify_destroy(v);
}

// However loose the tolerance is: a motion of 5 % of the value has an error of 6 % of itself.
static void test_verify_loose_tolerance_hides_no_motion(void **state)
{
    (void)state;
    trm_verify *v = compare(&position, 1, (const int[]){0}, 1, 1e-2);
    trm_verify_report report;
    for (int i = 0; i <= 10; i++) {
        double right = -1 + 0.005 * i, run = right + 0.0003 * i;
        trm_verify_add(v, i, &run, &right);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_UNTRUSTED);
    assert_true(fabs(report.error - 0.003 / 0.053) <= 1e-6);
    trm_verify_destroy(v);
}

static const trm_verify_group output = {"outputs", TRM_VERIFY_SIZE, TRM_VERIFY_DECIDES_PASSED, "m"};

// A square wave that jumps a row later in the run than in the companion passes the same values; a
// wave that is 2 % larger does not. The error of the channel itself is that of the rows in both.
static void test_verify_output_may_jump_in_another_row(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        trm_verify *v = compare(&output, 1, (const int[]){0}, 1, 1e-6);
        trm_verify_report report;
        for (int i = 0; i <= 100; i++) {
            double right = i / 10 % 2, late = i > 0 ? (i - 1) / 10 % 2 : 0;
            double run = wrong ? 1.02 * right : late;
            trm_verify_add(v, i, &run, &right);
        }
        trm_verify_judge(v, NULL, &report, NULL);
        assert_int_equal(report.trusted, !wrong);
        assert_true(fabs(trm_verify_error(v, 0) - (wrong ? 0.02 : 1)) <= 1e-12);
        trm_verify_destroy(v);
    }
}

// An output in metres that is the difference of two positions of 10 m is as right as these: an
// error of 1e-3 m is 1 % of itself and 1e-4 of them.
static void test_verify_output_is_measured_by_its_unit(void **state)
{
    (void)state;
    trm_verify_group groups[] = {position, output};
    groups[0].unit = "m";
    trm_verify *v = compare(groups, 2, (const int[]){0, 1}, 2, 1e-6);
    trm_verify_report report;
    for (int i = 0; i <= 100; i++) {
        double x = 0.1 * i, d = 1e-3 * sin(i);
        trm_verify_add(v, i, (const double[]){x, d}, (const double[]){x, d + 1e-4});
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_OK);
    assert_true(report.error < 1e-2 * 1e-1);
    trm_verify_destroy(v);
}

static void test_verify_quaternions_have_no_sign(void **state)
{
    (void)state;
    const trm_verify_group turn = {"positions", TRM_VERIFY_QUATERNION, TRM_VERIFY_DECIDES, NULL};
    trm_verify *v = compare(&turn, 1, (const int[]){0, 0, 0, 0}, 4, 1e-6);
    for (int i = 0; i <= 20; i++) {
        double c = cos(0.3 * i), s = sin(0.3 * i), sign = i % 2 ? -1 : 1;
        trm_verify_add(v, i, (const double[]){c, s, 0, 0},
                       (const double[]){sign * c, sign * (s + 1e-4), 0, 0});
    }
    assert_true(fabs(trm_verify_error(v, 1) - (1e-4)) <= 1e-10);
    trm_verify_destroy(v);
}

// More rows than memory: a stored one has the largest errors of those it stands for.
static void test_verify_many_rows_keep_largest_errors(void **state)
{
    enum { CHANNELS = 20000, ROWS = 2000, BAD = 777 };
    (void)state;
    int *group_of = calloc(CHANNELS, sizeof *group_of);
    double *run = calloc(CHANNELS, sizeof *run), *right = calloc(CHANNELS, sizeof *right);
    double *error = calloc(CHANNELS, sizeof *error);
    trm_verify *v = compare(&position, 1, group_of, CHANNELS, 1e-6);
    trm_verify_report report;
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < CHANNELS; k++)
            run[k] = right[k] = i % 2;
        run[3] += i == BAD ? 0.5 : 0;
        assert_int_equal(trm_verify_add(v, i, run, right), TRM_OK);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_UNTRUSTED);
    assert_true(report.rows == ROWS && report.t_right < BAD && report.t_right >= BAD - 8);
    assert_true(trm_verify_row(v, BAD, error) && error[3] == 0.5);
    assert_false(trm_verify_row(v, ROWS, error));
    trm_verify_destroy(v);
    free(group_of);
    free(run);
    free(right);
    free(error);
}

// Neighbours that part by e^(t/0.5), or linearly as swings of different periods do.
static void judge_growth(bool exponential, trm_verify_report *report)
{
    trm_verify *v = compare(&position, 1, (const int[]){0}, 1, 1e-6);
    trm_verify *n = compare(&position, 1, (const int[]){0}, 1, 1e-7);
    for (int i = 0; i <= 500; i++) {
        double t = 0.01 * i, swing = sin(7 * t),
               near = 1e-7 * (exponential ? exp(2 * t) : 1 + 9 * t);
        double other = swing + near, wrong = swing + 0.02 * t;
        trm_verify_add(n, t, &swing, &other);
        trm_verify_add(v, t, &wrong, &swing);
    }
    assert_int_equal(trm_verify_judge(v, n, report, NULL), TRM_UNTRUSTED);
    trm_verify_destroy(v);
    trm_verify_destroy(n);
}

static void test_verify_neighbours_separate_sensitive_from_steady(void **state)
{
    (void)state;
    trm_verify_report report;
    judge_growth(true, &report);
    assert_int_equal(report.growth, TRM_VERIFY_SENSITIVE);
    assert_true(fabs(report.growth_time - (0.5)) <= 0.02);
    judge_growth(false, &report);
    assert_int_equal(report.growth, TRM_VERIFY_STEADY);
}

// A channel that is right shows nothing: it rests in the run, and its neighbour drifts by all that
// it moves, 1e-7 t.
static void test_verify_neighbours_are_asked_where_run_is_wrong(void **state)
{
    (void)state;
    const trm_verify_group group[] = {position, position};
    trm_verify *v = compare(group, 2, (const int[]){0, 1}, 2, 1e-6);
    trm_verify *n = compare(group, 2, (const int[]){0, 1}, 2, 1e-7);
    trm_verify_report report;
    for (int i = 0; i <= 500; i++) {
        double t = 0.01 * i, swing = sin(7 * t);
        const double run[] = {swing + 0.02 * t, 0}, right[] = {swing, 0};
        const double beside[] = {swing + 1e-7 * exp(2 * t), 1e-7 * t};
        trm_verify_add(v, t, run, right);
        trm_verify_add(n, t, right, beside);
    }
    assert_int_equal(trm_verify_judge(v, n, &report, NULL), TRM_UNTRUSTED);
    assert_int_equal(report.growth, TRM_VERIFY_SENSITIVE);
    trm_verify_destroy(v);
    trm_verify_destroy(n);
}

// The words on an error of 0.3 t beside sin t, at 10 s from a start on.
static trm_error words_on(trm_options options, double start)
{
    trm_verify *v;
    trm_verify_report report;
    trm_error error;
    trm_status status = trm_verify_create(&v, &position, 1, (const int[]){0}, 1, &options, &error);
    assert_status(status, TRM_OK, &error);
    for (int i = 0; i <= 100; i++) {
        double right = sin(0.1 * i), run = right + 0.03 * i;
        trm_verify_add(v, start + 0.1 * i, &run, &right);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, &error), TRM_UNTRUSTED);
    trm_verify_destroy(v);
    return error;
}

// An error about as large as the motion, 300 times what is asked for or 100: 1e-6 can be made as
// much tighter, 1e-12 cannot, for the least is 1e-13. Constant steps have no tolerance.
static void test_verify_advice_is_possible(void **state)
{
    (void)state;
    trm_options options = trm_options_default();
    options.rtol = 1e-6;
    trm_error error = words_on(options, 0);
    assert_non_null(strstr(error.advice, "set the tolerance to "));
    options.rtol = 1e-12;
    error = words_on(options, 0);
    assert_non_null(strstr(error.advice, "no tighter tolerance than 1e-13 is possible"));
    options.h_fixed = 0.1;
    error = words_on(options, 0);
    assert_non_null(strstr(error.advice, "shorten the steps (step.fixed)"));
    assert_null(strstr(error.text, "rtol"));
}

// Three digits of 10 s, at 1e9 eleven in all. The error is 0.03 at the second row, which is more
// than 1 % of the range.
static void test_verify_late_times_have_digits(void **state)
{
    (void)state;
    const trm_options options = trm_options_default();
    trm_error error = words_on(options, 1e9);
    assert_non_null(strstr(error.text, "t = 1000000000.1;"));
}

// An error that is there from one row to the next.
static void test_verify_jump_is_sudden(void **state)
{
    (void)state;
    trm_verify *v = compare(&position, 1, (const int[]){0}, 1, 1e-6);
    trm_verify_report report;
    for (int i = 0; i <= 100; i++) {
        double right = sin(i), run = right + (i > 50 ? 0.3 : 1e-7 * i);
        trm_verify_add(v, i, &run, &right);
    }
    assert_int_equal(trm_verify_judge(v, NULL, &report, NULL), TRM_UNTRUSTED);
    assert_int_equal(report.growth, TRM_VERIFY_SUDDEN);
    assert_true(report.t_right == 50);
    trm_verify_destroy(v);
}

// The difference from the companion is that from a run at 1e-12 to some percent: an error bar.
static void test_verify_run_estimates_true_error(void **state)
{
    (void)state;
    const trm_system system = driven_pendulum();
    trm_options options = trm_options_default();
    options.rtol = options.atol = 1e-5;
    trm_options tight = options, other = trm_verify_companion(&options, 0.05);
    tight.rtol = tight.atol = 1e-12;
    tight.integrator = TRM_INTEGRATOR_RADAU_ADAPTIVE;
    assert_true(fabs(other.rtol - 1e-6) < 1e-18 && other.h_max == 0.05);
    const trm_initial start = {.q = (const double[]){1, 0}};
    trm_simulation *s[4];
    const trm_options *of[] = {&options, &other, &options, &tight};
    trm_verify_report estimate, truth;
    trm_error error;
    for (int k = 0; k < 4; k++)
        assert_status(trm_simulation_create(&s[k], &system, of[k], &start, &error), TRM_OK, &error);
    assert_status(trm_verify_run(s[0], s[1], 10, 200, &estimate, &error), TRM_OK, &error);
    assert_status(trm_verify_run(s[2], s[3], 10, 200, &truth, &error), TRM_OK, &error);
    assert_true(truth.error > 1e-6); // bdf at 1e-5: there is something to measure
    assert_true(estimate.error < 1.5 * truth.error && estimate.error > truth.error / 1.5);
    for (int k = 0; k < 4; k++)
        trm_simulation_destroy(s[k]);
}

static void test_verify_mistakes_are_reported(void **state)
{
    (void)state;
    const trm_options options = trm_options_default();
    trm_verify *v;
    trm_error error;
    assert_int_equal(trm_verify_create(&v, &position, 1, (const int[]){1}, 1, &options, &error),
                     TRM_ERR_RANGE);
    assert_null(v);
    assert_string_equal(error.text, "channel 0 is in group 1 of 1");
    trm_verify_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify_error_is_share_of_range),
        cmocka_unit_test(test_verify_rows_alone_widen_the_range),
        cmocka_unit_test(test_verify_untrusted_names_time),
        cmocka_unit_test(test_verify_small_channels_have_scale_of_group),
        cmocka_unit_test(test_verify_tolerance_times_size_is_no_error),
        cmocka_unit_test(test_verify_names_a_motion_that_the_tolerance_leaves_open),
        cmocka_unit_test(test_verify_loose_tolerance_hides_no_motion),
        cmocka_unit_test(test_verify_output_may_jump_in_another_row),
        cmocka_unit_test(test_verify_output_is_measured_by_its_unit),
        cmocka_unit_test(test_verify_quaternions_have_no_sign),
        cmocka_unit_test(test_verify_many_rows_keep_largest_errors),
        cmocka_unit_test(test_verify_neighbours_separate_sensitive_from_steady),
        cmocka_unit_test(test_verify_neighbours_are_asked_where_run_is_wrong),
        cmocka_unit_test(test_verify_advice_is_possible),
        cmocka_unit_test(test_verify_late_times_have_digits),
        cmocka_unit_test(test_verify_jump_is_sudden),
        cmocka_unit_test(test_verify_run_estimates_true_error),
        cmocka_unit_test(test_verify_mistakes_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
