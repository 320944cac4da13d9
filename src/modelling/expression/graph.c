// SPDX-License-Identifier: Apache-2.0
// Nodes and the table in which equal ones find each other. What nodes are worth making at all is
// decided in simplify.c.
#include "modelling/expression/graph.h"

#include "base/grow.h"
#include "modelling/expression/operation.h"
#include "modelling/expression/walk.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1 << 28 };

int trmi_operation_operands(trmi_operation operation)
{
#define OPERANDS(name, operands, text) operands,
    static const unsigned char count[] = {TRMI_OPERATION_LIST(OPERANDS)};
#undef OPERANDS
    return count[operation];
}

const char *trmi_operation_text(trmi_operation operation)
{
#define TEXT(name, operands, text) text,
    static const char *const texts[] = {TRMI_OPERATION_LIST(TEXT)};
#undef TEXT
    return texts[operation];
}

double trmi_operation_value(trmi_operation operation, double a, double b, double c)
{
    return trmi_compute(operation, a, b, c);
}

void trmi_graph_release(trmi_graph *graph)
{
    free(graph->node);
    free(graph->table);
    *graph = (trmi_graph){0};
}

// ---- equal nodes are one ----

static uint64_t value_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// one step of a multiplicative hash (the multiplier is 2^64 / golden ratio, odd)
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t hash_node(const trmi_graph_node *node)
{
    uint64_t hash = mix((uint64_t)node->operation, (uint32_t)node->a);
    hash = mix(hash, (uint64_t)(uint32_t)node->b << 32 | (uint32_t)node->c);
    return mix(mix(hash, value_bits(node->value)),
               0); // once more: round numbers differ in few bits
}

static bool same_node(const trmi_graph_node *x, const trmi_graph_node *y)
{
    return x->operation == y->operation && x->a == y->a && x->b == y->b && x->c == y->c &&
           value_bits(x->value) == value_bits(y->value);
}

// the slot of a node in the table, or the free one where it belongs; at most half of them are taken
static int find_slot(const trmi_graph *graph, const trmi_graph_node *node)
{
    unsigned mask = (unsigned)graph->table_size - 1;
    unsigned slot = (unsigned)hash_node(node) & mask;
    while (graph->table[slot] && !same_node(&graph->node[graph->table[slot] - 1], node))
        slot = (slot + 1) & mask;
    return (int)slot;
}

static bool grow_table(trmi_graph *graph)
{
    int size = 0, wanted = graph->table_size ? 2 * graph->table_size : 64;
    int *table = trmi_grow(NULL, &size, wanted, sizeof *table);
    if (!table)
        return false;
    memset(table, 0, (size_t)wanted * sizeof *table);
    free(graph->table);
    graph->table = table;
    graph->table_size = wanted;
    for (int i = 0; i < graph->count; i++)
        table[find_slot(graph, &graph->node[i])] = i + 1;
    return true;
}

// allocates one more node
static bool reserve_node(trmi_graph *graph)
{
    if (graph->count >= MAX_NODES)
        return false;
    trmi_graph_node *node =
        trmi_grow(graph->node, &graph->capacity, graph->count + 1, sizeof *node);
    if (!node)
        return false;
    graph->node = node;
    return graph->count < graph->table_size / 2 || grow_table(graph);
}

static trmi_node find_or_add(trmi_graph *graph, const trmi_graph_node *node)
{
    if (graph->failed || !reserve_node(graph)) {
        graph->failed = true;
        return 0;
    }
    int slot = find_slot(graph, node);
    if (graph->table[slot] == 0) {
        graph->node[graph->count] = *node;
        graph->table[slot] = ++graph->count;
    }
    return graph->table[slot] - 1;
}

trmi_node trmi_constant(trmi_graph *graph, double value)
{
    value = isnan(value) ? NAN : value; // NaNs of all signs are one
    return find_or_add(
        graph, &(trmi_graph_node){TRMI_CONSTANT, TRMI_NO_NODE, TRMI_NO_NODE, TRMI_NO_NODE, value});
}

trmi_node trmi_input(trmi_graph *graph, int index)
{
    assert(index >= 0);
    return find_or_add(graph, &(trmi_graph_node){TRMI_INPUT, index, TRMI_NO_NODE, TRMI_NO_NODE, 0});
}

trmi_node trmi_graph_intern(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b,
                            trmi_node c)
{
    const int operands = trmi_operation_operands(operation);
    trmi_graph_node node = {operation, TRMI_NO_NODE, TRMI_NO_NODE, TRMI_NO_NODE, 0};
    assert(operands > 0);
    assert(graph->failed || (a >= 0 && a < graph->count));
    node.a = a;
    if (operands > 1) {
        assert(graph->failed || (b >= 0 && b < graph->count));
        node.b = b;
    }
    if (operands > 2) {
        assert(graph->failed || (c >= 0 && c < graph->count));
        node.c = c;
    }
    return find_or_add(graph, &node);
}

// ---- properties of nodes ----

bool trmi_is_constant(const trmi_graph *graph, trmi_node node, double *value)
{
    if (node < 0 || node >= graph->count || graph->node[node].operation != TRMI_CONSTANT)
        return false;
    if (value)
        *value = graph->node[node].value;
    return true;
}

bool trmi_is_zero(const trmi_graph *graph, trmi_node node)
{
    double value;
    return trmi_is_constant(graph, node, &value) && value == 0;
}

void trmi_graph_inputs(const trmi_graph *graph, trmi_node node, bool *depends, int inputs)
{
    trmi_walk walk = {0};
    if (graph->failed || !trmi_walk_add(&walk, graph, node)) {
        for (int i = 0; i < inputs; i++)
            depends[i] = true;
        return;
    }
    for (int i = 0; i < walk.count; i++) {
        const trmi_graph_node *n = &graph->node[walk.order[i]];
        if (n->operation == TRMI_INPUT && n->a < inputs)
            depends[n->a] = true;
    }
    trmi_walk_release(&walk);
}

int trmi_graph_find_curve(const trmi_graph *graph, const char *name)
{
    for (int k = 0; k < graph->curves; k++)
        if (strcmp(graph->curve[k].name, name) == 0)
            return k;
    return -1;
}

const trmi_interpolant *trmi_graph_cornered(const trmi_graph *graph, trmi_node node)
{
    trmi_walk walk = {0};
    const trmi_interpolant *cornered = NULL;
    if (graph->curves == 0 || graph->failed || !trmi_walk_add(&walk, graph, node))
        return NULL;
    for (int i = 0; i < walk.count; i++) {
        const trmi_graph_node *n = &graph->node[walk.order[i]];
        if (n->operation != TRMI_TABLE)
            continue;
        const trmi_table_choice table = trmi_table_of(graph->node[n->b].value);
        const trmi_interpolant *c = &graph->curve[table.curve];
        if (trmi_interpolant_smoothness(c) - table.order < 1)
            cornered = c;
    }
    trmi_walk_release(&walk);
    return cornered;
}

// the value of one node from those of its operands
static double node_value(const trmi_graph *graph, const trmi_graph_node *node, const double *value,
                         const double *input)
{
    double x[3] = {0};
    if (node->operation == TRMI_CONSTANT)
        return node->value;
    if (node->operation == TRMI_INPUT)
        return input[node->a];
    for (int k = 0; k < trmi_operation_operands(node->operation); k++)
        x[k] = value[trmi_operand(node, k)];
    if (node->operation == TRMI_TABLE)
        return trmi_table_value(graph->curve, x[0], x[1]);
    if (node->operation == TRMI_PATH)
        return trmi_path_value(graph->curve, x[0], x[1], x[2]);
    return trmi_operation_value(node->operation, x[0], x[1], x[2]);
}

double trmi_graph_value(const trmi_graph *graph, trmi_node node, const double *input)
{
    trmi_walk walk = {0};
    int size = 0;
    if (graph->failed || !trmi_walk_add(&walk, graph, node))
        return NAN;
    double result = NAN, *value = trmi_grow(NULL, &size, node + 1, sizeof *value);
    for (int i = 0; value && i < walk.count; i++) {
        trmi_node n = walk.order[i];
        result = value[n] = node_value(graph, &graph->node[n], value, input);
    }
    free(value);
    trmi_walk_release(&walk);
    return result;
}
