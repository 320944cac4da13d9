// SPDX-License-Identifier: Apache-2.0
// A study file becomes a study. The keys are checked before: every item has the kind given in the
// table.
#include "program/study/study.h"

#include "base/texts.h"
#include "modelling/reader/beside.h"
#include "modelling/reader/constant.h"
#include "program/files/shell.h"
#include "program/study/points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t MAX_RUNS = 1000000000;

static bool is_sampled(const trmi_study *s)
{
    return s->sampling >= TRMI_SAMPLING_LATIN;
}

// ---- values of a parameter ----

// false: no memory
static bool read_list(trmi_study *s, const trmi_item *item, trmi_spread *out)
{
    double *value;
    out->kind = TRMI_SPREAD_VALUES;
    out->count = item->kind == TRMI_LIST ? item->count : 1;
    if (out->count == 0) {
        trmi_report(s->document, item, "the list of values is empty");
        out->count = 1;
    }
    if (!TRMI_TAKE(&s->memory, value, out->count))
        return false;
    out->value = value;
    if (item->kind != TRMI_LIST)
        trmi_read_constant(s->document, item, value);
    for (const trmi_item *i = item->kind == TRMI_LIST ? item->child : NULL; i; i = i->next)
        trmi_read_constant(s->document, i, value++);
    return true;
}

static void read_range(trmi_study *s, const trmi_item *item, trmi_spread *out)
{
    const trmi_item *from = trmi_item_find(item, "from"), *to = trmi_item_find(item, "to");
    const trmi_item *count = trmi_item_find(item, "count"),
                    *spacing = trmi_item_find(item, "spacing");
    double number = 0;
    out->kind = spacing && strcmp(spacing->text, "logarithmic") == 0 ? TRMI_SPREAD_LOG
                                                                     : TRMI_SPREAD_UNIFORM;
    if (!from || !to) {
        trmi_report_key(s->document, item, "a range needs 'from' and 'to'");
        return;
    }
    if (!trmi_read_constant(s->document, from, &out->a) ||
        !trmi_read_constant(s->document, to, &out->b))
        return;
    if (is_sampled(s) && !(out->a < out->b))
        trmi_report(s->document, to, "'to' is %g and must be larger than 'from', %g", out->b,
                    out->a);
    if (out->kind == TRMI_SPREAD_LOG && !(out->a * out->b > 0))
        trmi_report(s->document, from,
                    "a logarithmic range from %g to %g: both ends must be positive, or both "
                    "negative",
                    out->a, out->b);
    if (is_sampled(s) && count)
        trmi_report(s->document, count,
                    "'count' is for grids and lists; 'sampling.runs' is the number of samples");
    if (is_sampled(s))
        return;
    if (!count)
        trmi_report_key(s->document, item, "a range in a grid or list needs 'count'");
    else if (trmi_item_number(count, &number) && !(number >= 1 && number <= (double)MAX_RUNS))
        trmi_report(s->document, count, "'count' must be 1 .. %g, not %g", (double)MAX_RUNS,
                    number);
    else
        out->count = (int64_t)number;
    if (out->count == 1 && out->a != out->b)
        trmi_report(s->document, count, "one value of a range from %g to %g: which one?", out->a,
                    out->b);
    if (out->count > 1 && out->a == out->b)
        trmi_report(s->document, to, "%g values of a range from %g to %g are all the same", number,
                    out->a, out->b);
}

static void read_normal(trmi_study *s, const trmi_item *item, trmi_spread *out)
{
    const trmi_item *mean = trmi_item_find(item, "mean"),
                    *deviation = trmi_item_find(item, "deviation");
    out->kind = TRMI_SPREAD_NORMAL;
    for (const trmi_item *i = item->child; i; i = i->next)
        if (i != mean && i != deviation) {
            trmi_report_key(s->document, i,
                            "'%s' beside '%s': a range has 'from' and 'to', a normal distribution "
                            "'mean' and 'deviation'; exactly one of the two is accepted",
                            i->key, mean ? "mean" : "deviation");
            return;
        }
    if (!mean || !deviation) {
        trmi_report_key(s->document, item, "a normal distribution needs 'mean' and 'deviation'");
        return;
    }
    if (trmi_read_constant(s->document, mean, &out->a) &&
        trmi_read_constant(s->document, deviation, &out->b) && !(out->b > 0))
        trmi_report(s->document, deviation, "the deviation must be positive, not %g", out->b);
    if (!is_sampled(s))
        trmi_report_key(s->document, item,
                        "a normal distribution is sampled: give sampling.method random, "
                        "latin-hypercube, sobol or saltelli");
}

static bool read_parameters(trmi_study *s, const trmi_item *section)
{
    int count = section ? section->count : 0;
    if (!TRMI_TAKE(&s->memory, s->parameter, count))
        return false;
    if (section && count == 0)
        trmi_report_key(s->document, section, "there are no parameters");
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        trmi_study_parameter *p = &s->parameter[s->parameters++];
        *p = (trmi_study_parameter){.name = i->key, .item = i};
        if (i->kind != TRMI_MAP) {
            if (!read_list(s, i, &p->spread))
                return false;
        } else if (trmi_item_find(i, "mean") || trmi_item_find(i, "deviation")) {
            read_normal(s, i, &p->spread);
        } else {
            read_range(s, i, &p->spread);
        }
    }
    return true;
}

// ---- how many runs ----

static void read_sampling(trmi_study *s, const trmi_item *root)
{
    const trmi_item *method = trmi_item_path(root, "sampling.method");
    const trmi_item *seed = trmi_item_path(root, "sampling.seed");
    double number = 0;
    for (int k = 0; method && method->text && k < TRMI_SAMPLINGS; k++)
        if (strcmp(method->text, trmi_sampling_names[k]) == 0)
            s->sampling = (trmi_sampling)k;
    if (seed && trmi_item_number(seed, &number) && !(number >= 0 && number <= 0x1p53))
        trmi_report(s->document, seed, "the seed must be 0 .. 2^53, not %g", number);
    else
        s->seed = (uint64_t)number;
}

static void count_samples(trmi_study *s, const trmi_item *runs, const trmi_item *where)
{
    double number = 0;
    if (!runs || trmi_item_null(runs)) {
        trmi_report_key(s->document, where, "sampling needs 'runs', the number of samples");
        return;
    }
    // the points of a Latin hypercube are numbered by int, those of Sobol's sequence by 32 bits
    if (trmi_item_number(runs, &number) && !(number >= 1 && number <= (double)MAX_RUNS))
        trmi_report(s->document, runs, "'runs' must be 1 .. %g, not %g", (double)MAX_RUNS, number);
    if (s->sampling == TRMI_SAMPLING_SALTELLI) {
        number *= s->parameters + 2;
        if (number > (double)MAX_RUNS)
            trmi_report(s->document, runs, "saltelli needs %d runs for each: %g, more than %g",
                        s->parameters + 2, number, (double)MAX_RUNS);
    }
    s->runs = (int64_t)number;
    if (s->sampling == TRMI_SAMPLING_SOBOL && s->parameters > TRMI_SOBOL_DIMENSIONS)
        trmi_report_key(s->document, where,
                        "sobol has at most %d parameters, not %d; latin-hypercube has no limit",
                        TRMI_SOBOL_DIMENSIONS, s->parameters);
}

static void count_grid(trmi_study *s, const trmi_item *where)
{
    double product = 1;
    for (int k = 0; k < s->parameters; k++)
        product *= (double)s->parameter[k].spread.count;
    if (product > (double)MAX_RUNS)
        trmi_report_key(s->document, where, "the grid has %g runs, more than %g", product,
                        (double)MAX_RUNS);
    s->runs = (int64_t)fmin(product, (double)MAX_RUNS);
}

static void count_list(trmi_study *s)
{
    const trmi_study_parameter *longest = NULL;
    for (int k = 0; k < s->parameters; k++) {
        const trmi_study_parameter *p = &s->parameter[k];
        if (p->spread.count == 1)
            continue;
        if (longest && p->spread.count != longest->spread.count)
            trmi_report_key(s->document, p->item,
                            "'%.60s' has %lld values, and '%.60s' has %lld: in a list all have as "
                            "many, or one",
                            p->name, (long long)p->spread.count, longest->name,
                            (long long)longest->spread.count);
        longest = longest ? longest : p;
    }
    s->runs = longest ? longest->spread.count : 1;
}

static void count_runs(trmi_study *s, const trmi_item *root)
{
    const trmi_item *runs = trmi_item_path(root, "sampling.runs"),
                    *section = trmi_item_find(root, "sampling"),
                    *where = section ? section : trmi_item_find(root, "parameters");
    if (is_sampled(s)) {
        count_samples(s, runs, where);
        return;
    }
    if (runs && !trmi_item_null(runs))
        trmi_report_key(s->document, runs,
                        "'runs' is for samples; a %s has as many as it has values",
                        s->sampling == TRMI_SAMPLING_LIST ? "list" : "grid");
    if (s->sampling == TRMI_SAMPLING_LIST)
        count_list(s);
    else
        count_grid(s, where);
}

// ---- the rest ----

// a setting of what the study itself decides
static void check_setting(trmi_study *s, const trmi_item *item, const trmi_item *steps)
{
    for (int k = 0; k < s->parameters; k++)
        if (trmi_setting_is_parameter(item->key, s->parameter[k].name))
            trmi_report_key(s->document, item,
                            "'%.60s' is varied by the study: it has no one value",
                            s->parameter[k].name);
    if (steps && strcmp(item->key, "simulate.max_steps") == 0)
        trmi_report_key(s->document, item, "'%s' beside 'limit.steps': exactly one is accepted",
                        item->key);
}

// "path=value" for each entry of `settings`, and for the limit of steps
static bool read_settings(trmi_study *s, const trmi_item *section, const trmi_item *steps)
{
    trmi_texts texts = {.memory = &s->memory};
    const char **set;
    int count = 0;
    if (!TRMI_TAKE(&s->memory, set, (section ? section->count : 0) + 2))
        return false;
    if (steps && !(set[count++] = TRMI_JOIN(&texts, "simulate.max_steps=", steps->text)))
        return false;
    for (const trmi_item *i = section ? section->child : NULL; i; i = i->next) {
        check_setting(s, i, steps);
        if (!trmi_document_override(s->document, i, &s->memory, set, &count))
            return false;
    }
    s->set = set;
    return true;
}

// NULL: there is none
static const trmi_item *limit_of_steps(const trmi_item *root)
{
    const trmi_item *steps = trmi_item_path(root, "limit.steps");
    return steps && !trmi_item_null(steps) ? steps : NULL;
}

static void read_limit(trmi_study *s, const trmi_item *root)
{
    const trmi_item *seconds = trmi_item_path(root, "limit.seconds");
    const trmi_item *steps = limit_of_steps(root);
    double number = HUGE_VAL;
    if (seconds && !trmi_item_null(seconds) && trmi_read_constant(s->document, seconds, &number) &&
        !(number > 0))
        trmi_report(s->document, seconds, "'seconds' must be positive, not %g", number);
    s->seconds = number;
    if (steps && trmi_item_number(steps, &number) && !(number >= 1 && number <= 2e9))
        trmi_report(s->document, steps, "'steps' must be 1 .. 2000000000, not %g", number);
}

static void read_times(trmi_study *s, const trmi_item *times)
{
    double number = 0;
    s->times = 101;
    if (!times)
        return;
    if (!s->record[TRMI_RECORD_CHANNELS])
        trmi_report_key(s->document, times, "'times' is for 'channels', and there are none");
    if (trmi_item_number(times, &number) && !(number >= 2 && number <= TRMI_MAX_RESULTS))
        trmi_report(s->document, times, "'times' must be 2 .. %d, not %g", TRMI_MAX_RESULTS,
                    number);
    else
        s->times = (int)number;
}

static bool read_study(trmi_study *s)
{
    const trmi_item *root = trmi_document_root(s->document), *section;
    const trmi_item *model = trmi_item_find(root, "model"), *name = trmi_item_find(root, "name");
    const trmi_item *verify = trmi_item_find(root, "verify"),
                    *points = trmi_item_find(root, "points");
    trmi_texts texts = {.memory = &s->memory};
    char path[4096];
    if (!trmi_keys_check(s->document, &trmi_study_keys))
        return false;
    if (trmi_document_errors(s->document) > 0)
        return true;
    trmi_file_beside(s->document, s->path, model, path, sizeof path);
    s->model = TRMI_JOIN(&texts, path);
    s->name = name && !trmi_item_null(name) ? name->text : NULL;
    if (verify)
        trmi_item_truth(verify, &s->verify);
    for (int k = 0; k < TRMI_RECORD_KINDS; k++) {
        section = trmi_item_find(root, "record");
        s->record[k] = section ? trmi_item_find(section, trmi_record_names[k]) : NULL;
    }
    read_times(s, trmi_item_path(root, "record.times"));
    read_limit(s, root);
    read_sampling(s, root);
    bool good = s->model && (points ? trmi_points_read(s, points, trmi_item_find(root, "sampling"))
                                    : read_parameters(s, trmi_item_find(root, "parameters")));
    if (!good)
        return false;
    if (!points && trmi_document_errors(s->document) == 0)
        count_runs(s, root);
    return read_settings(s, trmi_item_find(root, "settings"), limit_of_steps(root));
}

trmi_study *trmi_study_read(const char *path, trm_diagnostic_function *report, void *user)
{
    trmi_memory memory;
    trmi_study *s;
    trmi_memory_init(&memory, NULL);
    bool good = TRMI_TAKE(&memory, s, 1);
    if (good) {
        s->memory = memory;
        trmi_texts texts = {.memory = &s->memory};
        s->path = TRMI_JOIN(&texts, path);
        s->document = trmi_document_load(&s->memory, path, report, user);
        good = s->path && !s->memory.failed && (!s->document || read_study(s));
        if (good && s->document && trmi_document_errors(s->document) == 0)
            good = trmi_sampling_prepare(s);
    }
    if (!good)
        report(&(trm_diagnostic){.error = 1, .file = path, .text = "no memory", .length = 1}, user);
    if (good && s->document && trmi_document_errors(s->document) == 0)
        return s;
    trmi_study_destroy(s);
    return NULL;
}

void trmi_study_destroy(trmi_study *s)
{
    if (!s)
        return;
    trmi_memory memory = s->memory; // the study lies in it
    trmi_memory_release_all(&memory);
}
