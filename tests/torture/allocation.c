// SPDX-License-Identifier: Apache-2.0
// A layer below a program, loaded before it (LD_PRELOAD): lets one allocation fail.
//     ALLOCATION_FAIL=n   the n-th allocation of the program fails; with ALLOCATION_ALL=1 all from
//     there on ALLOCATION_LIST=f   a line for each allocation is written to the file f: a number
//     that is the same for
//                         those with the same chain of callers, of which ALLOCATION_DEPTH=n count
//     ALLOCATION_STOP=1   stops there in a debugger (SIGTRAP)
//     ALLOCATION_OF=all   those of its libraries count too
// Only calls from the program itself count otherwise: what libhdf5 does without memory is not ours.
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static uintptr_t low, high; // code of the program
static long count, failing;
static int ready, everything, and_later, inside, depth_wanted = 24;
static FILE *list;

// the first object is the program
static int find_program(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    low = UINTPTR_MAX;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[k];
        if (part->p_type != PT_LOAD)
            continue;
        uintptr_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
        low = begin < low ? begin : low;
        high = end > high ? end : high;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *fail = getenv("ALLOCATION_FAIL"), *of = getenv("ALLOCATION_OF");
    const char *all = getenv("ALLOCATION_ALL");
    dl_iterate_phdr(find_program, NULL);
    failing = fail ? atol(fail) : 0;
    everything = of && strcmp(of, "all") == 0;
    and_later = all && *all == '1';
    const char *depth = getenv("ALLOCATION_DEPTH");
    depth_wanted = depth && atoi(depth) > 0 && atoi(depth) < 60 ? atoi(depth) : depth_wanted;
    const char *path = getenv("ALLOCATION_LIST");
    list = path ? fopen(path, "w") : NULL;
    void *unused[1];
    backtrace(unused, 1); // allocates when it is first called
    ready = 1;
}

__attribute__((destructor)) static void end(void)
{
    if (list)
        fclose(list);
}

// the chain of callers as one number
static void note_callers(void)
{
    void *caller[64];
    uint64_t sum = 1469598103934665603u;
    int depth = backtrace(caller, depth_wanted + 2);
    for (int k = 2; k < depth; k++) // not this file
        sum = (sum ^ ((uintptr_t)caller[k] - low)) * 1099511628211u;
    fprintf(list, "%llx\n", (unsigned long long)sum);
}

static int fails(const void *caller)
{
    uintptr_t from = (uintptr_t)caller;
    if (!ready || inside || !(everything || (from >= low && from < high)))
        return 0;
    long now = ++count;
    if (list) {
        inside = 1;
        note_callers();
        inside = 0;
    }
    if (now != failing && !(and_later && failing > 0 && now > failing))
        return 0;
    if (now == failing && getenv("ALLOCATION_STOP"))
        raise(SIGTRAP);
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}
