// SPDX-License-Identifier: Apache-2.0
// Reader of experiment files: the rows and what is expected of them.
#include "program/reproduce/experiment.h"

#include "program/reproduce/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// 5, [2, 7], null, or {shown: any of them}
static trmi_expected read_expected(trmi_experiment *e, const trmi_item *item)
{
    const trmi_expected nothing = {NAN, NAN, false};
    trmi_expected x = nothing;
    if (item->kind == TRMI_MAP && item->count == 1 && strcmp(item->child->key, "shown") == 0) {
        x.shown = true;
        item = item->child;
    }
    if (trmi_item_null(item))
        return nothing;
    bool range = item->kind == TRMI_LIST && item->count == 2;
    const trmi_item *low = range ? trmi_item_at(item, 0) : item;
    const trmi_item *high = range ? trmi_item_at(item, 1) : item;
    if (!trmi_item_number(low, &x.low) || !trmi_item_number(high, &x.high) || x.low > x.high) {
        trmi_report(
            e->document, item,
            "what is expected is a number, a range [low, high], null, or {shown: one of them}");
        return nothing;
    }
    return x;
}

// what theory or another study predicts, one for each column
static bool read_theory(trmi_experiment *e, const trmi_item *item, trmi_experiment_row *row)
{
    const trmi_item *list = trmi_fields_list(e->document, item, "theory", TRMI_FIELD_OPTIONAL);
    trmi_expected *expected;
    if (!list)
        return true;
    if (list->count != e->columns) {
        trmi_report(e->document, list, "%d values for %d columns", list->count, e->columns);
        return true;
    }
    if (!TRMI_TAKE(&e->memory, expected, e->columns))
        return false;
    int k = 0;
    for (const trmi_item *cell = list->child; cell; cell = cell->next)
        expected[k++] = read_expected(e, cell);
    row->expected = expected;
    return true;
}

// ---- numbers of the paper ----

// the table of a row, or that of all rows
static const trmi_printed_table *find_table(trmi_experiment *e, const trmi_item *root,
                                            const trmi_item *item)
{
    const trmi_item *holder = trmi_item_find(item, "table") ? item : root;
    const char *name = trmi_fields_text(e->document, holder, "table", TRMI_FIELD_REQUIRED);
    const trmi_printed_table *table = name && e->paper ? trmi_paper_find(e->paper, name) : NULL;
    if (!e->paper)
        trmi_report_key(e->document, trmi_item_find(item, "printed"),
                        "'printed' needs the key 'paper' of the experiment");
    else if (name && !table)
        trmi_report(e->document, trmi_item_find(holder, "table"), "the paper has no '%.60s'", name);
    return table;
}

// columns that are shown and not judged
static void read_shown(trmi_experiment *e, const trmi_item *item, trmi_expected *expected)
{
    const trmi_item *list = trmi_fields_list(e->document, item, "shown", TRMI_FIELD_OPTIONAL);
    for (const trmi_item *i = list ? list->child : NULL; i; i = i->next) {
        int column = i->kind == TRMI_SCALAR ? trmi_experiment_find_column(e, i->text) : -1;
        if (column < 0)
            trmi_report(e->document, i, "'shown' is a list of headings of columns");
        else
            expected[column].shown = true;
    }
}

// the numbers of a row of the paper's table, by the headings of the columns
static bool read_printed(trmi_experiment *e, const trmi_item *root, const trmi_item *item,
                         trmi_experiment_row *row)
{
    const char *name = trmi_fields_text(e->document, item, "printed", TRMI_FIELD_OPTIONAL);
    const trmi_printed_table *table = name ? find_table(e, root, item) : NULL;
    trmi_expected *expected;
    int found = 0;
    if (!table)
        return true;
    int printed = trmi_printed_row(table, name);
    if (printed < 0) {
        trmi_report(e->document, trmi_item_find(item, "printed"), "%s has no row '%.60s'",
                    table->name, name);
        return true;
    }
    if (!TRMI_TAKE(&e->memory, expected, e->columns))
        return false;
    for (int k = 0; k < e->columns; k++) {
        int column = trmi_printed_column(table, e->column[k].heading);
        double x = column < 0 ? NAN : table->number[printed * table->columns + column];
        expected[k] = (trmi_expected){x, x, false};
        found += column >= 0;
    }
    if (found == 0)
        trmi_report(e->document, trmi_item_find(item, "printed"),
                    "no heading of a column is one of %s", table->name);
    read_shown(e, item, expected);
    row->expected = expected;
    row->table = table;
    row->printed = printed;
    return true;
}

// ---- rows ----

// index of a row above: only such rows are known when they are needed
static int find_above(trmi_experiment *e, const trmi_item *item, const char *name)
{
    int index = name ? trmi_experiment_find_row(e, name) : -1;
    if (name && index < 0)
        trmi_report(e->document, item, "no row above is called '%.60s'", name);
    return index;
}

// two rows above: this one is their quotient and runs nothing itself
static void read_ratio(trmi_experiment *e, const trmi_item *item, trmi_experiment_row *row)
{
    const trmi_item *list = trmi_fields_list(e->document, item, "ratio", TRMI_FIELD_OPTIONAL);
    const trmi_item *set = trmi_item_find(item, "set");
    if (!list)
        return;
    if (list->count != 2)
        trmi_report(e->document, list, "a ratio is that of 2 rows, not of %d", list->count);
    for (int k = 0; k < 2 && list->count == 2; k++) {
        const trmi_item *name = trmi_item_at(list, k);
        row->ratio[k] = find_above(e, name, name->kind == TRMI_SCALAR ? name->text : "");
    }
    if (set)
        trmi_report_key(e->document, set, "a ratio has no runs: 'set' would have no effect");
}

// what is expected of a row: by at most one of three keys
static bool read_expectation(trmi_experiment *e, const trmi_item *root, const trmi_item *item,
                             trmi_experiment_row *row)
{
    static const char *const keys[] = {"printed", "theory", "like"};
    const trmi_item *first = NULL;
    for (int k = 0; k < 3; k++) {
        const trmi_item *found = trmi_item_find(item, keys[k]);
        if (found && first)
            trmi_report_key(e->document, found, "'%s' beside '%s': only one can be expected",
                            keys[k], first->key);
        first = first ? first : found;
    }
    const char *like = trmi_fields_text(e->document, item, "like", TRMI_FIELD_OPTIONAL);
    row->like = find_above(e, trmi_item_find(item, "like"), like);
    return read_printed(e, root, item, row) && read_theory(e, item, row);
}

// ---- the largest setting that works ----

// {set: PATH, whole: TEXT, parts: [NUMBERS]}
static bool read_largest(trmi_experiment *e, const trmi_item *item, trmi_largest *out)
{
    static const char *const valid[] = {"set", "whole", "parts", NULL};
    trmi_document *d = e->document;
    const trmi_item *map = trmi_fields_map(d, item, "largest", TRMI_FIELD_OPTIONAL);
    if (!map || !trmi_fields_check(d, map, "'largest'", valid))
        return true;
    out->path = trmi_fields_text(d, map, "set", TRMI_FIELD_REQUIRED);
    const char *whole = trmi_fields_text(d, map, "whole", TRMI_FIELD_REQUIRED);
    const trmi_item *list = trmi_fields_list(d, map, "parts", TRMI_FIELD_REQUIRED);
    double *parts;
    if (!out->path || !whole || !list)
        return true;
    if (!TRMI_TAKE(&e->memory, parts, list->count) ||
        !TRMI_TAKE(&e->memory, out->assignment, list->count))
        return false;
    size_t size = strlen(out->path) + strlen(whole) + 64;
    for (const trmi_item *i = list->child; i; i = i->next, out->count++) {
        char *text;
        if (!TRMI_TAKE(&e->memory, text, size))
            return false;
        if (!trmi_item_number(i, &parts[out->count]))
            trmi_report(d, i, "a part is a number");
        // a formula, in quotes: the value need not be a number
        snprintf(text, size, "%s='(%s)/%.17g'", out->path, whole, parts[out->count]);
        out->assignment[out->count] = text;
    }
    out->parts = parts;
    return true;
}

static bool read_row(trmi_experiment *e, const trmi_item *root, const trmi_item *item)
{
    static const char *const valid[] = {"name",   "set",     "ratio", "printed", "table",
                                        "shown",  "theory",  "like",  "slack",   "judge",
                                        "reason", "largest", "base",  NULL};
    trmi_document *d = e->document;
    trmi_experiment_row row = {.like = -1, .ratio = {-1, -1}, .base = -1, .judged = true};
    if (!trmi_fields_check(d, item, "a row", valid))
        return true;
    row.name = trmi_fields_text(d, item, "name", TRMI_FIELD_REQUIRED);
    if (row.name && trmi_experiment_find_row(e, row.name) >= 0)
        trmi_report(d, trmi_item_find(item, "name"), "a second row '%.60s'", row.name);
    trmi_fields_number(d, root, "slack", &row.slack);
    trmi_fields_number(d, item, "slack", &row.slack);
    if (!(row.slack >= 0 && row.slack <= 1))
        trmi_report(d, item, "the slack %g is not between 0 and 1", row.slack);
    trmi_fields_truth(d, root, "judge", &row.judged);
    trmi_fields_truth(d, item, "judge", &row.judged);
    const trmi_item *holder = trmi_item_find(item, "reason") ? item : root;
    row.reason = trmi_fields_text(d, holder, "reason", TRMI_FIELD_OPTIONAL);
    read_ratio(e, item, &row);
    const trmi_item *set = trmi_fields_map(d, item, "set", TRMI_FIELD_OPTIONAL);
    const char *base = trmi_fields_text(d, item, "base", TRMI_FIELD_OPTIONAL);
    row.base = find_above(e, trmi_item_find(item, "base"), base);
    if (!trmi_experiment_read_settings(e, set, &row.set) ||
        !read_expectation(e, root, item, &row) || !read_largest(e, item, &row.largest))
        return false;
    e->row[e->rows++] = row;
    return true;
}

bool trmi_experiment_read_rows(trmi_experiment *e, const trmi_item *root)
{
    const trmi_item *rows = trmi_fields_list(e->document, root, "rows", TRMI_FIELD_REQUIRED);
    if (!TRMI_TAKE(&e->memory, e->row, rows ? rows->count : 0))
        return false;
    for (const trmi_item *item = rows ? rows->child : NULL; item; item = item->next)
        if (!read_row(e, root, item))
            return false;
    return true;
}
