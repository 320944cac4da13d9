// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/rank.h"

#include <poll.h>

// Milliseconds between probes for messages of MPI, which has nothing one could wait for without
// using a processor; workers have their next run already.
enum { POLL_MILLISECONDS = 1 };

bool trmi_rank_give(trmi_worker *worker, int workers, int64_t run)
{
    trmi_worker *least = NULL;
    for (int k = 0; k < workers; k++)
        if (worker[k].socket >= 0 && worker[k].given < TRMI_WORKER_QUEUE &&
            (!least || worker[k].given < least->given))
            least = &worker[k];
    return least && trmi_worker_give(least, run);
}

trmi_rank_report trmi_rank_measure(const trmi_worker *worker, int workers)
{
    trmi_rank_report report = {0};
    for (int k = 0; k < workers; k++)
        if (worker[k].socket >= 0) {
            report.alive++;
            report.free += TRMI_WORKER_QUEUE - worker[k].given;
        }
    return report;
}

trmi_rank_row trmi_rank_head(const trmi_study_row *row, trmi_worker_event event)
{
    return (trmi_rank_row){row->run, row->code,
                           event == TRMI_WORKER_LOST       ? TRMI_RANK_LOST
                           : event == TRMI_WORKER_RETURNED ? TRMI_RANK_RETURNED
                                                           : (int)row->line.length};
}

void trmi_rank_collect(trmi_worker *worker, int workers,
                       void (*take)(const trmi_study_row *row, trmi_worker_event event, void *user),
                       void *user)
{
    trmi_study_row row = {0};
    for (int k = 0; k < workers; k++)
        for (trmi_worker_event event;
             worker[k].socket >= 0 &&
             (event = trmi_worker_take(&worker[k], &row)) != TRMI_WORKER_NOTHING;) {
            if (event == TRMI_WORKER_GONE) {
                trmi_worker_end(&worker[k]);
                break;
            }
            take(&row, event, user);
        }
    trmi_text_free(&row.line);
}

void trmi_rank_wait(const trmi_worker *worker, int workers)
{
    struct pollfd file[64];
    int count = 0;
    for (int k = 0; k < workers && count < 64; k++)
        if (worker[k].socket >= 0)
            file[count++] = (struct pollfd){.fd = worker[k].socket, .events = POLLIN};
    poll(file, (nfds_t)count, POLL_MILLISECONDS);
}
