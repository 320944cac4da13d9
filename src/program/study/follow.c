// SPDX-License-Identifier: Apache-2.0
// Channels over a run, from its dense output: their values at given times; in every step the
// integral by the formula of Gauss and Lobatto with five points, exact for degree 7; a maximum is
// the largest value at these points, and where one of them is higher than its neighbours, at the
// vertex of the parabola through the three.
#include "base/clock.h"
#include "base/error.h"
#include "program/run/run.h"
#include "program/run/values.h"
#include "program/study/plan.h"

#include <math.h>
#include <string.h>

enum { POINTS = 5 };

int trmi_follow_values(const trmi_plan *plan)
{
    int points = plan->follows ? POINTS + 1 : plan->times > 0 ? 1 : 0;
    return points * trmi_values_count(plan->model);
}

void trmi_follow_begin(trmi_follower_state *state)
{
    state->next = 0;
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

// sign * value becomes the maximum where it is larger
static void raise_maximum(double *result, double sign, double value)
{
    if (isnan(*result) || sign * value > sign * *result)
        *result = value;
}

// where the parabola through three points has its vertex
static double find_vertex(const double t[3], const double y[3])
{
    double d1 = (y[1] - y[0]) / (t[1] - t[0]), d2 = (y[2] - y[1]) / (t[2] - t[1]);
    double curvature = (d2 - d1) / (t[2] - t[0]);
    return 0.5 * (t[0] + t[1] - d1 / curvature);
}

// the maximum of one channel in a step
static bool follow_maximum(trmi_run *run, const trmi_follower_state *state, int k, double sign,
                           const double t[POINTS])
{
    int n = trmi_values_count(state->plan->model), index = state->plan->column[k].index;
    double y[POINTS], *more = state->value + POINTS * n;
    double *result = &state->result[state->plan->column[k].place];
    for (int i = 0; i < POINTS; i++) {
        y[i] = state->value[i * n + index];
        raise_maximum(result, sign, y[i]);
    }
    for (int i = 1; i + 1 < POINTS; i++) {
        bool top = sign * y[i] > sign * y[i - 1] && sign * y[i] >= sign * y[i + 1];
        double at = top ? find_vertex(t + i - 1, y + i - 1) : NAN;
        // only where it can be the largest so far
        if (!top || sign * y[i] < sign * *result || !(at > t[i - 1] && at < t[i + 1]))
            continue;
        if (!evaluate(run, at, more))
            return false;
        raise_maximum(result, sign, more[index]);
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

bool trmi_follow_step(trmi_run *run, double from, double to, void *user)
{
    // on [-1, 1]: the ends, 0 and the roots of 7 x^2 = 3
    static const double weight[POINTS] = {1.0 / 20, 49.0 / 180, 16.0 / 45, 49.0 / 180, 1.0 / 20};
    trmi_follower_state *state = user;
    const double inner = sqrt(3.0 / 7), h = to - from, middle = 0.5 * (from + to);
    const double t[POINTS] = {from, middle - 0.5 * h * inner, middle, middle + 0.5 * h * inner, to};
    int n = trmi_values_count(state->plan->model);
    if (!check_time(run, state) || !follow_channels(run, state, from, to))
        return false;
    if (!(h > 0) || !state->plan->follows)
        return true;
    for (int i = 0; i < POINTS; i++)
        if (!evaluate(run, t[i], state->value + i * n))
            return false;
    for (int k = 0; k < state->plan->columns; k++) {
        const trmi_record_column *c = &state->plan->column[k];
        for (int i = 0; i < POINTS && c->kind == TRMI_RECORD_INTEGRAL; i++)
            state->result[c->place] += h * weight[i] * state->value[i * n + c->index];
        bool extreme = c->kind == TRMI_RECORD_MAXIMUM || c->kind == TRMI_RECORD_MINIMUM;
        if (extreme && !follow_maximum(run, state, k, c->kind == TRMI_RECORD_MAXIMUM ? 1 : -1, t))
            return false;
    }
    return true;
}
