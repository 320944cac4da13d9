// SPDX-License-Identifier: Apache-2.0
// Messages about a document. Lines and columns count characters from 1, as editors do.
#include "modelling/reader/yaml/source.h"

#include "base/error.h"
#include "base/hash.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1024, LINE_BYTES = 1 << 16 };

// ---- places ----

int trmi_line_break(const char *text, size_t left)
{
    static const char *const breaks[] = {"\r\n",     "\r",           "\n",
                                         "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    if (left == 0 || ((unsigned char)text[0] >= ' ' && (unsigned char)text[0] < 0x80))
        return 0; // nearly all bytes
    for (size_t k = 0; k < sizeof breaks / sizeof *breaks; k++) {
        size_t length = strlen(breaks[k]);
        if (length <= left && memcmp(text, breaks[k], length) == 0)
            return (int)length;
    }
    return 0;
}

// bytes to the next character, also over bytes that are none
static size_t stride(const char *text, size_t left)
{
    int bytes = trmi_character(text, left);
    return bytes > 0 ? (size_t)bytes : 1;
}

static int count_characters(const char *text, size_t length)
{
    int count = 0;
    for (size_t k = 0; k < length; k += stride(text + k, length - k))
        count++;
    return count;
}

trmi_place trmi_place_of(const trmi_document *d, int source, size_t offset)
{
    const char *text = d->source[source].text;
    size_t length = d->source[source].length, start = 0;
    int line = 1;
    for (size_t k = 0; k < offset && k < length;) {
        int bytes = trmi_line_break(text + k, length - k);
        k += bytes ? (size_t)bytes : 1;
        if (bytes && k <= offset) {
            line++;
            start = k;
        }
    }
    return (trmi_place){source, line, 1 + count_characters(text + start, offset - start), 0};
}

const char *trmi_find_line(const trmi_document *d, trmi_place place, size_t *length)
{
    const char *text = d->source[place.source].text;
    const char *end = text + d->source[place.source].length;
    for (int line = 1; line < place.line && text < end;) {
        int bytes = trmi_line_break(text, (size_t)(end - text));
        text += bytes ? bytes : 1;
        line += bytes > 0;
    }
    // of a line without end only what may be shown: a character has at most 4 bytes
    size_t limit = 4 * (size_t)place.column + LINE_BYTES, left = (size_t)(end - text);
    *length = 0;
    while (*length < limit && *length < left && !trmi_line_break(text + *length, left - *length))
        ++*length;
    return text;
}

const char *trmi_find_place(const trmi_document *d, trmi_place place, size_t *left)
{
    const char *text = trmi_find_line(d, place, left);
    for (int k = 1; k<place.column && * left> 0; k++) {
        size_t bytes = stride(text, *left);
        text += bytes;
        *left -= bytes;
    }
    return text;
}

// ---- sending ----

// '?' for what may not be shown; never longer than before
static void clean(char *text)
{
    size_t left = strlen(text);
    char *to = text;
    while (left > 0) {
        int bytes = trmi_printable(text, left);
        size_t skipped = bytes ? (size_t)bytes : stride(text, left);
        if (bytes)
            memmove(to, text, (size_t)bytes);
        else
            *to = '?';
        to += bytes ? bytes : 1;
        text += skipped;
        left -= skipped;
    }
    *to = '\0';
}

// Whether an error at a place was reported before, as one of a part that the machine has twice is.
static bool is_repeated(trmi_document *d, const trm_diagnostic *e)
{
    uint64_t hash = trmi_hash(TRMI_HASH, e->text, strlen(e->text));
    hash = trmi_hash(hash, e->file, strlen(e->file));
    hash = trmi_hash(hash, (const int[]){e->line, e->column}, 2 * sizeof(int));
    for (int k = 0; k < d->shown_count; k++)
        if (d->shown[k] == hash)
            return true;
    if (d->shown_count < TRMI_DOCUMENT_ERRORS)
        d->shown[d->shown_count++] = hash;
    return false;
}

// Counts every error; of those after the limit it shows that there are more.
static void deliver(trmi_document *d, const trm_diagnostic *diagnostic)
{
    bool over = d->errors >= TRMI_DOCUMENT_ERRORS;
    bool last = d->errors == TRMI_DOCUMENT_ERRORS && diagnostic->error;
    d->errors += diagnostic->error && d->errors < INT_MAX;
    if (!d->report || (over && !last) || (diagnostic->error && !last && is_repeated(d, diagnostic)))
        return;
    char text[100];
    snprintf(text, sizeof text, "more than %d errors; the rest is not shown", TRMI_DOCUMENT_ERRORS);
    trm_diagnostic end = {.error = 1, .file = diagnostic->file, .text = text, .length = 1};
    d->report(last ? &end : diagnostic, d->user);
}

static void deliver_at(trmi_document *d, bool error, trmi_place place, const char *format,
                       va_list arguments)
{
    char text[TEXT_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    clean(text);
    const trmi_text_source *source = &d->source[place.source];
    trm_diagnostic diagnostic = {.error = error,
                                 .file = source->name,
                                 .line = place.line,
                                 .column = place.line > 0 ? place.column : 0,
                                 .text = text,
                                 .length = place.length > 1 ? place.length : 1};
    char *line = NULL;
    if (place.line > 0 && d->report && d->errors < TRMI_DOCUMENT_ERRORS) {
        size_t length;
        const char *start = trmi_find_line(d, place, &length);
        line = malloc(length + 1); // without memory the message goes without its line
        if (line) {
            memcpy(line, start, length);
            line[length] = '\0';
        }
    }
    diagnostic.source = line;
    deliver(d, &diagnostic);
    free(line);
}

void trmi_report_at(trmi_document *d, trmi_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    deliver_at(d, true, place, format, arguments);
    va_end(arguments);
}

void trmi_report_about(trmi_document *d, const char *name, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clean(text);
    deliver(d, &(trm_diagnostic){.error = 1, .file = name, .text = text, .length = 1});
}

// ---- messages about items ----

// Whether the source has this very text at a place: 0 yes, 1 after a quote, -1 no (escapes,
// several lines, an anchor before it).
static int find_literal(const trmi_document *d, trmi_place place, const char *text)
{
    size_t length, wanted = strlen(text);
    if (d->errors > TRMI_DOCUMENT_ERRORS) // not shown: no search through the text
        return -1;
    const char *line = trmi_find_place(d, place, &length);
    int quote = length > 0 && (*line == '"' || *line == '\'');
    bool there = wanted > 0 && wanted + (size_t)(2 * quote) <= length &&
                 memcmp(line + quote, text, wanted) == 0 && (!quote || line[wanted + 1] == line[0]);
    return there ? quote : -1;
}

// the place with the length of the text, quotes included
static trmi_place underline(const trmi_document *d, trmi_place place, const char *text)
{
    int quote = place.line > 0 && text ? find_literal(d, place, text) : -1;
    if (quote >= 0)
        place.length = count_characters(text, strlen(text)) + 2 * quote;
    return place;
}

static trmi_place place_of_value(const trmi_document *d, const trmi_item *item)
{
    return underline(d, (trmi_place){item->source, item->line, item->column, 0},
                     item->kind == TRMI_SCALAR ? item->text : NULL);
}

static trmi_place place_of_key(const trmi_document *d, const trmi_item *item)
{
    if (!item->key)
        return place_of_value(d, item);
    return underline(d, (trmi_place){item->source, item->key_line, item->key_column, 0}, item->key);
}

void trmi_report(trmi_document *d, const trmi_item *item, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    deliver_at(d, true, place_of_value(d, item), format, arguments);
    va_end(arguments);
}

void trmi_report_key(trmi_document *d, const trmi_item *item, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    deliver_at(d, true, place_of_key(d, item), format, arguments);
    va_end(arguments);
}

void trmi_report_inside(trmi_document *d, const trmi_item *item, int offset, int length,
                        const char *format, ...)
{
    trmi_place place = {item->source, item->line, item->column, 0};
    const char *text = item->kind == TRMI_SCALAR ? item->text : "";
    int quote = find_literal(d, place, text), bytes = (int)strlen(text);
    if (quote >= 0 && offset >= 0 && offset <= bytes) {
        length = length < bytes - offset ? length : bytes - offset;
        place.column += quote + count_characters(text, (size_t)offset);
        place.length = length > 0 ? count_characters(text + offset, (size_t)length) : 0;
    }
    va_list arguments;
    va_start(arguments, format);
    deliver_at(d, true, place, format, arguments);
    va_end(arguments);
}

// Counts a warning; false when there were enough of its kind.
static bool count_warning(trmi_document *d, const char *format, trmi_place place)
{
    for (int k = 0; k < TRMI_WARNING_KINDS; k++) {
        trmi_warning_kind *kind = &d->warning[k];
        if (kind->format && kind->format != format)
            continue;
        kind->format = format;
        if (kind->count == TRMI_SHOWN_OF_A_KIND)
            kind->place = place;
        kind->count += kind->count < INT_MAX;
        return kind->count <= TRMI_SHOWN_OF_A_KIND;
    }
    return true;
}

void trmi_warn(trmi_document *d, const trmi_item *item, const char *format, ...)
{
    if (!count_warning(d, format, (trmi_place){item->source, item->line, item->column, 0}))
        return; // before its line is searched for
    va_list arguments;
    va_start(arguments, format);
    deliver_at(d, false, place_of_value(d, item), format, arguments);
    va_end(arguments);
}

void trmi_warn_key(trmi_document *d, const trmi_item *item, const char *format, ...)
{
    if (!count_warning(d, format, (trmi_place){item->source, item->key_line, item->key_column, 0}))
        return;
    va_list arguments;
    va_start(arguments, format);
    deliver_at(d, false, place_of_key(d, item), format, arguments);
    va_end(arguments);
}

static void warn_at(trmi_document *d, trmi_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    deliver_at(d, false, place, format, arguments);
    va_end(arguments);
}

void trmi_document_conclude(trmi_document *d)
{
    for (int k = 0; k < TRMI_WARNING_KINDS; k++) {
        int more = d->warning[k].count - TRMI_SHOWN_OF_A_KIND;
        if (more > 0)
            warn_at(d, d->warning[k].place, "and %d more warning%s of this kind, from here on",
                    more, more == 1 ? "" : "s");
    }
}

// ---- keys that a map has twice ----

// by key, then by position
static int compare_keys(const void *left, const void *right)
{
    const trmi_item *a = *(const trmi_item *const *)left, *b = *(const trmi_item *const *)right;
    int order = strcmp(a->key, b->key);
    order = order ? order : (a->key_line > b->key_line) - (a->key_line < b->key_line);
    return order ? order : (a->key_column > b->key_column) - (a->key_column < b->key_column);
}

// sorted, because a hostile map may have millions of keys
bool trmi_report_duplicates(trmi_document *d, const trmi_item *map)
{
    size_t count = 0;
    if (map->count < 2)
        return true;
    const trmi_item **sorted = malloc((size_t)map->count * sizeof *sorted);
    if (!sorted)
        return false;
    for (const trmi_item *child = map->child; child; child = child->next)
        sorted[count++] = child;
    qsort(sorted, count, sizeof *sorted, compare_keys);
    const trmi_item *first = sorted[0];
    for (size_t k = 1; k < count; k++) {
        if (strcmp(first->key, sorted[k]->key) == 0)
            trmi_report_key(d, sorted[k],
                            "the key '%.60s' is defined a second time; first in line %d",
                            first->key, first->key_line);
        else
            first = sorted[k];
    }
    free(sorted);
    return true;
}
