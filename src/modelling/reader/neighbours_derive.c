// SPDX-License-Identifier: Apache-2.0
// Derivatives of what instances compute, outputs and events, by differences between neighbours of
// the model and along the sensitivities of a state.
#include "modelling/reader/neighbours.h"

#include "base/error.h"
#include "modelling/reader/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// the excitations of a neighbour at the time of the state
static void find_inputs(const trm_neighbours *n, const trm_instance *i, trm_state *state)
{
    const trm_system *y = &i->system;
    double *want[TRM_QUANTITY_COUNT] = {[TRM_QUANTITY_INPUT] = n->u};
    if (y->n_u == 0)
        return;
    state->u = n->u;
    if (y->function[TRM_QUANTITY_INPUT])
        y->function[TRM_QUANTITY_INPUT](state, n->u, y->user);
    else if (y->evaluate && y->evaluates & TRM_BIT(INPUT))
        y->evaluate(state, want, y->user);
}

// The parts of a state, and their sizes.
enum { PARTS = 6 };
typedef struct parts {
    const double *of[PARTS];
    int size[PARTS];
} parts;

static parts parts_of(const trm_system *y, const trm_state *s)
{
    return (parts){{s->q, s->v, s->a, s->x, s->z, s->lambda},
                   {y->n_q, y->n_q, y->n_q, y->n_x, y->n_z, y->n_g + y->n_a}};
}

// How far to go along the sensitivities: eps^(1/3) of the size of each part.
static double find_increment(const parts *at, const parts *along)
{
    double largest = 0;
    for (int k = 0; k < PARTS; k++)
        if (at->size[k] > 0)
            largest = fmax(largest, trmi_max_abs(along->of[k], at->size[k]) /
                                        fmax(trmi_max_abs(at->of[k], at->size[k]), 1));
    return largest > 0 && isfinite(largest) ? cbrt(DBL_EPSILON) / largest : 0;
}

// the state h further along; borrows n->part
static trm_state move(trm_neighbours *n, const trm_state *state, const parts *at,
                      const parts *along, double h)
{
    double *to = n->part;
    const double *moved[PARTS];
    for (int k = 0; k < PARTS; k++) {
        moved[k] = to;
        for (int i = 0; i < at->size[k]; i++)
            *to++ = at->of[k][i] + h * along->of[k][i];
    }
    return (trm_state){state->t, moved[0], moved[1], moved[2],   moved[3],
                       moved[4], moved[5], state->u, state->held};
}

// what forces remember, h further along
static void move_held(trm_neighbours *n, const trm_system *y, const trm_state *state,
                      const trm_state *along, double h, trm_state *moved)
{
    if (!state->held || !along->held || y->n_memories == 0)
        return;
    for (int i = 0; i < y->n_held; i++)
        n->held[i] = state->held[i] + h * along->held[i];
    moved->held = n->held;
}

// out += (above - below) scale
static void add_difference(const trm_neighbours *n, int count, double scale, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] += (n->value[0][i] - n->value[1][i]) * scale;
}

static bool take_values(trm_neighbours *n, int count)
{
    if (count <= n->values)
        return true;
    bool taken =
        TRMI_TAKE(&n->memory, n->value[0], count) && TRMI_TAKE(&n->memory, n->value[1], count);
    n->values = taken ? count : 0; // after a failure there is none, also for the next call
    return taken;
}

bool trmi_neighbours_derive(trm_neighbours *n, int parameter, trm_instance *instance,
                            const trm_state *state, const trm_state *along,
                            trmi_values_function *function, int count, double *values)
{
    if (!take_values(n, count))
        return false;
    memset(values, 0, (size_t)count * sizeof *values);
    for (int s = 0; s < 2; s++) { // at the state itself, between the neighbours
        trm_instance *i = s == 0 ? n->above[parameter].instance : n->below[parameter].instance;
        trm_state same = *state;
        find_inputs(n, i, &same);
        function(i, &same, n->value[s]);
    }
    add_difference(n, count, 1 / n->parameter[parameter].width, values);
    const parts at = parts_of(&instance->system, state), by = parts_of(&instance->system, along);
    double h = find_increment(&at, &by);
    if (h == 0)
        return true;
    for (int s = 0; s < 2; s++) {
        trm_state beside = move(n, state, &at, &by, s == 0 ? h : -h);
        move_held(n, &instance->system, state, along, s == 0 ? h : -h, &beside);
        function(instance, &beside, n->value[s]);
    }
    add_difference(n, count, 1 / (2 * h), values);
    return true;
}

// ---- events ----

static void event_values(trm_instance *instance, const trm_state *state, double *values)
{
    instance->events.function(state, values, instance);
}

// The state of parts that follow each other in an array.
static trm_state state_of(const trm_system *y, const double *part, const trm_state *like)
{
    const double *v = part + y->n_q, *a = v + y->n_q, *x = a + y->n_q, *z = x + y->n_x;
    return (trm_state){like->t, part, v, a, x, z, z + y->n_z, like->u, like->held};
}

static void copy_parts(const trm_system *y, const trm_state *state, double *to)
{
    const parts p = parts_of(y, state);
    for (int k = 0; k < PARTS; k++)
        for (int i = 0; i < p.size[k]; i++)
            *to++ = p.of[k][i];
}

// Rates of a state, in the same order; those that are not known are 0.
static void find_rates(const trm_instance *i, const trm_state *state, double *to)
{
    const trm_system *y = &i->system;
    double *x = to + 3 * y->n_q, *want[TRM_QUANTITY_COUNT] = {[TRM_QUANTITY_RATE] = x};
    memset(to, 0, (size_t)trmi_state_size(y) * sizeof *to);
    memcpy(to, state->v, (size_t)y->n_q * sizeof *to);
    memcpy(to + y->n_q, state->a, (size_t)y->n_q * sizeof *to);
    if (y->n_x > 0 && y->function[TRM_QUANTITY_RATE])
        y->function[TRM_QUANTITY_RATE](state, x, y->user);
    else if (y->n_x > 0)
        y->evaluate(state, want, y->user);
}

// d/dt of event functions along the motion
static bool find_event_rate(trm_neighbours *n, trm_instance *instance, const trm_state *state,
                            int event, double *rate)
{
    const trm_system *y = &instance->system;
    const trm_state flow = state_of(y, n->before, state);
    const parts at = parts_of(y, state), by = parts_of(y, &flow);
    double h = fmin(find_increment(&at, &by), cbrt(DBL_EPSILON) * fmax(fabs(state->t), 1));
    if (!take_values(n, instance->model->events) || !(h > 0))
        return false;
    for (int s = 0; s < 2; s++) {
        trm_state beside = move(n, state, &at, &by, s == 0 ? h : -h);
        beside.t += s == 0 ? h : -h;
        find_inputs(n, instance, &beside);
        event_values(instance, &beside, n->value[s]);
    }
    *rate = (n->value[0][event] - n->value[1][event]) / (2 * h);
    return *rate != 0;
}

// The derivative of the time of the event by a parameter, and along = that of the state at the
// event, which comes at other times.
static bool find_delay(trm_neighbours *n, int k, trm_instance *instance, const trm_state *state,
                       int event, double rate)
{
    const trm_system *y = &instance->system;
    const int events = instance->model->events, size = trmi_state_size(y);
    double *along = n->along + k * size, *by = calloc((size_t)events, sizeof *by);
    trm_state s = state_of(y, along, state);
    s.held = NULL;
    bool good = by && trmi_neighbours_derive(n, k, instance, state, &s, event_values, events, by);
    n->delay[k] = good ? -by[event] / rate : 0;
    for (int i = 0; i < size; i++)
        along[i] += n->before[i] * n->delay[k];
    free(by);
    return good;
}

// What the event sets in a neighbour, whose state is half a width along: v and x
static void set_side(trm_neighbours *n, int k, bool above, const trm_system *y,
                     const trm_state *state, int event)
{
    trm_instance *i = above ? n->above[k].instance : n->below[k].instance;
    const trm_state s = state_of(y, n->along + k * trmi_state_size(y), state);
    const parts at = parts_of(y, state), by = parts_of(y, &s);
    double half = 0.5 * n->parameter[k].width;
    trm_state beside = move(n, state, &at, &by, above ? half : -half);
    beside.t += (above ? half : -half) * n->delay[k];
    find_inputs(n, i, &beside);
    trmi_instance_set_event(i, &beside, event);
}

// The sensitivities after the event, at a fixed time.
static trm_status set_behind(trm_neighbours *n, trm_instance *instance, trm_simulation *simulation)
{
    const trm_system *y = &instance->system;
    const trm_state *now;
    const int size = trmi_state_size(y);
    trm_status status =
        trm_simulation_sample(simulation, trm_simulation_state(simulation)->t, &now);
    if (status != TRM_OK)
        return status;
    find_rates(instance, now, n->before);
    for (int k = 0; k < n->count && status == TRM_OK; k++) {
        double *q = n->along + k * size, *v = q + y->n_q, *x = q + 3 * y->n_q;
        const trm_instance *a = n->above[k].instance, *b = n->below[k].instance;
        double width = n->parameter[k].width, t = n->delay[k];
        for (int i = 0; i < y->n_q; i++) {
            q[i] -= n->before[i] * t;
            v[i] = (a->set_v[i] - b->set_v[i]) / width - n->before[y->n_q + i] * t;
        }
        for (int i = 0; i < y->n_x; i++)
            x[i] = (a->set_x[i] - b->set_x[i]) / width - n->before[3 * y->n_q + i] * t;
        status = trm_simulation_set_sensitivity(simulation, k, q, v, x);
    }
    return status;
}

trm_status trm_neighbours_event(trm_neighbours *n, trm_instance *instance,
                                trm_simulation *simulation, int event)
{
    TRMI_REQUIRE(NULL, n, "neighbours");
    TRMI_REQUIRE(NULL, instance, "instance");
    TRMI_REQUIRE(NULL, simulation, "simulation");
    const trm_model *m = instance->model;
    const trm_system *y = &instance->system;
    const trm_state *state, *along;
    double rate = 0, t = trm_simulation_state(simulation)->t;
    bool changes = event >= 0 && event < m->events && m->event[event].action != TRM_EVENT_LOG &&
                   !(m->event[event].action == TRM_EVENT_STOP && m->event[event].sets == 0);
    if (!changes)
        return TRM_OK;
    trm_status status = TRM_OK;
    for (int k = 0; k < n->count && status == TRM_OK; k++) {
        status = trm_simulation_sensitivity(simulation, t, k, &along);
        if (status == TRM_OK)
            copy_parts(y, along, n->along + k * trmi_state_size(y));
    }
    if (status == TRM_OK)
        status = trm_simulation_sample(simulation, t, &state);
    if (status != TRM_OK)
        return status;
    find_rates(instance, state, n->before);
    bool moves = find_event_rate(n, instance, state, event, &rate);
    for (int k = 0; k < n->count; k++) {
        if (moves)
            find_delay(n, k, instance, state, event, rate);
        else
            n->delay[k] = 0;
        set_side(n, k, true, y, state, event);
        set_side(n, k, false, y, state, event);
    }
    status = trm_instance_event(instance, simulation, event);
    return status == TRM_OK ? set_behind(n, instance, simulation) : status;
}

static void output_values(trm_instance *instance, const trm_state *state, double *values)
{
    trm_instance_outputs(instance, state, values);
}

int trm_neighbours_outputs(trm_neighbours *n, int parameter, trm_instance *instance,
                           const trm_state *state, const trm_state *along, double *values)
{
    TRMI_REQUIRE(NULL, n, "neighbours");
    TRMI_REQUIRE(NULL, instance, "instance");
    TRMI_REQUIRE(NULL, state, "state");
    TRMI_REQUIRE(NULL, along, "along");
    TRMI_REQUIRE(NULL, values, "values");
    if (parameter < 0 || parameter >= n->count)
        return -1;
    int count = instance->model->names[TRM_CHANNEL_OUTPUT].count;
    return trmi_neighbours_derive(n, parameter, instance, state, along, output_values, count,
                                  values)
               ? 0
               : -1;
}
