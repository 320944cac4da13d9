// SPDX-License-Identifier: Apache-2.0
// Parameters and signals that a function from a shared object gets: maps from the names that the
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
static int report_unknown(trmi_draft *d, const given *g, const char *function)
{
    int unknown = 0;
    for (const trmi_item *i = g->map ? g->map->child : NULL; i; i = i->next) {
        if (number_of(g, i->key) != TRMI_NOTHING)
            continue;
        unknown++;
        const char *near = trmi_nearest(i->key, g->name, g->count);
        trmi_report_key(d->r->document, i, "'%.60s' has no %s '%.60s'%s%.60s%s", function, g->what,
                        i->key, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return unknown;
}

static void read_given(trmi_draft *d, const given *g, const trmi_item *map, const char *function,
                       trmi_argument *out)
{
    int unknown = report_unknown(d, g, function);
    for (int i = 0; i < g->count; i++) {
        const trmi_item *item = g->map ? trmi_item_find(g->map, g->name[i]) : NULL;
        char subject[100];
        snprintf(subject, sizeof subject, "%s '%.60s'", g->what, g->name[i]);
        out[i] = (trmi_argument){trmi_constant(&d->r->graph, 0), item ? item : map};
        if (item && !trmi_item_null(item))
            out[i].node = trmi_read_formula(d->r, item, g->uses, subject);
        else if (unknown == 0)
            trmi_report_key(d->r->document, g->map ? g->map : map,
                            "'%.60s' needs the %s '%.60s', at the key '%s'", function, g->what,
                            g->name[i], g->key);
    }
}

trmi_argument *trmi_draft_arguments(trmi_draft *d, const trmi_item *map,
                                    const char *const *signal_name,
                                    const char *const *parameter_name, unsigned uses, int *signals,
                                    int *parameters)
{
    const char *function = trmi_item_find(map, "name")->text;
    const given s = find_given(map, "signals", "signal", signal_name, uses);
    const given p = find_given(map, "parameters", "parameter", parameter_name, 0);
    trmi_argument *argument;
    *signals = s.count;
    *parameters = p.count;
    if (!TRMI_TAKE(d->r->memory, argument, s.count + p.count)) {
        d->r->failed = true;
        return NULL;
    }
    read_given(d, &p, map, function, argument + s.count);
    read_given(d, &s, map, function, argument);
    return argument;
}

void trmi_draft_user_force(trmi_draft *d, const trmi_item *map, const trm_user_force *force,
                           trmi_user_code *out)
{
    int signals, parameters;
    trmi_formula *formula;
    const trmi_argument *argument = trmi_draft_arguments(d, map, force->signal, force->parameter,
                                                         TRMI_FORCE_USES, &signals, &parameters);
    if (!argument || !TRMI_TAKE(d->r->memory, formula, signals + parameters)) {
        d->r->failed = true;
        return;
    }
    for (int i = 0; i < signals + parameters; i++)
        trmi_draft_keep_formula(d, argument[i].item, argument[i].node, &formula[i]);
    *out = (trmi_user_code){force, signals, parameters, formula};
}
