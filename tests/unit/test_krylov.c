// SPDX-License-Identifier: Apache-2.0
// Arnoldi's process on operators whose eigenvalues are known.
#include "framework.h"

#include "solver/analysis/krylov.h"

#include <math.h>
#include <string.h>

enum { N = 300, MOST = 80 };

// diagonal: 1, 1, 1/2, 1/2, 1/3, 1/3, ... times a phase, so that nothing is real
static void apply_pairs(void *context, const double complex *x, double complex *out)
{
    (void)context;
    for (int i = 0; i < N; i++)
        out[i] = x[i] / (1 + i / 2) * (0.6 + 0.8 * I);
}

// a projection onto the first five coordinates, with a Jordan block of order two in it
static void apply_five(void *context, const double complex *x, double complex *out)
{
    (void)context;
    memset(out, 0, N * sizeof *out);
    for (int i = 0; i < 5; i++)
        out[i] = (i + 2) * x[i];
    out[0] = 3 * x[0] + x[1];
}

// how many Ritz values with a residual below 1e-10 lie within the tolerance of a number
static int count_near(const trmi_ritz *ritz, int count, double complex value, double tolerance)
{
    int near = 0;
    for (int i = 0; i < count; i++)
        near += cabs(ritz[i].value - value) < tolerance && ritz[i].residual < 1e-10;
    return near;
}

static void test_krylov_values_that_occur_twice_are_found_twice(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_krylov k;
    assert_true(trmi_krylov_create(&k, &memory, N, MOST, apply_pairs, NULL));
    assert_true(trmi_krylov_extend(&k, MOST - TRMI_KRYLOV_WIDTH));
    const trmi_ritz *ritz = trmi_krylov_ritz(&k, &memory);
    assert_non_null(ritz);
    // 1e-10: the operator is normal, values are as exact as the square of their residuals
    for (int j = 1; j <= 3; j++)
        assert_int_equal(count_near(ritz, k.done, (0.6 + 0.8 * I) / j, 1e-10), 2);
    trmi_memory_release_all(&memory);
}

static void test_krylov_small_image_is_spanned_and_ends(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_krylov k;
    assert_true(trmi_krylov_create(&k, &memory, N, MOST, apply_five, NULL));
    assert_true(trmi_krylov_extend(&k, MOST));
    assert_int_equal(k.done, 5);
    assert_int_equal(k.count, 5);
    const trmi_ritz *ritz = trmi_krylov_ritz(&k, &memory);
    assert_non_null(ritz);
    // a double value with one vector is known to the root of roundoff, 1e-8 times its coupling
    assert_int_equal(count_near(ritz, 5, 3, 1e-6), 2);
    for (int i = 2; i < 5; i++)
        assert_int_equal(count_near(ritz, 5, i + 2, 1e-12), 1);
    trmi_memory_release_all(&memory);
}

static void test_krylov_expanded_vector_is_an_eigenvector(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_krylov k;
    double complex x[N], image[N];
    assert_true(trmi_krylov_create(&k, &memory, N, MOST, apply_five, NULL));
    assert_true(trmi_krylov_extend(&k, MOST));
    const trmi_ritz *ritz = trmi_krylov_ritz(&k, &memory);
    assert_non_null(ritz);
    for (int j = 0; j < k.done; j++) {
        trmi_krylov_expand(&k, ritz[j].y, x);
        apply_five(NULL, x, image);
        for (int i = 0; i < N; i++) // roundoff of values up to 6
            assert_true(cabs(image[i] - ritz[j].value * x[i]) < 1e-13);
    }
    trmi_memory_release_all(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_krylov_values_that_occur_twice_are_found_twice),
        cmocka_unit_test(test_krylov_small_image_is_spanned_and_ends),
        cmocka_unit_test(test_krylov_expanded_vector_is_an_eigenvector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
