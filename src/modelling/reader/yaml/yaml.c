// SPDX-License-Identifier: Apache-2.0
// From the events of libyaml to the tree of a document. The levels that are open form a stack:
//     scalar             a key when its map waits for one, otherwise a value
//     list or map begins a value, then a level more
//     list or map ends   a level less; the keys of a map are compared
//     alias              a copy of the item with its anchor, as far as the limits allow
#include "modelling/reader/yaml/syntax.h"

#include <string.h>

enum { ANCHORS = 1000 };

// a list or map that is open
typedef struct level {
    trmi_item *item, *last;   // last: its last child
    const char *key;          // MAP: key of the next value, NULL: a key comes next
    int key_line, key_column; // of that key
    bool dropped;             // the key is an error: its value does not enter the tree
} level;

typedef struct anchor {
    const char *name;
    const trmi_item *item;
    int line;
    struct anchor *next;
} anchor;

typedef struct reader {
    trmi_document *document;
    int source;
    int base; // levels above the root of this text
    yaml_parser_t parser;
    level stack[TRMI_DOCUMENT_DEPTH];
    int depth;
    trmi_item *root;
    anchor *anchors;
    int anchor_count, document_count;
    bool ended;
    trmi_yaml_result result;
} reader;

static trmi_place place_of(const reader *r, yaml_mark_t mark)
{
    return trmi_place_of_mark(r->source, mark);
}

static void stop(reader *r, trmi_yaml_result result)
{
    r->ended = true;
    r->result = result;
}

// ---- items ----

static void report_limit(reader *r, yaml_mark_t mark, const char *what, int limit)
{
    trmi_report_at(r->document, place_of(r, mark), "%s, more than the limit of %d", what, limit);
    stop(r, TRMI_READING_STOPPED);
}

// NULL: reading has been stopped
static trmi_item *create_item(reader *r, trmi_item_kind kind, yaml_mark_t mark)
{
    if (r->document->items >= TRMI_DOCUMENT_ITEMS) {
        report_limit(r, mark, "too many items", TRMI_DOCUMENT_ITEMS);
        return NULL;
    }
    trmi_item *item = trmi_document_take(r->document, sizeof *item);
    if (!item) {
        stop(r, TRMI_READING_NO_MEMORY);
        return NULL;
    }
    r->document->items++;
    item->kind = kind;
    item->source = r->source;
    item->line = place_of(r, mark).line;
    item->column = place_of(r, mark).column;
    return item;
}

static level *top_of(reader *r)
{
    return r->depth > 0 ? &r->stack[r->depth - 1] : NULL;
}

static bool expects_key(reader *r)
{
    const level *top = top_of(r);
    return top && top->item->kind == TRMI_MAP && !top->key;
}

// the item as the next value of the open list or map
static void attach(reader *r, trmi_item *item)
{
    level *top = top_of(r);
    if (!top) {
        r->root = item;
        return;
    }
    item->key = top->key;
    item->key_line = top->key ? top->key_line : 0;
    item->key_column = top->key ? top->key_column : 0;
    if (!top->dropped) {
        *(top->last ? &top->last->next : &top->item->child) = item;
        top->last = item;
        top->item->count++;
    }
    top->key = NULL;
    top->dropped = false;
}

static void refuse_tag(reader *r, const yaml_char_t *tag, yaml_mark_t mark)
{
    if (tag)
        trmi_report_at(r->document, place_of(r, mark),
                       "tags such as !!int are not accepted; the key decides the type");
}

// ---- anchors and aliases ----

static anchor *find_anchor(const reader *r, const char *name)
{
    anchor *a = r->anchors;
    while (a && strcmp(a->name, name) != 0)
        a = a->next;
    return a;
}

static void add_anchor(reader *r, const yaml_char_t *name, const trmi_item *item, yaml_mark_t mark)
{
    if (!name)
        return;
    const char *text = (const char *)name;
    const anchor *first = find_anchor(r, text);
    if (first)
        trmi_report_at(r->document, place_of(r, mark),
                       "the anchor '&%.60s' is defined a second time; first in line %d", text,
                       first->line);
    if (r->anchor_count >= ANCHORS) {
        report_limit(r, mark, "too many anchors", ANCHORS);
        return;
    }
    anchor *a = trmi_document_take(r->document, sizeof *a);
    char *copy = trmi_document_copy(r->document, text, strlen(text));
    if (!a || !copy) {
        stop(r, TRMI_READING_NO_MEMORY);
        return;
    }
    *a = (anchor){copy, item, item->line, r->anchors};
    r->anchors = a;
    r->anchor_count++;
}

// a copy of an item and all below it; NULL: reading has been stopped
static trmi_item *copy_item(reader *r, const trmi_item *from, int depth, yaml_mark_t mark)
{
    if (depth > TRMI_DOCUMENT_DEPTH) {
        report_limit(r, mark, "aliases nest too deep", TRMI_DOCUMENT_DEPTH);
        return NULL;
    }
    if (r->document->aliased >= TRMI_DOCUMENT_ALIASES) {
        report_limit(r, mark, "aliases add too many items", TRMI_DOCUMENT_ALIASES);
        return NULL;
    }
    trmi_item *item = create_item(r, from->kind, mark);
    if (!item)
        return NULL;
    r->document->aliased++;
    *item = *from;
    item->child = item->next = NULL;
    trmi_item **end = &item->child;
    for (const trmi_item *child = from->child; child; child = child->next) {
        *end = copy_item(r, child, depth + 1, mark);
        if (!*end)
            return NULL;
        end = &(*end)->next;
    }
    return item;
}

static bool is_open(const reader *r, const trmi_item *item)
{
    for (int k = 0; k < r->depth; k++)
        if (r->stack[k].item == item)
            return true;
    return false;
}

static void take_alias(reader *r, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    trmi_place place = place_of(r, event->start_mark);
    level *top = top_of(r);
    if (expects_key(r)) {
        trmi_report_at(r->document, place, "the alias '*%.60s' cannot be a key", name);
        top->key = "*";
        top->dropped = true;
        return;
    }
    const anchor *a = find_anchor(r, name);
    trmi_item *item;
    if (a && !is_open(r, a->item)) {
        item = copy_item(r, a->item, r->base + r->depth + 1, event->start_mark);
    } else {
        trmi_report_at(r->document, place,
                       a ? "the alias '*%.60s' is inside of its own anchor"
                         : "the alias '*%.60s' has no anchor before it",
                       name);
        item = create_item(r, TRMI_SCALAR, event->start_mark);
        if (item)
            item->text = "";
        if (top)
            top->dropped = true;
    }
    if (item)
        attach(r, item);
}

// ---- scalars ----

// the key of the next value; a wrong one is reported and its value left out
static void take_key(reader *r, const yaml_event_t *event, const char *text)
{
    level *top = top_of(r);
    trmi_place place = place_of(r, event->start_mark);
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    top->key = text;
    top->key_line = place.line;
    top->key_column = place.column;
    top->dropped = true;
    if (*text == '\0')
        trmi_report_at(r->document, place, "a key is empty");
    else if (plain && strcmp(text, "<<") == 0)
        trmi_report_at(r->document, place, "merge keys (<<) are not accepted; write the keys out");
    else if (event->data.scalar.anchor)
        trmi_report_at(r->document, place, "a key cannot have an anchor");
    else
        top->dropped = false;
}

static void take_scalar(reader *r, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    refuse_tag(r, event->data.scalar.tag, event->start_mark);
    if (memchr(value, '\0', length))
        trmi_report_at(r->document, place_of(r, event->start_mark),
                       "a text cannot contain the character \\0");
    char *text = trmi_document_copy(r->document, value, length);
    if (!text) {
        stop(r, TRMI_READING_NO_MEMORY);
        return;
    }
    if (expects_key(r)) {
        take_key(r, event, text);
        return;
    }
    trmi_item *item = create_item(r, TRMI_SCALAR, event->start_mark);
    if (!item)
        return;
    item->text = text;
    item->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    attach(r, item);
    add_anchor(r, event->data.scalar.anchor, item, event->start_mark);
}

// ---- lists and maps ----

static void open_level(reader *r, trmi_item_kind kind, const yaml_event_t *event,
                       const yaml_char_t *tag, const yaml_char_t *name)
{
    yaml_mark_t mark = event->start_mark;
    refuse_tag(r, tag, mark);
    if (expects_key(r)) {
        trmi_report_at(r->document, place_of(r, mark), "a key must be a text, not %s",
                       kind == TRMI_LIST ? "a list" : "a map");
        stop(r, TRMI_READING_STOPPED);
        return;
    }
    if (r->base + r->depth >= TRMI_DOCUMENT_DEPTH) {
        report_limit(r, mark, "lists and maps nest too deep", TRMI_DOCUMENT_DEPTH);
        return;
    }
    trmi_item *item = create_item(r, kind, mark);
    if (!item)
        return;
    attach(r, item);
    r->stack[r->depth++] = (level){.item = item};
    add_anchor(r, name, item, mark);
}

static void close_level(reader *r)
{
    const trmi_item *item = r->stack[--r->depth].item;
    if (item->kind == TRMI_MAP && !trmi_report_duplicates(r->document, item))
        stop(r, TRMI_READING_NO_MEMORY);
}

// ---- events ----

static void begin_document(reader *r, const yaml_event_t *event)
{
    if (r->document_count++ > 0) {
        trmi_report_at(r->document, place_of(r, event->start_mark),
                       "a second document begins here; only one is accepted");
        stop(r, TRMI_READING_DONE);
    }
    if (event->data.document_start.tag_directives.start !=
        event->data.document_start.tag_directives.end)
        trmi_report_at(r->document, place_of(r, event->start_mark), "%%TAG is not accepted");
}

static void take_event(reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        begin_document(r, event);
        break;
    case YAML_SCALAR_EVENT:
        take_scalar(r, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        open_level(r, TRMI_LIST, event, event->data.sequence_start.tag,
                   event->data.sequence_start.anchor);
        break;
    case YAML_MAPPING_START_EVENT:
        open_level(r, TRMI_MAP, event, event->data.mapping_start.tag,
                   event->data.mapping_start.anchor);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_level(r);
        break;
    case YAML_ALIAS_EVENT:
        take_alias(r, event);
        break;
    case YAML_STREAM_END_EVENT:
        r->ended = true;
        break;
    default:
        break;
    }
}

trmi_yaml_result trmi_yaml_read(trmi_document *d, int source, int depth, trmi_item **root)
{
    reader r = {.document = d, .source = source, .base = depth};
    const trmi_text_source *text = &d->source[source];
    if (!yaml_parser_initialize(&r.parser))
        return TRMI_READING_NO_MEMORY;
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text->text, text->length);
    while (!r.ended) {
        yaml_event_t event;
        if (yaml_parser_parse(&r.parser, &event)) {
            take_event(&r, &event);
            yaml_event_delete(&event);
        } else {
            stop(&r, trmi_report_syntax(d, source, &r.parser));
        }
        if (d->errors > TRMI_DOCUMENT_ERRORS)
            stop(&r, r.result == TRMI_READING_DONE ? TRMI_READING_STOPPED : r.result);
    }
    yaml_parser_delete(&r.parser);
    *root = r.root;
    return r.result;
}
