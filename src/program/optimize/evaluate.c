// SPDX-License-Identifier: Apache-2.0
// One run of a search: the model with other parameters, simulated with sensitivities, and from its
// values at the given times the goal and its gradient.
#include "program/optimize/optimize.h"

#include "base/error.h"
#include "modelling/reader/model.h"
#include "modelling/reader/neighbours.h"
#include "program/run/resolve.h"
#include "program/run/run.h"
#include "program/run/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool take_values(trmi_search_state *s, trmi_run_values *v)
{
    int count = s->o->rows * s->o->targets;
    return TRMI_TAKE(&s->memory, v->value, count) &&
           TRMI_TAKE(&s->memory, v->derivative, count * s->o->parameters);
}

bool trmi_search_create(trmi_search_state *s, const trmi_optimization *o, const trm_model *model)
{
    *s = (trmi_search_state){.o = o, .model = model, .goal = HUGE_VAL, .goal_start = NAN};
    s->error = trmi_no_error();
    trmi_memory_init(&s->memory, NULL);
    return take_values(s, &s->last) && take_values(s, &s->best) &&
           TRMI_TAKE(&s->memory, s->history, o->max_runs) &&
           TRMI_TAKE(&s->memory, s->p, o->parameters) &&
           TRMI_TAKE(&s->memory, s->influences, o->parameters);
}

void trmi_search_release(trmi_search_state *s)
{
    trmi_memory_release_all(&s->memory);
}

// A run that is under way.
typedef struct running {
    trmi_search_state *s;
    trm_model *model;
    trm_instance *instance;
    trm_neighbours *neighbours;
    trm_simulation *simulation;
    double *row, *by;        // all values of the model, and their derivatives by one parameter
    int next;                // row
    trmi_resolver integral;  // TRMI_GOAL_INTEGRAL: of the target, then of its derivatives
    trmi_resolved *resolved; // its channels
    trm_status found;        // how the last evaluation of it ended
    const trmi_target *lost; // the first target without a finite value, NULL: none
    double lost_t, lost_value;
} running;

static void watch(running *r, const trmi_target *target, double t, double value)
{
    if (isfinite(value) || r->lost)
        return;
    r->lost = target;
    r->lost_t = t;
    r->lost_value = value;
}

// the target and its derivatives at a time inside the last step
static bool find_target(void *user, double t, double *row)
{
    running *r = user;
    const trmi_optimization *o = r->s->o;
    const int index = o->target[0].index;
    const trm_state *state;
    trm_status status = trmi_values_at(r->model, r->instance, r->simulation, t, r->row, &state);
    row[0] = r->row[index];
    if (status == TRM_OK)
        watch(r, &o->target[0], t, row[0]);
    for (int p = 0; p < o->parameters && status == TRM_OK; p++) {
        status = trmi_values_derivative(r->instance, r->simulation, r->neighbours, p, state, r->by);
        row[1 + p] = r->by[index];
    }
    r->found = status;
    return status == TRM_OK;
}

static double find_break(void *user, double t, double t_end)
{
    const running *r = user;
    return trmi_instance_output_break(r->instance, t, t_end);
}

// Integrals begin, of the target, to the tolerance of the run, and at the same points of its
// derivatives, which have the noise of differences.
static trm_status begin_integral(running *r, trm_error *error)
{
    const trmi_optimization *o = r->s->o;
    const trm_options *options = trm_model_options(r->model);
    const int channels = 1 + o->parameters;
    const size_t results = (size_t)channels, work = (size_t)trmi_resolve_values(channels);
    trmi_resolver *i = &r->integral;
    r->resolved = calloc(results, sizeof *r->resolved);
    *i = (trmi_resolver){.channels = channels,
                         .channel = r->resolved,
                         .evaluate = find_target,
                         .next_break = find_break,
                         .user = r,
                         .rtol = options->rtol,
                         .atol = options->atol,
                         .result = calloc(results + work, sizeof *i->result)};
    if (!r->resolved || !i->result)
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for a run");
    i->work = i->result + results;
    for (int k = 0; k < channels; k++)
        r->resolved[k] =
            (trmi_resolved){.what = "integral",
                            .group = k == 0 ? "channel" : "derivative by",
                            .name = k == 0 ? o->target[0].channel : o->parameter[k - 1].name,
                            .place = k,
                            .along = k > 0};
    trmi_resolve_begin(i);
    return TRM_OK;
}

// a step of the run, before events change anything
static trm_status integrate(running *r, double from, double to)
{
    if (r->s->o->goal != TRMI_GOAL_INTEGRAL || !(to > from))
        return TRM_OK;
    return trmi_resolve_step(&r->integral, from, to) ? TRM_OK : r->found;
}

static trm_status begin(running *r, const double *p, trm_error *error)
{
    const trm_model *base = r->s->model;
    trm_status status = trm_model_vary(&r->model, base, p, error);
    if (status == TRM_OK)
        status = trm_instance_create(&r->instance, r->model, error);
    if (status == TRM_OK)
        status = trm_neighbours_create(&r->neighbours, base, p, error);
    if (status == TRM_OK)
        status = trm_neighbours_attach(r->neighbours, r->instance);
    if (status != TRM_OK)
        return status;
    int count = trmi_values_count(r->model), parameters;
    const trm_parameter *parameter = trm_neighbours_parameters(r->neighbours, &parameters);
    r->row = calloc(2 * (size_t)count + 1, sizeof *r->row);
    if (!r->row)
        return trmi_error_set(error, TRM_ERR_MEMORY, "no memory for a run");
    r->by = r->row + count;
    status = trm_simulation_create_sensitive(
        &r->simulation, trm_instance_system(r->instance), trm_model_options(r->model),
        trm_instance_initial(r->instance), parameter, parameters, error);
    if (status == TRM_OK)
        status = trm_simulation_watch(r->simulation, trm_instance_events(r->instance));
    if (status == TRM_OK && r->s->o->goal == TRMI_GOAL_INTEGRAL)
        status = begin_integral(r, error);
    return status;
}

static void finish(running *r)
{
    trm_simulation_destroy(r->simulation);
    trm_neighbours_destroy(r->neighbours);
    trm_instance_destroy(r->instance);
    trm_model_destroy(r->model);
    free(r->row);
    free(r->resolved);
    free(r->integral.result);
}

// the integrals so far
static void take_integrals(running *r)
{
    const trmi_run_values *to = &r->s->last;
    to->value[0] = r->integral.result[0];
    memcpy(to->derivative, r->integral.result + 1,
           (size_t)r->s->o->parameters * sizeof *to->derivative);
}

// the targets of the next row, at its time inside the last step
static trm_status take_row(running *r)
{
    const trmi_optimization *o = r->s->o;
    const trm_state *state;
    trmi_run_values *to = &r->s->last;
    int first = r->next * o->targets, all = o->rows * o->targets;
    if (o->goal == TRMI_GOAL_INTEGRAL) {
        r->next++;
        take_integrals(r);
        return TRM_OK;
    }
    trm_status status =
        trmi_values_at(r->model, r->instance, r->simulation, o->time[r->next], r->row, &state);
    for (int k = 0; k < o->targets; k++) {
        to->value[first + k] = r->row[o->target[k].index];
        if (status == TRM_OK)
            watch(r, &o->target[k], o->time[r->next], to->value[first + k]);
    }
    for (int p = 0; p < o->parameters && status == TRM_OK; p++) {
        status = trmi_values_derivative(r->instance, r->simulation, r->neighbours, p, state, r->by);
        for (int k = 0; k < o->targets; k++)
            to->derivative[p * all + first + k] = r->by[o->target[k].index];
    }
    r->next++;
    return status;
}

// what is taken of a step before events change anything
static trm_status take_step(running *r, double from, double to, trm_status ended)
{
    const trmi_optimization *o = r->s->o;
    trm_status status = integrate(r, from, to);
    while (status == TRM_OK && ended == TRM_STOP_EVENT && r->next < o->rows &&
           o->time[r->next] <= to)
        status = take_row(r); // this side of a jump
    return status;
}

// carries out the events that fired
static trm_status handle_events(running *r, bool *stops)
{
    bool fired[TRMI_MAX_EVENTS] = {false}; // a restart forgets which
    trm_status status = TRM_OK;
    for (int k = 0; k < r->model->events; k++)
        fired[k] = trm_simulation_fired(r->simulation, k);
    for (int k = 0; k < r->model->events && status == TRM_OK; k++) {
        if (!fired[k])
            continue;
        *stops = *stops || trm_model_event_action(r->model, k) == TRM_EVENT_STOP;
        status = trm_neighbours_event(r->neighbours, r->instance, r->simulation, k);
    }
    return status;
}

static trm_status ended_by_event(const trmi_optimization *o, double t, trm_error *error)
{
    error->t = t;
    trmi_error_advise(error, "take `action: stop` off the event, or give a shorter "
                             "`settings: {simulate.end: ..}`");
    return trmi_error_set(error, TRM_ERR_OPTION,
                          "an event of the model stops the run at t = %g, before the last time of "
                          "the goal, %g: a search needs runs of the same length",
                          t, o->time[o->rows - 1]);
}

static trm_status simulate(running *r, trm_error *error)
{
    const trmi_optimization *o = r->s->o;
    double end = trm_model_schedule(r->model)->end, t = trm_simulation_state(r->simulation)->t;
    trm_status status = TRM_OK;
    while (status == TRM_OK && r->next < o->rows) {
        if (o->time[r->next] <= t) {
            status = take_row(r);
            continue;
        }
        if (r->s->stop && *r->s->stop)
            return TRM_STOP_USER;
        double before = t;
        status = trm_simulation_step(r->simulation, end, &t);
        if (status == TRM_OK && !(t > before))
            return trmi_error_set(error, TRM_ERR_RANGE,
                                  "the run ends at t = %g, before the last time of the goal, %g", t,
                                  o->time[o->rows - 1]);
        trm_status taken = status < 0 ? TRM_OK : take_step(r, before, t, status);
        if (taken != TRM_OK)
            return taken;
        bool stops = false;
        if (status == TRM_STOP_EVENT)
            status = handle_events(r, &stops);
        if (stops)
            return ended_by_event(o, t, error);
    }
    if (status < 0)
        *error = *trm_simulation_error(r->simulation);
    return status;
}

// A goal that is nan or inf: of which channel, and when.
static trm_status refuse_goal(const running *r, double goal, trm_error *error)
{
    int index = r->lost ? r->lost->index : 0;
    trmi_error_advise(error, "guard the formula where it has no value, as by max(.., 0), or give "
                             "parameters another 'start'");
    if (!r->lost)
        return trmi_error_set(error, TRM_ERR_CALLBACK, "the goal is %s", trmi_lost_text(goal));
    trm_channel_kind kind = trmi_values_kind(r->model, &index);
    error->t = r->lost_t;
    return trmi_error_set(error, TRM_ERR_CALLBACK, "the goal is %s: %s '%.60s' is %s at t = %.9g",
                          trmi_lost_text(goal), trmi_channel_group[kind],
                          trm_model_channel(r->model, kind, index), trmi_lost_text(r->lost_value),
                          r->lost_t);
}

// The run itself: the goal. HUGE_VAL: it failed, with an error.
static double run_once(running *r, const double *p, trm_error *error)
{
    trm_status status = begin(r, p, error);
    if (status == TRM_OK)
        status = simulate(r, error);
    if (status < 0 && error->status == TRM_OK && r->simulation) // found between its steps
        *error = *trm_simulation_error(r->simulation);
    if (status < 0 && error->status == TRM_OK)
        trmi_error_set(error, status, "in the sensitivities of the run");
    trmi_instance_explain(r->instance, error);
    trmi_resolve_end(&r->integral);
    double goal = status == TRM_OK ? trmi_search_goal(r->s->o, &r->s->last) : HUGE_VAL;
    if (status == TRM_ERR_MEMORY)
        trmi_error_set(error, status, "no memory for a run");
    if (status == TRM_OK && !isfinite(goal))
        refuse_goal(r, goal, error);
    return isfinite(goal) ? goal : HUGE_VAL;
}

double trmi_search_evaluate(trmi_search_state *s, const double *p)
{
    const trmi_optimization *o = s->o;
    running r = {.s = s};
    trm_error error = trmi_no_error();
    double goal = run_once(&r, p, &error);
    finish(&r);
    if (s->runs == 0 || error.status == TRM_ERR_MEMORY)
        s->error = error;
    s->history[s->runs++] = isfinite(goal) ? goal : NAN;
    if (s->runs == 1)
        s->goal_start = goal;
    if (isfinite(goal))
        trmi_search_note_influence(s, p);
    if (goal < s->goal) {
        size_t count = (size_t)(o->rows * o->targets);
        s->goal = goal;
        memcpy(s->note, r.integral.note, sizeof s->note);
        memcpy(s->p, p, (size_t)o->parameters * sizeof *p);
        memcpy(s->best.value, s->last.value, count * sizeof *p);
        memcpy(s->best.derivative, s->last.derivative, count * (size_t)o->parameters * sizeof *p);
    }
    if (s->progress)
        s->progress(s, goal, s->user);
    return goal;
}

bool trmi_search_over(trmi_search_state *s)
{
    if (s->ended)
        return true;
    if (s->stop && *s->stop)
        s->ended = "interrupted";
    else if (s->error.status == TRM_ERR_MEMORY) // whatever the parameters are
        s->ended = "there is no memory";
    else if (s->runs >= s->o->max_runs)
        s->ended = "all runs are done";
    else
        return false;
    return true;
}
