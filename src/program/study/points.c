// SPDX-License-Identifier: Apache-2.0
#include "program/study/points.h"

#include "base/characters.h"
#include "base/grow.h"
#include "base/texts.h"
#include "modelling/reader/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// the next field of a line, separated by commas, semicolons or tabs; NULL at its end
static char *next_field(char **line)
{
    char *field = *line, *end = field ? strpbrk(field, ",;\t") : NULL;
    if (end)
        *end = '\0';
    *line = end ? end + 1 : NULL;
    return field ? trmi_trim_field(field) : NULL;
}

// the next line that has something, NULL at the end of the text
static char *next_line(char **text, int *number)
{
    while (*text && **text) {
        char *line = *text, *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        *text = end ? end + 1 : NULL;
        ++*number;
        char *start = line + strspn(line, " \t\r");
        if (*start && *start != '#')
            return line;
    }
    return NULL;
}

static bool read_names(trmi_study *s, const trmi_item *item, char *line)
{
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
        for (int k = 0; k < s->parameters; k++)
            if (strcmp(s->parameter[k].name, name) == 0)
                trmi_report(s->document, item, "the file has two columns '%.60s'", name);
        trmi_study_parameter *p = &s->parameter[s->parameters++];
        *p = (trmi_study_parameter){.name = TRMI_JOIN(&texts, name), .item = item};
        if (!p->name)
            return false;
    }
    return true;
}

// The numbers of all lines, one line after the other; NULL: no memory.
static double *read_lines(trmi_study *s, const trmi_item *item, char *text, int line_number)
{
    double *value = NULL;
    int capacity = 0, count = 0;
    for (char *line; (line = next_line(&text, &line_number));) {
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
                trmi_report(s->document, item,
                            "line %d of the file has no number for '%.60s' but '%.60s'",
                            line_number, s->parameter[k].name, field);
                return value;
            }
        }
        if (k != s->parameters) {
            trmi_report(s->document, item, "line %d of the file has %d values for %d columns",
                        line_number, k, s->parameters);
            return value;
        }
        count += s->parameters;
        s->runs++;
    }
    if (s->runs == 0)
        trmi_report(s->document, item, "the file has no line of values");
    return value ? value : calloc(1, sizeof *value);
}

bool trmi_points_read(trmi_study *s, const trmi_item *points, const trmi_item *sampling)
{
    char path[4096];
    size_t length;
    int line_number = 0;
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
    char *header = next_line(&rest, &line_number);
    bool good = true;
    if (!header)
        trmi_report(s->document, points, "the file is empty");
    else
        good = read_names(s, points, header);
    double *value = good && header ? read_lines(s, points, rest, line_number) : NULL;
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
