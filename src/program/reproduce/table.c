// SPDX-License-Identifier: Apache-2.0
// The table of an experiment for terminals. Column by column the paper's number is beside ours:
//                            steps               jevals
//                            paper  ours         paper  ours
//   TOL 1e-3, eps 1e-4, GGL    109  92 (70-110)     56  51 (40-60)   reproduced
// Where nothing is expected only ours is shown. Rows that are compared with a paper and the others
// have a table each.
#include "program/reproduce/table.h"

#include "program/reproduce/claim.h"

#include <math.h>
#include <string.h>

// ---- numbers ----

// counters and halves (medians of counters) as they are, means of counters without fraction, others
// with three digits
void trmi_number_text(char out[TRMI_CELL_BYTES], double x)
{
    bool half = fabs(x) < 1e9 && 2 * x == floor(2 * x), mean = fabs(x) >= 1000 && fabs(x) < 1e6;
    const char *format = half && x != floor(x) ? "%.1f" : half || mean ? "%.0f" : "%.3g";
    snprintf(out, TRMI_CELL_BYTES, format, x);
}

static void format_range(char out[TRMI_CELL_BYTES], double low, double high)
{
    char first[TRMI_CELL_BYTES], last[TRMI_CELL_BYTES];
    trmi_number_text(first, low);
    trmi_number_text(last, high);
    if (strcmp(first, last) == 0) { // they differ in digits that are not shown
        snprintf(out, TRMI_CELL_BYTES, "%s", first);
        return;
    }
    bool dash = !strchr(first, 'e') && !strchr(last, 'e') && low >= 0; // else it reads as a minus
    snprintf(out, TRMI_CELL_BYTES, dash ? "%.25s-%.25s" : "%.25s to %.25s", first, last);
}

void trmi_expected_format(char out[TRMI_CELL_BYTES], const trmi_cell *c)
{
    if (isnan(c->expected.low))
        snprintf(out, TRMI_CELL_BYTES, "-");
    else if (c->expected.low == c->expected.high)
        trmi_number_text(out, c->expected.low);
    else
        format_range(out, c->expected.low, c->expected.high);
}

void trmi_measured_format(char out[TRMI_CELL_BYTES], const trmi_measured_row *row, int column)
{
    const trmi_cell *c = &row->cell[column];
    char middle[TRMI_CELL_BYTES], range[TRMI_CELL_BYTES];
    if (isnan(c->middle)) {
        snprintf(out, TRMI_CELL_BYTES, row->failed > 0 ? "failed" : "-");
        return;
    }
    trmi_number_text(middle, c->middle);
    format_range(range, c->low, c->high);
    bool one = strcmp(range, middle) == 0;
    snprintf(out, TRMI_CELL_BYTES, one ? "%.20s" : "%.20s (%.40s)", middle, range);
}

int trmi_part_rows(const trmi_experiment *e, bool published)
{
    int rows = 0;
    for (int i = 0; i < e->rows; i++)
        rows += (e->row[i].table != NULL) == published;
    return rows;
}

const char *trmi_expected_heading(const trmi_experiment *e, bool published)
{
    if (published)
        return "paper";
    for (int i = 0; i < e->rows; i++)
        if (!e->row[i].table && (e->row[i].like >= 0 || e->row[i].expected))
            return "expected";
    return NULL;
}

// ---- notes ----

static const char *reason_of(const trmi_measured *m, int row)
{
    return m->row[row].verdict == TRMI_VERDICT_NOT_REPRODUCIBLE ? m->experiment->row[row].reason
                                                                : NULL;
}

int trmi_note_row(const trmi_measured *m, int number)
{
    for (int i = 0; i < m->experiment->rows; i++) {
        const char *reason = reason_of(m, i);
        int first = 0; // row with the same reason
        while (reason && first < i &&
               !(reason_of(m, first) && strcmp(reason, reason_of(m, first)) == 0))
            first++;
        if (reason && first == i && --number == 0)
            return i;
    }
    return -1;
}

int trmi_note_number(const trmi_measured *m, int row)
{
    const char *reason = reason_of(m, row);
    int first;
    for (int number = 1; reason && (first = trmi_note_row(m, number)) >= 0; number++)
        if (strcmp(reason_of(m, first), reason) == 0)
            return number;
    return 0;
}

// ---- the table ----

// The widths of one of the two tables.
typedef struct widths {
    bool published;
    const char *expected; // heading
    int name, paper[TRMI_EXPERIMENT_COLUMNS], ours[TRMI_EXPERIMENT_COLUMNS];
} widths;

static void widen(int *width, const char *text)
{
    int length = (int)strlen(text);
    *width = length > *width ? length : *width;
}

static bool belongs(const trmi_measured *m, int row, const widths *w)
{
    return (m->experiment->row[row].table != NULL) == w->published;
}

static void widen_by_row(widths *w, const trmi_measured *m, int row)
{
    char text[TRMI_CELL_BYTES];
    widen(&w->name, m->experiment->row[row].name);
    for (int k = 0; k < m->experiment->columns; k++) {
        trmi_expected_format(text, &m->row[row].cell[k]);
        widen(&w->paper[k], w->expected ? text : "");
        trmi_measured_format(text, &m->row[row], k);
        widen(&w->ours[k], text);
    }
}

static widths measure_widths(const trmi_measured *m, bool published)
{
    const trmi_experiment *e = m->experiment;
    widths w = {.published = published, .expected = trmi_expected_heading(e, published)};
    for (int k = 0; k < e->columns; k++)
        widen(&w.paper[k], w.expected ? w.expected : "");
    for (int i = 0; i < e->rows; i++)
        if (belongs(m, i, &w))
            widen_by_row(&w, m, i);
    for (int k = 0; k < e->columns; k++) {
        int rest = (int)strlen(e->column[k].heading) - (w.expected ? w.paper[k] + 2 : 0);
        w.ours[k] = rest > w.ours[k] ? rest : w.ours[k];
        widen(&w.ours[k], "ours");
    }
    return w;
}

// "  paper  ours", or "  ours" where nothing is expected
static void print_pair(FILE *out, const widths *w, int column, const char *paper, const char *ours)
{
    if (w->paper[column] > 0)
        fprintf(out, "  %*s", w->paper[column], paper);
    fprintf(out, "  %-*s", w->ours[column], ours);
}

static void print_heads(FILE *out, const trmi_experiment *e, const widths *w)
{
    fprintf(out, "  %-*s", w->name, "");
    for (int k = 0; k < e->columns; k++)
        fprintf(out, "  %-*s", w->ours[k] + (w->paper[k] > 0 ? w->paper[k] + 2 : 0),
                e->column[k].heading);
    fprintf(out, "\n  %-*s", w->name, "");
    for (int k = 0; k < e->columns; k++)
        print_pair(out, w, k, w->expected, "ours");
    fputc('\n', out);
}

static void print_row(FILE *out, const trmi_measured *m, int row, const widths *w)
{
    const trmi_measured_row *r = &m->row[row];
    fprintf(out, "  %-*s", w->name, m->experiment->row[row].name);
    for (int k = 0; k < m->experiment->columns; k++) {
        char paper[TRMI_CELL_BYTES], ours[TRMI_CELL_BYTES];
        trmi_expected_format(paper, &r->cell[k]);
        trmi_measured_format(ours, r, k);
        print_pair(out, w, k, paper, ours);
    }
    fprintf(out, "  %s", trmi_verdict_text(r->verdict, w->published));
    int note = trmi_note_number(m, row);
    if (note > 0)
        fprintf(out, " [%d]", note);
    fputc('\n', out);
    if (r->failed > 0)
        fprintf(out, "    %d of %d runs failed: %s\n", r->failed, m->experiment->runs_per_row,
                r->failure);
}

static void print_end(FILE *out, const trmi_measured *m)
{
    int row;
    for (int number = 1; (row = trmi_note_row(m, number)) >= 0; number++)
        fprintf(out, "  [%d] %s: %s\n", number,
                trmi_verdict_text(m->row[row].verdict, m->experiment->row[row].table != NULL),
                m->experiment->row[row].reason);
    for (int published = 1; published >= 0; published--) {
        trmi_tally tally = trmi_measured_tally(m, published);
        trmi_tally_print(out, &tally, published);
    }
    // only claims that our numbers contradict: the others are for the document
    for (int i = 0; i < m->experiment->claims; i++) {
        const trmi_claim *c = &m->experiment->claim[i];
        if (!trmi_claim_confirmed(m, c))
            fprintf(out,
                    "  not confirmed: \"%s\" %s is claimed, but not confirmed by our numbers\n",
                    c->claim, c->verdict);
    }
}

void trmi_table_print(FILE *out, const trmi_measured *m)
{
    const trmi_experiment *e = m->experiment;
    fprintf(out, "%s\n  %s; %d run%s of each row%s\n", e->title, e->source, e->runs_per_row,
            e->runs_per_row == 1 ? "" : "s", e->geometric ? ", geometric means" : "");
    for (int published = 1; published >= 0; published--) {
        if (trmi_part_rows(e, published) == 0)
            continue;
        const widths w = measure_widths(m, published);
        fputs(published ? "\n  compared with the numbers of the paper\n"
                        : "\n  not in the paper, compared with our own computations\n",
              out);
        print_heads(out, e, &w);
        for (int i = 0; i < e->rows; i++)
            if (belongs(m, i, &w))
                print_row(out, m, i, &w);
    }
    fputc('\n', out);
    print_end(out, m);
}
