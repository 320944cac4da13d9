// SPDX-License-Identifier: Apache-2.0
#include "program/run/follower.h"

#include "base/error.h"
#include "program/run/values.h"
#include "trammel/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void trmi_follower_end(trmi_follower *f)
{
    trm_simulation_destroy(f->simulation);
    trm_instance_destroy(f->instance);
    f->simulation = NULL;
    f->instance = NULL;
}

// States moved by what their tolerances leave open, in turn to either side.
static void move_states(const trm_options *options, const trm_system *system, int side, double *x)
{
    for (int i = 0; i < system->n_x; i++) {
        double scale = system->x_scale ? system->x_scale[i] : 1;
        x[i] += (i % 2 ? -side : side) * (options->rtol * fabs(x[i]) + options->atol * scale);
    }
}

// The start moved to one side, 1 or -1, in memory that the caller frees. Algebraic variables
// follow from it.
static double *move_start(const trm_options *options, const trm_system *system, int side,
                          trm_initial *initial)
{
    size_t n = (size_t)system->n_q, states = (size_t)system->n_x;
    double *q = calloc(2 * n + states + 1, sizeof *q), *v = q ? q + n : NULL;
    if (!q)
        return NULL;
    if (initial->q)
        memcpy(q, initial->q, n * sizeof *q);
    if (initial->v)
        memcpy(v, initial->v, n * sizeof *v);
    if (initial->x)
        memcpy(v + n, initial->x, states * sizeof *v);
    trm_verify_neighbour(options, side, 2 * system->n_q, q);
    move_states(options, system, side, v + n);
    initial->q = q;
    initial->v = v;
    initial->x = v + n;
    return q;
}

trm_status trmi_follower_begin(trmi_follower *f, const trm_model *model, const trm_options *options,
                               int beside)
{
    trmi_follower_end(f);
    *f = (trmi_follower){.model = model, .error = trmi_no_error()};
    trm_status status = trm_instance_create(&f->instance, model, &f->error);
    if (status != TRM_OK)
        return status;
    const trm_system *system = trm_instance_system(f->instance);
    trm_initial initial = *trm_instance_initial(f->instance);
    double *moved = beside ? move_start(options, system, beside, &initial) : NULL;
    if (beside && !moved)
        return trmi_error_set(&f->error, TRM_ERR_MEMORY, "no memory for a neighbour");
    status = trm_simulation_create(&f->simulation, system, options, &initial, &f->error);
    free(moved);
    if (status != TRM_OK)
        return status;
    status = trm_simulation_watch(f->simulation, trm_instance_events(f->instance));
    if (status != TRM_OK)
        f->error = *trm_simulation_error(f->simulation);
    return status;
}

// Carries out the events that fired, as the run does.
static trm_status handle_events(trmi_follower *f)
{
    const trm_events *events = trm_instance_events(f->instance);
    trm_status status = TRM_OK;
    bool fired[64] = {false}; // a restart forgets which
    for (int k = 0; k < events->count; k++)
        fired[k] = trm_simulation_fired(f->simulation, k);
    for (int k = 0; k < events->count && status == TRM_OK; k++) {
        if (!fired[k])
            continue;
        f->events++;
        f->ended = f->ended || trm_model_event_action(f->model, k) == TRM_EVENT_STOP;
        status = trm_instance_event(f->instance, f->simulation, k);
    }
    f->fired = false;
    return status;
}

// Rows before an event come before what the event does: a restart forgets the last step.
static trm_status reach(trmi_follower *f, double t, trmi_patience *patience, void *user)
{
    const double end = trm_model_schedule(f->model)->end;
    trm_status status = TRM_OK;
    while (status >= 0 && trm_simulation_state(f->simulation)->t < t) {
        if (!patience(user))
            return TRM_STOP_USER;
        if (f->fired)
            status = handle_events(f);
        if (f->ended)
            return TRM_STOP_EVENT;
        if (status >= 0 && f->span > 0)
            status = trm_simulation_keep(f->simulation);
        if (status >= 0)
            status = trm_simulation_step(f->simulation, end, NULL);
        f->fired = status == TRM_STOP_EVENT;
    }
    return status < 0 ? status : TRM_OK;
}

// The values at t, of a step that they do not contradict.
static trm_status find_values(trmi_follower *f, double t, trmi_patience *patience, void *user,
                              double *value)
{
    trm_simulation *s = f->simulation;
    const double end = trm_model_schedule(f->model)->end;
    const trm_state *state;
    while (!f->ended) {
        trm_status status = reach(f, t, patience, user);
        if (status == TRM_OK)
            status = trmi_values_at(f->model, f->instance, s, t, value, &state);
        if (status != TRM_OK || f->span == 0 || !trm_simulation_contradicts(s, f->span))
            return status;
        status = trm_simulation_repeat(s, f->span, end, NULL);
        f->fired = status == TRM_STOP_EVENT;
        if (status < 0)
            return status;
    }
    return TRM_STOP_EVENT;
}

trm_status trmi_follower_values(trmi_follower *f, double t, trmi_patience *patience, void *user,
                                double *value)
{
    if (f->error.status < 0)
        return f->error.status;
    trm_status status = find_values(f, t, patience, user, value);
    if (status < 0) {
        f->error = *trm_simulation_error(f->simulation);
        f->error.status = status;
    }
    return status;
}
