// SPDX-License-Identifier: Apache-2.0
// Exact derivatives: new nodes of the same graph. `abs`, `sign`, `min`, `max`, `if` are
// differentiated on the branch taken; `floor`, `ceil`, `step`, `sign` and truth values have
// derivative 0, `mod` that of its first operand (and -floor(a/b) of its second). `sqrt` and `hypot`
// have slope 0 where they vanish.
#ifndef TRMI_MODELLING_EXPRESSION_DERIVE_H
#define TRMI_MODELLING_EXPRESSION_DERIVE_H

#include "modelling/expression/graph.h"
#include "modelling/expression/walk.h"

// One non-zero entry of a gradient.
typedef struct trmi_partial {
    int input;
    trmi_node value;
} trmi_partial;

// Work space that is kept between derivatives. All zero but for the graph to begin with.
typedef struct trmi_derive {
    trmi_graph *graph;
    trmi_walk walk;                  // nodes of the present expression
    struct trmi_derive_entry *entry; // per node of the graph, all clear between calls
    int capacity;
    trmi_partial *partial;
    int partial_capacity;
} trmi_derive;

void trmi_derive_release(trmi_derive *derive);

// All non-zero derivatives of `node` by the inputs first .. first+count-1, in ascending order of
// inputs, by one backward sweep over the nodes it consists of: the cost is that of the expression,
// not of the graph. Borrowed until the next call; the number of entries is returned. Without memory
// the graph has failed and there are none.
int trmi_gradient(trmi_derive *derive, trmi_node node, int first, int count,
                  const trmi_partial **out);

// The derivative of many nodes along one direction: direction[i] is the rate of input i
// (TRMI_NO_NODE for zero). One forward sweep with a memory, for time derivatives. Nodes made after
// `begin` can be differentiated too.
typedef struct trmi_forward {
    trmi_graph *graph;
    const trmi_node *direction;
    int inputs;
    trmi_walk walk;  // the nodes whose rate is known
    trmi_node *rate; // per node
    int capacity;
} trmi_forward;

void trmi_forward_begin(trmi_forward *forward, trmi_graph *graph, const trmi_node *direction,
                        int inputs);
trmi_node trmi_forward_rate(trmi_forward *forward, trmi_node node);
void trmi_forward_release(trmi_forward *forward);

#endif
