// SPDX-License-Identifier: Apache-2.0
// Parameters and signals that a force from a shared object gets: maps from the names that the
// shared object exports to formulas, stored in its order.
#include "modelling/reader/mechanism/draft.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

// One of the two maps.
typedef struct given {
    const char *key, *what; // "signals", "signal"
    const trmi_item *map;   // NULL: none
    const char *const *name;
    int count;
    unsigned uses; // what its formulas may use
} given;

static given find_given(const trmi_item *map, const char *key, const char *what,
                        const char *const *name, unsigned uses)
{
    given g = {.key = key, .what = what, .name = name, .uses = uses};
    while (name && name[g.count])
        g.count++;
    g.map = trmi_item_find(map, key);
    if (g.map && trmi_item_null(g.map))
        g.map = NULL;
    return g;
}

static int number_of(const given *g, const char *name)
{
    for (int i = 0; i < g->count; i++)
        if (strcmp(g->name[i], name) == 0)
            return i;
    return TRMI_NOTHING;
}

// names that the shared object does not have; how many
static int report_unknown(trmi_draft *d, const given *g, const char *force)
{
    int unknown = 0;
    for (const trmi_item *i = g->map ? g->map->child : NULL; i; i = i->next) {
        if (number_of(g, i->key) != TRMI_NOTHING)
            continue;
        unknown++;
        const char *near = trmi_nearest(i->key, g->name, g->count);
        trmi_report_key(d->r->document, i, "'%.60s' has no %s '%.60s'%s%.60s%s", force, g->what,
                        i->key, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return unknown;
}

static void read_argument(trmi_draft *d, const given *g, const trmi_item *item, trmi_formula *out)
{
    char subject[100];
    snprintf(subject, sizeof subject, "%s '%.60s'", g->what, item->key);
    trmi_draft_keep_formula(d, item, trmi_read_formula(d->r, item, g->uses, subject), out);
}

static void read_given(trmi_draft *d, const given *g, const trmi_item *map, const char *force,
                       trmi_formula *out)
{
    int unknown = report_unknown(d, g, force);
    for (int i = 0; i < g->count; i++) {
        const trmi_item *item = g->map ? trmi_item_find(g->map, g->name[i]) : NULL;
        out[i] = (trmi_formula){.value = TRMI_NOTHING};
        if (item && !trmi_item_null(item))
            read_argument(d, g, item, &out[i]);
        else if (unknown == 0)
            trmi_report_key(d->r->document, g->map ? g->map : map,
                            "'%.60s' needs the %s '%.60s', at the key '%s'", force, g->what,
                            g->name[i], g->key);
    }
}

void trmi_draft_arguments(trmi_draft *d, const trmi_item *map, trmi_user_code *code)
{
    const char *force = trmi_item_find(map, "name")->text;
    const given signals =
        find_given(map, "signals", "signal", code->force->signal, TRMI_FORCE_USES);
    const given parameters = find_given(map, "parameters", "parameter", code->force->parameter, 0);
    trmi_formula *argument;
    if (!TRMI_TAKE(d->r->memory, argument, signals.count + parameters.count)) {
        d->r->failed = true;
        return;
    }
    *code = (trmi_user_code){code->force, signals.count, parameters.count, argument};
    read_given(d, &parameters, map, force, argument + signals.count);
    read_given(d, &signals, map, force, argument);
}
