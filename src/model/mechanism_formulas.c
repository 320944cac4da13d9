// SPDX-License-Identifier: Apache-2.0
// Formulas of a mechanism: which signals they use, and one tape for all with exact derivatives,
//
//     u, u', u''  of every prescribed motion,      F, dF/dp, dF/dp'  of every force.
#include "model/mechanism_draft.h"

#include "base/grow.h"
#include "expression/lexer.h"
#include "expression/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- signals ----

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
    trmi_joint_kind kind = d->joint[signal->index].kind;
    signal->kind = TRMI_SIGNAL_MEASURE;
    signal->part = trmi_measure_find(kind, d->mechanism->plane, part, rate);
    return signal->part != TRMI_NOTHING;
}

static bool force_signal(const trmi_draft *d, const char *part, trmi_signal *signal, bool *rate)
{
    *rate = strcmp(part, "rate") == 0 || strcmp(part, "length_rate") == 0;
    signal->kind = TRMI_SIGNAL_LENGTH;
    signal->part = 0;
    return d->force[signal->index].kind == TRMI_FORCE_SPRING &&
           (*rate || strcmp(part, "length") == 0);
}

typedef bool signal_reader(const trmi_draft *, const char *, trmi_signal *, bool *);

// Every way to cut the name in two at a "_" is tried: names may have some themselves.
bool trmi_draft_signal(const trmi_draft *d, const char *name, trmi_signal *signal, bool *rate)
{
    const struct {
        const trmi_symbols *names;
        signal_reader *read;
    } section[] = {
        {&d->joints, joint_signal}, {&d->bodies, body_signal}, {&d->forces, force_signal}};
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

void trmi_draft_name_signal(trmi_draft *d, const char *name)
{
    trmi_symbols *symbols = &d->r->symbols;
    trmi_signal signal;
    bool rate;
    if (trmi_symbols_find(symbols, name) || !trmi_draft_signal(d, name, &signal, &rate))
        return;
    int k = add_signal(d, signal);
    const char *kept = trmi_keep_text(d->r->memory, name);
    if (k == TRMI_NOTHING || !kept || !trmi_make_room(d->r, 1))
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

// ---- formulas ----

static bool add_pending(trmi_draft *d, trmi_node node, trmi_formula *formula)
{
    if (d->pendings == d->pending_capacity) {
        trmi_pending *larger =
            trmi_grow(d->pending, &d->pending_capacity, d->pendings + 1, sizeof *larger);
        if (!larger)
            return false;
        d->pending = larger;
    }
    d->pending[d->pendings++] = (trmi_pending){node, formula};
    return true;
}

void trmi_draft_formula(trmi_draft *d, const trmi_item *item, double factor, trmi_formula *out)
{
    const unsigned uses = TRMI_USES_TIME | TRMI_USES_POSITIONS | TRMI_USES_VELOCITIES;
    char subject[80];
    *out = (trmi_formula){.value = TRMI_NOTHING};
    if (!item || trmi_item_null(item))
        return;
    snprintf(subject, sizeof subject, "'%.60s'", item->key ? item->key : "this formula");
    trmi_graph *graph = &d->r->graph;
    trmi_node node = trmi_read_formula(d->r, item, uses, subject);
    node = trmi_multiply(graph, trmi_constant(graph, factor), node);
    if (!trmi_is_constant(graph, node, &out->constant) && !add_pending(d, node, out))
        d->r->failed = true;
}

int trmi_draft_drive(trmi_draft *d, const trmi_item *item)
{
    d->drive[d->drives] = trmi_read_formula(d->r, item, TRMI_USES_TIME, "a motion");
    return d->drives++;
}

// ---- the tape ----

typedef struct outputs {
    trmi_tape_output *output;
    int count, capacity;
    bool failed;
} outputs;

static void add_output(outputs *o, trmi_node node, int group)
{
    if (o->count == o->capacity) {
        trmi_tape_output *larger = trmi_grow(o->output, &o->capacity, o->count + 1, sizeof *larger);
        o->failed = o->failed || !larger;
        if (!larger)
            return;
        o->output = larger;
    }
    o->output[o->count++] = (trmi_tape_output){node, group};
}

static trmi_node time_derivative(trmi_draft *d, trmi_node node)
{
    const trmi_partial *partial;
    int n = trmi_gradient(&d->r->derive, node, d->r->model->layout.t, 1, &partial);
    return n == 1 ? partial[0].value : trmi_constant(&d->r->graph, 0);
}

// all u, then all u', then all u''
static void add_drives(trmi_draft *d, outputs *o)
{
    for (int level = 0; level < 3; level++)
        for (int k = 0; k < d->drives; k++) {
            add_output(o, d->drive[k], TRMI_TAPE_DRIVES);
            d->drive[k] = time_derivative(d, d->drive[k]);
        }
}

// Derivatives of one formula by all signals: p, then p'; those not set are zero.
typedef struct gradient {
    trmi_node *by;
    int n;
} gradient;

// F, and its derivatives by the signals it uses
static bool add_formula(trmi_draft *d, const trmi_pending *p, gradient g, outputs *o, int *value,
                        int *slope)
{
    const trmi_partial *partial;
    const trmi_node zero = trmi_constant(&d->r->graph, 0);
    int first = d->r->model->layout.signal, uses = 0, *signal;
    int count = trmi_gradient(&d->r->derive, p->node, first, 2 * g.n, &partial);
    if (!TRMI_TAKE(d->r->memory, signal, count))
        return false;
    for (int k = 0; k < count; k++) {
        int at = partial[k].input - first;
        if (g.by[at % g.n] == zero && g.by[at % g.n + g.n] == zero)
            signal[uses++] = at % g.n;
        g.by[at] = partial[k].value;
    }
    add_output(o, p->node, TRMI_TAPE_VALUES);
    for (int level = 0; level < 2; level++)
        for (int k = 0; k < uses; k++) {
            add_output(o, g.by[level * g.n + signal[k]], TRMI_TAPE_SLOPES);
            g.by[level * g.n + signal[k]] = zero;
        }
    *p->formula =
        (trmi_formula){.value = (*value)++, .slope = *slope, .uses = uses, .signal = signal};
    *slope += 2 * uses;
    return true;
}

void trmi_draft_tape(trmi_draft *d)
{
    trmi_reading *r = d->r;
    const trmi_layout *l = &r->model->layout;
    outputs o = {0};
    int value = 0, slope = 0;
    if (d->drives == 0 && d->pendings == 0)
        return;
    r->derive.graph = &r->graph;
    gradient g = {malloc(((size_t)d->signals * 2 + 1) * sizeof *g.by), d->signals};
    for (int k = 0; k < 2 * g.n && g.by; k++)
        g.by[k] = trmi_constant(&r->graph, 0);
    add_drives(d, &o);
    for (int k = 0; k < d->pendings && g.by && !o.failed; k++)
        o.failed = !add_formula(d, &d->pending[k], g, &o, &value, &slope);
    if (g.by && !o.failed && !r->graph.failed)
        d->mechanism->tape =
            trmi_tape_create(r->memory, &r->graph, o.output, o.count, l->count, l->parameter);
    r->failed = r->failed || !d->mechanism->tape;
    d->mechanism->signals = d->signals;
    free(g.by);
    free(o.output);
}
