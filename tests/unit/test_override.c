// SPDX-License-Identifier: Apache-2.0
// --set path=value: what it changes, and how its messages look.
#include "unit/collected.h"

static const char model[] = "trammel: 1\n"
                            "simulate:\n"
                            "  end: 1\n"
                            "  times: [1, {x: 2}, 3]\n"
                            "empty:\n";

static trmi_item *at(const collected *c, const char *path)
{
    return trmi_item_path(trmi_document_root(c->document), path);
}

static void test_override_replaces_a_value(void **state)
{
    (void)state;
    collected c;
    read_text(&c, model);
    trmi_item *times = at(&c, "simulate.end")->next;
    trmi_document_set(c.document, "simulate.end=2.5");
    assert_string_equal(c.text, "");
    assert_string_equal(at(&c, "simulate.end")->text, "2.5");
    assert_int_equal(at(&c, "simulate.end")->source, 1);
    assert_ptr_equal(at(&c, "simulate.end")->next, times);
    trmi_document_set(c.document, "simulate.end=[4, 5]"); // the last one counts
    assert_int_equal(at(&c, "simulate.end")->count, 2);
    trmi_document_set(c.document, "simulate={a: {b: c}}");
    assert_string_equal(at(&c, "simulate.a.b")->text, "c");
    assert_null(at(&c, "simulate.end"));
    release(&c);
}

static void test_override_value_is_yaml(void **state)
{
    (void)state;
    collected c;
    read_text(&c, model);
    trmi_document_set(c.document, "a= text ");
    trmi_document_set(c.document, "b='1'");
    trmi_document_set(c.document, "c=x=y");
    trmi_document_set(c.document, "d=");
    trmi_document_set(c.document, "e=null");
    assert_string_equal(c.text, "");
    assert_string_equal(at(&c, "a")->text, "text");
    assert_true(at(&c, "b")->quoted);
    assert_string_equal(at(&c, "c")->text, "x=y");
    assert_true(trmi_item_null(at(&c, "d")));
    assert_true(trmi_item_null(at(&c, "e")));
    assert_string_equal(at(&c, "e")->key, "e");
    release(&c);
}

static void test_override_null_removes_maps(void **state)
{
    (void)state;
    collected c;
    read_text(&c, model);
    int count = trmi_document_root(c.document)->count;
    trmi_document_set(c.document, "new={a: {b: 1}, d: {e: 2}, f: 3}");
    trmi_document_set(c.document, "new.d=null");
    trmi_document_set(c.document, "new.f=null"); // a key without value: its default
    assert_string_equal(c.text, "");
    assert_null(at(&c, "new.d"));
    assert_int_equal(at(&c, "new")->count, 2);
    assert_ptr_equal(at(&c, "new.a")->next, at(&c, "new.f"));
    assert_true(trmi_item_null(at(&c, "new.f")));
    trmi_document_set(c.document, "new=null");
    assert_null(at(&c, "new"));
    assert_int_equal(trmi_document_root(c.document)->count, count);
    release(&c);
}

static void test_override_makes_missing_maps(void **state)
{
    (void)state;
    collected c;
    read_text(&c, model);
    int count = trmi_document_root(c.document)->count;
    trmi_document_set(c.document, "simulate.step.fixed=1e-3");
    trmi_document_set(c.document, "new.map=1");
    trmi_document_set(c.document, "empty.x=1"); // "empty:" is not a value yet
    assert_string_equal(c.text, "");
    assert_string_equal(at(&c, "simulate.step.fixed")->text, "1e-3");
    assert_string_equal(at(&c, "new.map")->text, "1");
    assert_string_equal(at(&c, "empty.x")->text, "1");
    assert_int_equal(trmi_document_root(c.document)->count, count + 1);
    assert_int_equal(at(&c, "empty")->count, 1);
    release(&c);
}

static void test_override_reaches_list_elements(void **state)
{
    (void)state;
    collected c;
    read_text(&c, model);
    trmi_document_set(c.document, "simulate.times.0=7");
    trmi_document_set(c.document, "simulate.times.1.x=8");
    assert_string_equal(c.text, "");
    assert_string_equal(at(&c, "simulate.times")->child->text, "7");
    assert_string_equal(trmi_item_find(trmi_item_at(at(&c, "simulate.times"), 1), "x")->text, "8");
    assert_int_equal(at(&c, "simulate.times")->count, 3);
    assert_null(at(&c, "simulate.times")->child->key);
    release(&c);
}

static void assert_refused(const char *assignment, const char *expected)
{
    collected c;
    read_text(&c, model);
    trmi_document_set(c.document, assignment);
    assert_string_equal(c.text, expected);
    assert_int_equal(trmi_document_errors(c.document), 1);
    assert_string_equal(at(&c, "simulate.end")->text, "1"); // nothing has changed
    release(&c);
}

static void test_override_wrong_assignments_are_refused(void **state)
{
    (void)state;
    assert_refused("simulate.end",
                   "--set simulate.end: error: there is no '='; write it like simulate.end=2\n");
    assert_refused("=2", "--set =2: error: the path before '=' is missing; write it like "
                         "simulate.end=2\n");
    const char *const holes[] = {".end", "simulate.", "simulate..end", "."};
    for (int k = 0; k < 4; k++) {
        char assignment[100], expected[200];
        snprintf(assignment, sizeof assignment, "%s=2", holes[k]);
        snprintf(expected, sizeof expected,
                 "--set %s: error: the path before '=' has an empty part; write it like "
                 "simulate.end=2\n",
                 assignment);
        assert_refused(assignment, expected);
    }
    assert_refused("simulate.end.x=2",
                   "--set simulate.end.x=2: error: there is no 'x' inside of '1'\n");
}

static void test_override_wrong_elements_are_refused(void **state)
{
    (void)state;
    const char *const wrong[] = {"3", "-1", "x", "1x", "99999999999999999999", "+1"};
    for (int k = 0; k < 6; k++) {
        char assignment[100], expected[300];
        snprintf(assignment, sizeof assignment, "simulate.times.%s=2", wrong[k]);
        snprintf(expected, sizeof expected,
                 "--set %s: error: '%s' is not an element of a list of 3; they count from 0 to 2\n",
                 assignment, wrong[k]);
        assert_refused(assignment, expected);
    }
    collected c;
    read_text(&c, "a: []\n");
    trmi_document_set(c.document, "a.0=1");
    assert_string_equal(c.text, "--set a.0=1: error: '0' is not an element: the list is empty\n");
    release(&c);
}

static void test_override_wrong_values_are_refused(void **state)
{
    (void)state;
    assert_refused("simulate.end=[1, 2",
                   "--set simulate.end=[1, 2:1:1: error: invalid YAML: did not find expected ',' "
                   "or ']', while parsing a flow sequence; a comma or the closing bracket is "
                   "missing\n"
                   "    [1, 2\n"
                   "    ^\n");
    assert_refused("simulate.end=!!int 2",
                   "--set simulate.end=!!int 2:1:1: error: tags such as !!int are not accepted; "
                   "the key decides the type\n"
                   "    !!int 2\n"
                   "    ^\n");
    assert_refused("simulate.end=#2",
                   "--set simulate.end=#2:1:1: error: the value is only a comment; a text that "
                   "begins with '#' needs quotes\n"
                   "    #2\n"
                   "    ^\n");
    assert_refused("simulate.end={a: 1, a: 2}",
                   "--set simulate.end={a: 1, a: 2}:1:8: error: the key 'a' is defined a second "
                   "time; first in line 1\n"
                   "    {a: 1, a: 2}\n"
                   "           ^\n");
}

static void test_override_is_named_in_later_messages(void **state)
{
    (void)state;
    collected c;
    read_text(&c, model);
    trmi_document_set(c.document, "simulate.times=[10, rood]");
    trmi_document_set(c.document, "simulat.end=3");
    trmi_report(c.document, trmi_item_at(at(&c, "simulate.times"), 1), "bad");
    trmi_report_inside(c.document, trmi_item_at(at(&c, "simulate.times"), 1), 1, 2, "bad");
    trmi_report_key(c.document, at(&c, "simulat"), "unknown"); // keys have no place there
    trmi_report_key(c.document, at(&c, "simulate"), "known");
    assert_string_equal(c.text, "--set simulate.times=[10, rood]:1:6: error: bad\n"
                                "    [10, rood]\n"
                                "         ^~~~\n"
                                "--set simulate.times=[10, rood]:1:7: error: bad\n"
                                "    [10, rood]\n"
                                "          ^~\n"
                                "--set simulat.end=3: error: unknown\n"
                                "m.yaml:2:1: error: known\n"
                                "    simulate:\n"
                                "    ^~~~~~~~\n");
    release(&c);
}

static void test_override_depth_is_limited(void **state)
{
    (void)state;
    collected c;
    char deep[400] = "a";
    for (int k = 1; k < TRMI_DOCUMENT_DEPTH; k++)
        strcat(deep, ".a");
    strcat(deep, "=1");
    read_text(&c, model);
    trmi_document_set(c.document, deep); // 64 parts
    assert_string_equal(c.text, "");
    strcpy(strchr(deep, '='), "=[1]"); // and one level more
    trmi_document_set(c.document, deep);
    assert_contains(c.text, "lists and maps nest too deep, more than the limit of 64\n");
    strcpy(strchr(deep, '='), ".a=1");
    trmi_document_set(c.document, deep);
    assert_contains(c.text, "the path has 65 parts, more than the limit of 64\n");
    assert_int_equal(trmi_document_errors(c.document), 2);
    release(&c);
}

static void test_override_many_are_kept_apart(void **state)
{
    (void)state;
    collected c;
    read_text(&c, model);
    for (int k = 0; k < 100; k++) {
        char assignment[40];
        snprintf(assignment, sizeof assignment, "p.k%d=%d", k, k);
        trmi_document_set(c.document, assignment);
    }
    trmi_report(c.document, at(&c, "p.k0"), "first");
    trmi_report(c.document, at(&c, "p.k99"), "last");
    assert_contains(c.text, "--set p.k0=0:1:1: error: first\n");
    assert_contains(c.text, "--set p.k99=99:1:1: error: last\n");
    release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_override_replaces_a_value),
        cmocka_unit_test(test_override_value_is_yaml),
        cmocka_unit_test(test_override_null_removes_maps),
        cmocka_unit_test(test_override_makes_missing_maps),
        cmocka_unit_test(test_override_reaches_list_elements),
        cmocka_unit_test(test_override_wrong_assignments_are_refused),
        cmocka_unit_test(test_override_wrong_elements_are_refused),
        cmocka_unit_test(test_override_wrong_values_are_refused),
        cmocka_unit_test(test_override_is_named_in_later_messages),
        cmocka_unit_test(test_override_depth_is_limited),
        cmocka_unit_test(test_override_many_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
