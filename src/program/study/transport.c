// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/transport.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The kinds of MPI that there are modules for, each behind a space: " openmpi mpich".
#ifndef TRM_MPI_MODULES
#define TRM_MPI_MODULES ""
#endif
// where they are installed, from the folder of the command; in the build tree they are beside it
#ifndef TRM_MPI_FOLDER
#define TRM_MPI_FOLDER "."
#endif

// A launcher by the variables that it sets: number of the process, their count, its number on the
// machine; and the module for it.
typedef struct launcher {
    const char *rank, *size, *local, *module, *name;
} launcher;

// Slurm's srun starts programs of either kind.
static const launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "openmpi",
     "Open MPI"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "mpich", "MPICH"},
    {"PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID", "openmpi", "Open MPI"}};

static const launcher *find_launcher(void)
{
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++)
        if (getenv(launchers[k].rank) && getenv(launchers[k].size))
            return &launchers[k];
    return NULL;
}

const char *trmi_transport_kinds(void)
{
    return &TRM_MPI_MODULES[TRM_MPI_MODULES[0] == ' '];
}

bool trmi_launched(int *rank, int *size, bool *first_here)
{
    const launcher *by = find_launcher();
    if (!by)
        return false;
    const char *here = getenv(by->local);
    *rank = atoi(getenv(by->rank));
    *size = atoi(getenv(by->size));
    *first_here = here ? atoi(here) == 0 : *rank == 0;
    return *size > 1;
}

// whether there is a module for that kind
static bool is_built(const char *kind)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", kind);
    return strstr(TRM_MPI_MODULES " ", word) != NULL;
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

// the module of a kind: installed, or in the build tree
static void *open_module(const char *kind)
{
    char name[400];
    snprintf(name, sizeof name, "%s/trammel_%s.so", TRM_MPI_FOLDER, kind);
    void *handle = open_beside(name);
    return handle ? handle : open_beside(strrchr(name, '/') + 1);
}

// Begins MPI. That of another launcher would not know of the other processes.
static bool begin(void *handle, const launcher *by, trmi_transport *out, char *why, size_t size)
{
    trmi_transport_begin_function *begin_module;
    void *symbol = dlsym(handle, TRMI_TRANSPORT_SYMBOL);
    memcpy(&begin_module, &symbol, sizeof begin_module); // C has no cast between data and functions
    if (!symbol || !begin_module(out)) {
        snprintf(why, size, "MPI could not be started");
        return false;
    }
    int count = atoi(getenv(by->size));
    if (out->size == count)
        return true;
    snprintf(why, size,
             "the launcher has started %d processes, of which MPI knows %d: it is the launcher of "
             "another MPI",
             count, out->size);
    out->end(out);
    out->end = NULL;
    return false;
}

bool trmi_transport_open(trmi_transport *out, char *why, size_t size)
{
    const launcher *by = find_launcher();
    const char *kind = by && is_built(by->module) ? by->module : "mpi";
    *out = (trmi_transport){0};
    if (!by || !TRM_MPI_MODULES[0]) {
        snprintf(why, size, "this trammel was built without MPI");
        return false;
    }
    if (!is_built(kind)) {
        snprintf(why, size, "the launcher is that of %s, and this trammel was built for %s only",
                 by->name, trmi_transport_kinds());
        return false;
    }
    void *handle = open_module(kind);
    if (handle)
        return begin(handle, by, out, why, size);
    const char *reason = dlerror();
    snprintf(why, size, "trammel_%s.so cannot be loaded: %s", kind, reason ? reason : "unknown");
    return false;
}
