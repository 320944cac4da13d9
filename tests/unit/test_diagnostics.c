// SPDX-License-Identifier: Apache-2.0
// Messages: their form, the caret line, places inside of scalars.
#include "unit/collected.h"

static void assert_formatted(trm_diagnostic diagnostic, const char *expected)
{
    char text[2000], cut[20];
    int length = trm_diagnostic_format(&diagnostic, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    // like snprintf: the whole length, the text cut
    assert_int_equal(trm_diagnostic_format(&diagnostic, NULL, 0), length);
    assert_int_equal(trm_diagnostic_format(&diagnostic, cut, sizeof cut), length);
    assert_memory_equal(cut, expected, sizeof cut - 1);
    assert_int_equal(cut[sizeof cut - 1], '\0');
}

static void test_diagnostics_without_place_are_one_line(void **state)
{
    (void)state;
    assert_formatted((trm_diagnostic){.error = 1, .file = "slider.yaml", .text = "cannot read"},
                     "slider.yaml: error: cannot read\n");
    assert_formatted((trm_diagnostic){.file = "slider.yaml", .text = "strange", .source = "x"},
                     "slider.yaml: warning: strange\n");
    assert_formatted(
        (trm_diagnostic){.error = 1, .file = "m.yaml", .line = 3, .column = 7, .text = "bad"},
        "m.yaml:3:7: error: bad\n");
}

static void test_diagnostics_caret_underlines_length(void **state)
{
    (void)state;
    trm_diagnostic d = {1, "m.yaml", 2, 6, "bad", "end: abc # x", 3};
    assert_formatted(d, "m.yaml:2:6: error: bad\n    end: abc # x\n         ^~~\n");
    d.length = 1;
    assert_formatted(d, "m.yaml:2:6: error: bad\n    end: abc # x\n         ^\n");
    d.length = 100; // not past the end of the line
    assert_formatted(d, "m.yaml:2:6: error: bad\n    end: abc # x\n         ^~~~~~~\n");
    d.column = 13; // just behind the line
    assert_formatted(d, "m.yaml:2:13: error: bad\n    end: abc # x\n                ^\n");
    d.column = 99; // far behind it
    assert_formatted(d, "m.yaml:2:99: error: bad\n    end: abc # x\n                ^\n");
}

static void test_diagnostics_caret_follows_tabs_and_wide_bytes(void **state)
{
    (void)state;
    assert_formatted((trm_diagnostic){1, "m.yaml", 1, 5, "bad", "\ta:\tb", 1},
                     "m.yaml:1:5: error: bad\n    \ta:\tb\n    \t  \t^\n");
    assert_formatted(
        (trm_diagnostic){1, "m.yaml", 1, 4, "bad", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z", 1},
        "m.yaml:1:4: error: bad\n    \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z\n       ^\n");
}

static void test_diagnostics_hostile_bytes_are_not_shown(void **state)
{
    (void)state;
    // escape, delete, a C1 control as UTF-8, a lone and an overlong byte, a surrogate
    assert_formatted((trm_diagnostic){1, "m\x1B.yaml", 1, 1, "bad \x07\ttext",
                                      "\x1B[1m\x7F \xC2\x9B \x80 \xC0\xAF \xED\xA0\x80.", 1},
                     "m?.yaml:1:1: error: bad ? text\n    ?[1m? ? ? ?? ???.\n    ^\n");
}

static void test_diagnostics_long_lines_are_cut_around_the_column(void **state)
{
    (void)state;
    char line[402] = "", text[1000], expected[1000], part[200];
    for (int k = 0; k < 400; k++)
        line[k] = (char)('a' + k % 26);
    trm_diagnostic d = {1, "m.yaml", 1, 1, "bad", line, 1};
    // 160 characters from the first
    trm_diagnostic_format(&d, text, sizeof text);
    snprintf(expected, sizeof expected, "m.yaml:1:1: error: bad\n    %.160s...\n    ^\n", line);
    assert_string_equal(text, expected);
    // column 201, so 80 characters before it and 80 from it on
    d.column = 201;
    d.length = 3;
    trm_diagnostic_format(&d, text, sizeof text);
    memset(part, ' ', 83);
    part[83] = '\0';
    snprintf(expected, sizeof expected, "m.yaml:1:201: error: bad\n    ...%.160s...\n    %s^~~\n",
             line + 120, part);
    assert_string_equal(text, expected);
    // column 391: the last 160
    d.column = 391;
    trm_diagnostic_format(&d, text, sizeof text);
    memset(part, ' ', 153);
    part[153] = '\0';
    snprintf(expected, sizeof expected, "m.yaml:1:391: error: bad\n    ...%.160s\n    %s^~~\n",
             line + 240, part);
    assert_string_equal(text, expected);
    line[160] = '\0'; // just short enough
    d.column = 160;
    trm_diagnostic_format(&d, text, sizeof text);
    assert_null(strstr(text, "..."));
}

// ---- messages about items ----

static trmi_item *find(collected *c, const char *key)
{
    trmi_item *item = trmi_item_find(trmi_document_root(c->document), key);
    assert_non_null(item);
    c->text[0] = '\0';
    return item;
}

static void test_diagnostics_item_is_underlined(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "a: word\n'b c': \"two words\"\nd: [1]\ne: \"x\\ty\"\n");
    trmi_report(c.document, find(&c, "a"), "bad %d", 1);
    assert_string_equal(c.text, "m.yaml:1:4: error: bad 1\n    a: word\n       ^~~~\n");
    trmi_report_key(c.document, find(&c, "a"), "bad %s", "key");
    assert_string_equal(c.text, "m.yaml:1:1: error: bad key\n    a: word\n    ^\n");
    trmi_report(c.document, find(&c, "b c"), "bad");
    assert_string_equal(c.text, "m.yaml:2:8: error: bad\n    'b c': \"two words\"\n"
                                "           ^~~~~~~~~~~\n");
    trmi_report_key(c.document, find(&c, "b c"), "bad");
    assert_string_equal(c.text, "m.yaml:2:1: error: bad\n    'b c': \"two words\"\n    ^~~~~\n");
    trmi_report(c.document, find(&c, "d"), "bad");
    assert_string_equal(c.text, "m.yaml:3:4: error: bad\n    d: [1]\n       ^\n");
    trmi_report_key(c.document, find(&c, "d")->child, "bad"); // has no key
    assert_string_equal(c.text, "m.yaml:3:5: error: bad\n    d: [1]\n        ^\n");
    trmi_report(c.document, find(&c, "e"), "bad"); // an escape: its length is not known
    assert_string_equal(c.text, "m.yaml:4:4: error: bad\n    e: \"x\\ty\"\n       ^\n");
    int errors = trmi_document_errors(c.document);
    trmi_warn(c.document, find(&c, "a"), "odd");
    assert_string_equal(c.text, "m.yaml:1:4: warning: odd\n    a: word\n       ^~~~\n");
    assert_int_equal(trmi_document_errors(c.document), errors);
    release(&c);
}

static void test_diagnostics_inside_of_one_line_is_exact(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "a: x + rood\nb: \"x + rood\"\nc: '\xC3\xA4 + rood'\n");
    trmi_report_inside(c.document, find(&c, "a"), 4, 4, "bad");
    assert_string_equal(c.text, "m.yaml:1:8: error: bad\n    a: x + rood\n           ^~~~\n");
    trmi_report_inside(c.document, find(&c, "b"), 4, 4, "bad");
    assert_string_equal(c.text, "m.yaml:2:9: error: bad\n    b: \"x + rood\"\n            ^~~~\n");
    trmi_report_inside(c.document, find(&c, "c"), 5, 4, "bad"); // bytes in, characters out
    assert_string_equal(c.text,
                        "m.yaml:3:9: error: bad\n    c: '\xC3\xA4 + rood'\n            ^~~~\n");
    trmi_report_inside(c.document, find(&c, "a"), 8, 0, "end"); // at its end
    assert_string_equal(c.text, "m.yaml:1:12: error: end\n    a: x + rood\n               ^\n");
    trmi_report_inside(c.document, find(&c, "a"), 4, 400, "long"); // not past its end
    assert_string_equal(c.text, "m.yaml:1:8: error: long\n    a: x + rood\n           ^~~~\n");
    release(&c);
}

static void test_diagnostics_inside_of_other_scalars_is_their_start(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "a: x +\n  rood\nb: \"x \\x2B rood\"\nc: |\n  x + rood\nd: &n x + rood\n"
                  "e: 'it''s'\n");
    trmi_report_inside(c.document, find(&c, "a"), 4, 4, "bad");
    assert_string_equal(c.text, "m.yaml:1:4: error: bad\n    a: x +\n       ^\n");
    trmi_report_inside(c.document, find(&c, "b"), 4, 4, "bad");
    assert_string_equal(c.text, "m.yaml:3:4: error: bad\n    b: \"x \\x2B rood\"\n       ^\n");
    trmi_report_inside(c.document, find(&c, "c"), 4, 4, "bad");
    assert_string_equal(c.text, "m.yaml:4:4: error: bad\n    c: |\n       ^\n");
    trmi_report_inside(c.document, find(&c, "d"), 4, 4, "bad");
    assert_string_equal(c.text, "m.yaml:6:4: error: bad\n    d: &n x + rood\n       ^\n");
    trmi_report_inside(c.document, find(&c, "e"), 3, 1, "bad");
    assert_string_equal(c.text, "m.yaml:7:4: error: bad\n    e: 'it''s'\n       ^\n");
    trmi_report_inside(c.document, find(&c, "e"), 1000, 1, "far"); // outside
    assert_string_equal(c.text, "m.yaml:7:4: error: far\n    e: 'it''s'\n       ^\n");
    release(&c);
}

static void test_diagnostics_lines_end_as_in_yaml(void **state)
{
    (void)state;
    collected c;
    // CR, CR LF, NEL, LS and PS end lines for YAML 1.1
    read_text(&c, "a: 1\rb: 2\r\nc: 3\xC2\x85"
                  "d: 4\xE2\x80\xA8"
                  "e: 5\xE2\x80\xA9"
                  "f: 6");
    const char *const keys[] = {"a", "b", "c", "d", "e", "f"};
    for (int k = 0; k < 6; k++) {
        char expected[100];
        snprintf(expected, sizeof expected, "m.yaml:%d:4: error: bad\n    %s: %d\n       ^\n",
                 k + 1, keys[k], k + 1);
        trmi_report(c.document, find(&c, keys[k]), "bad");
        assert_string_equal(c.text, expected);
    }
    release(&c);
}

static void test_diagnostics_names_in_messages_are_clean(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "\"a\\e[1m\": 1\n");
    trmi_item *item = trmi_document_root(c.document)->child;
    trmi_report_key(c.document, item, "unknown key '%s'", item->key);
    assert_string_equal(c.text,
                        "m.yaml:1:1: error: unknown key 'a?[1m'\n    \"a\\e[1m\": 1\n    ^\n");
    release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagnostics_without_place_are_one_line),
        cmocka_unit_test(test_diagnostics_caret_underlines_length),
        cmocka_unit_test(test_diagnostics_caret_follows_tabs_and_wide_bytes),
        cmocka_unit_test(test_diagnostics_hostile_bytes_are_not_shown),
        cmocka_unit_test(test_diagnostics_long_lines_are_cut_around_the_column),
        cmocka_unit_test(test_diagnostics_item_is_underlined),
        cmocka_unit_test(test_diagnostics_inside_of_one_line_is_exact),
        cmocka_unit_test(test_diagnostics_inside_of_other_scalars_is_their_start),
        cmocka_unit_test(test_diagnostics_lines_end_as_in_yaml),
        cmocka_unit_test(test_diagnostics_names_in_messages_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
