// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/fields.h"

#include "base/nearest.h"
#include "program/files/text.h"

#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 400 };

// ---- keys ----

static void report_unknown(trmi_document *d, const trmi_item *item, const char *const *valid)
{
    char list[LIST_BYTES] = "";
    int count = 0;
    size_t length = 0;
    for (; valid[count]; count++)
        if (length < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       count ? ", " : "", valid[count]);
    const char *near = trmi_nearest(item->key, valid, count);
    if (near)
        trmi_report_key(d, item, "unknown key '%.60s'; did you mean '%s'?", item->key, near);
    else
        trmi_report_key(d, item, "unknown key '%.60s'; valid here: %s", item->key, list);
}

bool trmi_fields_check(trmi_document *d, const trmi_item *item, const char *subject,
                       const char *const *valid)
{
    if (item->kind != TRMI_MAP) {
        trmi_report(d, item, "%s is a map, not %s", subject, trmi_item_kind_text(item));
        return false;
    }
    for (const trmi_item *child = item->child; child; child = child->next) {
        const char *const *key = valid;
        while (*key && strcmp(*key, child->key) != 0)
            key++;
        if (!*key)
            report_unknown(d, child, valid);
    }
    return true;
}

// ---- values ----

// the item of a key if it is of that kind
static const trmi_item *find(trmi_document *d, const trmi_item *map, const char *key,
                             trmi_item_kind kind, trmi_field_need need)
{
    static const char *const kinds[] = {"a text", "a list", "a map"};
    const trmi_item *item = trmi_item_find(map, key);
    if (!item || trmi_item_null(item)) {
        if (need == TRMI_FIELD_REQUIRED)
            trmi_report_key(d, item ? item : map, "the key '%s' %s: %s is needed", key,
                            item ? "has no value" : "is missing", kinds[kind]);
        return NULL;
    }
    if (item->kind == kind)
        return item;
    trmi_report(d, item, "'%s' is %s, not %s", key, kinds[kind], trmi_item_kind_text(item));
    return NULL;
}

const char *trmi_fields_text(trmi_document *d, const trmi_item *map, const char *key,
                             trmi_field_need need)
{
    const trmi_item *item = find(d, map, key, TRMI_SCALAR, need);
    return item ? item->text : NULL;
}

const trmi_item *trmi_fields_list(trmi_document *d, const trmi_item *map, const char *key,
                                  trmi_field_need need)
{
    return find(d, map, key, TRMI_LIST, need);
}

const trmi_item *trmi_fields_map(trmi_document *d, const trmi_item *map, const char *key,
                                 trmi_field_need need)
{
    return find(d, map, key, TRMI_MAP, need);
}

void trmi_fields_number(trmi_document *d, const trmi_item *map, const char *key, double *value)
{
    const trmi_item *item = find(d, map, key, TRMI_SCALAR, TRMI_FIELD_OPTIONAL);
    double number;
    if (item && trmi_item_number(item, &number))
        *value = number;
    else if (item)
        trmi_report(d, item, "'%s' is a number, not '%.60s'", key, item->text);
}

void trmi_fields_truth(trmi_document *d, const trmi_item *map, const char *key, bool *value)
{
    const trmi_item *item = find(d, map, key, TRMI_SCALAR, TRMI_FIELD_OPTIONAL);
    if (item && !trmi_item_truth(item, value))
        trmi_report(d, item, "'%s' is true or false, not '%.60s'", key, item->text);
}

// ---- back to YAML ----

// a text in single quotes: only they themselves need care, they are doubled
static void add_quoted(trmi_text *out, const char *text)
{
    trmi_text_add(out, "'");
    for (; *text; text++)
        trmi_text_add_bytes(out, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    trmi_text_add(out, "'");
}

static void add_item(trmi_text *out, const trmi_item *item)
{
    if (item->kind == TRMI_SCALAR) {
        if (item->quoted)
            add_quoted(out, item->text);
        else
            trmi_text_add(out, item->text);
        return;
    }
    trmi_text_add(out, item->kind == TRMI_LIST ? "[" : "{");
    for (const trmi_item *child = item->child; child; child = child->next) {
        if (child->key) {
            add_quoted(out, child->key);
            trmi_text_add(out, ": ");
        }
        add_item(out, child); // as deep as documents may be
        if (child->next)
            trmi_text_add(out, ", ");
    }
    trmi_text_add(out, item->kind == TRMI_LIST ? "]" : "}");
}

const char *trmi_fields_flow(trmi_memory *memory, const trmi_item *item)
{
    trmi_text text = {0};
    add_item(&text, item);
    char *copy = NULL;
    if (!text.failed && TRMI_TAKE(memory, copy, text.length + 1) && text.length > 0)
        memcpy(copy, text.data, text.length);
    trmi_text_free(&text);
    return copy;
}
