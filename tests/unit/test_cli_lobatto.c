// SPDX-License-Identifier: Apache-2.0
// What five values of a function on an interval show of it (run/lobatto.h).
#include "framework.h"

#include "program/run/lobatto.h"

#include <math.h>

// values of sin(z x + phase) for x from -1 to 1
static trmi_lobatto judge_sine(double z, double phase)
{
    double t[TRMI_LOBATTO_POINTS], y[TRMI_LOBATTO_POINTS];
    trmi_lobatto_points(-1, 1, t);
    for (int i = 0; i < TRMI_LOBATTO_POINTS; i++)
        y[i] = sin(z * t[i] + phase);
    return trmi_lobatto_judge(y);
}

// the mean of x^n from 0 to 1 is 1/(n + 1), to roundoff up to degree 7
static void test_lobatto_is_exact_to_degree_seven(void **state)
{
    (void)state;
    double t[TRMI_LOBATTO_POINTS], y[TRMI_LOBATTO_POINTS];
    trmi_lobatto_points(0, 1, t);
    for (int n = 0; n <= 8; n++) {
        for (int i = 0; i < TRMI_LOBATTO_POINTS; i++)
            y[i] = pow(t[i], n);
        double error = fabs(trmi_lobatto_judge(y).mean - 1.0 / (n + 1));
        assert_true(n <= 7 ? error < 1e-15 : error > 1e-6);
    }
}

// The mean of sin(z x + p) is sin(p) sin(z)/z. The estimate is above the error, which is 2e-7 z^8
// sin(p) of small z, and of z up to 1 by no more than 1000; roundoff 1e-16.
static void test_lobatto_estimates_the_error(void **state)
{
    (void)state;
    int fast = 0, accidents = 0;
    for (double z = 0.2; z < 30; z *= 1.07)
        for (double phase = 0.1; phase < 3; phase += 0.1) {
            const trmi_lobatto l = judge_sine(z, phase);
            double error = fabs(l.mean - sin(phase) * sin(z) / z);
            assert_true(z > 2 || error < l.error + 1e-15);
            assert_true(z > 1 || l.error < 1e-3 * pow(z, 7));
            fast += z > 4;
            accidents += z > 4 && l.error < 1e-4;
        }
    // what the points do not resolve has an estimate that few tolerances take; accidents are sines
    // that are even or odd about the middle
    assert_true(accidents * 50 < fast);
}

static void test_lobatto_straight_lines_have_no_bend(void **state)
{
    (void)state;
    double t[TRMI_LOBATTO_POINTS];
    trmi_lobatto_points(2, 3, t);
    const trmi_lobatto line = trmi_lobatto_judge(t);
    const double zero[TRMI_LOBATTO_POINTS] = {0};
    assert_true(line.bend < 1e-15 && line.error < 1e-15);
    assert_true(trmi_lobatto_judge(zero).decay == 0);
}

// x (1 - x)(2 + x)(x + 3): a polynomial of degree 4 is met to roundoff, and so is its largest value
// from 0 to 1; where that is, x = 0.5672.., to the root of it (Newton's method by hand)
static void test_newton_form_finds_the_top(void **state)
{
    (void)state;
    double t[TRMI_LOBATTO_POINTS], x = 0.5;
    trmi_newton_form form = {0};
    trmi_lobatto_points(0, 1, t);
    for (int i = 0; i < TRMI_LOBATTO_POINTS; i++)
        trmi_newton_form_add(&form, t[i], t[i] * (1 - t[i]) * (2 + t[i]) * (3 + t[i]));
    for (int i = 0; i < 20; i++) // of 6 x - x^2 - 4 x^3 - x^4
        x -= (6 - 2 * x - 12 * x * x - 4 * x * x * x) / (-2 - 24 * x - 12 * x * x);
    assert_true(fabs(trmi_newton_form_top(&form, 0, 1) - x) < 1e-7);
    assert_true(fabs(trmi_newton_form_value(&form, x) - x * (1 - x) * (2 + x) * (3 + x)) < 1e-14);
    assert_true(trmi_newton_form_top(&form, 0, 0.5) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lobatto_is_exact_to_degree_seven),
        cmocka_unit_test(test_lobatto_estimates_the_error),
        cmocka_unit_test(test_lobatto_straight_lines_have_no_bend),
        cmocka_unit_test(test_newton_form_finds_the_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
