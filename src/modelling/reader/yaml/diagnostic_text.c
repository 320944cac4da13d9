// SPDX-License-Identifier: Apache-2.0
// A diagnostic as text:
//     pendulum.yaml:7:8: error: 'end' must be a number or a formula, not a list
//           end: [1, 2]
//                ^
// Of long lines the part around the column is shown.
#include "modelling/reader/yaml/source.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// characters of a line that are shown, and of those before the column when it is cut
enum { SHOWN = 160, BEFORE = 80 };
static const char margin[] = "    ", gap[] = "...";

// a text that grows like the result of snprintf, cut where the buffer ends
typedef struct output {
    char *buffer;
    size_t size, length;
} output;

static void put(output *o, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++, o->length++)
        if (o->length + 1 < o->size)
            o->buffer[o->length] = text[k];
}

static void put_text(output *o, const char *text)
{
    put(o, text, strlen(text));
}

// one character of a foreign text, '?' when it may not be shown; returns its bytes
static size_t put_character(output *o, const char *text, size_t left)
{
    int bytes = *text == '\t' ? 1 : trmi_printable(text, left);
    int taken = trmi_character(text, left);
    put(o, bytes ? text : "?", bytes ? (size_t)bytes : 1);
    return taken > 0 ? (size_t)taken : 1;
}

// foreign text without line structure
static void put_clean(output *o, const char *text)
{
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes)
        bytes = put_character(o, *text == '\t' ? " " : text, left);
}

// characters [begin, end) of the line; blank: spaces in their place, tabs stay
static void put_part(output *o, const char *line, int begin, int end, bool blank)
{
    size_t left = strlen(line);
    for (int k = 0; left > 0 && k < end; k++) {
        output nothing = {NULL, 0, 0};
        output *to = k < begin || blank ? &nothing : o;
        size_t bytes = put_character(to, line, left);
        if (k >= begin && blank)
            put_text(o, *line == '\t' ? "\t" : " ");
        line += bytes;
        left -= bytes;
    }
}

// the characters of a line, up to a limit
static int count_characters(const char *line, int limit)
{
    int count = 0;
    size_t left = strlen(line);
    output nothing = {NULL, 0, 0};
    for (size_t bytes; left > 0 && count < limit; line += bytes, left -= bytes, count++)
        bytes = put_character(&nothing, line, left);
    return count;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void put_source(output *o, const char *line, int column, int length)
{
    column = smaller(column, INT_MAX - 2 * SHOWN);
    int count = count_characters(line, column + 2 * SHOWN), at = smaller(column - 1, count);
    int begin = count > SHOWN && at > BEFORE ? smaller(at - BEFORE, count - SHOWN) : 0;
    int end = smaller(count, begin + SHOWN);
    put_text(o, margin);
    put_text(o, begin > 0 ? gap : "");
    put_part(o, line, begin, end, false);
    put_text(o, end < count ? gap : "");
    put_text(o, "\n");
    put_text(o, margin);
    put_text(o, begin > 0 ? "   " : ""); // as wide as the gap
    put_part(o, line, begin, at, true);
    put_text(o, "^");
    for (int k = at + 1; k < end && k - at < length; k++)
        put_text(o, "~");
    put_text(o, "\n");
}

int trm_diagnostic_format(const trm_diagnostic *d, char *buffer, size_t size)
{
    if (!d || !d->file || !d->text)
        return snprintf(buffer, buffer ? size : 0, "%s", "");
    size = buffer ? size : 0;
    output o = {buffer, size, 0};
    put_clean(&o, d->file);
    if (d->line > 0) {
        char place[40];
        snprintf(place, sizeof place, ":%d:%d", d->line, d->column);
        put_text(&o, place);
    }
    put_text(&o, d->error ? ": error: " : ": warning: ");
    put_clean(&o, d->text);
    put_text(&o, "\n");
    if (d->source && d->line > 0 && d->column > 0)
        put_source(&o, d->source, d->column, d->length);
    if (size > 0)
        buffer[o.length < size ? o.length : size - 1] = '\0';
    return o.length < INT_MAX ? (int)o.length : INT_MAX;
}
