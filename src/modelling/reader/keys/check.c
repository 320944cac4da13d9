// SPDX-License-Identifier: Apache-2.0
// A document against the table of keys: one walk, no key has code of its own. Values in
// check_values.c.
#include "modelling/reader/keys/check.h"

#include "base/nearest.h"
#include "modelling/reader/yaml/source.h"

#include <string.h>

enum { MAX_KEYS = 64 };

static void check_map(trmi_document *d, const trmi_item *map, const trmi_key *keys);

static void check_value(trmi_document *d, const trmi_item *item, const trmi_key *key)
{
    char buffer[40];
    bool null = trmi_item_null(item);
    if (key->kind == TRMI_KEY_VALUE || (null && trmi_key_preset(key, buffer, sizeof buffer)))
        return;
    if (null && key->kind != TRMI_KEY_SECTION)
        trmi_report_key(d, item, "'%.60s' has no value", item->key);
    else if (key->below && (item->kind == TRMI_MAP || null))
        check_map(d, item, key);
    else
        trmi_check_value(d, item, key);
}

// ---- maps ----

// the names of keys of a map, only those of a need when it is not TRMI_KEY_OPTIONAL
static int collect_keys(const trmi_key *keys, trmi_key_need need, const char **name)
{
    int count = 0;
    for (const trmi_key *key = keys->below; key && count < MAX_KEYS; key = key->next)
        if ((!need || key->need == need) && strcmp(trmi_key_name(key), "*") != 0)
            name[count++] = trmi_key_name(key);
    return count;
}

// the key for which other programs have this word, which no misspelling leads from
static const char *find_synonym(const char *word, const trmi_key *keys)
{
    for (const trmi_key *key = keys->below; key; key = key->next)
        if (trmi_is_among(word, key->synonyms, trmi_count_words(key->synonyms)))
            return trmi_key_name(key);
    return NULL;
}

static void report_unknown(trmi_document *d, const trmi_item *item, const trmi_key *keys)
{
    const char *name[MAX_KEYS] = {NULL};
    int count = collect_keys(keys, TRMI_KEY_OPTIONAL, name);
    const char *near = find_synonym(item->key, keys);
    near = near ? near : trmi_nearest(item->key, name, count);
    char list[TRMI_LIST_BYTES] = "";
    trmi_append_words(list, sizeof list, name, count);
    if (strcmp(item->key, "true") == 0 && trmi_is_among("on", name, count))
        trmi_report_key(d, item,
                        "unknown key 'true': programs that read YAML 1.1 make it of 'on'; write "
                        "'\"on\"'%s",
                        trmi_is_among("body", name, count) ? " or 'body'" : "");
    else if (near)
        trmi_report_key(d, item, "unknown key '%.60s'; did you mean '%s'?", item->key, near);
    else
        trmi_report_key(d, item, "unknown key '%.60s'; valid here: %s", item->key, list);
}

// whether an unknown key of the map was probably meant to be this one: its message is enough
static bool is_misspelt(const trmi_item *map, const trmi_key *keys, const char *name)
{
    int left = MAX_KEYS; // in a long map this is not worth the search
    for (const trmi_item *item = map->child; item && left-- > 0; item = item->next)
        if (!trmi_key_find(keys, item->key) && trmi_nearest(item->key, &name, 1))
            return true;
    return false;
}

static void check_required(trmi_document *d, const trmi_item *map, const trmi_key *keys)
{
    for (const trmi_key *key = keys->below; key; key = key->next) {
        const char *name = trmi_key_name(key);
        if (key->need != TRMI_KEY_REQUIRED || trmi_item_find(map, name) ||
            is_misspelt(map, keys, name))
            continue;
        const char *const *choices = trmi_key_choices(key);
        if (trmi_count_words(choices) == 1)
            trmi_report_key(d, map, "the key '%s' is missing; add '%s: %s' (%s)", name, name,
                            choices[0], trmi_key_help(key));
        else
            trmi_report_key(d, map, "the key '%s' is missing: %s", name, trmi_key_help(key));
    }
}

// exactly one of the keys with that need
static void check_one_of(trmi_document *d, const trmi_item *map, const trmi_key *keys)
{
    const char *name[MAX_KEYS] = {NULL};
    const trmi_item *first = NULL;
    int count = collect_keys(keys, TRMI_KEY_ONE_OF, name);
    bool several = false, reported = count == 0;
    for (const trmi_item *item = map->child; item; item = item->next) {
        if (trmi_is_among(item->key, name, count)) {
            several = several || first;
            first = first ? first : item;
        }
        // a map under an unknown key was meant to be one of them: its message is enough
        reported = reported || (item->kind == TRMI_MAP && !trmi_key_find(keys, item->key));
    }
    if (first && !several)
        return;
    char list[TRMI_LIST_BYTES] = "";
    trmi_append_words(list, sizeof list, name, count);
    for (const trmi_item *item = first ? first->next : NULL; item; item = item->next)
        if (trmi_is_among(item->key, name, count))
            trmi_report_key(d, item, "'%s' beside '%s': exactly one of %s is accepted", item->key,
                            first->key, list);
    for (int k = 0; k < count && !first && !reported; k++)
        reported = is_misspelt(map, keys, name[k]);
    if (!first && !reported)
        trmi_report_key(d, map, "none of the keys %s is there; exactly one is needed", list);
}

// null is an empty map
static void check_map(trmi_document *d, const trmi_item *map, const trmi_key *keys)
{
    check_required(d, map, keys);
    check_one_of(d, map, keys);
    for (const trmi_item *item = map->child; item && !trmi_check_full(d); item = item->next) {
        const trmi_key *key = trmi_key_find(keys, item->key);
        if (key)
            check_value(d, item, key);
        else
            report_unknown(d, item, keys);
    }
}

// A file of another kind, by the key that it begins with: its other keys need no messages.
static bool is_of_another_kind(trmi_document *d, const trmi_item *root, const trmi_key_table *table)
{
    static const char *const kind[][3] = {{"trammel", "a model", "run"},
                                          {"trammel-study", "a study", "sweep"},
                                          {"trammel-optimization", "an optimisation", "optimize"}};
    if (trmi_item_find(root, table->row(0)->path))
        return false;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const trmi_item *item = trmi_item_find(root, kind[k][0]);
        if (!item)
            continue;
        trmi_report_key(d, item, "this file is %s: trammel %s takes it", kind[k][1], kind[k][2]);
        return true;
    }
    return false;
}

bool trmi_keys_check(trmi_document *d, const trmi_key_table *table)
{
    const trmi_item *root = trmi_document_root(d);
    if (root->kind != TRMI_MAP) {
        trmi_report(d, root, "%s, not %s", table->shape, trmi_item_kind_text(root));
        return true;
    }
    if (is_of_another_kind(d, root, table))
        return true;
    trmi_key *tree = trmi_document_take(d, (size_t)trmi_keys_count(table) * sizeof *tree);
    if (tree)
        check_map(d, root, trmi_keys_build(table, tree));
    return tree;
}
