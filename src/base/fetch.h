// SPDX-License-Identifier: Apache-2.0
// Memory that is asked for before it is needed. A sweep over an array that does not stay in the
// caches is as fast as memory delivers only while some kilobytes are on their way at any time. By
// itself the processor does not get there in descending order, nor between much arithmetic.
#ifndef TRMI_BASE_FETCH_H
#define TRMI_BASE_FETCH_H

#include <stddef.h>
#include <stdint.h>

enum { TRMI_CACHE_LINE = 64 };

// The line `ahead` bytes from here, which may be nowhere.
static inline void trmi_fetch_line(const void *here, ptrdiff_t ahead)
{
#ifdef __GNUC__ // and clang
    __builtin_prefetch((const void *)((uintptr_t)here + (uintptr_t)ahead));
#else
    (void)here;
    (void)ahead;
#endif
}

// The lines of the cache that begin in the `bytes` bytes `ahead` of here, which may be nowhere:
// pieces that follow each other ask for every line once.
static inline void trmi_fetch(const void *here, ptrdiff_t ahead, size_t bytes)
{
    const uintptr_t first = (uintptr_t)here + (uintptr_t)ahead, end = first + bytes;
    for (uintptr_t line = (first + TRMI_CACHE_LINE - 1) & -(uintptr_t)TRMI_CACHE_LINE; line < end;
         line += TRMI_CACHE_LINE)
        trmi_fetch_line((const void *)line, 0);
}

#endif
