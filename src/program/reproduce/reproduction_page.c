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
    fputs("# Reproduction of published results\n\n"
          "Written by `make reproduction` from the files in [experiments](../experiments), which "
          "hold the papers' numbers; not\nedited by hand. `trammel reproduce` prints the same in a "
          "terminal, `--json` for programs.\n\n"
          "Counters of a code with step control are chaotic: a tolerance changed by one percent "
          "moves them. So every row is run\nseveral times, as stated with its table, which gives "
          "the median of our runs (or their geometric mean, where the text states it) and their "
          "range in "
          "brackets. A row is\n*reproduced* when every number of the paper lies in our range, "
          "widened on both sides by the slack. It is *not\n"
          "reproducible* when one does not and a reason is known, and *differs* when it should "
          "have been reproduced. The verdict on\na claim is a judgement; what is called measured "
          "is checked whenever this document is written. Its factors were chosen\nafter seeing our "
          "numbers: they notice a change, they are no predictions.\n\n",
          out);
}

// ---- overview ----

static void print_overview(FILE *out, const trmi_measured *m, int count)
{
    fputs("| experiment | rows | reproduced | not reproducible | differ | numbers in our range |\n"
          "|---|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < count; i++) {
        int judged, inside, agree;
        trmi_measured_cells(&m[i], &judged, &inside, &agree);
        fprintf(out, "| [%s](#%s) | %d | %d | %d | %d | %d of %d, with slack %d |\n",
                PLAIN(m[i].experiment->title), m[i].experiment->name, m[i].experiment->rows,
                trmi_measured_count(&m[i], TRMI_VERDICT_REPRODUCED),
                trmi_measured_count(&m[i], TRMI_VERDICT_NOT_REPRODUCIBLE),
                trmi_measured_count(&m[i], TRMI_VERDICT_DIFFERS), inside, judged, agree);
    }
}

// ---- one experiment ----

// where nothing is expected only our number is shown
static void print_table_head(FILE *out, const trmi_experiment *e)
{
    const char *expected = trmi_expected_heading(e);
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

static void print_row(FILE *out, const trmi_measured *m, int row)
{
    const trmi_measured_row *r = &m->row[row];
    bool expected = trmi_expected_heading(m->experiment) != NULL;
    fprintf(out, "| %s |", PLAIN(m->experiment->row[row].name));
    for (int k = 0; k < m->experiment->columns; k++) {
        char paper[TRMI_CELL_BYTES], ours[TRMI_CELL_BYTES];
        trmi_expected_format(paper, &r->cell[k]);
        trmi_measured_format(ours, r, k);
        fprintf(out, " %s%s%s |", expected ? paper : "", expected ? " | " : "", ours);
    }
    int note = trmi_note_number(m, row);
    fprintf(out, " %s", trmi_verdict_text(r->verdict));
    if (note > 0)
        fprintf(out, " (%d)", note);
    if (r->failed > 0)
        fprintf(out, "; %d of %d runs failed", r->failed, m->experiment->runs_per_row);
    fputs(" |\n", out);
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
    fputs(e->geometric ? ". Geometric means.\n\n" : ".\n\n", out);
}

static void print_notes(FILE *out, const trmi_measured *m)
{
    int row;
    for (int number = 1; (row = trmi_note_row(m, number)) >= 0; number++)
        fprintf(out, "\n(%d) Not reproducible: %s.\n", number,
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
    if (e->about)
        fprintf(out, "%s%s\n", e->about, strchr(e->about, '\n') ? "" : "\n");
    print_table_head(out, e);
    for (int i = 0; i < e->rows; i++)
        print_row(out, m, i);
    print_notes(out, m);
    for (int i = 0; i < e->drawings && figures && m->drawn; i++)
        fprintf(out, "\n![%s](%s/%s.svg)\n", PLAIN(e->drawing[i].title), figures,
                e->drawing[i].name);
    print_claims(out, m);
}

void trmi_reproduction_markdown(FILE *out, const trmi_measured *m, int count, const char *figures)
{
    print_head(out);
    print_overview(out, m, count);
    for (int i = 0; i < count; i++)
        print_experiment(out, &m[i], figures);
}
