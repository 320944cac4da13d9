// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/paper.h"

#include "program/reproduce/fields.h"

#include <math.h>
#include <string.h>

// ---- searching ----

const trmi_printed_table *trmi_paper_find(const trmi_paper *paper, const char *name)
{
    for (int i = 0; i < paper->tables; i++)
        if (paper->table[i].name && strcmp(paper->table[i].name, name) == 0)
            return &paper->table[i];
    return NULL;
}

int trmi_printed_row(const trmi_printed_table *t, const char *name)
{
    for (int i = 0; i < t->rows; i++)
        if (strcmp(t->row[i], name) == 0)
            return i;
    return -1;
}

int trmi_printed_column(const trmi_printed_table *t, const char *name)
{
    for (int k = 0; k < t->columns; k++)
        if (strcmp(t->column[k], name) == 0)
            return k;
    return -1;
}

// ---- reading ----

typedef struct reader {
    trmi_memory *memory;
    trmi_document *document;
    trmi_paper *paper;
} reader;

static void read_columns(reader *r, const trmi_item *map, trmi_printed_table *t)
{
    const trmi_item *list = trmi_fields_list(r->document, map, "columns", TRMI_FIELD_OPTIONAL);
    if (list && list->count > TRMI_PAPER_COLUMNS) {
        trmi_report(r->document, list, "more than %d columns", TRMI_PAPER_COLUMNS);
        return;
    }
    for (const trmi_item *item = list ? list->child : NULL; item; item = item->next) {
        if (item->kind != TRMI_SCALAR)
            trmi_report(r->document, item, "a column is a name");
        else
            t->column[t->columns++] = item->text;
    }
}

static bool read_rows(reader *r, const trmi_item *map, trmi_printed_table *t)
{
    const trmi_item *rows = trmi_fields_map(r->document, map, "rows", TRMI_FIELD_OPTIONAL);
    int count = rows ? rows->count : 0;
    if (!TRMI_TAKE(r->memory, t->row, count) ||
        !TRMI_TAKE(r->memory, t->number, count * t->columns))
        return false;
    for (const trmi_item *item = rows ? rows->child : NULL; item; item = item->next) {
        double *number = t->number + t->rows * t->columns;
        t->row[t->rows++] = item->key;
        if (item->kind != TRMI_LIST || item->count != t->columns) {
            trmi_report(r->document, item, "a row of %s is a list of %d numbers",
                        t->name ? t->name : "a table", t->columns);
            continue;
        }
        for (const trmi_item *cell = item->child; cell; cell = cell->next, number++) {
            *number = NAN;
            if (!trmi_item_null(cell) && !trmi_item_number(cell, number))
                trmi_report(r->document, cell, "a number as printed, or null");
        }
    }
    return true;
}

// why something is not compared: one text, or one for each column
static void read_missing(reader *r, const trmi_item *map, trmi_printed_table *t)
{
    const trmi_item *missing = trmi_item_find(map, "missing");
    if (!missing || missing->kind != TRMI_MAP) {
        t->absent = trmi_fields_text(r->document, map, "missing", TRMI_FIELD_OPTIONAL);
        return;
    }
    for (const trmi_item *item = missing->child; item; item = item->next) {
        int column = trmi_printed_column(t, item->key);
        if (column < 0)
            trmi_report_key(r->document, item, "%s has no column '%.60s'", t->name, item->key);
        else
            t->missing[column] =
                trmi_fields_text(r->document, missing, item->key, TRMI_FIELD_REQUIRED);
    }
}

static bool read_table(reader *r, const trmi_item *map)
{
    static const char *const valid[] = {"name", "shows",   "sketch",    "columns",
                                        "rows", "missing", "elsewhere", NULL};
    trmi_document *d = r->document;
    if (!trmi_fields_check(d, map, "a table or figure", valid))
        return true;
    trmi_printed_table t = {.name = trmi_fields_text(d, map, "name", TRMI_FIELD_REQUIRED)};
    if (t.name && trmi_paper_find(r->paper, t.name))
        trmi_report(d, trmi_item_find(map, "name"), "a second '%.60s'", t.name);
    const char *sketch = trmi_fields_text(d, map, "sketch", TRMI_FIELD_OPTIONAL);
    t.sketch = sketch != NULL;
    t.shows = sketch ? sketch : trmi_fields_text(d, map, "shows", TRMI_FIELD_OPTIONAL);
    t.elsewhere = trmi_fields_text(d, map, "elsewhere", TRMI_FIELD_OPTIONAL);
    read_columns(r, map, &t);
    if (!read_rows(r, map, &t))
        return false;
    read_missing(r, map, &t);
    r->paper->table[r->paper->tables++] = t;
    return true;
}

static bool read_contents(reader *r)
{
    static const char *const valid[] = {"trammel-paper", "title", "contents", NULL};
    const trmi_item *root = trmi_document_root(r->document);
    if (!trmi_fields_check(r->document, root, "a paper", valid))
        return true;
    const char *version = trmi_fields_text(r->document, root, "trammel-paper", TRMI_FIELD_REQUIRED);
    if (version && strcmp(version, "1") != 0)
        trmi_report(r->document, trmi_item_find(root, "trammel-paper"),
                    "the version of the format is 1");
    r->paper->title = trmi_fields_text(r->document, root, "title", TRMI_FIELD_REQUIRED);
    const trmi_item *list = trmi_fields_list(r->document, root, "contents", TRMI_FIELD_REQUIRED);
    if (!TRMI_TAKE(r->memory, r->paper->table, list ? list->count : 0))
        return false;
    for (const trmi_item *item = list ? list->child : NULL; item; item = item->next)
        if (!read_table(r, item))
            return false;
    return true;
}

trmi_paper *trmi_paper_read(trmi_memory *memory, const char *path, int *errors,
                            trm_diagnostic_function *report, void *user)
{
    reader r = {.memory = memory};
    if (TRMI_TAKE(memory, r.paper, 1))
        r.document = trmi_document_load(memory, path, report, user);
    bool good = r.document && (trmi_document_errors(r.document) > 0 || read_contents(&r));
    *errors = r.document && !memory->failed ? trmi_document_errors(r.document) : !memory->failed;
    return good && !memory->failed ? r.paper : NULL;
}
