// SPDX-License-Identifier: Apache-2.0
// The coefficients of the Runge-Kutta method satisfy the conditions they were made for; a mistyped
// digit shows.
#include "fail/fail.h"

#include "solver/integrator/explicit/tableau_853.h"

// sums of products up to 1e3 with 16 digits
static const double roundoff = 2e-12;

static double power(double c, int n)
{
    return n == 0 ? 1 : pow(c, n);
}

static double sum_of_powers(const double *weight, const double *c, int n)
{
    double sum = 0;
    for (int j = 0; j < TRMI_RATES_853; j++)
        sum += weight[j] * power(c[j], n);
    return sum;
}

static void assert_near(double is, double should, const char *what, int n)
{
    if (!(fabs(is - should) < roundoff))
        fail_msg("%s, power %d: %.17g instead of %.17g", what, n, is, should);
}

static const double nodes[] = {0,
                               0.0526001519587677,
                               0.0789002279381516,
                               0.1183503419072274,
                               0.2816496580927726,
                               1.0 / 3,
                               0.25,
                               4.0 / 13,
                               127.0 / 195,
                               0.6,
                               6.0 / 7,
                               1,
                               1,
                               0.1,
                               0.2,
                               7.0 / 9};

static void test_tableau_853_nodes_are_the_published_ones(void **state)
{
    (void)state;
    trmi_tableau_853 t;
    trmi_tableau_853_fill(&t);
    for (int i = 0; i < TRMI_RATES_853; i++)
        assert_true(fabs(t.c[i] - nodes[i]) < 1e-14);
}

// int s^n = 1/(n+1), int (1-s) s^n = 1/((n+1)(n+2)) for n < 8 and n < 7: order 8 in v and in q
static void test_tableau_853_result_integrates_polynomials_of_degree_7(void **state)
{
    (void)state;
    trmi_tableau_853 t;
    trmi_tableau_853_fill(&t);
    const trmi_row_853 *b = &t.stage[TRMI_RESULT_853];
    for (int n = 0; n < 8; n++)
        assert_near(sum_of_powers(b->v, t.c, n), 1.0 / (n + 1), "v", n);
    for (int n = 0; n < 7; n++)
        assert_near(sum_of_powers(b->q, t.c, n), 1.0 / ((n + 1) * (n + 2)), "q", n);
    assert_true(fabs(sum_of_powers(b->v, t.c, 8) - 1.0 / 9) > 1e-6); // and not order 9
}

// the later stages integrate up to a power of their own: from 0 to c_i
static void test_tableau_853_stages_integrate_low_powers(void **state)
{
    (void)state;
    trmi_tableau_853 t;
    trmi_tableau_853_fill(&t);
    for (int i = 1; i < TRMI_RATES_853; i++) {
        int most = i == 1 ? 1 : i == 2 ? 2 : i < 5 ? 3 : i < 7 ? 4 : i < 12 ? 4 : 6;
        for (int n = 0; n < most; n++)
            assert_near(sum_of_powers(t.stage[i].v, t.c, n), pow(t.c[i], n + 1) / (n + 1), "stage",
                        n);
        if (most > 1) // q: int (c - s) = c^2/2
            assert_near(sum_of_powers(t.stage[i].q, t.c, 0), 0.5 * t.c[i] * t.c[i], "stage, q", 0);
    }
}

// e5 vanishes for results of order 5, e3 for those of order 3, and not beyond
static void test_tableau_853_errors_vanish_up_to_their_order(void **state)
{
    (void)state;
    trmi_tableau_853 t;
    trmi_tableau_853_fill(&t);
    for (int n = 0; n < 5; n++)
        assert_near(sum_of_powers(t.error5.v, t.c, n), 0, "e5", n);
    for (int n = 0; n < 3; n++)
        assert_near(sum_of_powers(t.error3.v, t.c, n), 0, "e3", n);
    assert_true(fabs(sum_of_powers(t.error5.v, t.c, 5)) > 1e-5);
    assert_true(fabs(sum_of_powers(t.error3.v, t.c, 3)) > 1e-3);
}

// y = s^n from its rates n s^(n-1) at the nodes, exact up to order 7
static void test_tableau_853_dense_output_is_exact_for_degree_7(void **state)
{
    (void)state;
    trmi_tableau_853 t;
    trmi_tableau_853_fill(&t);
    for (int n = 1; n <= 7; n++)
        for (double s = 0.125; s < 1; s += 0.125) {
            double r[4], u = 1 - s, f_1 = n == 1 ? 1 : 0, f_0 = n;
            for (int k = 0; k < 4; k++)
                r[k] = n * sum_of_powers(t.dense[k].v, t.c, n - 1);
            double inner = r[0] + s * (r[1] + u * (r[2] + s * r[3]));
            double y = s * (1 + u * (f_1 - 1 + s * (2 - f_0 - f_1 + u * inner)));
            assert_near(y, pow(s, n), "dense", n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tableau_853_nodes_are_the_published_ones),
        cmocka_unit_test(test_tableau_853_result_integrates_polynomials_of_degree_7),
        cmocka_unit_test(test_tableau_853_stages_integrate_low_powers),
        cmocka_unit_test(test_tableau_853_errors_vanish_up_to_their_order),
        cmocka_unit_test(test_tableau_853_dense_output_is_exact_for_degree_7),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
