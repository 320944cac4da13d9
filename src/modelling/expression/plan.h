// SPDX-License-Identifier: Apache-2.0
// A tape in the making, shared by compile.c and schedule.c.
#ifndef TRMI_MODELLING_EXPRESSION_PLAN_H
#define TRMI_MODELLING_EXPRESSION_PLAN_H

#include "modelling/expression/instruction.h"
#include "modelling/expression/walk.h"

// What is known of a node of the graph.
typedef struct trmi_node_plan {
    uint64_t groups;   // that need it
    int uses;          // by operations and outputs
    int result;        // its register
    trmi_node partner; // sin(a) and cos(a) in one instruction: the other one
    trmi_node product; // a sum that takes in one of its operands: that operand
    int window, place; // see schedule.c
    bool slow;         // no fast input below it
    bool absorbed;     // computed within the instruction of another node
} trmi_node_plan;

typedef struct trmi_compiler {
    const trmi_graph *graph;
    const trmi_tape_output *output;
    int outputs, inputs, slow;
    trmi_walk walk;
    trmi_memory scratch;
    trmi_node_plan *plan; // per node of the graph
    trmi_node *order;     // nodes that become instructions, in the order in which they run
    int count, slow_count;
} trmi_compiler;

// The instruction that a node becomes, with its operands: at most three nodes, how many is
// returned.
int trmi_plan_operands(const trmi_compiler *compiler, trmi_node node, trmi_node operand[3]);
int trmi_plan_code(const trmi_compiler *compiler, trmi_node node);

// Whether two neighbours in the order belong to the same segment.
bool trmi_plan_same_segment(const trmi_compiler *compiler, trmi_node a, trmi_node b);

// Rearranges the order within every segment so that equal instructions are neighbours. False:
// no memory.
bool trmi_plan_schedule(trmi_compiler *compiler);

#endif
