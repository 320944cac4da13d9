// SPDX-License-Identifier: Apache-2.0
// Making nodes: sums and products. Each rule examines the node to be made and the operands of its
// operands only, so a chain of a million terms costs a million small steps.
//
// The normal form, which lets equal expressions meet: a product is c*(x*y) with one constant in
// front, powers of one base are the chain x*(x*(x*x)), sums add what is positive and subtract the
// rest. Constants are merged in products, not in sums: (x + 1e20) - 1e20 is evaluated as written.
// 0*x, x-x and 0/x are 0 whatever x is, as in every algebra system.
#include "modelling/expression/simplify.h"

#include <math.h>

enum { LONGEST_POWER = 8 }; // the longest chain of factors, beyond it pow() is faster

// node = factor * rest; a constant has no rest. Factors that are not normal numbers stay inside the
// rest: they cannot be merged, so the rules below could turn them over for ever.
typedef struct product_parts {
    double factor;
    trmi_node rest;
} product_parts;

static product_parts split_product(const trmi_graph *graph, trmi_node node)
{
    const trmi_graph_node *n = &graph->node[node];
    double factor;
    if (n->operation == TRMI_CONSTANT)
        return (product_parts){n->value, TRMI_NO_NODE};
    if (n->operation == TRMI_NEGATE)
        return (product_parts){-1, n->a};
    if (n->operation == TRMI_MULTIPLY && trmi_is_constant(graph, n->a, &factor) && isnormal(factor))
        return (product_parts){factor, n->b};
    return (product_parts){1, node};
}

// what is written with a minus sign in front: -x, -2*x, -2
static bool is_negative(const trmi_graph *graph, trmi_node node)
{
    return split_product(graph, node).factor < 0;
}

static bool are_constants(const trmi_graph *graph, trmi_node a, trmi_node b, double *x, double *y)
{
    return trmi_is_constant(graph, a, x) && trmi_is_constant(graph, b, y);
}

trmi_node trmi_graph_commute(trmi_graph *graph, trmi_operation operation, trmi_node a, trmi_node b)
{
    bool constant_a = trmi_is_constant(graph, a, NULL);
    bool constant_b = trmi_is_constant(graph, b, NULL);
    if (constant_a != constant_b ? constant_b : b < a)
        return trmi_graph_intern(graph, operation, b, a, TRMI_NO_NODE);
    return trmi_graph_intern(graph, operation, a, b, TRMI_NO_NODE);
}

// ---- products ----

// node = base^exponent, written as the chain base*(base*(...*base))
typedef struct power_parts {
    trmi_node base;
    int exponent;
} power_parts;

static power_parts split_power(const trmi_graph *graph, trmi_node node)
{
    const trmi_graph_node *n = &graph->node[node];
    if (n->operation != TRMI_MULTIPLY)
        return (power_parts){node, 1};
    trmi_node base = n->a, rest = n->b;
    int exponent = 2;
    for (; rest != base && exponent < LONGEST_POWER; exponent++) {
        n = &graph->node[rest];
        if (n->operation != TRMI_MULTIPLY || n->a != base)
            break;
        rest = n->b;
    }
    return rest == base ? (power_parts){base, exponent} : (power_parts){node, 1};
}

static trmi_node multiply_rests(trmi_graph *graph, trmi_node a, trmi_node b)
{
    power_parts p = split_power(graph, a), q = split_power(graph, b);
    if (p.base != q.base || p.exponent + q.exponent > LONGEST_POWER)
        return trmi_graph_commute(graph, TRMI_MULTIPLY, a, b);
    trmi_node power = p.base;
    for (int k = 1; k < p.exponent + q.exponent; k++)
        power = trmi_graph_intern(graph, TRMI_MULTIPLY, p.base, power, TRMI_NO_NODE);
    return power;
}

// factor * rest, where rest has no factor of its own
static trmi_node scale(trmi_graph *graph, double factor, trmi_node rest)
{
    if (graph->failed)
        return 0;
    const trmi_graph_node n = graph->node[rest];
    double above;
    if (factor == 1)
        return rest;
    if (n.operation == TRMI_DIVIDE && trmi_is_constant(graph, n.a, &above) &&
        isnormal(factor * above)) // c1*(c2/x)
        return trmi_graph_intern(graph, TRMI_DIVIDE, trmi_constant(graph, factor * above), n.b,
                                 TRMI_NO_NODE);
    if (factor == -1 && n.operation == TRMI_SUBTRACT)
        return trmi_subtract(graph, n.b, n.a);
    if (factor == -1)
        return trmi_graph_intern(graph, TRMI_NEGATE, rest, TRMI_NO_NODE, TRMI_NO_NODE);
    return trmi_graph_intern(graph, TRMI_MULTIPLY, trmi_constant(graph, factor), rest,
                             TRMI_NO_NODE);
}

trmi_node trmi_multiply(trmi_graph *graph, trmi_node a, trmi_node b)
{
    double x, y;
    if (graph->failed)
        return 0;
    if (are_constants(graph, a, b, &x, &y))
        return trmi_constant(graph, x * y);
    if (trmi_is_zero(graph, a) || trmi_is_zero(graph, b))
        return trmi_constant(graph, 0);
    product_parts p = split_product(graph, a), q = split_product(graph, b);
    double factor = p.factor * q.factor;
    if (!isnormal(factor)) // merged, the constants would overflow or vanish
        return trmi_graph_commute(graph, TRMI_MULTIPLY, a, b);
    if (p.rest == TRMI_NO_NODE)
        return scale(graph, factor, q.rest);
    if (q.rest == TRMI_NO_NODE)
        return scale(graph, factor, p.rest);
    return scale(graph, factor, multiply_rests(graph, p.rest, q.rest));
}

trmi_node trmi_negate(trmi_graph *graph, trmi_node a)
{
    return trmi_multiply(graph, trmi_constant(graph, -1), a);
}

// ---- quotients ----

static bool is_power_of_two(double x)
{
    int exponent;
    return isnormal(x) && fabs(frexp(x, &exponent)) == 0.5 && isnormal(1 / x);
}

// x/c
static trmi_node divide_by_constant(trmi_graph *graph, trmi_node a, trmi_node b, double divisor)
{
    product_parts p = split_product(graph, a);
    if (divisor == 1 || is_power_of_two(divisor)) // exact
        return trmi_multiply(graph, trmi_constant(graph, 1 / divisor), a);
    if (fabs(p.factor) != 1 && isnormal(p.factor / divisor))
        return scale(graph, p.factor / divisor, p.rest);
    if (p.factor == -1) // -x/c
        return trmi_graph_intern(graph, TRMI_DIVIDE, p.rest, trmi_constant(graph, -divisor),
                                 TRMI_NO_NODE);
    return trmi_graph_intern(graph, TRMI_DIVIDE, a, b, TRMI_NO_NODE);
}

trmi_node trmi_divide(trmi_graph *graph, trmi_node a, trmi_node b)
{
    double x, y;
    if (graph->failed)
        return 0;
    if (are_constants(graph, a, b, &x, &y))
        return trmi_constant(graph, x / y);
    if (trmi_is_zero(graph, a))
        return a;
    if (trmi_is_constant(graph, b, &y))
        return divide_by_constant(graph, a, b, y);
    product_parts p = split_product(graph, a), q = split_product(graph, b);
    double factor = p.factor / q.factor;
    bool as_long = p.factor == 1 && p.rest != TRMI_NO_NODE && fabs(q.factor) != 1; // x/(c*y)
    if (!isnormal(factor) || as_long)
        return trmi_graph_intern(graph, TRMI_DIVIDE, a, b, TRMI_NO_NODE);
    if (p.rest == TRMI_NO_NODE) // c1/(c2*x)
        return trmi_graph_intern(graph, TRMI_DIVIDE, trmi_constant(graph, factor), q.rest,
                                 TRMI_NO_NODE);
    return scale(graph, factor,
                 trmi_graph_intern(graph, TRMI_DIVIDE, p.rest, q.rest, TRMI_NO_NODE));
}

// ---- sums ----

// c1*x + c2*x: true, and the sum in *out
static bool merge_like_terms(trmi_graph *graph, trmi_node a, trmi_node b, double sign,
                             trmi_node *out)
{
    product_parts p = split_product(graph, a), q = split_product(graph, b);
    double factor = p.factor + sign * q.factor;
    if (p.rest != q.rest || p.rest == TRMI_NO_NODE || !(factor == 0 || isnormal(factor)))
        return false;
    *out = factor == 0 ? trmi_constant(graph, 0) : scale(graph, factor, p.rest);
    return true;
}

// if(c, x, 0) + if(c, 0, y) = if(c, x, y), which is how a gradient collects two branches
static bool merge_branches(trmi_graph *graph, trmi_node a, trmi_node b, trmi_node *out)
{
    const trmi_graph_node p = graph->node[a], q = graph->node[b];
    if (p.operation != TRMI_IF || q.operation != TRMI_IF || p.a != q.a)
        return false;
    if (trmi_is_zero(graph, p.c) && trmi_is_zero(graph, q.b))
        *out = trmi_graph_intern(graph, TRMI_IF, p.a, p.b, q.c);
    else if (trmi_is_zero(graph, p.b) && trmi_is_zero(graph, q.c))
        *out = trmi_graph_intern(graph, TRMI_IF, p.a, q.b, p.c);
    else
        return false;
    return true;
}

trmi_node trmi_add(trmi_graph *graph, trmi_node a, trmi_node b)
{
    double x, y;
    trmi_node merged;
    if (graph->failed)
        return 0;
    if (are_constants(graph, a, b, &x, &y))
        return trmi_constant(graph, x + y);
    if (trmi_is_zero(graph, a))
        return b;
    if (trmi_is_zero(graph, b))
        return a;
    if (merge_like_terms(graph, a, b, 1, &merged) || merge_branches(graph, a, b, &merged))
        return merged;
    if (is_negative(graph, b))
        return trmi_subtract(graph, a, trmi_negate(graph, b));
    if (is_negative(graph, a))
        return trmi_subtract(graph, b, trmi_negate(graph, a));
    return trmi_graph_commute(graph, TRMI_ADD, a, b);
}

trmi_node trmi_subtract(trmi_graph *graph, trmi_node a, trmi_node b)
{
    double x, y;
    trmi_node merged;
    if (graph->failed)
        return 0;
    if (are_constants(graph, a, b, &x, &y))
        return trmi_constant(graph, x - y);
    if (trmi_is_zero(graph, b))
        return a;
    if (trmi_is_zero(graph, a))
        return trmi_negate(graph, b);
    if (merge_like_terms(graph, a, b, -1, &merged))
        return merged;
    if (is_negative(graph, b))
        return trmi_add(graph, a, trmi_negate(graph, b));
    if (graph->node[a].operation == TRMI_NEGATE) // -x - y = -(x + y)
        return trmi_negate(graph, trmi_add(graph, graph->node[a].a, b));
    return trmi_graph_intern(graph, TRMI_SUBTRACT, a, b, TRMI_NO_NODE);
}
