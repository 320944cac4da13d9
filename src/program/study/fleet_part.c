// SPDX-License-Identifier: Apache-2.0
// A rank that writes the rows of its workers to a file of its own. It asks for another block of
// runs when its workers will soon have none, and reports once a second what its file has: the first
// rank has next to nothing to do for a row, and the network nothing to carry.
#include "program/study/fleet.h"
#include "program/study/study_parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

// What is reported of a run; of a row as soon as its line, which ends there, is in the file.
typedef struct done_run {
    trmi_rank_row head;
    off_t end;
} done_run;

typedef struct writing {
    const trmi_fleet_part *request;
    trmi_transport *transport;
    trmi_worker *worker;
    int workers;
    trmi_part part;
    int64_t *run; // that no worker has yet: from next to count
    int count, capacity, next;
    bool asked;      // for more
    bool urgent;     // a run is lost or returned
    trmi_text done;  // done_run: what is not reported
    double reported; // clock
    trm_error error;
} writing;

// runs that came; those before them that are done make space
static void take_order(writing *w, const trmi_rank_order *o)
{
    int left = w->count - w->next;
    if (left > 0)
        memmove(w->run, w->run + w->next, (size_t)left * sizeof *w->run);
    int64_t *more = trmi_grow(w->run, &w->capacity, left + (int)o->count, sizeof *w->run);
    if (!more) {
        trmi_error_set(&w->error, TRM_ERR_MEMORY, "no memory for the study");
        return;
    }
    w->run = more;
    memcpy(w->run + left, o->run, (size_t)o->count * sizeof *w->run);
    w->next = 0;
    w->count = left + (int)o->count;
    w->asked = false;
    if (!w->part.path) // only now: the first rank has read it
        trmi_part_open(&w->part, w->request->plan, w->request->table, w->transport->rank,
                       &w->error);
}

static void take_row(const trmi_study_row *row, trmi_worker_event event, void *user)
{
    writing *w = user;
    done_run done = {.head = trmi_rank_head(row, event)};
    if (event == TRMI_WORKER_ROW) {
        if (w->error.status != TRM_OK)
            return; // nothing more comes into the file
        trmi_part_add(&w->part, row, &w->error);
        done.head.length = 0; // the line stays here
        done.end = w->part.last;
    } else {
        w->urgent = true;
    }
    trmi_text_add_bytes(&w->done, &done, sizeof done);
}

// Without workers the runs that are left of the block are for other ranks.
static void return_rest(writing *w)
{
    if (trmi_rank_measure(w->worker, w->workers).alive > 0)
        return;
    for (; w->next < w->count; w->next++)
        take_row(&(trmi_study_row){.run = w->run[w->next]}, TRMI_WORKER_RETURNED, w);
}

static void send_error(writing *w)
{
    trmi_text message = {0};
    const trmi_rank_report report = {.alive = TRMI_RANK_FAILED};
    trmi_text_add_bytes(&message, &report, sizeof report);
    trmi_text_add_bytes(&message, &w->error, sizeof w->error);
    if (!message.failed)
        w->transport->send(w->transport, 0, message.data, message.length);
    trmi_text_free(&message);
}

// A report with the rows that are in the file; after a failure the others never come there.
static void send(writing *w, trmi_rank_report report)
{
    trmi_text message = {0};
    done_run done;
    trmi_text_add_bytes(&message, &report, sizeof report);
    for (size_t k = 0; k + sizeof done <= w->done.length; k += sizeof done) {
        memcpy(&done, w->done.data + k, sizeof done);
        if (done.end <= w->part.file.end)
            trmi_text_add_bytes(&message, &done.head, sizeof done.head);
    }
    if (!message.failed)
        w->transport->send(w->transport, 0, message.data, message.length);
    trmi_text_free(&message);
    trmi_text_clear(&w->done);
    w->reported = trmi_clock_seconds();
    w->urgent = false;
}

// What the file has is reported, and that more runs are wanted.
static void report(writing *w)
{
    trmi_rank_report now = trmi_rank_measure(w->worker, w->workers);
    int left = w->count - w->next, soon = TRMI_WORKER_QUEUE * now.alive;
    bool wants = left < soon, idle = left == 0 && now.free == soon && w->done.length > 0;
    if ((!wants || w->asked) && !idle && !w->urgent &&
        trmi_clock_seconds() - w->reported < TRMI_RANK_REPORTS)
        return;
    if (w->done.length > 0 && trmi_part_flush(&w->part, &w->error) != TRM_OK)
        return; // the end reports it
    w->asked = wants;
    now.free = wants;
    send(w, now);
}

static void write_all(writing *w, trmi_rank_order *o)
{
    while (w->error.status == TRM_OK && !*w->request->stop) {
        int from = 0;
        o->count = 0;
        if (w->transport->receive(w->transport, &from, o, sizeof *o) > 0) {
            if (o->count < 0)
                return;
            take_order(w, o);
            continue;
        }
        while (w->next < w->count && trmi_rank_give(w->worker, w->workers, w->run[w->next]))
            w->next++;
        trmi_rank_collect(w->worker, w->workers, take_row, w);
        return_rest(w);
        if (w->error.status == TRM_OK)
            report(w);
        trmi_rank_wait(w->worker, w->workers);
    }
}

// The table gets what it can hold, and the first rank hears of it.
static void complete_table(writing *w)
{
    trm_error later = trmi_no_error();
    trm_error *error = w->error.status == TRM_OK ? &w->error : &later;
    trmi_part_flush(&w->part, error);
    send(w, (trmi_rank_report){.alive = trmi_rank_measure(w->worker, w->workers).alive});
    trmi_part_close(&w->part, w->error.status == TRM_OK ? &w->error : &later);
    if (w->error.status != TRM_OK)
        send_error(w);
    send(w, (trmi_rank_report){.alive = TRMI_RANK_WRITTEN});
}

// Until the first rank knows of all tables; true: the HDF5 file shall be written.
static bool wait_for_others(writing *w, trmi_rank_order *o)
{
    for (int from = 0;;) {
        o->count = 0;
        if (w->transport->receive(w->transport, &from, o, sizeof *o) == 0)
            trmi_rank_wait(NULL, 0);
        else if (o->count == TRMI_ORDER_SAVE || o->count == TRMI_ORDER_LEAVE)
            return o->count == TRMI_ORDER_SAVE;
    }
}

void trmi_fleet_write(const trmi_fleet_part *part, trmi_transport *transport, trmi_worker *worker,
                      int workers)
{
    writing w = {.request = part,
                 .transport = transport,
                 .worker = worker,
                 .workers = workers,
                 .part = {.claim = {.fd = -1}},
                 .error = trmi_no_error()};
    trmi_rank_order *o = malloc(sizeof *o);
    if (o)
        write_all(&w, o);
    else
        trmi_error_set(&w.error, TRM_ERR_MEMORY, "no memory for the study");
    complete_table(&w);
    if (o && wait_for_others(&w, o) && part->hdf5 &&
        trmi_part_save(part->plan, part->table, transport->rank, &w.error) != TRM_OK)
        send_error(&w);
    send(&w, (trmi_rank_report){.alive = TRMI_RANK_FINISHED});
    trmi_text_free(&w.done);
    free(w.run);
    free(o);
}
