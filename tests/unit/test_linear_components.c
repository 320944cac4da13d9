// SPDX-License-Identifier: Apache-2.0
// Groups of rows that can be judged one by one, and what follows from what inside them.
#include "solver/linear/dependence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 64 };

// Bodies with one coordinate each; a row per joint, +1 for its second body and -1 for its first
// (-1: the ground).
typedef struct fixture {
    trmi_memory memory;
    int rows, entries, bodies;
    int row[MOST], column[MOST], of[MOST];
    double value[MOST];
    trmi_sparse_rows matrix;
    trmi_components components;
    trmi_dependences found;
} fixture;

static void start(fixture *f, int bodies)
{
    *f = (fixture){.bodies = bodies};
    trmi_memory_init(&f->memory, NULL);
    for (int b = 0; b < bodies; b++)
        f->of[b] = b;
}

static void add(fixture *f, int body, double value)
{
    f->row[f->entries] = f->rows;
    f->column[f->entries] = body;
    f->value[f->entries++] = value;
}

static void join(fixture *f, int first, int second)
{
    if (first >= 0)
        add(f, first, -1);
    add(f, second, 1);
    f->rows++;
}

static void find(fixture *f, bool by_bodies)
{
    trmi_bodies bodies = {f->bodies, by_bodies ? f->of : NULL};
    assert_true(trmi_sparse_rows_create(&f->matrix, &f->memory, f->rows, f->bodies, f->entries,
                                        f->row, f->column, f->value));
    assert_true(
        trmi_components_find(&f->components, &f->memory, &f->matrix, bodies.of, bodies.count));
    assert_true(trmi_dependences_find(&f->found, &f->memory, &f->matrix, bodies, 1e-9));
}

static void finish(fixture *f)
{
    trmi_memory_release_all(&f->memory);
}

static void check_group(const fixture *f, int group, int count, int first, int root)
{
    const int *begin = f->components.start + group;
    assert_int_equal(begin[1] - begin[0], count);
    assert_int_equal(f->components.row[begin[0]], first);
    assert_int_equal(f->components.root[group], root);
}

// Two triangles that share body 1, on a stem from the ground: three groups, the triangles hang on
// body 1; in each one row follows from the two others.
static void two_triangles(fixture *f)
{
    start(f, 6);
    join(f, -1, 0); // row 0: stem
    join(f, 0, 1);  // row 1: stem
    join(f, 1, 2);  // rows 2, 3, 4: the first triangle
    join(f, 2, 3);
    join(f, 3, 1);
    join(f, 1, 4); // rows 5, 6, 7: the second
    join(f, 4, 5);
    join(f, 5, 1);
}

static void test_components_of_loops_that_share_a_body_are_apart(void **state)
{
    (void)state;
    fixture f;
    two_triangles(&f);
    find(&f, true);
    assert_int_equal(f.components.count, 4);
    check_group(&f, 0, 1, 0, -1);
    check_group(&f, 1, 1, 1, 0);
    check_group(&f, 2, 3, 2, 1);
    check_group(&f, 3, 3, 5, 1);
    finish(&f);
}

static void test_components_without_bodies_are_connected(void **state)
{
    (void)state;
    fixture f;
    two_triangles(&f);
    find(&f, false);
    assert_int_equal(f.components.count, 1);
    check_group(&f, 0, 8, 0, -1);
    finish(&f);
}

// loops that meet in the ground only are apart; so are two joints beside each other and the rest
static void test_components_meet_in_the_ground(void **state)
{
    (void)state;
    fixture f;
    start(&f, 2);
    join(&f, -1, 0);
    join(&f, -1, 1);
    join(&f, -1, 0);
    find(&f, true);
    assert_int_equal(f.components.count, 2);
    check_group(&f, 0, 2, 0, -1);
    check_group(&f, 1, 1, 1, -1);
    finish(&f);
}

// a gear between three bodies makes a loop of the joints that carry them
static void test_components_row_of_three_bodies_joins_them(void **state)
{
    (void)state;
    fixture f;
    start(&f, 3);
    join(&f, -1, 0);
    join(&f, -1, 1);
    join(&f, 1, 2);
    add(&f, 0, 1);
    add(&f, 1, -3);
    add(&f, 2, 2);
    f.rows++;
    find(&f, true);
    assert_int_equal(f.components.count, 1);
    assert_int_equal(f.found.count, 1); // 4 rows, 3 columns
    finish(&f);
}

static void test_dependences_are_found_in_each_loop(void **state)
{
    (void)state;
    for (int by_bodies = 0; by_bodies < 2; by_bodies++) {
        fixture f;
        two_triangles(&f);
        find(&f, by_bodies);
        assert_int_equal(f.found.count, 2);
        assert_int_equal(f.found.too_large, -1);
        assert_int_equal(f.found.by_bodies, by_bodies);
        for (int k = 0; k < 2; k++) { // the rows of a triangle add up to zero
            const trmi_dependence *d = &f.found.list[k];
            double left[6] = {0};
            int in_loop = 0;
            for (int i = 0; i <= d->count; i++) {
                int row = i < d->count ? d->from[i] : d->row;
                double w = i < d->count ? d->weight[i] : -1;
                in_loop += fabs(w) > 1e-12 && row / 3 == (d->row + 1) / 3;
                for (int e = 0; e < f.entries; e++)
                    if (f.row[e] == row)
                        left[f.column[e]] += w * f.value[e];
            }
            assert_true(in_loop >= 2 && d->row >= 2);
            for (int b = 0; b < 6; b++)
                assert_true(fabs(left[b]) < 1e-14); // sums of three numbers of size 1
        }
        finish(&f);
    }
}

// Rows that do not act on two bodies with opposite forces couple loops: what is declared as bodies
// cannot be used, and the dependence of all four rows is found all the same.
static void test_dependences_find_out_that_bodies_cannot_be_used(void **state)
{
    (void)state;
    fixture f;
    start(&f, 3);
    for (int k = 0; k < 4; k++) { // two rows over bodies 0 and 1, two over 1 and 2
        add(&f, k / 2, 1);
        add(&f, k / 2 + 1, k % 2 ? 2 : 3);
        f.rows++;
    }
    find(&f, true);
    assert_int_equal(f.found.count, 1);
    assert_false(f.found.by_bodies);
    finish(&f);
}

static void test_dependences_zero_row_follows_from_nothing(void **state)
{
    (void)state;
    fixture f;
    start(&f, 2);
    join(&f, 0, 1);
    add(&f, 1, 0);
    f.rows++;
    find(&f, true);
    assert_int_equal(f.found.count, 1);
    assert_int_equal(f.found.list[0].row, 1);
    assert_int_equal(f.found.list[0].count, 0);
    finish(&f);
}

// the same force with the smallest numbers: each triangle loses the mean of its multipliers
static void test_dependences_minimum_norm_acts_loop_by_loop(void **state)
{
    (void)state;
    fixture f;
    two_triangles(&f);
    find(&f, true);
    const bool shared[] = {false, false, true, true, true, false, false, false};
    double lambda[] = {5, 7, 1, 2, 6, 1, 2, 6};
    // the second triangle is not declared as shared and stays; roundoff of numbers up to 7
    const double expected[] = {5, 7, -2, -1, 3, 1, 2, 6};
    int dependent;
    assert_true(trmi_dependences_minimum_norm(
        lambda, &f.memory, &f.matrix, (trmi_bodies){f.bodies, f.of}, shared, 1e-9, &dependent));
    assert_int_equal(dependent, 1);
    for (int i = 0; i < 8; i++)
        assert_true(fabs(lambda[i] - expected[i]) < 1e-14);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components_of_loops_that_share_a_body_are_apart),
        cmocka_unit_test(test_components_without_bodies_are_connected),
        cmocka_unit_test(test_components_meet_in_the_ground),
        cmocka_unit_test(test_components_row_of_three_bodies_joins_them),
        cmocka_unit_test(test_dependences_are_found_in_each_loop),
        cmocka_unit_test(test_dependences_find_out_that_bodies_cannot_be_used),
        cmocka_unit_test(test_dependences_zero_row_follows_from_nothing),
        cmocka_unit_test(test_dependences_minimum_norm_acts_loop_by_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
