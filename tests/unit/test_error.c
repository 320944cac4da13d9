// SPDX-License-Identifier: Apache-2.0
// Statuses have names and sentences; an error is written as lines, like snprintf does it.
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- statuses ----

static void test_error_every_status_has_name_and_text(void **state)
{
    (void)state;
    const struct {
        trm_status status;
        int value;
        const char *name, *text;
    } all[] = {
#define STATUS(name, value, text) {name, value, #name, text},
        TRM_STATUS_LIST(STATUS)
#undef STATUS
    };
    const size_t count = sizeof all / sizeof *all;
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(all[k].status, all[k].value);
        assert_string_equal(trm_status_name(all[k].status), all[k].name);
        assert_string_equal(trm_status_text(all[k].status), all[k].text);
        assert_true(strlen(all[k].text) > 5);
        // failures are negative, and only they are
        assert_int_equal(strncmp(all[k].name, "TRM_ERR_", 8) == 0, all[k].value < 0);
        for (size_t j = 0; j < k; j++) {
            assert_int_not_equal(all[j].value, all[k].value);
            assert_string_not_equal(all[j].text, all[k].text);
        }
    }
}

static void test_error_unknown_status_is_not_null(void **state)
{
    (void)state;
    const int unknown[] = {-1000, 999};
    for (int k = 0; k < 2; k++) {
        assert_string_equal(trm_status_name((trm_status)unknown[k]), "unknown status");
        assert_string_equal(trm_status_text((trm_status)unknown[k]), "unknown status");
    }
}

// ---- filling ----

static void test_error_clear_leaves_nothing(void **state)
{
    (void)state;
    trm_error e;
    memset(&e, 0x7F, sizeof e);
    trmi_error_clear(&e);
    assert_int_equal(e.status, TRM_OK);
    assert_true(isnan(e.t) && isnan(e.h) && isnan(e.pivot));
    assert_int_equal(e.matrix_fresh, -1);
    assert_int_equal(e.iterations, 0);
    assert_string_equal(e.item, "");
    assert_string_equal(e.text, "");
    assert_string_equal(e.advice, "");
    assert_string_equal(e.pivot_row, "");
    for (int k = 0; k < TRM_ERROR_ROWS; k++)
        assert_string_equal(e.row[k].name, "");
}

static void test_error_set_fills_and_returns_status(void **state)
{
    (void)state;
    trm_error e;
    trmi_error_clear(&e);
    assert_int_equal(trmi_error_set(&e, TRM_ERR_RANGE, "%s = %d", "t", 7), TRM_ERR_RANGE);
    trmi_error_item(&e, "row %d", 3);
    trmi_error_advise(&e, "try %.1f", 0.5);
    assert_int_equal(e.status, TRM_ERR_RANGE);
    assert_string_equal(e.text, "t = 7");
    assert_string_equal(e.item, "row 3");
    assert_string_equal(e.advice, "try 0.5");
}

static void test_error_set_cuts_what_is_too_long(void **state)
{
    (void)state;
    char much[1000];
    memset(much, 'x', sizeof much - 1);
    much[sizeof much - 1] = '\0';
    trm_error e;
    trmi_error_clear(&e);
    trmi_error_set(&e, TRM_ERR_SYSTEM, "%s", much);
    trmi_error_item(&e, "%s", much);
    trmi_error_advise(&e, "%s", much);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_int_equal(strlen(e.item), sizeof e.item - 1);
    assert_int_equal(strlen(e.advice), sizeof e.advice - 1);
    assert_string_equal(e.pivot_row, "");
}

static void test_error_null_is_allowed(void **state)
{
    (void)state;
    trmi_error_clear(NULL);
    trmi_error_item(NULL, "%d", 1);
    trmi_error_advise(NULL, "%d", 1);
    assert_int_equal(trmi_error_set(NULL, TRM_ERR_NEWTON, "%d", 1), TRM_ERR_NEWTON);
}

// ---- format ----

// every field set
static trm_error full_error(void)
{
    trm_error e;
    trmi_error_clear(&e);
    trmi_error_set(&e, TRM_ERR_NEWTON, "the iteration failed");
    trmi_error_item(&e, "dynamics of x");
    trmi_error_advise(&e, "check the derivatives");
    e.t = 0.1;
    e.h = 2.5e-7;
    e.row[0] = (trm_error_row){"dynamics of x", 12345};
    e.row[1] = (trm_error_row){"constraint circle", 67.89};
    e.row[2] = (trm_error_row){"dynamics of y", 0.5};
    e.iterations = 3;
    e.correction[0] = 40;
    e.rate[0] = NAN;
    e.correction[1] = 38.5;
    e.rate[1] = 0.9625;
    e.correction[2] = 37;
    e.rate[2] = 0.961;
    e.matrix_fresh = 1;
    e.pivot = 1.5e-5;
    snprintf(e.pivot_row, sizeof e.pivot_row, "constraint circle");
    return e;
}

static const char full_text[] =
    "the Newton iteration did not converge: the iteration failed\n"
    "  at: dynamics of x\n"
    "  t = 0.10000000000000001\n"
    "  h = 2.5e-07\n"
    "  worst row: dynamics of x, 1.23e+04 tolerances\n"
    "  then: constraint circle, 67.9 tolerances\n"
    "  then: dynamics of y, 0.5 tolerances\n"
    "  iterations (correction in units of the tolerance, contraction): 40 38.5 (0.96) 37 (0.96)\n"
    "  matrix: fresh\n"
    "  smallest pivot: 1.5e-05, constraint circle\n"
    "  try: check the derivatives\n";

static void test_error_format_writes_every_field(void **state)
{
    (void)state;
    trm_error e = full_error();
    char text[2000];
    int length = trm_error_format(&e, text, sizeof text);
    assert_string_equal(text, full_text);
    assert_int_equal(length, strlen(full_text));
}

static void test_error_format_omits_what_is_unknown(void **state)
{
    (void)state;
    trm_error e;
    char text[200];
    trmi_error_clear(&e);
    trmi_error_set(&e, TRM_ERR_SYSTEM, "n_q = -1");
    trm_error_format(&e, text, sizeof text);
    assert_string_equal(text, "the system description is invalid: n_q = -1\n");
    e.matrix_fresh = 0;
    trm_error_format(&e, text, sizeof text);
    assert_string_equal(text, "the system description is invalid: n_q = -1\n"
                              "  matrix: kept from an earlier step\n");
}

static void test_error_format_of_no_error_reads_well(void **state)
{
    (void)state;
    trm_error e;
    char text[200];
    trmi_error_clear(&e);
    trm_error_format(&e, text, sizeof text);
    // nothing follows the sentence: no colon, no blank at the end of a line
    assert_null(strstr(text, ": \n"));
    assert_int_equal(strncmp(text, "success", 7), 0);
}

static void test_error_format_null_buffer_gives_length(void **state)
{
    (void)state;
    trm_error e = full_error();
    assert_int_equal(trm_error_format(&e, NULL, 0), strlen(full_text));
    assert_int_equal(trm_error_format(&e, NULL, 100), strlen(full_text));
}

// An error that was never filled in: its texts have no end, its numbers are any.
static void test_error_format_of_garbage_stays_inside(void **state)
{
    (void)state;
    trm_error *e = malloc(sizeof *e); // so that sanitizers see what is read behind it
    assert_non_null(e);
    char text[4000];
    for (int byte = 1; byte < 256; byte++) {
        memset(e, byte, sizeof *e);
        int length = trm_error_format(e, text, sizeof text);
        assert_true(length > 0 && length < (int)sizeof text);
    }
    free(e);
}

static void test_error_format_truncates_like_snprintf(void **state)
{
    (void)state;
    trm_error e = full_error();
    const size_t whole = strlen(full_text);
    for (size_t size = 0; size <= whole + 2; size++) {
        char is[sizeof full_text + 8], should[sizeof full_text + 8];
        memset(is, '#', sizeof is);
        memset(should, '#', sizeof should);
        assert_int_equal(trm_error_format(&e, is, size), whole);
        snprintf(should, size, "%s", full_text);
        // the same bytes, also those that must not be touched
        if (memcmp(is, should, sizeof is) != 0)
            fail_msg("differs from snprintf at size %zu", size);
    }
}

static void test_error_format_longest_fields_fit(void **state)
{
    (void)state;
    trm_error e = full_error();
    memset(e.text, 'a', sizeof e.text - 1);
    memset(e.item, 'b', sizeof e.item - 1);
    memset(e.advice, 'c', sizeof e.advice - 1);
    memset(e.pivot_row, 'd', sizeof e.pivot_row - 1);
    for (int k = 0; k < TRM_ERROR_ROWS; k++) {
        memset(e.row[k].name, 'e', sizeof e.row[k].name - 1);
        e.row[k].residual = -1.2345e-300;
    }
    e.iterations = TRM_ERROR_ITERATIONS;
    for (int k = 0; k < TRM_ERROR_ITERATIONS; k++)
        e.correction[k] = e.rate[k] = -1.2345e-300;
    char text[2000]; // what the examples offer
    int length = trm_error_format(&e, text, sizeof text);
    assert_true(length < (int)sizeof text);
    int numbers = 0;
    for (const char *at = text; (at = strstr(at, "-1.23e-300 (-1.2e-300)")) != NULL; at++)
        numbers++;
    assert_int_equal(numbers, TRM_ERROR_ITERATIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_every_status_has_name_and_text),
        cmocka_unit_test(test_error_unknown_status_is_not_null),
        cmocka_unit_test(test_error_clear_leaves_nothing),
        cmocka_unit_test(test_error_set_fills_and_returns_status),
        cmocka_unit_test(test_error_set_cuts_what_is_too_long),
        cmocka_unit_test(test_error_null_is_allowed),
        cmocka_unit_test(test_error_format_writes_every_field),
        cmocka_unit_test(test_error_format_omits_what_is_unknown),
        cmocka_unit_test(test_error_format_of_no_error_reads_well),
        cmocka_unit_test(test_error_format_null_buffer_gives_length),
        cmocka_unit_test(test_error_format_of_garbage_stays_inside),
        cmocka_unit_test(test_error_format_truncates_like_snprintf),
        cmocka_unit_test(test_error_format_longest_fields_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
