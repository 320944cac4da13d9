// SPDX-License-Identifier: Apache-2.0
// Scratch memory: a stack of numbers, taken once at creation. A function takes the arrays it needs
// for a moment from the top and releases them before it returns:
//
//     double *rhs = trmi_scratch_take(scratch, n), *rows = trmi_scratch_take(scratch, m);
//     ...
//     trmi_scratch_release(scratch, rhs); // and rows, which came later
//
// The contents of an array that was just taken are arbitrary.
#ifndef TRMI_BASE_SCRATCH_H
#define TRMI_BASE_SCRATCH_H

#include "base/memory.h"

#include <assert.h>

// Arrays begin at multiples of so many numbers: 64 bytes.
enum { TRMI_SCRATCH_ALIGNMENT = 8 };

typedef struct trmi_scratch {
    double *base;
    size_t size; // numbers in all
    size_t top;  // numbers in use
    size_t peak; // largest `top` so far
} trmi_scratch;

// What an array of `count` numbers takes of the stack.
static inline size_t trmi_scratch_size(int count)
{
    return ((size_t)count + TRMI_SCRATCH_ALIGNMENT - 1) / TRMI_SCRATCH_ALIGNMENT *
           TRMI_SCRATCH_ALIGNMENT;
}

// False when there is no memory.
static inline bool trmi_scratch_create(trmi_scratch *s, trmi_memory *memory, size_t size)
{
    *s = (trmi_scratch){.size = size};
    return TRMI_TAKE(memory, s->base, size);
}

// count numbers; the size given at creation must suffice for all arrays that are in use at once.
static inline double *trmi_scratch_take(trmi_scratch *s, int count)
{
    double *taken = s->base + s->top;
    s->top += trmi_scratch_size(count);
    s->peak = s->top > s->peak ? s->top : s->peak;
    assert(s->top <= s->size);
    return taken;
}

// Releases the array `first` and all that were taken after it.
static inline void trmi_scratch_release(trmi_scratch *s, const double *first)
{
    s->top = (size_t)(first - s->base);
}

#endif
