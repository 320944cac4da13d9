// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/run/companion.h"

#include "base/clock.h"
#include "base/error.h"
#include "program/run/compared.h"
#include "program/run/own_rows.h"
#include "program/run/values.h"
#include "solver/verify/verify.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// After the end of the run users should not wait long: a companion that was not requested goes on
// until it has used as much processor time as the run, less what it waited for the run. It then
// ends with the run where each has a core, and has its share where they do not. Small machines need
// less than a tenth of MOMENT, which their companions have at least, so that whether they are
// verified does not depend on the speed or the load of the machine; it fades with the length of the
// run, to nothing at BRIEF.
static const double BRIEF = 0.1, MOMENT = 0.5;

// times at which the companion is compared with one that began beside it
enum { NEIGHBOUR_ROWS = 500 };

struct trmi_companion {
    trmi_companion_request request;
    trm_options options; // of the run
    int width;           // values of a row
    bool running, started;
    pthread_t thread;
    // ---- shared, under the lock ----
    pthread_mutex_t lock;
    pthread_cond_t changed;
    trmi_row_queue waiting; // rows of the run, [t | values]
    bool closed, stop;
    int wanted;         // rows of the run that it waits for; 0: it works
    double run_seconds; // of processor time, where closed
    double waited;      // seconds that it waited for the run, being ahead of it
    // ---- of the thread ----
    trmi_own_rows own;
    trmi_follower neighbour;
    trm_verify *verify, *neighbours;
    double *row;       // the present one of the run
    trm_error failure; // of the methods that were replaced: the last, or the farthest dead end
    bool dead_end;     // all of them came to one
    trmi_companion_result result;
};

// ---- the rows of the run ----

// Whether rows are still wanted, under the lock.
static bool is_listening(const trmi_companion *c)
{
    return !c->stop && c->running;
}

void trmi_companion_row(trmi_companion *c, double t, const double *value)
{
    pthread_mutex_lock(&c->lock);
    while (is_listening(c) && trmi_row_queue_full(&c->waiting))
        pthread_cond_wait(&c->changed, &c->lock);
    double *row = is_listening(c) ? trmi_row_queue_add(&c->waiting) : NULL;
    if (row) {
        row[0] = t;
        if (c->width > 0)
            memcpy(row + 1, value, (size_t)c->width * sizeof *row);
    } else {
        c->stop = true; // no memory: the comparison ends here
    }
    if (c->waiting.count >= c->wanted)
        pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

int trmi_companion_ahead(trmi_companion *c)
{
    pthread_mutex_lock(&c->lock);
    int ahead = c->waiting.count < c->wanted ? c->own.ahead.count - c->waiting.count : -1;
    pthread_mutex_unlock(&c->lock);
    return ahead;
}

// *seconds: of processor time that it may use where it was not requested
static bool is_stopped(trmi_companion *c, double *seconds)
{
    pthread_mutex_lock(&c->lock);
    bool stop = c->stop || (c->request.stop && *c->request.stop);
    double run = c->run_seconds, share = fmax(run - c->waited, MOMENT * (1 - run / BRIEF));
    *seconds =
        c->closed && !c->request.resumed ? fmin(share, TRMI_VERIFY_SECONDS) : TRMI_VERIFY_SECONDS;
    pthread_mutex_unlock(&c->lock);
    return stop;
}

// trmi_patience
static bool go_on(void *user)
{
    trmi_companion *c = user;
    double used = trmi_cpu_seconds(), seconds;
    bool stopped = is_stopped(c, &seconds);
    bool too_long = c->request.mode == TRMI_VERIFY_SHORT && used > seconds;
    if (too_long)
        c->result.ending = used > TRMI_VERIFY_SECONDS ? TRMI_COMPANION_LONG : TRMI_COMPANION_SLOW;
    return !too_long && !stopped;
}

// trmi_patience: after the end nothing that lies ahead is needed
static bool run_goes_on(void *user)
{
    trmi_companion *c = user;
    pthread_mutex_lock(&c->lock);
    bool closed = c->closed;
    pthread_mutex_unlock(&c->lock);
    return !closed && go_on(c);
}

// How many rows of the run are worth to be woken for, which takes the run as long as some rows do.
// Those that it has itself need only be compared, and half of all can be when the run has ended.
static int rows_wanted(const trmi_companion *c)
{
    int64_t cheap = c->own.ahead.count;
    return (int)(cheap < 1 ? 1 : cheap <= c->own.taken ? cheap : c->own.taken + 1);
}

// Under the lock.
static void wait_for_rows(trmi_companion *c)
{
    double begin = trmi_clock_seconds();
    c->wanted = rows_wanted(c);
    while (c->waiting.count < c->wanted && !c->closed && !c->stop)
        pthread_cond_wait(&c->changed, &c->lock);
    c->wanted = 0;
    if (c->own.ahead.count > 0)
        c->waited += trmi_clock_seconds() - begin;
}

// The next row of the run into c->row; false: there are no more. Goes ahead meanwhile.
static bool next_row(trmi_companion *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->waiting.count == 0 && !c->closed && !c->stop) {
        if (trmi_own_rows_can_go_ahead(&c->own)) {
            pthread_mutex_unlock(&c->lock);
            trmi_own_rows_go_ahead(&c->own, run_goes_on, c);
            pthread_mutex_lock(&c->lock);
        } else {
            wait_for_rows(c);
        }
    }
    bool there = c->waiting.count > 0 && !c->stop;
    if (there)
        trmi_row_queue_take(&c->waiting, c->row);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return there;
}

// ---- comparison ----

// trmi_patience of what explains a run that is wrong
static bool explain_on(void *user)
{
    trmi_companion *c = user;
    double seconds;
    bool stopped = is_stopped(c, &seconds);
    return !stopped &&
           (c->request.mode == TRMI_VERIFY_ALWAYS || trmi_cpu_seconds() <= TRMI_VERIFY_SECONDS);
}

// Whether there is no way on: steps failed, neither the limit of their number nor the memory.
static bool is_dead_end(const trm_error *error)
{
    static const trm_status ends[] = {TRM_ERR_SINGULAR, TRM_ERR_NEWTON,        TRM_ERR_ERROR_TEST,
                                      TRM_ERR_CALLBACK, TRM_ERR_CONTRADICTION, TRM_ERR_CHATTER};
    bool ended = false;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        ended = ended || error->status == ends[k];
    return ended && !isnan(error->t);
}

// Why the present method failed, unless it was only left: where all of them came to a dead end the
// farthest one counts.
static void note_failure(trmi_companion *c)
{
    const trm_error *error = &c->own.follower.error;
    bool first = c->failure.status == TRM_OK;
    if (error->status >= 0)
        return;
    c->dead_end = is_dead_end(error) && (first || c->dead_end);
    if (first || !c->dead_end || error->t > c->failure.t)
        c->failure = *error;
}

// Compares the row c->row. A method that fails is replaced by the next, from the start on.
static trm_status compare_row(trmi_companion *c)
{
    double t = c->row[0];
    trmi_own_rows *own = &c->own;
    trm_status status = trmi_own_rows_next(own, t, go_on, c);
    while (status < 0) {
        note_failure(c);
        if (!trmi_own_rows_replace(own))
            break;
        status = trmi_own_rows_again(own, t, go_on, c);
    }
    c->result.events = trmi_own_rows_events(own);
    return status == TRM_OK ? trm_verify_add(c->verify, t, c->row + 1, own->value) : status;
}

// Begins beside the start, where it can be left to one side at least.
static trm_status begin_neighbour(trmi_companion *c)
{
    trm_status status = trmi_own_rows_follow(&c->own, &c->neighbour, 1);
    return status < 0 ? trmi_own_rows_follow(&c->own, &c->neighbour, -1) : status;
}

// Where the run is wrong: whether the companion itself parts from one that began beside it.
static void find_neighbours(trmi_companion *c)
{
    const trm_model *model = c->request.model;
    const double start = trm_model_schedule(model)->start;
    const trm_options options = trmi_own_rows_options(&c->own);
    trmi_follower *f = &c->own.follower;
    double *value = c->own.value;
    trm_verify_report report;
    trm_verify_judge(c->verify, NULL, &report, NULL);
    if (report.trusted || trmi_own_rows_follow(&c->own, f, 0) || begin_neighbour(c))
        return;
    c->neighbours = trmi_compared_create(model, f->simulation, &options);
    trm_status status = c->neighbours ? TRM_OK : TRM_ERR_MEMORY;
    for (int k = 0; k <= NEIGHBOUR_ROWS && status == TRM_OK; k++) {
        double t = fmin(start + (report.t - start) * k / NEIGHBOUR_ROWS, report.t);
        status = trmi_follower_values(f, t, explain_on, c, value);
        if (status == TRM_OK)
            status = trmi_follower_values(&c->neighbour, t, explain_on, c, c->row);
        if (status == TRM_OK)
            status = trm_verify_add(c->neighbours, t, value, c->row);
    }
}

// Rows that were not reached show what the channels move.
static void measure_rest(trmi_companion *c)
{
    while (next_row(c))
        trm_verify_add(c->verify, c->row[0], c->row + 1, NULL);
}

static void *follow(void *user)
{
    trmi_companion *c = user;
    trm_status status = TRM_OK;
    c->result.ending = TRMI_COMPANION_STOPPED;
    trmi_own_rows_begin(&c->own); // where it fails, perhaps the method of the run does not
    while (status == TRM_OK && next_row(c))
        status = compare_row(c);
    c->result.integrator = c->own.integrator;
    c->result.rtol = c->own.rtol;
    c->result.seconds = trmi_cpu_seconds();
    double seconds;
    if (status < 0) {
        c->result.ending = TRMI_COMPANION_FAILED;
        c->result.error = c->failure;
        c->result.dead_end = c->dead_end;
    } else if (status == TRM_OK && !is_stopped(c, &seconds)) {
        find_neighbours(c);
        c->result.ending = TRMI_COMPANION_COMPLETE;
    } else if (c->result.ending == TRMI_COMPANION_SLOW) {
        measure_rest(c);
        find_neighbours(c);
    }
    pthread_mutex_lock(&c->lock);
    c->running = false; // the run need not wait any more
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

// ---- its life ----

trmi_companion *trmi_companion_start(const trmi_companion_request *request)
{
    trmi_companion *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->request = *request;
    c->options = *request->options;
    c->own =
        (trmi_own_rows){.model = request->model,
                        .options = &c->options,
                        .run_integrator = trm_simulation_start(request->simulation)->integrator,
                        .on_grid = !request->resumed}; // earlier parts may have another
    c->width = trmi_values_count(request->model);
    c->waiting.width = 1 + c->width;
    c->result.integrator = "";
    trmi_error_clear(&c->result.error);
    trmi_error_clear(&c->failure);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->row = calloc((size_t)c->waiting.width, sizeof *c->row);
    c->verify = trmi_compared_create(request->model, request->simulation, &c->options);
    c->running = trmi_own_rows_init(&c->own, c->width) && c->row && c->verify;
    c->run_seconds = -trmi_cpu_seconds();
    c->started = c->running && pthread_create(&c->thread, NULL, follow, c) == 0;
    if (!c->started) {
        trmi_companion_destroy(c);
        return NULL;
    }
    return c;
}

void trmi_companion_end(trmi_companion *c, bool at_once)
{
    if (!c->started)
        return;
    pthread_mutex_lock(&c->lock);
    c->closed = true;
    c->run_seconds += trmi_cpu_seconds();
    c->stop = c->stop || at_once;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    c->started = false;
    c->result.verify = c->verify;
    c->result.neighbours = c->neighbours;
    c->result.run_seconds = c->run_seconds;
}

const trmi_companion_result *trmi_companion_result_of(const trmi_companion *c)
{
    return &c->result;
}

void trmi_companion_destroy(trmi_companion *c)
{
    if (!c)
        return;
    trmi_companion_end(c, true);
    trm_verify_destroy(c->verify);
    trm_verify_destroy(c->neighbours);
    trmi_own_rows_free(&c->own);
    trmi_follower_end(&c->neighbour);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    trmi_row_queue_free(&c->waiting);
    free(c->row);
    free(c);
}
