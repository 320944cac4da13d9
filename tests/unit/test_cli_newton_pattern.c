// SPDX-License-Identifier: Apache-2.0
// The pattern of the Newton matrix in all unknowns, entry by entry where it can be seen by eye, and
// its picture.
#define _POSIX_C_SOURCE 200809L
#include "fail/fail.h"

#include "problems/problems.h"
#include "program/plot/matrix_picture.h"
#include "trammel/model.h"
#include "trammel/trammel.h"

#include <stdlib.h>
#include <string.h>

typedef struct example {
    trm_model *model;
    trm_instance *instance;
    trm_simulation *simulation;
    trmi_memory memory;
    trmi_newton_pattern pattern;
} example;

static void open_example(example *e, const char *path, const char *const *set)
{
    const trm_load load = {.set = set, .problem = trp_problem_open};
    trm_error error;
    *e = (example){0};
    assert_int_equal(trm_model_load(&e->model, path, &load, &error), TRM_OK);
    assert_int_equal(trm_instance_create(&e->instance, e->model, &error), TRM_OK);
    const trm_system *system = trm_instance_system(e->instance);
    assert_int_equal(trm_simulation_create(&e->simulation, system, trm_model_options(e->model),
                                           trm_instance_initial(e->instance), &error),
                     TRM_OK);
    trmi_memory_init(&e->memory, NULL);
    assert_int_equal(trmi_newton_pattern_create(&e->pattern, &e->memory, TRMI_PATTERN_FOUND, system,
                                                trm_simulation_state(e->simulation), &error),
                     TRM_OK);
}

static void close_example(example *e)
{
    trmi_memory_release_all(&e->memory);
    trm_simulation_destroy(e->simulation);
    trm_instance_destroy(e->instance);
    trm_model_destroy(e->model);
}

// '*' where there is an entry, row by row
static void spell(const trmi_newton_pattern *p, char *out)
{
    memset(out, '.', (size_t)(p->n * p->n));
    for (int k = 0; k < p->count; k++)
        out[p->row[k] * p->n + p->column[k]] = '*';
    out[p->n * p->n] = '\0';
}

static void test_cli_newton_pattern_pendulum_has_its_blocks(void **state)
{
    (void)state;
    example e;
    char text[37];
    open_example(&e, "examples/pendulum.yaml", NULL);
    assert_int_equal(e.pattern.n, 6); // x, y, vx, vy, lambda, eta
    spell(&e.pattern, text);
    // I -I G^T; (G^T lambda)_q = 2 lambda I, M, G^T; (Gv)_q, G; G, with G = (2x, 2y)
    assert_string_equal(text, "*.*..*"
                              ".*.*.*"
                              "*.*.*."
                              ".*.**."
                              "****.."
                              "**....");
    assert_int_equal(e.pattern.count, 18);
    assert_string_equal(e.pattern.unknown[4].name, "lambda");
    assert_int_equal(e.pattern.unknown[4].first, 4);
    assert_int_equal(e.pattern.equation[5].count, 1);
    close_example(&e);
}

// no two columns of a group have an entry in the same row
static void assert_consistent(const trmi_newton_pattern *p)
{
    int *owner = calloc((size_t)(p->n * p->n) + 1, sizeof *owner);
    for (int k = 0; k < p->count; k++) {
        int *place = &owner[p->groups.group[p->column[k]] * p->n + p->row[k]];
        assert_true(*place == 0 || *place == p->column[k] + 1);
        *place = p->column[k] + 1;
    }
    free(owner);
}

static void test_cli_newton_pattern_entries_come_once_and_groups_are_consistent(void **state)
{
    (void)state;
    static const char *const paths[] = {"examples/mechanisms/stewart.yaml",
                                        "examples/wheelset.yaml",
                                        "examples/mechanisms/rolling-disc.yaml"};
    for (int i = 0; i < 3; i++) {
        example e;
        open_example(&e, paths[i], NULL);
        const trmi_newton_pattern *p = &e.pattern;
        for (int k = 1; k < p->count; k++)
            assert_true(p->column[k] > p->column[k - 1] ||
                        (p->column[k] == p->column[k - 1] && p->row[k] > p->row[k - 1]));
        assert_consistent(p);
        assert_true(p->groups.count >= p->groups.bound && p->groups.count <= p->n);
        close_example(&e);
    }
}

// derivatives by differences have the entries of exact ones: roundoff is left out
static void test_cli_newton_pattern_differences_have_the_same_entries(void **state)
{
    (void)state;
    example exact, differences;
    open_example(&exact, "examples/mechanisms/andrews-squeezer.yaml", NULL);
    trm_system s = *trm_instance_system(exact.instance);
    const uint64_t left_out = TRM_BIT(STIFFNESS) | TRM_BIT(DAMPING);
    s.function[TRM_QUANTITY_STIFFNESS] = s.function[TRM_QUANTITY_DAMPING] = NULL;
    s.evaluates &= ~left_out;
    s.pattern[TRM_QUANTITY_STIFFNESS] = s.pattern[TRM_QUANTITY_DAMPING] = (trm_pattern){0};
    trmi_memory_init(&differences.memory, NULL);
    trm_error error;
    assert_int_equal(trmi_newton_pattern_create(&differences.pattern, &differences.memory,
                                                TRMI_PATTERN_FOUND, &s,
                                                trm_simulation_state(exact.simulation), &error),
                     TRM_OK);
    const int cells = exact.pattern.n * exact.pattern.n;
    char *a = malloc((size_t)cells + 1), *b = malloc((size_t)cells + 1);
    spell(&exact.pattern, a);
    spell(&differences.pattern, b);
    assert_string_equal(a, b);
    free(a);
    free(b);
    trmi_memory_release_all(&differences.memory);
    close_example(&exact);
}

static int count_text(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static void test_cli_newton_pattern_picture_has_a_path_for_each_group_twice(void **state)
{
    (void)state;
    example e;
    char *text = NULL;
    size_t size = 0;
    open_example(&e, "examples/pendulum.yaml", NULL);
    FILE *out = open_memstream(&text, &size);
    trmi_matrix_picture(out, &e.pattern, "a < b", TRMI_THEME_AUTO);
    fclose(out);
    assert_non_null(strstr(text, "a &lt; b"));
    assert_non_null(strstr(text, "6 x 6, 18 entries, 5 groups of columns"));
    assert_non_null(strstr(text, "dynamics"));
    assert_null(strstr(text, "algebraic")); // there are none
    assert_int_equal(count_text(text, "<path "), 2 * e.pattern.groups.count);
    // every entry lies in one run below each other: 2 x 18 entries in fewer than 2 x 18 runs
    assert_true(count_text(text, "z\"") <= 2 * 18);
    assert_non_null(strstr(text, "</svg>"));
    free(text);
    close_example(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_newton_pattern_pendulum_has_its_blocks),
        cmocka_unit_test(test_cli_newton_pattern_entries_come_once_and_groups_are_consistent),
        cmocka_unit_test(test_cli_newton_pattern_differences_have_the_same_entries),
        cmocka_unit_test(test_cli_newton_pattern_picture_has_a_path_for_each_group_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
