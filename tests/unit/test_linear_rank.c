// SPDX-License-Identifier: Apache-2.0
// Rank, coefficients of dependent rows, and multipliers of minimum norm.
#include "solver/linear/rank.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 10, M_MAX = 14 };

typedef struct fixture {
    trmi_memory memory;
    int m;
    double gt[N * M_MAX];
    trmi_rank rank;
} fixture;

static void start(fixture *f, int m)
{
    trmi_memory_init(&f->memory, NULL);
    f->m = m;
    for (int i = 0; i < N * m; i++)
        f->gt[i] = sin(1.3 * i + 0.21 * i * i);
}

static void finish(fixture *f)
{
    trmi_memory_release_all(&f->memory);
}

// row := sum w_k row k
static void combine(fixture *f, int row, int a, double wa, int b, double wb)
{
    for (int i = 0; i < N; i++)
        f->gt[i + row * N] = wa * f->gt[i + a * N] + wb * f->gt[i + b * N];
}

// every dependent row is the combination of the leading ones that its coefficients say
static void reveal(fixture *f, int expected)
{
    assert_true(trmi_rank_reveal(&f->rank, &f->memory, f->gt, N, f->m, 1e-10));
    assert_int_equal(f->rank.rank, expected);
    int seen[M_MAX] = {0};
    for (int k = 0; k < f->m; k++)
        seen[f->rank.order[k]]++;
    for (int k = 0; k < f->m; k++)
        assert_int_equal(seen[k], 1);
    for (int k = expected; k < f->m; k++)
        for (int i = 0; i < N; i++) {
            double sum = -f->gt[i + f->rank.order[k] * N], size = fabs(sum);
            for (int l = 0; l < expected; l++) {
                double term = f->rank.coefficients[l + k * f->m] * f->gt[i + f->rank.order[l] * N];
                sum += term;
                size += fabs(term);
            }
            assert_true(fabs(sum) <= 1e-11 * size);
        }
}

// is `row` among the dependent ones
static bool depends(const fixture *f, int row)
{
    for (int k = f->rank.rank; k < f->m; k++)
        if (f->rank.order[k] == row)
            return true;
    return false;
}

static void test_rank_independent_rows_have_full_rank(void **state)
{
    (void)state;
    fixture f;
    start(&f, 6);
    reveal(&f, 6);
    finish(&f);
}

static void test_rank_repeated_row_depends_on_its_twin(void **state)
{
    (void)state;
    fixture f;
    start(&f, 6);
    combine(&f, 4, 1, 1, 0, 0);
    reveal(&f, 5);
    assert_true(depends(&f, 4) != depends(&f, 1));
    int twin = depends(&f, 4) ? 1 : 4;
    for (int l = 0; l < 5; l++) {
        double expected = f.rank.order[l] == twin ? 1 : 0;
        assert_true(fabs(f.rank.coefficients[l + 5 * 6] - expected) < 1e-12);
    }
    finish(&f);
}

static void test_rank_combined_row_has_its_coefficients(void **state)
{
    (void)state;
    fixture f;
    start(&f, 6);
    combine(&f, 3, 0, 2, 5, -0.5);
    reveal(&f, 5);
    finish(&f);
}

static void test_rank_is_independent_of_row_scaling(void **state)
{
    (void)state;
    fixture f;
    start(&f, 6);
    combine(&f, 3, 0, 2, 5, -0.5);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < N; i++)
            f.gt[i + k * N] *= pow(10, 4 * k - 8);
    reveal(&f, 5);
    finish(&f);
}

static void test_rank_zero_row_is_dependent(void **state)
{
    (void)state;
    fixture f;
    start(&f, 5);
    combine(&f, 2, 0, 0, 1, 0);
    reveal(&f, 4);
    assert_int_equal(f.rank.order[4], 2);
    for (int l = 0; l < 4; l++)
        assert_true(f.rank.coefficients[l + 4 * 5] == 0);
    finish(&f);
    start(&f, 3);
    memset(f.gt, 0, sizeof f.gt);
    reveal(&f, 0);
    finish(&f);
}

static void test_rank_more_rows_than_coordinates_is_bounded(void **state)
{
    (void)state;
    fixture f;
    start(&f, 14);
    reveal(&f, 10);
    finish(&f);
}

static void test_rank_tolerance_decides_near_dependence(void **state)
{
    (void)state;
    fixture f;
    start(&f, 4);
    combine(&f, 3, 0, 1, 1, 1);
    f.gt[3 * N] += 1e-7;
    assert_true(trmi_rank_reveal(&f.rank, &f.memory, f.gt, N, 4, 1e-10));
    assert_int_equal(f.rank.rank, 4);
    assert_true(trmi_rank_reveal(&f.rank, &f.memory, f.gt, N, 4, 1e-6));
    assert_int_equal(f.rank.rank, 3);
    finish(&f);
}

static void test_rank_no_rows_is_accepted(void **state)
{
    (void)state;
    fixture f;
    start(&f, 0);
    reveal(&f, 0);
    assert_true(trmi_minimum_norm(NULL, &f.memory, f.gt, N, 0, 1e-10, NULL));
    finish(&f);
}

// the same force, and nothing left in the null space: lambda = G l for some l
static void check_minimum(fixture *f, const double *before, const double *after)
{
    for (int i = 0; i < N; i++) {
        double force = 0, size = 0;
        for (int k = 0; k < f->m; k++) {
            force += f->gt[i + k * N] * (after[k] - before[k]);
            size += fabs(f->gt[i + k * N] * before[k]);
        }
        assert_true(fabs(force) <= 1e-11 * size);
    }
    for (int k = f->rank.rank; k < f->m; k++) {
        // null vector of row order[k]: 1 there, -w in the leading rows
        double sum = after[f->rank.order[k]], size = fabs(sum);
        for (int l = 0; l < f->rank.rank; l++) {
            double term = f->rank.coefficients[l + k * f->m] * after[f->rank.order[l]];
            sum -= term;
            size += fabs(term);
        }
        assert_true(fabs(sum) <= 1e-9 * size + 1e-12);
    }
}

static void test_minimum_norm_twin_rows_share_the_force(void **state)
{
    (void)state;
    fixture f;
    double lambda[3] = {3, 5, 1};
    start(&f, 3);
    combine(&f, 2, 0, 1, 1, 0);
    assert_true(trmi_minimum_norm(lambda, &f.memory, f.gt, N, 3, 1e-10, NULL));
    assert_true(fabs(lambda[0] - 2) < 1e-12 && fabs(lambda[2] - 2) < 1e-12);
    assert_true(fabs(lambda[1] - 5) < 1e-12);
    finish(&f);
}

static void test_minimum_norm_combined_rows_keep_the_force(void **state)
{
    (void)state;
    fixture f;
    double before[14], after[14];
    start(&f, 9);
    combine(&f, 3, 0, 2, 5, -0.5);
    combine(&f, 7, 1, 100, 3, 1);
    combine(&f, 8, 0, 0, 1, 0);
    reveal(&f, 6);
    for (int k = 0; k < 9; k++)
        before[k] = after[k] = cos(k);
    assert_true(trmi_minimum_norm(after, &f.memory, f.gt, N, 9, 1e-10, NULL));
    check_minimum(&f, before, after);
    assert_true(fabs(after[8]) < 1e-14);
    finish(&f);
    start(&f, 14);
    reveal(&f, 10);
    for (int k = 0; k < 14; k++)
        before[k] = after[k] = cos(k);
    assert_true(trmi_minimum_norm(after, &f.memory, f.gt, N, 14, 1e-10, NULL));
    check_minimum(&f, before, after);
    finish(&f);
}

static void test_minimum_norm_full_rank_changes_nothing(void **state)
{
    (void)state;
    fixture f;
    double lambda[4] = {1, 2, 3, 4};
    const double expected[4] = {1, 2, 3, 4};
    start(&f, 4);
    assert_true(trmi_minimum_norm(lambda, &f.memory, f.gt, N, 4, 1e-10, NULL));
    assert_memory_equal(lambda, expected, sizeof lambda);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_independent_rows_have_full_rank),
        cmocka_unit_test(test_rank_repeated_row_depends_on_its_twin),
        cmocka_unit_test(test_rank_combined_row_has_its_coefficients),
        cmocka_unit_test(test_rank_is_independent_of_row_scaling),
        cmocka_unit_test(test_rank_zero_row_is_dependent),
        cmocka_unit_test(test_rank_more_rows_than_coordinates_is_bounded),
        cmocka_unit_test(test_rank_tolerance_decides_near_dependence),
        cmocka_unit_test(test_rank_no_rows_is_accepted),
        cmocka_unit_test(test_minimum_norm_twin_rows_share_the_force),
        cmocka_unit_test(test_minimum_norm_combined_rows_keep_the_force),
        cmocka_unit_test(test_minimum_norm_full_rank_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
