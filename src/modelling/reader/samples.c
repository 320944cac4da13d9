// SPDX-License-Identifier: Apache-2.0
// The section `mechanism.samples`: values that a controller computes every so often and holds in
// between. Each is written out as what it means, a parameter and an event that sets it,
//
//     parameters: {NAME: START}
//     events: {NAME_sample: {when: "sin(pi*t/(EVERY))", set: {NAME: VALUE}}}
//
// with steps no longer than the shortest interval, so that none is stepped over. Messages are about
// the places of the section.
#include "modelling/reader/reading.h"

#include "modelling/expression/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4000 }; // characters of an assignment

// text as YAML in double quotes; false: it does not fit
static bool quote(const char *text, char *out, size_t size)
{
    size_t k = 0;
    for (; *text && k + 2 < size; text++) {
        if (*text == '"' || *text == '\\')
            out[k++] = '\\';
        out[k++] = *text;
    }
    out[k] = '\0';
    return *text == '\0';
}

// gives an item and all below it the place of another one
static void place_at(trmi_item *item, const trmi_item *origin)
{
    if (!item)
        return;
    item->source = origin->source;
    item->line = origin->line;
    item->column = origin->column;
    item->quoted = origin->quoted;
    item->key_line = origin->key_line;
    item->key_column = origin->key_column;
    for (trmi_item *i = item->kind == TRMI_SCALAR ? NULL : item->child; i; i = i->next)
        place_at(i, origin);
}

static const char *text_of(const trmi_item *map, const char *key, const char *without)
{
    const trmi_item *item = trmi_item_find(map, key);
    return item && item->kind == TRMI_SCALAR && item->text ? item->text : without;
}

void trmi_assign_at(trmi_document *d, const char *path, const char *value, const trmi_item *origin)
{
    char text[2 * LONGEST];
    snprintf(text, sizeof text, "%s=%s", path, value);
    trmi_document_set(d, text);
    place_at(trmi_item_path(trmi_document_root(d), path), origin);
}

// no step is longer than the shortest interval; limited: only intervals have set a limit so far
static void limit_steps(trmi_document *d, const trmi_item *every, const char *interval,
                        bool limited)
{
    char text[LONGEST + 300];
    const trmi_item *max = trmi_item_path(trmi_document_root(d), "simulate.step.max");
    if (max && !limited)
        return; // that of the user
    if (max)
        snprintf(text, sizeof text, "\"min(%s, %s)\"", max->text, interval);
    else
        snprintf(text, sizeof text, "\"%s\"", interval);
    trmi_assign_at(d, "simulate.step.max", text, every);
}

static void expand(trmi_document *d, const trmi_item *item, bool limited)
{
    const trmi_item *value = trmi_item_find(item, "value");
    const char *every = text_of(item, "every", NULL), *formula = text_of(item, "value", NULL);
    char path[200], text[LONGEST + 300], quoted[2][LONGEST / 2];
    if (!every || !formula || !trmi_is_name(item->key) || strlen(item->key) > 60)
        return; // which is reported with the keys
    double interval;
    if (trmi_item_number(trmi_item_find(item, "every"), &interval) && !(interval > 0)) {
        trmi_report(d, trmi_item_find(item, "every"), "'every' must be above 0, not %.20s", every);
        return;
    }
    if (!quote(every, quoted[0], sizeof quoted[0]) ||
        !quote(formula, quoted[1], sizeof quoted[1])) {
        trmi_report(d, value, "this formula is too long for a sample; name parts of it");
        return;
    }
    snprintf(path, sizeof path, "parameters.%s", item->key);
    if (trmi_item_path(trmi_document_root(d), path)) {
        trmi_report_key(d, item, "the name '%.60s' is already that of a parameter", item->key);
        return;
    }
    trmi_assign_at(d, path, text_of(item, "start", "0"), item);
    snprintf(path, sizeof path, "events.%s_sample", item->key);
    snprintf(text, sizeof text, "{when: \"sin(pi*t/(%s))\", set: {%s: \"%s\"}}", quoted[0],
             item->key, quoted[1]);
    trmi_assign_at(d, path, text, item);
    trmi_item *event = trmi_item_path(trmi_document_root(d), path);
    place_at(trmi_item_find(trmi_item_find(event, "set"), item->key), value);
    limit_steps(d, trmi_item_find(item, "every"), quoted[0], limited);
}

void trmi_expand_samples(trmi_document *d)
{
    const trmi_item *root = trmi_document_root(d);
    const trmi_item *samples = trmi_item_path(root, "mechanism.samples");
    bool limited = trmi_item_path(root, "simulate.step.max") == NULL;
    for (const trmi_item *i = samples && samples->kind == TRMI_MAP ? samples->child : NULL; i;
         i = i->next)
        if (i->kind == TRMI_MAP)
            expand(d, i, limited);
}
