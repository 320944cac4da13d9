// SPDX-License-Identifier: Apache-2.0
// Files that are included: their sections are joined with those of the model.
#define _POSIX_C_SOURCE 200809L
#include "models.h"

#include <unistd.h>

// reads a model in a folder of its own with a file "more.yaml" beside it
static void try_model(model_case *c, const char *text, const char *more)
{
    char folder[] = "/tmp/trammel-include-XXXXXX", path[100], model[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/more.yaml", folder);
    snprintf(model, sizeof model, "%s/m.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(more, file);
    fclose(file);
    model_try(c, text, model, NULL);
    unlink(path);
    rmdir(folder);
}

#define MODEL                                                                                      \
    "trammel: 1\n"                                                                                 \
    "name: whole\n"                                                                                \
    "include: more.yaml\n"                                                                         \
    "parameters: {k: \"2*stiff\"}\n"                                                               \
    "equations: {coordinates: {x: v}, force: [\"-k*table(curve, x)\"]}\n"                          \
    "simulate: {end: 1}\n"

static void test_reader_include_joins_sections(void **state)
{
    (void)state;
    model_case c;
    const double q[1] = {0.5}, zero[1] = {0};
    double *want[TRM_QUANTITY_COUNT] = {NULL}, force[1];
    const trm_state at = {.q = q, .v = zero, .a = zero};
    try_model(&c, MODEL,
              "trammel: 1\n"
              "name: a library\n"
              "parameters: {stiff: 3}\n"
              "tables: {curve: [[0, 0], [1, 10]]}\n"
              "equations: {mass: [1]}\n");
    model_instantiate(&c);
    assert_string_equal(trm_model_name(c.model), "whole");
    want[TRM_QUANTITY_FORCE] = force;
    assert_int_equal(c.system->evaluate(&at, want, c.system->user), 0);
    assert_true(force[0] == -6 * 5);
    model_close(&c);
}

static void assert_refused(const char *text, const char *more, const char *expected)
{
    model_case c;
    try_model(&c, text, more);
    assert_int_equal(c.status, TRM_ERR_MODEL);
    assert_contains(c.said, expected);
    model_close(&c);
}

static void test_reader_include_reports_what_is_wrong(void **state)
{
    (void)state;
    assert_refused(MODEL, "parameters: {stiff: 3, k: 2}\n",
                   "m.yaml:4:14: error: 'k' is also in an included file (line 1 there)\n");
    assert_refused(MODEL, "- 3\n", "more.yaml' is not a map of sections\n");
    assert_refused(MODEL, "tabels: {}\n",
                   "more.yaml:1:1: error: unknown key 'tabels'; did you mean "
                   "'tables'?\n");
    assert_refused(MODEL, "include: m.yaml\n", "a file that is included cannot include others\n");
    assert_refused("trammel: 1\ninclude: no.yaml\n", "", "no.yaml': No such file or directory\n");
    assert_refused("trammel: 1\ninclude: {a: 1}\n", "",
                   "'include' takes the path of a file, or a list of paths\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader_include_joins_sections),
        cmocka_unit_test(test_reader_include_reports_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
