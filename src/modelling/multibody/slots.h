// SPDX-License-Identifier: Apache-2.0
// Positions of a sparse matrix that many pieces add to. Pieces announce their positions once, in a
// fixed order; later, each adds its numbers at the positions of `slot`.
#ifndef TRMI_MODELLING_MULTIBODY_SLOTS_H
#define TRMI_MODELLING_MULTIBODY_SLOTS_H

#include "base/memory.h"
#include "base/pattern.h"

#include <string.h>

typedef struct trmi_slots {
    int added, capacity;
    int *row, *column;   // as announced; NULL after `finish`
    int *length;         // of the run from there on
    bool failed;         // no memory
    trm_pattern pattern; // after `finish`: every position once, row by row
    const int *slot;     // of what was announced as number k, of runs the first; -1: not in the
                         // matrix; NULL: k itself
} trmi_slots;

// Announces a position and returns its number. row or column < 0: nothing (a driven column).
int trmi_slots_add(trmi_slots *slots, int row, int column);

// Announces `length` positions of a row from a column on as one: their slots follow each other.
// Runs may come again, but must not overlap in part with others.
int trmi_slots_add_run(trmi_slots *slots, int row, int column, int length);

// Pattern and slots go into `memory`; what `add` took is released. False: no memory.
bool trmi_slots_finish(trmi_slots *slots, trmi_memory *memory);

// Releases what `add` took, for those who give up before `finish`.
void trmi_slots_drop(trmi_slots *slots);

static inline int trmi_slots_at(const trmi_slots *slots, int number)
{
    return slots->slot ? slots->slot[number] : number;
}

// zeros, where numbers are wanted and there are some
static inline void trmi_clear(double *out, int count)
{
    if (out && count > 0)
        memset(out, 0, (size_t)count * sizeof *out);
}

// out[slot] += value
static inline void trmi_slots_put(const trmi_slots *slots, int number, double *out, double value)
{
    int slot = trmi_slots_at(slots, number);
    if (slot >= 0)
        out[slot] += value;
}

#endif
