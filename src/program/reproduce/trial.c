// SPDX-License-Identifier: Apache-2.0
#include "program/reproduce/trial.h"
#include "base/error.h"
#include "problems/problems.h"

#include "program/run/run.h"

#include <assert.h>
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

// the summary, which is JSON and therefore YAML, as a tree
static bool keep_summary(trmi_trial *trial, const trmi_run *run)
{
    char *text = trmi_summary_json(run);
    trmi_document *d = NULL;
    if (text)
        d = trmi_document_read(&trial->memory, "summary", text, strlen(text), NULL, NULL);
    free(text);
    if (!d || trmi_document_errors(d) > 0)
        return false;
    trial->summary = trmi_document_root(d);
    return true;
}

// "text (at t = 0.1 s)"
static void keep_failure(trmi_trial *trial, const trm_error *error)
{
    int length = snprintf(trial->failure, sizeof trial->failure, "%s: %s",
                          trm_status_text(error->status), error->text);
    if (error->t == error->t && length > 0 && (size_t)length < sizeof trial->failure)
        snprintf(trial->failure + length, sizeof trial->failure - (size_t)length,
                 " (at t = %.4g s)", error->t);
}

static int judge_run(trmi_trial *trial, const trmi_reproduce_context *lab, const trmi_run *run)
{
    if (run->outcome == TRMI_RUN_INTERRUPTED)
        return INTERRUPTED;
    if (run->outcome == TRMI_RUN_FAILED && run->stage == TRMI_STAGE_RESULTS) {
        trmi_print_error(lab->voice, trm_model_name(run->request.model), &run->error);
        return TRMI_EXIT_RESULTS;
    }
    if (!keep_summary(trial, run)) {
        trmi_usage_error("no memory for the summary of a run");
        return TRMI_EXIT_FAILED;
    }
    trial->finished = run->outcome == TRMI_RUN_DONE;
    if (!trial->finished)
        keep_failure(trial, &run->error);
    return TRMI_EXIT_DONE;
}

// with -v the library may speak: what it warns of is known here and repeats with every run
static trm_log_function *choose_log(const trmi_console *voice)
{
    return voice->level > 1 ? trmi_print_log : NULL;
}

static int run_model(trmi_trial *trial, const trmi_reproduce_context *lab, const trm_model *model,
                     const char *hdf5)
{
    trmi_run_request request = {.model = model,
                                .stop = lab->stop,
                                .log = choose_log(lab->voice),
                                .log_level = trmi_log_level(lab->voice),
                                .log_user = (void *)lab->voice};
    request.write[TRMI_FORMAT_hdf5] = hdf5 != NULL;
    request.path[TRMI_FORMAT_hdf5] = hdf5;
    trmi_run *run = trmi_run_create(&request);
    if (!run) {
        trmi_usage_error("no memory for a run");
        return TRMI_EXIT_FAILED;
    }
    trmi_run_go(run);
    int code = judge_run(trial, lab, run);
    trmi_run_destroy(run);
    return code;
}

// ---- loading ----

typedef struct listener {
    const trmi_console *voice;
    int refused;
} listener;

// A setting that draws a warning (a parameter that nothing uses) is a mistake in the experiment: it
// would measure something else. Warnings of the model itself would repeat with every run.
static void hear_diagnostic(const trm_diagnostic *diagnostic, void *user)
{
    listener *l = user;
    trm_diagnostic heard = *diagnostic;
    bool setting = heard.file && strncmp(heard.file, "--set ", 6) == 0;
    if (!heard.error && setting) {
        heard.error = 1;
        l->refused++;
    }
    if (heard.error || l->voice->level > 1)
        trmi_print_diagnostic(&heard, (void *)l->voice);
}

static int load_model(trm_model **model, const trmi_reproduce_context *lab, const char *path,
                      const trmi_assignments *set)
{
    listener l = {.voice = lab->voice};
    const trm_load load = {set->text, hear_diagnostic, &l, trp_problem_open};
    trm_error error = trmi_no_error();
    trm_status status = trm_model_load(model, path, &load, &error);
    if (status == TRM_OK && l.refused == 0)
        return TRMI_EXIT_DONE;
    if (status == TRM_OK)
        trm_model_destroy(*model);
    bool told = status == TRM_OK || status == TRM_ERR_MODEL || status == TRM_ERR_INITIAL;
    if (!told) { // else the diagnostics have
        trmi_print_error(lab->voice, path, &error);
        return TRMI_EXIT_FAILED;
    }
    return TRMI_EXIT_MODEL;
}

int trmi_trial_run(trmi_trial *trial, const trmi_reproduce_context *lab, const char *path,
                   const trmi_assignments *set, const char *hdf5)
{
    *trial = (trmi_trial){0};
    trmi_memory_init(&trial->memory, NULL);
    trm_model *model;
    int code = load_model(&model, lab, path, set);
    if (code != TRMI_EXIT_DONE)
        return code;
    code = run_model(trial, lab, model, hdf5);
    trm_model_destroy(model);
    return code;
}

void trmi_trial_release(trmi_trial *trial)
{
    trmi_memory_release_all(&trial->memory);
    *trial = (trmi_trial){0};
}
