// SPDX-License-Identifier: Apache-2.0
// Integrals of interpolating polynomials: exact for polynomials, on uneven nodes.
#include "fail/fail.h"

#include "solver/integrator/explicit/quadrature.h"

// newest first, gaps from 0.1 to 0.4
static const double nodes[] = {1.0, 0.7, 0.6, 0.2, -0.1, -0.5, -0.6, -0.9, -1.2, -1.3};

static double power(double t, int n)
{
    return n == 0 ? 1 : pow(t, n);
}

// s^n from a to b; (b - s) s^n from a to b
static double integral(int n, double a, double b)
{
    return (power(b, n + 1) - power(a, n + 1)) / (n + 1);
}

static double moment(int n, double a, double b)
{
    return b * integral(n, a, b) - integral(n + 1, a, b);
}

static void check(int count, int degree, double from, double to, bool exact)
{
    trmi_quadrature w;
    double v[TRMI_MAX_NODES], q[TRMI_MAX_NODES], sum_v = 0, sum_q = 0;
    trmi_quadrature_fill(&w, nodes, count, from, to);
    trmi_quadrature_weights(&w, nodes, count, v, q);
    for (int j = 0; j < count; j++) {
        sum_v += v[j] * power(nodes[j], degree);
        sum_q += q[j] * power(nodes[j], degree);
    }
    // roundoff of sums with cancellation; a wrong weight shows as 1e-3 and more
    double error_v = fabs(sum_v - integral(degree, from, to));
    double error_q = fabs(sum_q - moment(degree, from, to));
    if (exact && !(error_v < 1e-11 && error_q < 1e-11))
        fail_msg("%d nodes, degree %d: errors %g and %g", count, degree, error_v, error_q);
    if (!exact && !(error_v > 1e-6 && error_q > 1e-6))
        fail_msg("%d nodes, degree %d is exact", count, degree);
}

static void test_quadrature_polynomials_below_the_number_of_nodes_are_exact(void **state)
{
    (void)state;
    for (int count = 1; count <= 10; count++) {
        for (int degree = 0; degree < count; degree++) {
            check(count, degree, 1.0, 1.3, true);  // beyond the nodes
            check(count, degree, 0.7, 0.85, true); // inside
            check(count, degree, 1.0, 0.8, true);  // backwards
        }
        check(count, count, 1.0, 1.3, false);
    }
}

// h^n f[t_0 .. t_n] = h^n for f = s^n, and 0 for lower degrees
static void test_quadrature_difference_sees_its_power_alone(void **state)
{
    (void)state;
    const double h = 0.3;
    for (int n = 0; n < 10; n++)
        for (int degree = 0; degree <= n; degree++) {
            double weight[TRMI_MAX_NODES], sum = 0;
            trmi_difference_weights(nodes, n + 1, h, weight);
            for (int j = 0; j <= n; j++)
                sum += weight[j] * power(nodes[j], degree);
            // roundoff
            assert_true(fabs(sum - (degree == n ? pow(h, n) : 0)) < 1e-13);
        }
}

// the third integral, 1/h int u^2/2 P_i, by the recursion written out for i = 0, 1
static void test_quadrature_first_integrals_are_known(void **state)
{
    (void)state;
    trmi_quadrature w;
    trmi_quadrature_fill(&w, nodes, 3, 1.0, 1.5);
    // int u^m/m! du = 1/(m+1)!; with P_1 = (s - 1)/h = 1 - u: 1/(m+1)! - (m+1)/(m+2)!
    const double first[] = {1, 1.0 / 2, 1.0 / 6}, second[] = {1.0 / 2, 1.0 / 6, 1.0 / 24};
    for (int m = 0; m < 3; m++) {
        assert_true(fabs(w.integral[m][0] - first[m]) < 1e-15);
        assert_true(fabs(w.integral[m][1] - second[m]) < 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadrature_polynomials_below_the_number_of_nodes_are_exact),
        cmocka_unit_test(test_quadrature_difference_sees_its_power_alone),
        cmocka_unit_test(test_quadrature_first_integrals_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
