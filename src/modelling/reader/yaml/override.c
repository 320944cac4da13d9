// SPDX-License-Identifier: Apache-2.0
// --set path=value: the value is read as a text of its own and takes its place in the tree.
#include "modelling/reader/yaml/source.h"

#include "base/texts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// one assignment under work
typedef struct override {
    trmi_document *document;
    char *name; // "--set path=value", for messages
    char *path; // "a\0b\0c": its parts
    int parts;
    int source; // of the value
    trmi_item *value;
} override;

static bool report_no_memory(override *o, const char *name)
{
    trmi_report_about(o->document, name, "out of memory");
    return false;
}

// path := copy of [text, text + length) with its dots turned to ends; an empty part is an error
static bool split_path(override *o, const char *text, size_t length)
{
    o->path = trmi_document_copy(o->document, text, length);
    if (!o->path)
        return report_no_memory(o, o->name);
    bool empty = length == 0;
    o->parts = 1;
    for (size_t k = 0; k < length; k++) {
        if (o->path[k] != '.')
            continue;
        empty = empty || k == 0 || k + 1 == length || o->path[k - 1] == '\0';
        o->path[k] = '\0';
        if (o->parts < INT_MAX)
            o->parts++;
    }
    if (empty)
        trmi_report_about(o->document, o->name,
                          "the path before '=' %s; write it like simulate.end=2",
                          length ? "has an empty part" : "is missing");
    else if (o->parts > TRMI_DOCUMENT_DEPTH)
        trmi_report_about(o->document, o->name, "the path has %d parts, more than the limit of %d",
                          o->parts, TRMI_DOCUMENT_DEPTH);
    return !empty && o->parts <= TRMI_DOCUMENT_DEPTH;
}

// the tree of the text after '='; nothing at all is an empty scalar
static bool read_value(override *o, const char *text)
{
    o->source = trmi_document_add(o->document, o->name, text, strlen(text));
    if (o->source < 0)
        return report_no_memory(o, o->name);
    int errors = o->document->errors;
    trmi_yaml_result reading = trmi_yaml_read(o->document, o->source, o->parts, &o->value);
    if (reading == TRMI_READING_NO_MEMORY)
        return report_no_memory(o, o->name);
    if (reading != TRMI_READING_DONE || o->document->errors > errors)
        return false;
    if (o->value)
        return true;
    if (text[strspn(text, " \t\r\n")] != '\0') {
        trmi_report_at(o->document, (trmi_place){o->source, 1, 1, 0},
                       "the value is only a comment; a text that begins with '#' needs quotes");
        return false;
    }
    o->value = trmi_document_take(o->document, sizeof *o->value);
    if (!o->value)
        return report_no_memory(o, o->name);
    *o->value =
        (trmi_item){.kind = TRMI_SCALAR, .source = o->source, .line = 1, .column = 1, .text = ""};
    return true;
}

// a new empty map at the end of another
static trmi_item *append_map(override *o, trmi_item *map, const char *key)
{
    trmi_item *item = trmi_document_take(o->document, sizeof *item);
    if (!item) {
        report_no_memory(o, o->name);
        return NULL;
    }
    *item = (trmi_item){.kind = TRMI_MAP, .source = o->source, .line = 1, .column = 1, .key = key};
    trmi_item **end = &map->child;
    while (*end)
        end = &(*end)->next;
    *end = item;
    map->count++;
    return item;
}

static trmi_item *find_element(override *o, const trmi_item *list, const char *part)
{
    char *end;
    errno = 0;
    long index = *part >= '0' && *part <= '9' ? strtol(part, &end, 10) : -1;
    if (index >= 0 && *end == '\0' && errno == 0 && index < list->count)
        return trmi_item_at(list, (int)index);
    if (list->count > 0)
        trmi_report_about(o->document, o->name,
                          "'%.60s' is not an element of a list of %d; they count from 0 to %d",
                          part, list->count, list->count - 1);
    else
        trmi_report_about(o->document, o->name, "'%.60s' is not an element: the list is empty",
                          part);
    return NULL;
}

// the child by key or index, made when it is missing in a map; NULL: reported
static trmi_item *step_down(override *o, trmi_item *item, const char *part)
{
    if (item->kind == TRMI_LIST)
        return find_element(o, item, part);
    if (trmi_item_null(item)) { // "simulate:" with nothing after it
        item->kind = TRMI_MAP;
        item->text = NULL;
    }
    if (item->kind == TRMI_MAP) {
        trmi_item *child = trmi_item_find(item, part);
        return child ? child : append_map(o, item, part);
    }
    trmi_report_about(o->document, o->name, "there is no '%.60s' inside of '%.60s'", part,
                      item->text);
    return NULL;
}

// the map as if it had no such item
static void remove_item(trmi_item *map, const trmi_item *item)
{
    trmi_item **place = &map->child;
    while (*place != item)
        place = &(*place)->next;
    *place = item->next;
    map->count--;
}

void trmi_document_set(trmi_document *d, const char *assignment)
{
    override o = {.document = d};
    size_t size = strlen(assignment) + sizeof "--set ";
    o.name = trmi_document_take(d, size);
    if (!o.name) {
        report_no_memory(&o, "--set");
        return;
    }
    snprintf(o.name, size, "--set %s", assignment);
    const char *equals = strchr(assignment, '=');
    if (!equals)
        trmi_report_about(d, o.name, "there is no '='; write it like simulate.end=2");
    if (!equals || !split_path(&o, assignment, (size_t)(equals - assignment)) ||
        !read_value(&o, equals + 1))
        return;
    trmi_item *item = d->root, *above = NULL;
    const char *part = o.path;
    for (int k = 0; k < o.parts && item; k++, part += strlen(part) + 1) {
        above = item;
        item = step_down(&o, item, part);
    }
    bool map = item && item->kind == TRMI_MAP && item->child;
    if (map && above->kind == TRMI_MAP && trmi_item_null(o.value)) {
        remove_item(above, item); // a force, a body, a section
    } else if (item) {            // the value takes the place of the item: key and neighbours stay
        o.value->key = item->key;
        o.value->next = item->next;
        *item = *o.value;
    }
}

bool trmi_document_override(trmi_document *d, const trmi_item *entry, trmi_memory *memory,
                            const char **list, int *count)
{
    trmi_texts texts = {.memory = memory};
    const char *quote = entry->quoted ? "\"" : "";
    if (entry->kind != TRMI_SCALAR) {
        trmi_report(d, entry, "'%.60s' must be a number or a word; write its path out, as of --set",
                    entry->key);
        return true;
    }
    list[*count] = TRMI_JOIN(&texts, entry->key, "=", quote, entry->text, quote);
    return list[(*count)++] != NULL;
}
