// SPDX-License-Identifier: Apache-2.0
// Columns of a CSV file: values separated by commas, semicolons or tabs, a line of names first if
// its columns are asked for by name. Lines that begin with # and empty lines are skipped.
#include "modelling/reader/tables.h"

#include "base/characters.h"
#include "base/grow.h"
#include "base/nearest.h"
#include "modelling/expression/unit.h"
#include "modelling/reader/beside.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 1000, LONGEST_LINE = 1 << 16 };

// A file under reading.
typedef struct csv {
    trmi_reading *r;
    const trmi_item *item; // its path in the model file
    FILE *file;
    int line;
    char text[LONGEST_LINE];  // the present one, its fields ended by zeros
    char *field[MAX_COLUMNS]; // of that line
    int fields;
} csv;

// ---- lines ----

static void divide(csv *c)
{
    char *at = c->text;
    c->fields = 0;
    while (at && c->fields < MAX_COLUMNS) {
        char *end = strpbrk(at, ",;\t");
        if (end)
            *end = '\0';
        c->field[c->fields++] = trmi_trim_field(at);
        at = end ? end + 1 : NULL;
    }
}

// the next line that has fields; false at the end and after an error, which is reported
static bool next_line(csv *c)
{
    while (fgets(c->text, sizeof c->text, c->file)) {
        c->line++;
        if (strlen(c->text) + 1 == sizeof c->text) {
            trmi_report(c->r->document, c->item, "line %d of the file has more than %d bytes",
                        c->line, LONGEST_LINE - 2);
            return false;
        }
        char *start = trmi_trim_field(c->text);
        if (*start == '\0' || *start == '#')
            continue;
        divide(c);
        return true;
    }
    if (ferror(c->file))
        trmi_report(c->r->document, c->item, "the file cannot be read: %s", strerror(errno));
    return false;
}

static bool read_field(const char *text, double *value)
{
    const trmi_item item = {.kind = TRMI_SCALAR, .text = text};
    return trmi_item_number(&item, value);
}

// ---- columns ----

// the name of a column without its unit: "z [mm]" is z
static bool is_column(const char *field, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(field, name, length) != 0)
        return false;
    field += length;
    while (*field == ' ')
        field++;
    return *field == '\0' || *field == '[';
}

static void report_column(csv *c, const trmi_item *item)
{
    const char *near = trmi_nearest(item->text, (const char *const *)c->field, c->fields);
    trmi_report(c->r->document, item, "the file has no column '%.60s'%s%.60s%s", item->text,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// the number of a column from 0 on, of the line of names if there is one; -1 after an error
static int find_column(csv *c, const trmi_item *item, int without, bool header)
{
    double number;
    if (!item || trmi_item_null(item))
        return without;
    if (trmi_item_number(item, &number)) {
        if (number >= 1 && number <= c->fields && number == floor(number))
            return (int)number - 1;
        trmi_report(c->r->document, item, "the file has columns 1 to %d, not %.20s", c->fields,
                    item->text);
        return -1;
    }
    for (int k = 0; k < c->fields && header; k++)
        if (is_column(c->field[k], item->text))
            return k;
    if (header)
        report_column(c, item);
    else
        trmi_report(c->r->document, item,
                    "the file has no line of names; give the number of the column");
    return -1;
}

// the factor of the unit in a name "z [mm]"; false after an error, which is reported
static bool unit_factor(csv *c, const char *field, double *factor)
{
    const char *open = strchr(field, '['), *close = open ? strchr(open, ']') : NULL;
    trmi_unit unit;
    *factor = 1;
    if (!open || !close)
        return true;
    int length = (int)(close - open) - 1;
    if (!trmi_unit_read(open + 1, length, &unit)) {
        trmi_report(c->r->document, c->item, "the unit '%.*s' in line %d of the file is not known",
                    length < 40 ? length : 40, open + 1, c->line);
        return false;
    }
    *factor = unit.factor;
    return true;
}

// ---- values ----

// Values of the two columns under collection.
typedef struct collection {
    double *value[2];
    int count, capacity[2];
    int column[2];
    double factor[2];
} collection;

// adds the present line; false after an error, which is reported
static bool add_line(csv *c, collection *to)
{
    for (int k = 0; k < 2; k++) {
        double *larger = trmi_grow(to->value[k], &to->capacity[k], to->count + 1, sizeof *larger);
        if (!larger) {
            c->r->failed = true;
            return false;
        }
        to->value[k] = larger;
        const char *field = to->column[k] < c->fields ? c->field[to->column[k]] : "";
        double value = 0;
        if (!read_field(field, &value)) {
            trmi_report(c->r->document, c->item,
                        "line %d of the file has no number in column %d, but '%.40s'", c->line,
                        to->column[k] + 1, field);
            return false;
        }
        larger[to->count] = value * to->factor[k];
    }
    const double *x = to->value[0] + to->count;
    if (to->count > 0 && x[0] <= x[-1]) {
        trmi_report(c->r->document, c->item,
                    "the table must ascend: in line %d of the file %g comes after %g", c->line,
                    x[0], x[-1]);
        return false;
    }
    to->count++;
    return true;
}

// columns and units from the first line, then all values
static bool read_lines(csv *c, const trmi_table_file *source, collection *to)
{
    double value;
    if (!next_line(c)) {
        trmi_report(c->r->document, c->item, "the file has no values");
        return false;
    }
    bool header = !read_field(c->field[0], &value), more = true;
    for (int k = 0; k < 2; k++) {
        to->factor[k] = 1;
        to->column[k] = find_column(c, source->column[k], k, header);
        if (to->column[k] < 0)
            return false;
        if (to->column[k] < c->fields && header &&
            !unit_factor(c, c->field[to->column[k]], &to->factor[k]))
            return false;
    }
    if (header)
        more = next_line(c);
    int errors = trmi_document_errors(c->r->document);
    for (; more; more = next_line(c))
        if (!add_line(c, to))
            return false;
    return trmi_document_errors(c->r->document) == errors;
}

int trmi_read_columns(trmi_reading *r, const trmi_table_file *source, double **x, double **y)
{
    char path[4096];
    collection to = {0};
    csv *c = calloc(1, sizeof *c);
    if (!c) {
        r->failed = true;
        return 0;
    }
    trmi_path_beside(r->model->path, source->file->text, path, sizeof path);
    trmi_note_source(r, path);
    *c = (csv){.r = r, .item = source->file, .file = trmi_open_text(path)};
    bool good = c->file != NULL;
    if (!good)
        trmi_report(r->document, source->file, "cannot read '%.200s': %s", path,
                    trmi_read_failure());
    good = good && read_lines(c, source, &to);
    if (good && to.count == 0) {
        trmi_report(r->document, source->file, "the file has no rows below its names");
        good = false;
    }
    if (good && TRMI_TAKE(r->memory, *x, to.count) && TRMI_TAKE(r->memory, *y, to.count)) {
        for (int i = 0; i < to.count; i++) {
            (*x)[i] = to.value[0][i];
            (*y)[i] = to.value[1][i];
        }
    } else {
        r->failed = r->failed || good;
        to.count = 0;
    }
    if (c->file)
        fclose(c->file);
    free(to.value[0]);
    free(to.value[1]);
    free(c);
    return good ? to.count : 0;
}
