// SPDX-License-Identifier: Apache-2.0
// A document against the table of keys: one walk, no key has code of its own. Values in
// check_values.c.
#include "modelling/reader/keys/check.h"

#include "base/nearest.h"

#include <string.h>

enum { MAX_KEYS = 64 };

typedef struct checker {
    trmi_document *document;
    trmi_key_index index;
    bool failed; // no memory
} checker;

static void check_map(checker *c, const trmi_item *map, const trmi_key_map *keys);

// The rows below a row; NULL without memory.
static const trmi_key_map *keys_below(checker *c, int row)
{
    const trmi_key_map *keys = trmi_key_index_below(&c->index, row);
    c->failed = c->failed || !keys;
    return keys;
}

static void check_value(checker *c, const trmi_item *item, int number)
{
    char buffer[40];
    const trmi_key *row = trmi_key_row(number);
    const trmi_key_map *keys = keys_below(c, number);
    if (!keys)
        return;
    bool null = trmi_item_null(item), map = keys->count > 0 || keys->free_name >= 0;
    if (row->kind == TRMI_KEY_VALUE || (null && trmi_key_preset(row, buffer, sizeof buffer)))
        return;
    if (null && row->kind != TRMI_KEY_SECTION)
        trmi_report_key(c->document, item, "'%.60s' has no value", item->key);
    else if (map && (item->kind == TRMI_MAP || null))
        check_map(c, item, keys);
    else
        trmi_check_value(c->document, item, row);
}

// ---- maps ----

// the names of keys, only those of a need when it is not TRMI_KEY_OPTIONAL
static int collect_keys(const trmi_key_map *keys, trmi_key_need need, const char **name)
{
    int count = 0;
    for (int k = 0; k < keys->count && count < MAX_KEYS; k++)
        if (!need || keys->key[k].need == need)
            name[count++] = keys->key[k].name;
    return count;
}

// Other programs' words, which no misspelling leads from.
static const char *find_synonym(const char *word, const char *const *name, int count)
{
    static const struct {
        const char *word, *name;
    } synonym[] = {{"hinge", "revolute"},   {"pin", "revolute"},
                   {"slider", "prismatic"}, {"translational", "prismatic"},
                   {"ball", "spherical"},   {"weld", "fixed"},
                   {"rigid", "fixed"},      {"cardan", "universal"},
                   {"gear", "coupling"}};
    for (size_t k = 0; k < sizeof synonym / sizeof *synonym; k++)
        if (strcmp(word, synonym[k].word) == 0 && trmi_is_among(synonym[k].name, name, count))
            return synonym[k].name;
    return NULL;
}

static void report_unknown(trmi_document *d, const trmi_item *item, const trmi_key_map *keys)
{
    const char *name[MAX_KEYS] = {NULL};
    int count = collect_keys(keys, TRMI_KEY_OPTIONAL, name);
    const char *near = find_synonym(item->key, name, count);
    near = near ? near : trmi_nearest(item->key, name, count);
    char list[TRMI_LIST_BYTES] = "";
    trmi_append_words(list, sizeof list, name, count);
    if (near)
        trmi_report_key(d, item, "unknown key '%.60s'; did you mean '%s'?", item->key, near);
    else
        trmi_report_key(d, item, "unknown key '%.60s'; valid here: %s", item->key, list);
}

// whether an unknown key of the map was probably meant to be this one: its message is enough
static bool is_misspelt(const trmi_item *map, const trmi_key_map *keys, const char *name)
{
    int left = MAX_KEYS; // in a long map this is not worth the search
    for (const trmi_item *item = map->child; item && left-- > 0; item = item->next)
        if (trmi_key_map_find(keys, item->key) < 0 && trmi_nearest(item->key, &name, 1))
            return true;
    return false;
}

static void check_required(trmi_document *d, const trmi_item *map, const trmi_key_map *keys)
{
    for (int k = 0; k < keys->count && keys->needs[TRMI_KEY_REQUIRED] > 0; k++) {
        const char *name = keys->key[k].name;
        if (keys->key[k].need != TRMI_KEY_REQUIRED || trmi_item_find(map, name) ||
            is_misspelt(map, keys, name))
            continue;
        const trmi_key *row = trmi_key_row(keys->key[k].row);
        const char *const *choices = trmi_key_choices(row);
        if (trmi_count_words(choices) == 1)
            trmi_report_key(d, map, "the key '%s' is missing; add '%s: %s' (%s)", name, name,
                            choices[0], trmi_key_help(row));
        else
            trmi_report_key(d, map, "the key '%s' is missing: %s", name, trmi_key_help(row));
    }
}

// exactly one of the keys with that need
static void check_one_of(trmi_document *d, const trmi_item *map, const trmi_key_map *keys)
{
    const char *name[MAX_KEYS] = {NULL};
    const trmi_item *first = NULL;
    if (keys->needs[TRMI_KEY_ONE_OF] == 0)
        return;
    int count = collect_keys(keys, TRMI_KEY_ONE_OF, name);
    bool several = false, explained = false;
    for (const trmi_item *item = map->child; item; item = item->next) {
        if (trmi_is_among(item->key, name, count)) {
            several = several || first;
            first = first ? first : item;
        }
        // a map under an unknown key was meant to be one of them: its message is enough
        explained = explained || (item->kind == TRMI_MAP && trmi_key_map_find(keys, item->key) < 0);
    }
    if (first && !several)
        return;
    char list[TRMI_LIST_BYTES] = "";
    trmi_append_words(list, sizeof list, name, count);
    for (const trmi_item *item = first ? first->next : NULL; item; item = item->next)
        if (trmi_is_among(item->key, name, count))
            trmi_report_key(d, item, "'%s' beside '%s': exactly one of %s is accepted", item->key,
                            first->key, list);
    for (int k = 0; k < count && !first && !explained; k++)
        explained = is_misspelt(map, keys, name[k]);
    if (!first && !explained)
        trmi_report_key(d, map, "none of the keys %s is there; exactly one is needed", list);
}

// keys: those that are valid there; null is an empty map
static void check_map(checker *c, const trmi_item *map, const trmi_key_map *keys)
{
    trmi_document *d = c->document;
    check_required(d, map, keys);
    check_one_of(d, map, keys);
    for (const trmi_item *item = map->child; item && !trmi_check_full(d) && !c->failed;
         item = item->next) {
        int row = trmi_key_map_find(keys, item->key);
        if (row >= 0)
            check_value(c, item, row);
        else
            report_unknown(d, item, keys);
    }
}

bool trmi_keys_check(trmi_document *d)
{
    const trmi_item *root = trmi_document_root(d);
    checker c = {.document = d};
    if (root->kind != TRMI_MAP) {
        trmi_report(d, root, "a model is a map that begins with 'trammel: 1', not %s",
                    trmi_item_kind_text(root));
        return true;
    }
    const trmi_key_map *top =
        trmi_key_index_create(&c.index, d) ? keys_below(&c, TRMI_KEY_NONE) : NULL;
    if (top)
        check_map(&c, root, top);
    return top && !c.failed;
}
