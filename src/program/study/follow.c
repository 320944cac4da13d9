// SPDX-License-Identifier: Apache-2.0
// Channels over a run, from its dense output: their values at given times; maxima, minima and
// integrals are those of run/resolve.c. What events were.
#include "base/clock.h"
#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/run/run.h"
#include "program/run/values.h"
#include "program/study/plan.h"

#include <math.h>
#include <string.h>

int trmi_follow_values(const trmi_plan *plan)
{
    bool needed = plan->resolveds > 0 || plan->times > 0;
    return (needed ? trmi_values_count(plan->model) : 0) + trmi_resolve_values(plan->resolveds);
}

void trmi_follow_begin(trmi_follower_state *state)
{
    state->next = 0;
    state->resolver.channels = state->plan->resolveds;
    state->resolver.channel = state->plan->resolved;
    state->resolver.result = state->result;
    trmi_resolve_begin(&state->resolver);
    for (int k = 0; k < state->plan->columns; k++) {
        const trmi_record_column *c = &state->plan->column[k];
        bool sums = c->kind == TRMI_RECORD_INTEGRAL || c->counts;
        for (int i = 0; i < c->width; i++)
            state->result[c->place + i] = sums ? 0 : NAN;
    }
}

void trmi_follow_event(const trmi_run *run, int event, double t, void *user)
{
    const trmi_follower_state *state = user;
    (void)run;
    for (int k = 0; k < state->plan->columns; k++) {
        const trmi_record_column *c = &state->plan->column[k];
        double *result = &state->result[c->place];
        if (c->kind == TRMI_RECORD_EVENTS && c->index == event)
            *result = c->counts ? *result + 1 : isnan(*result) ? t : *result;
    }
}

static bool evaluate(trmi_run *run, double t, double *value)
{
    const trm_state *state;
    if (trmi_values_at(run->request.model, run->instance, run->simulation, t, value, &state) ==
        TRM_OK)
        return true;
    return trmi_run_fail(run, TRMI_STAGE_SIMULATION, trm_simulation_error(run->simulation));
}

// whole channels at those of their times that lie in a step
static bool follow_channels(trmi_run *run, trmi_follower_state *state, double from, double to)
{
    const trmi_plan *plan = state->plan;
    for (; state->next < plan->times && plan->time[state->next] <= to; state->next++) {
        double t = plan->time[state->next];
        if (t < from) // the run begins later
            continue;
        if (!evaluate(run, t, state->value))
            return false;
        for (int k = 0; k < plan->columns; k++) {
            const trmi_record_column *c = &plan->column[k];
            if (c->kind == TRMI_RECORD_CHANNELS)
                state->result[c->place + state->next] = state->value[c->index];
        }
    }
    return true;
}

// the limit of the study
static bool check_time(trmi_run *run, const trmi_follower_state *state)
{
    double limit = state->plan->study->seconds;
    trm_error error = trmi_no_error();
    if (isinf(limit) || trmi_cpu_seconds() - state->began <= limit)
        return true;
    trmi_error_set(&error, TRM_ERR_STEPS,
                   "the run has taken the %g s of processor time that the study allows", limit);
    trmi_error_advise(&error, "give a larger limit.seconds: runs that it has ended are done again");
    return trmi_run_fail(run, TRMI_STAGE_SIMULATION, &error);
}

// A run, and what follows it.
typedef struct following {
    trmi_run *run;
    trmi_follower_state *state;
} following;

static bool find_row(void *user, double t, double *row)
{
    const following *f = user;
    const trmi_plan *plan = f->state->plan;
    if (!evaluate(f->run, t, f->state->value))
        return false;
    for (int k = 0; k < plan->resolveds; k++)
        row[k] = f->state->value[plan->resolved[k].index];
    return true;
}

static double find_break(void *user, double t, double t_end)
{
    const following *f = user;
    return trmi_instance_output_break(f->run->instance, t, t_end);
}

static bool resolve_step(trmi_run *run, trmi_follower_state *state, double from, double to)
{
    const trm_options *options = trmi_run_options(run);
    following f = {run, state};
    state->resolver.evaluate = find_row;
    state->resolver.next_break = find_break;
    state->resolver.user = &f;
    state->resolver.rtol = options->rtol;
    state->resolver.atol = options->atol;
    return trmi_resolve_step(&state->resolver, from, to);
}

bool trmi_follow_step(trmi_run *run, double from, double to, void *user)
{
    trmi_follower_state *state = user;
    if (!check_time(run, state) || !follow_channels(run, state, from, to))
        return false;
    return !(to > from) || state->plan->resolveds == 0 || resolve_step(run, state, from, to);
}
