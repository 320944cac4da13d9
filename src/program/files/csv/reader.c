// SPDX-License-Identifier: Apache-2.0
// CSV results as writer.c writes them (RFC 4180), read at once. An incomplete last line, as a
// kill may leave it, is left out. A power failure may leave zeros in place of blocks that were not
// written yet: a table ends before the line with the first one, and the result reports it.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "program/files/csv/names.h"
#include "program/files/csv/part.h"
#include "program/files/file_error.h"
#include "program/files/result.h"
#include "program/files/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- fields ----

// A file in memory and a place in it.
typedef struct csv_table {
    const char *path;
    trmi_text text;
    char *place, *end; // end: after the last complete line
    int64_t line;      // from 1
    bool gaps;         // bytes after the end were never written
} csv_table;

// 0 or errno
static int load_table(csv_table *table, const char *path)
{
    *table = (csv_table){.path = path};
    FILE *file = fopen(path, "rb");
    if (!file)
        return errno;
    char block[65536];
    size_t length;
    while ((length = fread(block, 1, sizeof block, file)) > 0)
        trmi_text_add_bytes(&table->text, block, length);
    int code = ferror(file) ? EIO : 0;
    fclose(file);
    if (table->text.failed)
        code = ENOMEM;
    table->place = table->end = table->text.data;
    bool quoted = false;
    for (size_t i = 0; code == 0 && i < table->text.length && !table->gaps; i++) {
        table->gaps = table->text.data[i] == '\0';
        quoted ^= table->text.data[i] == '"';
        if (table->text.data[i] == '\n' && !quoted)
            table->end = table->text.data + i + 1;
    }
    return code;
}

// The next field, unquoted in place; *last: it ends its line. Call only before the end.
static char *next_field(csv_table *table, bool *last)
{
    char *from = table->place, *to = from, *field = from;
    bool quoted = false;
    for (; from < table->end; from++) {
        if (*from == '"') {
            if (quoted && from + 1 < table->end && from[1] == '"')
                *to++ = *from++; // "" is one quote
            else
                quoted = !quoted;
        } else if (!quoted && (*from == ',' || *from == '\n')) {
            break;
        } else {
            *to++ = *from;
        }
    }
    *last = from >= table->end || *from == '\n';
    table->place = from < table->end ? from + 1 : table->end;
    if (*last && to > field && to[-1] == '\r')
        to--;
    *to = '\0';
    return field;
}

static trm_status report_bad(const csv_table *table, const char *what, trm_error *error)
{
    return trmi_file_error_text(error, "read", table->path, "line %" PRId64 ": %s", table->line,
                                what);
}

// ---- numbers ----

// Columns that grow together.
typedef struct columns {
    double *value; // row by row
    int width;
    int64_t rows, capacity;
} columns;

static trm_status read_line(csv_table *table, columns *c, trm_error *error)
{
    bool last = false;
    table->line++;
    if (c->rows == c->capacity) {
        int64_t capacity = 2 * c->capacity + 64;
        double *value = realloc(c->value, (size_t)capacity * (size_t)c->width * sizeof *value);
        if (!value)
            return trmi_file_error(error, "read", table->path, ENOMEM);
        c->value = value;
        c->capacity = capacity;
    }
    double *row = c->value + c->rows++ * c->width;
    for (int k = 0; k < c->width; k++) {
        if (last)
            return report_bad(table, "there are fewer fields than in the header", error);
        char *field = next_field(table, &last), *end;
        row[k] = strtod(field, &end);
        if (end == field || *end)
            return report_bad(table, "a field is not a number", error);
    }
    return last ? TRM_OK : report_bad(table, "there are more fields than in the header", error);
}

// the channels of the header; width := its fields
static trm_status read_header(trmi_result *r, csv_table *table, const char *group, int *width,
                              trm_error *error)
{
    table->line++;
    if (table->place == table->end)
        return report_bad(table, "the header is incomplete", error);
    bool last = false;
    for (*width = 0; !last; ++*width) {
        char *label = next_field(table, &last);
        trmi_channel channel = {.description = ""};
        trmi_csv_split_label(label, &channel.group, &channel.name, &channel.unit);
        char errors[100];
        if (group && strcmp(group, TRMI_ERROR_GROUP) == 0) {
            snprintf(errors, sizeof errors, TRMI_ERROR_GROUP "%.80s", channel.group);
            channel.group = errors;
        } else if (group) {
            channel.group = group;
        }
        if (*width > 0 && !trmi_result_add_channel(r, &channel))
            return trmi_result_no_memory(r, error);
    }
    return TRM_OK;
}

// group: of all channels, TRMI_ERROR_GROUP: what theirs begin with, NULL: theirs
static trm_status read_table(trmi_result *r, csv_table *table, trmi_time_axis axis,
                             const char *group, trm_error *error)
{
    columns c = {0};
    int first = r->channels;
    trm_status status = read_header(r, table, group, &c.width, error);
    while (status == TRM_OK && table->place < table->end)
        status = read_line(table, &c, error);
    for (int k = 0; k < c.width && status == TRM_OK; k++) {
        if (k == 0 && r->time[axis].value)
            continue; // errors are over the times of the rows
        trmi_series *series = k == 0 ? &r->time[axis] : &r->series[first + k - 1];
        if (!TRMI_TAKE(&r->memory, series->value, c.rows))
            status = trmi_result_no_memory(r, error);
        series->count = series->value ? c.rows : 0;
        for (int64_t i = 0; i < series->count; i++)
            series->value[i] = c.value[i * c.width + k];
    }
    free(c.value);
    return status;
}

// ---- events ----

static trm_status read_event(trmi_result *r, csv_table *table, trmi_recorded_event *event,
                             trm_error *error)
{
    bool last;
    table->line++;
    char *field = next_field(table, &last), *end;
    event->t = strtod(field, &end);
    if (end == field || *end)
        return report_bad(table, "the first field is not a number", error);
    event->name = last ? NULL : trmi_result_keep(r, next_field(table, &last));
    event->text = last ? NULL : trmi_result_keep(r, next_field(table, &last));
    if (!event->name || !event->text || !last)
        return report_bad(table, "an event has three fields", error);
    return TRM_OK;
}

static trm_status read_events(trmi_result *r, csv_table *table, trm_error *error)
{
    int64_t lines = 0;
    for (const char *c = table->place; c < table->end; c++)
        lines += *c == '\n'; // at least as many as events
    if (!TRMI_TAKE(&r->memory, r->event, lines))
        return trmi_result_no_memory(r, error);
    for (bool last = table->place == table->end; !last;)
        next_field(table, &last); // header
    table->line++;
    trm_status status = TRM_OK;
    while (status == TRM_OK && table->place < table->end)
        status = read_event(r, table, &r->event[r->events++], error);
    return status;
}

// ---- interface ----

static trm_status read_part(trmi_result *r, trmi_file_part part, trm_error *error)
{
    csv_table table;
    char *path = trmi_csv_part_path(r->path, part);
    if (!path)
        return trmi_result_no_memory(r, error);
    int code = load_table(&table, path);
    trm_status status = TRM_OK;
    bool empty = code == ENOENT || (code == 0 && table.place == table.end);
    if (empty && part != TRMI_PART_ROWS)
        status = TRM_OK; // steps, events and errors may be missing, or not started
    else if (code != 0)
        status = trmi_file_error(error, "read", path, code);
    else if (part == TRMI_PART_EVENTS)
        status = read_events(r, &table, error);
    else if (part == TRMI_PART_STEPS)
        status = read_table(r, &table, TRMI_AXIS_STEPS, "solver", error);
    else
        status = read_table(r, &table, TRMI_AXIS_GRID,
                            part == TRMI_PART_ERRORS ? TRMI_ERROR_GROUP : NULL, error);
    if (code == 0 && table.gaps)
        r->attribute[TRMI_ATTRIBUTE_text] = "blocks that were not written follow the last line: "
                                            "the machine failed during the run";
    trmi_text_free(&table.text);
    free(path);
    return status;
}

static trm_status open_result(trmi_result *r, trm_error *error)
{
    trm_status status = TRM_OK;
    static const trmi_file_part order[] = {TRMI_PART_ROWS, TRMI_PART_ERRORS, // of the grid first
                                           TRMI_PART_STEPS, TRMI_PART_EVENTS};
    for (size_t k = 0; k < sizeof order / sizeof *order && status == TRM_OK; k++)
        status = read_part(r, order[k], error);
    return status;
}

static trm_status load_channel(trmi_result *r, int index, trm_error *error)
{
    (void)index;
    return trmi_file_error_text(error, "read", r->path, "the values are missing");
}

static trm_status load_time(trmi_result *r, trmi_time_axis axis, trm_error *error)
{
    (void)axis;
    return trmi_file_error_text(error, "read", r->path, "there is no file with the steps");
}

// "t," or "t [s]": the label of the first column
static bool recognises(const char *head, size_t length)
{
    bool time = length > 1 && head[0] == 't' && strchr(",\n", head[1]);
    return time || (length > 5 && memcmp(head, "t [s]", 5) == 0);
}

static trm_status measure(const char *path, trmi_reach *reach, trm_error *error)
{
    int code = trmi_csv_measure(path, &reach->rows, &reach->t);
    return code == 0 ? TRM_OK : trmi_file_error(error, "continue", path, code);
}

const trmi_file_reader trmi_csv_reader = {.recognises = recognises,
                                          .open = open_result,
                                          .load_channel = load_channel,
                                          .load_time = load_time,
                                          .part_path = trmi_csv_part_path,
                                          .measure = measure};
