// SPDX-License-Identifier: Apache-2.0
// Neighbours of a model: the same with a parameter p a little larger and smaller, p +- h,
//
//     h = eps^(1/3) |p|,
//
// where truncation and roundoff of central differences are about equal, eps^(2/3).
#include "modelling/reader/neighbours.h"

#include "base/error.h"
#include "modelling/multibody/machine.h"
#include "modelling/reader/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release_sides(trm_neighbours *n, int k)
{
    trmi_side *const sides[] = {&n->above[k], &n->below[k], &n->derivative[k]};
    for (int s = 0; s < 3; s++) {
        trm_instance_destroy(sides[s]->instance);
        trm_model_destroy(sides[s]->model);
        *sides[s] = (trmi_side){0};
    }
}

static trm_status create_side(trmi_side *s, const trm_model *model, const double *values,
                              trm_error *error)
{
    trm_status status = trm_model_vary(&s->model, model, values, error);
    return status == TRM_OK ? trm_instance_create(&s->instance, s->model, error) : status;
}

static trm_status no_memory(trm_error *error)
{
    return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for neighbours of the model");
}

// The exact derivatives of the equations, where the model has them. Formulas for which a parameter
// has to be a number, such as the points of a table, have none.
static trm_status create_derivative(trm_neighbours *n, int k, const trm_model *model,
                                    const double *value, trm_error *error)
{
    trmi_side *d = &n->derivative[k];
    trm_status status = trmi_model_differentiate(&d->model, model, value, k, error);
    if (status == TRM_OK && d->model)
        status = trm_instance_create(&d->instance, d->model, error);
    if (status == TRM_OK && d->instance)
        n->parameter[k].derivative = trm_instance_system(d->instance);
    return status == TRM_ERR_MEMORY ? status : TRM_OK;
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
    if (status == TRM_ERR_MODEL || status == TRM_ERR_INITIAL) {
        char why[sizeof error->text];
        snprintf(why, sizeof why, "%s", error->text);
        return trmi_error_set(error, status,
                              "there are no sensitivities by '%.60s': the model has no value close "
                              "to %.9g of it (%s)",
                              trm_model_varied(model, k, NULL), at, why);
    }
    if (status != TRM_OK)
        return status;
    trm_parameter *p = &n->parameter[k];
    p->name = trm_model_varied(model, k, NULL);
    p->above = trm_instance_system(n->above[k].instance);
    p->below = trm_instance_system(n->below[k].instance);
    p->initial_above = trm_instance_initial(n->above[k].instance);
    p->initial_below = trm_instance_initial(n->below[k].instance);
    return create_derivative(n, k, model, value, error);
}

static trm_status create_all(trm_neighbours *n, const trm_model *model, const double *values,
                             trm_error *error)
{
    double *value;
    trm_status status = TRM_OK;
    n->model = model;
    n->count = model->kept.count;
    if (n->count == 0)
        return trmi_error_set(error, TRM_ERR_RANGE,
                              "the model was loaded without names of parameters that vary");
    if (!TRMI_TAKE(&n->memory, n->parameter, n->count) ||
        !TRMI_TAKE(&n->memory, n->above, n->count) ||
        !TRMI_TAKE(&n->memory, n->derivative, n->count) ||
        !TRMI_TAKE(&n->memory, n->below, n->count) ||
        !TRMI_TAKE(&n->memory, n->u, 3 * model->system.n_u) ||
        !TRMI_TAKE(&n->memory, n->held, model->system.n_held) ||
        !TRMI_TAKE(&n->memory, n->part, trmi_state_size(&model->system)) ||
        !TRMI_TAKE(&n->memory, n->along, n->count * trmi_state_size(&model->system)) ||
        !TRMI_TAKE(&n->memory, n->before, trmi_state_size(&model->system)) ||
        !TRMI_TAKE(&n->memory, n->delay, n->count) || !TRMI_TAKE(&n->memory, value, n->count))
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

// Whether all that the system has of a parameter are numbers of laws, and stay what they are.
static bool enters_laws_alone(const trm_model *model, int k)
{
    return k < TRMI_MAX_FOLLOWED && !(model->kept.elsewhere >> k & 1) && model->parameters == 0;
}

trm_status trm_neighbours_attach(trm_neighbours *n, trm_instance *instance)
{
    TRMI_REQUIRE(NULL, n, "neighbours");
    TRMI_REQUIRE(NULL, instance, "instance");
    bool good = true;
    if (!trmi_model_machine(n->model) || !trmi_model_machine(instance->model) ||
        instance->system.n_p > 0)
        return TRM_OK;
    for (int k = 0; k < n->count && good; k++)
        if (enters_laws_alone(n->model, k))
            good = trmi_machine_add_parameter(
                instance->machine, &instance->memory, &instance->system, n->model->mechanism,
                UINT64_C(1) << k, trmi_model_machine(n->above[k].model),
                trmi_model_machine(n->below[k].model), n->parameter[k].width,
                &n->parameter[k].force_column);
    return good ? TRM_OK : TRM_ERR_MEMORY;
}

const trm_parameter *trm_neighbours_parameters(const trm_neighbours *n, int *count)
{
    if (!n)
        return NULL;
    if (count)
        *count = n->count;
    return n->parameter;
}
