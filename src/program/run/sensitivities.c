// SPDX-License-Identifier: Apache-2.0
// The sensitivities of a run: channels sensitivity/PARAMETER/GROUP beside those of the model, and
// those at the end in the summary.
#include "program/run/run.h"

#include "base/error.h"
#include "modelling/reader/model.h"
#include "modelling/reader/neighbours.h"
#include "program/run/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool trmi_sensitivities_begin(trmi_run *run)
{
    int count = run->parameters * run->sample_size;
    if (!TRMI_TAKE(&run->memory, run->final_sensitivity, count))
        return false;
    for (int k = 0; k < count; k++)
        run->final_sensitivity[k] = NAN;
    return true;
}

bool trmi_sensitivities_channels(trmi_run *run)
{
    trmi_channel *to = run->channel + run->sample_size + TRMI_OWN_CHANNELS;
    for (int p = 0; p < run->parameters; p++) {
        const char *group = "", *last = NULL;
        for (int k = 0; k < run->sample_size; k++) {
            const trmi_channel *of = &run->channel[k];
            if (!last || strcmp(last, of->group) != 0) { // the groups follow each other
                char name[160], *kept;
                int length = snprintf(name, sizeof name, "sensitivity/%.80s/%.40s",
                                      run->parameter[p].name, of->group);
                if (!TRMI_TAKE(&run->memory, kept, length + 1))
                    return false;
                group = strcpy(kept, name);
                last = of->group;
            }
            *to++ = (trmi_channel){group, of->name, "", "derivative by the parameter"};
        }
    }
    return true;
}

bool trmi_sensitivities_row(trmi_run *run, const trm_state *state, double *out)
{
    for (int p = 0; p < run->parameters; p++, out += run->sample_size) {
        trm_error error = trmi_no_error();
        trm_status status = trmi_values_derivative(run->instance, run->simulation,
                                                   run->request.neighbours, p, state, out);
        if (status == TRM_ERR_MEMORY)
            trmi_error_set(&error, status, "no memory for sensitivities of the outputs");
        else if (status != TRM_OK)
            error = *trm_simulation_error(run->simulation);
        if (status != TRM_OK)
            return trmi_run_fail(run, TRMI_STAGE_SIMULATION, &error);
    }
    return true;
}

void trmi_sensitivities_json(const trmi_run *run, trmi_json *json)
{
    const trm_model *m = run->request.model;
    const double *value = run->final_sensitivity;
    trmi_json_begin_object(json, "sensitivity");
    for (int p = 0; p < run->parameters; p++) {
        trmi_json_begin_object(json, run->parameter[p].name);
        for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++) {
            int n = trm_model_count(m, (trm_channel_kind)kind);
            if (n == 0)
                continue;
            trmi_json_begin_object(json, trmi_channel_group[kind]);
            for (int i = 0; i < n; i++)
                trmi_json_number(json, trm_model_channel(m, (trm_channel_kind)kind, i),
                                 value ? *value++ : NAN); // no memory
            trmi_json_end(json);
        }
        trmi_json_end(json);
    }
    trmi_json_end(json);
}
