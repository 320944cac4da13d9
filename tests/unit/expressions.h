// SPDX-License-Identifier: Apache-2.0
// Common to the tests of expressions: formulas of x, y, z, p0 .. p9, random numbers, random
// formulas.
#ifndef EXPRESSIONS_H
#define EXPRESSIONS_H

#include "modelling/expression/parse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// x, y, z are the inputs 0, 1, 2, p0 the input 3, and so on; a(x) is the input 20 + that of x
enum { INPUTS = 40 };

static inline trmi_node resolve_name(void *user, const char *name, const char *argument,
                                     char *message, size_t size)
{
    trmi_graph *graph = user;
    const char *wanted = argument ? argument : name;
    int index = -1;
    if (strlen(wanted) == 1 && strchr("xyz", wanted[0]))
        index = wanted[0] - 'x';
    else if (strlen(wanted) == 2 && wanted[0] == 'p' && wanted[1] >= '0' && wanted[1] <= '9')
        index = 3 + wanted[1] - '0';
    if (argument && strcmp(name, "a") != 0)
        return TRMI_NO_NODE; // without a sentence
    if (index >= 0)
        return trmi_input(graph, index + (argument ? 20 : 0));
    snprintf(message, size, "'%.40s' is not known here", wanted);
    return TRMI_NO_NODE;
}

static inline trmi_node parse(trmi_graph *graph, const char *text)
{
    trmi_parse_error error;
    trmi_node node = trmi_parse(graph, text, resolve_name, graph, &error);
    if (node == TRMI_NO_NODE)
        fail_msg("%s: column %d: %s", text, error.offset + 1, error.message);
    return node;
}

// the same bits, or both NaN
static inline bool is_same(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

// ---- random numbers, the same in every run (xorshift by Marsaglia) ----

typedef struct generator {
    uint64_t state;
} generator;

static inline unsigned draw(generator *g, unsigned below)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (unsigned)(g->state >> 33) % below;
}

static inline double draw_between(generator *g, double least, double greatest)
{
    return least + (greatest - least) * draw(g, 1000000) / 1e6;
}

// ---- random formulas ----

// One step: a result from earlier ones, which also has a value without any simplification.
typedef struct random_step {
    trmi_node node;
    double value;
} random_step;

// any operation of earlier results
static inline random_step draw_any_step(generator *g, trmi_graph *graph, const random_step *step,
                                        int count)
{
    trmi_operation operation = (trmi_operation)(TRMI_ADD + draw(g, TRMI_TABLE - TRMI_ADD));
    random_step a = step[draw(g, (unsigned)count)], b = step[draw(g, (unsigned)count)];
    random_step c = step[draw(g, (unsigned)count)];
    return (random_step){trmi_apply(graph, operation, a.node, b.node, c.node),
                         trmi_operation_value(operation, a.value, b.value, c.value)};
}

#endif
