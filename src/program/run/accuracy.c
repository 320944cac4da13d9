// SPDX-License-Identifier: Apache-2.0
// How right a run is: its companion compared, and what speaks against it without one.
#include "modelling/reader/model.h"
#include "program/run/run.h"

#include "base/error.h"
#include "base/time_digits.h"
#include "program/run/values.h"
#include "solver/verify/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// in the line of the end; a mechanism has reactions, other models have multipliers
static const char *const kinds[] = {"positions", "velocities", "states", "multipliers",
                                    "reactions", "forces",     "outputs"};
enum { KINDS = sizeof kinds / sizeof *kinds };
// digits of a double
static const double MAX_DIGITS = 15.95;

void trmi_accuracy_begin(trmi_run *run)
{
    const trmi_companion_request request = {.model = run->request.model,
                                            .options = trmi_run_options(run),
                                            .simulation = run->simulation,
                                            .mode = run->request.verify,
                                            .resumed = run->request.resume,
                                            .stop = run->request.stop};
    if (run->request.verify != TRMI_VERIFY_NEVER)
        run->companion = trmi_companion_start(&request);
}

// What the simulation itself knows against its result.
static trm_error judge_alone(const trmi_run *run)
{
    trm_error error = trmi_no_error();
    if (trm_simulation_trust(run->simulation) != TRM_OK) {
        error = *trm_simulation_error(run->simulation);
    } else if (trmi_run_options(run)->formulation == TRM_FORMULATION_CM_FROZEN) {
        trmi_error_advise(&error, "use formulation cs for results");
        trmi_error_set(&error, TRM_UNTRUSTED,
                       "cm-frozen is a smoother: its error does not vanish with the tolerance");
    }
    return error;
}

// Digits of a time in messages, by the length of the run.
static int digits_at(const trmi_run *run, double t)
{
    const trm_schedule *s = trm_model_schedule(run->request.model);
    return trmi_time_digits(t, s->end - s->start);
}

// A run that went on where its companion finds no way: from there on it may follow another root, or
// a motion that does not exist.
static void judge_dead_end(trmi_run *run, const trmi_companion_result *r)
{
    const double t = r->error.t;
    char right[60] = "no row before it was compared";
    if (!r->dead_end || !(trm_simulation_state(run->simulation)->t > t))
        return;
    if (run->accuracy.rows > 0)
        snprintf(right, sizeof right, "right to 1 %% until t = %.*g, not known after it",
                 digits_at(run, run->accuracy.t), run->accuracy.t);
    run->error.t = t;
    trmi_error_advise(&run->error,
                      "see whether the motion ends there (a fold, a dead point, a pole); end the "
                      "run before, %s",
                      trmi_verify_steps_of(trmi_run_options(run))->shorter);
    trmi_error_set(&run->error, TRM_UNTRUSTED,
                   "a companion run at rtol = %.0e finds no way beyond t = %.*g (%.100s): %s",
                   r->rtol, digits_at(run, t), t,
                   r->error.text[0] ? r->error.text : trm_status_text(r->error.status), right);
}

// Events of both until the last row; each may lie on either side of it once.
static void compare_events(trmi_run *run, const trmi_companion_result *r)
{
    const trm_events *events = trm_instance_events(run->instance);
    if (!events || labs(run->events - r->events) <= events->count)
        return;
    trmi_error_advise(&run->error, "limit the step with step.max");
    trmi_error_set(&run->error, TRM_UNTRUSTED,
                   "%ld events fired, and %ld in a companion run with shorter steps: some were "
                   "stepped over",
                   run->events, r->events);
}

// "" for none, -1
static const char *channel_name(const trmi_run *run, int index, char name[300])
{
    name[0] = '\0';
    if (index >= 0) {
        trm_channel_kind kind = trmi_values_kind(run->request.model, &index);
        snprintf(name, 300, "%s/%.250s", trmi_channel_group[kind],
                 trm_model_channel(run->request.model, kind, index));
    }
    return name;
}

void trmi_accuracy_end(trmi_run *run)
{
    trm_error error = trmi_no_error();
    bool done = run->outcome == TRMI_RUN_DONE;
    const trmi_companion_result *r = NULL;
    if (run->companion) {
        trmi_companion_end(run->companion, !done);
        r = trmi_companion_result_of(run->companion);
        trm_verify_judge(r->verify, r->neighbours, &run->accuracy, &error);
        if (!(run->accuracy.t > run->accuracy.t_first)) // both begin with the same values
            run->accuracy.rows = 0;
        run->verified = done && r->ending == TRMI_COMPANION_COMPLETE && run->accuracy.rows > 0;
    }
    if (!done)
        return;
    const trm_error alone = judge_alone(run);
    run->trusted_alone = alone.status == TRM_OK;
    if (error.status == TRM_UNTRUSTED) {
        char name[300];
        trmi_error_item(&error, "%.63s", channel_name(run, run->accuracy.channel, name));
        run->error = error;
    }
    if (r && error.status != TRM_UNTRUSTED)
        judge_dead_end(run, r);
    if (run->error.status == TRM_OK && !run->verified)
        run->error = alone;
    bool whole = run->accuracy.t_first == trm_model_schedule(run->request.model)->start;
    if (run->verified && run->error.status == TRM_OK && whole)
        compare_events(run, r);
    run->trusted = run->error.status == TRM_OK;
}

// ---- in words ----

static double digits_of(const trmi_run *run, const char *kind)
{
    double error = trm_verify_group_error(trmi_companion_result_of(run->companion)->verify, kind);
    return error > 0 ? fmin(fmax(-log10(error), 0), MAX_DIGITS) : isnan(error) ? NAN : MAX_DIGITS;
}

void trmi_accuracy_explain(const trmi_run *run, char *text, size_t size)
{
    const trmi_companion_result *r =
        run->companion ? trmi_companion_result_of(run->companion) : NULL;
    if (run->request.verify == TRMI_VERIFY_NEVER)
        snprintf(text, size, "no companion ran");
    else if (!r)
        snprintf(text, size, "no memory for a companion");
    else if (trm_simulation_statistics(run->simulation)->steps == 0)
        snprintf(text, size, "the run made no step");
    else if (r->ending == TRMI_COMPANION_LONG)
        snprintf(text, size, "the companion takes more than %g s; --verify waits for it",
                 TRMI_VERIFY_SECONDS);
    else if (r->ending == TRMI_COMPANION_SLOW)
        snprintf(text, size, "the companion takes longer than the run; --verify waits for it");
    else if (r->ending == TRMI_COMPANION_FAILED)
        snprintf(text, size, "the companion failed: %.150s",
                 r->error.text[0] ? r->error.text : trm_status_text(r->error.status));
    else
        snprintf(text, size, "the companion ended before");
}

// What the run itself states of its error: its steps together, in tolerances; NaN: nothing.
static double stated_tolerances(const trmi_run *run)
{
    const trm_statistics *st = run->simulation ? trm_simulation_statistics(run->simulation) : NULL;
    const bool estimated = st && st->steps > 0 && !(trmi_run_options(run)->h_fixed > 0);
    return estimated ? st->error_sum : NAN;
}

// A motion that its tolerance does not resolve: "3.0 digits" are those of its distance from 0.
static void explain_open(const trmi_run *run, const trmi_companion_result *r, char *text,
                         size_t size)
{
    char name[300];
    const int k = run->accuracy.open;
    if (k >= 0)
        snprintf(text, size, "; %.60s moves by %.2g and is off by %.2g, which rtol leaves open",
                 channel_name(run, k, name), trm_verify_motion(r->verify, k),
                 trm_verify_error(r->verify, k));
}

void trmi_accuracy_text(const trmi_run *run, char *text, size_t size)
{
    char why[250] = "";
    size_t used = 0;
    if (!run->verified)
        trmi_accuracy_explain(run, why, sizeof why);
    if (!run->companion || run->accuracy.rows == 0) {
        const double sum = stated_tolerances(run);
        int n = snprintf(text, size, "not known: %s", why);
        if (!isnan(sum) && n > 0 && (size_t)n < size)
            snprintf(text + n, size - (size_t)n, "; its steps add up to %.2g tolerances", sum);
        return;
    }
    for (int k = 0; k < KINDS; k++) {
        double digits = digits_of(run, kinds[k]);
        if (isnan(digits))
            continue;
        int n = snprintf(text + used, size - used, "%s%s %.1f%s", used ? ", " : "", kinds[k],
                         digits, used ? "" : " digits");
        used = n > 0 && (size_t)n < size - used ? used + (size_t)n : size - 1;
    }
    const trmi_companion_result *r = trmi_companion_result_of(run->companion);
    if (run->accuracy.t_first > trm_model_schedule(run->request.model)->start) {
        int n = snprintf(text + used, size - used, " since t = %.*g",
                         digits_at(run, run->accuracy.t_first), run->accuracy.t_first);
        used = n > 0 && (size_t)n < size - used ? used + (size_t)n : size - 1;
    }
    int n = run->verified ? snprintf(text + used, size - used, " (companion: %s, %.2g s)",
                                     r->integrator, r->seconds)
                          : snprintf(text + used, size - used, " until t = %.*g (%s)",
                                     digits_at(run, run->accuracy.t), run->accuracy.t, why);
    used = n > 0 && (size_t)n < size - used ? used + (size_t)n : size - 1;
    explain_open(run, r, text + used, size - used);
}

static void write_channels(const trmi_run *run, trmi_json *json, const trm_verify *verify)
{
    trmi_json_begin_object(json, "errors");
    for (int k = 0; k < run->sample_size; k++) {
        char name[300];
        if (!isnan(trm_verify_error(verify, k)))
            trmi_json_number(json, channel_name(run, k, name), trm_verify_error(verify, k));
    }
    trmi_json_end(json);
}

void trmi_accuracy_json(const trmi_run *run, trmi_json *json)
{
    static const char *const growth[] = {"steady", "sensitive", "sudden"};
    char why[250] = "", name[300];
    trmi_json_begin_object(json, "accuracy");
    trmi_json_boolean(json, "verified", run->verified);
    if (!run->verified)
        trmi_accuracy_explain(run, why, sizeof why);
    trmi_json_string(json, "message", why);
    trmi_json_boolean(json, "trusted_alone", run->trusted_alone);
    trmi_json_number(json, "rtol", trmi_run_options(run)->rtol);
    trmi_json_number(json, "tolerances", stated_tolerances(run));
    if (run->companion && run->accuracy.rows > 0) {
        const trm_verify_report *a = &run->accuracy;
        const trmi_companion_result *r = trmi_companion_result_of(run->companion);
        trmi_json_string(json, "companion", r->integrator);
        trmi_json_number(json, "companion_rtol", r->rtol);
        trmi_json_number(json, "companion_seconds", r->seconds);
        trmi_json_number(json, "run_seconds", r->run_seconds);
        trmi_json_string(json, "open", a->open >= 0 ? channel_name(run, a->open, name) : NULL);
        trmi_json_integer(json, "rows", a->rows);
        trmi_json_number(json, "since", a->t_first);
        trmi_json_number(json, "until", a->t);
        trmi_json_number(json, "error", a->error);
        trmi_json_number(json, "trusted_until", a->t_right);
        trmi_json_string(json, "growth", a->trusted ? NULL : growth[a->growth]);
        trmi_json_number(json, "growth_time", a->growth_time > 0 ? a->growth_time : NAN);
        trmi_json_begin_object(json, "digits");
        for (int k = 0; k < KINDS; k++)
            if (!isnan(digits_of(run, kinds[k])))
                trmi_json_number(json, kinds[k], round(10 * digits_of(run, kinds[k])) / 10);
        trmi_json_end(json);
        write_channels(run, json, r->verify);
    }
    trmi_json_end(json);
}
