// SPDX-License-Identifier: Apache-2.0
// Shared by the two files that make nodes: simplify.c (sums, products), apply.c (all others).
#ifndef TRMI_MODELLING_EXPRESSION_SIMPLIFY_H
#define TRMI_MODELLING_EXPRESSION_SIMPLIFY_H

#include "modelling/expression/graph.h"

// A node of an operation whose operands may be exchanged, in the fixed order: a constant first,
// then the older one.
trmi_node trmi_graph_commute(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b);

#endif
