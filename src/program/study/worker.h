// SPDX-License-Identifier: Apache-2.0
// A worker of a study that is a process of its own. A keeper between it and us starts another one
// when it is killed or crashes: then the run that it was at is lost, and nothing else. Processes
// are forked from the keeper, which has the study and its model in memory and nothing of MPI.
#ifndef TRMI_PROGRAM_STUDY_WORKER_H
#define TRMI_PROGRAM_STUDY_WORKER_H

#include "program/study/plan.h"

enum { TRMI_WORKER_QUEUE = 2 }; // the run that it is at, and the next one

typedef struct trmi_worker {
    int socket;                     // -1: there is none
    int given;                      // runs that it has,
    int64_t run[TRMI_WORKER_QUEUE]; // the first one is being simulated
} trmi_worker;

typedef enum trmi_worker_event {
    TRMI_WORKER_NOTHING,
    TRMI_WORKER_ROW,
    TRMI_WORKER_LOST,     // the run of the row; its code is the number of the signal
    TRMI_WORKER_RETURNED, // the run of the row, which it has not started
    TRMI_WORKER_GONE      // it and its keeper; what it had was returned or is lost
} trmi_worker_event;

// Starts keeper and worker; false: errno.
bool trmi_worker_start(trmi_worker *worker, const trmi_plan *plan);
// Gives it a run, for which there must be space; false: it is gone.
bool trmi_worker_give(trmi_worker *worker, int64_t run);
// What has happened, without waiting. row->line has memory of its own.
trmi_worker_event trmi_worker_take(trmi_worker *worker, trmi_study_row *row);
// Ends it at once; the run it is at is lost.
void trmi_worker_end(trmi_worker *worker);

#endif
