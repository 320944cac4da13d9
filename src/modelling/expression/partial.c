// SPDX-License-Identifier: Apache-2.0
// The table of derivatives. `factor` (an adjoint or a rate) comes in as an operand, so that it can
// be divided instead of multiplied with a reciprocal.
#include "modelling/expression/partial.h"

#include <math.h>

static trmi_node apply1(trmi_graph *graph, trmi_operation operation, trmi_node a)
{
    return trmi_apply(graph, operation, a, TRMI_NO_NODE, TRMI_NO_NODE);
}

static trmi_node apply2(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b)
{
    return trmi_apply(graph, operation, a, b, TRMI_NO_NODE);
}

static trmi_node square(trmi_graph *graph, trmi_node a)
{
    return trmi_multiply(graph, a, a);
}

// value + x
static trmi_node add_to(trmi_graph *graph, double value, trmi_node x)
{
    return trmi_add(graph, trmi_constant(graph, value), x);
}

// value - x
static trmi_node subtract_from(trmi_graph *graph, double value, trmi_node x)
{
    return trmi_subtract(graph, trmi_constant(graph, value), x);
}

static trmi_node times(trmi_graph *graph, double value, trmi_node x)
{
    return trmi_multiply(graph, trmi_constant(graph, value), x);
}

// sqrt(1 - a^2) without cancellation near |a| = 1
static trmi_node cosine_of_arc(trmi_graph *graph, trmi_node a)
{
    return apply1(graph, TRMI_SQRT,
                  trmi_multiply(graph, subtract_from(graph, 1, a), add_to(graph, 1, a)));
}

// The slope of a length where it vanishes, as sqrt(v^2 + w^2) at rest, does not exist: 0 is taken,
// the middle of all directions, so that v/|v| |v| is no NaN.
static trmi_node unless_zero(trmi_graph *graph, trmi_node n, trmi_node slope)
{
    trmi_node zero = trmi_constant(graph, 0);
    return trmi_apply(graph, TRMI_IF, apply2(graph, TRMI_EQUAL, n, zero), zero, slope);
}

// (a/b)' = a'/b - (a/b) b'/b
static trmi_node quotient(trmi_graph *graph, trmi_node n, trmi_node b, int k, trmi_node factor)
{
    trmi_node divided = trmi_divide(graph, factor, b);
    return k == 0 ? divided : trmi_negate(graph, trmi_multiply(graph, n, divided));
}

// (a^b)' = b a^(b-1) a' + a^b log(a) b', where 0^b does not change with b
static trmi_node power(trmi_graph *graph, trmi_node n, trmi_node a, trmi_node b, int k,
                       trmi_node factor)
{
    if (k == 0) {
        trmi_node less = trmi_subtract(graph, b, trmi_constant(graph, 1));
        trmi_node slope = trmi_multiply(graph, b, apply2(graph, TRMI_POWER, a, less));
        return trmi_multiply(graph, factor, slope);
    }
    trmi_node slope = trmi_multiply(graph, n, apply1(graph, TRMI_LOG, a));
    trmi_node all = trmi_multiply(graph, factor, slope);
    return trmi_apply(graph, TRMI_IF, a, all, trmi_constant(graph, 0));
}

// atan2(a, b)' = (b a' - a b')/(a^2 + b^2)
static trmi_node arc_of_two(trmi_graph *graph, trmi_node a, trmi_node b, int k, trmi_node factor)
{
    trmi_node length2 = trmi_add(graph, square(graph, a), square(graph, b));
    trmi_node slope = trmi_divide(graph, k == 0 ? b : trmi_negate(graph, a), length2);
    return trmi_multiply(graph, factor, slope);
}

// abs(a)' = a' for a >= 0, else -a'
static trmi_node absolute(trmi_graph *graph, trmi_node a, trmi_node factor)
{
    trmi_node negative = apply2(graph, TRMI_LESS, a, trmi_constant(graph, 0));
    trmi_node slope =
        trmi_apply(graph, TRMI_IF, negative, trmi_constant(graph, -1), trmi_constant(graph, 1));
    return trmi_multiply(graph, factor, slope);
}

// (a - b floor(a/b))' = a' - floor(a/b) b'
static trmi_node modulus(trmi_graph *graph, trmi_node a, trmi_node b, int k, trmi_node factor)
{
    if (k == 0)
        return factor;
    trmi_node whole = apply1(graph, TRMI_FLOOR, trmi_divide(graph, a, b));
    return trmi_negate(graph, trmi_multiply(graph, factor, whole));
}

// functions of one operand: n = f(a), and the factor
static trmi_node function(trmi_graph *graph, trmi_operation operation, trmi_node n, trmi_node a,
                          trmi_node factor)
{
    switch (operation) {
    case TRMI_SIN:
        return trmi_multiply(graph, factor, apply1(graph, TRMI_COS, a));
    case TRMI_COS:
        return trmi_negate(graph, trmi_multiply(graph, factor, apply1(graph, TRMI_SIN, a)));
    case TRMI_TAN:
        return trmi_multiply(graph, factor, add_to(graph, 1, square(graph, n)));
    case TRMI_ASIN:
        return trmi_divide(graph, factor, cosine_of_arc(graph, a));
    case TRMI_ACOS:
        return trmi_negate(graph, trmi_divide(graph, factor, cosine_of_arc(graph, a)));
    case TRMI_ATAN:
        return trmi_divide(graph, factor, add_to(graph, 1, square(graph, a)));
    case TRMI_SINH:
        return trmi_multiply(graph, factor, apply1(graph, TRMI_COSH, a));
    case TRMI_COSH:
        return trmi_multiply(graph, factor, apply1(graph, TRMI_SINH, a));
    case TRMI_TANH:
        return trmi_multiply(graph, factor, subtract_from(graph, 1, square(graph, n)));
    case TRMI_EXP:
        return trmi_multiply(graph, factor, n);
    case TRMI_LOG:
        return trmi_divide(graph, factor, a);
    case TRMI_LOG10:
        return trmi_divide(graph, times(graph, 1 / log(10), factor), a);
    case TRMI_SQRT:
        return unless_zero(graph, n, trmi_divide(graph, times(graph, 0.5, factor), n));
    case TRMI_CBRT:
        return trmi_divide(graph, factor, times(graph, 3, square(graph, n)));
    case TRMI_ABS:
        return absolute(graph, a, factor);
    default: // steps and truth values
        return trmi_constant(graph, 0);
    }
}

trmi_node trmi_scaled_partial(trmi_graph *graph, trmi_node node, int k, trmi_node factor)
{
    if (graph->failed)
        return 0;
    const trmi_graph_node n = graph->node[node];
    switch (n.operation) {
    case TRMI_ADD:
        return factor;
    case TRMI_SUBTRACT:
        return k == 0 ? factor : trmi_negate(graph, factor);
    case TRMI_MULTIPLY:
        return trmi_multiply(graph, factor, k == 0 ? n.b : n.a);
    case TRMI_DIVIDE:
        return quotient(graph, node, n.b, k, factor);
    case TRMI_NEGATE:
        return trmi_negate(graph, factor);
    case TRMI_POWER:
        return power(graph, node, n.a, n.b, k, factor);
    case TRMI_ATAN2:
        return arc_of_two(graph, n.a, n.b, k, factor);
    case TRMI_HYPOT:
        return trmi_multiply(
            graph, factor, unless_zero(graph, node, trmi_divide(graph, k == 0 ? n.a : n.b, node)));
    case TRMI_MOD:
        return modulus(graph, n.a, n.b, k, factor);
    case TRMI_TABLE:
        return k == 0 ? trmi_multiply(graph, factor, trmi_table_slope(graph, node))
                      : trmi_constant(graph, 0);
    case TRMI_PATH:
        return k < 2 ? trmi_multiply(graph, factor, trmi_path_slope(graph, node, k))
                     : trmi_constant(graph, 0);
    default:
        return function(graph, n.operation, node, n.a, factor);
    }
}

trmi_partial_choice trmi_node_choice(trmi_graph *graph, trmi_node node)
{
    if (graph->failed)
        return (trmi_partial_choice){0};
    const trmi_graph_node n = graph->node[node];
    switch (n.operation) {
    case TRMI_IF:
        return (trmi_partial_choice){true, n.a, n.b, n.c};
    case TRMI_MIN:
        return (trmi_partial_choice){true, apply2(graph, TRMI_LESS_EQUAL, n.a, n.b), n.a, n.b};
    case TRMI_MAX:
        return (trmi_partial_choice){true, apply2(graph, TRMI_LESS_EQUAL, n.b, n.a), n.a, n.b};
    default:
        return (trmi_partial_choice){0};
    }
}
