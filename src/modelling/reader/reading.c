// SPDX-License-Identifier: Apache-2.0
#include "modelling/reader/model_type.h"

#include "base/nearest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *trmi_keep_text(trmi_reading *r, const char *text)
{
    return TRMI_JOIN(&r->texts, text);
}

void trmi_note_source(trmi_reading *r, const char *path)
{
    trmi_model_source *source;
    trmi_texts texts = {.memory = r->memory};
    const char *kept = TRMI_JOIN(&texts, path);
    if (!kept || !TRMI_TAKE(r->memory, source, 1)) {
        r->failed = true;
        return;
    }
    *source = (trmi_model_source){.path = kept, .next = r->model->sources};
    r->model->sources = source;
}

const char *trmi_keep_line(trmi_reading *r, const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr("\r\n", text[length - 1]))
        length--; // of a block of YAML
    char *line = trmi_memory_share(r->texts.memory, length + 1, 1, 1);
    for (size_t k = 0; line && k < length; k++)
        line[k] = strchr("\r\n", text[k]) ? ' ' : text[k];
    return line; // zeroed: it ends there
}

trmi_layout trmi_layout_of(const trm_system *s, int signals, int seconds, int effects,
                           int parameters)
{
    trmi_layout l = {0};
    l.q = 1;
    l.v = l.q + s->n_q;
    l.a = l.v + s->n_q;
    l.x = l.a + s->n_q;
    l.z = l.x + s->n_x;
    l.lambda = l.z + s->n_z;
    l.u = l.lambda + s->n_g + s->n_a;
    l.z_rate = l.u + 3 * s->n_u;
    l.mu = l.z_rate + s->n_z;
    l.signal = l.mu + s->n_z;
    l.signal_rate = l.signal + signals;
    l.signal_second = l.signal_rate + signals;
    l.effect = l.signal_second + seconds;
    l.parameter = l.effect + effects;
    l.count = l.parameter + parameters;
    return l;
}

void trmi_place_unknowns(trmi_reading *r)
{
    const trmi_layout *l = &r->model->layout;
    for (int i = 0; i < r->symbols.count; i++) {
        trmi_symbol *s = &r->symbols.symbol[i];
        const int first[] = {[TRMI_SYMBOL_POSITION] = l->q,
                             [TRMI_SYMBOL_VELOCITY] = l->v,
                             [TRMI_SYMBOL_STATE] = l->x,
                             [TRMI_SYMBOL_ALGEBRAIC] = l->z,
                             [TRMI_SYMBOL_MULTIPLIER] = l->lambda,
                             [TRMI_SYMBOL_SIGNAL] = l->signal,
                             [TRMI_SYMBOL_SIGNAL_RATE] = l->signal_rate,
                             [TRMI_SYMBOL_EFFECT] = l->effect};
        if (s->kind >= TRMI_SYMBOL_POSITION)
            s->node = trmi_input(&r->graph, first[s->kind] + s->index);
    }
}

bool trmi_symbols_reserve(trmi_reading *r, int more)
{
    trmi_symbols all;
    if (r->symbols.count + more <= r->symbols.capacity)
        return true;
    if (!trmi_symbols_create(&all, r->scratch, 2 * r->symbols.count + more))
        return false;
    for (int i = 0; i < r->symbols.count; i++) {
        const trmi_symbol *old = &r->symbols.symbol[i];
        if (!old->name[0]) // forgotten
            continue;
        *trmi_symbols_add(&all, old->name, old->kind, old->index, old->item) = *old;
    }
    r->symbols = all;
    return true;
}

// ---- names that were meant ----

// more errors are not shown: a search through all names for each of them would take long
static bool errors_are_shown(const trmi_reading *r)
{
    return trmi_document_errors(r->document) <= TRMI_DOCUMENT_ERRORS;
}

const char *trmi_nearest_symbol(const trmi_reading *r, const char *name, unsigned allowed)
{
    return errors_are_shown(r) ? trmi_symbols_nearest(&r->symbols, name, allowed) : NULL;
}

void trmi_walk_signals(trmi_reading *r, trmi_signal_visit *visit, void *to)
{
    const trmi_model_type *type = r->model->type;
    if (type && type->walk_signals)
        type->walk_signals(r, visit, to);
}

typedef struct search {
    const char *name;
    char best[200];
    int distance;
    bool forces, force; // whether forces are meant, and one was found
} search;

static void consider(void *to, const char *name, bool force)
{
    search *s = to;
    int distance = force && !s->forces ? INT_MAX : trmi_name_distance(s->name, name);
    if (distance < s->distance) {
        s->distance = distance;
        s->force = force;
        snprintf(s->best, sizeof s->best, "%s", name);
    }
}

const char *trmi_nearest_signal(trmi_reading *r, const char *name, bool *force)
{
    search s = {.name = name, .distance = INT_MAX, .forces = force != NULL};
    if (errors_are_shown(r))
        trmi_walk_signals(r, consider, &s);
    const char *best = s.best;
    if (force)
        *force = s.force;
    return s.distance < INT_MAX && trmi_nearest(name, &best, 1) ? trmi_keep_text(r, best) : NULL;
}
