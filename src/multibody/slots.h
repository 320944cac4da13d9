// SPDX-License-Identifier: Apache-2.0
// Positions of a sparse matrix that many pieces add to. Pieces announce their positions once, in a
// fixed order; later, each adds its numbers where `slot` says.
<<<<<<<< HEAD:src/multibody/scatter.h
#ifndef TRMI_SCATTER_H
#define TRMI_SCATTER_H
========
#ifndef TRMI_SLOTS_H
#define TRMI_SLOTS_H
>>>>>>>> h-tree:src/multibody/slots.h

#include "base/memory.h"
#include "trammel/system.h"

<<<<<<<< HEAD:src/multibody/scatter.h
typedef struct trmi_scatter {
========
typedef struct trmi_slots {
>>>>>>>> h-tree:src/multibody/slots.h
    int added, capacity;
    int *row, *column;   // as announced; NULL after `finish`
    bool failed;         // no memory
    trm_pattern pattern; // after `finish`: every position once, row by row
    const int *slot;     // of what was announced as number k; -1: not in the matrix
<<<<<<<< HEAD:src/multibody/scatter.h
} trmi_scatter;

// Announces a position and returns its number. row or column < 0: nothing (a driven column).
int trmi_scatter_add(trmi_scatter *scatter, int row, int column);

// Pattern and slots go into `memory`; what `add` took is released. False: no memory.
bool trmi_scatter_finish(trmi_scatter *scatter, trmi_memory *memory);

// Releases what `add` took, for those who give up before `finish`.
void trmi_scatter_drop(trmi_scatter *scatter);

// out[slot] += value
static inline void trmi_scatter_put(const trmi_scatter *scatter, int number, double *out,
                                    double value)
{
    int slot = scatter->slot[number];
========
} trmi_slots;

// Announces a position and returns its number. row or column < 0: nothing (a driven column).
int trmi_slots_add(trmi_slots *slots, int row, int column);

// Pattern and slots go into `memory`; what `add` took is released. False: no memory.
bool trmi_slots_finish(trmi_slots *slots, trmi_memory *memory);

// Releases what `add` took, for those who give up before `finish`.
void trmi_slots_drop(trmi_slots *slots);

// out[slot] += value
static inline void trmi_slots_put(const trmi_slots *slots, int number, double *out, double value)
{
    int slot = slots->slot[number];
>>>>>>>> h-tree:src/multibody/slots.h
    if (slot >= 0)
        out[slot] += value;
}

#endif
