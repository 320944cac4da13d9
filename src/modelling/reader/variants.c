// SPDX-License-Identifier: Apache-2.0
// Variants of a model: the sections `variants` and the key `variant`, which chooses one or a list.
// A variant has sections like a model; they are laid over those of the model before anything else
// is read. Maps are joined to any depth, everything else replaces what is there, null removes it.
//
//     variants: {steep: {parameters: {slope: 0.4}, mechanism: {forces: {brake: null}}}}
//     variant: steep                                        (or --set variant=steep)
//
// Items keep their places: messages are about the lines of the variant.
#include "modelling/reader/reading.h"

#include "modelling/reader/yaml/source.h"

#include <stdio.h>
#include <string.h>

// an item of its own; a map without entries
static trmi_item *copy_item(trmi_reading *r, const trmi_item *item)
{
    trmi_item *copy = trmi_document_take(r->document, sizeof *copy);
    if (!copy) {
        r->failed = true;
        return NULL;
    }
    *copy = *item;
    copy->next = NULL;
    if (item->kind == TRMI_MAP) {
        copy->child = NULL;
        copy->count = 0;
    }
    return copy;
}

static trmi_item **find_place(trmi_item *map, const char *key)
{
    trmi_item **place = &map->child;
    while (*place && strcmp((*place)->key, key) != 0)
        place = &(*place)->next;
    return place;
}

// what `over` has, into the map `into`
static void lay_over(trmi_reading *r, trmi_item *into, const trmi_item *over)
{
    for (const trmi_item *i = over->child; i && !r->failed; i = i->next) {
        trmi_item **place = find_place(into, i->key), *own = *place;
        if (trmi_item_null(i)) {
            if (own) {
                *place = own->next;
                into->count--;
            } else {
                trmi_report_key(r->document, i, "there is no '%.60s' that null could remove",
                                i->key);
            }
        } else if (own && own->kind == TRMI_MAP && i->kind == TRMI_MAP) {
            lay_over(r, own, i);
        } else {
            trmi_item *copy = copy_item(r, i);
            if (!copy)
                return;
            copy->next = own ? own->next : NULL;
            into->count += own == NULL;
            *place = copy;
            if (i->kind == TRMI_MAP)
                lay_over(r, copy, i);
        }
    }
}

// names of all variants, as far as there is space
static void list_names(const trmi_item *variants, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const trmi_item *i = variants ? variants->child : NULL; i && used < size; i = i->next)
        used += (size_t)snprintf(text + used, size - used, "%s'%.40s'", used ? ", " : "", i->key);
}

static void report_unknown(trmi_reading *r, const trmi_item *name, const trmi_item *variants)
{
    char names[200];
    list_names(variants, names, sizeof names);
    trmi_report(r->document, name, "there is no variant '%.60s'; %s%s", name->text,
                names[0] ? "this model has " : "this model has none", names);
}

static void take_variant(trmi_reading *r, const trmi_item *name, trmi_item *root)
{
    const trmi_item *variants = trmi_item_find(root, "variants");
    if (name->kind != TRMI_SCALAR || trmi_item_null(name)) {
        trmi_report(r->document, name, "'variant' is the name of one, or a list of names");
        return;
    }
    const trmi_item *over = trmi_item_find(variants, name->text);
    if (!over)
        report_unknown(r, name, variants);
    else if (over->kind != TRMI_MAP)
        trmi_report(r->document, over, "variant '%.60s' must be a map of sections", over->key);
    else if (trmi_item_find(over, "variants") || trmi_item_find(over, "variant") ||
             trmi_item_find(over, "include"))
        trmi_report_key(r->document, over, "a variant has no variants and includes no files");
    else
        lay_over(r, root, over);
}

void trmi_take_variants(trmi_reading *r)
{
    trmi_item *root = trmi_document_root(r->document);
    const trmi_item *chosen = root->kind == TRMI_MAP ? trmi_item_find(root, "variant") : NULL;
    if (!chosen)
        return;
    if (chosen->kind != TRMI_LIST) {
        take_variant(r, chosen, root);
        return;
    }
    for (const trmi_item *name = chosen->child; name && !r->failed; name = name->next)
        take_variant(r, name, root);
}
