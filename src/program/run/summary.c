// SPDX-License-Identifier: Apache-2.0
// The summary of a run as one JSON object, and the resolved options.
#define _POSIX_C_SOURCE 200809L
#include "program/run/run.h"

#include "program/files/json.h"
#include "program/run/summary_fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void write_sample(trmi_json *json, const char *key, const trm_model *m,
                         const trmi_sample *sample)
{
    static const char *const keys[TRM_CHANNEL_KINDS] = {
        "q", "v", "a", "x", "z", "multipliers", "outputs", "bodies", "reactions", "forces"};
    const double *value = sample->value;
    trmi_json_begin_object(json, key);
    trmi_json_number(json, "t", sample->t);
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++) {
        int n = trm_model_count(m, (trm_channel_kind)kind);
        if (kind > TRM_CHANNEL_OUTPUT && n == 0)
            continue;
        trmi_json_begin_object(json, keys[kind]);
        for (int i = 0; i < n; i++)
            trmi_json_number(json, trm_model_channel(m, (trm_channel_kind)kind, i), *value++);
        trmi_json_end(json);
    }
    trmi_json_end(json);
}

static void write_numbers(trmi_json *json, const trmi_run *run)
{
    for (int k = 0; k < trmi_summary_fields(); k++) {
        trmi_summary_kind kind = trmi_summary_kind_of(k);
        double value = trmi_summary_value(run, k);
        if (kind == TRMI_SUMMARY_COUNTER || kind == TRMI_SUMMARY_EVENTS)
            trmi_json_integer(json, trmi_summary_name(k), (int64_t)value);
        else if (kind != TRMI_SUMMARY_BALANCE || run->request.energy)
            trmi_json_number(json, trmi_summary_name(k), value);
    }
}

// which methods ran how long
static void write_methods(trmi_json *json, const trm_simulation *simulation)
{
    trm_method_share share;
    trmi_json_begin_object(json, "methods");
    for (int k = 0; trm_simulation_method(simulation, k, &share); k++) {
        trmi_json_begin_object(json, share.name);
        trmi_json_integer(json, "steps", share.steps);
        trmi_json_number(json, "time", share.time);
        trmi_json_end(json);
    }
    trmi_json_end(json);
}

char *trmi_summary_json(const trmi_run *run)
{
    const trm_model *m = run->request.model;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    trmi_json json = {0};
    trmi_json_begin_object(&json, NULL);
    trmi_json_string(&json, "status", trmi_run_outcome_text(run));
    char text[2000] = "";
    if (run->error.status != TRM_OK)
        trm_error_format(&run->error, text, sizeof text);
    else if (run->stopped_by[0])
        snprintf(text, sizeof text, "stopped by event %s", run->stopped_by);
    trmi_json_string(&json, "message", text);
    if (trmi_run_options(run)->h_fixed > 0 && !run->verified) // unknown without error control
        trmi_json_raw(&json, "trusted", NULL);
    else
        trmi_json_boolean(&json, "trusted", run->trusted);
    trmi_json_string(&json, "model", trm_model_name(m));
    trmi_json_number(&json, "t_end",
                     run->simulation ? trm_simulation_state(run->simulation)->t : NAN);
    write_numbers(&json, run);
    trmi_accuracy_json(run, &json);
    trmi_json_number(&json, "wall_seconds", run->wall_seconds);
    trmi_json_number(&json, "cpu_seconds", run->cpu_seconds);
    trmi_json_number(&json, "output_seconds", run->output_seconds);
    trmi_json_integer(&json, "peak_memory_bytes", 1024 * (int64_t)usage.ru_maxrss);
    if (run->simulation) {
        const trm_start_report *start = trm_simulation_start(run->simulation);
        trmi_json_string(&json, "integrator", start->integrator);
        trmi_json_string(&json, "integrator_chosen_because", start->because);
        write_methods(&json, run->simulation);
        trmi_json_string(&json, "linear_solver", start->solver);
        trmi_json_integer(&json, "mobility", start->mobility);
        trmi_json_integer(&json, "redundant_rows", start->redundant);
        if (run->final.value) // there was memory
            write_sample(&json, "final", m, &run->final);
        if (run->parameters > 0)
            trmi_sensitivities_json(run, &json);
    }
    if (trm_model_schedule(m)->output_count > 0) {
        trmi_json_begin_array(&json, "samples");
        for (int i = 0; i < run->sampled; i++)
            write_sample(&json, NULL, m, &run->sample[i]);
        trmi_json_end(&json);
    }
    trmi_json_end(&json);
    return trmi_json_take(&json);
}

char *trmi_options_json(const trmi_run *run)
{
    const trm_options *o = trmi_run_options(run);
    const trm_schedule *s = trm_model_schedule(run->request.model);
    const trm_option_info *info;
    trmi_json json = {0};
    trmi_json_begin_object(&json, NULL);
    trmi_json_number(&json, "t_start", s->start); // `start` is an option
    trmi_json_number(&json, "t_end", s->end);
    trmi_json_number(&json, "output_interval", s->output_interval);
    for (int k = 0; (info = trm_option(k)); k++) {
        double value = trm_options_get(o, info->name);
        if (info->choices)
            trmi_json_string(&json, info->name, info->choices[(int)value]);
        else
            trmi_json_number(&json, info->name, value);
    }
    trmi_json_end(&json);
    return trmi_json_take(&json);
}
