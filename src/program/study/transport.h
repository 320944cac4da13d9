// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of a study that a launcher such as mpirun has started. The command
// itself knows nothing of MPI: trammel_mpi.so is loaded when there is a launcher.
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

// What trammel_mpi.so exports: begins MPI.
typedef bool trmi_transport_begin_function(trmi_transport *out);
#define TRMI_TRANSPORT_SYMBOL "trmi_transport_begin"

// Number and count of this process among those of the launcher, before MPI begins; false: there is
// no launcher, or it has started one process.
bool trmi_launched(int *rank, int *size);
// Loads trammel_mpi.so and begins. False after the reason in `why`.
bool trmi_transport_open(trmi_transport *out, char *why, size_t size);
// Whether the command was built with it.
bool trmi_transport_built(void);

#endif
