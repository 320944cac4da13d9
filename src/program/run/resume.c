// SPDX-License-Identifier: Apache-2.0
// The state of a run as bytes, to and from a checkpoint file: the simulation itself, parameters
// that events have set, samples, and how far the result files had come.
#define _POSIX_C_SOURCE 200809L
#include "program/run/run.h"

#include "base/error.h"
#include "modelling/reader/model.h"
#include "program/files/file_error.h"
#include "program/files/text.h"
#include "program/run/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HASH_LENGTH = 17, MAX_CHANGES = 3, LONGEST_PATH = 40 };

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

// ---- the model it belongs to ----

// the keys that decide the trajectory, each with its hash: lines "0123456789abcdef simulate.step"
static void add_keys(trmi_text *text, const trm_model *model)
{
    char hash[HASH_LENGTH + 1];
    for (int k = 0; k < model->parts; k++) {
        snprintf(hash, sizeof hash, "%016" PRIx64 " ", model->part[k].hash);
        TRMI_TEXT_ADD(text, hash, model->part[k].path, "\n");
    }
}

// whether the text has a line with these characters
static bool has_line(const char *text, size_t length, const char *line, size_t size)
{
    for (const char *end = text + length; text < end;) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        if (!next)
            return false;
        if ((size_t)(next - text) == size && memcmp(text, line, size) == 0)
            return true;
        text = next + 1;
    }
    return false;
}

// The keys of one list that differ or are missing in the other; those in `list` already are
// left out. Their number.
static int add_changes(trmi_text *list, const char *text, size_t length, const char *other,
                       size_t other_length, int count)
{
    for (const char *line = text, *end = text + length; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next || next - line <= HASH_LENGTH)
            return count;
        size_t size = (size_t)(next - line), path = size - HASH_LENGTH;
        if (!has_line(other, other_length, line, size) &&
            !has_line(list->data, list->length, line + HASH_LENGTH, path)) {
            trmi_text_add_bytes(list, line + HASH_LENGTH, path);
            trmi_text_add(list, "\n");
            count++;
        }
        line = next + 1;
    }
    return count;
}

// "parameters.g and simulate.tolerance": the first of the lines
static void join_lines(const char *lines, int count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < count && k < MAX_CHANGES; k++) {
        const char *next = strchr(lines, '\n');
        const char *between = k == 0 ? "" : k == count - 1 ? " and " : ", ";
        int done =
            snprintf(text + used, size - used, "%s%.*s", between,
                     next - lines < LONGEST_PATH ? (int)(next - lines) : LONGEST_PATH, lines);
        used += done > 0 ? (size_t)done : 0;
        lines = next + 1;
    }
    if (count > MAX_CHANGES && used < size)
        snprintf(text + used, size - used, " and %d more", count - MAX_CHANGES);
}

// Whether the checkpoint is of this model; the message names what has changed since.
static bool check_model(const trmi_run *run, const trmi_checkpoint *c, trm_error *error)
{
    const trm_model *model = run->request.model;
    const trmi_checkpoint_block *then = trmi_checkpoint_find(c, "model");
    trmi_text now = {0}, list = {0};
    char changed[MAX_CHANGES * (LONGEST_PATH + 8) + 40] = "";
    int count = 0;
    if (trmi_checkpoint_model(c) == model->hash)
        return true;
    add_keys(&now, model);
    if (then && now.data) {
        count = add_changes(&list, now.data, now.length, then->data, then->size, 0);
        count = add_changes(&list, then->data, then->size, now.data, now.length, count);
    }
    if (count > 0 && !list.failed && !now.failed) {
        join_lines(list.data, count, changed, sizeof changed);
        trmi_file_error_text(error, "use checkpoint", run->request.resume,
                             "%s changed since it was written", changed);
    } else {
        trmi_file_error_text(error, "use checkpoint", run->request.resume,
                             "it belongs to another model");
    }
    trmi_error_advise(error, "resume with the model file and the --set of the run that wrote it");
    trmi_text_free(&now);
    trmi_text_free(&list);
    return false;
}

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
    add_keys(&keys, run->request.model);
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
    if (p.parameters != (size_t)parameters * sizeof(double) || s.sampled < 0 ||
        p.samples != (size_t)s.sampled * sample_bytes(run) ||
        p.simulation != block->size - (sizeof s + sizeof p + p.parameters + p.samples))
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
    if (trm_simulation_load(run->simulation, at, p.simulation) != TRM_OK)
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
    if (!c || !check_model(run, c, &error) || !check_parameters(run, c, &error)) {
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
