// SPDX-License-Identifier: Apache-2.0
// The past of a trajectory: Lagrange sums over non-uniform points are exact for polynomials, the
// ring keeps the newest points in order.
#include "solver/integrator/history.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 5, MOST = TRMI_HISTORY_POINTS - 2 }; // components, highest order with a case

typedef struct fixture {
    trmi_memory memory;
    trmi_history history;
    uint64_t seed;
} fixture;

// a number in -1 .. 1 of a fixed sequence
static double noise(fixture *f)
{
    f->seed = f->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(f->seed >> 11) * 0x1p-52 - 1;
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.seed = 1};
    trmi_memory_init(&f.memory, NULL);
    *state = &f;
    return trmi_history_create(&f.history, &f.memory, SIZE, TRMI_HISTORY_POINTS) ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    trmi_memory_release_all(&f->memory);
    return 0;
}

// p(t) = sum_d c_d (t - 1)^d
typedef struct polynomial {
    int degree;
    double c[MOST + 1];
} polynomial;

static double value_of(const polynomial *p, double t)
{
    double sum = 0;
    for (int d = p->degree; d >= 0; d--)
        sum = sum * (t - 1) + p->c[d];
    return sum;
}

static double slope_of(const polynomial *p, double t)
{
    double sum = 0;
    for (int d = p->degree; d > 0; d--)
        sum = sum * (t - 1) + d * p->c[d];
    return sum;
}

// a polynomial per component
static void random_polynomials(fixture *f, int degree, polynomial *p)
{
    for (int i = 0; i < SIZE; i++) {
        p[i].degree = degree;
        for (int d = 0; d <= degree; d++)
            p[i].c[d] = noise(f);
    }
}

// as many points as fit, at steps between 0.1 and 0.5, on the polynomials
static void fill(fixture *f, const polynomial *p)
{
    double t = noise(f);
    trmi_history_clear(&f->history);
    for (int n = 0; n < TRMI_HISTORY_POINTS; n++) {
        double *y = trmi_history_push(&f->history, t);
        for (int i = 0; i < SIZE; i++)
            y[i] = value_of(&p[i], t);
        t += 0.3 + 0.2 * noise(f);
    }
}

// a sum of weights times values carries roundoff of every term
static double roundoff(const trmi_history *h, int k, const double *weight, int i)
{
    double size = 1;
    for (int j = 0; j <= k; j++)
        size += fabs(weight[j] * h->y[j][i]);
    return 100 * DBL_EPSILON * size;
}

static double weighted(const trmi_history *h, int k, const double *weight, int i)
{
    double sum = 0;
    for (int j = 0; j <= k; j++)
        sum += weight[j] * h->y[j][i];
    return sum;
}

static void check_weights(const trmi_history *h, int k, const polynomial *p, double t)
{
    double value[TRMI_HISTORY_POINTS], slope[TRMI_HISTORY_POINTS], alone[TRMI_HISTORY_POINTS];
    trmi_history_weights(h, k, t, value, slope);
    trmi_history_weights(h, k, t, alone, NULL);
    assert_memory_equal(value, alone, (size_t)(k + 1) * sizeof *value);
    for (int i = 0; i < SIZE; i++) {
        double v = weighted(h, k, value, i) - value_of(&p[i], t);
        double s = weighted(h, k, slope, i) - slope_of(&p[i], t);
        if (!(fabs(v) <= roundoff(h, k, value, i) && fabs(s) <= roundoff(h, k, slope, i)))
            fail_msg("k = %d, degree %d: value off by %g, slope by %g", k, p[i].degree, v, s);
    }
}

// ---- weights ----

static void test_history_weights_between_points_are_exact(void **state)
{
    fixture *f = *state;
    polynomial p[SIZE];
    for (int round = 0; round < 50; round++)
        for (int k = 0; k <= MOST; k++)
            for (int degree = 0; degree <= k; degree++) {
                random_polynomials(f, degree, p);
                fill(f, p);
                const double *s = f->history.t;
                check_weights(&f->history, k, p, s[0] + 0.2 * (s[0] - s[1])); // ahead
                for (int j = 0; j < k; j++)
                    check_weights(&f->history, k, p,
                                  s[j] + (0.5 + 0.4 * noise(f)) * (s[j + 1] - s[j]));
            }
}

// the derivative has no division by zero there
static void test_history_weights_at_points_are_exact(void **state)
{
    fixture *f = *state;
    polynomial p[SIZE];
    for (int k = 0; k <= MOST; k++) {
        random_polynomials(f, k, p);
        fill(f, p);
        for (int j = 0; j <= k; j++) {
            double value[TRMI_HISTORY_POINTS];
            trmi_history_weights(&f->history, k, f->history.t[j], value, NULL);
            for (int i = 0; i <= k; i++)
                assert_true(value[i] == (i == j)); // no roundoff: the point itself comes back
            check_weights(&f->history, k, p, f->history.t[j]);
        }
    }
}

static void test_history_weights_higher_degree_is_not_exact(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < MOST; k++) {
        polynomial p[SIZE];
        for (int i = 0; i < SIZE; i++) {
            p[i] = (polynomial){.degree = k + 1};
            p[i].c[k + 1] = 1;
        }
        fill(f, p);
        double weight[TRMI_HISTORY_POINTS], t = f->history.t[0] + 0.3, product = 1;
        trmi_history_weights(&f->history, k, t, weight, NULL);
        for (int j = 0; j <= k; j++) // error of the interpolation of t^(k+1)
            product *= t - f->history.t[j];
        double error = value_of(&p[0], t) - weighted(&f->history, k, weight, 0);
        assert_true(fabs(error - product) <= roundoff(&f->history, k, weight, 0) + 1e-12);
        assert_true(fabs(error) > 1e-4);
    }
}

// ---- predictor ----

static void test_history_predict_gives_value_and_offset(void **state)
{
    fixture *f = *state;
    polynomial p[SIZE];
    for (int k = 0; k <= MOST; k++)
        for (int round = 0; round < 20; round++) {
            random_polynomials(f, k, p);
            fill(f, p);
            double cj = 10 * (1 + noise(f)), value[SIZE], offset[SIZE], alone[SIZE];
            double t = f->history.t[0] + 0.3 * (1 + noise(f));
            double a[TRMI_HISTORY_POINTS], b[TRMI_HISTORY_POINTS];
            trmi_predictor w = trmi_history_predictor(&f->history, k, t, cj);
            trmi_history_predict(&f->history, &w, 0, SIZE, value, offset);
            trmi_history_predict_offset(&f->history, &w, 0, SIZE, alone);
            assert_memory_equal(alone, offset, sizeof offset);
            trmi_history_weights(&f->history, k, t, a, b);
            for (int i = 0; i < SIZE; i++) {
                double of_value = roundoff(&f->history, k, a, i);
                double of_offset = roundoff(&f->history, k, b, i) + cj * of_value;
                assert_true(fabs(value[i] - value_of(&p[i], t)) <= of_value);
                double should = slope_of(&p[i], t) - cj * value_of(&p[i], t);
                assert_true(fabs(offset[i] - should) <= of_offset);
            }
        }
}

static void test_history_predict_leaves_the_rest_alone(void **state)
{
    fixture *f = *state;
    polynomial p[SIZE];
    random_polynomials(f, 2, p);
    fill(f, p);
    const double t = f->history.t[0] + 0.1;
    double value[SIZE] = {7, 7, 7, 7, 7}, offset[SIZE] = {8, 8, 8, 8, 8}, alone[SIZE] = {0};
    trmi_predictor w = trmi_history_predictor(&f->history, 2, t, 1);
    trmi_history_predict(&f->history, &w, 1, 3, value, offset);
    trmi_history_predict_offset(&f->history, &w, 1, 3, alone);
    for (int i = 0; i < SIZE; i++) {
        bool inside = i >= 1 && i < 3;
        assert_true((value[i] == 7) != inside && (offset[i] == 8) != inside);
        assert_true(alone[i] == (inside ? offset[i] : 0));
        assert_true(!inside || fabs(value[i] - value_of(&p[i], t)) < 1e-12);
    }
}

// ---- multipliers ----

// number i of the multipliers at t
static double multiplier_of(double t, int i)
{
    return 1 + i * t - 2 * t * t + t * t * t;
}

// pushes points with their multipliers
static void push_multipliers(trmi_history *h, int points)
{
    for (int n = 0; n < points; n++) {
        trmi_history_push(h, 0.25 * n);
        for (int i = 0; i < 3; i++)
            h->m[0][i] = multiplier_of(h->t[0], i);
    }
}

// fewer points have multipliers than there are: the newest ones, and the last array is free
static void test_history_multipliers_are_those_of_the_newest_points(void **state)
{
    fixture *f = *state;
    trmi_history *h = &f->history;
    assert_true(trmi_history_add_multipliers(h, &f->memory, 3, 5));
    push_multipliers(h, 11);
    assert_int_equal(h->count, TRMI_HISTORY_POINTS);
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 3; i++)
            assert_true(h->m[j][i] == multiplier_of(h->t[j], i));
    // four points are free of the scratch one: a cubic, whatever is asked for
    const int degree[] = {0, 1, 2, 3, 3, 3};
    for (int k = 0; k < 6; k++)
        assert_int_equal(trmi_history_multiplier_degree(h, k), degree[k]);
}

// more of them than points of the state: times reach as far
static void test_history_multipliers_may_reach_further_than_points(void **state)
{
    fixture *f = *state;
    trmi_history *h = &f->history;
    assert_true(trmi_history_create(h, &f->memory, SIZE, 3));
    assert_true(trmi_history_add_multipliers(h, &f->memory, 3, 6));
    push_multipliers(h, 9);
    assert_int_equal(h->count, 6);
    for (int j = 0; j < 6; j++)
        assert_true(h->t[j] == 0.25 * (8 - j) && h->m[j][0] == multiplier_of(h->t[j], 0));
    trmi_history_clear(h);
    assert_int_equal(h->count, 0);
}

static void test_history_multipliers_are_predicted_as_points_are(void **state)
{
    fixture *f = *state;
    trmi_history *h = &f->history;
    const double t = 2.6, cj = 3;
    double value[3], offset[3];
    assert_true(trmi_history_add_multipliers(h, &f->memory, 3, TRMI_HISTORY_POINTS));
    push_multipliers(h, 10);
    for (int k = 3; k <= MOST; k++) {
        trmi_predictor w = trmi_history_predictor(h, k, t, cj);
        trmi_history_predict_multipliers(h, &w, 3, value, offset);
        for (int i = 0; i < 3; i++) {
            double slope = i - 4 * t + 3 * t * t, should = slope - cj * multiplier_of(t, i);
            // a cubic is met by every degree from 3 on; weights up to 1e3 times values of 10
            assert_true(fabs(value[i] - multiplier_of(t, i)) < 1e-11);
            assert_true(fabs(offset[i] - should) < 1e-10);
        }
    }
}

// ---- defect ----

static void test_history_defect_of_polynomial_is_zero(void **state)
{
    fixture *f = *state;
    const double weight[SIZE] = {1, 2, 3, 4, 5};
    polynomial p[SIZE];
    for (int k = 0; k <= MOST; k++) {
        random_polynomials(f, k, p);
        fill(f, p);
        double y[SIZE], a[TRMI_HISTORY_POINTS], t = f->history.t[0] + 0.25, bound = 0;
        trmi_history_weights(&f->history, k, t, a, NULL);
        for (int i = 0; i < SIZE; i++) {
            y[i] = value_of(&p[i], t);
            bound += pow(weight[i] * roundoff(&f->history, k, a, i), 2);
        }
        assert_true(trmi_history_defect(&f->history, k, t, 0, SIZE, y, weight) <= bound);
    }
}

// sum of (weight deviation)^2 over the entries from begin on; y and weight start there
static void test_history_defect_of_deviation_is_weighted_sum(void **state)
{
    fixture *f = *state;
    const int begin = 2, n = 3;
    const double weight[] = {1, 2, 4}, deviation[] = {0.5, -0.25, 1};
    polynomial p[SIZE];
    for (int k = 0; k <= MOST; k++) {
        random_polynomials(f, k, p);
        fill(f, p);
        double y[SIZE], t = f->history.t[0] + 0.25;
        for (int i = 0; i < n; i++)
            y[i] = value_of(&p[begin + i], t) + deviation[i];
        double sum = trmi_history_defect(&f->history, k, t, begin, n, y, weight);
        assert_true(fabs(sum - (0.25 + 0.25 + 16)) < 1e-9);
        assert_true(trmi_history_defect(&f->history, k, t, begin, 0, y, weight) == 0);
    }
}

// ---- ring ----

static void test_history_push_many_keeps_newest_first(void **state)
{
    fixture *f = *state;
    trmi_history *h = &f->history;
    assert_int_equal(h->count, 0);
    for (int n = 1; n <= 100; n++) {
        double *y = trmi_history_push(h, n);
        for (int i = 0; i < SIZE; i++)
            y[i] = 10 * n + i;
        int stored = n < TRMI_HISTORY_POINTS ? n : TRMI_HISTORY_POINTS;
        assert_int_equal(h->count, stored);
        assert_ptr_equal(y, h->y[0]);
        for (int j = 0; j < stored; j++) {
            assert_true(h->t[j] == n - j);
            for (int i = 0; i < SIZE; i++)
                assert_true(h->y[j][i] == 10 * (n - j) + i);
        }
    }
}

static void test_history_push_reuses_distinct_arrays(void **state)
{
    fixture *f = *state;
    trmi_history *h = &f->history;
    for (int n = 0; n < 37; n++)
        trmi_history_push(h, n);
    for (int j = 0; j < TRMI_HISTORY_POINTS; j++)
        for (int i = 0; i < j; i++)
            assert_true(h->y[i] + SIZE <= h->y[j] || h->y[j] + SIZE <= h->y[i]);
}

static void test_history_clear_forgets_all(void **state)
{
    fixture *f = *state;
    polynomial p[SIZE];
    random_polynomials(f, 1, p);
    fill(f, p);
    trmi_history_clear(&f->history);
    assert_int_equal(f->history.count, 0);
    trmi_history_push(&f->history, 3)[0] = 4;
    assert_int_equal(f->history.count, 1);
    double value, offset;
    trmi_predictor w = trmi_history_predictor(&f->history, 0, 5, 2); // a constant
    trmi_history_predict(&f->history, &w, 0, 1, &value, &offset);
    assert_true(value == 4 && offset == -8);
}

static void *allocate_nothing(size_t size, void *user)
{
    (void)size, (void)user;
    return NULL;
}

static void release_nothing(void *block, void *user)
{
    (void)block, (void)user;
}

static void test_history_create_without_memory_says_so(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_history history;
    trmi_memory_init(&memory, &(trm_allocator){allocate_nothing, release_nothing, NULL});
    assert_false(trmi_history_create(&history, &memory, SIZE, TRMI_HISTORY_POINTS));
}

#define WITH_HISTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_HISTORY(test_history_weights_between_points_are_exact),
        WITH_HISTORY(test_history_weights_at_points_are_exact),
        WITH_HISTORY(test_history_weights_higher_degree_is_not_exact),
        WITH_HISTORY(test_history_predict_gives_value_and_offset),
        WITH_HISTORY(test_history_predict_leaves_the_rest_alone),
        WITH_HISTORY(test_history_multipliers_are_those_of_the_newest_points),
        WITH_HISTORY(test_history_multipliers_may_reach_further_than_points),
        WITH_HISTORY(test_history_multipliers_are_predicted_as_points_are),
        WITH_HISTORY(test_history_defect_of_polynomial_is_zero),
        WITH_HISTORY(test_history_defect_of_deviation_is_weighted_sum),
        WITH_HISTORY(test_history_push_many_keeps_newest_first),
        WITH_HISTORY(test_history_push_reuses_distinct_arrays),
        WITH_HISTORY(test_history_clear_forgets_all),
        cmocka_unit_test(test_history_create_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
