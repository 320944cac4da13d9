// SPDX-License-Identifier: Apache-2.0
// The strict reader: the tree, its positions, what is refused and with which words.
#define _POSIX_C_SOURCE 200809L
#include "unit/collected.h"

#include <math.h>
#include <unistd.h>

// Reads a text that must give exactly these diagnostics. usable: whether a tree is left.
static void assert_diagnosed(const char *text, size_t length, bool usable, const char *expected)
{
    collected c;
    read_bytes(&c, text, length);
    assert_string_equal(c.text, expected);
    assert_int_equal(c.document != NULL, usable);
    if (usable)
        assert_int_equal(trmi_document_errors(c.document), c.count);
    release(&c);
    // nobody listens: the same result
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_document *silent = trmi_document_read(&memory, "m.yaml", text, length, NULL, NULL);
    assert_int_equal(silent != NULL, usable);
    trmi_memory_release_all(&memory);
}

#define ASSERT_STOPS(text, expected) assert_diagnosed(text, sizeof text - 1, false, expected)
#define ASSERT_REPORTS(text, expected) assert_diagnosed(text, sizeof text - 1, true, expected)

// ---- the tree ----

static void test_document_tree_has_kinds_texts_and_order(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "a: 1\nb: [x, 'y', {z: 2}]\nc:\n  d:\n    e: |\n      two\n      lines\n");
    assert_string_equal(c.text, "");
    trmi_item *root = trmi_document_root(c.document);
    assert_int_equal(root->kind, TRMI_MAP);
    assert_int_equal(root->count, 3);
    assert_string_equal(root->child->key, "a");
    assert_string_equal(root->child->next->key, "b");
    trmi_item *b = trmi_item_find(root, "b");
    assert_int_equal(b->kind, TRMI_LIST);
    assert_int_equal(b->count, 3);
    assert_false(trmi_item_at(b, 0)->quoted);
    assert_true(trmi_item_at(b, 1)->quoted);
    assert_string_equal(trmi_item_find(trmi_item_at(b, 2), "z")->text, "2");
    assert_string_equal(trmi_item_path(root, "c.d.e")->text, "two\nlines\n");
    assert_null(trmi_item_path(root, "c.x.e"));
    assert_null(trmi_item_path(root, "a.x"));
    assert_null(trmi_item_at(b, 3));
    assert_null(trmi_item_at(b, -1));
    assert_null(trmi_item_find(b, "z"));
    assert_null(trmi_item_find(NULL, "z"));
    assert_string_equal(trmi_item_kind_text(root), "a map");
    assert_string_equal(trmi_item_kind_text(b), "a list");
    assert_string_equal(trmi_item_kind_text(b->child), "a text");
    release(&c);
}

static void test_document_positions_count_characters_from_one(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "a: 1\r\n\xC3\xA4\xC3\xB6: {x: 2}\n");
    trmi_item *item = trmi_document_root(c.document)->child->next;
    // line 2 is "äö: {x: 2}": the key in column 1, the map in 5, x in 6, its value in 9
    assert_int_equal(item->key_line, 2);
    assert_int_equal(item->key_column, 1);
    assert_int_equal(item->line, 2);
    assert_int_equal(item->column, 5);
    assert_int_equal(item->child->key_column, 6);
    assert_int_equal(item->child->column, 9);
    release(&c);
}

static void test_document_keeps_name_and_text(void **state)
{
    (void)state;
    collected c;
    size_t length;
    read_text(&c, "\xEF\xBB\xBF"
                  "a: 1\n");
    assert_string_equal(trmi_document_text(c.document, &length), "a: 1\n");
    assert_int_equal(length, 5);
    assert_int_equal(trmi_document_root(c.document)->child->key_column, 1); // no byte order mark
    release(&c);
}

static void test_document_json_is_read(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "{\"a\": {\"b\": [1,\t-2.5e3, true, null, \"\\u00e4\\/\\n\"]},\n \"c\": []}\n");
    assert_string_equal(c.text, "");
    trmi_item *list = trmi_item_path(trmi_document_root(c.document), "a.b");
    double number;
    bool truth;
    assert_int_equal(list->count, 5);
    assert_true(trmi_item_number(trmi_item_at(list, 1), &number));
    assert_true(number == -2500); // exact in binary
    assert_true(trmi_item_truth(trmi_item_at(list, 2), &truth) && truth);
    assert_true(trmi_item_null(trmi_item_at(list, 3)));
    assert_string_equal(trmi_item_at(list, 4)->text, "\xC3\xA4/\n");
    assert_int_equal(trmi_item_find(trmi_document_root(c.document), "c")->count, 0);
    release(&c);
}

static void test_document_plain_values_are_told_apart(void **state)
{
    (void)state;
    const char *const numbers[] = {"1e-6", "-.5", "3", "+2.", "1E5", "00.1", "1e+3"};
    // the same numbers as the compiler reads them
    const double values[] = {1e-6, -.5, 3, 2., 1e5, 0.1, 1e3};
    const char *const others[] = {"0x10", "1_000", "nan", ".nan", "inf", ".inf", "1e",   "e3",
                                  ".",    "-",     "1 2", "1,5",  "",    "yes",  "1e3.5"};
    double number;
    bool truth;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        trmi_item item = {.kind = TRMI_SCALAR, .text = numbers[k]};
        assert_true(trmi_item_number(&item, &number));
        assert_true(number == values[k]); // both are correctly rounded
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (trmi_item_number(&(trmi_item){.kind = TRMI_SCALAR, .text = others[k]}, &number))
            fail_msg("'%s' is read as a number", others[k]);
    assert_false(trmi_item_number(&(trmi_item){.kind = TRMI_SCALAR, .text = "1e999"}, &number));
    assert_true(isinf(number));
    assert_false(trmi_item_number(&(trmi_item){.kind = TRMI_LIST}, &number));
    assert_false(trmi_item_number(NULL, &number));
    assert_true(trmi_item_truth(&(trmi_item){.kind = TRMI_SCALAR, .text = "false"}, &truth));
    assert_false(truth);
    assert_false(trmi_item_truth(&(trmi_item){.kind = TRMI_SCALAR, .text = "True"}, &truth));
    assert_false(
        trmi_item_truth(&(trmi_item){.kind = TRMI_SCALAR, .text = "true", .quoted = true}, &truth));
    assert_true(trmi_item_null(&(trmi_item){.kind = TRMI_SCALAR, .text = "~"}));
    assert_false(trmi_item_null(&(trmi_item){.kind = TRMI_SCALAR, .text = "", .quoted = true}));
    assert_false(trmi_item_null(NULL));
}

static void test_document_alias_is_a_copy(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "a: &x {b: [1, 2]}\nc: *x\nd: &y 5\ne: [*y, *y]\n");
    assert_string_equal(c.text, "");
    trmi_item *root = trmi_document_root(c.document);
    trmi_item *copy = trmi_item_find(root, "c");
    assert_string_equal(trmi_item_at(trmi_item_find(copy, "b"), 1)->text, "2");
    assert_int_equal(copy->key_line, 2); // its key stands where it is used,
    assert_int_equal(copy->line, 1);     // its value where it is defined
    assert_int_equal(trmi_item_find(root, "e")->count, 2);
    trmi_document_set(c.document, "c.b.0=7"); // the original stays
    assert_string_equal(trmi_item_at(trmi_item_path(root, "a.b"), 0)->text, "1");
    assert_string_equal(trmi_item_at(trmi_item_path(root, "c.b"), 0)->text, "7");
    release(&c);
}

// ---- what is no YAML ----

static void test_document_empty_text_is_refused(void **state)
{
    (void)state;
#define EMPTY                                                                                      \
    ":1:1: error: there is nothing in it; a model begins with 'trammel: 1', a study with "         \
    "'trammel-study: 1', an optimisation with 'trammel-optimization: 1'\n"
#define NOTHING "m.yaml" EMPTY
    ASSERT_STOPS("", NOTHING "    \n    ^\n");
    ASSERT_STOPS("# only a comment\n", NOTHING "    # only a comment\n    ^\n");
    ASSERT_STOPS("\n\n", NOTHING "    \n    ^\n");
    ASSERT_STOPS("---\n...\n", NOTHING "    ---\n    ^\n");
    ASSERT_STOPS("null\n", NOTHING "    null\n    ^\n");
}

static void test_document_tab_is_explained(void **state)
{
    (void)state;
    ASSERT_STOPS("a:\n\tb: 1\n",
                 "m.yaml:2:1: error: invalid YAML: found character that cannot start any token, "
                 "while scanning for the next token; indent with spaces, not with tabs\n"
                 "    \tb: 1\n"
                 "    ^\n");
}

static void test_document_bad_indentation_is_explained(void **state)
{
    (void)state;
    ASSERT_STOPS("a:\n  b: [1]\n   c: 2\n",
                 "m.yaml:3:4: error: invalid YAML: did not find expected key, while parsing a "
                 "block mapping that begins in line 2; the keys of a map begin in the same column\n"
                 "       c: 2\n"
                 "       ^\n");
    ASSERT_STOPS("a: b: c\n",
                 "m.yaml:1:5: error: invalid YAML: mapping values are not allowed in this context; "
                 "a text with ': ' in it needs quotes, and the keys of a map begin in the same "
                 "column\n"
                 "    a: b: c\n"
                 "        ^\n");
}

static void test_document_unterminated_is_shown_at_its_begin(void **state)
{
    (void)state;
    ASSERT_STOPS("a: 1\nb: \"text\nc: 2\n",
                 "m.yaml:2:4: error: invalid YAML: found unexpected end of stream, while scanning "
                 "a quoted scalar\n"
                 "    b: \"text\n"
                 "       ^\n");
    ASSERT_STOPS("a: [1, 2\n",
                 "m.yaml:1:4: error: invalid YAML: did not find expected ',' or ']', while parsing "
                 "a flow sequence; a comma or the closing bracket is missing\n"
                 "    a: [1, 2\n"
                 "       ^\n");
}

static void test_document_bad_bytes_are_shown_as_question_marks(void **state)
{
    (void)state;
    ASSERT_STOPS("a: 1\nb: \xC3\xA4\xFFx\n",
                 "m.yaml:2:5: error: invalid character: invalid leading UTF-8 octet (0xFF); the "
                 "text must be UTF-8 without control characters\n"
                 "    b: \xC3\xA4?x\n"
                 "        ^\n");
    ASSERT_STOPS("a: \x1B[31m\n",
                 "m.yaml:1:4: error: invalid character: control characters are not allowed (0x1B); "
                 "the text must be UTF-8 without control characters\n"
                 "    a: ?[31m\n"
                 "       ^\n");
    collected c;
    read_bytes(&c, "a: \0b\n", 6);
    assert_null(c.document);
    assert_contains(c.text, "m.yaml:1:4: error: invalid character: control characters");
    release(&c);
    read_bytes(&c,
               "\xFF\xFE"
               "a\0:\0",
               6); // UTF-16
    assert_null(c.document);
    assert_contains(c.text, "m.yaml:1:1: error: invalid character: invalid leading UTF-8 octet");
    release(&c);
}

// ---- strictness ----

static void test_document_duplicate_key_names_the_first(void **state)
{
    (void)state;
    ASSERT_REPORTS("a:\n  end: 1\n  \"begin\": 0\n  end: 2\n  begin: 3\n",
                   "m.yaml:5:3: error: the key 'begin' is defined a second time; first in line 3\n"
                   "      begin: 3\n"
                   "      ^~~~~\n"
                   "m.yaml:4:3: error: the key 'end' is defined a second time; first in line 2\n"
                   "      end: 2\n"
                   "      ^~~\n");
}

static void test_document_tags_are_refused(void **state)
{
    (void)state;
    ASSERT_REPORTS("a: !!int 3\n",
                   "m.yaml:1:4: error: tags such as !!int are not accepted; the key "
                   "decides the type\n"
                   "    a: !!int 3\n"
                   "       ^\n");
    ASSERT_REPORTS("a: ! [3]\n", "m.yaml:1:4: error: tags such as !!int are not accepted; the key "
                                 "decides the type\n"
                                 "    a: ! [3]\n"
                                 "       ^\n");
    ASSERT_REPORTS("%TAG !x! tag:x,2000:\n---\na: 1\n", "m.yaml:1:1: error: %TAG is not accepted\n"
                                                        "    %TAG !x! tag:x,2000:\n"
                                                        "    ^\n");
}

static void test_document_second_document_is_refused(void **state)
{
    (void)state;
    ASSERT_REPORTS("---\na: 1\n---\nb: 1\n",
                   "m.yaml:3:1: error: a second document begins here; only one is accepted\n"
                   "    ---\n"
                   "    ^\n");
}

static void test_document_wrong_keys_are_refused(void **state)
{
    (void)state;
    collected c;
    ASSERT_STOPS("? [a, b]\n: 1\n", "m.yaml:1:3: error: a key must be a text, not a list\n"
                                    "    ? [a, b]\n"
                                    "      ^\n");
    ASSERT_STOPS("a: {{b: 1}: 2}\n", "m.yaml:1:5: error: a key must be a text, not a map\n"
                                     "    a: {{b: 1}: 2}\n"
                                     "        ^\n");
    // the value of a wrong key does not enter the tree; reading goes on
    read_text(&c, "a: &x 1\n\"\": 2\n<<: 3\n*x : 4\n&y b: 5\nc: 6\n");
    assert_string_equal(c.text, "m.yaml:2:1: error: a key is empty\n"
                                "    \"\": 2\n"
                                "    ^\n"
                                "m.yaml:3:1: error: merge keys (<<) are not accepted; write the "
                                "keys out\n"
                                "    <<: 3\n"
                                "    ^\n"
                                "m.yaml:4:1: error: the alias '*x' cannot be a key\n"
                                "    *x : 4\n"
                                "    ^\n"
                                "m.yaml:5:1: error: a key cannot have an anchor\n"
                                "    &y b: 5\n"
                                "    ^\n");
    assert_int_equal(trmi_document_root(c.document)->count, 2);
    assert_string_equal(trmi_item_find(trmi_document_root(c.document), "c")->text, "6");
    release(&c);
}

static void test_document_wrong_aliases_are_refused(void **state)
{
    (void)state;
    ASSERT_REPORTS("a: &x [1, *x]\nb: *y\nc: &x 3\n",
                   "m.yaml:1:11: error: the alias '*x' is inside of its own anchor\n"
                   "    a: &x [1, *x]\n"
                   "              ^\n"
                   "m.yaml:2:4: error: the alias '*y' has no anchor before it\n"
                   "    b: *y\n"
                   "       ^\n"
                   "m.yaml:3:4: error: the anchor '&x' is defined a second time; first in line 1\n"
                   "    c: &x 3\n"
                   "       ^\n");
}

static void test_document_nul_in_text_is_refused(void **state)
{
    (void)state;
    ASSERT_REPORTS("a: \"x\\0y\"\n", "m.yaml:1:4: error: a text cannot contain the character \\0\n"
                                     "    a: \"x\\0y\"\n"
                                     "       ^\n");
}

// A part that is used twice has its errors once, but they count as often as they were found.
static void test_document_repeated_errors_are_shown_once(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "a: 1\nb: 2\n");
    const trmi_item *root = trmi_document_root(c.document);
    const trmi_item *a = trmi_item_find(root, "a"), *b = trmi_item_find(root, "b");
    trmi_report(c.document, a, "must be %d", 2);
    trmi_report(c.document, b, "must be %d", 2);
    trmi_report(c.document, a, "must be %d", 2);
    trmi_report(c.document, a, "must be %d", 3);
    assert_int_equal(trmi_document_errors(c.document), 4);
    assert_int_equal(c.count, 3);
    assert_contains(c.text, "m.yaml:1:4: error: must be 2");
    assert_contains(c.text, "m.yaml:2:4: error: must be 2");
    assert_contains(c.text, "m.yaml:1:4: error: must be 3");
    release(&c);
}

static void test_document_many_errors_end_after_fifty(void **state)
{
    (void)state;
    collected c;
    char text[2000] = "";
    for (int k = 0; k < 60; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "k%d: !!int 3\n", k);
    read_text(&c, text);
    assert_null(c.document);
    assert_int_equal(c.count, TRMI_DOCUMENT_ERRORS + 1);
    assert_contains(c.text, "m.yaml:50:6: error: tags such as");
    assert_null(strstr(c.text, "m.yaml:51:"));
    assert_contains(c.text, "m.yaml: error: more than 50 errors; the rest is not shown\n");
    release(&c);
}

// ---- files ----

static void assert_not_loaded(const char *path, const char *expected)
{
    collected c = {.count = 0};
    trmi_memory_init(&c.memory, NULL);
    c.document = trmi_document_load(&c.memory, path, collect, &c);
    assert_null(c.document);
    assert_string_equal(c.text, expected);
    release(&c);
}

static void test_document_unreadable_files_say_why(void **state)
{
    (void)state;
    assert_not_loaded("/nowhere/m.yaml",
                      "/nowhere/m.yaml: error: cannot read: No such file or directory\n");
    assert_not_loaded("/", "/: error: cannot read: Is a directory\n");
    assert_not_loaded("/dev/null", "/dev/null" EMPTY "    \n    ^\n");
    assert_not_loaded("/dev/zero", "/dev/zero: error: cannot read: larger than 64 MiB\n");
}

static void test_document_file_is_read(void **state)
{
    (void)state;
    char path[] = "/tmp/trammel-document-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "a: [1\n", 6), 6);
    collected c = {.count = 0};
    trmi_memory_init(&c.memory, NULL);
    c.document = trmi_document_load(&c.memory, path, collect, &c);
    assert_null(c.document);
    assert_contains(c.text, path);
    assert_contains(c.text, ":1:4: error: invalid YAML: did not find expected ',' or ']'");
    assert_int_equal(pwrite(file, "a: 'b'", 6, 0), 6);
    c.document = trmi_document_load(&c.memory, path, collect, &c);
    assert_non_null(c.document);
    assert_string_equal(trmi_item_find(trmi_document_root(c.document), "a")->text, "b");
    release(&c);
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document_tree_has_kinds_texts_and_order),
        cmocka_unit_test(test_document_positions_count_characters_from_one),
        cmocka_unit_test(test_document_keeps_name_and_text),
        cmocka_unit_test(test_document_json_is_read),
        cmocka_unit_test(test_document_plain_values_are_told_apart),
        cmocka_unit_test(test_document_alias_is_a_copy),
        cmocka_unit_test(test_document_empty_text_is_refused),
        cmocka_unit_test(test_document_tab_is_explained),
        cmocka_unit_test(test_document_bad_indentation_is_explained),
        cmocka_unit_test(test_document_unterminated_is_shown_at_its_begin),
        cmocka_unit_test(test_document_bad_bytes_are_shown_as_question_marks),
        cmocka_unit_test(test_document_duplicate_key_names_the_first),
        cmocka_unit_test(test_document_tags_are_refused),
        cmocka_unit_test(test_document_second_document_is_refused),
        cmocka_unit_test(test_document_wrong_keys_are_refused),
        cmocka_unit_test(test_document_wrong_aliases_are_refused),
        cmocka_unit_test(test_document_nul_in_text_is_refused),
        cmocka_unit_test(test_document_repeated_errors_are_shown_once),
        cmocka_unit_test(test_document_many_errors_end_after_fifty),
        cmocka_unit_test(test_document_unreadable_files_say_why),
        cmocka_unit_test(test_document_file_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
