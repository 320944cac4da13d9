// SPDX-License-Identifier: Apache-2.0
// Column groups: published patterns, random ones against the definition, cost on large ones.
#include "fail/fail.h"

#include "solver/system/groups.h"

#include <stdlib.h>

typedef struct pattern {
    int rows, columns, count, capacity;
    int *row, *column;
} pattern;

static void add(pattern *p, int row, int column)
{
    if (p->count == p->capacity) {
        p->capacity = 2 * p->capacity + 64;
        p->row = realloc(p->row, (size_t)p->capacity * sizeof *p->row);
        p->column = realloc(p->column, (size_t)p->capacity * sizeof *p->column);
        assert_true(p->row && p->column);
    }
    p->row[p->count] = row;
    p->column[p->count++] = column;
}

static void add_block(pattern *p, int row, int rows, int column, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            add(p, row + i, column + j);
}

static void release(pattern *p)
{
    free(p->row);
    free(p->column);
}

// every column with an entry has a group, and no row meets a group twice
static void assert_valid(const trmi_groups *g, const pattern *p)
{
    int *met = malloc((size_t)p->rows * (size_t)(g->count + 1) * sizeof *met);
    assert_non_null(met);
    for (int k = 0; k < p->rows * (g->count + 1); k++)
        met[k] = -1;
    for (int k = 0; k < p->count; k++) {
        int group = g->group[p->column[k]];
        assert_true(group >= 0 && group < g->count);
        int *column = &met[p->row[k] + p->rows * group];
        assert_true(*column == -1 || *column == p->column[k]);
        *column = p->column[k];
    }
    assert_true(g->count >= g->bound);
    free(met);
}

// the number of groups by one order, checked against the definition
static int count_groups(const pattern *p, trmi_group_order order)
{
    trmi_memory memory;
    trmi_groups g;
    trmi_memory_init(&memory, NULL);
    assert_true(trmi_groups_create(&g, &memory, p->rows, p->columns, p->count));
    trmi_groups_form_by(&g, p->count, p->row, p->column, order);
    assert_valid(&g, p);
    int count = g.count;
    trmi_memory_release_all(&memory);
    return count;
}

static int count_best(const pattern *p, int *bound)
{
    trmi_memory memory;
    trmi_groups g;
    trmi_memory_init(&memory, NULL);
    assert_true(trmi_groups_create(&g, &memory, p->rows, p->columns, p->count));
    trmi_groups_form(&g, p->count, p->row, p->column);
    assert_valid(&g, p);
    int count = g.count;
    if (bound)
        *bound = g.bound;
    trmi_memory_release_all(&memory);
    return count;
}

// (19) of Arnold, Fuchs and Fuehrer
static pattern example_of_paper(void)
{
    static const char *const stars[] = {"*..*..", "***...", "*.*..*", "...**.", ".**.*.", "**...."};
    pattern p = {.rows = 6, .columns = 6};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            if (stars[i][j] == '*')
                add(&p, i, j);
    return p;
}

static void test_groups_example_of_paper_gives_three(void **state)
{
    (void)state;
    pattern p = example_of_paper();
    // the paper's partition has 3 groups; its second row has 3 entries: no fewer are possible
    for (int order = TRMI_ORDER_NATURAL; order <= TRMI_ORDER_LARGEST_FIRST; order++)
        assert_int_equal(count_groups(&p, (trmi_group_order)order), 3);
    int bound;
    assert_int_equal(count_best(&p, &bound), 3);
    assert_int_equal(bound, 3);
    release(&p);
}

static void test_groups_natural_order_gives_partition_of_paper(void **state)
{
    (void)state;
    pattern p = example_of_paper();
    trmi_memory memory;
    trmi_groups g;
    trmi_memory_init(&memory, NULL);
    assert_true(trmi_groups_create(&g, &memory, 6, 6, p.count));
    trmi_groups_form_by(&g, p.count, p.row, p.column, TRMI_ORDER_NATURAL);
    // printed below (19): columns 1 and 5; 2, 4 and 6; 3
    const int expected[] = {0, 1, 2, 1, 0, 1};
    assert_memory_equal(g.group, expected, sizeof expected);
    trmi_memory_release_all(&memory);
    release(&p);
}

// The train carriage of that paper, y = (p, v, lambda, eta): car 5, then twice a bogie 6 with two
// wheelsets of 6; all coordinates of a wheelset in its two contacts; explicit form
static pattern train_carriage(void)
{
    enum { CAR = 0, V = 41, LAMBDA = 82, ETA = 90, F3 = 82, F4 = 90 };
    static const int bogie[] = {5, 23}, wheelset[2][2] = {{11, 17}, {29, 35}};
    pattern p = {.rows = 98, .columns = 98};
    for (int i = 0; i < V; i++) { // F1 = p' - v + G^T eta
        add(&p, i, i);
        add(&p, i, V + i);
    }
    for (int level = 0; level <= V; level += V) { // F2 by p and by v
        add_block(&p, V + CAR, 5, level + CAR, 5);
        for (int b = 0; b < 2; b++) {
            add_block(&p, V + CAR, 5, level + bogie[b], 6);
            add_block(&p, V + bogie[b], 6, level + CAR, 5);
            add_block(&p, V + bogie[b], 6, level + bogie[b], 18); // itself and its wheelsets
            for (int w = 0; w < 2; w++) {
                add_block(&p, V + wheelset[b][w], 6, level + bogie[b], 6);
                add_block(&p, V + wheelset[b][w], 6, level + wheelset[b][w], 6);
            }
        }
    }
    for (int k = 0; k < 4; k++) { // two contacts of each wheelset
        int first = wheelset[k / 2][k % 2];
        add_block(&p, V + first, 6, LAMBDA + 2 * k, 2);
        add_block(&p, first, 6, ETA + 2 * k, 2);
        add_block(&p, F3 + 2 * k, 2, first, 6);
        add_block(&p, F3 + 2 * k, 2, V + first, 6);
        add_block(&p, F4 + 2 * k, 2, first, 6);
    }
    return p;
}

static void test_groups_train_carriage_gives_46(void **state)
{
    (void)state;
    pattern p = train_carriage();
    // section 4.1 of the paper: 1620 non-zero elements, 46 groups; the rows of a bogie have
    // 2 (5 + 6 + 12) = 46 entries, so that no fewer are possible
    assert_int_equal(p.count, 1620);
    for (int order = TRMI_ORDER_SMALLEST_LAST; order <= TRMI_ORDER_LARGEST_FIRST; order++)
        assert_int_equal(count_groups(&p, (trmi_group_order)order), 46);
    int bound;
    assert_int_equal(count_best(&p, &bound), 46);
    assert_int_equal(bound, 46);
    release(&p);
}

static void test_groups_random_pattern_is_valid(void **state)
{
    (void)state;
    srand(7);
    for (int trial = 0; trial < 300; trial++) {
        pattern p = {.rows = 1 + rand() % 40, .columns = 1 + rand() % 40};
        int entries = rand() % (4 * p.columns);
        for (int k = 0; k < entries; k++) // positions may repeat
            add(&p, rand() % p.rows, rand() % p.columns);
        int best = count_best(&p, NULL), least = p.columns + 1;
        for (int order = TRMI_ORDER_SMALLEST_LAST; order <= TRMI_ORDER_LARGEST_FIRST; order++) {
            int count = count_groups(&p, (trmi_group_order)order);
            least = count < least ? count : least;
        }
        assert_int_equal(best, least); // the best of the three, or optimal before
        release(&p);
    }
}

static void test_groups_clique_without_long_row_raises_bound(void **state)
{
    (void)state;
    pattern p = {.rows = 10, .columns = 5};
    for (int i = 0, row = 0; i < 5; i++) // one row for every pair of five columns
        for (int j = i + 1; j < 5; j++, row++) {
            add(&p, row, i);
            add(&p, row, j);
        }
    int bound;
    // every two columns intersect: one group each, and the search knows that it is the best
    assert_int_equal(count_best(&p, &bound), 5);
    assert_int_equal(bound, 5);
    release(&p);
}

static void test_groups_entries_outside_are_left_out(void **state)
{
    (void)state;
    // row 2 of 2 stands for dropped rows, column 3 of 3 for a dropped one
    const int row[] = {0, 1, 2, 2, 2, 0}, column[] = {0, 1, 0, 1, 2, 3};
    trmi_memory memory;
    trmi_groups g;
    trmi_memory_init(&memory, NULL);
    assert_true(trmi_groups_create(&g, &memory, 2, 3, 6));
    trmi_groups_form(&g, 6, row, column);
    assert_int_equal(g.count, 1);
    assert_int_equal(g.group[0], 0);
    assert_int_equal(g.group[1], 0);
    assert_int_equal(g.group[2], -1); // nothing to difference
    trmi_memory_release_all(&memory);
}

static void test_groups_empty_pattern_gives_none(void **state)
{
    (void)state;
    pattern p = {.rows = 3, .columns = 4}, nothing = {0};
    assert_int_equal(count_best(&p, NULL), 0);
    assert_int_equal(count_best(&nothing, NULL), 0);
}

// Work that grows faster than the number of columns would not end within the time of a test.
static void test_groups_long_chain_gives_three(void **state)
{
    (void)state;
    const int n = 300000;
    pattern p = {.rows = n, .columns = n};
    for (int i = 0; i < n; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++)
            add(&p, i, j);
    // tridiagonal: three columns in a row, and every third can go together
    for (int order = TRMI_ORDER_SMALLEST_LAST; order <= TRMI_ORDER_LARGEST_FIRST; order++)
        assert_true(count_groups(&p, (trmi_group_order)order) >= 3);
    assert_int_equal(count_best(&p, NULL), 3);
    release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_example_of_paper_gives_three),
        cmocka_unit_test(test_groups_natural_order_gives_partition_of_paper),
        cmocka_unit_test(test_groups_train_carriage_gives_46),
        cmocka_unit_test(test_groups_random_pattern_is_valid),
        cmocka_unit_test(test_groups_clique_without_long_row_raises_bound),
        cmocka_unit_test(test_groups_entries_outside_are_left_out),
        cmocka_unit_test(test_groups_empty_pattern_gives_none),
        cmocka_unit_test(test_groups_long_chain_gives_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
