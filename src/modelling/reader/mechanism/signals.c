// SPDX-License-Identifier: Apache-2.0
// Signals by name: "pivot_angle" and "pivot_rate" of a joint, "crank_x" and "crank_x_rate" of a
// body, "strut_length" and "strut_rate" of a spring. Only those that some formula names are formed.
#include "modelling/multibody/rows/row_euler.h"
#include "modelling/reader/mechanism/draft.h"

#include "base/grow.h"
#include "modelling/expression/lexer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what a name means ----

// "x_rate" of a body
static bool body_signal(const trmi_draft *d, const char *part, trmi_signal *signal, bool *rate)
{
    bool plane = d->mechanism->plane != TRMI_SPATIAL;
    size_t length = strcspn(part, "_");
    *rate = strcmp(part + length, "_rate") == 0;
    if (part[length] && !*rate)
        return false;
    if (length == 1 && *part >= 'x' && *part <= 'z') {
        signal->kind = TRMI_SIGNAL_CENTER;
        signal->part = *part - 'x';
        return true;
    }
    signal->kind = TRMI_SIGNAL_ANGLE;
    signal->part = 0;
    return plane && length == 5 && strncmp(part, "angle", 5) == 0;
}

static bool joint_signal(const trmi_draft *d, const char *part, trmi_signal *signal, bool *rate)
{
    signal->kind = TRMI_SIGNAL_MEASURE;
    signal->part = trmi_measure_find(d->joint[signal->index].type, d->mechanism->plane, part, rate);
    return signal->part != TRMI_NOTHING;
}

static bool force_signal(const trmi_draft *d, const char *part, trmi_signal *signal, bool *rate)
{
    *rate = strcmp(part, "rate") == 0 || strcmp(part, "length_rate") == 0;
    signal->kind = TRMI_SIGNAL_LENGTH;
    signal->part = 0;
    return d->force[signal->index]->type->length_signal && (*rate || strcmp(part, "length") == 0);
}

typedef bool signal_reader(const trmi_draft *, const char *, trmi_signal *, bool *);

// Every way to cut the name in two at a "_" is tried: names may have some themselves.
bool trmi_draft_signal(const trmi_draft *d, const char *name, trmi_signal *signal, bool *rate)
{
    const struct {
        const trmi_symbols *names;
        signal_reader *read;
    } section[] = {{&d->joints, joint_signal},
                   {&d->bodies, body_signal},
                   {&d->forces, force_signal},
                   {&d->points, trmi_draft_point_signal}};
    char owner[100];
    for (const char *cut = name; (cut = strchr(cut, '_')); cut++) {
        if ((size_t)(cut - name) >= sizeof owner)
            return false;
        snprintf(owner, sizeof owner, "%.*s", (int)(cut - name), name);
        for (size_t k = 0; k < sizeof section / sizeof *section; k++) {
            const trmi_symbol *found = trmi_symbols_find(section[k].names, owner);
            if (!found)
                continue;
            signal->index = found->index;
            if (section[k].read(d, cut + 1, signal, rate))
                return true;
        }
    }
    return false;
}

// ---- signals in use ----

// the number of a signal, a new one if need be; TRMI_NOTHING without memory
static int add_signal(trmi_draft *d, trmi_signal signal)
{
    for (int k = 0; k < d->signals; k++)
        if (d->signal[k].kind == signal.kind && d->signal[k].index == signal.index &&
            d->signal[k].part == signal.part)
            return k;
    if (d->signals == d->signal_capacity) {
        trmi_signal *larger =
            trmi_grow(d->signal, &d->signal_capacity, d->signals + 1, sizeof *larger);
        if (!larger) {
            d->r->failed = true;
            return TRMI_NOTHING;
        }
        d->signal = larger;
    }
    d->signal[d->signals] = signal;
    return d->signals++;
}

bool trmi_draft_find_effect(const trmi_draft *d, const char *name, trmi_effect *effect)
{
    char owner[100];
    for (const char *cut = name; (cut = strchr(cut, '_')); cut++) {
        if ((size_t)(cut - name) >= sizeof owner)
            return false;
        snprintf(owner, sizeof owner, "%.*s", (int)(cut - name), name);
        for (int joint = 0; joint < 2; joint++) {
            const trmi_symbol *found = trmi_symbols_find(joint ? &d->joints : &d->forces, owner);
            if (found && trmi_draft_effect(d, joint, found->index, cut + 1, effect))
                return true;
        }
    }
    return false;
}

// Reactions of joints are found from accelerations, or from the multipliers of a cut.
static bool is_reaction(const trmi_effect *effect)
{
    return effect->kind == TRMI_EFFECT_REACTION || effect->kind == TRMI_EFFECT_DRIVE;
}

// a name for what a force or joint does
static void name_effect(trmi_draft *d, const char *name)
{
    trmi_effect effect;
    if (!trmi_draft_find_effect(d, name, &effect))
        return;
    if (is_reaction(&effect) && d->observing)
        d->joint[effect.index].observed = true;
    trmi_effect *larger = d->effect;
    if (d->effects == d->effect_capacity)
        larger = trmi_grow(d->effect, &d->effect_capacity, d->effects + 1, sizeof *larger);
    d->effect = larger ? larger : d->effect;
    const char *kept = trmi_keep_text(d->r, name);
    if (!larger || !kept || !trmi_symbols_reserve(d->r, 1)) {
        d->r->failed = true;
        return;
    }
    d->effect[d->effects] = effect;
    trmi_symbol *symbol =
        trmi_symbols_add(&d->r->symbols, kept, TRMI_SYMBOL_EFFECT, d->effects++, NULL);
    if (is_reaction(&effect) && !d->joint[effect.index].observed)
        symbol->uses |= TRMI_USES_ACCELERATIONS;
}

void trmi_draft_name_signal(trmi_draft *d, const char *name)
{
    trmi_symbols *symbols = &d->r->symbols;
    trmi_signal signal;
    bool rate;
    if (trmi_symbols_find(symbols, name))
        return;
    if (!trmi_draft_signal(d, name, &signal, &rate)) {
        name_effect(d, name);
        return;
    }
    int k = add_signal(d, signal);
    const char *kept = trmi_keep_text(d->r, name);
    if (k == TRMI_NOTHING || !kept || !trmi_symbols_reserve(d->r, 1))
        d->r->failed = true;
    else
        trmi_symbols_add(symbols, kept, rate ? TRMI_SYMBOL_SIGNAL_RATE : TRMI_SYMBOL_SIGNAL, k,
                         NULL);
}

// every name in a text that means a signal
static void scan_text(trmi_draft *d, const char *text)
{
    char name[100];
    for (trmi_token token = trmi_next_token(text, 0); token.kind != TRMI_TOKEN_END;
         token = trmi_next_token(text, token.offset + token.length)) {
        if (token.kind == TRMI_TOKEN_WRONG)
            return;
        if (token.kind != TRMI_TOKEN_NAME || (size_t)token.length >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", token.length, text + token.offset);
        trmi_draft_name_signal(d, name);
    }
}

void trmi_draft_signals(trmi_draft *d, const trmi_item *item)
{
    if (item && item->kind == TRMI_SCALAR && item->text)
        scan_text(d, item->text);
    for (const trmi_item *i = item ? item->child : NULL; i; i = i->next)
        trmi_draft_signals(d, i);
}

void trmi_draft_targets(trmi_draft *d, const trmi_item *events)
{
    for (const trmi_item *event = events ? events->child : NULL; event; event = event->next) {
        const trmi_item *set = trmi_item_find(event, "set");
        for (const trmi_item *i = set && set->kind == TRMI_MAP ? set->child : NULL; i; i = i->next)
            trmi_draft_name_signal(d, i->key);
    }
}

// ---- all names ----

typedef struct walk {
    trmi_signal_visit *visit;
    void *to;
} walk;

static void name_one(const walk *w, const char *owner, const char *part, const char *suffix)
{
    char text[200];
    snprintf(text, sizeof text, "%.80s_%s%s", owner, part, suffix);
    w->visit(w->to, text, false);
}

static void name_force(const walk *w, const char *owner, const char *part)
{
    char text[200];
    snprintf(text, sizeof text, "%.80s_%s", owner, part);
    w->visit(w->to, text, true);
}

static void name_both(const walk *w, const char *owner, const char *part)
{
    name_one(w, owner, part, "");
    name_one(w, owner, part, "_rate");
}

// what forces and joints do
static void walk_effects(const trmi_mechanism *m, const walk *w)
{
    static const char *const part[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    for (int j = 0; j < m->joints - m->links; j++)
        for (int k = 0; k < 6 && !m->joint[j].type->sum; k++)
            name_force(w, m->joint[j].name, part[k]);
    for (int f = 0; f < m->forces && m->force[f] && m->force[f]->name; f++) {
        for (int k = 0; k < 6 && m->force[f]->type->row[0]; k++)
            name_force(w, m->force[f]->name, part[k]);
        if (m->force[f]->type->scalar)
            name_force(w, m->force[f]->name, m->force[f]->type->scalar);
        name_force(w, m->force[f]->name, "power");
    }
}

// how a point is turned
static void walk_rotation(const trmi_mechanism *m, const walk *w, const char *point)
{
    char part[20];
    for (int k = 0; k < 9; k++) {
        snprintf(part, sizeof part, "r%d%d", k / 3 + 1, k % 3 + 1);
        name_both(w, point, part);
    }
    if (m->plane != TRMI_SPATIAL) {
        name_both(w, point, "angle");
        return;
    }
    for (int k = 0; k < 3; k++)
        name_one(w, point, (const char *[]){"wx", "wy", "wz"}[k], "");
    for (int k = 0; k < 3 * TRMI_EULER_SEQUENCES; k++) {
        snprintf(part, sizeof part, "%.3s%d", trmi_euler_at(k / 3)->name, k % 3 + 1);
        name_both(w, point, part);
    }
}

void trmi_draft_walk_signals(trmi_reading *r, trmi_signal_visit *visit, void *to)
{
    const trmi_mechanism *m = r->model->mechanism;
    static const char *const axes[] = {"x", "y", "z"};
    const walk w = {visit, to};
    if (!m)
        return;
    for (int j = 0; j < m->joints; j++) {
        int count = trmi_measure_count(m->joint[j].type, m->plane);
        for (int k = 0; k < count; k++)
            name_both(&w, m->joint[j].name, trmi_measure_of(m->joint[j].type, m->plane, k).name);
        if (count == 1)
            name_one(&w, m->joint[j].name, "rate", "");
    }
    for (int b = 1; b < m->bodies && m->body[b].name; b++) {
        for (int k = 0; k < 3; k++)
            name_both(&w, m->body[b].name, axes[k]);
        if (m->plane != TRMI_SPATIAL)
            name_both(&w, m->body[b].name, "angle");
    }
    for (int p = 0; p < m->points; p++) {
        for (int k = 0; k < 3; k++)
            name_both(&w, m->point[p].name, axes[k]);
        name_both(&w, m->point[p].name, "distance");
        walk_rotation(m, &w, m->point[p].name);
    }
    for (int f = 0; f < m->forces; f++)
        if (m->force[f] && m->force[f]->type->length_signal) { // NULL: of a beam with errors
            name_one(&w, m->force[f]->name, "length", "");
            name_one(&w, m->force[f]->name, "rate", "");
        }
    walk_effects(m, &w);
}
