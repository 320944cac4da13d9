// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // madvise
#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { ALIGNMENT = 64, SMALL_BLOCK = 4096, PAGE = 4096, HUGE_PAGE = 2 << 20 };

// at the beginning of each block as the allocator returned it
typedef struct block_head {
    struct block_head *previous;
} block_head;

// Large blocks lie on huge pages where the system has them: a step sweeps through all of its
// memory, and page tables for small pages would compete with it for the caches. Nothing is rounded
// up, so no memory is lost; whether it works does not matter.
static void advise_huge_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    uintptr_t end = ((uintptr_t)block + size) / PAGE * PAGE;
    if (size >= HUGE_PAGE)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}

static void *allocate_with_malloc(size_t size, void *user)
{
    (void)user;
    void *block = malloc(size);
    if (block)
        advise_huge_pages(block, size);
    return block;
}

static void release_with_free(void *block, void *user)
{
    (void)user;
    free(block);
}

void trmi_memory_init(trmi_memory *memory, const trm_allocator *allocator)
{
    *memory = (trmi_memory){.allocator = {allocate_with_malloc, release_with_free, NULL}};
    if (allocator && allocator->allocate && allocator->release)
        memory->allocator = *allocator;
}

void *trmi_memory_take(trmi_memory *memory, size_t count, size_t size)
{
    bool possible = size == 0 || count <= (SIZE_MAX - 2 * ALIGNMENT) / size;
    size_t bytes = possible ? count * size : 0;
    size_t whole = sizeof(block_head) + ALIGNMENT + bytes;
    block_head *head = possible ? memory->allocator.allocate(whole, memory->allocator.user) : NULL;
    if (!head) {
        memory->failed = true;
        return NULL;
    }
    head->previous = memory->last_block;
    memory->last_block = head;
    memory->total += whole;
    uintptr_t start = ((uintptr_t)(head + 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return memset((void *)start, 0, bytes);
}

// numbers that a vector takes, so that the next one is aligned
static size_t padded(size_t length)
{
    const size_t line = ALIGNMENT / sizeof(double);
    return (length + line - 1) / line * line;
}

bool trmi_memory_take_vectors(trmi_memory *memory, const trmi_vector *vector, int count)
{
    const size_t maximum = SIZE_MAX / sizeof(double) / 2;
    size_t whole = 0;
    for (int i = 0; i < count; i++) {
        if (vector[i].length > maximum || padded(vector[i].length) > maximum - whole)
            return false;
        whole += padded(vector[i].length);
    }
    double *next = trmi_memory_take(memory, whole, sizeof *next);
    for (int i = 0; i < count && next; next += padded(vector[i++].length))
        *vector[i].start = next;
    return next != NULL;
}

void *trmi_memory_share(trmi_memory *memory, size_t count, size_t size, size_t alignment)
{
    if (size > 0 && count > SMALL_BLOCK / 4 / size)
        return trmi_memory_take(memory, count, size);
    size_t bytes = count * size + (count * size == 0), skip = -(uintptr_t)memory->small % alignment;
    if (!memory->small || skip + bytes > memory->small_left) {
        char *block = trmi_memory_take(memory, SMALL_BLOCK, 1);
        if (!block)
            return NULL;
        memory->small = block;
        memory->small_left = SMALL_BLOCK;
        skip = 0;
    }
    char *piece = memory->small + skip;
    memory->small += skip + bytes;
    memory->small_left -= skip + bytes;
    return piece;
}

void trmi_memory_release_all(trmi_memory *memory)
{
    for (block_head *head = memory->last_block; head;) {
        block_head *previous = head->previous;
        memory->allocator.release(head, memory->allocator.user);
        head = previous;
    }
    memory->last_block = NULL;
    memory->failed = false;
    memory->total = 0;
    memory->small = NULL;
    memory->small_left = 0;
}

void trmi_copy_or_zero(double *out, const double *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in ? in[i] : 0;
}

// the larger one; a NaN stays
static double larger(double maximum, double size)
{
    return size > maximum || isnan(size) ? size : maximum; // not fmax: a call per entry
}

double trmi_max_abs(const double *x, int n)
{
    double maximum[4] = {0}; // four at a time: none waits for the one before
    int i = 0;
    for (; i + 3 < n; i += 4)
        for (int k = 0; k < 4; k++)
            maximum[k] = larger(maximum[k], fabs(x[i + k]));
    for (; i < n; i++)
        maximum[0] = larger(maximum[0], fabs(x[i]));
    return larger(larger(maximum[0], maximum[1]), larger(maximum[2], maximum[3]));
}
