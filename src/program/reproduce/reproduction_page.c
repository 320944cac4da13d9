// SPDX-License-Identifier: Apache-2.0
// Experiments as a Markdown document: docs/reproduction.md.
#include "program/reproduce/table.h"

#include "program/reproduce/claim.h"

#include <math.h>
#include <string.h>

enum { TEXT_BYTES = 4096 };

// The text on one line, with nothing in it that is markup.
#define PLAIN(text) make_plain((char[TEXT_BYTES]){""}, text)

static const char *make_plain(char out[TEXT_BYTES], const char *text)
{
    int n = 0;
    for (; *text && n < TEXT_BYTES - 2; text++) {
        if (strchr("\\`*_[]<|#", *text))
            out[n++] = '\\';
        out[n++] = *text == '\n' ? ' ' : *text;
    }
    return out;
}

static void print_head(FILE *out)
{
    fputs(
        "# Reproduction of published results\n\n"
        "Written by `make reproduction` from the files in [experiments](../experiments), of which "
        "[papers](../experiments/papers)\nhold every number of the papers; not edited by hand. "
        "`trammel reproduce` prints the same in a terminal, `--json` for programs.\n\n"
        "Counters of a code with step control are chaotic: a tolerance changed by one percent "
        "moves them. So every row is run\nseveral times, as stated with its table, which gives "
        "the median of our runs (or their geometric mean, where the text states it) and their "
        "range in "
        "brackets.\n\nRows that are compared with **numbers printed in a paper** and rows that are "
        "compared with **computations of our own**\n(theory, another implementation of the same "
        "formulas, another row) stand in tables of their own and have words of their own:\n\n"
        "| compared with | all numbers lie in our range, widened by the slack | one does not, and "
        "a reason is known | one does not |\n|---|---|---|---|\n"
        "| a paper | reproduced | not reproducible | differs |\n"
        "| our own | agrees | disagrees as explained | disagrees |\n\n"
        "The verdict on a claim is a judgement; what is called measured is checked whenever this "
        "document is written. Its factors were\nchosen after seeing our numbers: they notice a "
        "change, they are not predictions. A claim *cannot be decided* where the paper does\nnot "
        "print the data behind it.\n\n",
        out);
}

// ---- overview ----

static void print_sums(FILE *out, const trmi_tally *paper, const trmi_tally *own)
{
    fprintf(out, " %d | %d | %d | %d of %d, with slack %d | %d | %d | %d |\n",
            paper->verdict[TRMI_VERDICT_REPRODUCED], paper->verdict[TRMI_VERDICT_NOT_REPRODUCIBLE],
            paper->verdict[TRMI_VERDICT_DIFFERS], paper->inside, paper->numbers, paper->agree,
            own->verdict[TRMI_VERDICT_REPRODUCED], own->verdict[TRMI_VERDICT_NOT_REPRODUCIBLE],
            own->verdict[TRMI_VERDICT_DIFFERS]);
}

static void print_overview(FILE *out, const trmi_measured *m, int count)
{
    trmi_tally sum[2] = {{0}, {0}};
    fputs(
        "| experiment | paper: rows reproduced | not reproducible | differ | numbers in our range "
        "| our own: rows agree | disagree as explained | disagree |\n"
        "|---|---|---|---|---|---|---|---|\n",
        out);
    for (int i = 0; i < count; i++) {
        const trmi_tally own = trmi_measured_tally(&m[i], false);
        const trmi_tally paper = trmi_measured_tally(&m[i], true);
        trmi_tally_add(&sum[0], &own);
        trmi_tally_add(&sum[1], &paper);
        fprintf(out, "| [%s](#%s) |", PLAIN(m[i].experiment->title), m[i].experiment->name);
        print_sums(out, &paper, &own);
    }
    fputs("| all |", out);
    print_sums(out, &sum[1], &sum[0]);
}

// ---- tables and figures of the papers ----

static void print_covered(FILE *out, const trmi_covered *c)
{
    fprintf(out, "| %s%s%s | ", PLAIN(c->table->name), c->table->shows ? ": " : "",
            c->table->shows ? PLAIN(c->table->shows) : "");
    if (c->printed > 0)
        fprintf(out, "%d | %d | %d |", c->printed, c->compared, c->agree);
    else
        fputs("- | - | - |", out);
    fprintf(out, " %s%s |", trmi_covered_state(c), c->drawing && c->compared > 0 ? ", drawn" : "");
    for (int k = 0; k < c->reasons; k++)
        fprintf(out, " %s%s", PLAIN(c->reason[k]), k + 1 < c->reasons ? ";" : "");
    fputs(" |\n", out);
}

static void print_coverage(FILE *out, const trmi_coverage *coverage)
{
    int printed = 0, compared = 0, agree = 0;
    if (coverage->papers == 0)
        return;
    fputs("\n<a id=\"papers\"></a>\n\n## Tables and figures of the papers\n\n"
          "Every printed number counts once. *Compared* are those that are judged; others may be "
          "shown beside ours.\n",
          out);
    for (int i = 0; i < coverage->papers; i++) {
        fprintf(out,
                "\n%s:\n\n| table or figure | printed | compared | agree | state | why not the "
                "others |\n|---|--:|--:|--:|---|---|\n",
                PLAIN(coverage->paper[i]->title));
        for (const trmi_covered *c = coverage->entry[i]; c->table; c++) {
            print_covered(out, c);
            printed += c->printed;
            compared += c->compared;
            agree += c->agree;
        }
    }
    fprintf(out, "\nOf %d printed numbers %d are compared, %d agree.\n", printed, compared, agree);
}

// ---- one experiment ----

// where nothing is expected only our number is shown
static void print_table_head(FILE *out, const trmi_experiment *e, bool published)
{
    const char *expected = trmi_expected_heading(e, published);
    fputs("| row |", out);
    for (int k = 0; k < e->columns; k++) {
        fprintf(out, " %s, ", PLAIN(e->column[k].heading));
        fprintf(out, "%s%sours |", expected ? expected : "", expected ? " | " : "");
    }
    fputs(" verdict |\n|---|", out);
    for (int k = 0; k < e->columns; k++)
        fputs(expected ? "--:|:--|" : ":--|", out);
    fputs("---|\n", out);
}

static void print_row(FILE *out, const trmi_measured *m, int row, bool published)
{
    const trmi_measured_row *r = &m->row[row];
    bool expected = trmi_expected_heading(m->experiment, published) != NULL;
    fprintf(out, "| %s |", PLAIN(m->experiment->row[row].name));
    for (int k = 0; k < m->experiment->columns; k++) {
        char paper[TRMI_CELL_BYTES], ours[TRMI_CELL_BYTES];
        trmi_expected_format(paper, &r->cell[k]);
        trmi_measured_format(ours, r, k);
        fprintf(out, " %s%s%s |", expected ? paper : "", expected ? " | " : "", ours);
    }
    int note = trmi_note_number(m, row);
    fprintf(out, " %s", trmi_verdict_text(r->verdict, published));
    if (note > 0)
        fprintf(out, " (%d)", note);
    if (r->failed > 0)
        fprintf(out, "; %d of %d runs failed", r->failed, m->experiment->runs_per_row);
    fputs(" |\n", out);
}

// the rows that are compared with the paper, then the others
static void print_tables(FILE *out, const trmi_measured *m)
{
    const trmi_experiment *e = m->experiment;
    for (int published = 1; published >= 0; published--) {
        if (trmi_part_rows(e, published) == 0)
            continue;
        fputs(published ? "\nCompared with the numbers of the paper:\n\n"
                        : "\nNot in the paper, compared with our own computations:\n\n",
              out);
        print_table_head(out, e, published);
        for (int i = 0; i < e->rows; i++)
            if ((e->row[i].table != NULL) == (bool)published)
                print_row(out, m, i, published);
    }
}

// "`simulate.tolerance` times 0.96, 0.98, 1" or "`initial.consistent` project, raw"
static void print_variation(FILE *out, const trmi_variation *v)
{
    fprintf(out, "`%s`%s", v->path, v->factor ? " times" : "");
    for (int i = 0; i < v->count; i++) {
        fputs(i > 0 ? ", " : " ", out);
        if (v->factor)
            fprintf(out, "%g", v->factor[i]);
        else
            fputs(PLAIN(strchr(v->alternative[i], '=') + 1), out);
    }
}

// "Slack 5 %, 18 runs of each row: ..."; slacks may differ from row to row
static void print_rule(FILE *out, const trmi_experiment *e)
{
    double low = e->rows > 0 ? e->row[0].slack : 0, high = low;
    for (int i = 1; i < e->rows; i++) {
        low = fmin(low, e->row[i].slack);
        high = fmax(high, e->row[i].slack);
    }
    fprintf(out, "Slack %g", 100 * low);
    if (high > low)
        fprintf(out, " to %g", 100 * high);
    fprintf(out, " %%, %d run%s of each row", e->runs_per_row, e->runs_per_row == 1 ? "" : "s");
    for (int k = 0; k < e->variations; k++) {
        fputs(k > 0 ? "; " : ": ", out);
        print_variation(out, &e->variation[k]);
    }
    fputs(e->geometric ? ". Geometric means.\n" : ".\n", out);
}

static void print_notes(FILE *out, const trmi_measured *m)
{
    int row;
    for (int number = 1; (row = trmi_note_row(m, number)) >= 0; number++)
        fprintf(out, "\n(%d) %s: %s.\n", number,
                m->experiment->row[row].table ? "Not reproducible" : "Disagrees as explained",
                PLAIN(m->experiment->row[row].reason));
    for (int i = 0; i < m->experiment->rows; i++)
        if (m->row[i].failed > 0)
            fprintf(out, "\nFirst failure of %s: %s.\n", PLAIN(m->experiment->row[i].name),
                    PLAIN(m->row[i].failure));
}

// "jevals 240 of A, less than 348 of B"; with a factor: "... than 0.8 times 348 of B"
static void print_evidence(FILE *out, const trmi_measured *m, const trmi_evidence *v)
{
    const trmi_experiment *e = m->experiment;
    char ours[TRMI_CELL_BYTES], other[TRMI_CELL_BYTES];
    trmi_number_text(ours, m->row[v->row].cell[v->column].middle);
    trmi_number_text(other, v->other >= 0 ? m->row[v->other].cell[v->column].middle : v->number);
    fprintf(out, "%s %s of %s, %s%s than ", PLAIN(e->column[v->column].heading), ours,
            PLAIN(e->row[v->row].name), trmi_evidence_holds(m, v) ? "" : "**not** ",
            v->below ? "less" : "more");
    if (v->factor != 1)
        fprintf(out, "%g times ", v->factor);
    fputs(other, out);
    if (v->other >= 0)
        fprintf(out, " of %s", PLAIN(e->row[v->other].name));
}

static void print_claims(FILE *out, const trmi_measured *m)
{
    const trmi_experiment *e = m->experiment;
    if (e->claims > 0)
        fputs("\n| claim of the paper | verdict | why |\n|---|---|---|\n", out);
    for (int i = 0; i < e->claims; i++) {
        const trmi_claim *c = &e->claim[i];
        fprintf(out, "| %s | **%s**%s | %s", PLAIN(c->claim), c->verdict,
                trmi_claim_confirmed(m, c) ? "" : ", not confirmed", PLAIN(c->reason));
        for (int k = 0; k < c->evidences; k++) {
            fputs(k > 0 ? "; " : " Measured: ", out);
            print_evidence(out, m, &c->evidence[k]);
        }
        fputs(c->evidences > 0 ? ". |\n" : " |\n", out);
    }
}

static void print_experiment(FILE *out, const trmi_measured *m, const char *figures)
{
    const trmi_experiment *e = m->experiment;
    fprintf(out, "\n<a id=\"%s\"></a>\n\n## %s\n\n%s.\n", e->name, PLAIN(e->title),
            PLAIN(e->source));
    print_rule(out, e);
    if (e->unknown)
        fprintf(out, "The paper does not print %s.\n", PLAIN(e->unknown));
    if (e->about)
        fprintf(out, "\n%s%s", e->about, strchr(e->about, '\n') ? "" : "\n");
    print_tables(out, m);
    print_notes(out, m);
    for (int i = 0; i < e->drawings && figures && m->drawn; i++)
        fprintf(out, "\n![%s](%s/%s.svg)\n", PLAIN(e->drawing[i].title), figures,
                e->drawing[i].name);
    print_claims(out, m);
}

void trmi_reproduction_markdown(FILE *out, const trmi_measured *m, int count,
                                const trmi_coverage *coverage, const char *figures)
{
    print_head(out);
    print_overview(out, m, count);
    print_coverage(out, coverage);
    for (int i = 0; i < count; i++)
        print_experiment(out, &m[i], figures);
}
