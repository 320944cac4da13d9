// SPDX-License-Identifier: Apache-2.0
// Conditions by state in the formulas of a model, with their rates along the motion.
#include "modelling/reader/reading.h"

#include "modelling/expression/walk.h"

#include <math.h>
#include <stdlib.h>

// Rates of all inputs but the excitations, which time moves: q' = v, v' = a; p' and p'' of signals.
static void fill_direction(const trmi_reading *r, trmi_graph *graph, const trmi_node *state_rate,
                           trmi_node *direction)
{
    const trmi_layout *l = &r->model->layout;
    const int n_q = l->v - l->q, signals = l->signal_rate - l->signal;
    for (int i = 0; i < l->count; i++)
        direction[i] = r->direction[i];
    for (int i = 0; i < 2 * n_q; i++)
        direction[l->q + i] = trmi_input(graph, l->v + i);
    for (int i = 0; i < l->z - l->x; i++)
        direction[l->x + i] = state_rate[i];
    for (int i = 0; i < 2 * signals; i++)
        direction[l->signal + i] = trmi_input(graph, l->signal_rate + i);
    for (int i = l->lambda; i < l->u; i++)
        direction[i] = trmi_constant(graph, NAN); // no formula
}

// What each input is to conditions. Those of velocities, whose second rate is not known, are left
// to the error control: steps would land on them time and again. Sensitivities jump there and need
// it.
static void fill_kinds(const trmi_reading *r, char *kind)
{
    const trmi_layout *l = &r->model->layout;
    const bool sensitive = r->load && r->load->sensitive;
    for (int i = 0; i < l->count; i++) {
        bool rate = (i >= l->v && i < l->a) || (i >= l->signal_rate && i < l->signal_second);
        bool multiplier = i >= l->lambda && i < l->u;
        bool state = (i >= l->q && i < l->v) || (i >= l->x && i < l->z) ||
                     (i >= l->signal && i < l->signal_rate) || (rate && sensitive);
        bool known = i == l->t || (i >= l->u && i < l->z_rate) || i >= l->parameter;
        kind[i] = state                     ? TRMI_KINK_OF_STATE
                  : known                   ? 0
                  : rate                    ? TRMI_KINK_OF_VELOCITY
                  : multiplier && sensitive ? TRMI_KINK_OF_UNKNOWN
                  : multiplier              ? TRMI_KINK_OF_MULTIPLIER
                                            : TRMI_KINK_OF_UNKNOWN;
    }
}

// What no step ends at may be passed over, and is missing in sensitivities.
static void warn_of_jumps(trmi_reading *r, const trmi_kinks *kinks)
{
    if (kinks->left_out)
        trmi_warn(r->document, r->root,
                  "formulas have more than %d conditions of positions or states: no step ends at "
                  "the others, and what they switch for a short time may be passed over; limit "
                  "step.max to that time, or write fewer",
                  (int)TRMI_MAX_KINKS);
    if (!r->load || !r->load->sensitive)
        return;
    if (kinks->has_jumps)
        trmi_warn(
            r->document, r->root,
            "formulas have floor, ceil or mod of positions, velocities or states: sensitivities "
            "do not have their jumps; compare with runs at two values of the parameter");
    if (kinks->too_many)
        trmi_warn(
            r->document, r->root,
            "formulas have more than %d conditions and corners of tables: sensitivities do not "
            "have the jumps of the others; compare with runs at two values of the parameter",
            (int)TRMI_MAX_KINKS);
}

// ---- what no step ends at ----

// What a node depends on besides time, positions, velocities and states, bits.
enum { OF_EFFECT = 1, OF_ALGEBRAIC = 2, OF_MULTIPLIER = 4 };

static unsigned source_of(const trmi_layout *l, int input)
{
    if (input >= l->effect && input < l->parameter)
        return OF_EFFECT;
    if ((input >= l->z && input < l->lambda) || (input >= l->z_rate && input < l->mu))
        return OF_ALGEBRAIC;
    bool multiplier = (input >= l->lambda && input < l->u) || (input >= l->mu && input < l->signal);
    return multiplier ? OF_MULTIPLIER : 0;
}

static unsigned char sources_of(const trmi_layout *l, const trmi_graph_node *node,
                                const unsigned char *of)
{
    unsigned all = 0;
    if (node->operation == TRMI_INPUT)
        return (unsigned char)source_of(l, node->a);
    for (int i = 0; i < trmi_operation_operands(node->operation); i++)
        all |= of[trmi_operand(node, i)];
    return (unsigned char)all;
}

// whole: per effect, whether it is one that is 0 or 1
static bool jumps(const trmi_layout *l, const bool *whole, const trmi_graph_node *node)
{
    const trmi_operation operation = node->operation;
    if (operation == TRMI_INPUT && whole && node->a >= l->effect && node->a < l->parameter)
        return whole[node->a - l->effect];
    return operation == TRMI_SIGN || operation == TRMI_STEP || operation == TRMI_LESS ||
           operation == TRMI_LESS_EQUAL || operation == TRMI_FLOOR || operation == TRMI_CEIL ||
           operation == TRMI_MOD;
}

static bool bends(trmi_operation operation)
{
    return operation == TRMI_ABS || operation == TRMI_MAX || operation == TRMI_MIN;
}

// A jump in the rates makes one of the sensitivities, (y'- - y'+) t_p, which would be missing; a
// corner costs digits alone.
static void report_unseen(trmi_reading *r, const trmi_item *item, const bool *whole,
                          const trmi_graph_node *node, unsigned char of)
{
    const char *what = of & OF_EFFECT      ? "what a force or a joint does"
                       : of & OF_ALGEBRAIC ? "an algebraic variable"
                                           : "a multiplier";
    if (jumps(&r->model->layout, whole, node))
        trmi_report(r->document, item,
                    "this formula jumps with %s (a comparison, step, sign, floor, ceil, mod, or "
                    "whether a contact acts): steps do not end there, and sensitivities would lack "
                    "the jump; write the condition by positions, lengths, angles, their rates, or "
                    "states",
                    what);
    else if (bends(node->operation))
        trmi_warn(r->document, item,
                  "this formula has a corner that moves with %s (%s): steps do not end there, and "
                  "sensitivities have fewer digits",
                  what, trmi_operation_text(node->operation));
}

void trmi_refuse_unseen_jumps(trmi_reading *r, const trmi_placed_node *formula, int formulas,
                              const bool *whole)
{
    const trmi_graph *graph = &r->graph;
    trmi_walk walk = {0};
    if (!r->load || !r->load->sensitive || graph->failed)
        return;
    unsigned char *of = malloc((size_t)graph->count + 1);
    bool good = of != NULL;
    for (int i = 0, done = 0; i < formulas && good; i++) {
        good = trmi_walk_add(&walk, graph, formula[i].node);
        for (; done < walk.count && good; done++) { // those that no formula before it has
            const trmi_node node = walk.order[done];
            of[node] = sources_of(&r->model->layout, &graph->node[node], of);
            if (of[node])
                report_unseen(r, formula[i].item, whole, &graph->node[node], of[node]);
        }
    }
    r->failed = r->failed || !good;
    trmi_walk_release(&walk);
    free(of);
}

// ---- how much conditions bend ----

// What a derivative of a condition along the motion depends on, bits: accelerations; what has no
// known rate; all else that moves, and locks.
enum { BEND_OF_ACCELERATION = 1, BEND_OF_UNKNOWN = 2, BEND_OF_PATH = 4 };

static unsigned bend_source(const trmi_layout *l, int input)
{
    if (source_of(l, input) != 0)
        return BEND_OF_UNKNOWN;
    if ((input >= l->a && input < l->x) || (input >= l->signal_second && input < l->effect))
        return BEND_OF_ACCELERATION;
    return input >= l->parameter && input < l->count ? 0 : BEND_OF_PATH;
}

// All bits of the inputs of a formula; without memory all there are.
static unsigned all_sources(const trmi_layout *l, const trmi_graph *graph, trmi_node node,
                            unsigned (*source)(const trmi_layout *l, int input))
{
    trmi_walk walk = {0};
    unsigned all = 0;
    if (!trmi_walk_add(&walk, graph, node))
        return ~0U;
    for (int i = 0; i < walk.count; i++) {
        const trmi_graph_node *n = &graph->node[walk.order[i]];
        if (n->operation == TRMI_INPUT)
            all |= source(l, n->a);
    }
    trmi_walk_release(&walk);
    return all;
}

// Whether bounds of s'' are known and of use: what bends with accelerations alone is a cubic on the
// cubic path of a step, which is searched as such.
static bool is_bounded(const trmi_layout *l, const trmi_graph *graph, trmi_node rate,
                       trmi_node second)
{
    if (graph->failed)
        return false;
    const unsigned of_rate = all_sources(l, graph, rate, bend_source);
    const unsigned of = all_sources(l, graph, second, bend_source);
    const bool unknown = of_rate & BEND_OF_ACCELERATION || (of_rate | of) & BEND_OF_UNKNOWN;
    return !unknown && of & BEND_OF_PATH;
}

// ---- all ----

bool trmi_separate_kinks(trmi_reading *r, trmi_tape_output *output, int outputs,
                         const trmi_node *state_rate, trmi_conditions *out)
{
    trmi_graph *graph = &r->graph;
    const int inputs = r->model->layout.count;
    char *kind = malloc((size_t)inputs);
    trmi_node *direction = malloc((size_t)inputs * sizeof *direction);
    trmi_kinks kinks = {.input = kind, .inputs = inputs, .first_lock = inputs};
    trmi_forward forward = {0};
    bool good = kind && direction;
    *out = (trmi_conditions){0};
    if (good) {
        fill_kinds(r, kind);
        fill_direction(r, graph, state_rate, direction);
        good = trmi_kinks_separate(&kinks, graph, output, outputs);
        trmi_forward_begin(&forward, graph, direction, inputs);
    }
    for (int i = 0; i < kinks.count && good; i++) {
        trmi_node *s = out->gap + 3 * i;
        s[0] = kinks.condition[i];
        s[1] = trmi_forward_rate(&forward, s[0]);
        s[2] = trmi_forward_rate(&forward, s[1]);
        const bool bends = is_bounded(&r->model->layout, graph, s[1], s[2]);
        out->bend[2 * i] = bends ? s[0] : trmi_constant(graph, NAN);
        out->bend[2 * i + 1] = bends ? s[2] : trmi_constant(graph, NAN);
        out->bends = out->bends || bends;
        out->of_multipliers =
            out->of_multipliers ||
            all_sources(&r->model->layout, graph, s[0], source_of) & OF_MULTIPLIER;
    }
    out->count = kinks.count;
    warn_of_jumps(r, &kinks);
    trmi_forward_release(&forward);
    trmi_kinks_release(&kinks);
    free(kind);
    free(direction);
    return good && !graph->failed;
}
