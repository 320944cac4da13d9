// SPDX-License-Identifier: Apache-2.0
#include "program/study/points.h"

#include "base/characters.h"
#include "base/grow.h"
#include "base/texts.h"
#include "modelling/reader/beside.h"
#include "modelling/reader/yaml/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The file while it is read.
typedef struct points_file {
    trmi_study *study;
    const trmi_item *item; // that names it
    const char *path;
    char *text; // behind a byte order mark; what was read of it is cut into fields
} points_file;

// The place of a byte of the file. Texts with a place are kept, and the file may be large: only for
// a mistake it is read once more, or where that fails the place is that of its name.
static trmi_place place_of(const points_file *f, const char *at)
{
    trmi_document *d = f->study->document;
    size_t length = 0, offset = (size_t)(at - f->text);
    char *whole = trmi_read_whole(f->path, &length);
    int source = whole && length >= offset ? trmi_document_add(d, f->path, whole, length) : -1;
    free(whole);
    return source >= 0 ? trmi_place_of(d, source, offset)
                       : (trmi_place){f->item->source, f->item->line, f->item->column, 0};
}

// the next field of a line, separated by commas, semicolons or tabs; NULL at its end
static char *next_field(char **line)
{
    char *field = *line, *end = field ? strpbrk(field, ",;\t") : NULL;
    if (end)
        *end = '\0';
    *line = end ? end + 1 : NULL;
    return field ? trmi_trim_field(field) : NULL;
}

// The next line that has something, NULL at the end of the text. Its end is still to be cut.
static char *next_line(char **text)
{
    while (*text && **text) {
        char *line = *text, *end = strchr(line, '\n');
        *text = end ? end + 1 : NULL;
        const char *start = line + strspn(line, " \t\r");
        if (*start && *start != '\n' && *start != '#')
            return line;
    }
    return NULL;
}

static void cut_line(char *line)
{
    line[strcspn(line, "\n")] = '\0';
}

// An item in place of the name of a column, for messages about it. NULL: no memory.
static trmi_item *name_item(const points_file *f, int source, const char *name, const char *text)
{
    trmi_study *s = f->study;
    trmi_item *item;
    if (source < 0 || !TRMI_TAKE(&s->memory, item, 1))
        return NULL;
    trmi_place place = trmi_place_of(s->document, source, (size_t)(name - f->text));
    *item = (trmi_item){.kind = TRMI_SCALAR,
                        .source = source,
                        .line = place.line,
                        .column = place.column,
                        .key_line = place.line,
                        .key_column = place.column,
                        .key = text,
                        .text = text};
    return item;
}

// The header, which becomes a text of the document: the names of its columns have places there.
static bool read_names(const points_file *f, char *line)
{
    trmi_study *s = f->study;
    size_t length = (size_t)(line - f->text) + strcspn(line, "\n");
    int source = trmi_document_add(s->document, f->path, f->text, length);
    cut_line(line);
    trmi_texts texts = {.memory = &s->memory};
    int columns = 1;
    for (const char *c = line; *c; c++)
        columns += strchr(",;\t", *c) != NULL;
    if (!TRMI_TAKE(&s->memory, s->parameter, columns))
        return false;
    for (char *name; (name = next_field(&line));) {
        char *unit = strstr(name, " [");
        if (unit)
            *unit = '\0';
        const char *text = TRMI_JOIN(&texts, name);
        const trmi_item *item = text ? name_item(f, source, name, text) : NULL;
        if (!item)
            return false;
        for (int k = 0; k < s->parameters; k++)
            if (strcmp(s->parameter[k].name, name) == 0)
                trmi_report(s->document, item, "the file has two columns '%.60s'", name);
        s->parameter[s->parameters++] = (trmi_study_parameter){.name = text, .item = item};
    }
    return true;
}

// The numbers of all lines, one line after the other; NULL: no memory.
static double *read_lines(const points_file *f, char *text)
{
    trmi_study *s = f->study;
    double *value = NULL;
    int capacity = 0, count = 0;
    for (char *line; (line = next_line(&text));) {
        const char *start = line;
        cut_line(line);
        double *more = trmi_grow(value, &capacity, count + s->parameters, sizeof *value);
        if (!more) {
            free(value);
            return NULL;
        }
        value = more;
        int k = 0;
        for (char *field; (field = next_field(&line)); k++) {
            const trmi_item number = {.kind = TRMI_SCALAR, .text = field};
            if (k < s->parameters && !trmi_item_number(&number, &value[count + k])) {
                trmi_report_at(s->document, place_of(f, field),
                               "there is no number for '%.60s' but '%.60s'", s->parameter[k].name,
                               field);
                return value;
            }
        }
        if (k != s->parameters) {
            trmi_report_at(s->document, place_of(f, start),
                           "the line has %d value%s for %d columns", k, k == 1 ? "" : "s",
                           s->parameters);
            return value;
        }
        count += s->parameters;
        s->runs++;
    }
    if (s->runs == 0)
        trmi_report_at(s->document, place_of(f, f->text), "the file has no line of values");
    return value ? value : calloc(1, sizeof *value);
}

bool trmi_points_read(trmi_study *s, const trmi_item *points, const trmi_item *sampling)
{
    char path[4096];
    size_t length;
    trmi_path_beside(s->path, points->text, path, sizeof path);
    s->sampling = TRMI_SAMPLING_LIST;
    if (sampling) {
        trmi_report_key(s->document, sampling, "'sampling' beside 'points': the file has all runs");
        return true;
    }
    char *text = trmi_read_whole(path, &length), *rest = text ? trmi_behind_mark(text) : NULL;
    if (!text) {
        if (errno == ENOMEM)
            return false;
        trmi_report(s->document, points, "cannot read %.200s: %s", path, strerror(errno));
        return true;
    }
    const points_file file = {s, points, path, rest};
    char *header = next_line(&rest);
    bool good = true;
    if (!header)
        trmi_report(s->document, points, "%.200s is empty", path);
    else
        good = read_names(&file, header);
    double *value = good && header ? read_lines(&file, rest) : NULL;
    good = good && (value || !header);
    for (int k = 0; k < s->parameters && good && value; k++) {
        double *column;
        good = TRMI_TAKE(&s->memory, column, s->runs);
        for (int64_t i = 0; i < s->runs && good; i++)
            column[i] = value[i * s->parameters + k];
        s->parameter[k].spread = (trmi_spread){.count = s->runs, .value = column};
    }
    free(value);
    free(text);
    return good;
}
