// SPDX-License-Identifier: Apache-2.0
#include "program/run/own_rows.h"

#include "base/integrators.h"
#include "modelling/reader/model.h"
#include "solver/integrator/method.h"
#include "solver/verify/verify.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A companion is compared with its steps in so many points at least, as if they were rows: those of
// a run may lie far apart.
enum { MIN_POINTS = 500 };
// of the distance of rows, in distances of points
static const double ROUNDOFF = 1e-6;

// ---- life ----

// that of the options, unless it is auto without a choice
static trm_integrator run_integrator(const trmi_own_rows *r)
{
    trm_options options = *r->options;
    trm_options_set(&options, "integrator", r->run_integrator, NULL);
    return options.integrator;
}

bool trmi_own_rows_init(trmi_own_rows *r, int width)
{
    r->integrator = "";
    r->method =
        trmi_integrator_damps_growth(run_integrator(r)) ? TRMI_ROWS_EXPLICIT : TRMI_ROWS_ACCURATE;
    r->ahead.width = 1 + width + 1;
    r->row = calloc((size_t)r->ahead.width, sizeof *r->row);
    r->value = r->row ? r->row + 1 : NULL;
    return r->row != NULL;
}

void trmi_own_rows_free(trmi_own_rows *r)
{
    trmi_follower_end(&r->follower);
    trmi_row_queue_free(&r->ahead);
    free(r->row);
    r->row = r->value = NULL;
}

// ---- the companion ----

// of two rows of the run, if it has as many rows as points, and of two points otherwise
static double distance_of_points(const trmi_own_rows *r)
{
    const trm_schedule *s = trm_model_schedule(r->model);
    const double most = (s->end - s->start) / MIN_POINTS;
    return s->output_interval > 0 ? fmin(s->output_interval, most) : most;
}

trm_options trmi_own_rows_options(const trmi_own_rows *r)
{
    if (r->method == TRMI_ROWS_EXPLICIT)
        return trmi_verify_explicit(r->options);
    trm_options options = trm_verify_companion(r->options, 0);
    if (r->method == TRMI_ROWS_OF_RUN)
        options.integrator = run_integrator(r);
    return options;
}

bool trmi_own_rows_replace(trmi_own_rows *r)
{
    bool other = r->method < TRMI_ROWS_OF_RUN;
    r->method += other;
    return other;
}

trm_status trmi_own_rows_follow(const trmi_own_rows *r, trmi_follower *follower, int beside)
{
    const trm_options options = trmi_own_rows_options(r);
    trm_status status = trmi_follower_begin(follower, r->model, &options, beside);
    follower->span = distance_of_points(r);
    return status;
}

trm_status trmi_own_rows_begin(trmi_own_rows *r)
{
    trm_status status = trmi_own_rows_follow(r, &r->follower, 0);
    if (r->follower.simulation)
        r->integrator = trm_simulation_start(r->follower.simulation)->integrator;
    r->rtol = trmi_own_rows_options(r).rtol;
    trmi_row_queue_clear(&r->ahead);
    r->over = false;
    r->reached = trm_model_schedule(r->model)->start;
    return status;
}

// ---- rows ----

// behind the values of a row: the number of events
static double *number_of_events(const trmi_own_rows *r)
{
    return &r->row[r->ahead.width - 1];
}

long trmi_own_rows_events(const trmi_own_rows *r)
{
    return (long)*number_of_events(r);
}

typedef struct own_patience {
    const trmi_own_rows *rows;
    trmi_patience *patience;
    void *user;
    bool stiff; // found here
} own_patience;

// trmi_patience: explicit steps only as long as stability allows them from point to point. Growth
// is no stiffness then: it would multiply by e^6 from one to the next.
static bool go_on(void *user)
{
    own_patience *p = user;
    if (!p->patience(p->user))
        return false;
    p->stiff = p->rows->method == TRMI_ROWS_EXPLICIT &&
               !trmi_is_stable_over(p->rows->follower.simulation, distance_of_points(p->rows));
    return !p->stiff;
}

// The row at t, behind points on the way to it.
static trm_status evaluate(trmi_own_rows *r, double t, trmi_patience *patience, void *user)
{
    own_patience p = {r, patience, user, false};
    const double from = r->reached, points = ceil((t - from) / distance_of_points(r) - ROUNDOFF);
    trm_status status = TRM_OK;
    r->row[0] = t;
    for (double k = 1; k < points && status == TRM_OK; k++)
        status =
            trmi_follower_values(&r->follower, from + (t - from) * k / points, go_on, &p, r->value);
    if (status == TRM_OK)
        status = trmi_follower_values(&r->follower, t, go_on, &p, r->value);
    r->reached = t;
    if (p.stiff)
        status = TRM_ERR_STEPS;
    *number_of_events(r) = (double)r->follower.events;
    return status;
}

trm_status trmi_own_rows_next(trmi_own_rows *r, double t, trmi_patience *patience, void *user)
{
    r->taken++;
    if (r->ahead.count == 0)
        return evaluate(r, t, patience, user);
    trmi_row_queue_take(&r->ahead, r->row);
    assert(r->row[0] == t);
    return TRM_OK;
}

trm_status trmi_own_rows_again(trmi_own_rows *r, double t, trmi_patience *patience, void *user)
{
    trm_status status = trmi_own_rows_begin(r);
    return status == TRM_OK ? evaluate(r, t, patience, user) : status;
}

// ---- ahead of the run ----

bool trmi_own_rows_can_go_ahead(const trmi_own_rows *r)
{
    double rows = r->on_grid ? trmi_schedule_rows(trm_model_schedule(r->model)) : 0;
    return !r->over && !trmi_row_queue_full(&r->ahead) &&
           (double)(r->taken + r->ahead.count) < rows;
}

// What ends this ends the companion only where the run comes as far: it is found again there.
void trmi_own_rows_go_ahead(trmi_own_rows *r, trmi_patience *patience, void *user)
{
    double t = trmi_schedule_row(trm_model_schedule(r->model), r->taken + r->ahead.count);
    bool done = evaluate(r, t, patience, user) == TRM_OK;
    double *row = done ? trmi_row_queue_add(&r->ahead) : NULL;
    if (row)
        memcpy(row, r->row, (size_t)r->ahead.width * sizeof *row);
    r->over = row == NULL;
}
