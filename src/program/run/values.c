// SPDX-License-Identifier: Apache-2.0
#include "program/run/values.h"

#include "modelling/reader/model.h"
#include "modelling/reader/neighbours.h"

#include <math.h>
#include <string.h>

trm_channel_kind trmi_values_kind(const trm_model *model, int *index)
{
    int kind = 0;
    while (kind + 1 < TRM_CHANNEL_KINDS && *index >= trm_model_count(model, (trm_channel_kind)kind))
        *index -= trm_model_count(model, (trm_channel_kind)kind++);
    return (trm_channel_kind)kind;
}

int trmi_values_count(const trm_model *model)
{
    int count = 0;
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++)
        count += trm_model_count(model, (trm_channel_kind)kind);
    return count;
}

void trmi_values_computed(trm_instance *instance, const trm_state *state, double *value)
{
    const trm_model *model = instance->model;
    trm_instance_outputs(instance, state, value);
    value += trm_model_count(model, TRM_CHANNEL_OUTPUT);
    trmi_instance_mechanism(instance, state, value);
    value +=
        trm_model_count(model, TRM_CHANNEL_BODY) + trm_model_count(model, TRM_CHANNEL_REACTION);
    trmi_instance_forces(instance, state, value);
}

// [q | v | a | x | z | lambda] of a state; where the computed values begin
static double *put_state(const trm_model *model, const trm_state *s, double *value)
{
    const double *part[] = {s->q, s->v, s->a, s->x, s->z, s->lambda};
    for (int kind = 0; kind < TRM_CHANNEL_OUTPUT; kind++) {
        int n = trm_model_count(model, (trm_channel_kind)kind);
        if (n > 0)
            memcpy(value, part[kind], (size_t)n * sizeof *value);
        value += n;
    }
    return value;
}

trm_status trmi_values_at(const trm_model *model, trm_instance *instance,
                          trm_simulation *simulation, double t, double *value,
                          const trm_state **state)
{
    trm_status status = trm_simulation_sample(simulation, t, state);
    if (status != TRM_OK)
        return status;
    trmi_values_computed(instance, *state, put_state(model, *state, value));
    return TRM_OK;
}

trm_status trmi_values_derivative(trm_instance *instance, trm_simulation *simulation,
                                  trm_neighbours *neighbours, int parameter, const trm_state *state,
                                  double *value)
{
    const trm_model *model = instance->model;
    const trm_state *along;
    trm_status status = trm_simulation_sensitivity(simulation, state->t, parameter, &along);
    if (status != TRM_OK)
        return status;
    double *computed = put_state(model, along, value);
    int count = trmi_values_count(model) - (int)(computed - value);
    return trmi_neighbours_derive(neighbours, parameter, instance, state, along,
                                  trmi_values_computed, count, computed)
               ? TRM_OK
               : TRM_ERR_MEMORY;
}

const char *trmi_lost_text(double value)
{
    return isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
