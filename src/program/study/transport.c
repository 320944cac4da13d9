// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/transport.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// where the module is, from the folder of the command: installed, or in the build tree
#ifndef TRM_MPI_MODULE
#define TRM_MPI_MODULE ""
#endif

bool trmi_transport_built(void)
{
    return TRM_MPI_MODULE[0] != '\0';
}

bool trmi_launched(int *rank, int *size)
{
    // Open MPI, MPICH and others with its process manager, Slurm's srun with either
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"PMIX_RANK", "SLURM_NTASKS"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *number = getenv(names[k][0]), *count = getenv(names[k][1]);
        if (!number || !count)
            continue;
        *rank = atoi(number);
        *size = atoi(count);
        return *size > 1;
    }
    return false;
}

// the file `name` relative to the folder of the command; NULL: it cannot be loaded
static void *open_beside(const char *name)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= sizeof path)
        return NULL;
    strcpy(slash + 1, name);
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

bool trmi_transport_open(trmi_transport *out, char *why, size_t size)
{
    const char *last = strrchr(TRM_MPI_MODULE, '/');
    void *handle = trmi_transport_built() ? open_beside(TRM_MPI_MODULE) : NULL;
    if (!handle && last)
        handle = open_beside(last + 1);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(why, size, "%s",
                 !trmi_transport_built() ? "this trammel was built without MPI"
                 : reason                ? reason
                                         : "trammel_mpi.so is not there");
        return false;
    }
    trmi_transport_begin_function *begin;
    void *symbol = dlsym(handle, TRMI_TRANSPORT_SYMBOL);
    memcpy(&begin, &symbol, sizeof begin); // C has no cast between data and functions
    if (symbol && begin(out))
        return true;
    snprintf(why, size, "MPI could not be started");
    return false;
}
