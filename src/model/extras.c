// SPDX-License-Identifier: Apache-2.0
// What a model computes besides its equations: outputs, events, energies, units.
#include "model/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 64 - TRMI_GROUP_SETS };

// outputs of the second tape, under collection
typedef struct extras {
    trmi_tape_output *output;
    int count;
} extras;

static void add_output(extras *e, trmi_node node, int group)
{
    e->output[e->count++] = (trmi_tape_output){node, group};
}

static bool read_outputs(trmi_reading *r, const trmi_item *section, extras *e)
{
    trmi_names *names = &r->model->names[TRM_CHANNEL_OUTPUT];
    int count = section ? section->count : 0;
    char subject[100];
    names->count = count;
    if (!TRMI_TAKE(r->memory, names->name, count) || !TRMI_TAKE(r->memory, names->unit, count))
        return false;
    int k = 0;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        if (!(names->name[k++] = trmi_keep_text(r->memory, i->key)))
            return false;
        snprintf(subject, sizeof subject, "output '%.60s'", i->key);
        trmi_node node =
            trmi_read_formula(r, i, TRMI_USES_STATE_AND_TIME | TRMI_USES_ACCELERATIONS, subject);
        add_output(e, node, TRMI_GROUP_OUTPUTS);
    }
    return true;
}

// what an event sets: velocities, states, algebraic guesses are part of the state; parameters
static int set_target(trmi_reading *r, const trmi_item *item)
{
    const trmi_layout *l = &r->model->layout;
    const trmi_symbol *s = trmi_symbols_find(&r->symbols, item->key);
    if (s && s->kind == TRMI_SYMBOL_VELOCITY)
        return l->v + s->index;
    if (s && s->kind == TRMI_SYMBOL_STATE)
        return l->x + s->index;
    if (s && s->fixed) {
        trmi_report_key(r->document, item,
                        "the problem was made with parameter '%.60s'; setting it later changes "
                        "nothing",
                        item->key);
        return 0;
    }
    if (s && s->kind == TRMI_SYMBOL_PARAMETER)
        return l->parameter + s->index;
    const char *near =
        s ? NULL
          : trmi_symbols_nearest(&r->symbols, item->key, TRMI_USES_VELOCITIES | TRMI_USES_STATES);
    if (s)
        trmi_report_key(r->document, item,
                        "'%.60s' is %s; an event sets velocities, states or parameters", item->key,
                        trmi_symbol_kind_text(s->kind));
    else
        trmi_report_key(r->document, item, "'%.60s' is not defined%s%.60s%s", item->key,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return 0;
}

static bool read_sets(trmi_reading *r, const trmi_item *section, int group, trmi_event *event,
                      extras *e)
{
    int *target;
    char subject[100];
    if (!section || section->kind != TRMI_MAP)
        return true;
    if (!TRMI_TAKE(r->memory, target, section->count))
        return false;
    for (const trmi_item *i = section->child; i; i = i->next) {
        target[event->sets++] = set_target(r, i);
        snprintf(subject, sizeof subject, "'%.60s'", i->key);
        add_output(e, trmi_read_formula(r, i, TRMI_USES_STATE_AND_TIME, subject), group);
    }
    event->target = target;
    if (event->action == TRM_EVENT_LOG && event->sets > 0)
        event->action = TRM_EVENT_RESTART;
    return true;
}

static int choice(const trmi_item *item, const char *const *words)
{
    for (int k = 0; item && item->kind == TRMI_SCALAR && words[k]; k++)
        if (strcmp(item->text, words[k]) == 0)
            return k;
    return 0;
}

static bool read_event(trmi_reading *r, const trmi_item *item, int k, trmi_event *event,
                       int *direction, extras *e)
{
    static const char *const directions[] = {"both", "rising", "falling", NULL};
    static const char *const actions[] = {"log", "restart", "stop", NULL};
    static const int sign[] = {0, 1, -1};
    char subject[100];
    snprintf(subject, sizeof subject, "event '%.60s'", item->key);
    const trmi_item *when = trmi_item_find(item, "when"), *text = trmi_item_find(item, "log");
    add_output(e, trmi_read_formula(r, when, TRMI_USES_STATE_AND_TIME, subject), TRMI_GROUP_EVENTS);
    *direction = sign[choice(trmi_item_find(item, "direction"), directions)];
    event->action = (trm_event_action)choice(trmi_item_find(item, "action"), actions);
    event->text = trmi_keep_text(r->memory, text && text->kind == TRMI_SCALAR ? text->text : "");
    return event->text && read_sets(r, trmi_item_find(item, "set"), TRMI_GROUP_SETS + k, event, e);
}

static bool read_events(trmi_reading *r, const trmi_item *section, extras *e)
{
    trm_model *m = r->model;
    trmi_event *event;
    int *direction, k = 0;
    const char **name;
    m->events = section && section->kind == TRMI_MAP ? section->count : 0;
    if (m->events > MOST_EVENTS) {
        trmi_report(r->document, section, "%d events; at most %d are possible", m->events,
                    MOST_EVENTS);
        return true;
    }
    if (!TRMI_TAKE(r->memory, event, m->events) || !TRMI_TAKE(r->memory, direction, m->events) ||
        !TRMI_TAKE(r->memory, name, m->events))
        return false;
    for (const trmi_item *i = m->events ? section->child : NULL; i; i = i->next, k++)
        if (!(name[k] = trmi_keep_text(r->memory, i->key)) ||
            !read_event(r, i, k, &event[k], &direction[k], e))
            return false;
    m->event = event;
    m->event_direction = direction;
    m->event_names = name;
    return true;
}

// the section `units` as a table of names
static bool collect_units(trmi_reading *r, trmi_symbols *units)
{
    const trmi_item *section = trmi_item_find(r->root, "units");
    if (!trmi_symbols_create(units, r->memory, section ? section->count : 0))
        return false;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next)
        trmi_symbols_add(units, i->key, TRMI_SYMBOL_DEFINITION, 0, i);
    return true;
}

// the unit of a name, or one that follows from that of its position: m, m/s, m/s^2; NULL when there
// is no memory
static const char *unit_of(trmi_reading *r, const trmi_symbols *units, const char *name,
                           const char *position, const char *suffix)
{
    trmi_symbol *own = trmi_symbols_find(units, name);
    const trmi_symbol *base = position ? trmi_symbols_find(units, position) : NULL;
    char text[80];
    if (own && own->item->kind == TRMI_SCALAR) {
        own->used = true;
        return trmi_keep_text(r->memory, own->item->text);
    }
    if (!base || base->item->kind != TRMI_SCALAR || base->item->text[0] == '\0')
        return "";
    snprintf(text, sizeof text, "%.60s%s", base->item->text, suffix);
    return trmi_keep_text(r->memory, text);
}

static void read_units(trmi_reading *r)
{
    trm_model *m = r->model;
    const trmi_names *position = &m->names[TRM_CHANNEL_POSITION];
    trmi_symbols units;
    if (!collect_units(r, &units)) {
        r->failed = true;
        return;
    }
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++)
        for (int i = 0; i < m->names[kind].count; i++) {
            bool velocity = kind == TRM_CHANNEL_VELOCITY, a = kind == TRM_CHANNEL_ACCELERATION;
            const char *unit =
                unit_of(r, &units, a ? "" : m->names[kind].name[i],
                        velocity || a ? position->name[i] : NULL, velocity ? "/s" : "/s^2");
            if (!m->names[kind].unit[i] || (unit && *unit)) // mechanisms know theirs
                m->names[kind].unit[i] = unit ? unit : "";
            r->failed = r->failed || !unit;
        }
    for (int i = 0; i < units.count; i++) // parameters and definitions may have one too
        if (!units.symbol[i].used && !trmi_symbols_find(&r->symbols, units.symbol[i].name) &&
            !trmi_is_signal(r, units.symbol[i].name))
            trmi_report_key(r->document, units.symbol[i].item,
                            "there is nothing called '%.60s' that could have a unit",
                            units.symbol[i].name);
}

static int count_outputs(const trmi_item *outputs, const trmi_item *events)
{
    int count = 2 + (outputs ? outputs->count : 0) + (events ? events->count : 0);
    for (const trmi_item *i = events ? events->child : NULL; i; i = i->next) {
        const trmi_item *set = trmi_item_find(i, "set");
        count += set ? set->count : 0;
    }
    return count;
}

void trmi_read_extras(trmi_reading *r)
{
    trm_model *m = r->model;
    const trmi_item *outputs = trmi_item_find(r->root, "outputs");
    const trmi_item *events = trmi_item_find(r->root, "events");
    extras e = {0};
    e.output = malloc((size_t)count_outputs(outputs, events) * sizeof *e.output);
    bool good = e.output && read_outputs(r, outputs, &e) && read_events(r, events, &e);
    if (good && m->has_energy && m->equations)
        for (int k = 0; k < 2; k++)
            add_output(&e, r->energy[k], TRMI_GROUP_ENERGY);
    read_units(r);
    if (good && trmi_document_errors(r->document) == 0)
        m->extras = trmi_tape_create(r->memory, &r->graph, e.output, e.count, m->layout.count,
                                     m->layout.parameter);
    free(e.output);
}
