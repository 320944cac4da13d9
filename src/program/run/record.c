// SPDX-License-Identifier: Apache-2.0
// What a run writes: channels on the output grid, a row per step, events, samples.
#include "base/clock.h"
#include "base/error.h"
#include "program/run/run.h"
#include "program/run/values.h"

#include "modelling/reader/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// seconds between flushes: the first after a moment, then twice that, ...
static const double FLUSH_FIRST = 0.01, FLUSH_EVERY = 1;
static const double FLUSH_SHARE = 0.1; // of the time at most

bool trmi_record_channels(trmi_run *run)
{
    const trm_model *m = run->request.model;
    run->channels = (1 + run->parameters) * run->sample_size + TRMI_OWN_CHANNELS;
    run->channel = calloc((size_t)run->channels, sizeof *run->channel);
    if (!run->channel || !TRMI_TAKE(&run->memory, run->row, run->channels) ||
        !TRMI_TAKE(&run->memory, run->selected, run->channels) ||
        !TRMI_TAKE(&run->memory, run->written, run->channels) ||
        !TRMI_TAKE(&run->memory, run->warned, trm_model_count(m, TRM_CHANNEL_OUTPUT)))
        return false;
    trmi_channel *c = run->channel;
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++)
        for (int i = 0; i < trm_model_count(m, (trm_channel_kind)kind); i++)
            *c++ = (trmi_channel){trmi_channel_group[kind],
                                  trm_model_channel(m, (trm_channel_kind)kind, i),
                                  trm_model_unit(m, (trm_channel_kind)kind, i), ""};
    for (const trmi_channel *named = run->channel; named < c; named++)
        if (!named->name[0]) // no memory
            return false;
    for (int k = 0; k < TRMI_OWN_CHANNELS; k++) {
        const trmi_own_channel *own = &trmi_own_channels[k];
        *c++ = (trmi_channel){own->group, own->name, own->unit, own->description};
    }
    if (!trmi_sensitivities_channels(run))
        return false;
    run->flushed = trmi_clock_seconds();
    run->flush_after = FLUSH_FIRST;
    const char **text = calloc((size_t)run->sample_size + 1, sizeof *text);
    if (!text)
        return false;
    trmi_model_describe(run->request.model, run->simulation, text);
    for (int k = 0; k < run->sample_size; k++)
        run->channel[k].description = text[k] ? text[k] : "";
    free(text);
    for (int k = 0; k < run->channels; k++) { // those that are written are counted,
        int of = k < run->sample_size + TRMI_OWN_CHANNELS
                     ? k
                     : (k - run->sample_size - TRMI_OWN_CHANNELS) % run->sample_size;
        if (trmi_model_writes(m, run->channel[of].group, run->channel[of].name))
            run->selected[run->selection++] = k;
    }
    for (int k = 0; k < run->selection; k++) // and move to the front
        run->channel[k] = run->channel[run->selected[k]];
    return trmi_errors_channels(run);
}

// outputs whose formula has no value, each once
static void warn_of_lost_outputs(trmi_run *run, double t, const double *value)
{
    const trm_model *m = run->request.model;
    char line[300];
    for (int kind = 0; kind < TRM_CHANNEL_OUTPUT; kind++)
        value += trm_model_count(m, (trm_channel_kind)kind);
    for (int k = 0; k < trm_model_count(m, TRM_CHANNEL_OUTPUT) && run->request.log; k++) {
        if (isfinite(value[k]) || run->warned[k])
            continue;
        run->warned[k] = true;
        snprintf(line, sizeof line,
                 "output '%.60s' is %s at t = %.9g: its formula has no value there (reported once)",
                 trm_model_channel(m, TRM_CHANNEL_OUTPUT, k), trmi_lost_text(value[k]), t);
        run->request.log(TRM_LOG_WARNING, line, run->request.log_user);
    }
}

static bool fill_state(trmi_run *run, double t, double *value, const trm_state **state)
{
    if (trmi_values_at(run->request.model, run->instance, run->simulation, t, value, state) !=
        TRM_OK)
        return trmi_run_fail(run, TRMI_STAGE_SIMULATION, trm_simulation_error(run->simulation));
    return true;
}

// total energy at a state: of the model's formulas, or by the callback of a problem
static double total_energy(trmi_run *run, const trm_state *s, double kinetic, double potential)
{
    const trm_system *y = trm_instance_system(run->instance);
    double total = kinetic + potential;
    if (!isnan(total) || y->n_u > 0)
        return total;
    double *want[TRM_QUANTITY_COUNT] = {[TRM_QUANTITY_ENERGY] = &total};
    if (y->function[TRM_QUANTITY_ENERGY])
        y->function[TRM_QUANTITY_ENERGY](s, &total, y->user);
    else if (y->evaluate && y->evaluates & TRM_BIT(ENERGY))
        y->evaluate(s, want, y->user);
    return total;
}

// What the files of all formats get: a row, a step, an event, a flush when all are NULL.
typedef struct entry {
    bool synchronise; // after the flush
    double t;         // of a row or event
    const double *row;
    const trmi_step_row *step;
    const char *event, *text;
} entry;

static trm_status write_entry(trmi_writer *writer, const entry *e, trm_error *error)
{
    if (e->row)
        return trmi_writer_row(writer, e->t, e->row, error);
    if (e->step)
        return trmi_writer_step(writer, e->step, error);
    if (e->event)
        return trmi_writer_event(writer, e->t, e->event, e->text, error);
    return e->synchronise ? trmi_writer_synchronise(writer, error)
                          : trmi_writer_flush(writer, error);
}

static bool write_all(trmi_run *run, const entry *e)
{
    trm_error error = trmi_no_error();
    for (int k = 0; k < TRMI_FORMATS; k++)
        if (run->writer[k] && write_entry(run->writer[k], e, &error) != TRM_OK)
            return trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
    return true;
}

// The row that was sampled.
static bool write_row(trmi_run *run, double t, const trm_state *state)
{
    const trm_statistics *s = trm_simulation_statistics(run->simulation);
    warn_of_lost_outputs(run, t, run->row);
    double *more = run->row + run->sample_size;
    trmi_instance_energies(run->instance, state, &more[TRMI_OWN_KINETIC],
                           &more[TRMI_OWN_POTENTIAL]);
    more[TRMI_OWN_TOTAL] =
        total_energy(run, state, more[TRMI_OWN_KINETIC], more[TRMI_OWN_POTENTIAL]);
    more[TRMI_OWN_POSITION_RESIDUAL] = s->position_residual;
    more[TRMI_OWN_VELOCITY_RESIDUAL] = s->velocity_residual;
    if (run->parameters > 0 && !trmi_sensitivities_row(run, state, more + TRMI_OWN_CHANNELS))
        return false;
    for (int k = 0; k < run->selection; k++)
        run->written[k] = run->row[run->selected[k]];
    return write_all(run, &(entry){.t = t, .row = run->written}) && trmi_errors_row(run, t);
}

// contradicted (may be NULL): whether it contradicts the step, and is left out.
static bool sample_and_write(trmi_run *run, double t, bool *contradicted)
{
    const trm_state *state;
    const double begin = trmi_clock_seconds(),
                 span = trm_model_schedule(run->request.model)->output_interval;
    bool good = fill_state(run, t, run->row, &state);
    bool out = good && contradicted && trm_simulation_contradicts(run->simulation, span);
    if (contradicted)
        *contradicted = out;
    good = good && (out || write_row(run, t, state));
    run->rows += !out;
    run->output_seconds += trmi_clock_seconds() - begin;
    return good;
}

bool trmi_record_row(trmi_run *run, double t)
{
    return sample_and_write(run, t, NULL);
}

// The end of the last step, or the event that cuts it short: the next one begins there.
static double end_of_step(const trmi_run *run)
{
    const trm_events *events = trm_instance_events(run->instance);
    for (int k = 0; events && k < events->count; k++)
        if (trm_simulation_fired(run->simulation, k) &&
            trm_model_event_action(run->request.model, k) != TRM_EVENT_LOG)
            return trm_simulation_state(run->simulation)->t;
    return trm_simulation_statistics(run->simulation)->t_last;
}

bool trmi_record_step(trmi_run *run)
{
    const trm_statistics *s = trm_simulation_statistics(run->simulation), *before = &run->last;
    if (s->steps == before->steps)
        return true;
    const trmi_step_row row = {
        .t = end_of_step(run),
        .h = s->h_last,
        .order = s->order_last,
        .iterations = (int)(s->newton_iterations - before->newton_iterations),
        .rejected_error = (int)(s->rejected_error - before->rejected_error),
        .rejected_newton = (int)(s->rejected_newton - before->rejected_newton),
        .residuals = s->residual_evaluations,
        .factorizations = s->factorizations,
        .jacobians = s->jacobian_evaluations,
        .updates = s->jacobian_updates};
    long steps = s->steps - before->steps; // several where constant steps begin
    run->last = *s;
    // the work of all is noted with the last
    for (long i = 1; i < steps; i++) {
        trmi_step_row earlier = row;
        earlier.t -= (double)(steps - i) * s->h_last;
        earlier.iterations = earlier.rejected_error = earlier.rejected_newton = 0;
        if (!write_all(run, &(entry){.step = &earlier}))
            return false;
    }
    return write_all(run, &(entry){.step = &row});
}

bool trmi_record_event(trmi_run *run, int event)
{
    const trm_events *events = trm_instance_events(run->instance);
    double t = trm_simulation_state(run->simulation)->t;
    if (trm_model_event_action(run->request.model, event) != TRM_EVENT_LOG &&
        !trmi_record_row(run, t)) // this side of the jump
        return false;
    return write_all(run, &(entry){.t = t,
                                   .event = events->names[event],
                                   .text = trm_model_event_text(run->request.model, event)});
}

bool trmi_record_sample(trmi_run *run, double t, trmi_sample *sample)
{
    const trm_state *state;
    sample->t = t;
    return fill_state(run, t, sample->value, &state);
}

void trmi_record_end(trmi_run *run)
{
    const trm_state *state;
    run->final.t = trm_simulation_state(run->simulation)->t;
    if (fill_state(run, run->final.t, run->final.value, &state) && run->final_sensitivity)
        trmi_sensitivities_row(run, state, run->final_sensitivity);
}

// points 0 .. last of the grid
static int64_t last_point(const trm_schedule *s)
{
    return (int64_t)trmi_schedule_rows(s) - 1;
}

// a point of the grid, or the one behind the last, whatever the quotient is
static int64_t grid_point(const trm_schedule *s, double quotient)
{
    return (int64_t)fmin(fmax(quotient, 0), (double)last_point(s) + 1);
}

bool trmi_record_on_grid(const trmi_run *run, double t)
{
    const trm_schedule *s = trm_model_schedule(run->request.model);
    if (s->output_interval == 0)
        return true;
    int64_t k = grid_point(s, round((t - s->start) / s->output_interval));
    return trmi_schedule_row(s, k) == t || t == s->end;
}

void trmi_record_skip(trmi_run *run, double t)
{
    const trm_schedule *s = trm_model_schedule(run->request.model);
    if (s->output_interval == 0)
        return;
    run->grid = grid_point(s, floor((t - s->start) / s->output_interval));
    while (run->grid > 0 && trmi_schedule_row(s, run->grid - 1) > t) // the quotient was rounded
        run->grid--;
    while (run->grid <= last_point(s) && trmi_schedule_row(s, run->grid) <= t)
        run->grid++;
}

bool trmi_record_flush(trmi_run *run)
{
    double now = trmi_clock_seconds();
    if (now - run->flushed < run->flush_after)
        return true;
    run->flushed = now;
    bool good = write_all(run, &(entry){0});
    double taken = trmi_clock_seconds() - now;
    run->flush_after = fmax(fmin(2 * run->flush_after, FLUSH_EVERY), taken / FLUSH_SHARE);
    run->output_seconds += taken;
    return good;
}

bool trmi_record_synchronise(trmi_run *run)
{
    double begin = trmi_clock_seconds();
    bool good = write_all(run, &(entry){.synchronise = true});
    run->output_seconds += trmi_clock_seconds() - begin;
    return good;
}

// Between two rows: false when the run is interrupted or a file fails.
static bool continue_rows(trmi_run *run)
{
    bool asked = run->request.stop && *run->request.stop;
    // what is resumed begins with the step whose rows are missing
    if (asked && (run->free_point || !run->claim.path)) {
        run->outcome = TRMI_RUN_INTERRUPTED;
        return false;
    }
    return trmi_record_flush(run);
}

bool trmi_run_has_files(const trmi_run *run)
{
    for (int k = 0; k < TRMI_FORMATS; k++)
        if (run->writer[k])
            return true;
    return false;
}

// A row of the files that the companion is compared with as well. Those at events are not: there
// the two are on either side of a jump.
static bool record_point(trmi_run *run, double t, bool *contradicted)
{
    const trm_state *state;
    if (trmi_run_has_files(run) ? !sample_and_write(run, t, contradicted)
                                : !fill_state(run, t, run->row, &state))
        return false;
    if (run->companion && !(contradicted && *contradicted))
        trmi_companion_row(run->companion, t, run->row);
    return true;
}

// a row at the end of every step up to t; constant steps begin with several at once
static bool record_steps(trmi_run *run, double t)
{
    double h = trmi_run_options(run)->h_fixed, from = run->row_t;
    for (long i = 1; h > 0 && from + (double)i * h < t - 0.5 * h; i++)
        if (!record_point(run, from + (double)i * h, NULL))
            return false;
    run->row_t = t;
    return record_point(run, t, NULL);
}

bool trmi_record_until(trmi_run *run, double t, bool *contradicted)
{
    const trm_schedule *s = trm_model_schedule(run->request.model);
    if (contradicted)
        *contradicted = false;
    while (run->sampled < s->output_count && s->output_times[run->sampled] <= t) {
        if (!trmi_record_sample(run, s->output_times[run->sampled], &run->sample[run->sampled]))
            return false;
        warn_of_lost_outputs(run, s->output_times[run->sampled], run->sample[run->sampled].value);
        run->sampled++;
    }
    if (!trmi_run_has_files(run) && !run->companion)
        return true;
    if (s->output_interval == 0)
        return record_steps(run, t);
    for (; run->grid <= last_point(s) && trmi_schedule_row(s, run->grid) <= t; run->grid++) {
        if (!record_point(run, trmi_schedule_row(s, run->grid), contradicted))
            return false;
        if (contradicted && *contradicted)
            return true;
        if (!continue_rows(run))
            return false;
    }
    return true;
}
