// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/kinks.h"

#include "modelling/expression/corners.h"

#include "base/grow.h"
#include "modelling/expression/walk.h"

#include <math.h>
#include <stdlib.h>

// A node with two branches, s > 0 and s < 0.
typedef struct branching {
    trmi_node s, opposite; // -s
    trmi_node above, below;
} branching;

// s = a - b
static branching compare(trmi_graph *graph, trmi_node a, trmi_node b, trmi_node above,
                         trmi_node below)
{
    return (branching){trmi_subtract(graph, a, b), trmi_subtract(graph, b, a), above, below};
}

static bool find_branches(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b,
                          branching *out)
{
    const trmi_node zero = trmi_constant(graph, 0), one = trmi_constant(graph, 1);
    switch (operation) {
    case TRMI_ABS:
        *out = compare(graph, a, zero, a, trmi_negate(graph, a));
        return true;
    case TRMI_SIGN:
        *out = compare(graph, a, zero, one, trmi_constant(graph, -1));
        return true;
    case TRMI_STEP:
        *out = compare(graph, a, zero, one, zero);
        return true;
    case TRMI_MAX:
        *out = compare(graph, a, b, a, b);
        return true;
    case TRMI_MIN:
        *out = compare(graph, a, b, b, a);
        return true;
    case TRMI_LESS:
    case TRMI_LESS_EQUAL:
        *out = compare(graph, b, a, one, zero);
        return true;
    default: // floor, ceil, mod have more than two
        return false;
    }
}

// The number of the condition; *swapped: it is that of -s. -1: there are too many, or no
// memory.
static int find_condition(trmi_kinks *k, const branching *b, bool *swapped)
{
    for (int i = 0; i < k->count; i++) {
        *swapped = k->condition[i] == b->opposite;
        if (k->condition[i] == b->s || *swapped)
            return i;
    }
    *swapped = false;
    if (k->count == TRMI_MAX_KINKS) {
        k->left_out = k->too_many = true;
        return -1;
    }
    trmi_node *larger = trmi_grow(k->condition, &k->capacity, k->count + 1, sizeof *larger);
    if (!larger)
        return -1;
    k->condition = larger;
    k->condition[k->count] = b->s;
    return k->count++;
}

// The node `now`, which goes over from one branch to the other, held by its locks.
static trmi_node hold_branches(trmi_kinks *k, trmi_graph *graph, trmi_node now)
{
    const trmi_graph_node node = graph->node[now];
    branching b;
    bool swapped;
    if (!find_branches(graph, node.operation, node.a, node.b, &b) ||
        trmi_is_constant(graph, b.s, NULL))
        return now;
    int i = find_condition(k, &b, &swapped);
    if (i < 0)
        return now;
    trmi_node above = trmi_input(graph, k->first_lock + 2 * i + swapped);
    trmi_node below = trmi_input(graph, k->first_lock + 2 * i + !swapped);
    return trmi_apply(graph, TRMI_IF, above, b.above,
                      trmi_apply(graph, TRMI_IF, below, b.below, now));
}

// ---- tables ----

// The table, and for each corner of straight lines the change that it makes held instead of as it
// is. As many points as there are conditions left.
static trmi_node hold_table(trmi_kinks *k, trmi_graph *graph, trmi_node now)
{
    const trmi_graph_node node = graph->node[now];
    const trmi_table_choice table = trmi_table_of(graph->node[node.b].value);
    const trmi_interpolant *c = &graph->curve[table.curve];
    trmi_node sum = now;
    if (table.order != TRMI_INTERPOLANT_VALUE || c->beyond == TRMI_BEYOND_REPEAT)
        return now;
    trmi_corner *at = malloc((size_t)c->count * sizeof *at);
    int corners = at ? trmi_find_corners(c, k->all_points, at) : 0;
    k->too_many = k->too_many || k->count + corners > TRMI_MAX_KINKS;
    for (int i = 0; i < corners && k->count < TRMI_MAX_KINKS; i++) {
        trmi_node s = trmi_subtract(graph, node.a, trmi_constant(graph, at[i].x));
        trmi_node step = trmi_apply(graph, TRMI_MAX, s, trmi_constant(graph, 0), 0);
        trmi_node change = trmi_subtract(graph, hold_branches(k, graph, step), step);
        sum =
            trmi_add(graph, sum, trmi_multiply(graph, trmi_constant(graph, at[i].change), change));
    }
    free(at);
    return sum;
}

static bool has_many_branches(trmi_operation operation)
{
    return operation == TRMI_FLOOR || operation == TRMI_CEIL || operation == TRMI_MOD;
}

static trmi_node hold(trmi_kinks *k, trmi_graph *graph, trmi_node now)
{
    return graph->node[now].operation == TRMI_TABLE ? hold_table(k, graph, now)
                                                    : hold_branches(k, graph, now);
}

// ---- all ----

static unsigned char dependence(const trmi_kinks *k, const trmi_graph_node *node,
                                const unsigned char *of)
{
    unsigned all = 0;
    if (node->operation == TRMI_INPUT)
        return (unsigned char)(node->a < k->inputs ? k->input[node->a] : 0);
    for (int i = 0; i < trmi_operation_operands(node->operation); i++)
        all |= of[trmi_operand(node, i)];
    return (unsigned char)all;
}

static bool is_condition(unsigned of)
{
    const bool multiplier = (of & TRMI_KINK_OF_MULTIPLIER) != 0;
    return !(of & TRMI_KINK_OF_UNKNOWN) && (multiplier || of == TRMI_KINK_OF_STATE);
}

bool trmi_kinks_separate(trmi_kinks *k, trmi_graph *graph, trmi_tape_output *output, int outputs)
{
    trmi_walk all = {0};
    if (graph->failed)
        return false;
    trmi_node *by = malloc(((size_t)graph->count + 1) * sizeof *by);
    unsigned char *of = malloc((size_t)graph->count + 1);
    bool good = by && of;
    for (int i = 0; i < outputs && good; i++)
        good = trmi_walk_add(&all, graph, output[i].node);
    for (int i = 0; i < all.count && good; i++) {
        trmi_node node = all.order[i];
        of[node] = dependence(k, &graph->node[node], of);
        by[node] = trmi_rebuild(graph, node, by);
        k->has_jumps = k->has_jumps || (of[node] & TRMI_KINK_OF_STATE &&
                                        has_many_branches(graph->node[node].operation));
        if (is_condition(of[node]))
            by[node] = hold(k, graph, by[node]);
    }
    for (int i = 0; i < outputs && good; i++)
        output[i].node = by[output[i].node];
    trmi_walk_release(&all);
    free(by);
    free(of);
    return good && !graph->failed;
}

void trmi_kinks_release(trmi_kinks *k)
{
    free(k->condition);
    k->condition = NULL;
    k->count = k->capacity = 0;
}

void trmi_kinks_gaps(const double *values, int count, double *gap, double *rate, double *second)
{
    for (int i = 0; i < 2 * count; i++) {
        const double *s = values + 3 * (i / 2), sign = i % 2 == 0 ? 1 : -1;
        gap[i] = sign * s[0];
        rate[i] = sign * s[1];
        if (second)
            second[i] = sign * s[2];
    }
}

void trmi_kinks_bends(const trmi_tape *tape, const trmi_interval *bound, int group, double *bend)
{
    for (int i = 0; i < trmi_tape_group_size(tape, group) / 2; i++) {
        const trmi_interval s = trmi_tape_bounds_of(tape, bound, group, 2 * i);
        const trmi_interval second = trmi_tape_bounds_of(tape, bound, group, 2 * i + 1);
        const bool apart = s.low > 0 || s.high < 0; // from 0
        const double most = fmax(fabs(second.low), fabs(second.high));
        bend[2 * i] = bend[2 * i + 1] = apart ? -1 : most;
    }
}
