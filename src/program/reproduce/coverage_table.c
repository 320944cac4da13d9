// SPDX-License-Identifier: Apache-2.0
// The last table of `trammel reproduce`: every table and figure of the papers, and the sums.
//   Table 5.1    60 printed    60 compared     8 agree  reproduced in part
//                with the printed start the mass moves by sqrt(eps) at most
#include "program/reproduce/table.h"

#include <string.h>

enum { LINE = 100, INDENT = 6 };

void trmi_tally_print(FILE *out, const trmi_tally *t, bool published)
{
    int judged = t->rows - t->verdict[TRMI_VERDICT_NONE];
    if (judged == 0)
        return;
    fprintf(out,
            "  compared with %s: %d of %d rows %s; of %d numbers %d lie in our range, %d with "
            "slack\n",
            published ? "the paper" : "our own", t->verdict[TRMI_VERDICT_REPRODUCED], judged,
            published ? "reproduced" : "agree", t->numbers, t->inside, t->agree);
}

// the text in lines that are not too long
static void print_wrapped(FILE *out, const char *text)
{
    int column = 0;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        bool first = column == 0;
        if (first || column + 1 + length > LINE) {
            fprintf(out, "%s%*s", first ? "" : "\n", INDENT, "");
            column = INDENT;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", length, text);
        column += length + !first;
        text += length;
        text += strspn(text, " \n");
    }
    fputc('\n', out);
}

static void print_covered(FILE *out, const trmi_covered *c, int width)
{
    char counts[100] = "";
    if (c->printed > 0)
        snprintf(counts, sizeof counts, "%d printed, %d compared, %d agree", c->printed,
                 c->compared, c->agree);
    fprintf(out, "  %-*s  %-36s  %s%s\n", width, c->table->name, counts, trmi_covered_state(c),
            c->drawing && c->compared > 0 ? ", drawn" : "");
    for (int k = 0; k < c->reasons; k++)
        print_wrapped(out, c->reason[k]);
}

static void print_sums(FILE *out, const trmi_measured *m, int count)
{
    for (int published = 1; published >= 0; published--) {
        trmi_tally sum = {0};
        for (int i = 0; i < count; i++) {
            const trmi_tally tally = trmi_measured_tally(&m[i], published);
            trmi_tally_add(&sum, &tally);
        }
        trmi_tally_print(out, &sum, published);
    }
}

void trmi_coverage_print(FILE *out, const trmi_coverage *coverage, const trmi_measured *m,
                         int count)
{
    int printed = 0, compared = 0, agree = 0, width = 0;
    for (int i = 0; i < coverage->papers; i++)
        for (const trmi_covered *c = coverage->entry[i]; c->table; c++) {
            int length = (int)strlen(c->table->name);
            width = length > width ? length : width;
            printed += c->printed;
            compared += c->compared;
            agree += c->agree;
        }
    if (coverage->papers > 0)
        fputs("\nTables and figures of the papers\n", out);
    for (int i = 0; i < coverage->papers; i++) {
        fprintf(out, "\n  %s\n", coverage->paper[i]->title);
        for (const trmi_covered *c = coverage->entry[i]; c->table; c++)
            print_covered(out, c, width);
    }
    fputc('\n', out);
    if (coverage->papers > 0)
        fprintf(out, "  of %d printed numbers %d are compared, %d agree\n", printed, compared,
                agree);
    print_sums(out, m, count);
}
