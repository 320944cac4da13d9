// SPDX-License-Identifier: Apache-2.0
// Distances between names, and when a name is near enough to be suggested.
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_nearest_distance_counts_edits(void **state)
{
    (void)state;
    // counted by hand
    const struct {
        const char *a, *b;
        int edits;
    } pair[] = {
        {"", "", 0},       {"sin", "sin", 0},     {"", "abc", 3},    {"sine", "sin", 1},
        {"sn", "sin", 1},  {"son", "sin", 1},     {"cso", "cos", 1}, {"kitten", "sitting", 3},
        {"abc", "xyz", 3}, {"chian", "chain", 1}, {"ab", "ba", 1},   {"flaw", "lawn", 2},
    };
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        assert_int_equal(trmi_name_distance(pair[k].a, pair[k].b), TRMI_NAME_EDIT * pair[k].edits);
        assert_int_equal(trmi_name_distance(pair[k].b, pair[k].a), TRMI_NAME_EDIT * pair[k].edits);
    }
}

static void test_nearest_distance_case_counts_little(void **state)
{
    (void)state;
    assert_int_equal(trmi_name_distance("Sin", "sin"), 1);
    assert_int_equal(trmi_name_distance("SIN", "sin"), 3);
    assert_true(trmi_name_distance("RTOL", "rtol") <= TRMI_NAME_EDIT);
    // no letters: 0x5B is 'Z' + 1, 0x7B is 'z' + 1
    assert_int_equal(trmi_name_distance("[", "{"), TRMI_NAME_EDIT);
}

static void test_nearest_distance_long_names_are_cut(void **state)
{
    (void)state;
    char a[1000], b[1000];
    memset(a, 'y', sizeof a);
    memset(b, 'y', sizeof b);
    a[sizeof a - 1] = b[sizeof b - 1] = '\0';
    assert_int_equal(trmi_name_distance(a, b), 0);
    b[500] = 'x';
    assert_int_equal(trmi_name_distance(a, b), 0);
    b[5] = 'x';
    assert_int_equal(trmi_name_distance(a, b), TRMI_NAME_EDIT);
    // 64 characters are compared
    assert_int_equal(trmi_name_distance(a, ""), 64 * TRMI_NAME_EDIT);
}

static void test_nearest_finds_the_name_meant(void **state)
{
    (void)state;
    const char *const names[] = {"sin", "sinh", "cos", "x", "formulation", "rtol", "mass"};
    const int count = sizeof names / sizeof *names;
    const struct {
        const char *name, *meant; // NULL: none
    } test[] = {
        {"sine", "sin"}, // the first of equals, sinh is as near
        {"snh", "sinh"},
        {"cso", "cos"},
        {"formulaton", "formulation"},
        {"X", "x"},
        {"RTOL", "rtol"},
        {"Formulation", "formulation"},
        {"masses", "mass"},
        {"rtoll", "rtol"},
        {"sin", "sin"},
        {"y", NULL}, // nothing in common
        {"q", NULL},
        {"", NULL},
        {"tan", NULL},
        {"firmolatiun", "formulation"}, // 3 edits in 11 characters
        {"frmlaton", NULL},             // 3 edits in 8
        {"fundamental", NULL},
        {"weight", NULL},
    };
    for (size_t k = 0; k < sizeof test / sizeof *test; k++) {
        const char *found = trmi_nearest(test[k].name, names, count);
        if (test[k].meant ? !found || strcmp(found, test[k].meant) : found != NULL)
            fail_msg("'%s' gives '%s'", test[k].name, found ? found : "(none)");
    }
    assert_null(trmi_nearest("sin", names, 0));
}

static void test_nearest_of_equals_has_the_same_characters(void **state)
{
    (void)state;
    static const char *const names[] = {"xx", "yy", "zz", "xy", "yz", "zx"};
    assert_string_equal(trmi_nearest("xz", names, 6), "zx");
    assert_string_equal(trmi_nearest("yx", names, 6), "xy");
    assert_string_equal(trmi_nearest("zy", names, 6), "yz");
    assert_string_equal(trmi_nearest("xw", names, 6), "xx"); // the first of equals
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_distance_counts_edits),
        cmocka_unit_test(test_nearest_distance_case_counts_little),
        cmocka_unit_test(test_nearest_distance_long_names_are_cut),
        cmocka_unit_test(test_nearest_finds_the_name_meant),
        cmocka_unit_test(test_nearest_of_equals_has_the_same_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
