// SPDX-License-Identifier: Apache-2.0
// trammel_openmpi.so, trammel_mpich.so: messages by MPI, the same text for both.
#include "program/study/transport.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A message under way; MPI borrows its bytes until it is done.
typedef struct sending {
    MPI_Request request;
    struct sending *next;
    char bytes[];
} sending;

typedef struct state {
    sending *under_way;
} state;

// frees messages that are done
static void release_done(trmi_transport *t, bool all)
{
    for (sending **link = &((state *)t->state)->under_way; *link;) {
        sending *s = *link;
        int done = 0;
        if (MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            done = 1; // whoever should have it is gone
        if (done || all) {
            *link = s->next;
            free(s);
        } else {
            link = &s->next;
        }
    }
}

static bool send_bytes(trmi_transport *t, int to, const void *bytes, size_t size)
{
    release_done(t, false);
    sending *s = malloc(sizeof *s + size);
    if (!s)
        return false;
    memcpy(s->bytes, bytes, size);
    if (MPI_Isend(s->bytes, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &s->request) !=
        MPI_SUCCESS) {
        free(s);
        return false;
    }
    state *all = t->state;
    s->next = all->under_way;
    all->under_way = s;
    return true;
}

static size_t receive_bytes(trmi_transport *t, int *from, void *bytes, size_t size)
{
    int there = 0, length = 0;
    MPI_Status status;
    release_done(t, false);
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
        return 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    if ((size_t)length > size)
        return (size_t)length;
    if (MPI_Recv(bytes, length, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return 0;
    *from = status.MPI_SOURCE;
    return (size_t)length;
}

static void end_mpi(trmi_transport *t)
{
    release_done(t, false);
    if (t->lost) // which would wait for the process that is gone
        MPI_Abort(MPI_COMM_WORLD, 0);
    MPI_Finalize();
    release_done(t, true);
    free(t->state);
}

bool trmi_transport_begin(trmi_transport *out);
bool trmi_transport_begin(trmi_transport *out)
{
    *out = (trmi_transport){.send = send_bytes,
                            .receive = receive_bytes,
                            .end = end_mpi,
                            .state = calloc(1, sizeof(state))};
    if (!out->state || MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->size);
    return true;
}
