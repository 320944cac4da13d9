// SPDX-License-Identifier: Apache-2.0
// Dense LU: solutions by their residual, pivots by matrices with known ones.
#include "solver/linear/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 40 };

static double entry(int i, int j) // unsymmetric, no zero on the diagonal, well conditioned
{
    return sin(3.0 * i + 7.0 * j + 1) + (i == (j + 5) % N ? 8 : 0);
}

static trmi_solver *create(trmi_memory *memory, int n)
{
    trmi_memory_init(memory, NULL);
    trmi_structure structure = {.n = n};
    trmi_solver *solver = trmi_dense_create(memory, &structure);
    assert_non_null(solver);
    assert_int_equal(solver->n, n);
    return solver;
}

static void put(trmi_solver *solver, int i, int j, double value)
{
    solver->value[solver->type->position(solver, i, j)] = value;
}

static void test_dense_random_matrix_is_solved(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_solver *solver = create(&memory, N);
    double x[2 * N];
    for (int round = 1; round <= 2; round++) {
        trmi_solver_clear(solver);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                put(solver, i, j, round * entry(i, j));
        assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_OK);
        for (int count = 1; count <= 2; count++) {
            for (int i = 0; i < 2 * N; i++)
                x[i] = cos(i);
            solver->type->solve(solver, x, count);
            for (int i = 0; i < count * N; i++) {
                double sum = 0;
                for (int j = 0; j < N; j++)
                    sum += round * entry(i % N, j) * x[i / N * N + j];
                assert_true(fabs(sum - cos(i)) < 1e-12);
            }
        }
    }
    trmi_solver_destroy(solver);
    trmi_memory_release_all(&memory);
}

static void test_dense_pivot_names_the_smallest_row(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_solver *solver = create(&memory, 4);
    // a permutation: row 2 holds the small entry and is moved by pivoting
    put(solver, 0, 1, 2);
    put(solver, 1, 2, 4);
    put(solver, 2, 3, 1e-6);
    put(solver, 3, 0, 1);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_OK);
    assert_int_equal(solver->pivot.row, 2);
    assert_true(fabs(solver->pivot.smallest - 1e-6 / 4) < 1e-18);
    trmi_memory_release_all(&memory);
}

static void test_dense_zero_row_is_singular(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_solver *solver = create(&memory, 4);
    put(solver, 0, 2, 2);
    put(solver, 1, 0, 4);
    put(solver, 3, 1, 1);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_SINGULAR);
    assert_int_equal(solver->pivot.row, 2);
    assert_true(solver->pivot.smallest == 0);
    trmi_memory_release_all(&memory);
}

static void test_dense_number_that_is_not_finite_is_singular(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY};
    for (int k = 0; k < 2; k++) {
        trmi_memory memory;
        trmi_solver *solver = create(&memory, 3);
        for (int i = 0; i < 3; i++)
            put(solver, i, i, i == 1 ? bad[k] : 1);
        assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_SINGULAR);
        assert_int_equal(solver->pivot.row, 1);
        trmi_memory_release_all(&memory);
    }
}

static void test_dense_empty_matrix_is_accepted(void **state)
{
    (void)state;
    trmi_memory memory;
    trmi_solver *solver = create(&memory, 0);
    assert_int_equal(solver->type->factor(solver), TRMI_FACTOR_OK);
    solver->type->solve(solver, NULL, 1);
    assert_int_equal(solver->type->position(solver, 0, 0), -1);
    trmi_solver_destroy(NULL);
    trmi_memory_release_all(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_random_matrix_is_solved),
        cmocka_unit_test(test_dense_pivot_names_the_smallest_row),
        cmocka_unit_test(test_dense_zero_row_is_singular),
        cmocka_unit_test(test_dense_number_that_is_not_finite_is_singular),
        cmocka_unit_test(test_dense_empty_matrix_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
