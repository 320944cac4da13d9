// SPDX-License-Identifier: Apache-2.0
// The state of a run as bytes, to and from a checkpoint file: the simulation itself, parameters
// that events have set, samples, and how far the result files had come.
#define _POSIX_C_SOURCE 200809L
#include "program/run/run.h"

#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/files/file_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// what is fixed in size
typedef struct run_state {
    int64_t sampled, events;
    trmi_resume file[TRMI_FORMATS];
    trm_statistics last;
    double energy_start, wall_seconds;
    trmi_balance balance;
} run_state;

// the parts of the block, one after the other
typedef struct parts {
    size_t parameters, samples, simulation; // bytes
} parts;

static size_t sample_bytes(const trmi_run *run)
{
    return (1 + (size_t)run->sample_size) * sizeof(double);
}

static run_state present_state(const trmi_run *run)
{
    run_state s;
    memset(&s, 0, sizeof s); // padding too: files of equal runs are equal
    s.sampled = run->sampled;
    s.events = run->events;
    s.last = run->last;
    s.energy_start = run->energy_start;
    s.balance = run->balance;
    s.wall_seconds = run->wall_seconds;
    for (int k = 0; k < TRMI_FORMATS; k++)
        if (run->writer[k])
            s.file[k] = trmi_writer_count(run->writer[k]);
    return s;
}

bool trmi_resume_mark(trmi_run *run)
{
    const double *parameter;
    int parameters = trm_instance_parameters(run->instance, &parameter);
    const run_state s = present_state(run);
    const parts p = {(size_t)parameters * sizeof(double), (size_t)run->sampled * sample_bytes(run),
                     trm_simulation_save(run->simulation, NULL, 0)};
    size_t size = sizeof s + sizeof p + p.parameters + p.samples + p.simulation;
    unsigned char *block = malloc(size), *at = block;
    if (!block)
        return false;
    memcpy(at, &s, sizeof s);
    memcpy(at += sizeof s, &p, sizeof p);
    at += sizeof p;
    if (parameters > 0)
        memcpy(at, parameter, p.parameters);
    at += p.parameters;
    for (int i = 0; i < run->sampled; i++) {
        memcpy(at, &run->sample[i].t, sizeof(double));
        memcpy(at + sizeof(double), run->sample[i].value,
               (size_t)run->sample_size * sizeof(double));
        at += sample_bytes(run);
    }
    trm_simulation_save(run->simulation, at, p.simulation);
    free(run->free_point);
    run->free_point = block;
    run->free_size = size;
    run->free_t = trm_simulation_state(run->simulation)->t;
    return true;
}

void trmi_resume_unmark(trmi_run *run)
{
    free(run->free_point);
    run->free_point = NULL;
}

// ---- writing ----

// The names of the parameters of sensitivities, as --sensitivity has them.
static void join_parameters(const trmi_run *run, trmi_text *text)
{
    for (int k = 0; k < run->parameters; k++) {
        trmi_text_add(text, k > 0 ? "," : "");
        trmi_text_add(text, run->parameter[k].name);
    }
}

// Whether the checkpoint has the same sensitivities.
static bool check_parameters(const trmi_run *run, const trmi_checkpoint *c, trm_error *error)
{
    const trmi_checkpoint_block *then = trmi_checkpoint_find(c, "sensitivity");
    trmi_text now = {0};
    join_parameters(run, &now);
    size_t length = then ? then->size : 0;
    bool same = now.length == length && (length == 0 || memcmp(now.data, then->data, length) == 0);
    if (!same) {
        trmi_file_error_text(error, "use checkpoint", run->request.resume, "it has %s",
                             length > 0 ? "other sensitivities" : "no sensitivities");
        if (length > 0)
            trmi_error_advise(error, "resume with --sensitivity %.*s, as it was written",
                              (int)(length < 200 ? length : 200), (const char *)then->data);
        else
            trmi_error_advise(error, "resume without --sensitivity, as it was written");
    }
    trmi_text_free(&now);
    return same;
}

// What the checkpoint names is on the disk before the checkpoint is.
bool trmi_resume_save(trmi_run *run)
{
    bool marked = run->free_point != NULL;
    trm_error error = trmi_no_error();
    if (!trmi_record_synchronise(run))
        return false;
    if (!marked && !trmi_resume_mark(run)) {
        trmi_error_set(&error, TRM_ERR_MEMORY, "no memory for a checkpoint");
        return trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
    }
    // or it would replace the previous one, which can be used
    if (run->newer_unusable)
        unlink(run->request.checkpoint);
    run->newer_unusable = false;
    trmi_text keys = {0}, by = {0};
    trmi_resume_keys(run->request.model, &keys);
    join_parameters(run, &by);
    const trmi_checkpoint_block block[] = {{"run", run->free_point, run->free_size},
                                           {"sensitivity", by.data ? by.data : "", by.length},
                                           {"model", keys.data ? keys.data : "", keys.length}};
    trm_status status = trmi_checkpoint_write(run->request.checkpoint, run->request.model->hash,
                                              block, keys.failed ? 2 : 3, &error);
    trmi_text_free(&keys);
    trmi_text_free(&by);
    if (!marked) // only a state in the shadow of the end is worth keeping
        trmi_resume_unmark(run);
    if (status != TRM_OK)
        return trmi_run_fail(run, TRMI_STAGE_RESULTS, &error);
    run->saved_t = run->free_t;
    return true;
}

// Samples up to t from the checkpoint. Output times may have been added meanwhile: those that were
// passed without a sample have no values.
static void restore_samples(trmi_run *run, const unsigned char *from, int64_t count, double t)
{
    const trm_schedule *schedule = trm_model_schedule(run->request.model);
    int64_t next = 0;
    for (run->sampled = 0; run->sampled < schedule->output_count; run->sampled++) {
        trmi_sample *sample = &run->sample[run->sampled];
        double saved = NAN;
        sample->t = schedule->output_times[run->sampled];
        if (sample->t > t)
            return;
        for (; next < count && !(saved >= sample->t); next++)
            memcpy(&saved, from + (size_t)next * sample_bytes(run), sizeof saved);
        if (saved == sample->t)
            memcpy(sample->value, from + (size_t)(next - 1) * sample_bytes(run) + sizeof saved,
                   (size_t)run->sample_size * sizeof(double));
        else
            for (int i = 0; i < run->sample_size; i++)
                sample->value[i] = NAN;
        if (saved > sample->t) // belongs to a later output time
            next--;
    }
}

// Whether the parts fill the bytes behind them, with numbers of which any may be damaged.
static bool parts_fit(const trmi_run *run, const run_state *s, const parts *p, size_t parameters,
                      size_t bytes)
{
    if (p->parameters != parameters * sizeof(double) || p->parameters > bytes)
        return false;
    bytes -= p->parameters;
    if (s->sampled < 0 || (uint64_t)s->sampled > bytes / sample_bytes(run) ||
        p->samples != (size_t)s->sampled * sample_bytes(run))
        return false;
    return p->simulation == bytes - p->samples;
}

static bool counts_fit(const run_state *s)
{
    bool fit = s->events >= 0 && s->events <= INT64_MAX / 4;
    for (int k = 0; k < TRMI_FORMATS; k++)
        fit = fit && s->file[k].rows >= 0 && s->file[k].steps >= 0 && s->file[k].events >= 0;
    return fit;
}

// Whether all steps of the simulation were written, with no more work than it has done.
static bool is_before(const trm_statistics *last, const trm_statistics *now)
{
    return last->steps == now->steps && last->newton_iterations >= 0 &&
           last->newton_iterations <= now->newton_iterations && last->rejected_error >= 0 &&
           last->rejected_error <= now->rejected_error && last->rejected_newton >= 0 &&
           last->rejected_newton <= now->rejected_newton;
}

// The block into the run; false when it does not fit.
static bool restore(trmi_run *run, const trmi_checkpoint_block *block, trmi_resume *files)
{
    run_state s;
    parts p;
    const double *parameter;
    int parameters = trm_instance_parameters(run->instance, &parameter);
    const unsigned char *at = block->data;
    if (block->size < sizeof s + sizeof p)
        return false;
    memcpy(&s, at, sizeof s);
    memcpy(&p, at += sizeof s, sizeof p);
    at += sizeof p;
    if (!parts_fit(run, &s, &p, (size_t)parameters, block->size - (sizeof s + sizeof p)) ||
        !counts_fit(&s))
        return false;
    if (parameters > 0)
        trm_instance_set_parameters(run->instance, (const double *)(const void *)at);
    at += p.parameters;
    const unsigned char *samples = at;
    at += p.samples;
    run->events = (long)s.events;
    run->last = s.last;
    run->energy_start = s.energy_start;
    run->balance = s.balance;
    run->wall_seconds = s.wall_seconds;
    memcpy(files, s.file, sizeof s.file);
    if (trm_simulation_load(run->simulation, at, p.simulation) != TRM_OK ||
        !is_before(&run->last, trm_simulation_statistics(run->simulation)))
        return false;
    double t = run->saved_t = trm_simulation_state(run->simulation)->t;
    restore_samples(run, samples, s.sampled, t);
    trmi_record_skip(run, t);
    return true;
}

static bool load(trmi_run *run, const char *path, trmi_resume files[TRMI_FORMATS], bool *damaged)
{
    trm_error error = trmi_no_error();
    trmi_checkpoint *c = trmi_checkpoint_read(path, &error);
    *damaged = c == NULL;
    if (!c || !trmi_resume_check_model(run, c, &error) || !check_parameters(run, c, &error)) {
        trmi_checkpoint_free(c);
        return trmi_run_fail(run, TRMI_STAGE_MODEL, &error);
    }
    const trmi_checkpoint_block *block = trmi_checkpoint_find(c, "run");
    bool fits = block && restore(run, block, files);
    double t = trm_simulation_state(run->simulation)->t;
    double end = trm_model_schedule(run->request.model)->end;
    bool good = fits && t <= end;
    if (fits && !good) { // a run cannot end before the time of its checkpoint
        trmi_error_advise(&error, "resume to a later end, or run again into another folder");
        trmi_error_set(&error, TRM_ERR_RESULT, "%.120s is at t = %.9g, beyond the end %.9g", path,
                       t, end);
        trmi_run_fail(run, TRMI_STAGE_MODEL, &error);
    }
    if (!fits) {
        const trm_error *why = trm_simulation_error(run->simulation);
        trmi_error_advise(&error, "resume with the version and the settings that wrote it");
        trmi_error_set(&error, TRM_ERR_RESULT, "%.150s does not fit this model: %.90s", path,
                       why->text[0] ? why->text : "sizes differ");
        trmi_run_fail(run, TRMI_STAGE_MODEL, &error);
    }
    trmi_checkpoint_free(c);
    return good;
}

static void report_previous(const trmi_run *run, const trm_error *why)
{
    char line[sizeof why->text + 100];
    snprintf(line, sizeof line, "%s; going on from the checkpoint before it, at t = %.9g",
             why->text, run->saved_t);
    if (run->request.log)
        run->request.log(TRM_LOG_WARNING, line, run->request.log_user);
}

// After the newer one could not be used; false leaves the reason as it was.
static bool load_previous(trmi_run *run, const char *path, trmi_resume files[TRMI_FORMATS])
{
    const trm_error why = run->error;
    const trmi_run_stage stage = run->stage;
    bool damaged;
    if (access(path, R_OK) != 0)
        return false;
    run->outcome = TRMI_RUN_DONE;
    trmi_error_clear(&run->error);
    if (load(run, path, files, &damaged) && trmi_resume_check_files(run, files)) {
        report_previous(run, &why);
        run->newer_unusable = true;
        return true;
    }
    run->error = why;
    run->stage = stage;
    return false;
}

bool trmi_resume_load(trmi_run *run, trmi_resume files[TRMI_FORMATS])
{
    bool damaged, good = load(run, run->request.resume, files, &damaged);
    bool lacking = good && !trmi_resume_check_files(run, files);
    if (!damaged && !lacking)
        return good;
    char *previous = trmi_path_with(run->request.resume, TRMI_CHECKPOINT_PREVIOUS);
    good = previous && load_previous(run, previous, files);
    free(previous);
    return good;
}
