// SPDX-License-Identifier: Apache-2.0
// Formulas as a graph of shared nodes. Equal expressions are one node (hash-consing), so common
// subexpressions are found by construction, also those that differentiation brings. A node is
// younger than its operands: going through the numbers upwards is a topological order, and no
// algorithm here needs recursion.
//
// Used while a model is loaded; a tape (tape.h) does the work afterwards.
#ifndef TRMI_MODELLING_EXPRESSION_GRAPH_H
#define TRMI_MODELLING_EXPRESSION_GRAPH_H

#include "modelling/expression/interpolant.h"

#include <stdbool.h>
#include <stddef.h>

typedef int trmi_node; // number of a node; TRMI_NO_NODE when there is none

enum { TRMI_NO_NODE = -1 };

// Operations on numbers: name, operands, text in formulas (NULL: an operator or internal).
// Truth values are 1 and 0, and everything but 0 is true.
#define TRMI_ARITHMETIC_LIST(X)                                                                    \
    X(CONSTANT, 0, NULL)                                                                           \
    X(INPUT, 0, NULL)                                                                              \
    X(ADD, 2, NULL)                                                                                \
    X(SUBTRACT, 2, NULL)                                                                           \
    X(MULTIPLY, 2, NULL)                                                                           \
    X(DIVIDE, 2, NULL)                                                                             \
    X(NEGATE, 1, NULL)                                                                             \
    X(POWER, 2, "pow")                                                                             \
    X(SIN, 1, "sin")                                                                               \
    X(COS, 1, "cos")                                                                               \
    X(TAN, 1, "tan")                                                                               \
    X(ASIN, 1, "asin")                                                                             \
    X(ACOS, 1, "acos")                                                                             \
    X(ATAN, 1, "atan")                                                                             \
    X(ATAN2, 2, "atan2")                                                                           \
    X(SINH, 1, "sinh")                                                                             \
    X(COSH, 1, "cosh")                                                                             \
    X(TANH, 1, "tanh")                                                                             \
    X(EXP, 1, "exp")                                                                               \
    X(LOG, 1, "log")                                                                               \
    X(LOG10, 1, "log10")                                                                           \
    X(SQRT, 1, "sqrt")                                                                             \
    X(CBRT, 1, "cbrt")                                                                             \
    X(ABS, 1, "abs")                                                                               \
    X(SIGN, 1, "sign")                                                                             \
    X(MIN, 2, "min")                                                                               \
    X(MAX, 2, "max")                                                                               \
    X(HYPOT, 2, "hypot")                                                                           \
    X(MOD, 2, "mod")                                                                               \
    X(FLOOR, 1, "floor")                                                                           \
    X(CEIL, 1, "ceil")                                                                             \
    X(STEP, 1, "step")                                                                             \
    X(LESS, 2, NULL)                                                                               \
    X(LESS_EQUAL, 2, NULL)                                                                         \
    X(EQUAL, 2, NULL)                                                                              \
    X(AND, 2, NULL)                                                                                \
    X(OR, 2, NULL)                                                                                 \
    X(NOT, 1, NULL)                                                                                \
    X(IF, 3, "if")

// All operations. TABLE: a curve of the graph at its first operand; the second one, a constant,
// stands for curve and derivative (trmi_table). PATH: the place of a point of a path as seen from
// another one; the third operand, a constant, stands for curve and component (trmi_path).
#define TRMI_OPERATION_LIST(X)                                                                     \
    TRMI_ARITHMETIC_LIST(X)                                                                        \
    X(TABLE, 2, NULL)                                                                              \
    X(PATH, 3, NULL)

#define TRMI_OPERATION_ENUM(name, operands, text) TRMI_##name,
typedef enum trmi_operation {
    TRMI_OPERATION_LIST(TRMI_OPERATION_ENUM) TRMI_OPERATION_COUNT
} trmi_operation;
#undef TRMI_OPERATION_ENUM

// How many operands an operation has, and its name in formulas (NULL when it has none).
int trmi_operation_operands(trmi_operation operation);
const char *trmi_operation_text(trmi_operation operation);

// The value of an operation (not CONSTANT, INPUT, TABLE, PATH): the one definition for folding and
// for the tape.
double trmi_operation_value(trmi_operation operation, double a, double b, double c);

typedef struct trmi_graph_node {
    trmi_operation operation;
    trmi_node a, b, c; // operands; INPUT: a is the number of the input
    double value;      // CONSTANT
} trmi_graph_node;

// Operand k, counted from 0.
static inline trmi_node trmi_operand(const trmi_graph_node *node, int k)
{
    return k == 0 ? node->a : k == 1 ? node->b : node->c;
}

// An operation with finite operands and a result that is not; CONSTANT: a constant is not finite,
// operand[0].
typedef struct trmi_tape_fault {
    trmi_operation operation;
    int operands;
    double operand[3];
    int input[3]; // number of the input that the operand is, or TRMI_NO_NODE
} trmi_tape_fault;

// All zero is an empty graph.
typedef struct trmi_graph {
    trmi_graph_node *node;
    int count, capacity;
    int *table; // open addressing: node + 1, 0 is free
    int table_size;
    bool failed;             // no memory at some point: nothing made since is valid
    trmi_interpolant *curve; // that formulas may use, borrowed, as are those that tapes are made of
    int curves;
    trmi_tape_fault fault; // the last of constants; operation CONSTANT: none since it was cleared
} trmi_graph;

void trmi_graph_release(trmi_graph *graph);

// Functions that make nodes. Constant operands are folded, neutral elements are removed, operands
// of sums and products have a fixed order, so that a+b and b+a are one node. After `failed` they
// return a valid number without meaning: the caller checks `failed` once, at the end.
trmi_node trmi_constant(trmi_graph *graph, double value);
trmi_node trmi_input(trmi_graph *graph, int index);
trmi_node trmi_apply(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b,
                     trmi_node c);
// The operation of the node `old` with by[operand] in the place of each of its operands.
trmi_node trmi_rebuild(trmi_graph *graph, trmi_node old, const trmi_node *by);
trmi_node trmi_add(trmi_graph *graph, trmi_node a, trmi_node b);
trmi_node trmi_subtract(trmi_graph *graph, trmi_node a, trmi_node b);
trmi_node trmi_multiply(trmi_graph *graph, trmi_node a, trmi_node b);
trmi_node trmi_divide(trmi_graph *graph, trmi_node a, trmi_node b);
trmi_node trmi_negate(trmi_graph *graph, trmi_node a);

// A curve of the graph, by its number: its derivative of that order (TRMI_INTERPOLANT_INTEGRAL ..
// TRMI_INTERPOLANT_MAX_ORDER) at x. Orders above the degree of the curve are 0.
trmi_node trmi_table(trmi_graph *graph, int curve, int order, trmi_node x);
// The derivative by x of a node TABLE.
trmi_node trmi_table_slope(trmi_graph *graph, trmi_node table);
// The curve and the order that the second operand of a TABLE stands for.
typedef struct trmi_table_choice {
    int curve, order;
} trmi_table_choice;
static inline trmi_table_choice trmi_table_of(double operand)
{
    int code = (int)operand;
    return (trmi_table_choice){code / 8, code % 8 + TRMI_INTERPOLANT_INTEGRAL};
}

// The component (0: x, 1: y) of the place of point `to` of a path as seen from its point `from`
// (path.h); the curve, by its number, is its curvature.
trmi_node trmi_path(trmi_graph *graph, int curve, int component, trmi_node from, trmi_node to);
// The derivative by operand k, `from` or `to`, of a node PATH.
trmi_node trmi_path_slope(trmi_graph *graph, trmi_node path, int k);

// Whether a node is a constant; *value (unless NULL) is set to it.
bool trmi_is_constant(const trmi_graph *graph, trmi_node node, double *value);

// Whether a node is the constant 0.
bool trmi_is_zero(const trmi_graph *graph, trmi_node node);

// The node of these operands without simplification, for the functions that simplify.
trmi_node trmi_graph_intern(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b,
                            trmi_node c);

// The inputs a node depends on are marked in depends[0 .. inputs-1]; nothing is cleared. All of
// them without memory.
void trmi_graph_inputs(const trmi_graph *graph, trmi_node node, bool *depends, int inputs);

// The number of the curve of a name, or -1.
int trmi_graph_find_curve(const trmi_graph *graph, const char *name);

// A curve that a node depends on and whose corners are corners of the node; NULL: there is none, or
// no memory.
const trmi_interpolant *trmi_graph_cornered(const trmi_graph *graph, trmi_node node);

// Value of a node for given inputs, for formulas that are evaluated once. NaN without memory.
double trmi_graph_value(const trmi_graph *graph, trmi_node node, const double *input);

#endif
