// SPDX-License-Identifier: Apache-2.0
#include "program/study/study_data.h"

#include "base/error.h"
#include "base/texts.h"
#include "program/files/csv/names.h"
#include "program/files/file_error.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The next field of a line, its quotes removed, in place; *end: it was the last.
static char *next_field(char **at, bool *end)
{
    char *field = *at, *to = field, *from = field;
    bool quoted = *from == '"';
    from += quoted;
    for (; *from; from++) {
        if (quoted && from[0] == '"' && from[1] == '"')
            from++;
        else if (quoted && *from == '"') {
            quoted = false;
            continue;
        } else if (!quoted && (*from == ',' || *from == '\n'))
            break;
        *to++ = *from;
    }
    *end = *from != ',';
    *at = *from ? from + 1 : from;
    *to = '\0';
    return field;
}

// what the column with that number is
static trmi_study_column_kind kind_of(const trmi_plan *plan, int index, int columns)
{
    int recorded = columns - 2 - plan->columns; // the first one
    if (index == 0)
        return TRMI_STUDY_RUN;
    if (index <= plan->study->parameters)
        return TRMI_STUDY_PARAMETER;
    if (index >= columns - 2)
        return TRMI_STUDY_END;
    if (index < recorded)
        return TRMI_STUDY_OUTCOME;
    return plan->column[index - recorded].kind == TRMI_RECORD_CHANNELS ? TRMI_STUDY_CHANNEL
                                                                       : TRMI_STUDY_RECORDED;
}

// "phi" of "channel(phi)"
static bool name_channel(trmi_texts *texts, trmi_study_column *c)
{
    char name[400];
    const char *begin = strchr(c->name, '(') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strlen(begin) - 1, begin);
    c->name = TRMI_JOIN(texts, name);
    c->label = c->unit[0] ? TRMI_JOIN(texts, name, " [", c->unit, "]") : c->name;
    return c->name && c->label;
}

// the columns by the first line; false: no memory
static bool read_header(trmi_study_data *d, char *line, const trmi_plan *plan, int64_t rows)
{
    trmi_texts texts = {.memory = &d->memory};
    int columns = 1;
    for (const char *c = line; *c && *c != '\n'; c++)
        columns += *c == ',';
    if (!TRMI_TAKE(&d->memory, d->column, columns))
        return false;
    for (bool end = false; !end && d->columns < columns;) {
        trmi_study_column *c = &d->column[d->columns++];
        const char *group, *name, *unit;
        char *label = next_field(&line, &end);
        c->label = TRMI_JOIN(&texts, label);
        trmi_csv_split_label(label, &group, &name, &unit);
        c->name = *group ? TRMI_JOIN(&texts, group, "/", name) : TRMI_JOIN(&texts, name);
        c->unit = TRMI_JOIN(&texts, unit);
        if (!c->label || !c->name || !c->unit)
            return false;
    }
    for (int k = 0; k < d->columns; k++) {
        trmi_study_column *c = &d->column[k];
        c->kind = kind_of(plan, k, d->columns);
        c->width = c->kind == TRMI_STUDY_CHANNEL ? plan->times : 1;
        if (c->kind == TRMI_STUDY_CHANNEL && !name_channel(&texts, c))
            return false;
        if (c->kind == TRMI_STUDY_PARAMETER) // without the group that makes a label unique
            c->name = plan->study->parameter[k - 1].name;
        bool words = c->kind == TRMI_STUDY_END ||
                     (c->kind == TRMI_STUDY_OUTCOME && strcmp(c->name, "status") == 0);
        if (!(words ? TRMI_TAKE(&d->memory, c->text, rows)
                    : TRMI_TAKE(&d->memory, c->value, rows * c->width)))
            return false;
    }
    return true;
}

// the numbers of a field; NaN where there is none
static void read_numbers(const char *field, double *value, int count)
{
    for (int k = 0; k < count; k++) {
        char *end;
        value[k] = strtod(field, &end);
        if (end == field)
            value[k] = NAN;
        field = end;
    }
}

// a line into the row; false: no memory
static bool read_line(trmi_study_data *d, char *line, int64_t row)
{
    trmi_texts texts = {.memory = &d->memory};
    bool end = false;
    for (int k = 0; k < d->columns; k++) {
        char *field = end ? "" : next_field(&line, &end);
        trmi_study_column *c = &d->column[k];
        if (c->value)
            read_numbers(field, c->value + row * c->width, c->width);
        else if (!(c->text[row] = TRMI_JOIN(&texts, field)))
            return false;
    }
    return true;
}

typedef struct line_place {
    int64_t run;
    char *line;
} line_place;

static int compare_places(const void *a, const void *b)
{
    const line_place *x = a, *y = b;
    return (x->run > y->run) - (x->run < y->run);
}

// Adds the complete lines behind the header of a text; false: no memory.
static bool add_lines(char *text, line_place **place, int64_t *count)
{
    int64_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    line_place *more = realloc(*place, (size_t)(*count + lines + 1) * sizeof *more);
    if (!more)
        return false;
    *place = more;
    char *line = strchr(text, '\n');
    for (line += line != NULL; line && strchr(line, '\n'); line = strchr(line, '\n') + 1)
        more[(*count)++] = (line_place){strtoll(line, NULL, 10), line};
    return true;
}

// in the order of the runs, each once
static int64_t sort_lines(line_place *place, int64_t count)
{
    int64_t kept = 0;
    if (count > 0)
        qsort(place, (size_t)count, sizeof *place, compare_places);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || place[kept - 1].run != place[i].run)
            place[kept++] = place[i];
    return kept;
}

// A table is larger than files that people write: no limit but that of the memory.
static char *read_table(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size >= 0 && fseek(file, 0, SEEK_SET) == 0 ? malloc((size_t)size + 1) : NULL;
    int reason = errno;
    if (text)
        text[fread(text, 1, (size_t)size, file)] = '\0';
    if (text && ferror(file)) {
        reason = errno;
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    errno = reason;
    return text;
}

bool trmi_study_data_columns(trmi_study_data *d, const trmi_plan *plan, int64_t rows)
{
    *d = (trmi_study_data){.rows = rows};
    trmi_memory_init(&d->memory, NULL);
    char *header = trmi_memory_take(&d->memory, plan->header.length + 1, 1);
    if (header)
        memcpy(header, plan->header.data, plan->header.length);
    return header && read_header(d, header, plan, rows);
}

trm_status trmi_study_data_read(trmi_study_data *d, const char *const *path, const trmi_plan *plan,
                                trm_error *error)
{
    line_place *place = NULL;
    int64_t lines = 0;
    size_t files = 0;
    trm_status status = TRM_OK;
    *d = (trmi_study_data){0};
    trmi_memory_init(&d->memory, NULL);
    while (path[files])
        files++;
    char **text = calloc(files + 1, sizeof *text);
    bool good = text != NULL;
    for (size_t k = 0; k < files && good && status == TRM_OK; k++) {
        text[k] = read_table(path[k]);
        if (!text[k])
            status = trmi_file_error(error, "read", path[k], errno);
        else
            good = add_lines(text[k], &place, &lines);
    }
    if (good && status == TRM_OK)
        good = trmi_study_data_columns(d, plan, sort_lines(place, lines));
    for (int64_t i = 0; i < d->rows && good && status == TRM_OK; i++)
        good = read_line(d, place[i].line, i);
    for (size_t k = 0; k < files && text; k++)
        free(text[k]);
    free(text);
    free(place);
    return good ? status : trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the table");
}

void trmi_study_data_release(trmi_study_data *d)
{
    trmi_memory_release_all(&d->memory);
}

const trmi_study_column *trmi_study_data_outcome(const trmi_study_data *d, const char *name)
{
    for (int k = 0; k < d->columns; k++)
        if (d->column[k].kind == TRMI_STUDY_OUTCOME && strcmp(d->column[k].name, name) == 0)
            return &d->column[k];
    return NULL;
}

static bool is_done(const trmi_study_column *status, int64_t row)
{
    return status && status->text && strcmp(status->text[row], "done") == 0;
}

int64_t trmi_study_data_undone(const trmi_study_data *d)
{
    const trmi_study_column *status = trmi_study_data_outcome(d, "status");
    int64_t count = 0;
    for (int64_t i = 0; i < d->rows; i++)
        count += !is_done(status, i);
    return count;
}

void trmi_study_data_leave_out(trmi_study_data *d)
{
    const trmi_study_column *status = trmi_study_data_outcome(d, "status");
    for (int k = 0; k < d->columns; k++) {
        const trmi_study_column *c = &d->column[k];
        bool recorded = c->kind == TRMI_STUDY_RECORDED || c->kind == TRMI_STUDY_CHANNEL;
        for (int64_t i = 0; i < d->rows * c->width && recorded; i++)
            if (!is_done(status, i / c->width))
                c->value[i] = NAN;
    }
}
