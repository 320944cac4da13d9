// SPDX-License-Identifier: Apache-2.0
// Formulas of a mechanism: one tape for all, with exact derivatives,
//
//     u, u', u''  of every prescribed motion and input,
//     F, dF/dp, dF/dp', dF/dy  of every force, rate of a state, equation of an algebraic variable
#include "modelling/reader/mechanism/draft.h"

#include "base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- formulas ----

static bool add_pending(trmi_draft *d, const trmi_item *item, trmi_node node, trmi_formula *formula)
{
    if (d->pendings == d->pending_capacity) {
        trmi_pending *larger =
            trmi_grow(d->pending, &d->pending_capacity, d->pendings + 1, sizeof *larger);
        if (!larger)
            return false;
        d->pending = larger;
    }
    d->pending[d->pendings++] = (trmi_pending){node, formula, item, d->acting};
    return true;
}

trmi_node trmi_draft_force_node(trmi_draft *d, const trmi_item *item)
{
    char subject[80];
    snprintf(subject, sizeof subject, "'%.60s'", item->key ? item->key : "this formula");
    return trmi_read_formula(d->r, item, TRMI_FORCE_USES, subject);
}

void trmi_draft_formula(trmi_draft *d, const trmi_item *item, double factor, trmi_formula *out)
{
    trmi_graph *graph = &d->r->graph;
    *out = (trmi_formula){.value = TRMI_NOTHING};
    if (item && !trmi_item_null(item))
        trmi_draft_keep_formula(
            d, item,
            trmi_multiply(graph, trmi_constant(graph, factor), trmi_draft_force_node(d, item)),
            out);
}

void trmi_draft_keep_formula(trmi_draft *d, const trmi_item *item, trmi_node node,
                             trmi_formula *out)
{
    trmi_graph *graph = &d->r->graph;
    *out = (trmi_formula){.value = TRMI_NOTHING};
    if (!trmi_is_constant(graph, node, &out->constant))
        d->r->failed = !add_pending(d, item, node, out) || d->r->failed;
    else if (!isfinite(out->constant))
        trmi_report(d->r->document, item, "this formula is %g whatever the mechanism does",
                    fabs(out->constant));
}

int trmi_draft_drive(trmi_draft *d, const trmi_item *item)
{
    trmi_node node = trmi_read_formula(d->r, item, TRMI_USES_TIME, "a motion");
    const trmi_interpolant *curve = trmi_graph_cornered(&d->r->graph, node);
    if (curve)
        trmi_warn(d->r->document, item,
                  "table '%.60s' has corners, where the velocity of this motion jumps; "
                  "'interpolation: spline' makes it smooth",
                  curve->name);
    d->drive[d->drives] = node;
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

// derivatives by states and algebraic variables
static bool add_others(trmi_draft *d, const trmi_pending *p, outputs *o)
{
    const trmi_mechanism *m = d->mechanism;
    const trmi_partial *partial;
    int first = d->r->model->layout.x, *other;
    int count = trmi_gradient(&d->r->derive, p->node, first, m->states + m->algebraics, &partial);
    if (!TRMI_TAKE(d->r->memory, other, count))
        return false;
    for (int k = 0; k < count; k++) {
        other[k] = partial[k].input - first;
        add_output(o, partial[k].value, TRMI_TAPE_SLOPES);
    }
    p->formula->others = count;
    p->formula->other = other;
    return true;
}

// Numbers that a force or a joint shows beside what it does have no derivatives.
static void refuse_reading(trmi_draft *d, const trmi_pending *p, const trmi_effect *effect)
{
    const char *owner, *part;
    if (effect->kind == TRMI_EFFECT_CHANNEL) {
        owner = d->force[effect->index]->name;
        part = d->force[effect->index]->type->channel[effect->part].name;
    } else if (effect->kind == TRMI_EFFECT_JOINT) {
        owner = d->joint[effect->index].name;
        part = d->joint[effect->index].type->channel[effect->part].name;
    } else {
        return;
    }
    trmi_report(d->r->document, p->item,
                "'%.60s_%s' is for outputs and events only: its derivatives are not known", owner,
                part);
}

// derivatives by effects
static bool add_effects(trmi_draft *d, const trmi_pending *p, outputs *o)
{
    const trmi_partial *partial;
    int first = d->r->model->layout.effect, *effect;
    int count = trmi_gradient(&d->r->derive, p->node, first, d->mechanism->feedbacks, &partial);
    if (!TRMI_TAKE(d->r->memory, effect, count))
        return false;
    for (int k = 0; k < count; k++) {
        effect[k] = partial[k].input - first;
        add_output(o, partial[k].value, TRMI_TAPE_SLOPES);
        refuse_reading(d, p, &d->effect[effect[k]]);
    }
    p->formula->effects = count;
    p->formula->effect = effect;
    return true;
}

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
    bool good = add_others(d, p, o) && add_effects(d, p, o);
    *slope += 2 * uses + p->formula->others + p->formula->effects;
    return good;
}

// partial derivatives by t of the equations of algebraic variables, inputs moving along
static void add_rates(trmi_draft *d, outputs *o)
{
    const trmi_mechanism *m = d->mechanism;
    for (int k = m->states; k < m->states + m->algebraics; k++) {
        trmi_node rate = trmi_constant(&d->r->graph, 0);
        for (int i = 0; i < d->pendings; i++)
            if (d->pending[i].formula == &d->law[k])
                rate = trmi_forward_rate(&d->r->time, d->pending[i].node);
        add_output(o, rate, TRMI_TAPE_RATES);
    }
}

// the formula of the rate of state k
static trmi_node state_rate(const trmi_draft *d, int k)
{
    for (int i = 0; i < d->pendings; i++)
        if (d->pending[i].formula == &d->law[k])
            return d->pending[i].node;
    return trmi_constant(&d->r->graph, d->law[k].constant);
}

// Conditions of what forces do. False: no memory.
static bool refuse_unseen_jumps(trmi_draft *d)
{
    trmi_placed_node *formula = malloc(((size_t)d->pendings + 1) * sizeof *formula);
    bool *whole = malloc((size_t)d->effects + 1), good = formula && whole;
    for (int k = 0; k < d->pendings && good; k++)
        formula[k] = (trmi_placed_node){d->pending[k].node, d->pending[k].item};
    for (int k = 0; k < d->effects && good; k++)
        whole[k] = d->effect[k].kind == TRMI_EFFECT_TOUCH;
    if (good)
        trmi_refuse_unseen_jumps(d->r, formula, d->pendings, whole);
    free(formula);
    free(whole);
    return good;
}

// conditions by state
static bool add_kinks(trmi_draft *d, outputs *o)
{
    trmi_mechanism *m = d->mechanism;
    trmi_node *rate = malloc(((size_t)m->states + 1) * sizeof *rate);
    trmi_conditions found;
    for (int k = 0; k < m->states && rate; k++)
        rate[k] = state_rate(d, k);
    bool good = rate && trmi_separate_kinks(d->r, o->output, o->count, rate, &found);
    m->kinks = good ? found.count : 0;
    for (int k = 0; k < 3 * m->kinks; k++)
        add_output(o, found.gap[k], TRMI_TAPE_KINKS);
    for (int k = 0; k < m->kinks && found.bends; k++) {
        add_output(o, trmi_constant(&d->r->graph, NAN), TRMI_TAPE_BENDS); // signals are no cubics
        add_output(o, found.bend[2 * k + 1], TRMI_TAPE_BENDS);
    }
    free(rate);
    return good && !o->failed;
}

// places of formulas in the file, for messages of a run
static bool keep_places(trmi_draft *d)
{
    trmi_formula_place *kept;
    if (!TRMI_TAKE(d->r->memory, kept, d->pendings))
        return false;
    for (int k = 0; k < d->pendings; k++)
        kept[k] = (trmi_formula_place){{d->pending[k].item->line, d->pending[k].item->column},
                                       d->pending[k].formula->slope};
    d->r->model->formula_place = kept;
    d->r->model->formulas = d->pendings;
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
    add_rates(d, &o);
    bool rings = !o.failed && !trmi_draft_check_rings(d);
    r->failed = !refuse_unseen_jumps(d) || r->failed;
    bool good = g.by && !o.failed && !r->graph.failed && !rings &&
                trmi_breaks_create(r->memory, &r->graph, o.output, o.count, r->formula, l->t,
                                   l->parameter, &d->mechanism->breaks) &&
                add_kinks(d, &o);
    if (good)
        d->mechanism->tape = trmi_tape_create(r->memory, &r->graph, o.output, o.count,
                                              l->count + 2 * d->mechanism->kinks, l->parameter);
    if (!rings) // which are reported
        r->failed = r->failed || !d->mechanism->tape || !keep_places(d);
    d->mechanism->signals = d->signals;
    d->mechanism->at = (trmi_tape_layout){
        l->x, l->u, l->signal, l->signal_rate, l->signal_second, l->effect, l->parameter, l->count};
    free(g.by);
    free(o.output);
}
