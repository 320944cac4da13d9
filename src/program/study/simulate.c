// SPDX-License-Identifier: Apache-2.0
// A run of a study, from its number to its row.
#define _POSIX_C_SOURCE 200809L // strsignal
#include "base/clock.h"
#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/files/csv/part.h"
#include "program/run/console.h"
#include "program/run/search.h"
#include "program/run/summary_fields.h"
#include "program/run/values.h"
#include "program/study/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_number(trmi_text *line, double value)
{
    trmi_text_add_number(line, value);
    trmi_text_add(line, ",");
}

static void add_word(trmi_text *line, const char *word)
{
    trmi_csv_add_field(line, word);
    trmi_text_add(line, ",");
}

// a field: a number, or all values of a whole channel
static void add_column(trmi_text *line, const trmi_record_column *c, const double *result)
{
    for (int i = 0; i < c->width; i++) {
        double value = result[c->place + i];
        trmi_text_add_number(line, isnan(value) ? NAN : value); // without a sign
        trmi_text_add(line, i + 1 < c->width ? " " : ",");
    }
}

// digits of the channels that decide; NaN: not known
static double digits_of(const trmi_run *run)
{
    return run && run->verified ? -log10(fmax(run->accuracy.error, 1e-16)) : NAN;
}

// The error, and what must be reported of the values that are recorded. Everything in one line:
// ends of lines become spaces.
static void add_message(trmi_text *line, const trm_error *error, const char *note)
{
    char text[3000] = "";
    if (error->status != TRM_OK)
        trm_error_format(error, text, 2000);
    if (note[0])
        snprintf(strrchr(text, '\0'), sizeof text - 2000, "%s%s", text[0] ? "   " : "", note);
    for (char *c = text; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    for (char *end = strrchr(text, '\0'); end > text && end[-1] == ' ';)
        *--end = '\0';
    add_word(line, text);
}

// the message of a limit is that of the solver, or of follow.c
static bool is_limited(const trmi_run *run)
{
    return run && run->outcome == TRMI_RUN_FAILED && run->error.status == TRM_ERR_STEPS;
}

// run NULL: there is no model with these values
static void write_line(const trmi_follower_state *follower, const double *value,
                       const trmi_run *run, const trm_error *error, trmi_study_row *row)
{
    const trmi_plan *plan = follower->plan;
    trmi_text *line = &row->line;
    const trm_simulation *s = run ? run->simulation : NULL;
    char text[40];
    for (int k = 0; k < plan->study->parameters; k++)
        add_number(line, value[k]);
    add_word(line, is_limited(run) ? TRMI_STATUS_LIMIT
                   : run           ? trmi_run_outcome_text(run)
                                   : "failed");
    snprintf(text, sizeof text, "%d,%d,", row->code, run && run->trusted);
    trmi_text_add(line, text);
    add_number(line, s ? trm_simulation_state(s)->t : NAN);
    add_number(line, s ? (double)trm_simulation_statistics(s)->steps : 0);
    if (plan->study->verify)
        add_number(line, digits_of(run));
    for (int k = 0; k < plan->columns; k++)
        add_column(line, &plan->column[k], follower->result);
    add_message(line, error, follower->resolver.note);
    uint64_t fingerprint = trmi_plan_fingerprint(plan, value);
    if (is_limited(run)) // with other limits it is done again
        fingerprint ^= plan->limits;
    snprintf(text, sizeof text, "%016" PRIx64 "\n", fingerprint);
    trmi_text_add(line, text);
}

// what is known at the end
static void take_end(const trmi_plan *plan, const trmi_run *run, double *result)
{
    bool there = run->simulation && run->final.value && run->outcome != TRMI_RUN_FAILED;
    for (int k = 0; k < plan->columns; k++) {
        const trmi_record_column *c = &plan->column[k];
        if (c->kind == TRMI_RECORD_END)
            result[c->place] = there ? run->final.value[c->index] : NAN;
        if (c->kind == TRMI_RECORD_SUMMARY)
            result[c->place] = run->simulation ? trmi_summary_value(run, c->index) : NAN;
    }
}

// A run that fails before its first step has nothing to add up: 0 would be taken for a result.
static void forget_sums(const trmi_plan *plan, double *result)
{
    for (int k = 0; k < plan->columns; k++)
        if (plan->column[k].kind == TRMI_RECORD_INTEGRAL || plan->column[k].counts)
            result[plan->column[k].place] = NAN;
}

static bool has_started(const trmi_run *run)
{
    return run->outcome != TRMI_RUN_FAILED ||
           (run->simulation && trm_simulation_statistics(run->simulation)->steps > 0);
}

static void simulate_model(const trmi_plan *plan, const trm_model *model, const double *value,
                           trmi_follower_state *follower, const trmi_stop *stop,
                           trmi_study_row *row)
{
    bool follows = plan->resolveds > 0 || plan->times > 0 || isfinite(plan->study->seconds);
    const trmi_run_observer observer = {
        .step = follows ? trmi_follow_step : NULL, .event = trmi_follow_event, .user = follower};
    const trmi_run_request request = {.model = model,
                                      .verify = plan->study->verify ? TRMI_VERIFY_ALWAYS
                                                                    : TRMI_VERIFY_NEVER,
                                      .energy = plan->balances,
                                      .stop = stop,
                                      .observer = &observer};
    trmi_search search;
    trmi_run *run = NULL;
    trmi_search_begin(&search, &request);
    do {
        trmi_run_destroy(run);
        trmi_follow_begin(follower);
        run = trmi_run_create(&search.request);
        if (run)
            trmi_run_go(run);
    } while (run && trmi_search_again(&search, run));
    if (run) {
        row->code = trmi_run_exit_code(run);
        trmi_resolve_end(&follower->resolver);
        take_end(plan, run, follower->result);
        if (!has_started(run))
            forget_sums(plan, follower->result);
        write_line(follower, value, run, &run->error, row);
    }
    row->line.failed = row->line.failed || !run;
    trmi_run_destroy(run);
}

void trmi_plan_simulate(const trmi_plan *plan, int64_t number, const trmi_stop *stop,
                        trmi_study_row *row)
{
    int parameters = plan->study->parameters;
    size_t size = (size_t)(parameters + plan->results + trmi_follow_values(plan));
    double *value = malloc((size + 1) * sizeof *value);
    row->run = number;
    row->line.failed = !value;
    trmi_text_clear(&row->line);
    if (!value)
        return;
    trmi_follower_state follower = {.plan = plan,
                                    .result = value + parameters,
                                    .value = value + parameters + plan->results,
                                    .began = trmi_cpu_seconds()};
    if (plan->resolveds > 0)
        follower.resolver.work = follower.value + trmi_values_count(plan->model);
    trmi_study_point(plan->study, number, value);
    trm_model *model;
    trm_error error = trmi_no_error();
    trm_status status = trm_model_vary(&model, plan->model, value, &error);
    if (status == TRM_OK && !trmi_plan_fits(plan, model)) {
        status = trmi_error_set(&error, TRM_ERR_MODEL,
                                "a file that the model names has changed since the study began");
        trm_model_destroy(model);
    }
    if (status == TRM_OK) {
        simulate_model(plan, model, value, &follower, stop, row);
        trm_model_destroy(model);
    } else {
        row->code = status == TRM_ERR_INITIAL ? TRMI_EXIT_INITIAL : TRMI_EXIT_MODEL;
        trmi_follow_begin(&follower);
        forget_sums(plan, follower.result);
        write_line(&follower, value, NULL, &error, row);
    }
    free(value);
}

void trmi_plan_give_up(const trmi_plan *plan, int64_t number, int times, int signal_number,
                       trmi_study_row *row)
{
    size_t size = (size_t)(plan->study->parameters + plan->results);
    double *value = malloc((size + 1) * sizeof *value);
    trm_error error = trmi_no_error();
    row->run = number;
    row->code = TRMI_EXIT_FAILED;
    row->line.failed = !value;
    if (!value)
        return;
    trmi_follower_state follower = {.plan = plan, .result = value + plan->study->parameters};
    trmi_study_point(plan->study, number, value);
    trmi_follow_begin(&follower);
    forget_sums(plan, follower.result);
    trmi_error_set(&error, TRM_ERR_CALLBACK, "the process of this run was killed %d times%s%s",
                   times, signal_number ? ", the last time by the signal " : "",
                   signal_number ? strsignal(signal_number) : "");
    write_line(&follower, value, NULL, &error, row);
    free(value);
}
