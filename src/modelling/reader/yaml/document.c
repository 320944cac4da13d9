// SPDX-License-Identifier: Apache-2.0
// Documents: memory of the tree, files, finding items. yaml.c makes the tree.
#define _POSIX_C_SOURCE 200809L
#include "modelling/reader/yaml/source.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16, NUMBER_BYTES = 400 };

// ---- memory ----

void *trmi_document_take(trmi_document *d, size_t size)
{
    return trmi_memory_share(d->memory, size, 1, _Alignof(max_align_t));
}

char *trmi_document_copy(trmi_document *d, const char *text, size_t length)
{
    char *copy = trmi_document_take(d, length + 1);
    if (copy && length > 0)
        memcpy(copy, text, length);
    return copy;
}

int trmi_document_add(trmi_document *d, const char *name, const char *text, size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF"; // byte order mark
    if (length >= 3 && memcmp(text, mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (d->source_count == d->source_capacity) {
        int capacity = 2 * d->source_capacity + 4;
        trmi_text_source *more = trmi_document_take(d, (size_t)capacity * sizeof *more);
        if (!more)
            return -1;
        if (d->source_count > 0)
            memcpy(more, d->source, (size_t)d->source_count * sizeof *more);
        d->source = more;
        d->source_capacity = capacity;
    }
    trmi_text_source source = {trmi_document_copy(d, name, strlen(name)),
                               trmi_document_copy(d, text, length), length};
    if (!source.name || !source.text)
        return -1;
    d->source[d->source_count] = source;
    return d->source_count++;
}

// ---- reading ----

// a document without text
static trmi_document *create(trmi_memory *memory, trm_diagnostic_function *report, void *user)
{
    trmi_document *d = trmi_memory_take(memory, 1, sizeof *d);
    if (d)
        *d = (trmi_document){.memory = memory, .report = report, .user = user};
    return d;
}

static trmi_document *read_into(trmi_document *d, const char *name, const char *text, size_t length)
{
    if (length > TRMI_DOCUMENT_BYTES) {
        trmi_report_about(d, name, "cannot read: larger than %d MiB", TRMI_DOCUMENT_BYTES >> 20);
        return NULL;
    }
    if (trmi_document_add(d, name, text, length) < 0)
        return NULL;
    trmi_yaml_result reading = trmi_yaml_read(d, 0, 0, &d->root);
    d->memory->failed = d->memory->failed || reading == TRMI_READING_NO_MEMORY;
    if (reading != TRMI_READING_DONE)
        return NULL;
    if (d->root && !trmi_item_null(d->root))
        return d;
    if (d->errors == 0)
        trmi_report_at(d, (trmi_place){.line = 1, .column = 1},
                       "there is nothing in it; a model begins with 'trammel: 1', a study with "
                       "'trammel-study: 1', an optimisation with 'trammel-optimization: 1'");
    return NULL;
}

trmi_document *trmi_document_read(trmi_memory *memory, const char *name, const char *text,
                                  size_t length, trm_diagnostic_function *report, void *user)
{
    trmi_document *d = create(memory, report, user);
    return d ? read_into(d, name, text, length) : NULL;
}

// the whole rest of a file, at most one byte more than a document may have; the caller frees.
// NULL: errno has the reason
static char *read_all(FILE *file, size_t *length)
{
    size_t capacity = BLOCK;
    char *text = malloc(capacity);
    *length = 0;
    while (text) {
        *length += fread(text + *length, 1, capacity - *length, file);
        if (ferror(file)) {
            int reason = errno;
            free(text);
            errno = reason;
            return NULL;
        }
        if (*length < capacity || *length > TRMI_DOCUMENT_BYTES)
            return text;
        capacity *= 2;
        char *more = realloc(text, capacity);
        if (!more)
            free(text);
        text = more;
    }
    errno = ENOMEM;
    return NULL;
}

trmi_document *trmi_document_load(trmi_memory *memory, const char *path,
                                  trm_diagnostic_function *report, void *user)
{
    trmi_document *d = create(memory, report, user), *read = NULL;
    if (!d)
        return NULL;
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    errno = 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    size_t length = 0;
    char *text = file ? read_all(file, &length) : NULL;
    if (text)
        read = read_into(d, name, text, length);
    else {
        char reason[200];
        int number = errno;
        if (strerror_r(number, reason, sizeof reason) != 0)
            snprintf(reason, sizeof reason, "error %d", number);
        trmi_report_about(d, name, "cannot read: %s", reason);
    }
    free(text);
    if (file && !standard)
        fclose(file);
    return read;
}

trmi_item *trmi_document_root(const trmi_document *d)
{
    return d->root;
}

int trmi_document_errors(const trmi_document *d)
{
    return d->errors;
}

const char *trmi_document_text(const trmi_document *d, size_t *length)
{
    *length = d->source[0].length;
    return d->source[0].text;
}

// ---- items ----

// the child of a map whose key are the first `length` characters of path
static trmi_item *find_part(const trmi_item *item, const char *path, size_t length)
{
    if (!item || item->kind != TRMI_MAP)
        return NULL;
    for (trmi_item *child = item->child; child; child = child->next)
        if (strncmp(child->key, path, length) == 0 && child->key[length] == '\0')
            return child;
    return NULL;
}

trmi_item *trmi_item_find(const trmi_item *item, const char *key)
{
    return find_part(item, key, strlen(key));
}

trmi_item *trmi_item_path(const trmi_item *item, const char *path)
{
    for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1)
        item = find_part(item, path, (size_t)(dot - path));
    return trmi_item_find(item, path);
}

trmi_item *trmi_item_at(const trmi_item *item, int index)
{
    if (!item || item->kind != TRMI_LIST || index < 0)
        return NULL;
    trmi_item *child = item->child;
    while (child && index-- > 0)
        child = child->next;
    return child;
}

const char *trmi_item_kind_text(const trmi_item *item)
{
    if (item->kind == TRMI_SCALAR)
        return trmi_item_null(item) ? "nothing" : "a text";
    return item->kind == TRMI_LIST ? "a list" : "a map";
}

// ---- plain values ----

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9')
        text++;
    return text;
}

// [+-] digits [. digits] [e [+-] digits], a digit on one side of the point at least
static bool is_decimal(const char *text)
{
    text += *text == '+' || *text == '-';
    const char *whole = text;
    text = skip_digits(text);
    bool digits = text > whole;
    if (*text == '.') {
        const char *part = text + 1;
        text = skip_digits(part);
        digits = digits || text > part;
    }
    if (digits && (*text == 'e' || *text == 'E')) {
        text += 1 + (text[1] == '+' || text[1] == '-');
        const char *exponent = text;
        text = skip_digits(exponent);
        digits = text > exponent;
    }
    return digits && *text == '\0';
}

bool trmi_item_number(const trmi_item *item, double *value)
{
    char text[NUMBER_BYTES];
    if (!item || item->kind != TRMI_SCALAR || !is_decimal(item->text))
        return false;
    // strtod reads the decimal point of the program's locale
    const char *dot = strchr(item->text, '.'), *point = dot ? localeconv()->decimal_point : ".";
    if (strlen(item->text) >= NUMBER_BYTES)
        *value = HUGE_VAL;
    else if (strcmp(point, ".") == 0)
        *value = strtod(item->text, NULL);
    else if (snprintf(text, sizeof text, "%.*s%s%s", (int)(dot - item->text), item->text, point,
                      dot + 1) < NUMBER_BYTES)
        *value = strtod(text, NULL);
    else
        *value = HUGE_VAL;
    return isfinite(*value);
}

bool trmi_item_truth(const trmi_item *item, bool *value)
{
    if (!item || item->kind != TRMI_SCALAR || item->quoted)
        return false;
    bool yes = strcmp(item->text, "true") == 0;
    if (!yes && strcmp(item->text, "false") != 0)
        return false;
    *value = yes;
    return true;
}

bool trmi_item_null(const trmi_item *item)
{
    return item && item->kind == TRMI_SCALAR && !item->quoted &&
           (strcmp(item->text, "") == 0 || strcmp(item->text, "~") == 0 ||
            strcmp(item->text, "null") == 0);
}
