// SPDX-License-Identifier: Apache-2.0
// Hostile input and lack of memory end in a message, not in a crash.
#include "unit/collected.h"

// `count` times a text between two others; the caller frees
static char *repeat(const char *first, const char *text, size_t count, const char *last)
{
    size_t length = strlen(text), begin = strlen(first);
    char *all = malloc(begin + count * length + strlen(last) + 1);
    assert_non_null(all);
    memcpy(all, first, begin);
    for (size_t k = 0; k < count; k++)
        memcpy(all + begin + k * length, text, length);
    strcpy(all + begin + count * length, last);
    return all;
}

static void assert_limit(char *text, const char *message)
{
    static collected c; // large
    read_text(&c, text);
    assert_null(c.document);
    assert_int_equal(c.count, 1);
    assert_contains(c.text, message);
    release(&c);
    free(text);
}

static void test_document_limits_deep_nesting_is_refused(void **state)
{
    (void)state;
    collected c;
    char *deepest = repeat("", "[", TRMI_DOCUMENT_DEPTH, "");
    char *whole = repeat(deepest, "]", TRMI_DOCUMENT_DEPTH, "");
    read_text(&c, whole);
    assert_string_equal(c.text, "");
    release(&c);
    free(whole);
    free(deepest);
    const char *message = "lists and maps nest too deep, more than the limit of 64\n";
    assert_limit(repeat("", "[", TRMI_DOCUMENT_DEPTH + 1, ""), message);
    assert_limit(repeat("", "[", 100000, ""), message);
    assert_limit(repeat("", "{a: ", 100000, ""), message);
    assert_limit(repeat("", "- ", 100000, ""), message);
}

static void test_document_limits_alias_bombs_are_refused(void **state)
{
    (void)state;
    char text[2000] = "a: &a [1,1,1,1,1,1,1,1,1,1]\n";
    for (char k = 'b'; k < 'k'; k++) // ten times as many in every line
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", k, k, k - 1, k - 1, k - 1,
                 k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1);
    const char *message = "aliases add too many items, more than the limit of 1000\n";
    assert_limit(repeat(text, "", 0, ""), message);
    assert_limit(repeat("a: &a 1\nb: [1", ", *a", 1001, "]\n"), message);
    collected c;
    char *allowed = repeat("a: &a 1\nb: [1", ", *a", 1000, "]\n");
    read_text(&c, allowed);
    assert_string_equal(c.text, "");
    release(&c);
    free(allowed);
}

static void test_document_limits_deep_aliases_are_refused(void **state)
{
    (void)state;
    // 2 levels more in every line
    char text[3000] = "a0: &a0 [[1]]\n";
    for (int k = 1; k < 40; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "a%d: &a%d [[*a%d]]\n", k, k,
                 k - 1);
    assert_limit(repeat(text, "", 0, ""), "aliases add too many items");
    char chain[3000] = "a0: &a0 ";
    for (int k = 0; k < 40; k++)
        strcat(chain, "[");
    strcat(chain, "1");
    for (int k = 0; k < 40; k++)
        strcat(chain, "]");
    strcat(chain, "\nb: ");
    for (int k = 0; k < 40; k++)
        strcat(chain, "[");
    strcat(chain, "*a0");
    assert_limit(repeat(chain, "", 0, ""), "aliases nest too deep, more than the limit of 64\n");
}

static void test_document_limits_many_anchors_are_refused(void **state)
{
    (void)state;
    char *text = malloc(20000);
    assert_non_null(text);
    text[0] = '\0';
    for (int k = 0, length = 0; k < 1001; k++)
        length += snprintf(text + length, (size_t)(20000 - length), "- &a%d 1\n", k);
    assert_limit(text, "m.yaml:1001:3: error: too many anchors, more than the limit of 1000\n");
}

static void test_document_limits_many_items_are_refused(void **state)
{
    (void)state;
    assert_limit(repeat("[", "1,", TRMI_DOCUMENT_ITEMS, "1]"),
                 "too many items, more than the limit of 4194304\n");
}

static void test_document_limits_huge_texts_are_refused(void **state)
{
    (void)state;
    assert_limit(repeat("a: ", "x", TRMI_DOCUMENT_BYTES, ""),
                 "m.yaml: error: cannot read: larger than 64 MiB\n");
    collected c;
    char *large = repeat("a: ", "x", TRMI_DOCUMENT_BYTES - 3, "");
    read_text(&c, large);
    assert_string_equal(c.text, "");
    assert_int_equal(strlen(trmi_document_root(c.document)->child->text), TRMI_DOCUMENT_BYTES - 3);
    release(&c);
    free(large);
}

// ---- memory ----

typedef struct purse {
    int left; // blocks that may still be taken
} purse;

static void *take_from_purse(size_t size, void *user)
{
    purse *p = user;
    return p->left-- > 0 ? malloc(size) : NULL;
}

static void give_back(void *block, void *user)
{
    (void)user;
    free(block);
}

static void test_document_limits_without_memory_gives_nothing(void **state)
{
    (void)state;
    // names longer than a quarter of a block of 64 KiB, so that every piece is one of its own
    char *text = repeat("a: &x [1, '", "y", 20000, "']\nb: [*x]\n");
    char *set = repeat("c.d=", "z", 20000, "");
    int failures = 0;
    for (int blocks = 0;; blocks++) {
        static collected c;
        purse p = {blocks};
        c.text[0] = '\0';
        trmi_memory_init(&c.memory, &(trm_allocator){take_from_purse, give_back, &p});
        c.document = trmi_document_read(&c.memory, "m.yaml", text, strlen(text), collect, &c);
        assert_string_equal(c.text, "");
        if (c.document)
            trmi_document_set(c.document, set);
        bool done = c.document && trmi_document_errors(c.document) == 0;
        if (c.document && !done)
            assert_contains(c.text, "error: out of memory\n");
        failures += !done;
        release(&c);
        if (done)
            break;
    }
    assert_true(failures >= 5); // document, source, two texts of it, name and value of the set
    free(text);
    free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document_limits_deep_nesting_is_refused),
        cmocka_unit_test(test_document_limits_alias_bombs_are_refused),
        cmocka_unit_test(test_document_limits_deep_aliases_are_refused),
        cmocka_unit_test(test_document_limits_many_anchors_are_refused),
        cmocka_unit_test(test_document_limits_many_items_are_refused),
        cmocka_unit_test(test_document_limits_huge_texts_are_refused),
        cmocka_unit_test(test_document_limits_without_memory_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
