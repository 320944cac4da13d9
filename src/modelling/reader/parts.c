// SPDX-License-Identifier: Apache-2.0
// Parts that are used several times: the sections `parts` and `use`. A use of a part is a copy of
// its sections in which the names of the part have that of the use before them,
//
//     parts: {leg: {parameters: {side: 1}, bodies: {foot: {..}}, joints: {..}}}
//     use: {left: {part: leg, with: {side: -1}}}        ->  body left.foot, parameter left.side
//
// in keys and in every formula. Items keep their places: messages are about the lines of the part.
#include "modelling/reader/reading.h"

#include "base/nearest.h"
#include "modelling/expression/lexer.h"
#include "modelling/expression/parse.h"
#include "modelling/reader/yaml/source.h"

#include <stdio.h>
#include <string.h>

// The sections of a part, where their entries go, and whether signals begin with their names.
static const struct {
    const char *name, *to;
    bool signals;
} sections[] = {{"parameters", "parameters", false},
                {"bodies", "mechanism.bodies", true},
                {"joints", "mechanism.joints", true},
                {"forces", "mechanism.forces", true},
                {"points", "mechanism.points", true},
                {"inputs", "mechanism.inputs", false},
                {"define", "mechanism.define", false},
                {"states", "mechanism.states", false},
                {"algebraic", "mechanism.algebraic", false},
                {"samples", "mechanism.samples", false},
                {"outputs", "outputs", false}};
enum { SECTIONS = sizeof sections / sizeof *sections };

// A use of a part, under copying.
typedef struct copying {
    trmi_document *document;
    const trmi_item *use, *part;
    bool failed; // no memory
} copying;

// ---- names ----

// whether the text of that length is a name of the part, or that of a signal of it
static bool is_local(const copying *c, const char *text, size_t length)
{
    for (int k = 0; k < SECTIONS; k++) {
        const trmi_item *section = trmi_item_find(c->part, sections[k].name);
        for (const trmi_item *i = section && section->kind == TRMI_MAP ? section->child : NULL; i;
             i = i->next) {
            size_t own = strlen(i->key);
            bool begins = length >= own && strncmp(text, i->key, own) == 0;
            if (begins && (length == own || (sections[k].signals && text[own] == '_')))
                return true;
        }
    }
    return false;
}

// where the name of the use goes into a word: at its beginning, or behind "lambda_"; -1: nowhere
static int place_of_name(const copying *c, const char *word, int length)
{
    static const char multiplier[] = "lambda_";
    const int skip = (int)sizeof multiplier - 1;
    if (is_local(c, word, (size_t)length))
        return 0;
    if (length > skip && strncmp(word, multiplier, (size_t)skip) == 0 &&
        is_local(c, word + skip, (size_t)(length - skip)))
        return skip;
    return -1;
}

// Goes through the words of a text that get the name of the use. With `out` the new text is written
// there, otherwise only counted; how many words there are.
static int rename_words(const copying *c, const char *text, char *out)
{
    int count = 0, done = 0;
    trmi_token token = trmi_next_token(text, 0);
    for (; token.kind != TRMI_TOKEN_END && token.length > 0;
         token = trmi_next_token(text, token.offset + token.length)) {
        int at = token.kind == TRMI_TOKEN_NAME ? place_of_name(c, text + token.offset, token.length)
                                               : -1;
        if (at < 0)
            continue;
        if (out)
            out += sprintf(out, "%.*s%s.", token.offset + at - done, text + done, c->use->key);
        done = token.offset + at;
        count++;
    }
    if (out)
        strcpy(out, text + done);
    return count;
}

// text with the name of the use before every name of the part; NULL: no memory
static const char *rename_text(const copying *c, const char *text)
{
    int count = rename_words(c, text, NULL);
    if (count == 0)
        return text;
    size_t size = strlen(text) + (size_t)count * (strlen(c->use->key) + 1) + 1;
    char *renamed = trmi_document_take(c->document, size);
    if (renamed)
        rename_words(c, text, renamed);
    return renamed;
}

// ---- copies ----

static trmi_item *copy_item(copying *c, const trmi_item *item, int depth);

static void copy_children(copying *c, const trmi_item *item, trmi_item *copy, int depth)
{
    trmi_item **end = &copy->child;
    bool terms = item->key && strcmp(item->key, "terms") == 0; // whose keys are measures
    copy->child = NULL;
    for (const trmi_item *i = item->child; i && !c->failed; i = i->next) {
        trmi_item *child = copy_item(c, i, depth + 1);
        if (!child)
            return;
        if (terms && child->key)
            child->key = rename_text(c, child->key);
        *end = child;
        end = &child->next;
    }
}

static trmi_item *copy_item(copying *c, const trmi_item *item, int depth)
{
    trmi_item *copy = trmi_document_take(c->document, sizeof *copy);
    c->failed = c->failed || !copy || depth > TRMI_DOCUMENT_DEPTH;
    if (c->failed)
        return NULL;
    *copy = *item;
    copy->next = NULL;
    if (item->kind == TRMI_SCALAR)
        copy->text = item->text ? rename_text(c, item->text) : NULL;
    else
        copy_children(c, item, copy, depth);
    c->failed = c->failed || (item->text && !copy->text);
    return copy;
}

// the map at a path, made if need be; NULL: something else is there, which is reported with the
// keys
static trmi_item *find_map(copying *c, const char *path)
{
    char text[100];
    trmi_item *root = trmi_document_root(c->document), *map = trmi_item_path(root, path);
    if (!map || trmi_item_null(map)) {
        snprintf(text, sizeof text, "%s={}", path);
        trmi_document_set(c->document, text);
        map = trmi_item_path(root, path);
    }
    return map && map->kind == TRMI_MAP ? map : NULL;
}

static void append(trmi_item *map, trmi_item *item)
{
    trmi_item **end = &map->child;
    while (*end)
        end = &(*end)->next;
    *end = item;
    map->count++;
}

// an entry of a section under its full name
static void add_entry(copying *c, trmi_item *map, const trmi_item *entry, const trmi_item *value)
{
    char key[200];
    trmi_item *copy =
        value ? trmi_document_take(c->document, sizeof *copy) : copy_item(c, entry, 0);
    snprintf(key, sizeof key, "%.90s.%.90s", c->use->key, entry->key);
    c->failed = c->failed || !copy;
    if (!copy)
        return;
    if (value) { // which is written beside the part, in its own names
        *copy = *value;
        copy->next = NULL;
    }
    copy->key = trmi_document_copy(c->document, key, strlen(key));
    if (trmi_item_find(map, key))
        trmi_report_key(c->document, c->use, "'%.100s' is there already", key);
    else
        append(map, copy);
}

static void copy_section(copying *c, int k)
{
    const trmi_item *section = trmi_item_find(c->part, sections[k].name);
    const trmi_item *with = k == 0 ? trmi_item_find(c->use, "with") : NULL;
    if (section && section->kind != TRMI_MAP && !trmi_item_null(section))
        trmi_report(c->document, section, "'%s' of a part must be a map, not %s", section->key,
                    trmi_item_kind_text(section));
    if (!section || section->kind != TRMI_MAP || section->count == 0)
        return;
    trmi_item *map = find_map(c, sections[k].to);
    for (const trmi_item *i = section->child; map && i && !c->failed; i = i->next)
        add_entry(c, map, i, trmi_item_find(with, i->key));
}

// ---- what may be wrong ----

// reports a name that is none of the keys of a map
static void report_unknown(trmi_document *d, const trmi_item *item, const char *name,
                           const trmi_item *map, const char *what)
{
    const char *near = NULL;
    for (const trmi_item *i = map && map->kind == TRMI_MAP ? map->child : NULL; i && !near;
         i = i->next)
        near = trmi_nearest(name, (const char *const[]){i->key}, 1);
    trmi_report(d, item, "there is no %s '%.60s'%s%.60s%s", what, name,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool check_use(copying *c, const trmi_item *parts)
{
    const trmi_item *part = trmi_item_find(c->use, "part"), *with = trmi_item_find(c->use, "with");
    const trmi_item *parameters = NULL;
    if (!trmi_is_name(c->use->key))
        trmi_report_key(c->document, c->use,
                        "'%.60s' is no name: a letter or _, then letters, digits and _",
                        c->use->key);
    if (!part || part->kind != TRMI_SCALAR)
        return false; // which is reported with the keys
    c->part = trmi_item_find(parts, part->text);
    if (!c->part || c->part->kind != TRMI_MAP) {
        report_unknown(c->document, part, part->text, parts, "part");
        return false;
    }
    parameters = trmi_item_find(c->part, "parameters");
    for (const trmi_item *i = with && with->kind == TRMI_MAP ? with->child : NULL; i; i = i->next)
        if (!trmi_item_find(parameters, i->key))
            report_unknown(c->document, i, i->key, parameters, "parameter");
    return true;
}

static void warn_unused(trmi_document *d, const trmi_item *parts, const trmi_item *uses)
{
    for (const trmi_item *i = parts && parts->kind == TRMI_MAP ? parts->child : NULL; i;
         i = i->next) {
        bool used = false;
        for (const trmi_item *u = uses && uses->kind == TRMI_MAP ? uses->child : NULL; u;
             u = u->next) {
            const trmi_item *part = trmi_item_find(u, "part");
            used = used || (part && part->text && strcmp(part->text, i->key) == 0);
        }
        if (!used)
            trmi_warn_key(d, i, "part '%.60s' is not used", i->key);
    }
}

bool trmi_expand_parts(trmi_document *d)
{
    const trmi_item *root = trmi_document_root(d);
    const trmi_item *parts = trmi_item_find(root, "parts"), *uses = trmi_item_find(root, "use");
    copying c = {.document = d};
    warn_unused(d, parts, uses);
    for (const trmi_item *i = uses && uses->kind == TRMI_MAP ? uses->child : NULL; i; i = i->next) {
        c.use = i;
        if (i->kind != TRMI_MAP || !check_use(&c, parts))
            continue;
        for (int k = 0; k < SECTIONS; k++)
            copy_section(&c, k);
    }
    return !c.failed;
}
