// SPDX-License-Identifier: Apache-2.0
// Does with a model all that a program may do with it: reads, simulates some steps with checkpoints
// on the way, looks for an equilibrium and for modes. Whatever the model is, every function
// returns.
#ifndef EXERCISE_H
#define EXERCISE_H

#include "problems/problems.h"
#include "trammel/trammel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXERCISED_STEPS = 40 };

// how far a model came
typedef struct exercised {
    trm_status read, started, ran, equilibrium, modes;
} exercised;

// A checkpoint is taken and loaded again: both simulations do the same step.
static inline void exercise_checkpoint(trm_simulation *s, const trm_system *system,
                                       const trm_options *options, const trm_initial *initial,
                                       double end)
{
    size_t size = trm_simulation_save(s, NULL, 0);
    char *buffer = malloc(size + 1);
    trm_simulation *other = NULL;
    if (buffer && trm_simulation_save(s, buffer, size) == size &&
        trm_simulation_create(&other, system, options, initial, NULL) == TRM_OK &&
        trm_simulation_load(other, buffer, size) == TRM_OK) {
        trm_status a = trm_simulation_step(s, end, NULL), b = trm_simulation_step(other, end, NULL);
        const trm_state *x = trm_simulation_state(s), *y = trm_simulation_state(other);
        bool same = a == b && x->t == y->t &&
                    memcmp(x->q, y->q, (size_t)system->n_q * sizeof *x->q) == 0 &&
                    memcmp(x->v, y->v, (size_t)system->n_q * sizeof *x->v) == 0;
        if (!same) {
            fprintf(
                stderr,
                "a loaded simulation goes on otherwise: status %d and %d, t = %.17g and %.17g\n", a,
                b, x->t, y->t);
            abort();
        }
    }
    trm_simulation_destroy(other);
    free(buffer);
}

static inline trm_status exercise_simulation(trm_instance *instance, const trm_model *model,
                                             trm_status *ran)
{
    trm_simulation *s = NULL;
    const trm_system *system = trm_instance_system(instance);
    const trm_initial *initial = trm_instance_initial(instance);
    trm_options options = *trm_model_options(model);
    trm_error error;
    options.max_steps = EXERCISED_STEPS;
    trm_status status = trm_simulation_create(&s, system, &options, initial, &error);
    if (status != TRM_OK) {
        char text[3000];
        if (trm_error_format(&error, text, sizeof text) <= 0 || !error.text[0])
            abort(); // refused without a word
        return status;
    }
    double end = trm_model_schedule(model)->end;
    const trm_events *events = trm_instance_events(instance);
    double *outputs =
        calloc((size_t)trm_model_count(model, TRM_CHANNEL_OUTPUT) + 1, sizeof *outputs);
    if (events)
        trm_simulation_watch(s, events);
    for (int k = 0; k < EXERCISED_STEPS && trm_simulation_state(s)->t < end; k++) {
        *ran = trm_simulation_step(s, end, NULL);
        const trm_state *state = trm_simulation_state(s), *sample;
        for (int i = 0; i < system->n_q; i++)
            if (!isfinite(state->q[i]))
                abort(); // the last good state is good
        if (*ran < 0)
            break;
        for (int e = 0; *ran == TRM_STOP_EVENT && events && e < events->count; e++)
            if (trm_simulation_fired(s, e) && trm_instance_event(instance, s, e) < 0)
                k = EXERCISED_STEPS;
        trm_simulation_sample(s, state->t, &sample);
        if (outputs)
            trm_instance_outputs(instance, state, outputs);
        if (k == 5 && !events)
            exercise_checkpoint(s, system, &options, initial, end);
    }
    trm_simulation_trust(s);
    trm_simulation_destroy(s);
    free(outputs);
    return status;
}

static inline exercised exercise_model(const char *text, size_t length,
                                       trm_diagnostic_function *report)
{
    exercised e = {TRM_OK, TRM_OK, TRM_OK, TRM_OK, TRM_OK};
    const trm_load load = {.report = report, .problem = trp_problem_open};
    trm_model *model;
    trm_instance *instance;
    e.read = trm_model_read(&model, text, length, "generated.yaml", &load, NULL);
    if (e.read != TRM_OK)
        return e;
    e.started = trm_instance_create(&instance, model, NULL);
    if (e.started == TRM_OK) {
        e.started = exercise_simulation(instance, model, &e.ran);
        trm_equilibrium *q = NULL;
        trm_modes *m = NULL;
        trm_options options = *trm_model_options(model);
        options.max_steps = EXERCISED_STEPS;
        const trm_system *system = trm_instance_system(instance);
        const trm_initial *at = trm_instance_initial(instance);
        e.equilibrium = trm_equilibrium_create(&q, system, &options, at, NULL);
        e.modes = trm_modes_create(&m, system, &options, at, 0, NULL);
        trm_equilibrium_destroy(q);
        trm_modes_destroy(m);
    }
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    return e;
}

#endif
