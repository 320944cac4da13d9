// SPDX-License-Identifier: Apache-2.0
#include "program/run/values.h"

#include "modelling/reader/model.h"

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

trm_status trmi_values_at(const trm_model *model, trm_instance *instance,
                          trm_simulation *simulation, double t, double *value,
                          const trm_state **state)
{
    trm_status status = trm_simulation_sample(simulation, t, state);
    if (status != TRM_OK)
        return status;
    const trm_state *s = *state;
    const double *part[] = {s->q, s->v, s->a, s->x, s->z, s->lambda};
    for (int kind = 0; kind < TRM_CHANNEL_OUTPUT; kind++) {
        int n = trm_model_count(model, (trm_channel_kind)kind);
        if (n > 0)
            memcpy(value, part[kind], (size_t)n * sizeof *value);
        value += n;
    }
    trmi_values_computed(instance, s, value);
    return TRM_OK;
}
