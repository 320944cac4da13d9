// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "peer_run.h"

#include <stdio.h>
#include <time.h>

#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
#include <malloc.h>
#define HAVE_MALLINFO2 1
#endif

void peer_run_fail(peer_run *run, const char *note)
{
    run->failed = 1;
    snprintf(run->note, sizeof run->note, "%s", note);
}

double peer_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

size_t peer_heap_bytes(void)
{
#ifdef HAVE_MALLINFO2
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}
