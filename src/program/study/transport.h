// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of a study that a launcher such as mpirun has started. The command
// itself knows nothing of MPI: a module for that of the launcher, trammel_openmpi.so or
// trammel_mpich.so, is loaded when there is one.
#ifndef TRMI_PROGRAM_STUDY_TRANSPORT_H
#define TRMI_PROGRAM_STUDY_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trmi_transport trmi_transport;
struct trmi_transport {
    int rank, size;
    bool lost;   // a process is gone: the others cannot end together with it
    void *state; // of the module
    // Sends a copy. False: the process cannot be reached.
    bool (*send)(trmi_transport *transport, int to, const void *bytes, size_t size);
    // The next message, without waiting: its size, which may be larger than that of the buffer:
    // then it is left where it is. 0: there is none.
    size_t (*receive)(trmi_transport *transport, int *from, void *bytes, size_t size);
    void (*end)(trmi_transport *transport);
};

// What a module exports: begins MPI.
typedef bool trmi_transport_begin_function(trmi_transport *out);
#define TRMI_TRANSPORT_SYMBOL "trmi_transport_begin"

// Number and count of this process among those of the launcher, before MPI begins, and whether it
// is the first one of its machine; false: there is no launcher, or it has started one process.
bool trmi_launched(int *rank, int *size, bool *first_here);
// Loads the module of the launcher and begins. False after the reason in `why`.
bool trmi_transport_open(trmi_transport *out, char *why, size_t size);
// The kinds of MPI that the command was built for, with spaces between them; "" for none.
const char *trmi_transport_kinds(void);

#endif
