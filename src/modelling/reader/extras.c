// SPDX-License-Identifier: Apache-2.0
// What a model computes besides its equations: outputs, events, energies.
#include "modelling/reader/drawing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// outputs of the second tape, under collection
typedef struct extras {
    trmi_tape_output *output;
    int count;
} extras;

static void add_output(extras *e, trmi_node node, int group)
{
    e->output[e->count++] = (trmi_tape_output){node, group};
}

// Outputs become names that those below them and events may use, unless the name has a meaning
// already. False: no memory.
static bool introduce_outputs(trmi_reading *r, const trmi_item *section)
{
    if (!trmi_symbols_reserve(r, section ? section->count : 0))
        return false;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        trmi_symbol *s = trmi_symbols_add(&r->symbols, i->key, TRMI_SYMBOL_DEFINITION, 0, i);
        if (s)
            s->used = true;
        if (strcmp(i->key, "t") == 0)
            trmi_report_key(r->document, i, "'t' is the channel of time: choose another name");
    }
    return true;
}

static trmi_node read_output(trmi_reading *r, const trmi_item *item)
{
    trmi_symbol *own = trmi_symbols_find(&r->symbols, item->key);
    char subject[100];
    snprintf(subject, sizeof subject, "output '%.60s'", item->key);
    own = own && own->item == item && own->kind == TRMI_SYMBOL_DEFINITION ? own : NULL;
    r->definition = own;
    trmi_node node =
        trmi_read_formula(r, item, TRMI_USES_STATE_AND_TIME | TRMI_USES_ACCELERATIONS, subject);
    r->definition = NULL;
    if (own) {
        own->node = node;
        own->uses = r->uses;
    }
    return node;
}

static bool read_outputs(trmi_reading *r, const trmi_item *section, extras *e)
{
    const trmi_item *draw = trmi_item_find(r->root, "draw");
    int k = 0, drawn = trmi_drawings_count(draw);
    int most = (section ? section->count : 0) + drawn;
    const char **name;
    trmi_node *node;
    if (!TRMI_TAKE(r->memory, name, most) || !TRMI_TAKE(r->scratch, node, drawn) ||
        !introduce_outputs(r, section))
        return false;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        if (!(name[k++] = trmi_keep_text(r, i->key)))
            return false;
        add_output(e, read_output(r, i), TRMI_GROUP_OUTPUTS);
    }
    if (!trmi_drawings_read(r, draw, k, node, name + k, &drawn))
        return false;
    for (int i = 0; i < drawn; i++)
        add_output(e, node[i], TRMI_GROUP_OUTPUTS);
    r->model->names[TRM_CHANNEL_OUTPUT] = (trmi_names){.count = k + drawn, .name = name};
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
        s ? NULL : trmi_nearest_symbol(r, item->key, TRMI_USES_VELOCITIES | TRMI_USES_STATES);
    if (s)
        trmi_report_key(r->document, item,
                        "'%.60s' is %s; an event sets velocities, states or parameters", item->key,
                        trmi_symbol_kind_text(s->kind));
    else
        trmi_report_key(r->document, item, "'%.60s' is not defined%s%.60s%s", item->key,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return 0;
}

static bool read_sets(trmi_reading *r, const trmi_item *section, int group, trmi_model_event *event,
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

static bool read_event(trmi_reading *r, const trmi_item *item, int k, trmi_model_event *event,
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
    event->text = trmi_keep_line(r, text && text->kind == TRMI_SCALAR ? text->text : "");
    return event->text && read_sets(r, trmi_item_find(item, "set"), TRMI_GROUP_SETS + k, event, e);
}

static bool read_events(trmi_reading *r, const trmi_item *section, extras *e)
{
    trm_model *m = r->model;
    trmi_model_event *event;
    int *direction, k = 0;
    const char **name;
    m->events = section && section->kind == TRMI_MAP ? section->count : 0;
    if (m->events > TRMI_MAX_EVENTS) {
        trmi_report(r->document, section, "%d events; at most %d are possible", m->events,
                    TRMI_MAX_EVENTS);
        return true;
    }
    if (!TRMI_TAKE(r->memory, event, m->events) || !TRMI_TAKE(r->memory, direction, m->events) ||
        !TRMI_TAKE(r->memory, name, m->events))
        return false;
    for (const trmi_item *i = m->events ? section->child : NULL; i; i = i->next, k++)
        if (!(name[k] = trmi_keep_text(r, i->key)) ||
            !read_event(r, i, k, &event[k], &direction[k], e))
            return false;
    m->event = event;
    m->event_direction = direction;
    m->event_names = name;
    return true;
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

// Breaks of the formulas of a group, of event functions of their signs, as far as they are those of
// t alone. False: no memory.
static bool find_breaks(trmi_reading *r, const extras *e, int group, const trmi_breaks **out)
{
    const trmi_layout *l = &r->model->layout;
    int count = 0;
    trmi_tape_output *formula = malloc((size_t)(e->count + 1) * sizeof *formula);
    for (int k = 0; k < e->count && formula; k++) {
        trmi_node node = e->output[k].node;
        if (e->output[k].group == group)
            formula[count++].node =
                group == TRMI_GROUP_EVENTS
                    ? trmi_apply(&r->graph, TRMI_STEP, node, TRMI_NO_NODE, TRMI_NO_NODE)
                    : node;
    }
    bool good = formula && trmi_breaks_create(r->memory, &r->graph, formula, count, NULL, l->t,
                                              l->parameter, out);
    free(formula);
    return good;
}

void trmi_read_extras(trmi_reading *r)
{
    trm_model *m = r->model;
    const trmi_item *outputs = trmi_item_find(r->root, "outputs");
    const trmi_item *events = trmi_item_find(r->root, "events");
    extras e = {0};
    int most =
        count_outputs(outputs, events) + trmi_drawings_count(trmi_item_find(r->root, "draw"));
    e.output = malloc((size_t)most * sizeof *e.output);
    bool good = e.output && read_outputs(r, outputs, &e) && read_events(r, events, &e);
    if (good && r->has_energy)
        for (int k = 0; k < 2; k++)
            add_output(&e, r->energy[k], TRMI_GROUP_ENERGY);
    if (good) // the names of the outputs are known
        trmi_read_units(r);
    good = good && find_breaks(r, &e, TRMI_GROUP_EVENTS, &m->event_breaks) &&
           find_breaks(r, &e, TRMI_GROUP_OUTPUTS, &m->output_breaks);
    r->failed = r->failed || !good;
    if (good && trmi_document_errors(r->document) == 0)
        m->extras = trmi_tape_create(r->memory, &r->graph, e.output, e.count, m->layout.count,
                                     m->layout.parameter);
    free(e.output);
}
