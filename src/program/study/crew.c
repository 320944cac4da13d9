// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/study/crew.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static const long WAIT_NANOSECONDS = 100000000;

// Shared by all; the table, too, is only touched with the lock.
typedef struct crew {
    const trmi_crew_request *request;
    pthread_mutex_t lock;
    pthread_cond_t changed; // a worker has ended
    int64_t next;           // no run before it is left
    int working;
    trmi_stop stop; // for the runs: asked to, or nothing can be written any more
    trm_error error;
} crew;

// the next run without a row; -1: none, or it is time to stop
static int64_t take_run(crew *c)
{
    const trmi_crew_request *r = c->request;
    if (c->stop || (r->stop && *r->stop))
        return -1;
    while (c->next < r->plan->study->runs && trmi_study_table_has(r->table, c->next))
        c->next++;
    return c->next < r->plan->study->runs ? c->next++ : -1;
}

static void *work(void *argument)
{
    crew *c = argument;
    trmi_study_row row = {0};
    pthread_mutex_lock(&c->lock);
    for (int64_t run; (run = take_run(c)) >= 0;) {
        pthread_mutex_unlock(&c->lock);
        trmi_plan_simulate(c->request->plan, run, &c->stop, &row);
        pthread_mutex_lock(&c->lock);
        if (row.code != 130 && c->error.status == TRM_OK &&
            trmi_study_table_add(c->request->table, &row, &c->error) != TRM_OK)
            c->stop = 1;
    }
    c->working--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    trmi_text_free(&row.line);
    return NULL;
}

// waits a moment, or until a worker ends
static void wait_a_little(crew *c)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&c->changed, &c->lock, &until);
}

void trmi_crew_save(const trmi_crew_request *r, trmi_crew_clock *clock)
{
    double now = trmi_clock_seconds();
    if (!r->save || now - clock->saved < fmax(TRMI_FLUSH_AFTER, 19 * clock->took))
        return;
    r->save(r->save_user);
    clock->saved = trmi_clock_seconds();
    clock->took = clock->saved - now;
}

// the thread that called: progress, flushes, the wish to stop
static void supervise(crew *c)
{
    const trmi_crew_request *r = c->request;
    double flushed = trmi_clock_seconds();
    trmi_crew_clock clock = {.saved = flushed};
    while (c->working > 0) {
        wait_a_little(c);
        if (r->stop && *r->stop)
            c->stop = 1;
        double now = trmi_clock_seconds();
        bool saves = false;
        if (now - flushed >= TRMI_FLUSH_AFTER && c->error.status == TRM_OK) {
            flushed = now;
            saves = trmi_study_table_flush(r->table, &c->error) == TRM_OK;
            c->stop = c->stop || !saves;
            saves = saves && !c->stop;
        }
        trmi_study_progress p = {r->plan->study->runs, r->table->done, r->table->failed,
                                 r->table->found};
        pthread_mutex_unlock(&c->lock);
        if (r->progress)
            r->progress(&p, r->user);
        if (saves)
            trmi_crew_save(r, &clock);
        pthread_mutex_lock(&c->lock);
    }
}

trm_status trmi_crew_work(const trmi_crew_request *request, trm_error *error)
{
    crew c = {.request = request, .error = trmi_no_error()};
    pthread_t *thread = calloc((size_t)request->workers, sizeof *thread);
    int started = 0;
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    pthread_mutex_lock(&c.lock);
    while (thread && started < request->workers &&
           pthread_create(&thread[started], NULL, work, &c) == 0)
        started++;
    c.working = started;
    if (started == 0)
        trmi_error_set(&c.error, TRM_ERR_MEMORY, "no thread can be started");
    supervise(&c);
    pthread_mutex_unlock(&c.lock);
    for (int k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    free(thread);
    if (c.error.status != TRM_OK)
        *error = c.error;
    return c.error.status;
}
