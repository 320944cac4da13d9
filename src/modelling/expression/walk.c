// SPDX-License-Identifier: Apache-2.0
#include "modelling/expression/walk.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { NEW, OPEN, DONE }; // not seen, its operands lie above it on the stack, in the order
enum { MAX_OPERANDS = 3 };

static bool grow_marks(trmi_walk *walk, int needed)
{
    int before = walk->mark ? walk->mark_capacity : 0;
    unsigned char *mark = trmi_grow(walk->mark, &walk->mark_capacity, needed, sizeof *mark);
    if (!mark)
        return false;
    memset(mark + before, NEW, (size_t)(walk->mark_capacity - before));
    walk->mark = mark;
    return true;
}

static bool grow_lists(trmi_walk *walk, int depth)
{
    trmi_node *stack =
        trmi_grow(walk->stack, &walk->stack_capacity, depth + MAX_OPERANDS, sizeof *stack);
    if (!stack)
        return false;
    walk->stack = stack;
    trmi_node *order =
        trmi_grow(walk->order, &walk->order_capacity, walk->count + 1, sizeof *order);
    if (!order)
        return false;
    walk->order = order;
    return true;
}

// puts the operands of an opened node onto the stack, the first one on top
static int push_operands(trmi_walk *walk, const trmi_graph_node *node, int depth)
{
    for (int k = trmi_operation_operands(node->operation) - 1; k >= 0; k--) {
        trmi_node operand = trmi_operand(node, k);
        if (walk->mark[operand] == NEW)
            walk->stack[depth++] = operand;
    }
    return depth;
}

bool trmi_walk_add(trmi_walk *walk, const trmi_graph *graph, trmi_node node)
{
    int depth = 0;
    bool enough = grow_marks(walk, node + 1) && grow_lists(walk, depth);
    if (enough)
        walk->stack[depth++] = node;
    while (enough && depth > 0) {
        trmi_node top = walk->stack[depth - 1];
        if (walk->mark[top] == NEW) {
            walk->mark[top] = OPEN;
            depth = push_operands(walk, &graph->node[top], depth);
        } else {
            if (walk->mark[top] == OPEN) // else it came onto the stack twice
                walk->order[walk->count++] = top;
            walk->mark[top] = DONE;
            depth--;
        }
        enough = grow_lists(walk, depth);
    }
    if (!enough)
        trmi_walk_release(walk);
    return enough;
}

void trmi_walk_restart(trmi_walk *walk)
{
    for (int i = 0; i < walk->count; i++)
        walk->mark[walk->order[i]] = NEW;
    walk->count = 0;
}

void trmi_walk_release(trmi_walk *walk)
{
    free(walk->order);
    free(walk->stack);
    free(walk->mark);
    *walk = (trmi_walk){0};
}
