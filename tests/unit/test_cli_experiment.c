// SPDX-License-Identifier: Apache-2.0
// Experiment files: the reader and its messages, the ensemble, the rule of the verdicts, and small
// experiments from the text to the verdict.
#define _POSIX_C_SOURCE 200809L
#include "program/reproduce/claim.h"
#include "program/reproduce/experiment.h"
#include "program/reproduce/fields.h"
#include "program/reproduce/measure.h"
#include "program/reproduce/verdict.h"
#include "unit/collected.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD "trammel-experiment: 1\ntitle: T\nsource: S\nmodel: models/rotation.yaml\n"
#define COLUMNS "columns: {steps: steps, failures: rejected_newton}\n"
// its Table 5.4 has the columns steps, fevals, jevals, etf, ctf; the row GGL 5267, 10536, ...
#define PAPER HEAD "paper: papers/yen-petzold-1996.yaml\ntable: Table 5.4\n"

// an experiment read from a text as the file experiments/e.yaml, with its messages
typedef struct reading {
    trmi_experiment *experiment;
    collected messages; // of which only the texts are used
} reading;

static void read_experiment(reading *r, const char *text)
{
    r->messages = (collected){0};
    r->experiment =
        trmi_experiment_read("experiments/e.yaml", text, strlen(text), collect, &r->messages);
}

static void read_good(reading *r, const char *text)
{
    read_experiment(r, text);
    assert_string_equal(r->messages.text, "");
    assert_non_null(r->experiment);
}

// the text is refused, and one of the messages contains each part
static void assert_refused(const char *text, const char *place, const char *part)
{
    reading r;
    read_experiment(&r, text);
    assert_null(r.experiment);
    assert_contains(r.messages.text, place);
    assert_contains(r.messages.text, part);
}

// ---- the reader ----

static const char whole[] =
    PAPER "about: A\n" COLUMNS "settings: {simulate.end: 2, parameters.f: 'a''b'}\n"
          "ensemble:\n"
          "  factors: {simulate.tolerance: [0.5, 1, 2]}\n"
          "  alternatives: {initial.consistent: [project, raw]}\n"
          "slack: 0.25\n"
          "reason: because\n"
          "rows:\n"
          "  - {name: zero, set: {simulate.tolerance: 1e-3}, printed: GGL, shown: [steps]}\n"
          "  - {name: one, set: {simulate.tolerance: 1e-3}, theory: [10, [2, 3]]}\n"
          "  - {name: two, set: {simulate.tolerance: 1e-4}, theory: [null, 0], slack: 0,\n"
          "     reason: null}\n"
          "  - {name: three, set: {simulate.tolerance: 1e-5}, like: one, judge: false}\n"
          "claims:\n"
          "  - {claim: C, verdict: holds, reason: R, known: true,\n"
          "     evidence: [{column: steps, row: one, below: two, factor: 0.5},\n"
          "                {column: steps, row: two, above: 7}]}\n"
          "figures:\n"
          "  - {name: f, of: [Figure 5.6], title: F, runs: [{name: a, set: {x.y: [1, 2]}}],\n"
          "     panels: [{channels: [energy/total], y: E, log_y: true}]}\n";

static void test_cli_experiment_head_columns_and_rows_are_read(void **state)
{
    (void)state;
    reading r;
    read_good(&r, whole);
    const trmi_experiment *e = r.experiment;
    assert_string_equal(e->name, "e");
    assert_string_equal(e->title, "T");
    assert_string_equal(e->about, "A");
    assert_string_equal(e->model, "experiments/models/rotation.yaml"); // seen from the file
    assert_int_equal(e->columns, 2);
    assert_string_equal(e->column[1].heading, "failures");
    assert_string_equal(e->column[1].key[0], "rejected_newton");
    assert_int_equal(e->rows, 4);
    const trmi_experiment_row *zero = &e->row[0], *one = zero + 1, *two = zero + 2,
                              *three = two + 1;
    // Table 5.4 prints 5267 steps, and no column of ours besides
    assert_true(zero->expected[0].low == 5267 && zero->expected[0].shown);
    assert_true(isnan(zero->expected[1].low));
    // numbers as they stand in the text
    assert_true(one->expected[0].low == 10 && one->expected[0].high == 10);
    assert_true(one->expected[1].low == 2 && one->expected[1].high == 3);
    assert_true(isnan(two->expected[0].low));
    assert_string_equal(zero->table->name, "Table 5.4");
    assert_null(one->table);
    assert_true(one->slack == 0.25 && two->slack == 0);
    assert_string_equal(one->reason, "because");
    assert_null(two->reason); // null takes the common one back
    assert_int_equal(three->like, 1);
    assert_true(two->judged && !three->judged);
    trmi_experiment_destroy(r.experiment);
}

static void test_cli_experiment_claims_and_figures_are_read(void **state)
{
    (void)state;
    reading r;
    read_good(&r, whole);
    const trmi_experiment *e = r.experiment;
    assert_int_equal(e->claims, 1);
    const trmi_evidence *v = e->claim[0].evidence;
    assert_int_equal(e->claim[0].evidences, 2);
    assert_true(e->claim[0].known);
    assert_true(v[0].row == 1 && v[0].other == 2 && v[0].below && v[0].factor == 0.5);
    assert_true(v[1].row == 2 && v[1].other == -1 && !v[1].below && v[1].number == 7);
    assert_int_equal(e->drawings, 1);
    assert_string_equal(e->drawing[0].of[0], "Figure 5.6");
    assert_string_equal(e->drawing[0].run[0].set.setting[0].assignment, "x.y=[1, 2]");
    assert_string_equal(e->drawing[0].panel[0].channel[0], "energy/total");
    assert_true(e->drawing[0].panel[0].log_y && !e->drawing[0].panel[0].log_x);
    trmi_experiment_destroy(r.experiment);
}

static void test_cli_experiment_unknown_keys_name_the_nearest(void **state)
{
    (void)state;
    assert_refused(HEAD COLUMNS "rows: []\nslak: 0\n", "experiments/e.yaml:7:1: error",
                   "unknown key 'slak'; did you mean 'slack'?");
    assert_refused(HEAD COLUMNS "rows:\n  - {name: a, printd: b}\n", "e.yaml:7:15",
                   "did you mean 'printed'?");
    assert_refused(HEAD COLUMNS "rows: []\nensemble: {factor: {}}\n", "e.yaml:7:12",
                   "did you mean 'factors'?");
    assert_refused(HEAD COLUMNS "rows: []\nqqqqq: 1\n", "e.yaml:7:1", "valid here: trammel-exp");
}

static void test_cli_experiment_missing_and_wrong_values_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *part;
    } cases[] = {
        {"title: T\n", "e.yaml:1:1", "begins with 'trammel-experiment: 1'"},
        {"trammel-experiment: 2\n", "e.yaml:1:21", "the version of the format is 1"},
        {"[1]\n", "e.yaml:1:1", "an experiment is a map, not a list"},
        {HEAD "rows: []\n", "e.yaml:1:1", "the key 'columns' is missing"},
        {HEAD COLUMNS, "e.yaml:1:1", "the key 'rows' is missing"},
        {HEAD COLUMNS "rows: [{name: a, theory: [1]}]\n", "e.yaml:6:26", "1 values for 2 columns"},
        {HEAD COLUMNS "rows: [{name: a, theory: [1, x]}]\n", "e.yaml:6:30", "a range [low, high]"},
        {HEAD COLUMNS "rows: [{name: a, theory: [1, [3, 2]]}]\n", "e.yaml:6:30", "a range"},
        {HEAD COLUMNS "rows: [{theory: [1, 2]}]\n", "e.yaml:6:8", "the key 'name' is missing"},
        {HEAD COLUMNS "rows: [{name: a}, {name: a}]\n", "e.yaml:6:26", "a second row 'a'"},
        {HEAD COLUMNS "rows: [{name: a, like: b}]\n", "e.yaml:6:24", "no row above is called 'b'"},
        {HEAD COLUMNS "rows: [{name: a, like: a}]\n", "e.yaml:6:24", "no row above is called 'a'"},
        {HEAD COLUMNS "rows: [{name: a, slack: -1}]\n", "e.yaml:6:8", "not between 0 and 1"},
        {HEAD COLUMNS "rows: [{name: a, slack: big}]\n", "e.yaml:6:25", "is a number"},
        {HEAD COLUMNS "rows: [{name: a, judge: maybe}]\n", "e.yaml:6:25", "true or false"},
        {HEAD COLUMNS "rows: [{name: a, theory: [1, 2], like: a}]\n", "e.yaml:6:34",
         "'like' beside 'theory'"},
        {HEAD COLUMNS "rows: [{name: a, printed: b, table: c}]\n", "e.yaml:6:18",
         "'printed' needs the key 'paper'"},
        {PAPER COLUMNS "rows: [{name: a, printed: b}]\n", "e.yaml:8:27",
         "Table 5.4 has no row 'b'"},
        {PAPER COLUMNS "rows: [{name: a, printed: b, table: Table 9}]\n", "e.yaml:8:37",
         "the paper has no 'Table 9'"},
        {PAPER "columns: {a: steps}\nrows: [{name: a, printed: GGL}]\n", "e.yaml:8:27",
         "no heading of a column is one of Table 5.4"},
        {PAPER COLUMNS "rows: [{name: a, printed: GGL, shown: [fevals]}]\n", "e.yaml:8:40",
         "a list of headings"},
        {HEAD "paper: papers/nothing.yaml\n" COLUMNS "rows: []\n", "e.yaml:5:8",
         "papers/nothing.yaml' cannot be used"},
        {PAPER COLUMNS "rows: []\nfigures: [{name: f, of: [Figure 9], title: t, runs: [], panels: "
                       "[]}]\n",
         "e.yaml:9:26", "the paper has no 'Figure 9'"},
        {HEAD COLUMNS "rows: [{name: a, base: b}]\n", "e.yaml:6:24", "no row above is called 'b'"},
        {HEAD COLUMNS "rows: [{name: a, largest: {set: x, whole: 1, parts: [y]}}]\n", "e.yaml:6:54",
         "a part is a number"},
        {HEAD "columns: {e: {share: f}}\nrows: []\n", "e.yaml:5:22", "no column above"},
        {HEAD "columns: {e: {value: f, per: 0}}\nrows: []\n", "e.yaml:5:30", "divided by 0"},
        {HEAD "columns: {e: {error: q.x}}\nrows: []\n", "e.yaml:5:11", "the key 'reference'"},
        {HEAD "columns: {e: [1]}\nrows: []\n", "e.yaml:5:14", "is a map, not a list"},
        {HEAD "columns: {e: {per: x}}\nrows: []\n", "e.yaml:5:11", "'value', 'error', 'digits'"},
        {HEAD "columns: {e: {error: a, value: b}}\nrows: []\n", "e.yaml:5:15",
         "'error' beside 'value'"},
        {HEAD "columns: {e: {error: [a, b], exact: 1}}\nrows: []\n", "e.yaml:5:37",
         "1 exact values for 2 names"},
        {HEAD "columns: {e: {error: a, exact: x}}\nrows: []\n", "e.yaml:5:32", "is a number"},
        {HEAD "columns: {e: {error: [[a]], exact: 1}}\nrows: []\n", "e.yaml:5:23",
         "the name of a number"},
        {HEAD "columns: {e: {digits: a, exact: 0}}\nrows: []\n", "e.yaml:5:33", "digits of 0"},
        {HEAD "columns: {e: {matrix: entrys}}\nrows: []\n", "e.yaml:5:23",
         "a matrix has 'columns', 'entries', 'groups' or 'dependent'"},
        {HEAD COLUMNS "rows: []\nfigures: [{name: f, title: t, matrix: true, runs: []}]\n",
         "e.yaml:7:11", "a figure of the matrix has neither runs nor panels"},
        {HEAD "columns: {e: {setting: [a, b]}}\nrows: []\n", "e.yaml:5:11",
         "a setting has one name"},
        {HEAD "columns: {e: {value: a, exact: 1}}\nrows: []\n", "e.yaml:5:11",
         "a value has nothing exact"},
        {HEAD COLUMNS "mean: harmonic\nrows: []\n", "e.yaml:6:7", "geometric or median"},
        {HEAD COLUMNS "rows: [{name: a, theory: [1, {show: 2}]}]\n", "e.yaml:6:30", "{shown: one"},
        {HEAD COLUMNS "rows: [{name: a}, {name: b, ratio: [a]}]\n", "e.yaml:6:36", "of 2 rows"},
        {HEAD COLUMNS "rows: [{name: a}, {name: b, ratio: [a, c]}]\n", "e.yaml:6:40",
         "no row above is called 'c'"},
        {HEAD COLUMNS "rows: [{name: a}, {name: b, ratio: [a, a], set: {x: 1}}]\n", "e.yaml:6:44",
         "'set' would have no effect"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_refused(cases[k].text, cases[k].place, cases[k].part);
}

static void test_cli_experiment_ensemble_mistakes_are_refused(void **state)
{
    (void)state;
    static const char row[] = HEAD COLUMNS "rows: [{name: a, set: {x: 1, y: z}}]\n";
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"ensemble: {factors: {t: [1]}}\n", "row 'a' sets no number for 't' to multiply"},
        {"ensemble: {factors: {y: [1]}}\n", "row 'a' sets no number for 'y' to multiply"},
        {"ensemble: {factors: {x: [one]}}\n", "a factor is a number"},
        {"ensemble: {factors: {x: []}}\n", "not over an empty one"},
        {"ensemble: {alternatives: {x: 3}}\n", "not over a text"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", row, cases[k].text);
        assert_refused(text, "e.yaml:7:", cases[k].part);
    }
    // 11^3 = 1331 combinations, 1000 are allowed
    assert_refused(HEAD COLUMNS "rows: []\n"
                                "x: &l [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n"
                                "ensemble: {alternatives: {a: *l, b: *l, c: *l}}\n",
                   "e.yaml:8:1", "more than 1000 combinations");
}

static void test_cli_experiment_claim_and_figure_mistakes_are_refused(void **state)
{
    (void)state;
    static const char row[] = HEAD COLUMNS "rows: [{name: a}]\n";
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"claims: [{claim: c, verdict: hold, reason: r}]\n", "did you mean 'holds'?"},
        {"claims: [{claim: c, verdict: holds}]\n", "the key 'reason' is missing"},
        {"unknown: the mass\nclaims: [{claim: c, verdict: fails, reason: r}]\n",
         "the paper does not print the mass: a claim 'cannot be decided' then"},
        {"claims: [{claim: c, verdict: holds, reason: r, evidence: [{column: x, row: a,"
         " below: 1}]}]\n",
         "there is no column 'x'"},
        {"claims: [{claim: c, verdict: holds, reason: r, evidence: [{column: steps, row: b,"
         " below: 1}]}]\n",
         "there is no row 'b'"},
        {"claims: [{claim: c, verdict: holds, reason: r, evidence: [{column: steps, row: a}]}]\n",
         "either 'below' or 'above'"},
        {"claims: [{claim: c, verdict: holds, reason: r, evidence: [{column: steps, row: a,"
         " above: b}]}]\n",
         "a number or the name of a row"},
        {"figures: [{name: ../f, title: t, runs: [], panels: []}]\n", "no '/'"},
        {"figures: [{name: f, title: t, runs: [], panels: [{y: a}]}]\n",
         "the key 'channels' is missing"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", row, cases[k].text);
        assert_refused(text, "e.yaml:", cases[k].part);
    }
}

static void test_cli_experiment_missing_file_is_told(void **state)
{
    (void)state;
    collected c = {0};
    assert_null(trmi_experiment_read("experiments/nothing.yaml", NULL, 0, collect, &c));
    assert_contains(c.text, "experiments/nothing.yaml: error: cannot read");
    assert_null(
        trmi_experiment_read("experiments/nothing.yaml", NULL, 0, NULL, NULL)); // no callback
}

// every experiment of the project can be read
static void test_cli_experiment_files_of_the_project_are_valid(void **state)
{
    (void)state;
    static const char *const names[] = {"alpha-figures-2-3",
                                        "alpha-table-1",
                                        "alpha-table-1-steps",
                                        "alpha-figures-7-12",
                                        "alpha-table-2-steps",
                                        "alpha-test-order",
                                        "arnold-test-corner",
                                        "arnold-table-2",
                                        "arnold-table-3",
                                        "arnold-test-platform",
                                        "arnold-test-rear-axle",
                                        "arnold-test-stamp",
                                        "coordinate-split-table-5-1a",
                                        "coordinate-split-table-5-1b",
                                        "coordinate-split-table-5-2",
                                        "coordinate-split-table-5-3",
                                        "coordinate-split-table-5-4",
                                        "coordinate-split-test-consistency",
                                        "coordinate-split-test-normal-force",
                                        "coordinate-split-test-steps",
                                        "eich-table-3-1",
                                        "eich-test-ensembles",
                                        "eich-test-order",
                                        "eich-test-order-linear",
                                        "eich-wheelset-1-straight",
                                        "eich-wheelset-2-curved",
                                        "eich-wheelset-3-defect"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[200];
        collected c = {0};
        snprintf(path, sizeof path, "experiments/%s.yaml", names[k]);
        trmi_experiment *e = trmi_experiment_read(path, NULL, 0, collect, &c);
        assert_string_equal(c.text, "");
        assert_non_null(e);
        trmi_experiment_destroy(e);
    }
}

// ---- settings and ensemble ----

static void test_cli_experiment_flow_reads_back_the_same(void **state)
{
    (void)state;
    collected c;
    read_text(&c, "a: {'it''s': [1, \"x, y\", '#', {b: null}], d: 1/eps}\n");
    trmi_item *a = trmi_item_find(trmi_document_root(c.document), "a");
    const char *flow = trmi_fields_flow(&c.memory, a);
    assert_string_equal(flow, "{'it''s': [1, 'x, y', '#', {'b': null}], 'd': 1/eps}");
    char assignment[200];
    snprintf(assignment, sizeof assignment, "again=%s", flow);
    trmi_document_set(c.document, assignment);
    trmi_item *again = trmi_item_find(trmi_document_root(c.document), "again");
    assert_string_equal(trmi_fields_flow(&c.memory, again), flow);
    assert_string_equal(c.text, "");
    release(&c);
}

static void test_cli_experiment_ensemble_has_every_combination_once(void **state)
{
    (void)state;
    reading r;
    read_good(&r, whole);
    const trmi_experiment *e = r.experiment;
    assert_int_equal(e->runs_per_row, 6); // 3 factors, 2 alternatives
    bool seen[6] = {false};
    for (int run = 0; run < 6; run++) {
        trmi_assignments set;
        trmi_assignment_buffer buffer;
        trmi_row_assignments(e, &e->row[1], run, &set, buffer);
        assert_int_equal(set.count, 5); // two for all, one of the row, two varied
        assert_null(set.text[5]);
        assert_string_equal(set.text[0], "simulate.end=2");
        assert_string_equal(set.text[1], "parameters.f='a''b'");
        assert_string_equal(set.text[2], "simulate.tolerance=1e-3");
        double tolerance;
        assert_int_equal(sscanf(set.text[3], "simulate.tolerance=%lf", &tolerance), 1);
        // 1e-3 times 0.5, 1 or 2: powers of two, so that nothing is rounded
        int factor = tolerance == 0.5 * 1e-3 ? 0 : tolerance == 1e-3 ? 1 : 2;
        assert_true(factor < 2 || tolerance == 2 * 1e-3);
        bool raw = strcmp(set.text[4], "initial.consistent=raw") == 0;
        assert_true(raw || strcmp(set.text[4], "initial.consistent=project") == 0);
        assert_false(seen[3 * raw + factor]);
        seen[3 * raw + factor] = true;
    }
    trmi_experiment_destroy(r.experiment);
}

static void test_cli_experiment_row_overrides_common_settings(void **state)
{
    (void)state;
    reading r;
    read_good(&r, HEAD COLUMNS "settings: {x: 1, y: 2}\nrows: [{name: a, set: {x: 3}}]\n");
    const trmi_experiment *e = r.experiment;
    assert_string_equal(trmi_experiment_setting(e, &e->row[0], "x")->assignment, "x=3");
    assert_string_equal(trmi_experiment_setting(e, &e->row[0], "y")->assignment, "y=2");
    assert_null(trmi_experiment_setting(e, &e->row[0], "z"));
    trmi_experiment_destroy(r.experiment);
}

// ---- the rule ----

static trmi_cell judge(double low, double high, double slack)
{
    double value[] = {30, 10, 20, 12};
    return trmi_cell_judge(value, 4, false, (trmi_expected){low, high, false}, slack);
}

static void test_cli_experiment_cell_has_median_and_range(void **state)
{
    (void)state;
    // sorted 10 12 20 30: the mean of the two in the middle
    trmi_cell c = judge(NAN, NAN, 0);
    assert_true(c.middle == 16 && c.low == 10 && c.high == 30);
    assert_false(c.judged || c.inside || c.agrees);
    double odd[] = {3, 1, 2};
    assert_true(trmi_cell_judge(odd, 3, false, (trmi_expected){2, 2, false}, 0).middle == 2);
    c = trmi_cell_judge(odd, 0, false, (trmi_expected){2, 2, false}, 1);
    assert_true(isnan(c.middle) && c.judged && !c.inside && !c.agrees);
}

static void test_cli_experiment_cell_has_geometric_mean(void **state)
{
    (void)state;
    // (1 4 16)^(1/3) = 4; rounding of three logarithms
    double value[] = {16, 1, 4}, zero[] = {0, 1}, negative[] = {-1, 1};
    const trmi_expected nothing = {NAN, NAN, false};
    trmi_cell c = trmi_cell_judge(value, 3, true, nothing, 0);
    assert_true(fabs(c.middle - 4) <= 1e-14 && c.low == 1 && c.high == 16);
    assert_true(trmi_cell_judge(zero, 2, true, nothing, 0).middle == 0);
    assert_true(isnan(trmi_cell_judge(negative, 2, true, nothing, 0).middle));
}

static void test_cli_experiment_shown_numbers_are_not_judged(void **state)
{
    (void)state;
    double value[] = {2};
    trmi_cell c = trmi_cell_judge(value, 1, false, (trmi_expected){9, 9, true}, 0);
    assert_false(c.judged || c.inside || c.agrees);
    assert_true(c.expected.low == 9);
    assert_int_equal(trmi_verdict_of(&c, 1, 0, NULL), TRMI_VERDICT_NONE);
}

static void test_cli_experiment_cell_agrees_inside_the_widened_range(void **state)
{
    (void)state;
    // range 10 .. 30; a slack of 1/8 widens it to 8.75 .. 33.75, exact in binary
    static const struct {
        double low, high;
        bool inside, agrees;
    } cases[] = {{10, 10, true, true},        {30, 30, true, true},
                 {33.75, 33.75, false, true}, {33.76, 33.76, false, false},
                 {8.75, 8.75, false, true},   {8.74, 8.74, false, false},
                 {0, 10, true, true},         {31, 40, false, true},
                 {34, 40, false, false},      {0, 100, true, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trmi_cell c = judge(cases[k].low, cases[k].high, 0.125);
        assert_int_equal(c.inside, cases[k].inside);
        assert_int_equal(c.agrees, cases[k].agrees);
    }
    // nothing widens 0: a counter that is never above 0 agrees with 0 only
    double zero[] = {0, 0};
    assert_false(trmi_cell_judge(zero, 2, false, (trmi_expected){1, 1, false}, 1).agrees);
    assert_true(trmi_cell_judge(zero, 2, false, (trmi_expected){0, 0, false}, 0).agrees);
    // negative numbers are widened outwards too: -4 .. -2 to -5 .. -1.5
    double below[] = {-4, -2};
    assert_true(trmi_cell_judge(below, 2, false, (trmi_expected){-5, -5, false}, 0.25).agrees);
    assert_false(trmi_cell_judge(below, 2, false, (trmi_expected){-1, -1, false}, 0.25).agrees);
}

static void test_cli_experiment_verdict_needs_every_cell_and_every_run(void **state)
{
    (void)state;
    const trmi_cell good = {.judged = true, .agrees = true}, bad = {.judged = true}, silent = {0};
    const trmi_cell all[] = {good, silent, good}, one[] = {good, bad, good}, none[] = {silent};
    assert_int_equal(trmi_verdict_of(all, 3, 0, NULL), TRMI_VERDICT_REPRODUCED);
    assert_int_equal(trmi_verdict_of(all, 3, 1, NULL), TRMI_VERDICT_DIFFERS);
    assert_int_equal(trmi_verdict_of(one, 3, 0, NULL), TRMI_VERDICT_DIFFERS);
    assert_int_equal(trmi_verdict_of(none, 1, 0, NULL), TRMI_VERDICT_NONE);
    assert_int_equal(trmi_verdict_of(none, 1, 1, NULL), TRMI_VERDICT_DIFFERS);
    // a reason excuses what differs, and hides nothing that agrees
    assert_int_equal(trmi_verdict_of(one, 3, 0, "why"), TRMI_VERDICT_NOT_REPRODUCIBLE);
    assert_int_equal(trmi_verdict_of(all, 3, 0, "why"), TRMI_VERDICT_REPRODUCED);
    assert_string_equal(trmi_verdict_text(TRMI_VERDICT_NOT_REPRODUCIBLE, true), "not reproducible");
    assert_string_equal(trmi_verdict_text(TRMI_VERDICT_REPRODUCED, false), "agrees");
}

// ---- from the text to the verdict ----

static const trmi_console silence = {0};
static const trmi_reproduce_context laboratory = {.console = &silence};

#define SMALL                                                                                      \
    PAPER COLUMNS "settings: {simulate.end: 0.1, simulate.tolerance: 1e-3}\n"                      \
                  "ensemble: {factors: {simulate.tolerance: [0.9, 1]}}\n"

static void test_cli_experiment_measured_rows_are_judged(void **state)
{
    (void)state;
    reading r;
    trmi_measured m;
    read_good(&r, SMALL "rows:\n"
                        "  - {name: plain}\n"
                        "  - {name: same, like: plain}\n"
                        "  - {name: wrong, printed: GGL}\n" // 5267 steps
                        "  - {name: excused, printed: GGL*, reason: why}\n"
                        "  - {name: right, theory: [[1, 1000], 0]}\n"
                        "  - {name: shown, printed: CS, judge: false}\n");
    assert_int_equal(trmi_measure_experiment(&m, r.experiment, &laboratory), TRMI_EXIT_DONE);
    // a tenth of a second of a pendulum takes some steps, far less than 5267, and none fails
    assert_true(m.row[0].cell[0].low >= 2 && m.row[0].cell[0].high < 1000);
    assert_int_equal(m.row[0].verdict, TRMI_VERDICT_NONE);
    assert_int_equal(m.row[1].verdict, TRMI_VERDICT_REPRODUCED);
    assert_int_equal(m.row[2].verdict, TRMI_VERDICT_DIFFERS);
    assert_int_equal(m.row[3].verdict, TRMI_VERDICT_NOT_REPRODUCIBLE);
    assert_int_equal(m.row[4].verdict, TRMI_VERDICT_REPRODUCED);
    assert_int_equal(m.row[5].verdict, TRMI_VERDICT_NONE);
    // what is compared with a paper and what is not are counted apart
    const trmi_tally paper = trmi_measured_tally(&m, true), own = trmi_measured_tally(&m, false);
    assert_true(paper.rows == 3 && paper.numbers == 2 && paper.inside == 0 && paper.agree == 0);
    assert_true(own.rows == 3 && own.numbers == 4 && own.inside == 4 && own.agree == 4);
    assert_int_equal(paper.verdict[TRMI_VERDICT_REPRODUCED], 0);
    assert_int_equal(own.verdict[TRMI_VERDICT_REPRODUCED], 2);
    trmi_tally sum = paper;
    trmi_tally_add(&sum, &own);
    assert_true(sum.rows == 6 && sum.numbers == 6 && sum.verdict[TRMI_VERDICT_NONE] == 2);
    trmi_measured_release(&m);
    trmi_experiment_destroy(r.experiment);
}

static void test_cli_experiment_errors_are_distances_from_the_reference(void **state)
{
    (void)state;
    reading r;
    trmi_measured m;
    read_good(&r, HEAD "columns: {e: {error: q.x}}\n"
                       "settings: {simulate.end: 1, simulate.output_times: [0.5, 1]}\n"
                       "reference: {simulate.tolerance: 1e-10, simulate.max_order: 5}\n"
                       "rows:\n"
                       "  - {name: coarse, set: {simulate.tolerance: 1e-3}}\n"
                       "  - {name: fine, set: {simulate.tolerance: 1e-6}}\n"
                       "  - {name: none, set: {simulate.tolerance: 1e-10, simulate.max_order: 5}}\n"
                       "claims:\n"
                       "  - {claim: a, verdict: holds, reason: r,\n"
                       "     evidence: [{column: e, row: fine, below: coarse, factor: 0.1}]}\n"
                       "  - {claim: b, verdict: holds, reason: r,\n"
                       "     evidence: [{column: e, row: fine, above: coarse}]}\n"
                       "  - {claim: c, verdict: holds, reason: r}\n");
    assert_int_equal(trmi_measure_experiment(&m, r.experiment, &laboratory), TRMI_EXIT_DONE);
    // three decades of the tolerance give 10^2 at order 2; a tenth leaves room
    assert_true(m.row[0].cell[0].middle > 0);
    assert_true(m.row[1].cell[0].middle < 0.1 * m.row[0].cell[0].middle);
    assert_true(m.row[2].cell[0].middle == 0); // the reference itself
    assert_true(trmi_claim_confirmed(&m, &r.experiment->claim[0]));
    assert_false(trmi_claim_confirmed(&m, &r.experiment->claim[1]));
    assert_true(trmi_claim_confirmed(&m, &r.experiment->claim[2]));
    assert_int_equal(trmi_claims_unconfirmed(&m), 1);
    trmi_measured_release(&m);
    trmi_experiment_destroy(r.experiment);
}

// An experiment with a model whose numbers are known: x = t^2, y = 8 t from t = 0 to 2.
static void measure_known(reading *r, trmi_measured *m, const char *rest)
{
    char path[] = "/tmp/trammel-known-XXXXXX", text[2000];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs("trammel: 1\n"
          "equations:\n"
          "  coordinates: {x: v, y: w}\n"
          "  mass: [1, 1]\n"
          "  force: [2, 0]\n"
          "initial: {values: {w: 8}}\n"
          "simulate: {end: 2, tolerance: 1e-6, output_times: [1, 2]}\n",
          file);
    assert_int_equal(fclose(file), 0);
    snprintf(text, sizeof text, "trammel-experiment: 1\ntitle: T\nsource: S\nmodel: %s\n%s", path,
             rest);
    read_good(r, text);
    assert_int_equal(trmi_measure_experiment(m, r->experiment, &laboratory), TRMI_EXIT_DONE);
    remove(path);
}

static void test_cli_experiment_errors_and_digits_against_known_numbers(void **state)
{
    (void)state;
    reading r;
    trmi_measured m;
    measure_known(&r, &m,
                  "columns:\n"
                  "  a: {error: q.x, exact: 1.5}\n"
                  "  b: {error: [q.x, q.y], exact: [4, 8]}\n"
                  "  c: {digits: q.y, exact: 800}\n"
                  "  d: {error: q.x, exact: 1.5, per: simulate.tolerance}\n"
                  "  e: {value: final.q.y, per: simulate.end}\n"
                  "settings: {simulate.end: 2, simulate.tolerance: 1e-6}\n"
                  "ensemble: {factors: {simulate.tolerance: [2]}}\n"
                  "rows: [{name: a}]\n");
    const trmi_cell *cell = m.row[0].cell;
    // x is 1 and 4, y is 8 and 16 at the samples; the tolerance is 2e-6, and integration of
    // polynomials of degree 2 is exact up to the start with order 1
    assert_true(fabs(cell[0].middle - 2.5) <= 1e-4);          // max(|1 - 1.5|, |4 - 1.5|)
    assert_true(fabs(cell[1].middle - 8) <= 1e-4);            // max(3, 0, 0, 8)
    assert_true(fabs(cell[2].middle - -log10(0.99)) <= 1e-4); // (800 - 8)/800
    assert_true(fabs(cell[3].middle - 2.5 / 2e-6) <= 1e-4 / 2e-6);
    assert_true(fabs(cell[4].middle - 8) <= 1e-4); // 16/2
    trmi_measured_release(&m);
    trmi_experiment_destroy(r.experiment);
}

static void test_cli_experiment_settings_shares_and_largest_are_columns(void **state)
{
    (void)state;
    reading r;
    trmi_measured m;
    // y(2) = 16 p; three steps are allowed: 4/4 = 1 s takes two of them, 4/8 s would take four
    measure_known(&r, &m,
                  "columns:\n"
                  "  p: {setting: parameters.p}\n"
                  "  y: {value: [final.q.y, events], per: 4}\n" // no events: 0 is added
                  "  percent: {share: y}\n"
                  "  parts: {largest: parts}\n"
                  "rows:\n"
                  "  - {name: a, set: {parameters.p: 2, initial.values.w: 8*p}}\n"
                  "  - {name: b, set: {parameters.p: 3, initial.values.w: 8*p}, base: a}\n"
                  "  - {name: c, set: {parameters.p: 1, initial.values.w: 8*p,\n"
                  "      simulate.integrator: generalized-alpha, simulate.max_steps: 3},\n"
                  "     largest: {set: simulate.step.fixed, whole: 4, parts: [3, 4, 8, 2]}}\n");
    assert_true(m.row[0].cell[0].middle == 2 && m.row[1].cell[0].middle == 3);
    assert_true(fabs(m.row[0].cell[1].middle - 8) <= 1e-4); // 32/4
    assert_true(fabs(m.row[0].cell[2].middle - 100) <= 1e-12);
    assert_true(fabs(m.row[1].cell[2].middle - 150) <= 1e-3);
    assert_true(isnan(m.row[0].cell[3].middle)); // nothing was tried
    assert_true(m.row[2].cell[3].middle == 4);   // the first failure ends it
    assert_int_equal(m.row[2].failed, 0);
    trmi_measured_release(&m);
    trmi_experiment_destroy(r.experiment);
}

static void test_cli_experiment_ratios_divide_run_by_run(void **state)
{
    (void)state;
    reading r;
    trmi_measured m;
    // x(2) + 4 = 8 and y(2) = 16, over the factors 1 and 4: 8, 2 and 16, 4
    measure_known(&r, &m,
                  "columns:\n"
                  "  x: {error: q.x, exact: -4, per: parameters.p}\n"
                  "  zero: {value: events, per: parameters.p}\n"
                  "settings: {simulate.output_times: [2]}\n"
                  "ensemble: {factors: {parameters.p: [1, 4]}}\n"
                  "mean: geometric\n"
                  "rows:\n"
                  "  - {name: one, set: {parameters.p: 1, initial.values.x: 0*p}}\n"
                  "  - {name: two, set: {parameters.p: 2, initial.values.x: 0*p}}\n"
                  "  - {name: one / two, ratio: [one, two], theory: [2, null]}\n");
    // geometric means of 8, 2 and 4, 1: 4 and 2; quotients 2 and 2
    assert_true(fabs(m.row[0].cell[0].middle - 4) <= 1e-4);
    assert_true(fabs(m.row[1].cell[0].middle - 2) <= 1e-4);
    const trmi_measured_row *ratio = &m.row[2];
    assert_true(fabs(ratio->cell[0].middle - 2) <= 1e-12); // the runs differ by roundoff only
    assert_true(ratio->cell[0].high - ratio->cell[0].low <= 1e-12);
    assert_true(isnan(ratio->cell[1].middle)); // 0/0
    assert_int_equal(ratio->failed, 0);
    trmi_measured_release(&m);
    trmi_experiment_destroy(r.experiment);
}

static void test_cli_experiment_failed_runs_are_counted_and_differ(void **state)
{
    (void)state;
    reading r;
    trmi_measured m;
    read_good(&r, SMALL "rows:\n"
                        "  - {name: a, set: {simulate.max_steps: 1}, theory: [null, 0]}\n"
                        "  - {name: b, like: a}\n"
                        "  - {name: c, ratio: [b, a], theory: [1, null]}\n");
    assert_int_equal(trmi_measure_experiment(&m, r.experiment, &laboratory), TRMI_EXIT_DONE);
    assert_int_equal(m.row[2].verdict, TRMI_VERDICT_DIFFERS); // nothing to divide by
    assert_int_equal(m.row[0].failed, 2);
    assert_contains(m.row[0].failure, "number of steps");
    assert_int_equal(m.row[0].verdict, TRMI_VERDICT_DIFFERS);
    assert_int_equal(m.row[1].verdict, TRMI_VERDICT_DIFFERS); // like something that is not there
    trmi_measured_release(&m);
    trmi_experiment_destroy(r.experiment);
}

static void test_cli_experiment_unknown_measures_are_told_at_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {HEAD "columns: {a: stepz}\nrows: [{name: a}]\n", "did you mean 'steps'?"},
        {HEAD "columns: {a: status}\nrows: [{name: a}]\n", "has no number 'status'"},
        {HEAD "columns: {a: {error: q.x}}\nreference: {}\nrows: [{name: a}]\n",
         "simulate.output_times sets when"},
        {HEAD "columns: {a: {error: q.k}}\nreference: {}\n"
              "rows: [{name: a, set: {simulate.output_times: [1]}}]\n",
         "no error of 'q.k'"},
        {HEAD "columns: {a: {error: q.k, exact: 1}}\n"
              "rows: [{name: a, set: {simulate.output_times: [1]}}]\n",
         "the samples of the run have no such"},
        {HEAD "columns: {a: {value: steps, per: simulate.end}}\nrows: [{name: a}]\n",
         "the run sets no number 'simulate.end' to divide by"},
        {HEAD "columns: {a: {value: steps, per: simulate.control}}\n"
              "rows: [{name: a, set: {simulate.control: classic}}]\n",
         "sets no number 'simulate.control'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        reading r;
        trmi_measured m;
        read_good(&r, cases[k].text);
        assert_int_equal(trmi_measure_experiment(&m, r.experiment, &laboratory), TRMI_EXIT_MODEL);
        assert_contains(r.messages.text, "e.yaml:5:");
        assert_contains(r.messages.text, cases[k].part);
        trmi_measured_release(&m);
        trmi_experiment_destroy(r.experiment);
    }
}

static void test_cli_experiment_invalid_setting_ends_with_the_code_of_models(void **state)
{
    (void)state;
    reading r;
    trmi_measured m;
    read_good(&r, HEAD COLUMNS "rows: [{name: a, set: {simulate.tolerancy: 1}}]\n");
    assert_int_equal(trmi_measure_experiment(&m, r.experiment, &laboratory), TRMI_EXIT_MODEL);
    trmi_measured_release(&m);
    trmi_experiment_destroy(r.experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_experiment_head_columns_and_rows_are_read),
        cmocka_unit_test(test_cli_experiment_claims_and_figures_are_read),
        cmocka_unit_test(test_cli_experiment_unknown_keys_name_the_nearest),
        cmocka_unit_test(test_cli_experiment_missing_and_wrong_values_are_refused),
        cmocka_unit_test(test_cli_experiment_ensemble_mistakes_are_refused),
        cmocka_unit_test(test_cli_experiment_claim_and_figure_mistakes_are_refused),
        cmocka_unit_test(test_cli_experiment_missing_file_is_told),
        cmocka_unit_test(test_cli_experiment_files_of_the_project_are_valid),
        cmocka_unit_test(test_cli_experiment_flow_reads_back_the_same),
        cmocka_unit_test(test_cli_experiment_ensemble_has_every_combination_once),
        cmocka_unit_test(test_cli_experiment_row_overrides_common_settings),
        cmocka_unit_test(test_cli_experiment_cell_has_median_and_range),
        cmocka_unit_test(test_cli_experiment_cell_has_geometric_mean),
        cmocka_unit_test(test_cli_experiment_shown_numbers_are_not_judged),
        cmocka_unit_test(test_cli_experiment_cell_agrees_inside_the_widened_range),
        cmocka_unit_test(test_cli_experiment_verdict_needs_every_cell_and_every_run),
        cmocka_unit_test(test_cli_experiment_measured_rows_are_judged),
        cmocka_unit_test(test_cli_experiment_errors_are_distances_from_the_reference),
        cmocka_unit_test(test_cli_experiment_errors_and_digits_against_known_numbers),
        cmocka_unit_test(test_cli_experiment_settings_shares_and_largest_are_columns),
        cmocka_unit_test(test_cli_experiment_ratios_divide_run_by_run),
        cmocka_unit_test(test_cli_experiment_failed_runs_are_counted_and_differ),
        cmocka_unit_test(test_cli_experiment_unknown_measures_are_told_at_their_place),
        cmocka_unit_test(test_cli_experiment_invalid_setting_ends_with_the_code_of_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
