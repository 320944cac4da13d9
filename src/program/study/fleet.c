// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/fleet.h"

#include "base/clock.h"
#include "base/error.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

// Milliseconds between probes for messages of MPI, which has nothing one could wait for without
// using a processor; workers have their next run already.
enum { POLL_MILLISECONDS = 1, TRIES = 3 };

// A rank reports every so many seconds, whatever its workers do; one that is silent for ten times
// as long is taken for dead. Should it be alive, what it sends later is there already.
static const double REPORT_EVERY = 1, SILENCE = 10;

// From a rank to the first one: how many more runs it can take, then rows.
typedef struct report_head {
    int free, alive; // alive: workers that are there
} report_head;

typedef struct row_head {
    int64_t run;
    int code, length; // length -1: the run is lost, code is the signal
} row_head;

// Runs of a rank: a count, then numbers; a count of -1 ends it.
enum { MAX_ORDER = 4096 };
typedef struct order {
    int64_t count, run[MAX_ORDER];
} order;

// ---- workers of a rank ----

// gives a run to the worker that has least; false: there is none
static bool give(trmi_worker *worker, int workers, int64_t run)
{
    trmi_worker *least = NULL;
    for (int k = 0; k < workers; k++)
        if (worker[k].socket >= 0 && worker[k].given < TRMI_WORKER_QUEUE &&
            (!least || worker[k].given < least->given))
            least = &worker[k];
    return least && trmi_worker_give(least, run);
}

static report_head measure(const trmi_worker *worker, int workers)
{
    report_head head = {0};
    for (int k = 0; k < workers; k++)
        if (worker[k].socket >= 0) {
            head.alive++;
            head.free += TRMI_WORKER_QUEUE - worker[k].given;
        }
    return head;
}

// collects what the workers have done; head, rows
static void collect(trmi_worker *worker, int workers, trmi_text *out)
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
            bool lost = event == TRMI_WORKER_LOST;
            row_head head = {row.run, row.code, lost ? -1 : (int)row.line.length};
            trmi_text_add_bytes(out, &head, sizeof head);
            if (!lost)
                trmi_text_add_bytes(out, row.line.data, row.line.length);
        }
    trmi_text_free(&row.line);
}

// waits for a worker, at most a moment
static void wait_for_workers(const trmi_worker *worker, int workers)
{
    struct pollfd file[64];
    int count = 0;
    for (int k = 0; k < workers && count < 64; k++)
        if (worker[k].socket >= 0)
            file[count++] = (struct pollfd){.fd = worker[k].socket, .events = POLLIN};
    poll(file, (nfds_t)count, POLL_MILLISECONDS);
}

// ---- other ranks ----

void trmi_fleet_follow(const volatile sig_atomic_t *stop, trmi_transport *t, trmi_worker *worker,
                       int workers)
{
    static const order none;
    order *o = malloc(sizeof *o);
    trmi_text out = {0};
    report_head before = {-1, -1};
    double reported = 0;
    for (bool going = o != NULL; going && !*stop;) {
        int from = 0;
        *o = none;
        if (t->receive(t, &from, o, sizeof *o) > 0) {
            going = o->count >= 0;
            for (int64_t k = 0; k < o->count; k++)
                if (!give(worker, workers, o->run[k])) { // it is gone meanwhile
                    row_head head = {o->run[k], 0, -1};
                    trmi_text_add_bytes(&out, &head, sizeof head);
                }
            before.free -= (int)o->count; // what rank 0 knows
            continue;
        }
        trmi_text rows = {0};
        collect(worker, workers, &rows);
        trmi_text_add_bytes(&out, rows.data, rows.length);
        trmi_text_free(&rows);
        report_head now = measure(worker, workers);
        double clock = trmi_clock_seconds();
        if (out.length > 0 || now.free != before.free || now.alive != before.alive ||
            clock - reported >= REPORT_EVERY) {
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
        wait_for_workers(worker, workers);
    }
    free(o);
    trmi_text_free(&out);
}

// ---- rank 0 ----

// A run that was lost.
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
    int losts;
    report_head *rank; // of each
    double *heard;     // when each has reported
    int *holder;       // of each run: the rank that has it
    order order;
    char *buffer; // of messages, as large as the largest so far
    size_t capacity;
    trm_error error;
} lead;

// the next run to hand out; -1: none
static int64_t take_run(lead *l)
{
    const trmi_crew_request *r = l->request;
    for (int k = 0; k < l->losts; k++)
        if (l->lost[k].waiting) {
            l->lost[k].waiting = false;
            return l->lost[k].run;
        }
    while (l->next < r->plan->study->runs && trmi_study_table_has(r->table, l->next))
        l->next++;
    return l->next < r->plan->study->runs ? l->next++ : -1;
}

static void add_row(lead *l, const trmi_study_row *row)
{
    if (!trmi_study_table_has(l->request->table, row->run) && l->error.status == TRM_OK)
        trmi_study_table_add(l->request->table, row, &l->error);
}

// tries a run again, or gives it up
static void lose_run(lead *l, int64_t run, int signal_number)
{
    int k = 0;
    while (k < l->losts && l->lost[k].run != run)
        k++;
    if (k == l->losts) {
        lost_run *more = realloc(l->lost, (size_t)(k + 1) * sizeof *more);
        if (!more) {
            trmi_error_set(&l->error, TRM_ERR_MEMORY, "no memory for the study");
            return;
        }
        l->lost = more;
        l->lost[l->losts++] = (lost_run){.run = run};
    }
    l->lost[k].waiting = ++l->lost[k].tries < TRIES;
    if (l->lost[k].waiting)
        return;
    trmi_study_row row = {0};
    trmi_plan_give_up(l->request->plan, run, TRIES, signal_number, &row);
    add_row(l, &row);
    trmi_text_free(&row.line);
}

// what a rank has done: rows and losses, without the head
static void take_rows(lead *l, const char *bytes, size_t size)
{
    row_head head;
    trmi_study_row row = {0};
    while (size >= sizeof head) {
        memcpy(&head, bytes, sizeof head);
        bytes += sizeof head;
        size -= sizeof head;
        if (head.length < 0) {
            lose_run(l, head.run, head.code);
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

// every free place gets a run; true when something was handed out
static void hand_out(lead *l)
{
    for (int k = 0; k < l->transport->size; k++) {
        l->order.count = 0;
        for (int64_t run;
             l->rank[k].free > 0 && l->order.count < MAX_ORDER && (run = take_run(l)) >= 0;
             l->rank[k].free--) {
            l->holder[run] = k;
            if (k > 0)
                l->order.run[l->order.count++] = run;
            else if (!give(l->worker, l->request->workers, run))
                lose_run(l, run, 0);
        }
        if (l->order.count > 0)
            l->transport->send(l->transport, k, &l->order,
                               (size_t)(l->order.count + 1) * sizeof l->order.run[0]);
    }
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
        take_rows(l, l->buffer + sizeof l->rank[from], size - sizeof l->rank[from]);
    }
    trmi_text rows = {0};
    collect(l->worker, l->request->workers, &rows);
    take_rows(l, rows.data, rows.length);
    l->rank[0] = measure(l->worker, l->request->workers);
    trmi_text_free(&rows);
}

// what a rank had that is not heard of any more goes to others
static void notice_silence(lead *l, double now)
{
    for (int k = 1; k < l->transport->size; k++) {
        if (l->rank[k].alive == 0 || now - l->heard[k] < SILENCE)
            continue;
        l->rank[k] = (report_head){0};
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
        alive += l->rank[k].alive;
    if (alive == 0 && l->error.status == TRM_OK)
        trmi_error_set(&l->error, TRM_ERR_MEMORY, "all workers are gone");
    return l->error.status != TRM_OK || (r->stop && *r->stop) ||
           r->table->done >= r->plan->study->runs;
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
        wait_for_workers(l->worker, r->workers);
    }
}

trm_status trmi_fleet_lead(const trmi_crew_request *request, trmi_transport *transport,
                           trmi_worker *worker, trm_error *error)
{
    lead *l = calloc(1, sizeof *l);
    report_head *rank = calloc((size_t)transport->size, sizeof *rank);
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
        status = l->error.status;
        if (status != TRM_OK)
            *error = l->error;
        free(l->lost);
        free(l->buffer);
    } else {
        trmi_error_set(error, TRM_ERR_MEMORY, "no memory for the study");
    }
    const int64_t end = -1;
    for (int k = 1; k < transport->size; k++)
        transport->send(transport, k, &end, sizeof end);
    free(rank);
    free(heard);
    free(holder);
    free(l);
    return status;
}
