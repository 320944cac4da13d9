// SPDX-License-Identifier: Apache-2.0
// Papers as files, and the table of what became of their tables and figures: each number once.
#define _POSIX_C_SOURCE 200809L
#include "program/reproduce/coverage.h"
#include "unit/collected.h"

#include <stdlib.h>
#include <unistd.h>

static const char paper[] = "trammel-paper: 1\n"
                            "title: P\n"
                            "contents:\n"
                            "  - {name: Figure 1, sketch: a machine}\n"
                            "  - {name: Figure 2, shows: a curve}\n"
                            "  - name: Table 1\n"
                            "    columns: [steps, time, rejected]\n"
                            "    rows: {one: [10, 3, 0], two: [20, 4, null]}\n"
                            "    missing: {time: another machine}\n"
                            "  - {name: Table 2, missing: no model}\n";

// papers and experiments of a test
typedef struct bench {
    char path[40];
    collected messages;
    trmi_experiment *experiment[2];
    trmi_measured measured[2];
    int count;
} bench;

static void write_paper(bench *b, const char *text)
{
    strcpy(b->path, "/tmp/trammel-paper-XXXXXX");
    int descriptor = mkstemp(b->path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
}

// an experiment about the paper; its numbers are those of `cell`, row by row
static void add_experiment(bench *b, const char *rows, const trmi_cell *cell)
{
    char text[2000], name[30];
    snprintf(name, sizeof name, "experiments/e%d.yaml", b->count);
    snprintf(text, sizeof text,
             "trammel-experiment: 1\ntitle: T\nsource: S\nmodel: models/rotation.yaml\n"
             "paper: %s\ntable: Table 1\ncolumns: {steps: steps, rejected: rejected_error}\n%s",
             b->path, rows);
    trmi_experiment *e = trmi_experiment_read(name, text, strlen(text), collect, &b->messages);
    assert_string_equal(b->messages.text, "");
    assert_non_null(e);
    trmi_measured *m = &b->measured[b->count];
    *m = (trmi_measured){.experiment = e};
    m->row = calloc((size_t)e->rows, sizeof *m->row);
    for (int i = 0; i < e->rows * e->columns && cell; i++)
        m->row[i / e->columns].cell[i % e->columns] = cell[i];
    b->experiment[b->count++] = e;
}

static void release_bench(bench *b)
{
    for (int i = 0; i < b->count; i++) {
        free(b->measured[i].row);
        trmi_experiment_destroy(b->experiment[i]);
    }
    remove(b->path);
}

static const trmi_cell good = {.judged = true, .inside = true, .agrees = true};
static const trmi_cell near = {.judged = true, .agrees = true}, bad = {.judged = true};

static const trmi_covered *find(const trmi_coverage *c, const char *name)
{
    for (const trmi_covered *entry = c->entry[0]; entry->table; entry++)
        if (strcmp(entry->table->name, name) == 0)
            return entry;
    fail_msg("no entry %s", name);
    return NULL;
}

static void test_cli_coverage_counts_every_number_once(void **state)
{
    (void)state;
    bench b = {0};
    write_paper(&b, paper);
    const trmi_cell first[] = {good, bad, near, bad};
    add_experiment(&b,
                   "rows: [{name: a, printed: one, reason: chaos}, {name: b, printed: two}]\n"
                   "figures: [{name: f, of: [Figure 2], title: t, runs: [], panels: []}]\n",
                   first);
    // the same numbers again, which are only shown
    add_experiment(&b, "judge: false\nrows: [{name: c, printed: one}, {name: d, printed: two}]\n",
                   first);
    assert_int_equal(trmi_coverage_check(b.experiment, 2), TRMI_EXIT_DONE);
    int errors;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_paper *whole = trmi_paper_read(&memory, b.path, &errors, collect, &b.messages);
    trmi_coverage c;
    assert_true(trmi_coverage_create(&c, b.measured, 2, &whole, 1));
    assert_int_equal(c.papers, 1);
    const trmi_covered *t = find(&c, "Table 1");
    // five numbers: two steps, two times, one rejected
    assert_true(t->printed == 5 && t->compared == 3 && t->inside == 1 && t->agree == 2);
    assert_int_equal(t->shown, 0);
    assert_int_equal(t->reasons, 2);
    assert_string_equal(t->reason[0], "chaos");
    assert_string_equal(t->reason[1], "another machine");
    assert_string_equal(trmi_covered_state(t), "reproduced in part");
    assert_string_equal(trmi_covered_state(find(&c, "Figure 1")), "a sketch");
    assert_string_equal(trmi_covered_state(find(&c, "Figure 2")), "drawn");
    assert_string_equal(trmi_covered_state(find(&c, "Table 2")), "not there");
    assert_string_equal(find(&c, "Table 2")->reason[0], "no model");
    trmi_coverage_release(&c);
    // without the list of papers: only what the experiments are about
    assert_true(trmi_coverage_create(&c, b.measured, 2, NULL, 0));
    assert_string_equal(c.entry[0][0].table->name, "Figure 2");
    assert_string_equal(c.entry[0][1].table->name, "Table 1");
    assert_null(c.entry[0][2].table);
    trmi_coverage_release(&c);
    trmi_memory_release_all(&memory);
    release_bench(&b);
}

static void test_cli_coverage_shown_numbers_are_not_compared(void **state)
{
    (void)state;
    bench b = {0};
    write_paper(&b, paper);
    const trmi_cell cell[] = {good, good};
    add_experiment(&b, "rows: [{name: a, printed: one, shown: [steps, rejected]}]\n", cell);
    trmi_coverage c;
    assert_true(trmi_coverage_create(&c, b.measured, 1, NULL, 0));
    const trmi_covered *t = find(&c, "Table 1");
    assert_true(t->printed == 5 && t->compared == 0 && t->shown == 2);
    assert_string_equal(trmi_covered_state(t), "shown beside ours");
    trmi_coverage_release(&c);
    release_bench(&b);
}

static void test_cli_coverage_number_judged_twice_is_refused(void **state)
{
    (void)state;
    bench b = {0};
    write_paper(&b, paper);
    add_experiment(&b, "rows: [{name: a, printed: one}]\n", NULL);
    add_experiment(&b, "rows: [{name: b, printed: two}, {name: c, printed: one}]\n", NULL);
    assert_int_equal(trmi_coverage_check(b.experiment, 1), TRMI_EXIT_DONE);
    assert_int_equal(trmi_coverage_check(b.experiment, 2), TRMI_EXIT_MODEL);
    release_bench(&b);
    b = (bench){0};
    write_paper(&b, paper);
    add_experiment(&b, "rows: [{name: a, printed: one}, {name: b, printed: one}]\n", NULL);
    assert_int_equal(trmi_coverage_check(b.experiment, 1), TRMI_EXIT_MODEL);
    release_bench(&b);
}

static void test_cli_coverage_mistakes_in_papers_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"title: T\ncontents: []\n", "'trammel-paper' is missing"},
        {"trammel-paper: 2\ntitle: T\ncontents: []\n", "the version of the format is 1"},
        {"trammel-paper: 1\ntitle: T\n", "'contents' is missing"},
        {"trammel-paper: 1\ntitle: T\ncontents: [{name: a}, {name: a}]\n", "a second 'a'"},
        {"trammel-paper: 1\ntitle: T\ncontents: [{nam: a}]\n", "did you mean 'name'?"},
        {"trammel-paper: 1\ntitle: T\ncontents: [{name: a, columns: [x], rows: {b: [1, 2]}}]\n",
         "a row of a is a list of 1 numbers"},
        {"trammel-paper: 1\ntitle: T\ncontents: [{name: a, columns: [x], rows: {b: [y]}}]\n",
         "a number as printed, or null"},
        {"trammel-paper: 1\ntitle: T\ncontents: [{name: a, columns: [x], missing: {y: z}}]\n",
         "a has no column 'y'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bench b = {0};
        int errors;
        trmi_memory memory;
        trmi_memory_init(&memory, NULL);
        write_paper(&b, cases[k].text);
        trmi_paper_read(&memory, b.path, &errors, collect, &b.messages);
        assert_true(errors > 0);
        assert_contains(b.messages.text, cases[k].part);
        trmi_memory_release_all(&memory);
        release_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_coverage_counts_every_number_once),
        cmocka_unit_test(test_cli_coverage_shown_numbers_are_not_compared),
        cmocka_unit_test(test_cli_coverage_number_judged_twice_is_refused),
        cmocka_unit_test(test_cli_coverage_mistakes_in_papers_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
