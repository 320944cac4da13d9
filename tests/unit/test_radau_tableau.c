// SPDX-License-Identifier: Apache-2.0
// Radau IIA: collocation and order conditions, stability, the transformation to diagonal form.
#include "solver/integrator/radau/tableau.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const int stage_numbers[] = {3, 5, 7};
enum { FAMILIES = sizeof stage_numbers / sizeof *stage_numbers };

static trmi_radau_tableau tableau_of(int s)
{
    trmi_radau_tableau t;
    assert_true(trmi_radau_tableau_fill(&t, s));
    assert_int_equal(t.s, s);
    return t;
}

static void test_radau_tableau_other_stages_are_refused(void **state)
{
    (void)state;
    trmi_radau_tableau t;
    const int others[] = {-1, 0, 1, 2, 4, 6, 8, 9};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_false(trmi_radau_tableau_fill(&t, others[k]));
}

// Gamma (c^k) = k c^(k-1), k = 1 .. s: with A = Gamma^-1 that is the condition C(s) of collocation.
static void test_radau_tableau_gamma_differentiates_polynomials(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        trmi_radau_tableau t = tableau_of(stage_numbers[f]);
        for (int k = 1; k <= t.s; k++)
            for (int i = 0; i < t.s; i++) {
                double sum = 0, size = 0;
                for (int j = 0; j < t.s; j++) {
                    double term = t.gamma[i][j] * pow(t.node[j + 1], k);
                    sum += term;
                    size += fabs(term);
                }
                // exact identity; entries are good to a few eps
                assert_true(fabs(sum - k * pow(t.node[i + 1], k - 1)) <= 1e-14 * size);
            }
    }
}

// The weights of the result, sum_j b_j f_j: b solves sum_j b_j c_j^(k-1) = 1/k for k <= s. Order
// 2s - 1 is the same up to k = 2s - 1 (condition B, which with C(s) gives the order), not beyond.
static void test_radau_tableau_weights_have_order_2s_minus_1(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        trmi_radau_tableau t = tableau_of(stage_numbers[f]);
        // b Gamma = (0, .., 0, 1) as the last stage is the result; b from Gamma^T b = e_s, by the
        // elimination of the test itself
        double a[TRMI_MAX_STAGES][TRMI_MAX_STAGES + 1] = {{0}}, b[TRMI_MAX_STAGES];
        for (int i = 0; i < t.s; i++) {
            for (int j = 0; j < t.s; j++)
                a[i][j] = t.gamma[j][i];
            a[i][t.s] = i == t.s - 1;
        }
        for (int k = 0; k < t.s; k++)
            for (int i = 0; i < t.s; i++) {
                double factor = i == k ? 0 : a[i][k] / a[k][k];
                for (int j = k; j <= t.s; j++)
                    a[i][j] -= factor * a[k][j];
            }
        for (int i = 0; i < t.s; i++)
            b[i] = a[i][t.s] / a[i][i];
        for (int k = 1; k <= 2 * t.s; k++) {
            double sum = 0;
            for (int j = 0; j < t.s; j++)
                sum += b[j] * pow(t.node[j + 1], k - 1);
            // roundoff of the elimination; the first condition that does not hold fails by 1.7e-3
            // (s = 3) .. 2.4e-8 (s = 7)
            assert_true(fabs(sum - 1.0 / k) < 1e-14 || k == 2 * t.s);
            assert_true(k < 2 * t.s || fabs(sum - 1.0 / k) > 1e-9);
        }
    }
}

// integral is Gamma^-1: sum_j integral_ij c_j^(k-1) = c_i^k / k, k = 1 .. s
static void test_radau_tableau_integral_integrates_polynomials(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        trmi_radau_tableau t = tableau_of(stage_numbers[f]);
        for (int k = 1; k <= t.s; k++)
            for (int i = 0; i < t.s; i++) {
                double sum = 0;
                for (int j = 0; j < t.s; j++)
                    sum += t.integral[i][j] * pow(t.node[j + 1], k - 1);
                assert_true(fabs(sum - pow(t.node[i + 1], k) / k) < 1e-14); // exact identity
            }
    }
}

// T^-1 Gamma T is diag(g, [a b; -b a], ..)
static void test_radau_tableau_transformation_is_block_diagonal(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        trmi_radau_tableau t = tableau_of(stage_numbers[f]);
        double expected[TRMI_MAX_STAGES][TRMI_MAX_STAGES] = {{t.real_shift}};
        for (int k = 0; k < (t.s - 1) / 2; k++) {
            int i = 1 + 2 * k;
            expected[i][i] = expected[i + 1][i + 1] = creal(t.shift[k]);
            expected[i][i + 1] = cimag(t.shift[k]);
            expected[i + 1][i] = -cimag(t.shift[k]);
        }
        for (int i = 0; i < t.s; i++)
            for (int j = 0; j < t.s; j++) {
                double sum = 0, size = 0;
                for (int k = 0; k < t.s; k++)
                    for (int l = 0; l < t.s; l++) {
                        double term = t.from_stages[i][k] * t.gamma[k][l] * t.to_stages[l][j];
                        sum += term;
                        size += fabs(term);
                    }
                // exact identity; eps times the condition of T
                assert_true(fabs(sum - expected[i][j]) <= 1e-12 * (1 + size));
            }
    }
}

// R(z) = last entry of (Gamma - z)^-1 Gamma 1 for y' = z y. On the imaginary axis |R| <= 1, at
// infinity 0: with poles (eigenvalues of Gamma) to the right that is L-stability.
static void test_radau_tableau_is_l_stable(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        trmi_radau_tableau t = tableau_of(stage_numbers[f]);
        assert_true(t.real_shift > 0);
        for (int k = 0; k < (t.s - 1) / 2; k++)
            assert_true(creal(t.shift[k]) > 0);
        for (double size = 1e-3; size < 1e9; size *= 1.7) {
            double complex a[TRMI_MAX_STAGES][TRMI_MAX_STAGES + 1] = {{0}}, z = size * I;
            for (int i = 0; i < t.s; i++) {
                for (int j = 0; j < t.s; j++) {
                    a[i][j] = t.gamma[i][j] - (i == j ? z : 0);
                    a[i][t.s] += t.gamma[i][j];
                }
            }
            for (int k = 0; k < t.s; k++)
                for (int i = k + 1; i < t.s; i++) {
                    double complex factor = a[i][k] / a[k][k];
                    for (int j = k; j <= t.s; j++)
                        a[i][j] -= factor * a[k][j];
                }
            double gain = cabs(a[t.s - 1][t.s] / a[t.s - 1][t.s - 1]);
            assert_true(gain <= 1 + 1e-13); // roundoff
            // R falls as 1/z: measured 2e-6 .. 4e-6 at the first size beyond 1e6
            assert_true(size < 1e6 || gain < 1e-5);
        }
    }
}

// The defect of a polynomial of degree s at 0 (with y_n = 0) is y'_n minus its own slope there:
// defect . (c^k) = -[k = 1] for k <= s. s = 3: the numbers of Hairer and Wanner's estimate.
static void test_radau_tableau_defect_is_minus_the_slope(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        trmi_radau_tableau t = tableau_of(stage_numbers[f]);
        for (int k = 1; k <= t.s; k++) {
            double sum = 0;
            for (int j = 0; j < t.s; j++)
                sum += t.defect[j] * pow(t.node[j + 1], k);
            assert_true(fabs(sum + (k == 1)) < 1e-13); // exact identity, entries up to 54
        }
    }
    trmi_radau_tableau t = tableau_of(3);
    const double root6 = sqrt(6),
                 expected[] = {-(13 + 7 * root6) / 3, (-13 + 7 * root6) / 3, -1 / 3.0};
    for (int j = 0; j < 3; j++)
        assert_true(fabs(t.defect[j] - expected[j]) < 1e-14); // a few eps of 10
}

// The weights reproduce polynomials of degree s, inside and beyond the step.
static void test_radau_tableau_weights_reproduce_polynomials(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        trmi_radau_tableau t = tableau_of(stage_numbers[f]);
        for (double x = 0; x < 2; x += 0.23) {
            double weight[TRMI_MAX_STAGES + 1], sum = 0, size = 0;
            trmi_radau_weights(&t, x, weight);
            for (int j = 0; j <= t.s; j++) {
                sum += weight[j] * pow(t.node[j] - 0.4, t.s);
                size += fabs(weight[j]);
            }
            assert_true(fabs(sum - pow(x - 0.4, t.s)) < 1e-14 * (1 + size)); // exact identity
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau_tableau_other_stages_are_refused),
        cmocka_unit_test(test_radau_tableau_gamma_differentiates_polynomials),
        cmocka_unit_test(test_radau_tableau_integral_integrates_polynomials),
        cmocka_unit_test(test_radau_tableau_weights_have_order_2s_minus_1),
        cmocka_unit_test(test_radau_tableau_transformation_is_block_diagonal),
        cmocka_unit_test(test_radau_tableau_is_l_stable),
        cmocka_unit_test(test_radau_tableau_defect_is_minus_the_slope),
        cmocka_unit_test(test_radau_tableau_weights_reproduce_polynomials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
