// SPDX-License-Identifier: Apache-2.0
// Derivatives of single operations, for both sweeps.
#ifndef TRMI_MODELLING_EXPRESSION_PARTIAL_H
#define TRMI_MODELLING_EXPRESSION_PARTIAL_H

#include "modelling/expression/graph.h"

// factor * d node / d operand k. Not of IF, MIN, MAX: those choose, see trmi_partial_choice.
trmi_node trmi_scaled_partial(trmi_graph *graph, trmi_node node, int k, trmi_node factor);

// An operation that passes on one of two operands.
typedef struct trmi_partial_choice {
    bool any;            // whether the node is one at all
    trmi_node condition; // the first when it is true, else the second
    trmi_node first, second;
} trmi_partial_choice;

trmi_partial_choice trmi_node_choice(trmi_graph *graph, trmi_node node);

#endif
