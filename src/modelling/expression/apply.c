// SPDX-License-Identifier: Apache-2.0
// Making nodes: powers, functions, truth values. See simplify.c for sums and products.
#include "modelling/expression/simplify.h"

#include <math.h>

enum { LARGEST_EXPONENT = 8 }; // integer powers up to it are products

static const double euler = 2.718281828459045235360287;

// ---- powers ----

// x^n, n > 0, by multiplications
static trmi_node multiply_power(trmi_graph *graph, trmi_node x, int n)
{
    trmi_node power = x;
    for (int k = 1; k < n; k++)
        power = trmi_multiply(graph, power, x);
    return power;
}

static trmi_node square_root(trmi_graph *graph, trmi_node x)
{
    return trmi_graph_intern(graph, TRMI_SQRT, x, TRMI_NO_NODE, TRMI_NO_NODE);
}

// x^exponent
static trmi_node raise_to_constant(trmi_graph *graph, trmi_node x, trmi_node b, double exponent)
{
    const double size = fabs(exponent);
    trmi_node power;
    if (exponent == 0)
        return trmi_constant(graph, 1);
    if (size == 0.5)
        power = square_root(graph, x);
    else if (size <= LARGEST_EXPONENT && size == floor(size))
        power = multiply_power(graph, x, (int)size);
    else // not x*sqrt(x) for x^1.5: its derivative at 0 would be 0/0
        return trmi_graph_intern(graph, TRMI_POWER, x, b, TRMI_NO_NODE);
    return exponent > 0 ? power : trmi_divide(graph, trmi_constant(graph, 1), power);
}

static trmi_node raise(trmi_graph *graph, trmi_node a, trmi_node b)
{
    double value;
    if (trmi_is_constant(graph, b, &value))
        return raise_to_constant(graph, a, b, value);
    if (trmi_is_constant(graph, a, &value) && value == 1)
        return a;
    if (trmi_is_constant(graph, a, &value) && value == euler)
        return trmi_graph_intern(graph, TRMI_EXP, b, TRMI_NO_NODE, TRMI_NO_NODE);
    return trmi_graph_intern(graph, TRMI_POWER, a, b, TRMI_NO_NODE);
}

// ---- functions of one operand ----

// f(-x) = f(x): 1, f(-x) = -f(x): -1, neither: 0
static int parity(trmi_operation operation)
{
    switch (operation) {
    case TRMI_COS:
    case TRMI_COSH:
    case TRMI_ABS:
        return 1;
    case TRMI_SIN:
    case TRMI_TAN:
    case TRMI_ASIN:
    case TRMI_ATAN:
    case TRMI_SINH:
    case TRMI_TANH:
    case TRMI_CBRT:
    case TRMI_SIGN:
        return -1;
    default:
        return 0;
    }
}

static trmi_node apply_function(trmi_graph *graph, trmi_operation operation, trmi_node a)
{
    const trmi_graph_node *operand = &graph->node[a];
    int symmetry = operand->operation == TRMI_NEGATE ? parity(operation) : 0;
    trmi_node value =
        trmi_graph_intern(graph, operation, symmetry ? operand->a : a, TRMI_NO_NODE, TRMI_NO_NODE);
    return symmetry < 0 ? trmi_negate(graph, value) : value;
}

// ---- truth values ----

// whether a node is 1 or 0 and nothing else
static bool is_truth(const trmi_graph *graph, trmi_node node)
{
    switch (graph->node[node].operation) {
    case TRMI_STEP:
    case TRMI_LESS:
    case TRMI_LESS_EQUAL:
    case TRMI_EQUAL:
    case TRMI_AND:
    case TRMI_OR:
    case TRMI_NOT:
        return true;
    default:
        return false;
    }
}

static bool is_opposite(const trmi_graph *graph, trmi_node a, trmi_node b)
{
    const trmi_graph_node *x = &graph->node[a], *y = &graph->node[b];
    return (x->operation == TRMI_NOT && x->a == b) || (y->operation == TRMI_NOT && y->a == a);
}

static trmi_node negate_truth(trmi_graph *graph, trmi_node a)
{
    const trmi_graph_node *operand = &graph->node[a];
    if (operand->operation == TRMI_NOT && is_truth(graph, operand->a))
        return operand->a;
    return trmi_graph_intern(graph, TRMI_NOT, a, TRMI_NO_NODE, TRMI_NO_NODE);
}

// `and` (decided by 0) and `or` (decided by everything else)
static trmi_node connect(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b)
{
    const bool decisive = operation == TRMI_OR;
    double value;
    if (trmi_is_constant(graph, b, &value)) {
        trmi_node other = a;
        a = b;
        b = other;
    }
    if (trmi_is_constant(graph, a, &value) && (value != 0) == decisive)
        return trmi_constant(graph, decisive);
    if (trmi_is_constant(graph, a, &value) && is_truth(graph, b))
        return b;
    if (is_opposite(graph, a, b))
        return trmi_constant(graph, decisive);
    if (a == b && is_truth(graph, a))
        return a;
    return trmi_graph_commute(graph, operation, a, b);
}

static trmi_node choose(trmi_graph *graph, trmi_node condition, trmi_node a, trmi_node b)
{
    const trmi_graph_node *c = &graph->node[condition];
    if (c->operation == TRMI_CONSTANT)
        return c->value != 0 ? a : b;
    if (a == b)
        return a;
    if (c->operation == TRMI_NOT)
        return trmi_graph_intern(graph, TRMI_IF, c->a, b, a);
    return trmi_graph_intern(graph, TRMI_IF, condition, a, b);
}

// ---- tables ----

trmi_node trmi_table(trmi_graph *graph, int curve, int order, trmi_node x)
{
    double value;
    if (graph->failed)
        return 0;
    const trmi_interpolant *c = &graph->curve[curve];
    if (order > trmi_interpolant_degree(c))
        return trmi_constant(graph, 0);
    if (trmi_is_constant(graph, x, &value))
        return trmi_constant(graph, trmi_interpolant_at(c, order, value));
    trmi_node choice = trmi_constant(graph, 8 * curve + order - TRMI_INTERPOLANT_INTEGRAL);
    return trmi_graph_intern(graph, TRMI_TABLE, x, choice, TRMI_NO_NODE);
}

trmi_node trmi_table_slope(trmi_graph *graph, trmi_node table)
{
    const trmi_graph_node n = graph->node[table];
    const trmi_table_choice choice = trmi_table_of(graph->node[n.b].value);
    return trmi_table(graph, choice.curve, choice.order + 1, n.a);
}

// ---- paths ----

trmi_node trmi_path(trmi_graph *graph, int curve, int component, trmi_node from, trmi_node to)
{
    trmi_node choice = trmi_constant(graph, 2 * curve + component);
    return graph->failed ? 0 : trmi_graph_intern(graph, TRMI_PATH, from, to, choice);
}

// x_b = cos(psi_b - psi_a),  y_b = sin(psi_b - psi_a),  x_a = kappa_a y - 1,  y_a = -kappa_a x
trmi_node trmi_path_slope(trmi_graph *graph, trmi_node path, int k)
{
    const trmi_graph_node n = graph->node[path];
    int choice = (int)graph->node[n.c].value, curve = choice / 2, component = choice % 2;
    if (k == 1) {
        trmi_node turn =
            trmi_subtract(graph, trmi_table(graph, curve, TRMI_INTERPOLANT_INTEGRAL, n.b),
                          trmi_table(graph, curve, TRMI_INTERPOLANT_INTEGRAL, n.a));
        return trmi_apply(graph, component == 0 ? TRMI_COS : TRMI_SIN, turn, TRMI_NO_NODE,
                          TRMI_NO_NODE);
    }
    trmi_node kappa = trmi_table(graph, curve, TRMI_INTERPOLANT_VALUE, n.a);
    trmi_node other = trmi_path(graph, curve, 1 - component, n.a, n.b);
    trmi_node product = trmi_multiply(graph, kappa, other);
    return component == 0 ? trmi_subtract(graph, product, trmi_constant(graph, 1))
                          : trmi_negate(graph, product);
}

// ---- all of them ----

// Whether all operands are constants, and the value then. One that is not finite is noted.
static bool fold(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b, trmi_node c,
                 double *value)
{
    const trmi_node operand[] = {a, b, c};
    const int operands = trmi_operation_operands(operation);
    double x[3] = {0};
    for (int k = 0; k < operands; k++)
        if (!trmi_is_constant(graph, operand[k], &x[k]))
            return false;
    *value = trmi_operation_value(operation, x[0], x[1], x[2]);
    if (!isfinite(*value) && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]))
        graph->fault = (trmi_tape_fault){.operation = operation,
                                         .operands = operands,
                                         .operand = {x[0], x[1], x[2]},
                                         .input = {TRMI_NO_NODE, TRMI_NO_NODE, TRMI_NO_NODE}};
    return true;
}

trmi_node trmi_apply(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b,
                     trmi_node c)
{
    double value;
    if (graph->failed)
        return 0;
    if (fold(graph, operation, a, b, c, &value))
        return trmi_constant(graph, value);
    switch (operation) {
    case TRMI_ADD:
        return trmi_add(graph, a, b);
    case TRMI_SUBTRACT:
        return trmi_subtract(graph, a, b);
    case TRMI_MULTIPLY:
        return trmi_multiply(graph, a, b);
    case TRMI_DIVIDE:
        return trmi_divide(graph, a, b);
    case TRMI_NEGATE:
        return trmi_negate(graph, a);
    case TRMI_POWER:
        return raise(graph, a, b);
    case TRMI_MIN:
    case TRMI_MAX:
        return a == b ? a : trmi_graph_commute(graph, operation, a, b);
    case TRMI_HYPOT:
    case TRMI_EQUAL:
        return trmi_graph_commute(graph, operation, a, b);
    case TRMI_AND:
    case TRMI_OR:
        return connect(graph, operation, a, b);
    case TRMI_NOT:
        return negate_truth(graph, a);
    case TRMI_IF:
        return choose(graph, a, b, c);
    default:
        return trmi_operation_operands(operation) == 1
                   ? apply_function(graph, operation, a)
                   : trmi_graph_intern(graph, operation, a, b, c);
    }
}

trmi_node trmi_rebuild(trmi_graph *graph, trmi_node old, const trmi_node *by)
{
    const trmi_graph_node node = graph->node[old];
    int operands = trmi_operation_operands(node.operation);
    trmi_node operand[3] = {node.a, node.b, node.c};
    bool same = true;
    for (int k = 0; k < operands; k++) {
        operand[k] = by[operand[k]];
        same = same && operand[k] == trmi_operand(&node, k);
    }
    if (same)
        return old;
    if (node.operation == TRMI_TABLE || node.operation == TRMI_PATH) // an operand names a curve
        return trmi_graph_intern(graph, node.operation, operand[0], operand[1], operand[2]);
    return trmi_apply(graph, node.operation, operand[0], operand[1], operand[2]);
}
