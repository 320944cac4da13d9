// SPDX-License-Identifier: Apache-2.0
// Two sweeps: backwards for all derivatives of one expression, forwards for the rate of many along
// one direction.
//
// Branches. In f = if(c, sqrt(x), 0) the adjoint of sqrt(x) is 0 where c is false, and its
// derivative may be infinite there: 0 * inf would spoil the gradient. So the backward sweep keeps
// with every adjoint a guard, the condition under which some branch taken needs the node: inside
// one branch adjoints are passed on as they are, and where different guards meet each comes in as
// if(guard, adjoint, 0). A derivative never sees what only a branch not taken needs.
#include "modelling/expression/derive.h"

#include "base/grow.h"
#include "modelling/expression/partial.h"

#include <stdlib.h>

enum { ALWAYS = TRMI_NO_NODE }; // the guard of what every branch needs

// an adjoint under its guard; TRMI_NO_NODE: nothing has come yet
typedef struct guarded_adjoint {
    trmi_node adjoint, guard;
} guarded_adjoint;

typedef struct trmi_derive_entry {
    guarded_adjoint recent; // what came from the branch that is being swept
    guarded_adjoint before; // the sum of all that came from others
    bool wanted;            // depends on an input that is asked for
} derive_entry;

static const derive_entry clear_entry = {{TRMI_NO_NODE, ALWAYS}, {TRMI_NO_NODE, ALWAYS}, false};

void trmi_derive_release(trmi_derive *derive)
{
    trmi_walk_release(&derive->walk);
    free(derive->entry);
    free(derive->partial);
    *derive = (trmi_derive){0};
}

// ---- backwards ----

static bool grow_entries(trmi_derive *derive, int needed)
{
    int before = derive->entry ? derive->capacity : 0;
    derive_entry *entry = trmi_grow(derive->entry, &derive->capacity, needed, sizeof *entry);
    if (!entry)
        return false;
    for (int i = before; i < derive->capacity; i++)
        entry[i] = clear_entry;
    derive->entry = entry;
    return true;
}

// the nodes that depend on the inputs first .. first+count-1
static void mark_wanted(trmi_derive *derive, int first, int count)
{
    for (int i = 0; i < derive->walk.count; i++) {
        trmi_node node = derive->walk.order[i];
        const trmi_graph_node *n = &derive->graph->node[node];
        bool wanted = n->operation == TRMI_INPUT && n->a >= first && n->a - first < count;
        for (int k = 0; k < trmi_operation_operands(n->operation); k++)
            wanted = wanted || derive->entry[trmi_operand(n, k)].wanted;
        derive->entry[node].wanted = wanted;
    }
}

static trmi_node join(trmi_graph *graph, trmi_operation operation, trmi_node guard, trmi_node other)
{
    double value;
    trmi_node both = trmi_apply(graph, operation, guard, other, TRMI_NO_NODE);
    return trmi_is_constant(graph, both, &value) && value != 0 ? ALWAYS : both;
}

// if(guard, adjoint, 0)
static trmi_node mask(trmi_graph *graph, guarded_adjoint x)
{
    if (x.guard == ALWAYS)
        return x.adjoint;
    return trmi_apply(graph, TRMI_IF, x.guard, x.adjoint, trmi_constant(graph, 0));
}

// the sum, needed where one of them is
static guarded_adjoint add_adjoints(trmi_graph *graph, guarded_adjoint x, guarded_adjoint y)
{
    if (x.adjoint == TRMI_NO_NODE || y.adjoint == TRMI_NO_NODE)
        return x.adjoint == TRMI_NO_NODE ? y : x;
    if (x.guard == y.guard)
        return (guarded_adjoint){trmi_add(graph, x.adjoint, y.adjoint), x.guard};
    trmi_node sum = trmi_add(graph, mask(graph, x), mask(graph, y));
    bool always = x.guard == ALWAYS || y.guard == ALWAYS;
    return (guarded_adjoint){sum, always ? ALWAYS : join(graph, TRMI_OR, x.guard, y.guard)};
}

// all that has come to a node
static guarded_adjoint total_adjoint(const trmi_derive *derive, trmi_node node)
{
    const derive_entry *entry = &derive->entry[node];
    return add_adjoints(derive->graph, entry->before, entry->recent);
}

// adds to the adjoint of a node what comes from one that uses it
static void contribute(trmi_derive *derive, trmi_node node, trmi_node adjoint, trmi_node guard)
{
    derive_entry *to = &derive->entry[node];
    const guarded_adjoint one = {adjoint, guard};
    if (!to->wanted || trmi_is_zero(derive->graph, adjoint))
        return;
    if (to->recent.guard == guard) {
        to->recent = add_adjoints(derive->graph, to->recent, one);
    } else {
        to->before = total_adjoint(derive, node);
        to->recent = one;
    }
}

// a choice gives its adjoint to both operands, each under its condition
static void contribute_to_branches(trmi_derive *derive, trmi_partial_choice choice,
                                   guarded_adjoint from)
{
    trmi_graph *graph = derive->graph;
    trmi_node otherwise = trmi_apply(graph, TRMI_NOT, choice.condition, TRMI_NO_NODE, TRMI_NO_NODE);
    trmi_node guard = choice.condition;
    if (from.guard != ALWAYS) {
        guard = join(graph, TRMI_AND, from.guard, guard);
        otherwise = join(graph, TRMI_AND, from.guard, otherwise);
    }
    contribute(derive, choice.first, from.adjoint, guard);
    contribute(derive, choice.second, from.adjoint, otherwise);
}

// passes the adjoint of a node on to its operands
static void sweep_node(trmi_derive *derive, trmi_node node)
{
    trmi_graph *graph = derive->graph;
    const guarded_adjoint from = total_adjoint(derive, node);
    const trmi_graph_node n = graph->node[node];
    if (from.adjoint == TRMI_NO_NODE || trmi_operation_operands(n.operation) == 0)
        return;
    trmi_partial_choice choice = trmi_node_choice(graph, node);
    if (choice.any) {
        contribute_to_branches(derive, choice, from);
        return;
    }
    for (int k = 0; k < trmi_operation_operands(n.operation); k++) {
        trmi_node operand = trmi_operand(&n, k);
        if (derive->entry[operand].wanted)
            contribute(derive, operand, trmi_scaled_partial(graph, node, k, from.adjoint),
                       from.guard);
    }
}

static int compare_inputs(const void *a, const void *b)
{
    const trmi_partial *x = a, *y = b;
    return (x->input > y->input) - (x->input < y->input);
}

// the derivatives that have arrived at the inputs; their number, -1 without memory
static int collect_partials(trmi_derive *derive)
{
    int count = 0;
    for (int i = 0; i < derive->walk.count; i++) {
        trmi_node node = derive->walk.order[i];
        const int input = derive->graph->node[node].a;
        if (derive->graph->node[node].operation != TRMI_INPUT)
            continue;
        guarded_adjoint total = total_adjoint(derive, node);
        if (total.adjoint == TRMI_NO_NODE)
            continue;
        trmi_node value = mask(derive->graph, total);
        if (trmi_is_zero(derive->graph, value))
            continue;
        trmi_partial *partial =
            trmi_grow(derive->partial, &derive->partial_capacity, count + 1, sizeof *partial);
        if (!partial)
            return -1;
        derive->partial = partial;
        partial[count++] = (trmi_partial){input, value};
    }
    if (count > 1)
        qsort(derive->partial, (size_t)count, sizeof *derive->partial, compare_inputs);
    return count;
}

int trmi_gradient(trmi_derive *derive, trmi_node node, int first, int count,
                  const trmi_partial **out)
{
    trmi_graph *graph = derive->graph;
    *out = NULL;
    if (graph->failed)
        return 0;
    if (!trmi_walk_add(&derive->walk, graph, node) || !grow_entries(derive, node + 1)) {
        graph->failed = true;
        return 0;
    }
    mark_wanted(derive, first, count);
    contribute(derive, node, trmi_constant(graph, 1), ALWAYS);
    for (int i = derive->walk.count - 1; i >= 0; i--)
        sweep_node(derive, derive->walk.order[i]);
    int found = collect_partials(derive);
    for (int i = 0; i < derive->walk.count; i++)
        derive->entry[derive->walk.order[i]] = clear_entry;
    trmi_walk_restart(&derive->walk);
    graph->failed = graph->failed || found < 0;
    *out = derive->partial;
    return graph->failed ? 0 : found;
}

// ---- forwards ----

void trmi_forward_begin(trmi_forward *forward, trmi_graph *graph, const trmi_node *direction,
                        int inputs)
{
    *forward = (trmi_forward){.graph = graph, .direction = direction, .inputs = inputs};
}

void trmi_forward_release(trmi_forward *forward)
{
    trmi_walk_release(&forward->walk);
    free(forward->rate);
    *forward = (trmi_forward){0};
}

// (a/b)' = (a' - (a/b) b')/b
static trmi_node quotient_rate(trmi_graph *graph, trmi_node quotient, trmi_node b, trmi_node rate_a,
                               trmi_node rate_b)
{
    trmi_node above = trmi_subtract(graph, rate_a, trmi_multiply(graph, quotient, rate_b));
    return trmi_divide(graph, above, b);
}

// the rate of a node from those of its operands
static trmi_node find_rate(const trmi_forward *forward, trmi_node node)
{
    trmi_graph *graph = forward->graph;
    const trmi_node *rate = forward->rate;
    const trmi_graph_node n = graph->node[node];
    trmi_node zero = trmi_constant(graph, 0);
    if (n.operation == TRMI_INPUT)
        return n.a < forward->inputs && forward->direction[n.a] != TRMI_NO_NODE
                   ? forward->direction[n.a]
                   : zero;
    trmi_node sum = zero;
    bool moves = false;
    for (int k = 0; k < trmi_operation_operands(n.operation); k++)
        moves = moves || !trmi_is_zero(graph, rate[trmi_operand(&n, k)]);
    if (!moves)
        return zero;
    if (n.operation == TRMI_DIVIDE)
        return quotient_rate(graph, node, n.b, rate[n.a], rate[n.b]);
    trmi_partial_choice choice = trmi_node_choice(graph, node);
    if (choice.any)
        return trmi_apply(graph, TRMI_IF, choice.condition, rate[choice.first],
                          rate[choice.second]);
    for (int k = 0; k < trmi_operation_operands(n.operation); k++) {
        trmi_node factor = rate[trmi_operand(&n, k)];
        if (!trmi_is_zero(graph, factor))
            sum = trmi_add(graph, sum, trmi_scaled_partial(graph, node, k, factor));
    }
    return sum;
}

trmi_node trmi_forward_rate(trmi_forward *forward, trmi_node node)
{
    trmi_graph *graph = forward->graph;
    const int known = forward->walk.count;
    if (graph->failed)
        return 0;
    trmi_node *rate = NULL;
    if (trmi_walk_add(&forward->walk, graph, node))
        rate = trmi_grow(forward->rate, &forward->capacity, node + 1, sizeof *rate);
    if (!rate) {
        graph->failed = true;
        return 0;
    }
    forward->rate = rate;
    for (int i = known; i < forward->walk.count && !graph->failed; i++)
        rate[forward->walk.order[i]] = find_rate(forward, forward->walk.order[i]);
    return graph->failed ? 0 : rate[node];
}
