// SPDX-License-Identifier: Apache-2.0
// The spanning tree of a mechanism: bodies are nodes, joints are edges.
#ifndef TRMI_MODELLING_MULTIBODY_SPANNING_H
#define TRMI_MODELLING_MULTIBODY_SPANNING_H

#include "base/memory.h"
#include "modelling/multibody/mechanism.h"

typedef struct trmi_spanning {
    int *order;  // bodies as they were reached, ground first
    int *parent; // per body: the one before it; ground: TRMI_NOTHING
    int *joint;  // per body: the edge to it; TRMI_NOTHING: ground, or a body nothing holds
    int *depth;  // per body: edges to the ground
    int cuts;    // edges that are joints which the file cuts
} trmi_spanning;

// Prim's algorithm from the ground, by the key (unknown coordinates, depth of the new body, order
// of the file): the fewest coordinates, then the smallest depth. Joints that are cut (`cut: true`,
// friction) are edges where nothing else leads to a body. A body that is not reached hangs on the
// ground without a joint, and its neighbours on it. False: no memory.
bool trmi_spanning_find(trmi_spanning *spanning, trmi_memory *memory,
                        const trmi_mechanism *mechanism);

// Whether the tree goes through the joint from its second body to its first.
bool trmi_spanning_reversed(const trmi_mechanism *mechanism, int joint, int child);

#endif
