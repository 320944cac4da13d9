// SPDX-License-Identifier: Apache-2.0
// The coordinate split by its identities: P G^T = 0, G Y Q = G X, and the rules for its choice.
#include "solver/linear/split.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_MAX = 40 };

typedef struct fixture {
    trmi_memory memory;
    trmi_split split;
    int n, m;
    double gt[N_MAX * N_MAX];
} fixture;

static void start(fixture *f, int n, int m, double phase)
{
    f->n = n;
    f->m = m;
    trmi_memory_init(&f->memory, NULL);
    assert_true(trmi_split_create(&f->split, &f->memory, n, m));
    for (int i = 0; i < n * m; i++)
        f->gt[i] = sin(1.7 * i + 0.3 * i * i + phase);
}

static void finish(fixture *f)
{
    trmi_memory_release_all(&f->memory);
}

// G with G Y Q = G X for the given Q (m x p), Y = the first m coordinates, GY = identity
static void build_from_q(fixture *f, const double *q)
{
    int m = f->m, n = f->n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            f->gt[j + i * n] = j < m ? (i == j ? 1 : 0) : q[i + (j - m) * m];
}

static double entry(const fixture *f, int row, int col) // of G
{
    return f->gt[col + row * f->n];
}

// sum over the dependent coordinates of G_ri Q_ij = G_r,Xj
static void check_q(const fixture *f)
{
    const trmi_split *s = &f->split;
    double largest = 0;
    for (int j = 0; j < s->p; j++)
        for (int r = 0; r < s->m; r++) {
            double sum = 0;
            for (int i = 0; i < s->m; i++) {
                double q = s->q[i + j * s->m];
                sum += entry(f, r, s->dependent[i]) * q;
                largest = fmax(largest, fabs(q));
            }
            assert_true(fabs(sum - entry(f, r, s->independent[j])) < 1e-11 * (1 + s->max_q));
        }
    assert_true(s->max_q == largest);
}

// each coordinate once, independent ones ascending
static void check_partition(const fixture *f)
{
    const trmi_split *s = &f->split;
    int seen[N_MAX] = {0};
    for (int i = 0; i < s->m; i++)
        seen[s->dependent[i]]++;
    for (int j = 0; j < s->p; j++) {
        seen[s->independent[j]]++;
        assert_true(j == 0 || s->independent[j] > s->independent[j - 1]);
    }
    for (int k = 0; k < s->n; k++)
        assert_int_equal(seen[k], 1);
}

// P G^T = 0 column by column, G N = 0
static void check_projection(const fixture *f)
{
    const trmi_split *s = &f->split;
    double reduced[N_MAX], unit[N_MAX], whole[N_MAX];
    for (int r = 0; r < s->m; r++) {
        trmi_split_reduce(s, f->gt + r * s->n, reduced);
        for (int j = 0; j < s->p; j++)
            assert_true(fabs(reduced[j]) < 1e-11 * (1 + s->max_q));
    }
    for (int j = 0; j < s->p; j++) {
        for (int k = 0; k < s->p; k++)
            unit[k] = k == j ? 1 : 0;
        trmi_split_expand(s, unit, NULL, whole);
        assert_true(whole[s->independent[j]] == 1);
        for (int r = 0; r < s->m; r++) {
            double sum = 0;
            for (int k = 0; k < s->n; k++)
                sum += entry(f, r, k) * whole[k];
            assert_true(fabs(sum) < 1e-11 * (1 + s->max_q));
        }
    }
}

static void check_solves(const fixture *f)
{
    const trmi_split *s = &f->split;
    double c[N_MAX], z[N_MAX];
    for (int i = 0; i < s->m; i++)
        c[i] = z[i] = cos(i);
    trmi_split_solve(s, z); // sum_i G_r,Yi z_i = c_r
    for (int r = 0; r < s->m; r++) {
        double sum = 0;
        for (int i = 0; i < s->m; i++)
            sum += entry(f, r, s->dependent[i]) * z[i];
        assert_true(fabs(sum - c[r]) < 1e-10);
    }
    memcpy(z, c, sizeof z);
    trmi_split_solve_transposed(s, z); // sum_r G_r,Yi z_r = c_i
    for (int i = 0; i < s->m; i++) {
        double sum = 0;
        for (int r = 0; r < s->m; r++)
            sum += entry(f, r, s->dependent[i]) * z[r];
        assert_true(fabs(sum - c[i]) < 1e-10);
    }
}

static void test_split_random_jacobian_satisfies_identities(void **state)
{
    (void)state;
    static const int sizes[][2] = {{2, 1}, {5, 3}, {12, 7}, {40, 20}, {30, 1}, {9, 8}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        fixture f;
        start(&f, sizes[k][0], sizes[k][1], 0);
        assert_true(trmi_split_factor(&f.split, f.gt, 3));
        assert_true(f.split.pivot > 1e-6 && f.split.pivot <= 1);
        check_partition(&f);
        check_q(&f);
        check_projection(&f);
        check_solves(&f);
        assert_int_equal(f.split.changes, 0);
        finish(&f);
    }
}

static void test_split_expand_adds_dependent_part(void **state)
{
    (void)state;
    fixture f;
    double xi[N_MAX] = {1, 2, 3}, y[N_MAX] = {5, 7}, with[N_MAX], without[N_MAX];
    start(&f, 5, 2, 0);
    assert_true(trmi_split_factor(&f.split, f.gt, 3));
    trmi_split_expand(&f.split, xi, NULL, without);
    trmi_split_expand(&f.split, xi, y, with);
    for (int i = 0; i < 2; i++) {
        int k = f.split.dependent[i];
        assert_true(fabs(with[k] - without[k] - y[i]) < 1e-13);
    }
    for (int j = 0; j < 3; j++)
        assert_true(with[f.split.independent[j]] == xi[j]);
    finish(&f);
}

static void test_split_no_constraint_or_no_freedom_is_accepted(void **state)
{
    (void)state;
    fixture f;
    double xi[4] = {1, 2, 3, 4}, out[4];
    start(&f, 4, 0, 0);
    assert_true(trmi_split_factor(&f.split, f.gt, 3));
    check_partition(&f);
    trmi_split_expand(&f.split, xi, NULL, out);
    assert_memory_equal(out, xi, sizeof out);
    finish(&f);
    start(&f, 4, 4, 0);
    assert_true(trmi_split_factor(&f.split, f.gt, 3));
    assert_true(f.split.max_q == 0);
    check_partition(&f);
    check_solves(&f);
    finish(&f);
    assert_false(trmi_split_create(&f.split, &f.memory, 3, 4));
}

static void test_split_hysteresis_keeps_the_choice(void **state)
{
    (void)state;
    fixture f;
    start(&f, 3, 1, 0);
    // G = [cos a, sin a, 0]: the choice changes only when tan a > 2
    static const double angles[] = {0.1, 0.9, 1.0, 1.2, 1.5, 0.9, 0.5, 0.1};
    static const int expected[] = {0, 0, 0, 1, 1, 1, 1, 0};
    static const long changes[] = {0, 0, 0, 1, 1, 1, 1, 2};
    for (int k = 0; k < 8; k++) {
        f.gt[0] = cos(angles[k]);
        f.gt[1] = sin(angles[k]);
        f.gt[2] = 0;
        assert_true(trmi_split_factor(&f.split, f.gt, 2));
        assert_int_equal(f.split.dependent[0], expected[k]);
        assert_int_equal(f.split.changes, changes[k]);
        assert_true(f.split.max_q <= 2);
        check_q(&f);
    }
    finish(&f);
}

static void test_split_zero_bound_chooses_and_infinite_bound_keeps(void **state)
{
    (void)state;
    fixture f;
    start(&f, 2, 1, 0);
    f.gt[0] = 1;
    f.gt[1] = 0.9;
    assert_true(trmi_split_factor(&f.split, f.gt, INFINITY)); // nothing to keep yet
    assert_int_equal(f.split.dependent[0], 0);
    f.gt[1] = 1.1;
    assert_true(trmi_split_factor(&f.split, f.gt, 2));
    assert_int_equal(f.split.dependent[0], 0);
    assert_true(trmi_split_factor(&f.split, f.gt, 0));
    assert_int_equal(f.split.dependent[0], 1);
    f.gt[1] = 1e-3;
    assert_true(trmi_split_factor(&f.split, f.gt, INFINITY));
    assert_int_equal(f.split.dependent[0], 1);
    assert_true(fabs(f.split.max_q - 1e3) < 1e-9);
    f.gt[1] = 0; // GY is singular although G is not
    assert_false(trmi_split_factor(&f.split, f.gt, INFINITY));
    assert_true(trmi_split_factor(&f.split, f.gt, 2));
    assert_int_equal(f.split.dependent[0], 0);
    assert_int_equal(f.split.changes, 2);
    finish(&f);
}

// Partial pivoting on [L1; L2] with -1 below the diagonal lets Q grow like 2^(m-1)
static void test_split_growth_is_removed_by_exchanges(void **state)
{
    (void)state;
    fixture f;
    int m = 12, n = 15;
    start(&f, n, m, 0);
    memset(f.gt, 0, sizeof f.gt);
    for (int k = 0; k < m; k++) // column k of G^T = row k of G
        for (int i = k; i < n; i++)
            f.gt[i + k * n] = i == k ? 1 : i < m + 1 ? -1 + 1e-9 : 0.1 * (i - m);
    assert_true(trmi_split_factor(&f.split, f.gt, 3));
    assert_true(f.split.max_q <= 2 + 1e-9);
    check_partition(&f);
    check_q(&f);
    check_projection(&f);
    check_solves(&f);
    finish(&f);
}

static void test_split_given_q_is_found(void **state)
{
    (void)state;
    fixture f;
    const double q[6] = {0.5, -0.25, 0.75, 0.125, -0.5, 0.375};
    start(&f, 5, 3, 0);
    build_from_q(&f, q);
    assert_true(trmi_split_factor(&f.split, f.gt, 3));
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++) {
            assert_int_equal(f.split.dependent[i], i);
            assert_true(fabs(f.split.q[i + 3 * j] - q[i + 3 * j]) < 1e-15);
        }
    assert_true(f.split.max_q == 0.75);
    finish(&f);
}

static void test_split_dependent_row_is_reported(void **state)
{
    (void)state;
    fixture f;
    start(&f, 8, 4, 0);
    for (int k = 0; k < 8; k++) // row 2 = row 0 - 2 row 1
        f.gt[k + 16] = f.gt[k] - 2 * f.gt[k + 8];
    assert_false(trmi_split_factor(&f.split, f.gt, 3));
    assert_true(f.split.pivot <= 1e-12);
    assert_int_equal(f.split.pivot_column, 2);
    // and the next regular Jacobian is accepted
    for (int k = 0; k < 8; k++)
        f.gt[k + 16] += k == 3 ? 1 : 0;
    assert_true(trmi_split_factor(&f.split, f.gt, 3));
    check_q(&f);
    finish(&f);
}

static void test_split_number_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    fixture f;
    start(&f, 6, 3, 0);
    assert_true(trmi_split_factor(&f.split, f.gt, 3));
    for (int k = 0; k < 18; k++) {
        double kept = f.gt[k];
        f.gt[k] = NAN;
        assert_false(trmi_split_factor(&f.split, f.gt, 3));
        assert_false(trmi_split_factor(&f.split, f.gt, 0));
        f.gt[k] = kept;
    }
    assert_true(trmi_split_factor(&f.split, f.gt, 3));
    check_q(&f);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_random_jacobian_satisfies_identities),
        cmocka_unit_test(test_split_expand_adds_dependent_part),
        cmocka_unit_test(test_split_no_constraint_or_no_freedom_is_accepted),
        cmocka_unit_test(test_split_hysteresis_keeps_the_choice),
        cmocka_unit_test(test_split_zero_bound_chooses_and_infinite_bound_keeps),
        cmocka_unit_test(test_split_growth_is_removed_by_exchanges),
        cmocka_unit_test(test_split_given_q_is_found),
        cmocka_unit_test(test_split_dependent_row_is_reported),
        cmocka_unit_test(test_split_number_that_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
