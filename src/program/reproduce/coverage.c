// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- each number once ----

// calls `visit` with every number of a paper that a row refers to, and the column of that row
typedef struct reference {
    const trmi_experiment *experiment;
    int row, column;     // of the experiment
    int printed, number; // column of the table; index of the number
} reference;

// the next cell of a row that refers to a printed number; *column is where to begin
static bool next_reference(const trmi_experiment *e, int row, int *column, reference *out)
{
    const trmi_experiment_row *r = &e->row[row];
    for (int k = *column; k < e->columns && r->table; k++) {
        int printed = trmi_printed_column(r->table, e->column[k].heading);
        int number = r->printed * r->table->columns + printed;
        if (printed < 0 || isnan(r->table->number[number]))
            continue;
        *out = (reference){e, row, k, printed, number};
        *column = k + 1;
        return true;
    }
    return false;
}

static bool judges(const reference *r)
{
    const trmi_experiment_row *row = &r->experiment->row[r->row];
    return row->judged && !row->expected[r->column].shown;
}

static bool same_paper(const trmi_paper *a, const trmi_paper *b)
{
    return a && b && strcmp(a->title, b->title) == 0;
}

// whether two cells are about the same number; papers are read once for each experiment
static bool same_number(const reference *a, const reference *b)
{
    const trmi_printed_table *s = a->experiment->row[a->row].table;
    const trmi_printed_table *t = b->experiment->row[b->row].table;
    return same_paper(a->experiment->paper, b->experiment->paper) &&
           strcmp(s->name, t->name) == 0 && a->number == b->number;
}

// the first cell that judges the same number, among all before `limit`; false: there is none
static bool judged_before(trmi_experiment *const *experiment, const reference *limit, int last,
                          reference *found)
{
    for (int i = 0; i <= last; i++)
        for (int row = 0; row < experiment[i]->rows; row++) {
            if (i == last && row >= limit->row)
                return false;
            for (int column = 0; next_reference(experiment[i], row, &column, found);)
                if (judges(found) && same_number(found, limit))
                    return true;
        }
    return false;
}

int trmi_coverage_check(trmi_experiment *const *experiment, int count)
{
    for (int i = 0; i < count; i++)
        for (int row = 0; row < experiment[i]->rows; row++) {
            reference r, other;
            for (int column = 0; next_reference(experiment[i], row, &column, &r);)
                if (judges(&r) && judged_before(experiment, &r, i, &other))
                    return trmi_exit_with(
                        TRMI_EXIT_MODEL,
                        "%s, row '%s': %s of '%s' in %s is judged by row '%s' of %s already; "
                        "'judge: false' shows it only",
                        experiment[i]->name, experiment[i]->row[row].name,
                        experiment[i]->column[r.column].heading,
                        experiment[i]->row[row].table->row[experiment[i]->row[row].printed],
                        experiment[i]->row[row].table->name, other.experiment->row[other.row].name,
                        other.experiment->name);
        }
    return TRMI_EXIT_DONE;
}

// ---- counting ----

static void add_reason(trmi_covered *c, const char *reason)
{
    for (int k = 0; k < c->reasons; k++)
        if (strcmp(c->reason[k], reason) == 0)
            return;
    if (c->reasons < TRMI_COVERAGE_REASONS)
        c->reason[c->reasons++] = reason;
}

// what the experiments do with the numbers of a table; state: one for each number
typedef enum number_state { NOT_THERE, SHOWN, COMPARED } number_state;

static void count_row(trmi_covered *c, const trmi_measured *m, int row, unsigned char *state)
{
    const trmi_experiment_row *r = &m->experiment->row[row];
    reference at;
    for (int column = 0; next_reference(m->experiment, row, &column, &at);) {
        const trmi_cell *cell = &m->row[row].cell[at.column];
        if (!judges(&at)) {
            state[at.number] = (unsigned char)(state[at.number] == COMPARED ? COMPARED : SHOWN);
            continue;
        }
        state[at.number] = COMPARED;
        c->compared++;
        c->inside += cell->inside;
        c->agree += cell->agrees;
        if (!cell->agrees)
            add_reason(c, r->reason ? r->reason : "it differs, and no reason is known");
    }
}

static void count_drawings(trmi_covered *c, const trmi_experiment *e)
{
    for (int k = 0; k < e->drawings; k++)
        for (int i = 0; i < e->drawing[k].ofs; i++)
            if (strcmp(e->drawing[k].of[i], c->table->name) == 0)
                c->drawing = e->drawing[k].name;
}

// the numbers that no row judges, and why
static void count_others(trmi_covered *c, const unsigned char *state)
{
    const trmi_printed_table *t = c->table;
    for (int k = 0; k < t->rows * t->columns; k++) {
        if (isnan(t->number[k]))
            continue;
        c->printed++;
        c->shown += state[k] == SHOWN;
        const char *missing = t->missing[k % t->columns];
        if (state[k] != COMPARED)
            add_reason(c, missing ? missing : t->absent ? t->absent : "no experiment is about it");
    }
    if (c->printed == 0 && !c->drawing && !t->sketch)
        add_reason(c, t->elsewhere ? t->elsewhere
                      : t->absent  ? t->absent
                                   : "no experiment is about it");
}

static bool count_table(trmi_covered *c, const trmi_paper *paper, const trmi_measured *m, int count)
{
    unsigned char *state = calloc((size_t)(c->table->rows * c->table->columns) + 1, 1);
    if (!state)
        return false;
    for (int i = 0; i < count; i++) {
        const trmi_experiment *e = m[i].experiment;
        if (!same_paper(e->paper, paper))
            continue;
        for (int row = 0; row < e->rows; row++)
            if (e->row[row].table && strcmp(e->row[row].table->name, c->table->name) == 0)
                count_row(c, &m[i], row, state);
        count_drawings(c, e);
    }
    count_others(c, state);
    free(state);
    return true;
}

// ---- the whole ----

static bool add_paper(trmi_coverage *c, const trmi_paper *paper, const trmi_measured *m, int count,
                      bool whole)
{
    trmi_covered *entry;
    for (int k = 0; k < c->papers; k++)
        if (same_paper(c->paper[k], paper))
            return true;
    if (!TRMI_TAKE(&c->memory, entry, paper->tables + 1))
        return false;
    int tables = 0;
    for (int k = 0; k < paper->tables; k++) {
        entry[tables] = (trmi_covered){.table = &paper->table[k]};
        if (!count_table(&entry[tables], paper, m, count))
            return false;
        bool about = entry[tables].compared > 0 || entry[tables].shown > 0 || entry[tables].drawing;
        tables += whole || about;
    }
    if (tables == 0)
        return true;
    entry[tables] = (trmi_covered){0}; // the end
    c->entry[c->papers] = entry;
    c->paper[c->papers++] = paper;
    return true;
}

bool trmi_coverage_create(trmi_coverage *c, const trmi_measured *m, int count,
                          trmi_paper *const *paper, int papers)
{
    *c = (trmi_coverage){0};
    trmi_memory_init(&c->memory, NULL);
    int most = papers > 0 ? papers : count;
    if (!TRMI_TAKE(&c->memory, c->paper, most) || !TRMI_TAKE(&c->memory, c->entry, most))
        return false;
    for (int i = 0; i < papers; i++)
        if (!add_paper(c, paper[i], m, count, true))
            return false;
    for (int i = 0; i < count && papers == 0; i++)
        if (m[i].experiment->paper && !add_paper(c, m[i].experiment->paper, m, count, false))
            return false;
    return true;
}

void trmi_coverage_release(trmi_coverage *c)
{
    trmi_memory_release_all(&c->memory);
    *c = (trmi_coverage){0};
}

const char *trmi_covered_state(const trmi_covered *c)
{
    if (c->table->sketch)
        return "a sketch";
    if (c->table->elsewhere)
        return "counted elsewhere";
    if (c->compared == 0)
        return c->drawing ? "drawn" : c->shown > 0 ? "shown beside ours" : "not there";
    if (c->agree == c->printed)
        return "reproduced";
    return c->agree > 0 ? "reproduced in part" : "not reproduced";
}
