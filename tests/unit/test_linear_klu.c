// SPDX-License-Identifier: Apache-2.0
// Sparse LU against dense LU on random sparse matrices and saddle matrices.
#include "solver/linear/klu.h"
#include "solver/linear/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 60, BODIES = 12, LARGEST = 402, COUNT = 2100 };

typedef struct problem {
    trmi_memory memory;
    int n, count, row[COUNT], col[COUNT];
    double number[COUNT];
    trmi_solver *klu, *dense;
} problem;

static void add(problem *p, int row, int col, double number)
{
    assert_true(p->count < COUNT);
    p->row[p->count] = row;
    p->col[p->count] = col;
    p->number[p->count++] = number;
}

static void create(problem *p)
{
    trmi_memory_init(&p->memory, NULL);
    trmi_structure structure = {.n = p->n, .count = p->count, .row = p->row, .col = p->col};
    p->klu = trmi_klu_create(&p->memory, &structure);
    p->dense = trmi_dense_create(&p->memory, &structure);
    assert_non_null(p->klu);
    assert_non_null(p->dense);
    assert_false(p->klu->type->symmetric);
}

static void finish(problem *p)
{
    trmi_solver_destroy(p->klu);
    trmi_solver_destroy(p->dense);
    trmi_memory_release_all(&p->memory);
}

static void fill(const problem *p, trmi_solver *solver)
{
    trmi_solver_clear(solver);
    for (int i = 0; i < p->count; i++) {
        int place = solver->type->position(solver, p->row[i], p->col[i]);
        assert_in_range(place, 0, solver->value_count - 1);
        solver->value[place] += p->number[i];
    }
}

static void check(problem *p)
{
    double x[2 * LARGEST], expected[2 * LARGEST];
    int n = p->n;
    fill(p, p->klu);
    fill(p, p->dense);
    assert_int_equal(p->klu->type->factor(p->klu), TRMI_FACTOR_OK);
    assert_int_equal(p->dense->type->factor(p->dense), TRMI_FACTOR_OK);
    assert_true(p->klu->pivot.smallest > 0 && p->klu->pivot.smallest <= 1);
    for (int count = 1; count <= 2; count++) {
        double largest = 0;
        for (int i = 0; i < 2 * n; i++)
            x[i] = expected[i] = cos(i + count);
        p->klu->type->solve(p->klu, x, count);
        p->dense->type->solve(p->dense, expected, count);
        for (int i = 0; i < count * n; i++)
            largest = fmax(largest, fabs(expected[i]));
        for (int i = 0; i < count * n; i++)
            assert_true(fabs(x[i] - expected[i]) <= 1e-10 * largest);
    }
}

// a diagonal moved aside, random entries, every seventh position twice
static void make_sparse(problem *p, double phase)
{
    p->count = 0;
    p->n = N;
    for (int j = 0; j < N; j++) {
        add(p, (j * 7 + 3) % N, j, 4 + cos(j + phase));
        for (int k = 1; k <= 4; k++)
            add(p, (j * j + 11 * k) % N, j, sin(j + 5 * k + phase));
        if (j % 7 == 0)
            add(p, (j * 7 + 3) % N, j, 1);
    }
}

// [S G^T; G 0] of a planar chain, in which a bar at angle 0.2 b ends at its neighbours
static void make_chain(problem *p, double mass)
{
    int bodies = BODIES;
    p->count = 0;
    p->n = 5 * bodies;
    for (int b = 0; b < bodies; b++) {
        double px = 0.5 * cos(0.2 * b), py = 0.5 * sin(0.2 * b);
        for (int i = 0; i < 3; i++)
            add(p, 3 * b + i, 3 * b + i, i < 2 ? mass : mass / 12);
        for (int end = 0; end < (b + 1 < bodies ? 2 : 1); end++) {
            int row = 3 * bodies + 2 * (b + end);
            double sign = end == 0 ? 1 : -1;
            const double g[4] = {sign, sign, py, -px}; // sign cancels in the last two
            const int at[4][2] = {{0, 0}, {1, 1}, {0, 2}, {1, 2}};
            for (int k = 0; k < 4; k++) {
                add(p, row + at[k][0], 3 * b + at[k][1], g[k]);
                add(p, 3 * b + at[k][1], row + at[k][0], g[k]);
            }
        }
    }
}

static void test_klu_random_matrix_equals_dense(void **state)
{
    (void)state;
    problem p = {0};
    make_sparse(&p, 0);
    create(&p);
    check(&p);
    finish(&p);
}

static void test_klu_saddle_matrix_equals_dense(void **state)
{
    (void)state;
    static const double masses[] = {1e-4, 1, 1e4};
    for (int k = 0; k < 3; k++) {
        problem p = {0};
        make_chain(&p, masses[k]);
        create(&p);
        check(&p);
        finish(&p);
    }
}

static void test_klu_positions_are_merged_and_found(void **state)
{
    (void)state;
    problem p = {.n = 4};
    add(&p, 3, 1, 1);
    add(&p, 0, 0, 1);
    add(&p, 3, 1, 1);
    add(&p, 1, 1, 1);
    add(&p, 2, 3, 1);
    add(&p, 1, 2, 1);
    create(&p);
    assert_int_equal(p.klu->value_count, 5);
    const trmi_solver_type *type = p.klu->type;
    assert_int_equal(type->position(p.klu, 0, 0), 0);
    assert_int_equal(type->position(p.klu, 1, 1), 1);
    assert_int_equal(type->position(p.klu, 3, 1), 2);
    assert_int_equal(type->position(p.klu, 1, 2), 3);
    assert_int_equal(type->position(p.klu, 2, 3), 4);
    assert_int_equal(type->position(p.klu, 2, 1), -1);
    assert_int_equal(type->position(p.klu, 3, 3), -1);
    assert_int_equal(type->position(p.klu, 4, 0), -1);
    assert_int_equal(type->position(p.klu, 0, -1), -1);
    finish(&p);
}

static void test_klu_small_change_keeps_the_pivots(void **state)
{
    (void)state;
    problem p = {0};
    make_chain(&p, 1);
    create(&p);
    for (int k = 0; k < 20; k++) {
        make_chain(&p, 1 + 0.1 * k);
        check(&p);
    }
    assert_int_equal(p.klu->full_factors, 1);
    finish(&p);
}

static void test_klu_pivot_that_vanishes_is_replaced(void **state)
{
    (void)state;
    // [1 1; 1 d] with its diagonal falling from 1 to 1e-13: without new pivots all digits are lost
    problem p = {.n = 2};
    static const double falling[] = {1, 1e-13, 0, 1};
    add(&p, 0, 0, 1);
    add(&p, 0, 1, 1);
    add(&p, 1, 0, 1);
    add(&p, 1, 1, 3);
    create(&p);
    for (int k = 0; k < 4; k++) {
        p.number[0] = falling[k];
        check(&p);
    }
    assert_true(p.klu->full_factors >= 2);
    finish(&p);
}

static void test_klu_singular_matrix_names_its_row(void **state)
{
    (void)state;
    problem p = {.n = 5};
    for (int i = 0; i < 5; i++)
        add(&p, i, i, i == 3 ? 0 : 1);
    create(&p);
    for (int round = 0; round < 2; round++) { // also when factored before
        fill(&p, p.klu);
        assert_int_equal(p.klu->type->factor(p.klu), TRMI_FACTOR_SINGULAR);
        assert_int_equal(p.klu->pivot.row, 3);
        assert_true(p.klu->pivot.smallest == 0);
        p.number[3] = 2;
        check(&p);
        p.number[3] = 0;
    }
    finish(&p);
}

static void test_klu_number_that_is_not_finite_is_singular(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY};
    for (int k = 0; k < 2; k++) {
        problem p = {0};
        make_chain(&p, 1);
        create(&p);
        check(&p);
        p.number[0] = bad[k];
        fill(&p, p.klu);
        assert_int_equal(p.klu->type->factor(p.klu), TRMI_FACTOR_SINGULAR);
        make_chain(&p, 1);
        check(&p);
        finish(&p);
    }
}

// The order of elimination of one solver serves another of the same structure; any other order
// gives the same solution.
static void test_klu_given_order_gives_the_same_solution(void **state)
{
    (void)state;
    static problem p;
    int row[LARGEST], col[LARGEST];
    make_chain(&p, 1);
    create(&p);
    assert_false(trmi_klu_pivots(p.klu, row, col)); // no factors yet
    check(&p);
    assert_true(trmi_klu_pivots(p.klu, row, col));
    const double smallest = p.klu->pivot.smallest;
    assert_true(trmi_klu_reorder(p.klu, row, col));
    assert_false(trmi_klu_pivots(p.klu, row, col)); // they are lost
    check(&p);
    // the same pivots again
    assert_true(fabs(p.klu->pivot.smallest / smallest - 1) < 1e-12);
    for (int i = 0; i < p.n; i++)
        row[i] = col[i] = p.n - 1 - i;
    assert_true(trmi_klu_reorder(p.klu, row, col));
    check(&p);
    finish(&p);
}

// A tridiagonal matrix with one dense row and column, and a constraint on the dense unknown and on
// the last of the band.
static void test_klu_constraint_on_dense_unknown_comes_last(void **state)
{
    (void)state;
    static problem p;
    p.n = LARGEST;
    p.count = 0;
    for (int i = 0; i < 401; i++) {
        add(&p, i, i, 4);
        if (i > 1) {
            add(&p, i, i - 1, -1);
            add(&p, i - 1, i, -1);
        }
        if (i > 0) {
            add(&p, 0, i, 0.01);
            add(&p, i, 0, 0.01);
        }
    }
    const int touched[] = {0, 400};
    for (int k = 0; k < 2; k++) {
        add(&p, 401, touched[k], 1);
        add(&p, touched[k], 401, 1);
    }
    trmi_memory_init(&p.memory, NULL);
    const trmi_structure structure = {
        .n = p.n, .count = p.count, .row = p.row, .col = p.col, .constraints = 1};
    p.klu = trmi_klu_create(&p.memory, &structure);
    p.dense = trmi_dense_create(&p.memory, &structure);
    assert_true(p.klu && p.dense);
    // eliminated early it would take the dense row as pivot, and with it fill the whole triangle
    assert_int_equal(trmi_klu_structure_of(p.klu).symbolic->Q[p.n - 1], 401);
    check(&p);
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_klu_constraint_on_dense_unknown_comes_last),
        cmocka_unit_test(test_klu_random_matrix_equals_dense),
        cmocka_unit_test(test_klu_saddle_matrix_equals_dense),
        cmocka_unit_test(test_klu_positions_are_merged_and_found),
        cmocka_unit_test(test_klu_small_change_keeps_the_pivots),
        cmocka_unit_test(test_klu_pivot_that_vanishes_is_replaced),
        cmocka_unit_test(test_klu_singular_matrix_names_its_row),
        cmocka_unit_test(test_klu_number_that_is_not_finite_is_singular),
        cmocka_unit_test(test_klu_given_order_gives_the_same_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
