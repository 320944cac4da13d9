// SPDX-License-Identifier: Apache-2.0
// The points of studies: random bits, quantiles, Sobol's sequence, Latin hypercubes, grids.
#define _POSIX_C_SOURCE 200809L
#include "framework.h"

#include "program/study/study.h"
#include "program/study/study_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Philox 4x32, 10 rounds, of zeros and of ones: known answers of the authors' Random123, file
// kat_vectors (6627e8d5 e169c58d ..., 408f276d 41c83b0e ...); the two first words are used.
static void test_study_random_bits_are_philox(void **state)
{
    (void)state;
    assert_true(trmi_random_bits(0, 0, 0, 0) == UINT64_C(0xe169c58d6627e8d5));
    assert_true(trmi_random_bits(UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX) ==
                UINT64_C(0x41c83b0e408f276d));
}

static void test_study_units_are_inside(void **state)
{
    (void)state;
    assert_true(trmi_unit_of_bits(0) > 0 && trmi_unit_of_bits(UINT64_MAX) < 1);
}

// tables of the normal distribution, 10 digits; P(x) again by erfc to roundoff
static void test_study_quantiles_of_the_normal_distribution(void **state)
{
    (void)state;
    assert_true(fabs(trmi_normal_quantile(0.975) - (1.959963984540054)) <= 1e-13);
    assert_true(fabs(trmi_normal_quantile(0.5) - (0)) <= 1e-15);
    assert_true(fabs(trmi_normal_quantile(0.001) - (-3.090232306167813)) <= 1e-12);
    for (double p = 1e-300; p < 0.5; p *= 7) {
        double x = trmi_normal_quantile(p);
        assert_true(fabs(0.5 * erfc(-x * sqrt(0.5)) / p - 1) < 1e-12 * (1 + x * x));
    }
}

// The first eight points in three dimensions by hand from the direction numbers: v = 1/2, 1/4, 1/8;
// 1/2, 3/4, 5/8; 1/2, 3/4, 3/8. Point 3 = v_1 xor v_2, point 6 = v_2 xor v_3.
static void test_study_sobol_begins_as_by_hand(void **state)
{
    (void)state;
    static const double point[8][3] = {{0, 0, 0},
                                       {0.5, 0.5, 0.5},
                                       {0.25, 0.75, 0.75},
                                       {0.75, 0.25, 0.25},
                                       {0.125, 0.625, 0.375},
                                       {0.625, 0.125, 0.875},
                                       {0.375, 0.375, 0.625},
                                       {0.875, 0.875, 0.125}};
    for (uint32_t i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            assert_true(trmi_sobol_bits(k, i) * 0x1p-32 == point[i][k]);
}

// Each of 2^k points lies in another of 2^k equal parts of every coordinate, and the second half of
// them fills what the first left.
static void test_study_sobol_fills_every_coordinate(void **state)
{
    (void)state;
    enum { POINTS = 1024 };
    for (int k = 0; k < TRMI_SOBOL_DIMENSIONS; k++) {
        bool seen[POINTS] = {false};
        for (uint32_t i = 0; i < POINTS; i++) {
            uint32_t part = trmi_sobol_bits(k, i) >> 22;
            assert_false(seen[part]);
            seen[part] = true;
        }
    }
    for (int k = 1; k < TRMI_SOBOL_DIMENSIONS; k++) // and all are different
        for (int other = 0; other < k; other++) {
            int same = 0;
            for (uint32_t i = 0; i < POINTS; i++)
                same += trmi_sobol_bits(k, i) == trmi_sobol_bits(other, i);
            assert_true(same < POINTS / 4);
        }
}

static void print_diagnostic(const trm_diagnostic *d, void *user)
{
    (void)user;
    fprintf(stderr, "%s\n", d->text);
}

static trmi_study *read_study(const char *text)
{
    char path[] = "/tmp/trammel-study-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(file);
    fprintf(file, "trammel-study: 1\nmodel: %s\n%s", path, text); // some file: it is not loaded
    fclose(file);
    trmi_study *study = trmi_study_read(path, print_diagnostic, NULL);
    remove(path);
    assert_non_null(study);
    return study;
}

static void test_study_grid_varies_the_last_fastest(void **state)
{
    (void)state;
    trmi_study *s =
        read_study("parameters: {a: [1, 2], b: {from: 0.1, to: 0.3, count: 3}, c: {from: 1, "
                   "to: 100, count: 3, spacing: logarithmic}}\n");
    double value[3];
    assert_int_equal(s->runs, 18);
    trmi_study_point(s, 7, value); // 7 = 0*9 + 2*3 + 1
    assert_true(value[0] == 1 && value[1] == 0.3 && value[2] == 10);
    trmi_study_point(s, 13, value); // 13 = 1*9 + 1*3 + 1; 0.2 exactly, not 0.2 + 2e-17
    assert_true(value[0] == 2 && value[1] == 0.2 && value[2] == 10);
    trmi_study_destroy(s);
}

static void test_study_latin_hypercube_has_one_point_in_each_part(void **state)
{
    (void)state;
    enum { RUNS = 50 };
    trmi_study *s = read_study("parameters: {a: {from: 0, to: 50}, b: {mean: 0, deviation: 1}}\n"
                               "sampling: {method: latin-hypercube, runs: 50, seed: 3}\n");
    bool seen[2][RUNS] = {{false}};
    int equal = 0;
    for (int i = 0; i < RUNS; i++) {
        double value[2];
        trmi_study_point(s, i, value);
        int part[2] = {(int)value[0], (int)(RUNS * 0.5 * erfc(-value[1] * sqrt(0.5)))};
        for (int k = 0; k < 2; k++) {
            assert_in_range(part[k], 0, RUNS - 1);
            assert_false(seen[k][part[k]]);
            seen[k][part[k]] = true;
        }
        equal += part[0] == part[1];
    }
    assert_true(equal < RUNS / 5); // the parameters are not tied to each other
    trmi_study_destroy(s);
}

// every place once, for numbers around powers of 4; another permutation for another parameter
static void test_study_random_places_are_a_permutation(void **state)
{
    (void)state;
    enum { MOST = 1025 };
    static const uint64_t count[] = {1, 2, 3, 4, 5, 16, 17, 1000, 1024, MOST};
    for (size_t c = 0; c < sizeof count / sizeof *count; c++) {
        bool seen[MOST] = {false};
        uint64_t equal = 0;
        for (uint64_t i = 0; i < count[c]; i++) {
            uint64_t place = trmi_random_place(i, count[c], 7, 0, 1);
            assert_true(place < count[c] && !seen[place]);
            seen[place] = true;
            equal += place == trmi_random_place(i, count[c], 7, 1, 1);
        }
        assert_true(count[c] < 100 || equal < 10); // 1 in the mean
    }
}

// Too many runs to keep an order of them: the points are there at once, each in a part of its own,
// and evenly over all parts: the mean of 10^4 of them is within 4 deviations, 1/sqrt(12*10^4)
static void test_study_latin_hypercube_of_many_runs(void **state)
{
    (void)state;
    enum { RUNS = 10000 };
    trmi_study *s = read_study("parameters: {a: {from: 0, to: 1}, b: {from: 0, to: 1}}\n"
                               "sampling: {method: latin-hypercube, runs: 1000000000}\n");
    double sum[2] = {0}, product = 0;
    for (int i = 0; i < RUNS; i++) {
        double value[2];
        trmi_study_point(s, i, value);
        sum[0] += value[0];
        sum[1] += value[1];
        product += (value[0] - 0.5) * (value[1] - 0.5);
    }
    assert_true(fabs(sum[0] / RUNS - 0.5) < 4 / sqrt(12.0 * RUNS));
    assert_true(fabs(sum[1] / RUNS - 0.5) < 4 / sqrt(12.0 * RUNS));
    assert_true(fabs(product / RUNS) < 4 / (12 * sqrt((double)RUNS)));
    trmi_study_destroy(s);
}

// mean 2, deviation 0.5 of 4000 samples: within 4 of their own standard deviations, 0.5/sqrt(4000)
// and 0.5/sqrt(8000); a list takes each of its values as often, within 4 sqrt(n/4)
static void test_study_random_samples_follow_their_distribution(void **state)
{
    (void)state;
    enum { RUNS = 4000 };
    trmi_study *s = read_study("parameters: {a: {mean: 2, deviation: 0.5}, b: [1, 2]}\n"
                               "sampling: {method: random, runs: 4000, seed: 1}\n");
    double sum = 0, squares = 0, ones = 0;
    for (int i = 0; i < RUNS; i++) {
        double value[2];
        trmi_study_point(s, i, value);
        sum += value[0];
        squares += (value[0] - 2) * (value[0] - 2);
        ones += value[1] == 1;
    }
    assert_true(fabs(sum / RUNS - (2)) <= 4 * 0.5 / sqrt(RUNS));
    assert_true(fabs(sqrt(squares / RUNS) - (0.5)) <= 4 * 0.5 / sqrt(2 * RUNS));
    assert_true(fabs(ones - (RUNS / 2.0)) <= 4 * sqrt(RUNS / 4.0));
    trmi_study_destroy(s);
}

// y = 2 a + b + noise of a third parameter c, all uniform in (0, 1): shares 4/6, 1/6, 1/6 of the
// variance 6/12. With 4096 points in 32 groups the index scatters by about 2 sqrt(S/n) = 0.03;
// three times that.
static void test_study_indices_of_a_sum(void **state)
{
    (void)state;
    enum { RUNS = 4096 };
    static double x[3][RUNS], y[RUNS], grid[RUNS];
    for (int i = 0; i < RUNS; i++) {
        for (int k = 0; k < 3; k++)
            x[k][i] = trmi_unit_of_bits(trmi_random_bits(5, (uint64_t)i, (uint32_t)k, 0));
        y[i] = 2 * x[0][i] + x[1][i] + x[2][i];
        grid[i] = i % 7; // which y does not depend on
    }
    static const double share[] = {4.0 / 6, 1.0 / 6, 1.0 / 6};
    for (int k = 0; k < 3; k++)
        assert_true(fabs(trmi_first_order_index(x[k], y, RUNS, NULL, NULL) - share[k]) < 0.09);
    double mean[2 * TRMI_MAX_GROUPS];
    int groups = 0;
    assert_true(trmi_first_order_index(grid, y, RUNS, mean, &groups) < 0.01);
    assert_int_equal(groups, 7); // the values of a grid
    assert_true(mean[2 * 3] == 3);
    y[0] = NAN; // a failed run
    assert_true(fabs(trmi_first_order_index(x[0], y, RUNS, NULL, NULL) - share[0]) < 0.09);
    assert_true(isnan(trmi_first_order_index(x[0], y, 2, NULL, NULL)));
}

// Ishigami's function sin a + 7 sin^2 b + 0.1 c^4 sin a of uniform numbers in (-pi, pi). Closed
// form (Ishigami and Homma, 1990): V_a = (1 + 0.1 pi^4/5)^2/2, V_b = 49/8, V_ac = 8 pi^8 0.01/225.
// The errors are those of 1024 pairs; estimates must lie within four of them, and the errors below
// 0.06: var((y_B)(y_i - y_A))/V^2 is 2 .. 4 here, sqrt(4/1024).
static void test_study_indices_of_ishigami(void **state)
{
    (void)state;
    enum { PAIRS = 1024, RUNS = PAIRS * 5 };
    trmi_study *s =
        read_study("parameters: {a: &r {from: -3.141592653589793, to: 3.141592653589793}, "
                   "b: *r, c: *r}\n"
                   "sampling: {method: saltelli, runs: 1024, seed: 7}\n");
    static double y[RUNS];
    assert_int_equal(s->runs, RUNS);
    for (int i = 0; i < RUNS; i++) {
        double x[3];
        trmi_study_point(s, i, x);
        y[i] = sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
    }
    const double p4 = pow(acos(-1), 4), a = 0.5 * pow(1 + 0.02 * p4, 2), b = 49.0 / 8;
    const double ac = 8 * 0.01 * p4 * p4 / 225, V = a + b + ac;
    const double first[] = {a / V, b / V, 0}, total[] = {(a + ac) / V, b / V, ac / V};
    for (int k = 0; k < 3; k++) {
        const trmi_sobol_indices i = trmi_total_order_index(y, PAIRS, 3, k);
        assert_true(i.first_error > 0 || k == 1);
        assert_true(i.first_error < 0.06 && i.total_error < 0.06);
        assert_true(fabs(i.first - first[k]) < 4 * i.first_error);
        assert_true(fabs(i.total - total[k]) < 4 * i.total_error);
    }
    y[7] = NAN; // a failed run: its block is left out
    assert_true(fabs(trmi_total_order_index(y, PAIRS, 3, 0).total - total[0]) < 0.24);
    assert_true(isnan(trmi_total_order_index(y, 1, 3, 0).first));
    trmi_study_destroy(s);
}

// A, A with one parameter of B, B: by the values themselves; and with more blocks the first ones
// stay.
static void test_study_saltelli_changes_one_parameter(void **state)
{
    (void)state;
    trmi_study *s = read_study("parameters: {a: {from: 0, to: 1}, b: {mean: 0, deviation: 1}}\n"
                               "sampling: {method: saltelli, runs: 16}\n");
    trmi_study *more = read_study("parameters: {a: {from: 0, to: 1}, b: {mean: 0, deviation: 1}}\n"
                                  "sampling: {method: saltelli, runs: 32}\n");
    assert_int_equal(s->runs, 64);
    for (int block = 0; block < 16; block++) {
        double v[4][2], again[2];
        for (int i = 0; i < 4; i++) {
            trmi_study_point(s, 4 * block + i, v[i]);
            trmi_study_point(more, 4 * block + i, again);
            assert_true(v[i][0] == again[0] && v[i][1] == again[1]);
        }
        assert_true(v[0][0] != v[3][0] && v[0][1] != v[3][1]);
        assert_true(v[1][0] == v[3][0] && v[1][1] == v[0][1]);
        assert_true(v[2][0] == v[0][0] && v[2][1] == v[3][1]);
    }
    trmi_study_destroy(s);
    trmi_study_destroy(more);
}

// The middle of all ranges comes first: the first point of the sequence, zeros, is left out. 1023
// points of it are i/1024 in another order: the smallest quantile is that of 1/1024.
static void test_study_sobol_without_seed_begins_in_the_middle(void **state)
{
    (void)state;
    trmi_study *s = read_study("parameters: {a: {from: 0, to: 2}, b: {mean: 5, deviation: 1}}\n"
                               "sampling: {method: sobol, runs: 1023}\n");
    double value[2], low = 9;
    trmi_study_point(s, 0, value);
    assert_true(fabs(value[0] - 1) < 1e-9 && fabs(value[1] - 5) < 1e-9);
    for (int i = 0; i < 1023; i++) {
        trmi_study_point(s, i, value);
        low = fmin(low, value[1]);
    }
    assert_true(fabs(low - 5 - trmi_normal_quantile(1.0 / 1024)) < 1e-6); // 2^-33 beside it
    trmi_study_destroy(s);
}

// Of 0 .. 20 in another order, and a failed run: 5 and 95 % are the second and the last but one,
// p (n - 1) = 1 and 19.
static void test_study_envelope_of_numbers(void **state)
{
    (void)state;
    double value[22], out[TRMI_ENVELOPES];
    for (int i = 0; i < 21; i++)
        value[i] = (8 * i) % 21;
    value[21] = value[3];
    value[3] = NAN;
    trmi_envelope_at(value, 22, out);
    static const double expected[TRMI_ENVELOPES] = {20, 19, 10, 1, 0};
    for (int k = 0; k < TRMI_ENVELOPES; k++)
        assert_true(fabs(out[k] - expected[k]) < 1e-13);
    value[0] = INFINITY;
    trmi_envelope_at(value, 1, out);
    assert_true(isnan(out[TRMI_ENVELOPE_MEAN]) && isnan(out[TRMI_ENVELOPE_LARGEST]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_study_random_bits_are_philox),
        cmocka_unit_test(test_study_units_are_inside),
        cmocka_unit_test(test_study_quantiles_of_the_normal_distribution),
        cmocka_unit_test(test_study_sobol_begins_as_by_hand),
        cmocka_unit_test(test_study_sobol_fills_every_coordinate),
        cmocka_unit_test(test_study_grid_varies_the_last_fastest),
        cmocka_unit_test(test_study_latin_hypercube_has_one_point_in_each_part),
        cmocka_unit_test(test_study_random_places_are_a_permutation),
        cmocka_unit_test(test_study_latin_hypercube_of_many_runs),
        cmocka_unit_test(test_study_random_samples_follow_their_distribution),
        cmocka_unit_test(test_study_indices_of_a_sum),
        cmocka_unit_test(test_study_indices_of_ishigami),
        cmocka_unit_test(test_study_saltelli_changes_one_parameter),
        cmocka_unit_test(test_study_sobol_without_seed_begins_in_the_middle),
        cmocka_unit_test(test_study_envelope_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
