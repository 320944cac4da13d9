// SPDX-License-Identifier: Apache-2.0
// An optimisation file becomes an optimisation. The keys are checked before: every item has the
// kind given in the table.
#include "program/optimize/optimize.h"

#include "base/nearest.h"
#include "base/texts.h"
#include "modelling/reader/beside.h"
#include "modelling/reader/constant.h"
#include "modelling/reader/model.h"
#include "modelling/reader/tables.h"
#include "program/files/shell.h"
#include "program/run/values.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_parameters(trmi_optimization *o, const trmi_item *section)
{
    if (!TRMI_TAKE(&o->memory, o->parameter, section->count))
        return false;
    if (section->count == 0)
        trmi_report_key(o->document, section, "there are no parameters");
    for (const trmi_item *i = section->child; i; i = i->next) {
        trmi_sought *p = &o->parameter[o->parameters++];
        *p = (trmi_sought){i->key, NAN, -HUGE_VAL, HUGE_VAL, i};
        const trmi_item *start = trmi_item_find(i, "start");
        trmi_read_constant(o->document, start, &p->start);
        trmi_read_constant(o->document, trmi_item_find(i, "min"), &p->min);
        trmi_read_constant(o->document, trmi_item_find(i, "max"), &p->max);
        if (!(p->min < p->max))
            trmi_report(o->document, trmi_item_find(i, "max"),
                        "'max' is %g and must be larger than 'min', %g", p->max, p->min);
        else if (p->start < p->min || p->start > p->max)
            trmi_report(o->document, start, "'start' is %g, outside of %g .. %g", p->start, p->min,
                        p->max);
    }
    return true;
}

// the data of one channel; all have the same times. False: no memory
static bool read_data(trmi_optimization *o, const trmi_item *fit, const trmi_item *channel,
                      trmi_target *to)
{
    trm_model file = {.path = o->path};
    trmi_reading r = {.model = &file, .memory = &o->memory, .document = o->document};
    const trmi_item *column =
        channel->kind == TRMI_MAP ? trmi_item_find(channel, "column") : channel;
    if (!column) {
        trmi_report_key(o->document, channel, "'%.60s' needs a column", channel->key);
        return true;
    }
    double *time = NULL, *value = NULL;
    int rows = trmi_read_columns(
        &r, &(trmi_table_file){trmi_item_find(fit, "data"), {trmi_item_find(fit, "time"), column}},
        &time, &value);
    if (rows == 0)
        return !r.failed;
    o->rows = rows;
    o->time = time;
    to->data = value;
    return true;
}

static bool read_fit(trmi_optimization *o, const trmi_item *fit)
{
    const trmi_item *channels = trmi_item_find(fit, "channels");
    int with = 0;
    o->goal = TRMI_GOAL_FIT;
    o->where = fit;
    if (!TRMI_TAKE(&o->memory, o->target, channels->count))
        return false;
    if (channels->count == 0)
        trmi_report_key(o->document, channels, "there are no channels");
    for (const trmi_item *i = channels->child; i; i = i->next) {
        trmi_target *t = &o->target[o->targets++];
        *t = (trmi_target){.channel = i->key, .item = i, .deviation = NAN};
        const trmi_item *deviation = trmi_item_find(i, "deviation");
        trmi_read_constant(o->document, deviation, &t->deviation);
        if (t->deviation <= 0)
            trmi_report(o->document, deviation, "the deviation must be positive, not %g",
                        t->deviation);
        with += !isnan(t->deviation);
        if (!read_data(o, fit, i, t))
            return false;
    }
    if (with > 0 && with < o->targets)
        trmi_report_key(o->document, channels,
                        "some channels have a deviation and some have none: which weigh how much?");
    return true;
}

static bool read_minimum(trmi_optimization *o, const trmi_item *section)
{
    const trmi_item *end = trmi_item_find(section, "end"),
                    *integral = trmi_item_find(section, "integral");
    const trmi_item *item = end ? end : integral;
    if (!item) // reported
        return true;
    o->goal = end ? TRMI_GOAL_END : TRMI_GOAL_INTEGRAL;
    o->where = item;
    if (!TRMI_TAKE(&o->memory, o->target, 1))
        return false;
    o->targets = 1;
    o->target[0] = (trmi_target){.channel = item->text, .item = item};
    return true;
}

static void read_search(trmi_optimization *o, const trmi_item *root)
{
    const trmi_item *method = trmi_item_find(root, "method"), *runs = trmi_item_find(root, "runs"),
                    *tolerance = trmi_item_find(root, "tolerance");
    double number = 100;
    for (int k = 0; method && k < TRMI_SEARCH_METHODS; k++)
        if (method->text && strcmp(method->text, trmi_search_names[k]) == 0)
            o->method = (trmi_search_method)k;
    if (o->method == TRMI_SEARCH_AUTO)
        o->method = o->goal == TRMI_GOAL_FIT ? TRMI_SEARCH_LEVENBERG_MARQUARDT : TRMI_SEARCH_SLSQP;
    if (o->method == TRMI_SEARCH_LEVENBERG_MARQUARDT && o->goal != TRMI_GOAL_FIT)
        trmi_report(o->document, method,
                    "levenberg-marquardt is for 'fit': its goal is a sum of squares");
    trmi_read_constant(o->document, runs, &number);
    if (!(number >= 1 && number <= 1e6))
        trmi_report(o->document, runs, "'runs' must be 1 .. 1000000, not %g", number);
    o->max_runs = (int)number;
    o->tolerance = 1e-6;
    trmi_read_constant(o->document, tolerance, &o->tolerance);
    if (!(o->tolerance > 0 && o->tolerance < 1))
        trmi_report(o->document, tolerance, "the tolerance must be between 0 and 1, not %g",
                    o->tolerance);
}

// a value beside the start of a parameter, which would be ignored
static void check_setting(trmi_optimization *o, const trmi_item *item)
{
    for (int k = 0; k < o->parameters; k++)
        if (!isnan(o->parameter[k].start) &&
            trmi_setting_is_parameter(item->key, o->parameter[k].name))
            trmi_report_key(o->document, item,
                            "'%.60s' has its 'start' below 'parameters': leave one of the two out",
                            o->parameter[k].name);
}

// "path=value" for each entry of `settings`
static bool read_settings(trmi_optimization *o, const trmi_item *section)
{
    const char **set;
    int count = 0;
    if (!TRMI_TAKE(&o->memory, set, (section ? section->count : 0) + 1))
        return false;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        check_setting(o, i);
        if (!trmi_document_override(o->document, i, &o->memory, set, &count))
            return false;
    }
    o->set = set;
    return true;
}

static bool read_all(trmi_optimization *o)
{
    trmi_texts texts = {.memory = &o->memory};
    char path[4096];
    if (!trmi_keys_check(o->document, &trmi_optimize_keys))
        return false;
    if (trmi_document_errors(o->document) > 0)
        return true;
    const trmi_item *root = trmi_document_root(o->document), *name = trmi_item_find(root, "name");
    const trmi_item *fit = trmi_item_find(root, "fit");
    trmi_file_beside(o->document, o->path, trmi_item_find(root, "model"), path, sizeof path);
    o->model = TRMI_JOIN(&texts, path);
    o->name = name && !trmi_item_null(name) ? name->text : NULL;
    bool good = o->model && read_parameters(o, trmi_item_find(root, "parameters")) &&
                read_settings(o, trmi_item_find(root, "settings")) &&
                (fit ? read_fit(o, fit) : read_minimum(o, trmi_item_find(root, "minimize")));
    if (good)
        read_search(o, root);
    return good;
}

trmi_optimization *trmi_optimization_read(const char *path, trm_diagnostic_function *report,
                                          void *user)
{
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    trmi_optimization *o;
    bool good = TRMI_TAKE(&memory, o, 1);
    if (good) {
        o->memory = memory;
        trmi_texts texts = {.memory = &o->memory};
        o->path = TRMI_JOIN(&texts, path);
        o->document = trmi_document_load(&o->memory, path, report, user);
        good = o->path && !o->memory.failed && (!o->document || read_all(o));
        if (o->document)
            trmi_document_conclude(o->document);
    }
    if (!good)
        report(&(trm_diagnostic){.error = 1, .file = path, .text = "no memory", .length = 1}, user);
    if (good && o->document && trmi_document_errors(o->document) == 0)
        return o;
    trmi_optimization_destroy(o);
    return NULL;
}

void trmi_optimization_destroy(trmi_optimization *o)
{
    if (!o)
        return;
    trmi_memory memory = o->memory; // it lies in it
    trmi_memory_release_all(&memory);
}

// ---- the model ----

bool trmi_optimization_name_measures(trmi_optimization *o, const trm_model *model)
{
    trmi_texts texts = {.memory = &o->memory};
    const char **set;
    int count = 0;
    while (o->set[count])
        count++;
    bool *hidden = trmi_values_parameters(model);
    if (!hidden || !TRMI_TAKE(&o->memory, set, count + o->targets + 1)) {
        free(hidden);
        return false;
    }
    for (int k = 0; k < count; k++)
        set[k] = o->set[k];
    for (int k = 0; k < o->targets; k++) {
        const char *override = trmi_values_override(model, hidden, o->target[k].channel, &texts);
        if (override)
            set[count++] = override;
    }
    free(hidden);
    o->set = set;
    return !o->memory.failed;
}

static void report_channel(trmi_optimization *o, const trm_model *m, const trmi_target *t)
{
    const char *near = NULL, *slash = strchr(t->channel, '/');
    for (int kind = TRM_CHANNEL_KINDS - 1; kind >= 0 && !near; kind--)
        for (int i = 0; i < trm_model_count(m, (trm_channel_kind)kind) && !near; i++) {
            const char *name = trm_model_channel(m, (trm_channel_kind)kind, i);
            near = trmi_nearest(slash ? slash + 1 : t->channel, &name, 1);
        }
    trmi_report(o->document, t->item, "the model has no channel '%.60s'%s%.60s%s", t->channel,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool set_times(trmi_optimization *o, const trm_model *model)
{
    const trm_schedule *s = trm_model_schedule(model);
    double *time;
    if (o->goal == TRMI_GOAL_FIT) {
        if (o->rows > 0 && (o->time[0] < s->start || o->time[o->rows - 1] > s->end))
            trmi_report(o->document, trmi_item_find(o->where, "data"),
                        "the data are from t = %g to %g, the model runs from %g to %g: give "
                        "settings.simulate.end",
                        o->time[0], o->time[o->rows - 1], s->start, s->end);
        return true;
    }
    if (o->goal == TRMI_GOAL_INTEGRAL && !(s->end > s->start))
        trmi_report(o->document, o->where,
                    "the run has no length, from t = %g to simulate.end = %g: the integral is 0 "
                    "with all parameters; give settings.simulate.end",
                    s->start, s->end);
    if (!TRMI_TAKE(&o->memory, time, 1))
        return false;
    time[0] = s->end;
    o->time = time;
    o->rows = 1;
    return true;
}

// Whether the run has the same length with parameter k a little changed: reported otherwise. value:
// those of all parameters at the start.
static void check_end(const trmi_optimization *o, const trm_model *model, double *value, int k)
{
    const trm_schedule *now = trm_model_schedule(model);
    const double kept = value[k];
    trm_model *beside;
    trm_error unread;
    value[k] += cbrt(DBL_EPSILON) * (kept != 0 ? kept : 1);
    if (trm_model_vary(&beside, model, value, &unread) == TRM_OK) {
        const trm_schedule *then = trm_model_schedule(beside);
        if (then->start != now->start || then->end != now->end)
            trmi_report_key(o->document, o->parameter[k].item,
                            "the length of the run, simulate.%s, depends on '%.60s', which is "
                            "sought: give a number by settings: {simulate.%s: %g}",
                            then->end != now->end ? "end" : "start", o->parameter[k].name,
                            then->end != now->end ? "end" : "start",
                            then->end != now->end ? now->end : now->start);
        trm_model_destroy(beside);
    }
    value[k] = kept;
}

static bool check_ends(trmi_optimization *o, const trm_model *model)
{
    double *value;
    if (!TRMI_TAKE(&o->memory, value, o->parameters))
        return false;
    for (int k = 0; k < o->parameters; k++)
        trm_model_varied(model, k, &value[k]);
    for (int k = 0; k < o->parameters; k++)
        check_end(o, model, value, k);
    return true;
}

bool trmi_optimization_bind(trmi_optimization *o, const trm_model *model)
{
    bool *hidden = trmi_values_parameters(model);
    if (!hidden)
        return false;
    for (int k = 0; k < o->targets; k++) {
        o->target[k].index = trmi_values_find(model, hidden, o->target[k].channel);
        if (o->target[k].index < 0)
            report_channel(o, model, &o->target[k]);
    }
    free(hidden);
    for (int k = 0; k < o->parameters; k++) {
        trmi_sought *p = &o->parameter[k];
        if (isnan(p->start))
            trm_model_varied(model, k, &p->start);
        if (p->start < p->min || p->start > p->max)
            trmi_report_key(o->document, p->item,
                            "the value of '%.60s' in the model is %g, outside of %g .. %g: give "
                            "'start'",
                            p->name, p->start, p->min, p->max);
    }
    return set_times(o, model) && check_ends(o, model) && trmi_document_errors(o->document) == 0;
}
