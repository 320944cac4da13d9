// SPDX-License-Identifier: Apache-2.0
// JSON text, exactly as it must be (RFC 8259).
#include "program/files/json.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(trmi_json *json, const char *expected)
{
    const char *text = trmi_json_finish(json);
    assert_non_null(text);
    assert_string_equal(text, expected);
    trmi_json_free(json);
}

static void test_json_nested_values_have_commas_and_keys(void **state)
{
    (void)state;
    trmi_json json = {0};
    trmi_json_begin_object(&json, NULL);
    trmi_json_string(&json, "title", "ball");
    trmi_json_integer(&json, "steps", INT64_MIN);
    trmi_json_begin_array(&json, "t");
    trmi_json_number(&json, NULL, 0);
    trmi_json_number(&json, NULL, 0.5);
    trmi_json_begin_object(&json, NULL);
    trmi_json_end(&json);
    trmi_json_end(&json);
    trmi_json_boolean(&json, "done", true);
    trmi_json_boolean(&json, "failed", false);
    trmi_json_raw(&json, "options", "{\"rtol\": 1e-6}");
    trmi_json_raw(&json, "none", "");
    trmi_json_string(&json, "text", NULL);
    trmi_json_begin_array(&json, "empty");
    trmi_json_end(&json);
    trmi_json_end(&json);
    assert_text(&json,
                "{\"title\": \"ball\", \"steps\": -9223372036854775808, \"t\": [0, 0.5, {}], "
                "\"done\": true, \"failed\": false, \"options\": {\"rtol\": 1e-6}, "
                "\"none\": null, \"text\": null, \"empty\": []}");
}

static void test_json_text_is_escaped(void **state)
{
    (void)state;
    trmi_json json = {0};
    trmi_json_begin_object(&json, NULL);
    trmi_json_string(&json, "a\"b", "\\ \b\f\n\r\t \x01 \x1f \x7f / é 𝄞");
    trmi_json_end(&json);
    assert_text(&json, "{\"a\\\"b\": \"\\\\ \\b\\f\\n\\r\\t \\u0001 \\u001f \x7f / é 𝄞\"}");
}

// each is no UTF-8 (RFC 3629, section 3): every byte becomes one U+FFFD
static void test_json_bytes_that_are_no_characters_are_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int replaced;
    } bad[] = {{"\xff", 1},             // never in UTF-8
               {"\x80", 1},             // continuation without beginning
               {"\xc3", 1},             // cut off by the end
               {"\xc0\xaf", 2},         // '/' with too many bytes
               {"\xe0\x80\x80", 3},     // the same
               {"\xed\xa0\x80", 3},     // surrogate
               {"\xf4\x90\x80\x80", 4}, // above U+10FFFF
               {"\xf0\x9d\x84", 3}};    // three bytes of four
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char expected[32] = "\"";
        for (int i = 0; i < bad[k].replaced; i++)
            strcat(expected, "\xEF\xBF\xBD");
        strcat(expected, "\"");
        trmi_json json = {0};
        trmi_json_string(&json, NULL, bad[k].bytes);
        assert_text(&json, expected);
    }
}

static void test_json_numbers_are_short_and_read_back(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } number[] = {{0.1, "0.1"}, // shortest decimal that reads back, by hand
                  {0.1 + 0.2, "0.30000000000000004"},
                  {1.0 / 3, "0.3333333333333333"},
                  {-0.0, "-0"},
                  {100, "100"},
                  {1e23, "1e+23"},
                  {NAN, "null"},
                  {INFINITY, "null"},
                  {-INFINITY, "null"}};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        trmi_json json = {0};
        trmi_json_number(&json, NULL, number[k].value);
        assert_text(&json, number[k].text);
    }
    const double all[] = {DBL_TRUE_MIN, DBL_MIN,     DBL_MAX,
                          -DBL_MAX,     DBL_EPSILON, 9007199254740993.0};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char text[TRMI_NUMBER_LENGTH];
        int length = trmi_number_format(text, all[k]);
        assert_int_equal(length, strlen(text));
        assert_true(strtod(text, NULL) == all[k]);
    }
}

static void test_json_long_text_grows(void **state)
{
    (void)state;
    trmi_json json = {0};
    trmi_json_begin_array(&json, NULL);
    for (int k = 0; k < 10000; k++)
        trmi_json_integer(&json, NULL, 7);
    trmi_json_end(&json);
    const char *text = trmi_json_finish(&json);
    assert_int_equal(strlen(text), 3 * 10000); // "7" and ", " each, brackets for the last comma
    trmi_json_free(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_nested_values_have_commas_and_keys),
        cmocka_unit_test(test_json_text_is_escaped),
        cmocka_unit_test(test_json_bytes_that_are_no_characters_are_replaced),
        cmocka_unit_test(test_json_numbers_are_short_and_read_back),
        cmocka_unit_test(test_json_long_text_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
