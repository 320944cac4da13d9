// SPDX-License-Identifier: Apache-2.0
// The loop of a run.
#define _POSIX_C_SOURCE 200809L
#include "program/run/run.h"
#include "base/clock.h"

#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/files/file_error.h"
#include "program/run/checkpoint.h"
#include "program/run/features.h"
#include "program/run/values.h"
#include "program/view/scene.h"
#include "trammel/version.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Within so many steps of the end the end begins to shape the steps (rests are halved, failed
// attempts may be followed by longer ones): the state before that is kept.
static const double END_SHADOW = 5;
// More rows than this in a step may take so long that an interrupt comes between them.
static const double MANY_ROWS = 50;
// seconds between checkpoints
static const double SAVE_EVERY = 60;

static bool fail_memory(trmi_run *run)
{
    trm_error error = trmi_no_error();
    trmi_error_set(&error, TRM_ERR_MEMORY, "no memory for the run");
    return trmi_run_fail(run, TRMI_STAGE_SIMULATION, &error);
}

static bool create_simulation(trmi_run *run)
{
    const trm_model *model = run->request.model;
    trm_error error = trmi_no_error();
    trm_status status = trm_instance_create(&run->instance, model, &error);
    if (status != TRM_OK)
        return trmi_run_fail(run, TRMI_STAGE_SIMULATION, &error);
    trm_options options = *trmi_run_options(run);
    options.log = run->request.log;
    options.log_row = run->request.log_row;
    options.log_level = run->request.log_level;
    options.user = run->request.log_user;
    const trm_system *system = trm_instance_system(run->instance);
    const trm_initial *initial = trm_instance_initial(run->instance);
    run->parameter = trm_neighbours_parameters(run->request.neighbours, &run->parameters);
    if (run->parameters > 0 &&
        trm_neighbours_attach(run->request.neighbours, run->instance) != TRM_OK)
        return fail_memory(run);
    status = run->parameters > 0
                 ? trm_simulation_create_sensitive(&run->simulation, system, &options, initial,
                                                   run->parameter, run->parameters, &error)
                 : trm_simulation_create(&run->simulation, system, &options, initial, &error);
    if (status == TRM_OK)
        status = trm_simulation_watch(run->simulation, trm_instance_events(run->instance));
    if (status == TRM_OK)
        return true;
    if (run->simulation) { // an event function has no value at the start
        error = *trm_simulation_error(run->simulation);
        trm_simulation_destroy(run->simulation);
        run->simulation = NULL;
    }
    bool model_at_fault = status == TRM_ERR_OPTION || status == TRM_ERR_SYSTEM;
    return trmi_run_fail(run, model_at_fault ? TRMI_STAGE_MODEL : TRMI_STAGE_INITIAL, &error);
}

static bool has_results(const trmi_run_request *request)
{
    bool some = false;
    for (int k = 0; k < TRMI_FORMATS; k++)
        some = some || request->write[k];
    return some;
}

static bool open_files(trmi_run *run, const trmi_resume *files)
{
    const trm_model *model = run->request.model;
    bool good = true;
    char *options = trmi_options_json(run), *scene = trmi_scene_json(model), features[200];
    trmi_run_info info = {.title = trm_model_name(model),
                          .scene = scene,
                          .options = options,
                          .command_line = run->request.command_line,
                          .version = trm_version(),
                          .features = trmi_features_text(features, sizeof features, ", "),
                          .left_to_system = !run->claim.path && !run->request.resume};
    info.model = trm_model_text(model, &info.model_length);
    for (int k = 0; k < TRMI_FORMATS && good; k++) {
        trm_error error = trmi_no_error();
        if (!run->request.write[k])
            continue;
        run->writer[k] = trmi_writer_open(trmi_formats[k].name, run->request.path[k], &info,
                                          run->channel, run->selection + run->errors,
                                          run->request.resume ? &files[k] : NULL, &error);
        if (!run->writer[k])
            good = trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
    }
    free(options);
    free(scene);
    return good;
}

static bool open_writers(trmi_run *run, const trmi_resume *files)
{
    bool good = !has_results(&run->request) || open_files(run, files);
    free(run->channel);
    run->channel = NULL;
    return good;
}

// What to do after a failure depends on how far the run can be taken up again.
static void advise_after_failure(trmi_run *run)
{
    bool files = run->stage == TRMI_STAGE_RESULTS, limit = run->error.status == TRM_ERR_STEPS;
    if (run->outcome != TRMI_RUN_FAILED || !(files || limit) || !run->simulation ||
        trm_simulation_statistics(run->simulation)->steps == 0)
        return;
    size_t length = strlen(run->error.advice), size = sizeof run->error.advice;
    if (!isnan(run->saved_t))
        snprintf(run->error.advice + length, size - length, "%s--resume goes on from t = %.9g",
                 length ? "; then " : "", run->saved_t);
    else if (files)
        snprintf(run->error.advice + length, size - length,
                 "%sthere is no checkpoint yet: start again", length ? "; " : "");
}

static bool take_samples(trmi_run *run)
{
    const trm_model *m = run->request.model;
    int count = trm_model_schedule(m)->output_count;
    run->sample_size = trmi_values_count(m);
    bool good = TRMI_TAKE(&run->memory, run->sample, count) &&
                TRMI_TAKE(&run->memory, run->final.value, run->sample_size);
    for (int i = 0; i < count && good; i++)
        good = TRMI_TAKE(&run->memory, run->sample[i].value, run->sample_size);
    return good;
}

// Two runs cannot have the same checkpoint. One without results, as in a study whose runs differ in
// the summary, goes on without it.
static bool claim_checkpoint(trmi_run *run)
{
    const char *path = run->request.checkpoint;
    trm_error error = trmi_no_error();
    if (!path)
        return true;
    int code = trmi_file_claim_take(&run->claim, path);
    if (code == EAGAIN && !run->request.resume && !has_results(&run->request)) {
        if (run->request.log)
            run->request.log(TRM_LOG_INFO, "another run writes the checkpoint: this run has none",
                             run->request.log_user);
        return true;
    }
    if (code == 0)
        return true;
    trmi_file_error(&error, "write checkpoint", path, code);
    if (code == EAGAIN)
        trmi_error_advise(&error, "wait for it, or choose another --out; runs of a study that "
                                  "need no checkpoint: --no-checkpoint");
    return trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
}

trmi_run *trmi_run_create(const trmi_run_request *request)
{
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_run *run;
    if (!TRMI_TAKE(&memory, run, 1))
        return NULL;
    run->memory = memory;
    run->request = *request;
    trmi_error_clear(&run->error);
    run->saved = trmi_clock_seconds();
    run->saved_t = NAN;
    trmi_resume files[TRMI_FORMATS] = {{0}};
    if (!create_simulation(run))
        return run;
    if (!take_samples(run) || !trmi_sensitivities_begin(run) || !trmi_record_channels(run)) {
        fail_memory(run);
        return run;
    }
    run->energy_start = run->energy_end = trm_simulation_energy(run->simulation);
    if (!trmi_run_balance_begin(run) || !claim_checkpoint(run))
        return run;
    if (request->resume && !trmi_resume_load(run, files))
        return run;
    trmi_accuracy_begin(run);
    if (request->resume)
        trmi_accuracy_replay(run, files);
    // A checkpoint of an earlier run does not belong to the files that this run starts again.
    if (open_writers(run, files) && has_results(request) && run->claim.path && !request->resume)
        trmi_checkpoint_remove(request->checkpoint); // usually there is none
    return run;
}

static void announce_event(trmi_run *run, int k, double t)
{
    const trmi_run_request *r = &run->request;
    const char *text = trm_model_event_text(r->model, k);
    char line[300];
    snprintf(line, sizeof line, "t = %.9g: event %.60s%s%.150s", t,
             trm_instance_events(run->instance)->names[k], text[0] ? ": " : "", text);
    if (r->log)
        r->log(TRM_LOG_INFO, line, r->log_user);
    if (r->observer && r->observer->event)
        r->observer->event(run, k, t, r->observer->user);
}

// Writes what event k found, does what it asks for and writes what came of it; false after a
// failure.
static bool carry_out_event(trmi_run *run, int k)
{
    trm_neighbours *beside = run->request.neighbours;
    double t = trm_simulation_state(run->simulation)->t;
    run->events++;
    announce_event(run, k, t);
    if (!trmi_record_event(run, k))
        return false;
    trm_status status = beside ? trm_neighbours_event(beside, run->instance, run->simulation, k)
                               : trm_instance_event(run->instance, run->simulation, k);
    if (status != TRM_OK)
        return trmi_run_fail(run, TRMI_STAGE_SIMULATION, trm_simulation_error(run->simulation));
    bool jumps = trm_model_event_action(run->request.model, k) == TRM_EVENT_RESTART;
    if (jumps && !trmi_record_row(run, t)) // the other side of the jump
        return false;
    return trmi_run_balance_jump(run);
}

// Carries out the events that fired; false when the run is over.
static bool handle_events(trmi_run *run)
{
    const trm_events *events = trm_instance_events(run->instance);
    bool fired[TRMI_MAX_EVENTS] = {false}, go_on = true; // a restart forgets which
    for (int k = 0; k < events->count; k++)
        fired[k] = trm_simulation_fired(run->simulation, k);
    for (int k = 0; k < events->count; k++) {
        if (fired[k] && !carry_out_event(run, k))
            return false;
        if (fired[k] && trm_model_event_action(run->request.model, k) == TRM_EVENT_STOP) {
            strncpy(run->stopped_by, events->names[k], sizeof run->stopped_by - 1);
            go_on = false;
        }
    }
    return go_on;
}

static bool report_progress(trmi_run *run, double t, double end)
{
    const trm_statistics *s = trm_simulation_statistics(run->simulation);
    const trm_progress p = {
        t, end, s->h_last, s->order_last, s->steps, s->rejected_error + s->rejected_newton};
    bool asked = run->request.stop && *run->request.stop;
    if (run->request.progress && run->request.progress(&p, run->request.user) != 0)
        asked = true;
    if (asked)
        run->outcome = TRMI_RUN_INTERRUPTED;
    return !asked;
}

// Whether the state before the next step is to be kept, to resume from: near the end, which shapes
// the steps, where the step may have so many rows that an interrupt comes between them, and where
// no steps are left, since a run may go on with a larger limit. *rows: it is for the rows alone.
static bool keeps_state(const trmi_run *run, double end, bool *rows)
{
    const trm_simulation *s = run->simulation;
    const trm_schedule *schedule = trm_model_schedule(run->request.model);
    double t = trm_simulation_state(s)->t, h = trm_simulation_next_step(s);
    double length = h > 0 ? h : schedule->end - schedule->start; // it may not be known yet
    bool shadow = t + END_SHADOW * h >= end && h > 0;
    bool last =
        trm_simulation_statistics(s)->steps >= trm_model_options(run->request.model)->max_steps;
    bool many = schedule->output_interval > 0 && length > MANY_ROWS * schedule->output_interval;
    bool wanted = run->claim.path && !run->free_point;
    *rows = wanted && many && !shadow;
    return wanted && (shadow || many || last);
}

// Writes a checkpoint where the last one is long ago; false when that failed.
static bool save_now_and_then(trmi_run *run)
{
    double now = trmi_clock_seconds();
    if (!run->claim.path || now - run->saved < SAVE_EVERY)
        return true;
    run->saved = now;
    return trmi_resume_save(run);
}

// One step with everything that belongs to it; false when the run is over.
static bool advance(trmi_run *run, double end)
{
    const trmi_run_observer *observer = run->request.observer;
    trm_simulation *s = run->simulation;
    const double from = trm_simulation_state(s)->t;
    double t = from;
    bool rows;
    trm_status status;
    if (keeps_state(run, end, &rows) && !trmi_resume_mark(run))
        return fail_memory(run);
    if (!trmi_step_with_rows(run, end, &t, &status))
        return false;
    if (!trmi_record_step(run) || !trmi_run_balance_step(run))
        return false;
    if (observer && observer->step && !observer->step(run, from, fmin(t, end), observer->user))
        return false;
    if (status == TRM_STOP_EVENT && !handle_events(run))
        return false;
    if (rows)
        trmi_resume_unmark(run);
    return report_progress(run, t, end) && trmi_record_flush(run) && save_now_and_then(run);
}

static void finish_files(trmi_run *run)
{
    char text[2000] = "";
    if (!has_results(&run->request))
        return;
    if (run->error.status != TRM_OK)
        trm_error_format(&run->error, text, sizeof text);
    trmi_errors_write(run);
    char *summary = trmi_summary_json(run);
    for (int k = 0; k < TRMI_FORMATS; k++) {
        trm_error error = trmi_no_error();
        if (run->writer[k] && trmi_writer_close(run->writer[k], trmi_run_outcome_text(run), text,
                                                summary, &error) != TRM_OK)
            trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
        run->writer[k] = NULL;
    }
    free(summary);
}

void trmi_run_go(trmi_run *run)
{
    const double begin = trmi_clock_seconds(), cpu_begin = trmi_cpu_seconds();
    const double end = trm_model_schedule(run->request.model)->end;
    trm_simulation *s = run->simulation;
    bool ready = run->outcome == TRMI_RUN_DONE && s;
    run->row_t = s ? trm_simulation_state(s)->t : 0;
    // the row at the time of a checkpoint was written before it
    if (ready && (run->request.resume || trmi_record_until(run, run->row_t, NULL))) {
        while (trm_simulation_state(s)->t < end && advance(run, end))
            ;
    }
    if (s) {
        run->energy_end = trm_simulation_energy(s);
        if (run->final.value) // there was memory
            trmi_record_end(run);
    }
    run->wall_seconds += trmi_clock_seconds() - begin;
    run->cpu_seconds = trmi_cpu_seconds() - cpu_begin;
    if (ready)
        trmi_accuracy_end(run);
    bool saves = run->outcome != TRMI_RUN_FAILED || run->stage == TRMI_STAGE_SIMULATION;
    const double ending = trmi_clock_seconds();
    if (ready && run->claim.path && saves)
        trmi_resume_save(run);
    run->wall_seconds += trmi_clock_seconds() - ending;
    finish_files(run);
    advise_after_failure(run);
}

void trmi_run_destroy(trmi_run *run)
{
    if (!run)
        return;
    for (int k = 0; k < TRMI_FORMATS; k++)
        if (run->writer[k])
            trmi_writer_close(run->writer[k], "failed", "", NULL, &run->error);
    trmi_companion_destroy(run->companion);
    trm_simulation_destroy(run->simulation);
    trm_instance_destroy(run->instance);
    trmi_file_claim_release(&run->claim);
    free(run->free_point);
    free(run->channel);
    free(run->time);
    trmi_memory memory = run->memory; // the run lies in it
    trmi_memory_release_all(&memory);
}
