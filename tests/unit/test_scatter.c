// SPDX-License-Identifier: Apache-2.0
// Places of entries as runs of common shapes: the same sums as entry by entry, in parts as at once.
#include "solver/formulation/scatter.h"

#include "framework.h"

#include <limits.h>
#include <stdlib.h>

enum { MOST = 3000, PLACES = 40000 };

typedef struct sample {
    trmi_scatter_entry entry[MOST];
    int count;
    double from[MOST], to[PLACES], expected[PLACES];
    trmi_memory memory;
    trmi_scatter scatter;
} sample;

static sample *sample_begin(void)
{
    sample *s = calloc(1, sizeof *s);
    assert_non_null(s);
    trmi_memory_init(&s->memory, NULL);
    for (int k = 0; k < MOST; k++)
        s->from[k] = k + 1; // sums of whole numbers and halves are exact
    return s;
}

static void add(sample *s, int source, int place, int piece)
{
    s->entry[s->count++] = (trmi_scatter_entry){source, place, piece};
}

static void create(sample *s)
{
    s->scatter = (trmi_scatter){0};
    assert_true(trmi_scatter_create(&s->scatter, &s->memory, s->entry, s->count));
    for (int k = 0; k < s->count; k++) {
        int place = s->entry[k].place;
        s->expected[place < 0 ? ~place : place] +=
            (place < 0 ? 1 : 2) * s->from[s->entry[k].source];
    }
}

static void assert_sums(const sample *s)
{
    for (int i = 0; i < PLACES; i++)
        assert_true(s->to[i] == s->expected[i]);
}

static void sample_end(sample *s)
{
    trmi_memory_release_all(&s->memory);
    free(s);
}

// rows of a joint that alternate between two bodies, and a symmetric block with halves
static void add_joint(sample *s, int number)
{
    int source = 20 * number, place = 100 * number;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 6; j++)
            add(s, source++, place + (j < 3 ? 0 : 50) + 3 * i + j % 3, 2 * number + (j >= 3));
    add(s, source++, place + 20, 2 * number);
    add(s, source++, ~(place + 21), 2 * number);
    add(s, source++, ~(place + 21), 2 * number);
}

static void test_scatter_equal_joints_share_shapes(void **state)
{
    (void)state;
    sample *s = sample_begin();
    for (int k = 0; k < 100; k++)
        add_joint(s, k);
    create(s);
    assert_int_equal(s->scatter.run_count, 200); // one for each of the two bodies of a joint
    assert_int_equal(s->scatter.shape[1], 9);
    assert_int_equal(s->scatter.shape[2], 15); // and these two shapes are all
    assert_int_equal(trmi_scatter_add(&s->scatter, s->from, 0, INT_MAX, 2, s->to), 200);
    assert_sums(s);
    sample_end(s);
}

static void test_scatter_parts_give_the_same(void **state)
{
    (void)state;
    sample *s = sample_begin();
    for (int k = 0; k < 50; k++)
        add_joint(s, k);
    create(s);
    int run = 0;
    for (int end = 50; run < s->scatter.run_count; end += 50) {
        int before = run;
        run = trmi_scatter_add(&s->scatter, s->from, run, end, 2, s->to);
        assert_int_equal(run, before + 1); // a piece has 50 places
    }
    assert_sums(s);
    sample_end(s);
}

// far jumps, long runs and many pieces at a time
static void test_scatter_irregular_entries_all_arrive(void **state)
{
    (void)state;
    sample *s = sample_begin();
    unsigned random = 1;
    for (int k = 0; k < MOST; k++) {
        random = random * 1664525u + 1013904223u;
        int place = (int)(random >> 8) % PLACES;
        add(s, k, random % 3 == 0 ? ~place : place, place % 13);
    }
    create(s);
    trmi_scatter_add(&s->scatter, s->from, 0, INT_MAX, 2, s->to);
    assert_sums(s);
    for (int k = 1; k < s->scatter.run_count; k++)
        assert_true(s->scatter.run[k - 1].place <= s->scatter.run[k].place);
    sample_end(s);
}

// Each step is short, all of them together go farther than a run can tell.
static void test_scatter_places_that_fall_all_arrive(void **state)
{
    (void)state;
    sample *s = sample_begin();
    for (int k = 0; k < 6; k++)
        add(s, k, PLACES - 1 - 7000 * k, 0);
    create(s);
    trmi_scatter_add(&s->scatter, s->from, 0, INT_MAX, 2, s->to);
    assert_sums(s);
    sample_end(s);
}

static void *refuse(size_t size, void *user)
{
    (void)size;
    (void)user;
    return NULL;
}

static void ignore(void *block, void *user)
{
    (void)block;
    (void)user;
}

static void test_scatter_without_memory_says_so(void **state)
{
    (void)state;
    sample *s = sample_begin();
    trmi_memory none;
    trmi_memory_init(&none, &(trm_allocator){refuse, ignore, NULL});
    add_joint(s, 0);
    assert_false(trmi_scatter_create(&s->scatter, &none, s->entry, s->count));
    sample_end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scatter_equal_joints_share_shapes),
        cmocka_unit_test(test_scatter_parts_give_the_same),
        cmocka_unit_test(test_scatter_irregular_entries_all_arrive),
        cmocka_unit_test(test_scatter_places_that_fall_all_arrive),
        cmocka_unit_test(test_scatter_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
