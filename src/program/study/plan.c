// SPDX-License-Identifier: Apache-2.0
#include "program/study/plan.h"

#include "base/hash.h"
#include "base/nearest.h"
#include "modelling/reader/model.h"
#include "program/files/csv/names.h"
#include "program/files/csv/part.h"
#include "program/files/shell.h"
#include "program/run/summary_fields.h"
#include "program/run/values.h"
#include "trammel/version.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- columns ----

static bool is_pattern(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

static trmi_record_column channel_column(const trm_model *m, trmi_record_kind kind, int index)
{
    int within = index;
    trm_channel_kind group = trmi_values_kind(m, &within);
    return (trmi_record_column){.kind = kind,
                                .index = index,
                                .group = trmi_channel_group[group],
                                .name = trm_model_channel(m, group, within),
                                .unit = trm_model_unit(m, group, within)};
}

static bool fits(const char *pattern, const trmi_record_column *c)
{
    char full[300];
    snprintf(full, sizeof full, "%s/%.250s", c->group, c->name);
    return fnmatch(pattern, full, 0) == 0 || fnmatch(pattern, c->name, 0) == 0;
}

static bool is_there(const trmi_plan *p, const trmi_record_column *c)
{
    for (int k = 0; k < p->columns; k++)
        if (p->column[k].kind == c->kind && p->column[k].index == c->index)
            return true;
    return false;
}

// how many columns a pattern chooses from
static int count_candidates(const trmi_plan *p, trmi_record_kind kind)
{
    return kind == TRMI_RECORD_EVENTS    ? p->model->events
           : kind == TRMI_RECORD_SUMMARY ? trmi_summary_fields()
                                         : trmi_values_count(p->model);
}

static trmi_record_column candidate(const trmi_plan *p, trmi_record_kind kind, int index)
{
    trmi_record_column c = {.kind = kind, .index = index, .unit = ""};
    if (kind == TRMI_RECORD_EVENTS) {
        c.group = "event";
        c.name = p->model->event_names[index];
        c.unit = "s";
    } else if (kind == TRMI_RECORD_SUMMARY) {
        c.group = "summary";
        c.name = trmi_summary_name(index);
    } else {
        c = channel_column(p->model, kind, index);
    }
    return c;
}

static bool is_of_channels(trmi_record_kind kind)
{
    return kind != TRMI_RECORD_EVENTS && kind != TRMI_RECORD_SUMMARY;
}

// Adds what a name or pattern means; patterns without a group leave out parameters of rotations, as
// names do. How many there are.
static int add_columns(trmi_plan *p, trmi_record_kind kind, const char *pattern)
{
    int found = 0, first = 0, end = count_candidates(p, kind);
    bool grouped = !is_of_channels(kind) || strchr(pattern, '/');
    if (is_of_channels(kind) && !is_pattern(pattern)) {
        first = trmi_values_find(p->model, p->hidden, pattern);
        end = first < 0 ? first : first + 1;
    }
    for (int k = first; k < end; k++) {
        trmi_record_column c = candidate(p, kind, k);
        if (!fits(pattern, &c) || (!grouped && p->hidden[k]))
            continue;
        found++;
        if (is_there(p, &c))
            continue;
        p->column[p->columns++] = c;
        if (kind == TRMI_RECORD_EVENTS) {
            c.counts = true;
            c.unit = "";
            p->column[p->columns++] = c;
        }
    }
    return found;
}

// a pattern that nothing fits, at its place in the study
static void report_pattern(const trmi_plan *p, const trmi_item *item, trmi_record_kind kind)
{
    const char *near = NULL;
    for (int k = 0; k < count_candidates(p, kind) && !near; k++) {
        trmi_record_column c = candidate(p, kind, k);
        near = trmi_nearest(item->text, &c.name, 1);
    }
    trmi_report(p->study->document, item, "%s '%.60s'%s%.60s%s",
                kind == TRMI_RECORD_EVENTS    ? "the model has no event"
                : kind == TRMI_RECORD_SUMMARY ? "a study can record no number of the summary"
                                              : "the model has no channel",
                item->text, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int max_columns(const trmi_plan *p)
{
    int columns = 0;
    for (int kind = 0; kind < TRMI_RECORD_KINDS; kind++)
        columns +=
            (kind == TRMI_RECORD_EVENTS ? 2 : 1) * count_candidates(p, (trmi_record_kind)kind);
    return columns;
}

static void add_recorded(trmi_plan *p)
{
    bool asked = false;
    for (int kind = 0; kind < TRMI_RECORD_KINDS; kind++) {
        const trmi_item *list = p->study->record[kind];
        asked = asked || list;
        for (const trmi_item *i = list ? list->child : NULL; i; i = i->next)
            if (add_columns(p, (trmi_record_kind)kind, i->text) == 0)
                report_pattern(p, i, (trmi_record_kind)kind);
    }
    if (asked)
        return;
    bool outputs = trm_model_count(p->model, TRM_CHANNEL_OUTPUT) > 0, turns = false;
    for (int k = 0; k < trm_model_count(p->model, TRM_CHANNEL_POSITION); k++)
        turns = turns || p->hidden[k];
    add_columns(p, TRMI_RECORD_END, outputs ? "output/*" : turns ? "body/*" : "position/*");
}

bool trmi_study_name_measures(trmi_study *s, const trm_model *model)
{
    trmi_texts texts = {.memory = &s->memory};
    int count = 0, more = 0;
    const char **set;
    while (s->set[count])
        count++;
    for (int kind = 0; kind < TRMI_RECORD_KINDS; kind++)
        more += s->record[kind] ? s->record[kind]->count : 0;
    bool *hidden = trmi_values_parameters(model);
    if (!hidden || !TRMI_TAKE(&s->memory, set, count + more + 1)) {
        free(hidden);
        return false;
    }
    for (int k = 0; k < count; k++)
        set[k] = s->set[k];
    for (int kind = 0; kind < TRMI_RECORD_KINDS; kind++) {
        const trmi_item *list = is_of_channels((trmi_record_kind)kind) ? s->record[kind] : NULL;
        for (const trmi_item *i = list ? list->child : NULL; i; i = i->next) {
            const char *override = trmi_values_override(model, hidden, i->text, &texts);
            if (override)
                set[count++] = override;
        }
    }
    free(hidden);
    s->set = set;
    return !s->memory.failed;
}

// ---- results of a run ----

// maxima, minima and integrals; false: no memory
static bool list_resolved(trmi_plan *p)
{
    if (!TRMI_TAKE(&p->memory, p->resolved, p->columns))
        return false;
    for (int k = 0; k < p->columns; k++) {
        const trmi_record_column *c = &p->column[k];
        const int sign = (c->kind == TRMI_RECORD_MAXIMUM) - (c->kind == TRMI_RECORD_MINIMUM);
        if (sign != 0 || c->kind == TRMI_RECORD_INTEGRAL)
            p->resolved[p->resolveds++] = (trmi_resolved){
                sign, trmi_record_names[c->kind], c->group, c->name, c->index, c->place, false};
    }
    return true;
}

// places of the columns among the results, and the times of whole channels; false: no memory
static bool arrange_results(trmi_plan *p)
{
    int channels = 0, times = p->study->times;
    for (int k = 0; k < p->columns; k++)
        channels += p->column[k].kind == TRMI_RECORD_CHANNELS;
    int64_t values = p->columns + (int64_t)channels * (times - 1);
    if (channels > 0 && values > TRMI_MAX_RESULTS)
        trmi_report_key(p->study->document, p->study->record[TRMI_RECORD_CHANNELS],
                        "%d channels at %d times: a run has %lld values, and at most %d can be "
                        "recorded; name fewer channels, or set record.times",
                        channels, times, (long long)values, TRMI_MAX_RESULTS);
    if (channels > 0 && values > TRMI_MAX_RESULTS)
        return true;
    for (int k = 0; k < p->columns; k++) {
        trmi_record_column *c = &p->column[k];
        c->place = p->results;
        c->width = c->kind == TRMI_RECORD_CHANNELS ? times : 1;
        p->results += c->width;
        p->balances = p->balances || (c->kind == TRMI_RECORD_SUMMARY &&
                                      trmi_summary_kind_of(c->index) == TRMI_SUMMARY_BALANCE);
    }
    p->times = channels > 0 ? times : 0;
    if (!TRMI_TAKE(&p->memory, p->time, p->times) || !list_resolved(p))
        return false;
    const trm_schedule *s = trm_model_schedule(p->model);
    for (int i = 0; i < p->times; i++)
        p->time[i] = i + 1 < times ? s->start + (s->end - s->start) * i / (times - 1) : s->end;
    return true;
}

// the columns that every table has, before and behind what is recorded
static const char *const OUTCOME[] = {"status", "exit_code", "trusted", "t", "steps"};
static const char *const OTHERS[] = {"run", "message", "fingerprint"};

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(name, list[k]) == 0)
            return true;
    return false;
}

// whether every table of such a study has a column of that name
static bool is_taken(const trmi_study *s, const char *name)
{
    return is_one_of(name, OUTCOME, sizeof OUTCOME / sizeof *OUTCOME) ||
           is_one_of(name, OTHERS, sizeof OTHERS / sizeof *OTHERS) ||
           (s->verify && strcmp(name, "digits") == 0);
}

static bool is_parameter(const trmi_study *s, const char *name)
{
    for (int k = 0; k < s->parameters; k++)
        if (strcmp(s->parameter[k].name, name) == 0)
            return true;
    return false;
}

// Names of columns are unique: what has the name of another has its group before it.
static void mark_doubles(trmi_plan *p)
{
    for (int k = 0; k < p->columns; k++) {
        const char *name = p->column[k].name;
        if (p->column[k].kind == TRMI_RECORD_END)
            p->column[k].qualified = is_taken(p->study, name) || is_parameter(p->study, name);
        for (int i = 0; i < k; i++)
            if (p->column[k].kind == p->column[i].kind &&
                p->column[k].index != p->column[i].index && strcmp(name, p->column[i].name) == 0)
                p->column[k].qualified = p->column[i].qualified = true;
    }
}

// ---- the table ----

static void add_label(trmi_text *header, const char *group, const char *name, const char *unit)
{
    trmi_csv_add_label(header, group, name, unit);
    trmi_text_add(header, ",");
}

static void add_column(trmi_text *header, const trmi_record_column *c)
{
    char name[400];
    const char *function = c->kind == TRMI_RECORD_CHANNELS ? "channel"
                           : c->kind != TRMI_RECORD_EVENTS ? trmi_record_names[c->kind]
                           : c->counts                     ? "count"
                                                           : "time";
    bool plain = c->kind == TRMI_RECORD_END;
    snprintf(name, sizeof name, "%s%s%s%s%.250s%s", plain ? "" : function, plain ? "" : "(",
             c->qualified ? c->group : "", c->qualified ? "/" : "", c->name, plain ? "" : ")");
    if (c->kind != TRMI_RECORD_INTEGRAL) {
        add_label(header, "", name, c->unit);
        return;
    }
    char unit[100];
    snprintf(unit, sizeof unit, "%.90s%ss", c->unit, c->unit[0] ? " " : "");
    add_label(header, "", name, unit);
}

static void write_header(trmi_plan *p)
{
    trmi_text *h = &p->header;
    trmi_text_add(h, "run,");
    for (int k = 0; k < p->study->parameters; k++)
        add_label(h, is_taken(p->study, p->study->parameter[k].name) ? "parameter" : "",
                  p->study->parameter[k].name, "");
    trmi_text_add(h, "status,exit_code,trusted,t [s],steps,");
    if (p->study->verify)
        trmi_text_add(h, "digits,");
    for (int k = 0; k < p->columns; k++)
        add_column(h, &p->column[k]);
    trmi_text_add(h, "message,fingerprint\n");
}

// ---- fingerprints ----

static bool is_varied(const trmi_study *s, const char *path)
{
    for (int k = 0; k < s->parameters; k++)
        if (trmi_setting_is_parameter(path, s->parameter[k].name))
            return true;
    return false;
}

// The limits of a run, which its row has where they ended it.
static uint64_t hash_limits(const trmi_plan *p)
{
    const double limits[] = {p->study->seconds, (double)p->model->options.max_steps};
    return trmi_hash(TRMI_HASH, limits, sizeof limits);
}

// of the model, what of it the fingerprint of checkpoints leaves free, and the columns
static uint64_t hash_plan(const trmi_plan *p)
{
    const trm_model *m = p->model;
    const trm_schedule *s = trm_model_schedule(m);
    // a companion or a search that comes to the limit changes rows that do not
    bool limited = p->study->verify || s->accuracy > 0;
    const double schedule[] = {s->start, s->end, s->accuracy,
                               limited ? (double)m->options.max_steps : 0};
    uint64_t hash = trmi_hash(TRMI_HASH, trm_version(), strlen(trm_version()));
    for (int k = 0; k < m->parts; k++)
        if (!is_varied(p->study, m->part[k].path))
            hash = trmi_hash(hash, &m->part[k].hash, sizeof m->part[k].hash);
    hash = trmi_hash(hash, schedule, sizeof schedule);
    hash = trmi_hash(hash, &p->times, sizeof p->times);
    return trmi_hash(hash, p->header.data, p->header.length);
}

uint64_t trmi_plan_fingerprint(const trmi_plan *p, const double *value)
{
    return trmi_hash(p->fingerprint, value, (size_t)p->study->parameters * sizeof *value);
}

bool trmi_plan_fits(const trmi_plan *p, const trm_model *m)
{
    bool same = m->parts == p->model->parts;
    for (int k = 0; k < m->parts && same; k++)
        same = m->part[k].hash == p->model->part[k].hash ||
               strncmp(m->part[k].path, "parameters", strlen("parameters")) == 0;
    return same;
}

bool trmi_plan_make(trmi_plan *p, const trmi_study *study, const trm_model *model)
{
    *p = (trmi_plan){.study = study, .model = model};
    trmi_memory_init(&p->memory, NULL);
    p->hidden = trmi_values_parameters(model);
    if (!p->hidden || !TRMI_TAKE(&p->memory, p->column, max_columns(p)))
        return false;
    add_recorded(p);
    mark_doubles(p);
    if (!arrange_results(p))
        return false;
    write_header(p);
    if (p->header.failed)
        return false;
    p->fingerprint = hash_plan(p);
    p->limits = hash_limits(p);
    return trmi_document_errors(study->document) == 0;
}

void trmi_plan_release(trmi_plan *p)
{
    free(p->hidden);
    trmi_text_free(&p->header);
    trmi_memory_release_all(&p->memory);
}
