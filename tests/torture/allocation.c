// SPDX-License-Identifier: Apache-2.0
// A layer below a program, loaded before it (LD_PRELOAD): lets one allocation fail.
//     ALLOCATION_FAIL=n   the n-th allocation of the program fails; with ALLOCATION_ALL=1 all from
//                         there on
//     ALLOCATION_LIST=f   a line for each allocation is written to the file f: its n, and a number
//                         that is the same for those with the same chain of callers, of which
//                         ALLOCATION_DEPTH=n count
//     ALLOCATION_SHOW=1   prints the callers there, for addr2line
//     ALLOCATION_OF=all   those of its libraries count too
// Functions of the C library that allocate (strdup, realpath, getline, fopen, ...) count as well.
// Only calls from the program itself count otherwise: what libhdf5 does without memory is not ours.
// A process that the program forks goes on counting from where it was forked; other programs that
// it starts are not tried.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static uintptr_t low, high; // code of the program
static long count, failing;
static int ready, everything, and_later, list = -1, depth_wanted = 24;
static _Thread_local int inside;

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
    list = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666) : -1;
    unsetenv("LD_PRELOAD");
    void *unused[1];
    backtrace(unused, 1); // allocates when it is first called
    ready = 1;
}

// the chain of callers as one number
static void note_callers(long n)
{
    char line[60];
    void *caller[64];
    uint64_t sum = 1469598103934665603u;
    int depth = backtrace(caller, depth_wanted + 2);
    for (int k = 2; k < depth; k++) // not this file
        sum = (sum ^ ((uintptr_t)caller[k] - low)) * 1099511628211u;
    int length = snprintf(line, sizeof line, "%ld %llx\n", n, (unsigned long long)sum);
    if (write(list, line, (size_t)length) != length)
        abort();
}

static int fails(const void *caller)
{
    uintptr_t from = (uintptr_t)caller;
    if (!ready || inside || !(everything || (from >= low && from < high)))
        return 0;
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (list >= 0) {
        inside = 1;
        note_callers(now);
        inside = 0;
    }
    if (now != failing && !(and_later && failing > 0 && now > failing))
        return 0;
    if (now == failing && getenv("ALLOCATION_SHOW")) {
        void *callers[64];
        inside = 1;
        backtrace_symbols_fd(callers, backtrace(callers, 64), 2);
        inside = 0;
    }
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

// ---- functions that allocate ----

// the function behind this one, of the C library
#define NEXT(result, name, ...)                                                                    \
    static result (*next)(__VA_ARGS__);                                                            \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, name)

char *strdup(const char *text)
{
    NEXT(char *, "strdup", const char *);
    return fails(__builtin_return_address(0)) ? NULL : next(text);
}

char *realpath(const char *path, char *found)
{
    NEXT(char *, "realpath", const char *, char *);
    return !found && fails(__builtin_return_address(0)) ? NULL : next(path, found);
}

ssize_t getline(char **line, size_t *capacity, FILE *file)
{
    NEXT(ssize_t, "getline", char **, size_t *, FILE *);
    return fails(__builtin_return_address(0)) ? -1 : next(line, capacity, file);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(FILE *, "fopen", const char *, const char *);
    return fails(__builtin_return_address(0)) ? NULL : next(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
    NEXT(FILE *, "fdopen", int, const char *);
    return fails(__builtin_return_address(0)) ? NULL : next(fd, mode);
}

FILE *open_memstream(char **text, size_t *size)
{
    NEXT(FILE *, "open_memstream", char **, size_t *);
    return fails(__builtin_return_address(0)) ? NULL : next(text, size);
}
