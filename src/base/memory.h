// SPDX-License-Identifier: Apache-2.0
// All memory of a simulation: blocks taken at creation, released together, none in the step loop.
#ifndef TRMI_BASE_MEMORY_H
#define TRMI_BASE_MEMORY_H

#include "trammel/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct trmi_memory {
    trm_allocator allocator;
    void *last_block;  // head of a list through all blocks
    size_t total;      // bytes allocated
    char *small;       // free part of the present block for small pieces
    size_t small_left; // its bytes
    bool failed;       // some of it could not be had
} trmi_memory;

// Both functions of the allocator NULL: malloc and free.
void trmi_memory_init(trmi_memory *memory, const trm_allocator *allocator);

// Allocates count elements of the given size, zeroed, aligned to 64 bytes; NULL: no memory. count
// may be 0: then a valid pointer is returned.
void *trmi_memory_take(trmi_memory *memory, size_t count, size_t size);

// A vector to be allocated: *start is set to `length` numbers.
typedef struct trmi_vector {
    double **start;
    size_t length;
} trmi_vector;

// Allocates several vectors one after the other in one block, each zeroed and aligned to 64 bytes,
// so that vectors smaller than a huge page share one. False: no memory.
bool trmi_memory_take_vectors(trmi_memory *memory, const trmi_vector *vector, int count);

// Allocates a small piece, such as a name, in a block that such pieces share: zeroed, aligned to
// `alignment`, a power of two up to 64. NULL: no memory.
void *trmi_memory_share(trmi_memory *memory, size_t count, size_t size, size_t alignment);

// Frees everything that was allocated; the memory can be used again.
void trmi_memory_release_all(trmi_memory *memory);

// out = in, or zeros when in is NULL
void trmi_copy_or_zero(double *out, const double *in, int n);

// the largest |x_i|, NaN when one of them is
double trmi_max_abs(const double *x, int n);

// TRMI_TAKE(memory, pointer, count): sets pointer, true when that worked
#define TRMI_TAKE(memory, pointer, count)                                                          \
    (((pointer) = trmi_memory_take((memory), (size_t)(count), sizeof *(pointer))) != NULL)

// TRMI_SHARE(memory, pointer, count): likewise a small piece
#define TRMI_SHARE(memory, pointer, count)                                                         \
    (((pointer) = trmi_memory_share((memory), (size_t)(count), sizeof *(pointer),                  \
                                    _Alignof(max_align_t))) != NULL)

#endif
