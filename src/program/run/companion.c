// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "program/run/companion.h"

#include "base/clock.h"
#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/run/compared.h"
#include "program/run/follower.h"
#include "program/run/row_queue.h"
#include "program/run/values.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// rows of a run that writes every step: so many would be its grid
enum { STEP_ROWS = 500 };
// After the end of the run users should not wait long: a companion that was not requested goes on
// until it has used as much processor time as the run. Where that is little, it has a moment, ten
// times what small machines need, so that whether they are verified does not depend on the speed or
// the load of the machine. It becomes shorter with the run, from MOMENT to 0 after BRIEF seconds.
static const double BRIEF = 0.1, MOMENT = 0.5;
// Error bars are promised to this factor: what may change an error by less is not pursued.
static const double BAR = 3;

// Rows: [t | values], and of the companion how much its equations contradict its step there
// (trm_simulation_defect) and how many events it has carried out.
enum { TIME, VALUES, DEFECT = 1, EVENTS, MORE }; // the last three after the values

struct trmi_companion {
    trmi_companion_request request;
    trm_options options; // of the run
    const char *run_integrator;
    int width; // values of a row
    bool running, started;
    pthread_t thread;
    // ---- shared, under the lock ----
    pthread_mutex_t lock;
    pthread_cond_t changed;
    trmi_row_queue waiting; // rows of the run
    bool closed, stop;
    int wanted;         // rows of the run that it waits for; 0: it works
    double run_seconds; // of processor time, where closed
    // ---- of the thread ----
    trmi_follower follower, neighbour;
    trm_verify *verify, *neighbours;
    int64_t taken;        // rows of the run
    trmi_row_queue ahead; // its own rows that the run does not have yet
    bool over;            // it can go ahead no further
    bool doubtful;        // a row ahead may show that it has to begin again
    double *row, *own;    // the present one, of the run and of the companion
    bool same_method;     // as the run: the other one failed
    bool limited;         // its steps are not longer than the distance of two rows
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
        row[TIME] = t;
        if (c->width > 0)
            memcpy(row + VALUES, value, (size_t)c->width * sizeof *row);
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
    int ahead = c->waiting.count < c->wanted ? c->ahead.count - c->waiting.count : -1;
    pthread_mutex_unlock(&c->lock);
    return ahead;
}

// *seconds: of processor time that it may use where it was not requested
static bool is_stopped(trmi_companion *c, double *seconds)
{
    pthread_mutex_lock(&c->lock);
    bool stop = c->stop || (c->request.stop && *c->request.stop);
    double run = c->run_seconds, share = fmax(run, MOMENT * (1 - run / BRIEF));
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

// ---- its own rows ----

// the distance of two rows
static double row_distance(const trmi_companion *c)
{
    const trm_schedule *s = trm_model_schedule(c->request.model);
    return s->output_interval > 0 ? s->output_interval : (s->end - s->start) / STEP_ROWS;
}

static trm_options own_options(const trmi_companion *c)
{
    trm_options options = trm_verify_companion(&c->options, c->limited ? row_distance(c) : 0);
    if (c->same_method)
        trm_options_set(&options, "integrator", c->run_integrator, NULL);
    return options;
}

static trm_status begin(trmi_companion *c)
{
    const trm_options options = own_options(c);
    trm_status status = trmi_follower_begin(&c->follower, c->request.model, &options, false);
    if (c->follower.simulation)
        c->result.integrator = trm_simulation_start(c->follower.simulation)->integrator;
    c->result.rtol = options.rtol;
    trmi_row_queue_clear(&c->ahead);
    c->over = c->doubtful = false;
    return status;
}

// Its row at t.
static trm_status evaluate(trmi_companion *c, double t, trmi_patience *patience, double *own)
{
    trmi_follower *f = &c->follower;
    double *more = own + c->width;
    own[TIME] = t;
    trm_status status = trmi_follower_values(f, t, patience, c, own + VALUES);
    more[DEFECT] =
        status == TRM_OK && !c->limited ? trm_simulation_defect(f->simulation, row_distance(c)) : 0;
    more[EVENTS] = (double)f->events;
    return status;
}

// How much the equations would change velocities and states between two rows.
static double change_at(const trmi_companion *c, const double *own)
{
    return own[c->width + DEFECT] * c->result.rtol;
}

// Its row at t, from the start on.
static trm_status begin_again(trmi_companion *c, double t)
{
    trm_status status = begin(c);
    return status == TRM_OK ? evaluate(c, t, go_on, c->own) : status;
}

// While the run goes on, the times of its next rows are known: those of the grid, unless it has
// rows of earlier parts, perhaps of another grid. Values are taken in the step that first reaches a
// row, so they are the same whenever that is done.
static bool can_go_ahead(const trmi_companion *c)
{
    const trm_schedule *s = trm_model_schedule(c->request.model);
    return !c->over && !c->request.resumed && !trmi_row_queue_full(&c->ahead) &&
           (double)(c->taken + c->ahead.count) < trmi_schedule_rows(s);
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

// Evaluates the row after those that it has. What ends that ends the comparison only where the run
// comes as far.
static void go_ahead(trmi_companion *c)
{
    const trm_schedule *s = trm_model_schedule(c->request.model);
    double t = trmi_schedule_row(s, c->taken + c->ahead.count);
    c->over = evaluate(c, t, run_goes_on, c->own) != TRM_OK;
    double *row = c->over ? NULL : trmi_row_queue_add(&c->ahead);
    if (row)
        memcpy(row, c->own, (size_t)c->ahead.width * sizeof *row);
    else
        c->over = true;
    c->doubtful = c->doubtful || change_at(c, c->own) > c->options.rtol;
}

// How many rows of the run are worth to be woken for, which takes the run as long as some rows do.
// Those that it has itself need only be compared, and half of all can be when the run has ended.
static int rows_wanted(const trmi_companion *c)
{
    int64_t cheap = c->doubtful ? 0 : c->ahead.count;
    return (int)(cheap < 1 ? 1 : cheap <= c->taken ? cheap : c->taken + 1);
}

// The next row of the run into c->row; false: there are no more. Goes ahead meanwhile.
static bool next_row(trmi_companion *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->waiting.count == 0 && !c->closed && !c->stop) {
        if (can_go_ahead(c)) {
            pthread_mutex_unlock(&c->lock);
            go_ahead(c);
            pthread_mutex_lock(&c->lock);
        } else {
            c->wanted = rows_wanted(c);
            while (c->waiting.count < c->wanted && !c->closed && !c->stop)
                pthread_cond_wait(&c->changed, &c->lock);
            c->wanted = 0;
        }
    }
    bool there = c->waiting.count > 0 && !c->stop;
    if (there)
        trmi_row_queue_take(&c->waiting, c->row);
    c->taken += there;
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

// Whether the equations contradict the step of the companion at the row: they would change
// velocities, from one row to the next, by more than the run may err and by more than it errs, so
// that the error bar would be another one.
static bool is_contradicted(const trmi_companion *c)
{
    double change = change_at(c, c->own);
    return change > c->options.rtol &&
           !(change <= BAR * trm_verify_group_error(c->verify, "velocities")) &&
           !(change <= BAR * trm_verify_group_error(c->verify, "states"));
}

// Compares the row c->row. A method that fails is replaced by that of the run, and steps that
// passed over what a row shows by steps no longer than the distance of rows; from the start on.
static trm_status compare_row(trmi_companion *c)
{
    double t = c->row[TIME];
    trm_status status = TRM_OK;
    if (c->ahead.count > 0)
        trmi_row_queue_take(&c->ahead, c->own);
    else
        status = evaluate(c, t, go_on, c->own);
    assert(c->own[TIME] == t);
    if (status == TRM_OK && is_contradicted(c)) {
        c->limited = true;
        status = begin_again(c, t);
    }
    if (status < 0 && !c->same_method) {
        c->same_method = true;
        status = begin_again(c, t);
    }
    c->result.events = (long)c->own[c->width + EVENTS];
    return status == TRM_OK ? trm_verify_add(c->verify, t, c->row + VALUES, c->own + VALUES)
                            : status;
}

// Where the run is wrong: whether the companion itself parts from one that began beside it.
static void find_neighbours(trmi_companion *c)
{
    const trm_schedule *s = trm_model_schedule(c->request.model);
    const trm_options options = own_options(c);
    trm_verify_report report;
    trm_verify_judge(c->verify, NULL, &report, NULL);
    if (report.trusted || trmi_follower_begin(&c->follower, c->request.model, &options, false) ||
        trmi_follower_begin(&c->neighbour, c->request.model, &options, true))
        return;
    c->neighbours = trmi_compared_create(c->request.model, c->follower.simulation, &options);
    trm_status status = c->neighbours ? TRM_OK : TRM_ERR_MEMORY;
    for (int k = 0; k <= STEP_ROWS && status == TRM_OK; k++) {
        double t = s->start + (report.t - s->start) * k / STEP_ROWS;
        status = trmi_follower_values(&c->follower, t, explain_on, c, c->own);
        if (status == TRM_OK)
            status = trmi_follower_values(&c->neighbour, t, explain_on, c, c->row);
        if (status == TRM_OK)
            status = trm_verify_add(c->neighbours, t, c->own, c->row);
    }
}

// Rows that were not reached show what the channels move.
static void measure_rest(trmi_companion *c)
{
    while (next_row(c))
        trm_verify_add(c->verify, c->row[TIME], c->row + VALUES, NULL);
}

static void *follow(void *user)
{
    trmi_companion *c = user;
    trm_status status = TRM_OK;
    c->result.ending = TRMI_COMPANION_STOPPED;
    begin(c); // where it fails, perhaps the method of the run does not
    while (status == TRM_OK && next_row(c))
        status = compare_row(c);
    c->result.error = c->follower.error;
    c->result.seconds = trmi_cpu_seconds();
    double seconds;
    if (status < 0) {
        c->result.ending = TRMI_COMPANION_FAILED;
    } else if (status == TRM_OK && !is_stopped(c, &seconds)) {
        find_neighbours(c);
        c->result.ending = TRMI_COMPANION_COMPLETE;
    } else if (c->result.ending == TRMI_COMPANION_SLOW) {
        measure_rest(c);
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
    c->run_integrator = trm_simulation_start(request->simulation)->integrator;
    c->width = trmi_values_count(request->model);
    c->result.integrator = "";
    trmi_error_clear(&c->result.error);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->waiting.width = c->width + VALUES;
    c->ahead.width = c->width + MORE;
    c->row = calloc((size_t)c->waiting.width, sizeof *c->row);
    c->own = calloc((size_t)c->ahead.width, sizeof *c->own);
    c->verify = trmi_compared_create(request->model, request->simulation, &c->options);
    c->running = c->row && c->own && c->verify;
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
    trmi_follower_end(&c->follower);
    trmi_follower_end(&c->neighbour);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    trmi_row_queue_free(&c->waiting);
    trmi_row_queue_free(&c->ahead);
    free(c->row);
    free(c->own);
    free(c);
}
