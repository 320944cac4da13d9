// SPDX-License-Identifier: Apache-2.0
// Mechanisms from files in motion, and what became of their bodies and joints.
#ifndef VERIFY_MECHANISM_RUNS_H
#define VERIFY_MECHANISM_RUNS_H

#include "models.h"

#include "modelling/reader/model.h"

#include <math.h>

enum { VALUES = 256 };

static const char *const coordinates[] = {"mechanism.coordinates=joint",
                                          "mechanism.coordinates=absolute"};

static inline trm_simulation *start(model_case *c)
{
    trm_simulation *simulation;
    trm_status status = trm_simulation_create(&simulation, c->system, trm_model_options(c->model),
                                              trm_instance_initial(c->instance), &c->error);
    if (status != TRM_OK)
        fail_msg("%s", c->error.text);
    return simulation;
}

static inline void run_to(trm_simulation *simulation, double end)
{
    if (trm_simulation_run(simulation, end) != TRM_OK)
        fail_msg("%s", trm_simulation_error(simulation)->text);
}

// A number of a body or joint by its channel, such as crank_x or pivot_fx, at the present state.
static inline double channel(model_case *c, const trm_simulation *simulation, const char *name)
{
    double values[VALUES];
    int bodies = trm_model_count(c->model, TRM_CHANNEL_BODY),
        reactions = trm_model_count(c->model, TRM_CHANNEL_REACTION);
    assert_true(bodies + reactions <= VALUES);
    trmi_instance_mechanism(c->instance, trm_simulation_state(simulation), values);
    for (int i = 0; i < bodies; i++)
        if (!strcmp(trm_model_channel(c->model, TRM_CHANNEL_BODY, i), name))
            return values[i];
    for (int i = 0; i < reactions; i++)
        if (!strcmp(trm_model_channel(c->model, TRM_CHANNEL_REACTION, i), name))
            return values[bodies + i];
    fail_msg("no channel %s", name);
    return NAN;
}

#endif
