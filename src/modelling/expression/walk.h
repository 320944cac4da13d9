// SPDX-License-Identifier: Apache-2.0
// The nodes that an expression consists of, operands before what uses them, by a depth-first walk
// with a stack of its own. The cost is that of the expression, not of the graph.
#ifndef TRMI_MODELLING_EXPRESSION_WALK_H
#define TRMI_MODELLING_EXPRESSION_WALK_H

#include "modelling/expression/graph.h"

// All zero to begin with.
typedef struct trmi_walk {
    trmi_node *order; // the nodes found
    int count, order_capacity;
    trmi_node *stack;
    int stack_capacity;
    unsigned char *mark; // per node of the graph: how far the walk is with it
    int mark_capacity;
} trmi_walk;

// Appends those nodes of an expression that are not there yet. False, and the walk empty, when
// there is no memory.
bool trmi_walk_add(trmi_walk *walk, const trmi_graph *graph, trmi_node node);

// Forgets all nodes, at the cost of as many.
void trmi_walk_restart(trmi_walk *walk);
void trmi_walk_release(trmi_walk *walk);

#endif
