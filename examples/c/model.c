// SPDX-License-Identifier: Apache-2.0
// A model file from C: a bouncing ball. Prints its height every 0.1 s, from inside
// the steps, and the hits. Another file may be given as argument.
#include <stdio.h>
#include <trammel/trammel.h>

static const char ball[] =
    "trammel: 1\n"
    "parameters: {bounce: 0.8}\n"
    "equations: {coordinates: {y: vy}, mass: [1], force: [-9.81]}\n"
    "initial: {values: {y: 1}}\n"
    "simulate: {end: 1.5, tolerance: 1e-8}\n"
    "events:\n"
    "  hit: {when: y, direction: falling, set: {vy: -bounce*vy}, log: it hits the floor}\n";

static void print_diagnostic(const trm_diagnostic *diagnostic, void *user)
{
    char text[2000];
    (void)user;
    trm_diagnostic_format(diagnostic, text, sizeof text);
    fputs(text, stderr);
}

// What fired at the present time is carried out; 1 when the run shall end.
static int handle_events(const trm_model *model, trm_instance *instance, trm_simulation *simulation)
{
    const trm_events *events = trm_instance_events(instance);
    int stop = 0, fired[64] = {0};
    for (int k = 0; k < events->count; k++) // a restart forgets it
        fired[k] = trm_simulation_fired(simulation, k);
    for (int k = 0; k < events->count; k++) {
        if (!fired[k])
            continue;
        printf("t %8.6f  %s: %s\n", trm_simulation_state(simulation)->t, events->names[k],
               trm_model_event_text(model, k));
        stop = stop || trm_instance_event(instance, simulation, k) != TRM_OK ||
               trm_model_event_action(model, k) == TRM_EVENT_STOP;
    }
    return stop;
}

// Steps to the end of the model and samples its first position on a grid of its own.
static trm_status simulate(const trm_model *model, trm_instance *instance,
                           trm_simulation *simulation)
{
    const double end = trm_model_schedule(model)->end;
    const char *name = trm_model_channel(model, TRM_CHANNEL_POSITION, 0);
    trm_status status = trm_simulation_watch(simulation, trm_instance_events(instance));
    int points = 0, stop = 0;
    for (double t = 0.0; status == TRM_OK && !stop && t < end;) {
        status = trm_simulation_step(simulation, end, &t);
        const trm_state *at;
        for (; 0.1 * points <= t; points++)
            if (trm_simulation_sample(simulation, 0.1 * points, &at) == TRM_OK)
                printf("t %8.6f  %s %9.6f\n", at->t, name, at->q[0]);
        if (status == TRM_STOP_EVENT) {
            stop = handle_events(model, instance, simulation);
            status = trm_simulation_error(simulation)->status;
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    const trm_load load = {.report = print_diagnostic};
    trm_model *model = NULL;
    trm_instance *instance = NULL;
    trm_simulation *simulation = NULL;
    trm_error error;
    trm_status status = argc > 1
                            ? trm_model_load(&model, argv[1], &load, &error)
                            : trm_model_read(&model, ball, sizeof ball - 1, "ball", &load, &error);
    if (status == TRM_OK)
        status = trm_instance_create(&instance, model, &error);
    if (status == TRM_OK)
        status =
            trm_simulation_create(&simulation, trm_instance_system(instance),
                                  trm_model_options(model), trm_instance_initial(instance), &error);
    if (status == TRM_OK) {
        status = simulate(model, instance, simulation);
        error = *trm_simulation_error(simulation);
    }
    char text[2048] = "";
    int reported = !model && status != TRM_ERR_MEMORY; // of a file everything has been reported
    if (status != TRM_OK && !reported)
        trm_error_format(&error, text, sizeof text);
    fputs(text, stderr);
    trm_simulation_destroy(simulation);
    trm_instance_destroy(instance);
    trm_model_destroy(model);
    return status == TRM_OK ? 0 : 1;
}
