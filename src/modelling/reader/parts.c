// SPDX-License-Identifier: Apache-2.0
// Parts that are used several times: the sections `parts` and `use`. A use of a part is a copy of
// its sections in which the names of the part have that of the use before them,
//
//     parts: {leg: {parameters: {side: 1}, bodies: {foot: {..}}, joints: {..}}}
//     use: {left: {part: leg, with: {side: -1}}}        ->  body left.foot, parameter left.side
//
// in keys and in every formula. Items keep their places: messages are about the lines of the part.
// Uses inside of a part become uses of the model, front.left, which are written out in their turn.
#include "modelling/reader/part_names.h"

#include "base/nearest.h"
#include "modelling/expression/parse.h"
#include "modelling/reader/yaml/source.h"

#include <stdio.h>
#include <string.h>

// The sections of a part and where their entries go.
static const struct {
    const char *name, *to;
} sections[] = {{"parameters", "parameters"},
                {"bodies", "mechanism.bodies"},
                {"joints", "mechanism.joints"},
                {"forces", "mechanism.forces"},
                {"points", "mechanism.points"},
                {"inputs", "mechanism.inputs"},
                {"define", "mechanism.define"},
                {"states", "mechanism.states"},
                {"algebraic", "mechanism.algebraic"},
                {"samples", "mechanism.samples"},
                {"outputs", "outputs"},
                {"use", "use"}};
enum { SECTIONS = sizeof sections / sizeof *sections };

// Uses under expansion.
typedef struct copying {
    trmi_document *document;
    const trmi_item *parts;
    const trmi_item *item;                     // in the section `use`, for messages
    trmi_use *use;                             // what copies are made for
    trmi_item *map[SECTIONS], **end[SECTIONS]; // what the sections are copied to, and where it ends
    bool failed;                               // no memory
    bool too_large;                            // which is reported
} copying;

// ---- copies ----

// words that are not names: directions, parts, mirrors
static bool is_word(const trmi_item *item)
{
    static const char *const keys[] = {"axis", "second_axis", "normal", "x", "y", "z"};
    const char *key = item->key ? item->key : "", *text = item->text;
    if (strcmp(key, "part") == 0 || strcmp(key, "mirror") == 0)
        return true;
    text += *text == '-';
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strcmp(key, keys[k]) == 0)
            return *text >= 'x' && *text <= 'z' && text[1] == '\0';
    return false;
}

static trmi_item *copy_item(copying *c, const trmi_part_naming *n, const trmi_item *item,
                            int depth);

static void copy_children(copying *c, const trmi_part_naming *n, const trmi_item *item,
                          trmi_item *copy, int depth)
{
    trmi_item **end = &copy->child;
    bool terms = item->key && strcmp(item->key, "terms") == 0; // whose keys are measures
    copy->child = NULL;
    for (const trmi_item *i = item->child; i && !c->failed; i = i->next) {
        trmi_item *child = copy_item(c, n, i, depth + 1);
        if (!child)
            return;
        if (terms && child->key)
            child->key = trmi_part_text(n, child->key);
        *end = child;
        end = &child->next;
    }
}

static trmi_item *copy_item(copying *c, const trmi_part_naming *n, const trmi_item *item, int depth)
{
    if (++c->document->items > TRMI_DOCUMENT_ITEMS) {
        if (!c->too_large)
            trmi_report_key(c->document, c->item,
                            "the parts have more than %d items when they are written out",
                            TRMI_DOCUMENT_ITEMS);
        c->too_large = true;
        return NULL;
    }
    trmi_item *copy = trmi_document_take(c->document, sizeof *copy);
    c->failed = c->failed || !copy || depth > TRMI_DOCUMENT_DEPTH;
    if (c->failed)
        return NULL;
    *copy = *item;
    copy->next = NULL;
    copy->use = c->use;
    if (item->kind != TRMI_SCALAR)
        copy_children(c, n, item, copy, depth);
    else if (item->text && !is_word(item))
        copy->text = trmi_part_text(n, item->text);
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

// the map that a section is copied to, from whose end on entries are added
static trmi_item *open_map(copying *c, int k)
{
    if (c->map[k])
        return c->map[k];
    c->map[k] = find_map(c, sections[k].to);
    c->end[k] = c->map[k] ? &c->map[k]->child : NULL;
    while (c->end[k] && *c->end[k])
        c->end[k] = &(*c->end[k])->next;
    return c->map[k];
}

static void append(copying *c, int k, trmi_item *item)
{
    *c->end[k] = item;
    c->end[k] = &item->next;
    c->map[k]->count++;
}

// an entry of a section under its full name
static void add_entry(copying *c, const trmi_use *use, int k, const trmi_item *entry,
                      const trmi_item *value)
{
    char key[200];
    const trmi_part_naming naming = {.document = c->document, .use = use};
    trmi_item *copy =
        value ? trmi_document_take(c->document, sizeof *copy) : copy_item(c, &naming, entry, 0);
    snprintf(key, sizeof key, "%.90s.%.90s", use->name, entry->key);
    c->failed = c->failed || (!copy && !c->too_large);
    if (!copy)
        return;
    if (value) { // which is written beside the part, in its own names
        *copy = *value;
        copy->next = NULL;
    }
    copy->key = trmi_document_copy(c->document, key, strlen(key));
    c->failed = c->failed || !copy->key;
    append(c, k, copy);
}

static void copy_section(copying *c, const trmi_use *use, int k)
{
    const trmi_item *section = trmi_item_find(use->part, sections[k].name);
    const trmi_item *with = k == 0 ? trmi_item_find(use->item, "with") : NULL;
    if (section && section->kind != TRMI_MAP && !trmi_item_null(section))
        trmi_report(c->document, section, "'%s' of a part must be a map, not %s", section->key,
                    trmi_item_kind_text(section));
    if (!section || section->kind != TRMI_MAP || section->count == 0)
        return;
    const trmi_item *map = open_map(c, k);
    for (const trmi_item *i = section->child; map && i && !c->failed; i = i->next)
        add_entry(c, use, k, i, trmi_item_find(with, i->key));
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

static bool find_part(copying *c, trmi_use *use)
{
    const trmi_item *part = trmi_item_find(use->item, "part"), *parameters = NULL;
    const trmi_item *with = trmi_item_find(use->item, "with");
    if (!part || part->kind != TRMI_SCALAR)
        return false; // which is reported with the keys
    use->part = trmi_item_find(c->parts, part->text);
    if (!use->part || use->part->kind != TRMI_MAP) {
        report_unknown(c->document, part, part->text, c->parts, "part");
        return false;
    }
    for (const trmi_use *u = use->outer; u; u = u->outer)
        if (u->part == use->part) {
            trmi_report(c->document, part, "part '%.60s' is a part of itself", part->text);
            return false;
        }
    parameters = trmi_item_find(use->part, "parameters");
    for (const trmi_item *i = with && with->kind == TRMI_MAP ? with->child : NULL; i; i = i->next)
        if (!trmi_item_find(parameters, i->key) &&
            !trmi_item_find(trmi_item_find(use->part, "names"), i->key))
            report_unknown(c->document, i, i->key, parameters, "parameter");
    return true;
}

// whether a section of uses names a part
static bool names_part(const trmi_item *uses, const char *name)
{
    for (const trmi_item *u = uses && uses->kind == TRMI_MAP ? uses->child : NULL; u; u = u->next) {
        const trmi_item *part = trmi_item_find(u, "part");
        if (part && part->text && strcmp(part->text, name) == 0)
            return true;
    }
    return false;
}

static void warn_unused(trmi_document *d, const trmi_item *parts, const trmi_item *uses)
{
    const trmi_item *first = parts && parts->kind == TRMI_MAP ? parts->child : NULL;
    for (const trmi_item *i = first; i; i = i->next) {
        bool used = names_part(uses, i->key);
        for (const trmi_item *other = first; other && !used; other = other->next)
            used = names_part(trmi_item_find(other, "use"), i->key);
        if (!used)
            trmi_warn_key(d, i, "part '%.60s' is not used", i->key);
    }
}

// ---- uses ----

// writes out one use under its name
static void expand_use(copying *c, const trmi_item *item, const char *name)
{
    trmi_use *use = trmi_document_take(c->document, sizeof *use);
    c->failed = c->failed || !use || !name;
    if (c->failed)
        return;
    *use = (trmi_use){.item = item, .name = name, .outer = item->use};
    if (!find_part(c, use))
        return;
    c->use = use;
    for (int k = 0; k < SECTIONS; k++)
        copy_section(c, use, k);
}

// whether `for` is a map of lists of one length, which is found; reported otherwise
static bool check_lists(copying *c, const trmi_item *lists, int *count)
{
    *count = -1;
    if (lists->kind != TRMI_MAP)
        return false; // which is reported with the keys
    for (const trmi_item *i = lists->child; i; i = i->next) {
        if (i->kind != TRMI_LIST)
            return false; // likewise
        if (*count >= 0 && i->count != *count) {
            trmi_report(c->document, i,
                        "the lists of 'for' go along together: this one has %d elements, '%.60s' "
                        "has %d",
                        i->count, lists->child->key, *count);
            return false;
        }
        *count = i->count;
    }
    if (*count <= 0)
        trmi_report_key(c->document, lists,
                        "the lists of 'for' have no elements: '%.60s' would stand for nothing",
                        c->item->key);
    return *count > 0;
}

// NAME_1, NAME_2, .. for the elements of the lists
static void expand_lists(copying *c, const trmi_item *item, const trmi_item *lists)
{
    int count;
    if (!check_lists(c, lists, &count))
        return;
    for (int k = 0; k < count && !c->failed && !c->too_large; k++) {
        char name[200];
        const trmi_part_naming naming = {.document = c->document, .lists = lists, .element = k};
        c->use = item->use;
        trmi_item *copy = copy_item(c, &naming, item, 0);
        snprintf(name, sizeof name, "%.150s_%d", item->key, k + 1);
        if (!copy)
            return;
        expand_use(c, copy, trmi_document_copy(c->document, name, strlen(name)));
    }
}

// the name of a use inside of a part is after the last point
static void check_name(copying *c, const trmi_item *item)
{
    const char *point = strrchr(item->key, '.'), *own = item->use && point ? point + 1 : item->key;
    if (!trmi_is_name(own) || strchr(own, '.'))
        trmi_report_key(c->document, item,
                        "'%.60s' is not a valid name: a letter or _, then letters, digits and _",
                        own);
}

bool trmi_expand_parts(trmi_document *d)
{
    const trmi_item *root = trmi_document_root(d);
    const trmi_item *parts = trmi_item_find(root, "parts"), *uses = trmi_item_find(root, "use");
    copying c = {.document = d, .parts = parts};
    warn_unused(d, parts, uses);
    // uses inside of parts are appended to the others meanwhile
    for (const trmi_item *i = uses && uses->kind == TRMI_MAP ? uses->child : NULL;
         i && !c.failed && !c.too_large; i = i->next) {
        c.item = i;
        check_name(&c, i);
        const trmi_item *lists = trmi_item_find(i, "for");
        if (i->kind != TRMI_MAP)
            continue;
        if (lists)
            expand_lists(&c, i, lists);
        else
            expand_use(&c, i, i->key);
    }
    for (int k = 0; k < SECTIONS && !c.failed;
         k++) // of uses with one name, some of them from lists
        c.failed = c.map[k] && !trmi_report_duplicates(d, c.map[k]);
    return !c.failed;
}
