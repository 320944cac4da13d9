// SPDX-License-Identifier: Apache-2.0
// Mechanisms from files in motion, and what became of their bodies and joints.
#ifndef VERIFY_MECHANISM_RUNS_H
#define VERIFY_MECHANISM_RUNS_H

#include "models.h"

#include "modelling/reader/model.h"
#include "trammel/check.h"

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

static inline void assert_near(double is, double should, double within)
{
    if (!(fabs(is - should) <= within))
        fail_msg("%.12g, not %.12g", is, should);
}

// The outputs of a model in these coordinates at a time.
static inline void run_outputs(const char *text, int k, double t, double *value)
{
    model_case c;
    const char *const set[] = {coordinates[k], NULL};
    model_try(&c, text, "m.yaml", set);
    model_instantiate(&c);
    trm_simulation *s = start(&c);
    run_to(s, t);
    trm_instance_outputs(c.instance, trm_simulation_state(s), value);
    trm_simulation_destroy(s);
    model_close(&c);
}

// Derivatives at three states near the start agree with differences.
static inline void assert_derivatives(model_case *c, const char *coordinates_of, double near)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const model_point p = model_near(c->system, trm_instance_initial(c->instance), near, seed);
        const trm_state at = model_view(&p);
        if (trm_system_check_derivatives(c->system, &at, 1e-6, NULL, &c->error) != TRM_OK)
            fail_msg("%s %s: %s", coordinates_of, c->error.item, c->error.text);
    }
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
