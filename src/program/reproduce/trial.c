// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/trial.h"
#include "base/error.h"
#include "problems/problems.h"

#include "program/run/run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERRUPTED = 130 };

void trmi_assignments_add(trmi_assignments *list, const trmi_settings *settings)
{
    for (int k = 0; k < settings->count; k++) {
        assert(list->count < TRMI_TRIAL_SETTINGS - 1);
        list->text[list->count++] = settings->setting[k].assignment;
    }
}

static int judge_run(trmi_trial *trial, const trmi_reproduce_context *context, const trmi_run *run)
{
    if (run->outcome == TRMI_RUN_INTERRUPTED)
        return INTERRUPTED;
    if (run->outcome == TRMI_RUN_FAILED && run->stage == TRMI_STAGE_RESULTS)
        return trmi_exit_after(TRMI_EXIT_RESULTS, context->console,
                               trm_model_name(run->request.model), &run->error);
    if (run->outcome == TRMI_RUN_FAILED && run->error.status == TRM_ERR_MEMORY)
        return trmi_exit_after(TRMI_EXIT_FAILED, context->console,
                               trm_model_name(run->request.model), &run->error);
    // the summary is JSON and therefore YAML
    char *text = trmi_summary_json(run);
    trmi_document *d = NULL;
    if (text)
        d = trmi_document_read(&trial->memory, "summary", text, strlen(text), NULL, NULL);
    free(text);
    if (!d || trmi_document_errors(d) > 0)
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for the summary of a run");
    trial->summary = trmi_document_root(d);
    trial->finished = run->outcome == TRMI_RUN_DONE;
    if (trial->finished)
        return TRMI_EXIT_DONE;
    const trm_error *error = &run->error;
    int length = snprintf(trial->failure, sizeof trial->failure, "%s: %s",
                          trm_status_text(error->status), error->text);
    if (!isnan(error->t) && length > 0 && (size_t)length < sizeof trial->failure)
        snprintf(trial->failure + length, sizeof trial->failure - (size_t)length,
                 " (at t = %.4g s)", error->t);
    return TRMI_EXIT_DONE;
}

static int run_model(trmi_trial *trial, const trmi_reproduce_context *context,
                     const trm_model *model, const char *hdf5)
{
    trmi_run_request request = {.model = model,
                                .stop = context->stop,
                                // warnings repeat with every run: they are shown with -v
                                .log = context->console->level > 1 ? trmi_print_log : NULL,
                                .log_level = trmi_log_level(context->console),
                                .log_user = (void *)context->console};
    request.write[TRMI_FORMAT_hdf5] = hdf5 != NULL;
    request.path[TRMI_FORMAT_hdf5] = hdf5;
    trmi_run *run = trmi_run_create(&request);
    if (!run)
        return trmi_exit_with(TRMI_EXIT_FAILED, "no memory for a run");
    trmi_run_go(run);
    int code = judge_run(trial, context, run);
    trmi_run_destroy(run);
    return code;
}

// ---- loading ----

typedef struct listener {
    const trmi_console *console;
    int refused;
} listener;

// A setting that draws a warning (a parameter that nothing uses) is a mistake in the experiment: it
// would measure something else. Warnings of the model itself would repeat with every run.
static void take_diagnostic(const trm_diagnostic *diagnostic, void *user)
{
    listener *l = user;
    trm_diagnostic d = *diagnostic;
    if (!d.error && d.file && strncmp(d.file, "--set ", 6) == 0) {
        d.error = 1;
        l->refused++;
    }
    if (d.error || l->console->level > 1)
        trmi_print_diagnostic(&d, (void *)l->console);
}

static int load_model(trm_model **model, const trmi_reproduce_context *context, const char *path,
                      const trmi_assignments *set)
{
    listener l = {.console = context->console};
    const trm_load load = {
        .set = set->text, .report = take_diagnostic, .user = &l, .problem = trp_problem_open};
    trm_error error = trmi_no_error();
    trm_status status = trm_model_load(model, path, &load, &error);
    if (status == TRM_OK && l.refused == 0)
        return TRMI_EXIT_DONE;
    if (status == TRM_OK)
        trm_model_destroy(*model);
    if (status == TRM_OK || status == TRM_ERR_MODEL || status == TRM_ERR_INITIAL)
        return TRMI_EXIT_MODEL; // the diagnostics have reported it
    return trmi_exit_after(TRMI_EXIT_FAILED, context->console, path, &error);
}

int trmi_trial_run(trmi_trial *trial, const trmi_reproduce_context *context, const char *path,
                   const trmi_assignments *set, const char *hdf5)
{
    *trial = (trmi_trial){0};
    trmi_memory_init(&trial->memory, NULL);
    trm_model *model;
    int code = load_model(&model, context, path, set);
    if (code != TRMI_EXIT_DONE)
        return code;
    code = run_model(trial, context, model, hdf5);
    trm_model_destroy(model);
    return code;
}

// the structure at the consistent start
static trm_status find_matrix(trmi_trial_matrices *out, trmi_memory *memory, const trm_model *model,
                              trm_error *error)
{
    trm_instance *instance = NULL;
    trm_simulation *simulation = NULL;
    trm_status status = trm_instance_create(&instance, model, error);
    if (status == TRM_OK)
        status =
            trm_simulation_create(&simulation, trm_instance_system(instance),
                                  trm_model_options(model), trm_instance_initial(instance), error);
    if (status == TRM_OK)
        status = trmi_newton_pattern_create(&out->declared, memory, TRMI_PATTERN_DECLARED,
                                            trm_instance_system(instance),
                                            trm_simulation_state(simulation), error);
    if (status == TRM_OK)
        status = trmi_newton_pattern_create(&out->dependent, memory, TRMI_PATTERN_DEPENDENT,
                                            trm_instance_system(instance),
                                            trm_simulation_state(simulation), error);
    trm_simulation_destroy(simulation);
    trm_instance_destroy(instance);
    return status;
}

int trmi_trial_matrix(trmi_trial_matrices *out, trmi_memory *memory,
                      const trmi_reproduce_context *context, const char *path,
                      const trmi_assignments *set)
{
    trm_model *model;
    trm_error error = trmi_no_error();
    int code = load_model(&model, context, path, set);
    if (code != TRMI_EXIT_DONE)
        return code;
    if (find_matrix(out, memory, model, &error) != TRM_OK)
        code = trmi_exit_after(TRMI_EXIT_INITIAL, context->console, path, &error);
    trm_model_destroy(model);
    return code;
}

void trmi_trial_release(trmi_trial *trial)
{
    trmi_memory_release_all(&trial->memory);
    *trial = (trmi_trial){0};
}
