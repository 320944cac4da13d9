// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/fleet.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 3 };

// a row becomes part of a message
static void add_to_message(const trmi_study_row *row, trmi_worker_event event, void *user)
{
    trmi_text *out = user;
    const trmi_rank_row head = trmi_rank_head(row, event);
    trmi_text_add_bytes(out, &head, sizeof head);
    if (event == TRMI_WORKER_ROW)
        trmi_text_add_bytes(out, row->line.data, row->line.length);
}

// ---- other ranks ----

void trmi_fleet_follow(const trmi_stop *stop, trmi_transport *t, trmi_worker *worker, int workers)
{
    static const trmi_rank_order none;
    trmi_rank_order *o = malloc(sizeof *o);
    trmi_text out = {0};
    trmi_rank_report before = {-1, -1};
    double reported = 0;
    for (bool going = o != NULL; going && !*stop;) {
        int from = 0;
        *o = none;
        if (t->receive(t, &from, o, sizeof *o) > 0) {
            going = o->count >= 0;
            for (int64_t k = 0; k < o->count; k++)
                if (!trmi_rank_give(worker, workers, o->run[k])) { // it is gone meanwhile
                    trmi_rank_row head = {o->run[k], 0, TRMI_RANK_RETURNED};
                    trmi_text_add_bytes(&out, &head, sizeof head);
                }
            before.free -= (int)o->count; // what rank 0 knows
            continue;
        }
        trmi_rank_collect(worker, workers, add_to_message, &out);
        trmi_rank_report now = trmi_rank_measure(worker, workers);
        double clock = trmi_clock_seconds();
        if (out.length > 0 || now.free != before.free || now.alive != before.alive ||
            clock - reported >= TRMI_RANK_REPORTS) {
            reported = clock;
            trmi_text message = {0};
            trmi_text_add_bytes(&message, &now, sizeof now);
            trmi_text_add_bytes(&message, out.data, out.length);
            if (message.failed || !t->send(t, 0, message.data, message.length))
                going = false;
            trmi_text_free(&message);
            trmi_text_clear(&out);
            before = now;
        }
        trmi_rank_wait(worker, workers);
    }
    free(o);
    trmi_text_free(&out);
}

// ---- rank 0 ----

// A run that was lost or returned.
typedef struct lost_run {
    int64_t run;
    int tries;
    bool waiting; // for a worker
} lost_run;

typedef struct lead {
    const trmi_crew_request *request;
    trmi_transport *transport;
    trmi_worker *worker;
    int64_t next;
    lost_run *lost;
    int losts, waiting;     // how many there are, and how many of them wait
    trmi_rank_report *rank; // of each
    double *heard;          // when each has reported
    int *holder;            // of each run: the rank that has it
    trmi_rank_order order;
    char *buffer; // of messages, as large as the largest so far
    size_t capacity;
    trm_error error;
} lead;

// the next run to hand out; -1: none
static int64_t take_run(lead *l)
{
    const trmi_crew_request *r = l->request;
    for (int k = 0; l->waiting > 0 && k < l->losts; k++)
        if (l->lost[k].waiting) {
            l->lost[k].waiting = false;
            l->waiting--;
            return l->lost[k].run;
        }
    while (l->next < r->plan->study->runs && trmi_study_table_has(r->table, l->next))
        l->next++;
    return l->next < r->plan->study->runs ? l->next++ : -1;
}

// Of several failures the first is the reason of the others.
static trm_error *first_error(lead *l, trm_error *later)
{
    *later = trmi_no_error();
    return l->error.status == TRM_OK ? &l->error : later;
}

static void add_row(lead *l, const trmi_study_row *row)
{
    if (!trmi_study_table_has(l->request->table, row->run) && l->error.status == TRM_OK)
        trmi_study_table_add(l->request->table, row, &l->error);
}

// A run that was handed out waits for another worker. Null: no memory.
static lost_run *take_back(lead *l, int64_t run)
{
    int k = 0;
    while (k < l->losts && l->lost[k].run != run)
        k++;
    if (k == l->losts) {
        lost_run *more = realloc(l->lost, (size_t)(k + 1) * sizeof *more);
        if (!more) {
            trmi_error_set(&l->error, TRM_ERR_MEMORY, "no memory for the study");
            return NULL;
        }
        l->lost = more;
        l->lost[l->losts++] = (lost_run){.run = run};
    }
    l->waiting += !l->lost[k].waiting;
    l->lost[k].waiting = true;
    return &l->lost[k];
}

// tries a run that took a worker with it again, or gives it up
static void lose_run(lead *l, int64_t run, int signal_number)
{
    lost_run *lost = take_back(l, run);
    if (!lost || ++lost->tries < TRIES)
        return;
    lost->waiting = false;
    l->waiting--;
    trmi_study_row row = {0};
    trmi_plan_give_up(l->request->plan, run, TRIES, signal_number, &row);
    add_row(l, &row);
    trmi_text_free(&row.line);
}

// what a rank has done: rows and losses, without the head
static void take_rows(lead *l, const char *bytes, size_t size)
{
    trmi_rank_row head;
    trmi_study_row row = {0};
    while (size >= sizeof head) {
        memcpy(&head, bytes, sizeof head);
        bytes += sizeof head;
        size -= sizeof head;
        if (head.length == TRMI_RANK_LOST || head.length == TRMI_RANK_RETURNED) {
            if (head.length == TRMI_RANK_LOST)
                lose_run(l, head.run, head.code);
            else
                take_back(l, head.run);
            continue;
        }
        if (head.length == 0 && head.run >= 0 && head.run < l->request->plan->study->runs) {
            trmi_study_table_note(l->request->table, head.run, head.code);
            continue;
        }
        if ((size_t)head.length > size || head.run < 0 || head.run >= l->request->plan->study->runs)
            break;
        row.run = head.run;
        row.code = head.code;
        trmi_text_clear(&row.line);
        trmi_text_add_bytes(&row.line, bytes, (size_t)head.length);
        add_row(l, &row);
        bytes += head.length;
        size -= (size_t)head.length;
    }
    trmi_text_free(&row.line);
}

// How many runs a rank gets at once. One with a file of its own gets a block: of what is left so
// much that none has to wait for the last one at the end.
static int64_t size_of_order(const lead *l, int k)
{
    if (!l->request->split || k == 0)
        return l->rank[k].free < TRMI_MAX_ORDER ? l->rank[k].free : TRMI_MAX_ORDER;
    int64_t left = l->request->plan->study->runs - l->next + l->waiting;
    int64_t block = left / (4 * (int64_t)l->transport->size) + 1;
    return l->rank[k].free <= 0 ? 0 : block < TRMI_MAX_ORDER ? block : TRMI_MAX_ORDER;
}

// every rank that can take runs gets some
static void hand_out(lead *l)
{
    for (int k = 0; k < l->transport->size; k++) {
        int64_t size = size_of_order(l, k), given = 0;
        l->order.count = 0;
        for (int64_t run; given < size && (run = take_run(l)) >= 0; given++) {
            l->holder[run] = k;
            if (k > 0)
                l->order.run[l->order.count++] = run;
            else if (!trmi_rank_give(l->worker, l->request->workers, run))
                take_back(l, run);
        }
        if (given > 0)
            l->rank[k].free -= l->request->split && k > 0 ? 1 : (int)given;
        if (l->order.count > 0)
            l->transport->send(l->transport, k, &l->order,
                               (size_t)(l->order.count + 1) * sizeof l->order.run[0]);
    }
}

static void take_error(lead *l, int from, const char *bytes, size_t size)
{
    trm_error later, theirs = trmi_no_error(), *error = first_error(l, &later);
    memcpy(&theirs, bytes, size < sizeof theirs ? size : sizeof theirs);
    *error = theirs;
    trmi_error_set(error, TRM_ERR_RESULT, "rank %d: %.240s", from, theirs.text);
}

// messages of the other ranks and of the workers here
static void take_messages(lead *l)
{
    int from = 0;
    size_t size;
    while ((size = l->transport->receive(l->transport, &from, l->buffer, l->capacity)) > 0) {
        if (size > l->capacity) { // it is still there
            char *more = realloc(l->buffer, size);
            if (!more) {
                trmi_error_set(&l->error, TRM_ERR_MEMORY, "no memory for the study");
                return;
            }
            l->buffer = more;
            l->capacity = size;
            continue;
        }
        if (size < sizeof l->rank[0]) {
            trmi_error_set(&l->error, TRM_ERR_RESULT, "rank %d has sent %zu bytes", from, size);
            return;
        }
        memcpy(&l->rank[from], l->buffer, sizeof l->rank[from]);
        l->heard[from] = trmi_clock_seconds();
        const char *rest = l->buffer + sizeof l->rank[from];
        size -= sizeof l->rank[from];
        if (l->rank[from].alive == TRMI_RANK_FAILED)
            take_error(l, from, rest, size);
        else
            take_rows(l, rest, size);
    }
    trmi_text rows = {0};
    trmi_rank_collect(l->worker, l->request->workers, add_to_message, &rows);
    take_rows(l, rows.data, rows.length);
    l->rank[0] = trmi_rank_measure(l->worker, l->request->workers);
    trmi_text_free(&rows);
}

// what a rank had that is not heard of any more goes to others
static void notice_silence(lead *l, double now)
{
    for (int k = 1; k < l->transport->size; k++) {
        if (l->rank[k].alive < 0 || now - l->heard[k] < TRMI_RANK_SILENCE)
            continue;
        l->rank[k] = (trmi_rank_report){.alive = TRMI_RANK_SILENT};
        l->transport->lost = true;
        for (int64_t run = 0; run < l->next; run++)
            if (l->holder[run] == k && !trmi_study_table_has(l->request->table, run))
                lose_run(l, run, 0);
    }
}

static bool is_over(lead *l)
{
    const trmi_crew_request *r = l->request;
    int alive = 0;
    for (int k = 0; k < l->transport->size; k++)
        alive += l->rank[k].alive > 0 ? l->rank[k].alive : 0;
    bool over = (r->stop && *r->stop) || r->table->done >= r->plan->study->runs;
    if (alive == 0 && !over && l->error.status == TRM_OK) {
        trmi_error_set(&l->error, TRM_ERR_RESULT,
                       "all workers were killed, with the processes that start others in their "
                       "place");
        trmi_error_advise(&l->error, "the same command goes on with the runs that are left; for "
                                     "want of memory give fewer ranks or workers (-j)");
    }
    return over || l->error.status != TRM_OK;
}

static void lead_all(lead *l)
{
    const trmi_crew_request *r = l->request;
    double flushed = trmi_clock_seconds();
    trmi_crew_clock clock = {.saved = flushed};
    for (int k = 0; k < l->transport->size; k++) {
        l->rank[k].alive = 1; // until they report
        l->heard[k] = flushed;
    }
    while (!is_over(l)) {
        take_messages(l);
        hand_out(l);
        double now = trmi_clock_seconds();
        notice_silence(l, now);
        if (now - flushed >= TRMI_FLUSH_AFTER && l->error.status == TRM_OK) {
            flushed = now;
            if (trmi_study_table_flush(r->table, &l->error) == TRM_OK)
                trmi_crew_save(r, &clock);
        }
        const trmi_study_progress p = {r->plan->study->runs, r->table->done, r->table->failed,
                                       r->table->found};
        if (r->progress)
            r->progress(&p, r->user);
        trmi_rank_wait(l->worker, r->workers);
    }
}

static void end_others(trmi_transport *transport, int64_t how)
{
    for (int k = 1; k < transport->size; k++)
        transport->send(transport, k, &how, sizeof how);
}

// Ranks with files of their own have come so far: their last rows are there, or they have finished.
static void wait_for_files(lead *l, int state)
{
    bool all = false;
    while (!all && l->request->split && l->error.status != TRM_ERR_MEMORY) {
        take_messages(l);
        all = true;
        for (int k = 1; k < l->transport->size; k++)
            all = all && (l->rank[k].alive == state || l->rank[k].alive == TRMI_RANK_SILENT);
        trmi_rank_wait(NULL, 0);
    }
}

// All rows go to the tables, and only then, where all went well, the HDF5 files are written.
static void end_all(lead *l)
{
    trm_error later;
    trmi_study_table_flush(l->request->table, first_error(l, &later));
    end_others(l->transport, TRMI_ORDER_END);
    wait_for_files(l, TRMI_RANK_WRITTEN);
    end_others(l->transport, l->error.status == TRM_OK ? TRMI_ORDER_SAVE : TRMI_ORDER_LEAVE);
    wait_for_files(l, TRMI_RANK_FINISHED);
}

trm_status trmi_fleet_lead(const trmi_crew_request *request, trmi_transport *transport,
                           trmi_worker *worker, trm_error *error)
{
    lead *l = calloc(1, sizeof *l);
    trmi_rank_report *rank = calloc((size_t)transport->size, sizeof *rank);
    double *heard = calloc((size_t)transport->size, sizeof *heard);
    int *holder = calloc((size_t)request->plan->study->runs, sizeof *holder);
    trm_status status = TRM_ERR_MEMORY;
    if (l && rank && heard && holder) {
        *l = (lead){.request = request,
                    .transport = transport,
                    .worker = worker,
                    .rank = rank,
                    .heard = heard,
                    .holder = holder,
                    .error = trmi_no_error()};
        lead_all(l);
        end_all(l);
        status = l->error.status;
        if (status != TRM_OK)
            *error = l->error;
        free(l->lost);
        free(l->buffer);
    } else {
        trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
        end_others(transport, TRMI_ORDER_END);
        end_others(transport, TRMI_ORDER_LEAVE);
    }
    free(rank);
    free(heard);
    free(holder);
    free(l);
    return status;
}
