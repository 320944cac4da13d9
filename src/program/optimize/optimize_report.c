// SPDX-License-Identifier: Apache-2.0
// What an optimisation has found: in lines, as JSON, as a page with plots.
#include "program/optimize/optimize.h"

#include "modelling/reader/model.h"
#include "program/files/disk.h"
#include "program/files/json.h"
#include "program/files/shell.h"
#include "program/plot/page.h"
#include "program/run/console.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int values_of(const trmi_optimization *o)
{
    return o->rows * o->targets;
}

// standard error of a parameter; NaN: not known
static double error_of(const trmi_search_state *s, int k)
{
    int n = s->o->parameters;
    double variance = s->covariance ? s->covariance[k * n + k] : 0;
    return variance > 0 ? sqrt(variance) : NAN;
}

// whether p is b, but for the roundoff of units
static bool is_at(double p, double b)
{
    return isfinite(b) && fabs(p - b) <= 4 * DBL_EPSILON * fabs(b);
}

static const char *influence_text(const trmi_search_state *s, int k)
{
    return s->influences[k] ? "" : ", without influence on the goal";
}

static const char *bound_text(const trmi_search_state *s, int k)
{
    const trmi_sought *b = &s->o->parameter[k];
    return is_at(s->p[k], b->min)   ? ", at its lower bound"
           : is_at(s->p[k], b->max) ? ", at its upper bound"
                                    : "";
}

static const char *goal_text(const trmi_optimization *o, char *text, size_t size)
{
    static const char *const kinds[] = {"fit of", "end of", "integral of"};
    snprintf(text, size, "%s %.60s", kinds[o->goal], o->target[0].channel);
    for (int k = 1; k < o->targets; k++) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, ", %.60s", o->target[k].channel);
    }
    return text;
}

// "98230 +- 31"
static void parameter_text(const trmi_search_state *s, int k, char *text, size_t size)
{
    double error = error_of(s, k);
    if (isnan(error))
        snprintf(text, size, "%.8g, start %.6g%s%s", s->p[k], s->o->parameter[k].start,
                 bound_text(s, k), influence_text(s, k));
    else
        snprintf(text, size, "%.8g +- %.2g, start %.6g%s", s->p[k], error, s->o->parameter[k].start,
                 bound_text(s, k));
}

static void residual_text(const trmi_search_state *s, char *text, size_t size)
{
    const trmi_optimization *o = s->o;
    bool known = !isnan(o->target[0].deviation);
    snprintf(text, size, "%.4g root mean square of %d values%s", sqrt(s->goal / values_of(o)),
             values_of(o), known ? ", in units of their deviations" : "");
}

// the strongest correlation between two parameters
static double find_correlation(const trmi_search_state *s, int *one, int *other)
{
    int n = s->o->parameters;
    double most = 0;
    for (int i = 0; i < n && s->covariance; i++)
        for (int j = 0; j < i; j++) {
            double c = s->covariance[i * n + j] / (error_of(s, i) * error_of(s, j));
            if (fabs(c) > fabs(most)) {
                most = c;
                *one = j;
                *other = i;
            }
        }
    return most;
}

// "k +1 %, m +1 %": a change that the data do not show, in shares of the parameters
static void combination_text(const trmi_search_state *s, int number, char *text, size_t size)
{
    const trmi_optimization *o = s->o;
    const double *change = s->undetermined + number * o->parameters;
    snprintf(text, size, "the data do not show ");
    bool first = true;
    for (int k = 0; k < o->parameters; k++) {
        size_t used = strlen(text);
        bool share = s->p[k] != 0;
        if (change[k] != 0)
            snprintf(text + used, size - used, "%s%.60s %+.3g%s", first ? "" : ", ",
                     o->parameter[k].name, (share ? 1 : 0.01) * change[k], share ? " %" : "");
        first = first && change[k] == 0;
    }
    size_t used = strlen(text);
    snprintf(text + used, size - used, " together: fix one of these, or add data");
}

// The command that runs the model with what was found. The caller frees it.
static trmi_text command_text(const trmi_search_state *s)
{
    trmi_text command = {0};
    trmi_text_add(&command, "trammel run");
    trmi_shell_add_word(&command, s->o->model);
    trmi_shell_add_settings(&command, "-s", s->set);
    trmi_shell_add_settings(&command, "-s", s->o->set);
    for (int k = 0; k < s->o->parameters; k++)
        trmi_shell_add_parameter(&command, "-s", s->o->parameter[k].name, s->p[k]);
    return command;
}

void trmi_optimize_print(const trmi_search_state *s, const char *name)
{
    const trmi_optimization *o = s->o;
    char text[400];
    int one = 0, other = 0;
    trmi_print("%s: %s after %d runs\n", name, s->ended ? s->ended : "failed", s->runs);
    trmi_print("  %-12s %s, %s\n", "goal", goal_text(o, text, sizeof text),
               trmi_search_names[o->method]);
    trmi_print("  %-12s %.6g at the start, %.6g now\n", "value", s->goal_start, s->goal);
    if (s->note[0])
        trmi_print("  %-12s %s\n", "note", s->note);
    if (o->goal == TRMI_GOAL_FIT) {
        residual_text(s, text, sizeof text);
        trmi_print("  %-12s %s\n", "residual", text);
    }
    for (int k = 0; k < o->parameters; k++) {
        parameter_text(s, k, text, sizeof text);
        trmi_print("  %-12s %s\n", o->parameter[k].name, text);
    }
    double correlation = find_correlation(s, &one, &other);
    if (correlation != 0)
        trmi_print("  %-12s %.3f of %s and %s\n", "correlation", correlation,
                   o->parameter[one].name, o->parameter[other].name);
    for (int k = 0; k < s->undetermineds; k++) {
        combination_text(s, k, text, sizeof text);
        trmi_print("  %-12s %s\n", "not unique", text);
    }
    if (s->without_errors)
        trmi_print("  %-12s none: %s\n", "errors", s->without_errors);
    trmi_text command = command_text(s);
    trmi_print("  %-12s %s\n", "to use", command.failed ? "no memory" : command.data);
    trmi_text_free(&command);
}

// what the data do not determine, and why there are no errors
static void add_undetermined(trmi_json *json, const trmi_search_state *s)
{
    int n = s->o->parameters;
    trmi_json_boolean(json, "unique", s->undetermineds == 0);
    trmi_json_string(json, "without_errors", s->without_errors);
    trmi_json_begin_array(json, "undetermined");
    for (int i = 0; i < s->undetermineds; i++) {
        trmi_json_begin_object(json, NULL);
        for (int k = 0; k < n; k++)
            if (s->undetermined[i * n + k] != 0)
                trmi_json_number(json, s->o->parameter[k].name, s->undetermined[i * n + k]);
        trmi_json_end(json);
    }
    trmi_json_end(json);
}

char *trmi_optimize_json(const trmi_search_state *s, const char *name)
{
    const trmi_optimization *o = s->o;
    trmi_json json = {0};
    trmi_json_begin_object(&json, NULL);
    trmi_json_string(&json, "name", name);
    trmi_json_string(&json, "ended", s->ended);
    trmi_json_string(&json, "method", trmi_search_names[o->method]);
    trmi_json_integer(&json, "runs", s->runs);
    trmi_json_number(&json, "goal_start", s->goal_start);
    trmi_json_number(&json, "goal", s->goal);
    if (s->note[0])
        trmi_json_string(&json, "note", s->note);
    if (o->goal == TRMI_GOAL_FIT) {
        trmi_json_integer(&json, "values", values_of(o));
        trmi_json_number(&json, "deviation", s->deviation);
    }
    if (o->goal == TRMI_GOAL_FIT)
        add_undetermined(&json, s);
    trmi_json_begin_object(&json, "parameters");
    for (int k = 0; k < o->parameters; k++) {
        const trmi_sought *p = &o->parameter[k];
        trmi_json_begin_object(&json, p->name);
        trmi_json_number(&json, "value", s->p[k]);
        trmi_json_number(&json, "error", error_of(s, k));
        trmi_json_number(&json, "start", p->start);
        trmi_json_boolean(&json, "at_bound", bound_text(s, k)[0] != '\0');
        trmi_json_boolean(&json, "influence", influence_text(s, k)[0] == '\0');
        trmi_json_end(&json);
    }
    trmi_json_end(&json);
    trmi_text command = command_text(s);
    trmi_json_string(&json, "command", command.failed ? NULL : command.data);
    trmi_text_free(&command);
    trmi_json_begin_array(&json, "history");
    for (int k = 0; k < s->runs; k++)
        trmi_json_number(&json, NULL, s->history[k]);
    trmi_json_end(&json);
    trmi_json_end(&json);
    return trmi_json_take(&json);
}

// ---- the page ----

// A panel for each target, and one for the goals of the runs.
typedef struct pictures {
    trmi_panel *panel;
    trmi_curve *curve; // two for each target, one for the goals
    char *label;       // LABEL characters each
    double *column;    // the values of the targets, one after the other
    double *run;       // 1, 2, ...
} pictures;
enum { LABEL = 400 };

static void draw_targets(const trmi_search_state *s, const pictures *d)
{
    const trmi_optimization *o = s->o;
    for (int k = 0; k < o->targets; k++) {
        double *column = d->column + k * o->rows;
        trmi_curve *c = d->curve + 2 * k;
        int curves = 0;
        for (int i = 0; i < o->rows; i++)
            column[i] = s->best.value[i * o->targets + k];
        if (o->target[k].data)
            c[curves++] = (trmi_curve){.label = "data",
                                       .x = o->time,
                                       .y = o->target[k].data,
                                       .count = o->rows,
                                       .points = true};
        c[curves++] = (trmi_curve){.label = "model", .x = o->time, .y = column, .count = o->rows};
        d->panel[k] = (trmi_panel){
            .x_label = "t [s]", .y_label = o->target[k].channel, .curve = c, .curves = curves};
    }
}

static bool take_pictures(const trmi_search_state *s, pictures *d)
{
    const size_t targets = (size_t)s->o->targets, values = (size_t)values_of(s->o);
    d->panel = calloc(targets + 1, sizeof *d->panel);
    d->curve = calloc(2 * targets + 1, sizeof *d->curve);
    d->label = calloc((size_t)s->o->parameters + (size_t)s->undetermineds + 3, LABEL);
    d->column = calloc(values + (size_t)s->runs + 1, sizeof *d->column);
    d->run = d->column ? d->column + values : NULL;
    return d->panel && d->curve && d->label && d->column;
}

// false: no memory
static bool write_page(FILE *out, const trmi_search_state *s, const pictures *d, const char *name)
{
    const trmi_optimization *o = s->o;
    trmi_page_pair *pair =
        calloc((size_t)o->parameters + (size_t)s->undetermineds + 4, sizeof *pair);
    char *label = d->label;
    int pairs = 0;
    if (!pair)
        return false;
    snprintf(label, LABEL, "%s after %d runs of %s", s->ended, s->runs,
             trmi_search_names[o->method]);
    pair[pairs++] = (trmi_page_pair){"end", label, NULL};
    label += LABEL;
    snprintf(label, LABEL, "%.6g at the start, %.6g now", s->goal_start, s->goal);
    pair[pairs++] = (trmi_page_pair){"goal", label, NULL};
    for (int k = 0; k < o->parameters; k++) {
        label += LABEL;
        parameter_text(s, k, label, LABEL);
        pair[pairs++] = (trmi_page_pair){o->parameter[k].name, label, NULL};
    }
    for (int k = 0; k < s->undetermineds; k++) {
        label += LABEL;
        combination_text(s, k, label, LABEL);
        pair[pairs++] = (trmi_page_pair){"not unique", label, NULL};
    }
    if (s->without_errors)
        pair[pairs++] = (trmi_page_pair){"no errors", s->without_errors, NULL};
    bool positive = true;
    for (int k = 0; k < s->runs; k++) {
        d->run[k] = k + 1;
        positive = positive && !(s->history[k] <= 0);
    }
    trmi_curve *goals = d->curve + 2 * o->targets;
    *goals = (trmi_curve){
        .label = "goal", .x = d->run, .y = s->history, .count = s->runs, .marked = true};
    d->panel[o->targets] = (trmi_panel){.x_label = "run",
                                        .whole_x = true,
                                        .y_label = "goal",
                                        .log_y = positive,
                                        .curve = goals,
                                        .curves = 1};
    // the end of a motion has no curve
    int first = o->rows > 1 ? 0 : o->targets;
    const trmi_plot plot = {.panel = d->panel + first, .panels = o->targets + 1 - first};
    const trmi_page page = {.heading = "Optimisation",
                            .title = name,
                            .summary = pair,
                            .pairs = pairs,
                            .plot = &plot,
                            .plots = 1};
    bool good = trmi_page_html(out, &page);
    free(pair);
    return good;
}

int trmi_optimize_page(const trmi_search_state *s, const char *name, const char *path)
{
    pictures d;
    trmi_whole_file file = trmi_whole_file_open(path);
    int code = errno;
    if (!file.out)
        return code;
    bool good = take_pictures(s, &d);
    if (good) {
        draw_targets(s, &d);
        good = write_page(file.out, s, &d, name);
    }
    file.failure = good ? 0 : ENOMEM;
    free(d.panel);
    free(d.curve);
    free(d.label);
    free(d.column);
    return trmi_whole_file_close(&file);
}
