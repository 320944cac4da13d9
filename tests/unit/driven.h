// SPDX-License-Identifier: Apache-2.0
// A model as programs run it: an instance and a simulation of its own, a sample in every step, and
// what events do. Without assertions: it is called from threads, too.
#ifndef UNIT_DRIVEN_H
#define UNIT_DRIVEN_H

#include "trammel/trammel.h"

#include <string.h>

// equations with events and states, mechanisms with loops, elastic beams, a wheelset on rails
static const char *const driven_models[] = {
    "tests/cli/repro/ev.yaml",
    "examples/bouncing-ball.yaml",
    "examples/motor.yaml",
    "examples/pendulum.yaml",
    "examples/mechanisms/four-bar.yaml",
    "examples/mechanisms/gyroscope.yaml",
    "examples/mechanisms/hydraulic-arm.yaml",
    "examples/mechanisms/stewart.yaml",
    "examples/mechanisms/spin-up-beam.yaml",
    "examples/vehicles/wheelset-small.yaml",
};
enum { DRIVEN_MODELS = sizeof driven_models / sizeof *driven_models, DRIVEN_SIZE = 64 };

#define DRIVEN_NUMBER(name, ...) +1
enum { DRIVEN_INTEGRATORS = 0 TRM_INTEGRATOR_LIST(DRIVEN_NUMBER) };

typedef struct driven {
    const trm_model *model;
    trm_integrator integrator;
    trm_status status;
    int steps;
    double t, q[DRIVEN_SIZE], v[DRIVEN_SIZE]; // at the end
} driven;

static inline void drive_step(driven *d, trm_instance *instance, trm_simulation *s)
{
    const trm_state *sample;
    const trm_events *events = trm_instance_events(instance);
    d->status = trm_simulation_step(s, trm_model_schedule(d->model)->end, &d->t);
    if (d->status >= 0)
        trm_simulation_sample(s, d->t, &sample);
    for (int k = 0; d->status == TRM_STOP_EVENT && k < events->count; k++)
        if (trm_simulation_fired(s, k))
            trm_instance_event(instance, s, k);
}

// At most `steps` steps.
static inline void drive(driven *d, int steps)
{
    trm_instance *instance = NULL;
    trm_simulation *s = NULL;
    trm_options options = *trm_model_options(d->model);
    options.integrator = d->integrator;
    options.h_fixed = 0;
    d->status = trm_instance_create(&instance, d->model, NULL);
    if (d->status == TRM_OK)
        d->status = trm_simulation_create(&s, trm_instance_system(instance), &options,
                                          trm_instance_initial(instance), NULL);
    if (s && trm_instance_events(instance))
        d->status = trm_simulation_watch(s, trm_instance_events(instance));
    for (d->steps = 0; s && d->status >= 0 && d->steps < steps; d->steps++)
        drive_step(d, instance, s);
    if (s) {
        int n = trm_instance_system(instance)->n_q;
        size_t bytes = (size_t)(n < DRIVEN_SIZE ? n : DRIVEN_SIZE) * sizeof *d->q;
        memcpy(d->q, trm_simulation_state(s)->q, bytes);
        memcpy(d->v, trm_simulation_state(s)->v, bytes);
    }
    trm_simulation_destroy(s);
    trm_instance_destroy(instance);
}

#endif
