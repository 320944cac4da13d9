// SPDX-License-Identifier: Apache-2.0
// The workers of a rank, and the messages between ranks.
#ifndef TRMI_PROGRAM_STUDY_RANK_H
#define TRMI_PROGRAM_STUDY_RANK_H

#include "program/study/worker.h"

// A rank reports every so many seconds, whatever its workers do; one that is silent for ten times
// as long is taken for dead. Should it be alive, what it sends later is there already.
static const double TRMI_RANK_REPORTS = 1, TRMI_RANK_SILENCE = 10;

// From a rank to the first one: this, then rows.
typedef struct trmi_rank_report {
    int free;  // how many more runs it can take; of a rank with a file of its own: it wants some
    int alive; // workers that are there, or one of:
} trmi_rank_report;
enum {
    TRMI_RANK_FAILED = -1, // followed by a trm_error: its file cannot be written
    TRMI_RANK_FINISHED = -2,
    TRMI_RANK_SILENT = -3, // it is not heard of any more
    TRMI_RANK_WRITTEN = -4 // its table has all rows that it will have
};

// A row in a report, then its line.
typedef struct trmi_rank_row {
    int64_t run;
    int code, length; // 0: the rank has the line; or one of:
} trmi_rank_row;
enum {
    TRMI_RANK_LOST = -1,    // the run took a worker with it, code is the signal
    TRMI_RANK_RETURNED = -2 // there is no worker for the run, which was not started
};

// Runs of a rank: a count, then numbers; or one of the counts that end it. A rank with a file of
// its own completes its table at the first, and waits for one of the others: an HDF5 file takes
// space that tables of other ranks may need, so all tables are complete before the first is
// started.
enum { TRMI_ORDER_END = -1, TRMI_ORDER_SAVE = -2, TRMI_ORDER_LEAVE = -3 };
enum { TRMI_MAX_ORDER = 4096 };
typedef struct trmi_rank_order {
    int64_t count, run[TRMI_MAX_ORDER];
} trmi_rank_order;

// Gives a run to the worker that has least; false: there is none that can take one.
bool trmi_rank_give(trmi_worker *worker, int workers, int64_t run);
trmi_rank_report trmi_rank_measure(const trmi_worker *worker, int workers);
// What a row is in a message.
trmi_rank_row trmi_rank_head(const trmi_study_row *row, trmi_worker_event event);
// What the workers have done, row by row: a row, or a run that is lost or returned.
void trmi_rank_collect(trmi_worker *worker, int workers,
                       void (*take)(const trmi_study_row *row, trmi_worker_event event, void *user),
                       void *user);
// Waits for a worker, at most a moment.
void trmi_rank_wait(const trmi_worker *worker, int workers);

#endif
