// SPDX-License-Identifier: Apache-2.0
// The section `simulate`: options, start and end, what is written.
#include "modelling/reader/reading.h"

#include "base/error.h"
#include "base/integrators.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// rows of results without an output_interval: 500, fewer where these have more than 1e8 numbers
// (800 MB)
static const double DEFAULT_POINTS = 500, MIN_POINTS = 20;
static const double DEFAULT_VALUES = 1e8;

// accuracies that a companion can confirm
static const double MIN_ACCURACY = 1e-11, MAX_ACCURACY = 0.01;

// "text; advice"
static void report_error(trmi_reading *r, const trmi_item *item, const trm_error *error)
{
    trmi_report(r->document, item, "%s%s%s", error->text, error->advice[0] ? "; " : "",
                error->advice);
}

// Sets an option by its name in the table and reports what the table refuses; plain numbers were
// compared with it when the keys were checked.
static void set_option(trmi_reading *r, const trmi_item *item, const char *option, const char *text)
{
    trm_error error;
    double plain;
    if (trm_options_set(&r->model->options, option, text, &error) != TRM_OK &&
        !trmi_item_number(item, &plain))
        report_error(r, item, &error);
}

static void set_number(trmi_reading *r, const trmi_item *item, const char *option)
{
    double value;
    char text[40];
    if (!trmi_read_number(r, item, &value))
        return;
    snprintf(text, sizeof text, "%.17g", value);
    set_option(r, item, option, text);
}

// Parameters of integrators other than the chosen one may stay in the file while another one is
// tried: they cause a warning and are not set.
static bool of_another_integrator(trmi_reading *r, const trmi_key *key, const trmi_item *item)
{
    if (!trmi_integrator_lacks(r->model->options.integrator, key->option))
        return false;
    trmi_warn(r->document, item, "'%s' has no meaning for this integrator", item->key);
    return true;
}

trm_integrator trmi_read_integrator(const trmi_reading *r)
{
    const trmi_item *item = trmi_item_path(r->root, "simulate.integrator");
    trm_options o = trm_options_default();
    bool known = item && item->kind == TRMI_SCALAR && item->text &&
                 trm_options_set(&o, "integrator", item->text, NULL) == TRM_OK;
    return known ? o.integrator : TRM_INTEGRATOR_AUTO;
}

// every key of the table that names an option
static void read_options(trmi_reading *r)
{
    const trmi_key *key;
    for (int k = 0; (key = trmi_key_row(k)); k++) {
        const trmi_item *item = key->option ? trmi_item_path(r->root, key->path) : NULL;
        if (!item || trmi_item_null(item) || item->kind != TRMI_SCALAR ||
            of_another_integrator(r, key, item))
            continue;
        if (key->kind == TRMI_KEY_NUMBER || key->kind == TRMI_KEY_WHOLE)
            set_number(r, item, key->option);
        else if (key->kind == TRMI_KEY_CHOICE && trmi_document_errors(r->document) == 0)
            set_option(r, item, key->option, item->text);
    }
}

// The scale of the unknown that a name means, of positions, velocities, states and algebraic
// variables; NULL: none. Rotations of joints are unknowns by their channels only: in formulas their
// names are measures.
static double *find_scale(const trmi_reading *r, const char *name, double *const scale[4])
{
    const trmi_symbol *symbol = trmi_symbols_find(&r->symbols, name);
    if (symbol && symbol->kind >= TRMI_SYMBOL_POSITION && symbol->kind <= TRMI_SYMBOL_ALGEBRAIC)
        return &scale[symbol->kind - TRMI_SYMBOL_POSITION][symbol->index];
    for (int kind = TRM_CHANNEL_POSITION; kind <= TRM_CHANNEL_VELOCITY; kind++)
        for (int i = 0; i < trm_model_count(r->model, (trm_channel_kind)kind); i++)
            if (strcmp(trm_model_channel(r->model, (trm_channel_kind)kind, i), name) == 0)
                return &scale[kind - TRM_CHANNEL_POSITION][i];
    return NULL;
}

// An absolute tolerance of a name as the scale of that unknown: the solver multiplies atol by it.
static void set_scale(trmi_reading *r, const trmi_item *item, double atol, double *const scale[4])
{
    double value, *own = find_scale(r, item->key, scale);
    if (!own) {
        trmi_report_key(r->document, item,
                        "'%.60s' is not a position, velocity, state or algebraic variable",
                        item->key);
        return;
    }
    if (!trmi_read_number(r, item, &value))
        return;
    if (!(value > 0)) {
        if (!trmi_item_number(item, &value)) // a plain number was reported with the keys
            trmi_report(r->document, item, "an absolute tolerance must be positive, not %g", value);
        return;
    }
    *own = value / atol;
}

// The scales of the system, or 1, to be changed: those of a problem are not ours.
static double *copy_scale(trmi_reading *r, const double **scale, int n)
{
    double *copy;
    if (!TRMI_TAKE(r->memory, copy, n)) {
        r->failed = true;
        return NULL;
    }
    for (int i = 0; i < n; i++)
        copy[i] = *scale ? (*scale)[i] : 1;
    *scale = copy;
    return copy;
}

// absolute tolerances by name; those that are not in the map have that of `relative`
static void read_absolute(trmi_reading *r, const trmi_item *map)
{
    trm_system *s = &r->model->system;
    double *const scale[] = {copy_scale(r, &s->q_scale, s->n_q), copy_scale(r, &s->v_scale, s->n_q),
                             copy_scale(r, &s->x_scale, s->n_x),
                             copy_scale(r, &s->z_scale, s->n_z)};
    r->model->options.atol = r->model->options.rtol;
    for (const trmi_item *i = map->child; i && !r->failed; i = i->next)
        set_scale(r, i, r->model->options.atol, scale);
}

// The absolute tolerance that read_options did not set: one number is both tolerances, a map
// without `absolute` has it equal to the relative one, and `absolute` may be a map by name.
static void read_tolerance(trmi_reading *r)
{
    const trmi_item *item = trmi_item_path(r->root, "simulate.tolerance");
    if (!item || trmi_item_null(item))
        return;
    const trmi_item *absolute = trmi_item_find(item, "absolute");
    if (item->kind == TRMI_SCALAR && trmi_document_errors(r->document) == 0)
        set_number(r, item, "atol");
    else if (item->kind != TRMI_SCALAR && absolute && absolute->kind == TRMI_MAP)
        read_absolute(r, absolute);
    else if (item->kind != TRMI_SCALAR && (!absolute || trmi_item_null(absolute)))
        r->model->options.atol = r->model->options.rtol;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void read_output_times(trmi_reading *r, const trmi_item *list, bool range_known)
{
    trm_schedule *s = &r->model->schedule;
    double *times;
    int count = 0;
    if (!list || list->kind != TRMI_LIST)
        return;
    if (!TRMI_TAKE(r->memory, times, list->count)) {
        r->failed = true;
        return;
    }
    for (const trmi_item *i = list->child; i; i = i->next) {
        double t;
        if (!trmi_read_number(r, i, &t))
            continue;
        if (range_known && (t < s->start || t > s->end)) // the end may have been moved by --set
            trmi_warn(r->document, i, "output time %g lies outside the run from %g to %g", t,
                      s->start, s->end);
        else
            times[count++] = t;
    }
    qsort(times, (size_t)count, sizeof *times, compare_times);
    s->output_times = times;
    s->output_count = count;
}

// Start and end of the run; false after an error. Problems bring their own.
static bool read_range(trmi_reading *r, const trmi_item *simulate)
{
    trm_schedule *s = &r->model->schedule;
    const trmi_item *end = trmi_item_find(simulate, "end");
    bool given = end && !trmi_item_null(end);
    int errors = trmi_document_errors(r->document);
    trmi_read_quantity(r, trmi_item_find(simulate, "start"), &s->start);
    trmi_read_quantity(r, end, &s->end);
    r->model->initial.t = s->start;
    bool is_map = !simulate || simulate->kind == TRMI_MAP || trmi_item_null(simulate);
    if (trmi_document_errors(r->document) > errors || !is_map)
        return false;
    if (!given && !(s->end > s->start)) // NaN unless it is a problem, which has an end
        trmi_report_key(r->document, simulate ? simulate : r->root,
                        "simulate.end is missing: the time at which the run ends");
    else if (s->end < s->start)
        trmi_report(r->document, end, "the run ends at %g, before its start at %g", s->end,
                    s->start);
    return trmi_document_errors(r->document) == errors;
}

// positive, and larger than the spacing of floating point numbers
static void check_interval(trmi_reading *r, const trmi_item *item, bool range_known)
{
    const trm_schedule *s = &r->model->schedule;
    double latest = fmax(fabs(s->start), fabs(s->end));
    if (!(s->output_interval > 0))
        trmi_report(r->document, item, "the output interval must be positive, not %g",
                    s->output_interval);
    else if (range_known && !(s->output_interval > DBL_EPSILON * latest))
        trmi_report(r->document, item,
                    "an output interval of %g cannot be resolved at t = %g, where numbers lie %.2g "
                    "apart",
                    s->output_interval, latest, DBL_EPSILON * latest);
}

// What an accuracy cannot be given with, although it has a value that is possible.
static void check_accuracy(trmi_reading *r, const trmi_item *item)
{
    const trmi_item *tolerance = trmi_item_path(r->root, "simulate.tolerance");
    const trmi_item *verify = trmi_item_path(r->root, "simulate.verify");
    if (tolerance && !trmi_item_null(tolerance))
        trmi_report_key(r->document, item, "'accuracy' and 'tolerance' exclude each other");
    if (r->model->options.h_fixed > 0)
        trmi_report_key(r->document, item,
                        "'accuracy' and 'step.fixed' exclude each other: constant steps have no "
                        "tolerance that could be searched");
    if (r->model->schedule.verify == 0)
        trmi_report_key(r->document, verify,
                        "'verify: false' contradicts 'accuracy': it is the companion run that "
                        "confirms an accuracy");
}

// an accuracy, after whether there is a companion that confirms it
static void read_accuracy(trmi_reading *r, const trmi_item *item)
{
    trm_schedule *s = &r->model->schedule;
    if (!item || trmi_item_null(item) || !trmi_read_number(r, item, &s->accuracy))
        return;
    if (!(s->accuracy >= MIN_ACCURACY && s->accuracy <= MAX_ACCURACY))
        trmi_report(r->document, item, "an accuracy lies between %g and %g, not %g", MIN_ACCURACY,
                    MAX_ACCURACY, s->accuracy);
    else
        check_accuracy(r, item);
}

static void read_schedule(trmi_reading *r)
{
    trm_schedule *s = &r->model->schedule;
    const trmi_item *simulate = trmi_item_find(r->root, "simulate");
    const trmi_item *interval = trmi_item_find(simulate, "output_interval");
    bool range_known = read_range(r, simulate);
    double channels = 1;
    for (int kind = 0; kind < TRM_CHANNEL_KINDS; kind++)
        channels += r->model->names[kind].count;
    s->output_interval = (s->end - s->start) /
                         fmin(DEFAULT_POINTS, fmax(MIN_POINTS, floor(DEFAULT_VALUES / channels)));
    if (interval && interval->kind == TRMI_SCALAR && strcmp(interval->text, "steps") == 0)
        s->output_interval = 0;
    else if (trmi_read_number(r, interval, &s->output_interval))
        check_interval(r, interval, range_known);
    read_output_times(r, trmi_item_find(simulate, "output_times"), range_known);
    bool verify;
    s->verify = trmi_item_truth(trmi_item_find(simulate, "verify"), &verify) ? verify : -1;
    read_accuracy(r, trmi_item_find(simulate, "accuracy"));
}

void trmi_read_settings(trmi_reading *r)
{
    r->model->options.integrator = trmi_read_integrator(r);
    read_options(r);
    read_tolerance(r);
    read_schedule(r);
    const trmi_item *simulate = trmi_item_find(r->root, "simulate");
    trm_error error; // of options that are valid one by one and not together
    if (simulate && trmi_document_errors(r->document) == 0 &&
        trm_options_check(&r->model->options, &error) != TRM_OK) {
        const trmi_item *option = trmi_item_of_option(r->root, error.item);
        report_error(r, option ? option : simulate, &error);
    }
}
