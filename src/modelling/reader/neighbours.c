// SPDX-License-Identifier: Apache-2.0
// Neighbours of a model: the same with a parameter p a little larger and smaller, p +- h,
//
//     h = eps^(1/3) |p|,
//
// where truncation and roundoff of central differences are about equal, eps^(2/3).
#include "modelling/reader/neighbours.h"

#include "base/error.h"
#include "modelling/reader/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct side {
    trm_model *model;
    trm_instance *instance;
} side;

struct trm_neighbours {
    trmi_memory memory;
    int count;
    trm_parameter *parameter;
    side *above, *below;
    double *u;    // 3 n_u
    double *part; // a state beside another
    double *value[2];
    int values; // numbers in each of them
};

static void release_sides(trm_neighbours *n, int k)
{
    side *const sides[] = {&n->above[k], &n->below[k]};
    for (int s = 0; s < 2; s++) {
        trm_instance_destroy(sides[s]->instance);
        trm_model_destroy(sides[s]->model);
        *sides[s] = (side){0};
    }
}

static trm_status create_side(side *s, const trm_model *model, const double *values,
                              trm_error *error)
{
    trm_status status = trm_model_vary(&s->model, model, values, error);
    return status == TRM_OK ? trm_instance_create(&s->instance, s->model, error) : status;
}

static trm_status no_memory(trm_error *error)
{
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for neighbours of the model");
}

// Both neighbours of a parameter, with `value` for all of them. Where a parameter is at the end of
// what the model allows, a damping of 0, there is one on one side only; p itself takes the place of
// the other, and the difference is not central: eps^(1/2).
static trm_status create_sides(trm_neighbours *n, int k, const trm_model *model, double *value,
                               trm_error *error)
{
    const double at = value[k], size = at != 0 ? fabs(at) : 1;
    const double h = cbrt(DBL_EPSILON) * size, less = sqrt(DBL_EPSILON) * size;
    const double try[3][2] = {{at + h, at - h}, {at + less, at}, {at, at - less}};
    trm_status status = TRM_OK;
    for (int i = 0; i < 3; i++) {
        value[k] = try[i][0];
        status = create_side(&n->above[k], model, value, error);
        value[k] = try[i][1];
        if (status == TRM_OK)
            status = create_side(&n->below[k], model, value, error);
        value[k] = at;
        n->parameter[k].width = try[i][0] - try[i][1];
        if (status != TRM_ERR_MODEL && status != TRM_ERR_INITIAL)
            break;
        release_sides(n, k);
    }
    if (status != TRM_OK)
        return status;
    trm_parameter *p = &n->parameter[k];
    p->name = trm_model_varied(model, k, NULL);
    p->above = trm_instance_system(n->above[k].instance);
    p->below = trm_instance_system(n->below[k].instance);
    p->initial_above = trm_instance_initial(n->above[k].instance);
    p->initial_below = trm_instance_initial(n->below[k].instance);
    return TRM_OK;
}

// What events change would have to be differentiated, with the time of the event.
static trm_status refuse_jumps(const trm_model *model, trm_error *error)
{
    for (int k = 0; k < model->events; k++)
        if (model->event[k].action == TRM_EVENT_RESTART || model->event[k].sets > 0)
            return trmi_error_set(error, TRM_ERR_MODEL,
                                  "event %.60s restarts the motion: sensitivities end there",
                                  model->event_names[k]);
    return TRM_OK;
}

static int state_size(const trm_system *y)
{
    return 3 * y->n_q + y->n_x + y->n_z + y->n_g + y->n_a;
}

static trm_status create_all(trm_neighbours *n, const trm_model *model, const double *values,
                             trm_error *error)
{
    double *value;
    trm_status status = refuse_jumps(model, error);
    if (status != TRM_OK)
        return status;
    n->count = model->kept.count;
    if (n->count == 0)
        return trmi_error_set(error, TRM_ERR_RANGE,
                              "the model was loaded without names of parameters that vary");
    if (!TRMI_TAKE(&n->memory, n->parameter, n->count) ||
        !TRMI_TAKE(&n->memory, n->above, n->count) || !TRMI_TAKE(&n->memory, n->below, n->count) ||
        !TRMI_TAKE(&n->memory, n->u, 3 * model->system.n_u) ||
        !TRMI_TAKE(&n->memory, n->part, state_size(&model->system)) ||
        !TRMI_TAKE(&n->memory, value, n->count))
        return no_memory(error);
    memcpy(value, values ? values : model->kept.value, (size_t)n->count * sizeof *value);
    for (int k = 0; k < n->count && status == TRM_OK; k++)
        status = create_sides(n, k, model, value, error);
    return status;
}

trm_status trm_neighbours_create(trm_neighbours **out, const trm_model *model, const double *values,
                                 trm_error *error)
{
    TRMI_REQUIRE(error, out, "out");
    *out = NULL;
    TRMI_REQUIRE(error, model, "model");
    trm_error local;
    error = error ? error : &local;
    trmi_error_clear(error);
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trm_neighbours *n;
    if (!TRMI_TAKE(&memory, n, 1))
        return no_memory(error);
    n->memory = memory;
    trm_status status = create_all(n, model, values, error);
    if (status == TRM_OK)
        *out = n;
    else
        trm_neighbours_destroy(n);
    return status;
}

void trm_neighbours_destroy(trm_neighbours *n)
{
    if (!n)
        return;
    for (int k = 0; k < n->count && n->below; k++)
        release_sides(n, k);
    trmi_memory memory = n->memory; // it lies in it
    trmi_memory_release_all(&memory);
}

const trm_parameter *trm_neighbours_parameters(const trm_neighbours *n, int *count)
{
    if (!n)
        return NULL;
    if (count)
        *count = n->count;
    return n->parameter;
}

// ---- derivatives of what instances compute ----

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
    n->values = count;
    return TRMI_TAKE(&n->memory, n->value[0], count) && TRMI_TAKE(&n->memory, n->value[1], count);
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
        const trm_state beside = move(n, state, &at, &by, s == 0 ? h : -h);
        function(instance, &beside, n->value[s]);
    }
    add_difference(n, count, 1 / (2 * h), values);
    return true;
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
