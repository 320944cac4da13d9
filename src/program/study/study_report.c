// SPDX-License-Identifier: Apache-2.0
// For everything that is recorded: a histogram, its values over every parameter with the mean
// (response curves, main effects), and indices of first order; parallel coordinates and a scatter
// matrix; envelopes of whole channels; the runs with the smallest and largest values, with the
// command that shows them.
#define _POSIX_C_SOURCE 200809L
#include "program/study/study_report.h"

#include "base/texts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    MAX_RECORDED = 12,
    MAX_PARAMETERS = 12,
    MAX_CHANNELS = 12,
    MAX_LINES = 300,
    MAX_PAIRS = 400
};

typedef struct draft {
    const trmi_study_pages *pages;
    const trmi_plan *plan;
    const trmi_study_data *data;
    trmi_memory *memory;
    trmi_texts texts;
    const trmi_study_column *parameter[MAX_PARAMETERS], *recorded[MAX_RECORDED];
    int parameters, recordeds, channels;
    trmi_page_pair pair[MAX_PAIRS];
    int pairs;
    trmi_plot plot[MAX_RECORDED + MAX_CHANNELS + 1];
    int plots;
    bool failed;
} draft;

static void *take(draft *d, size_t count, size_t size)
{
    void *block = trmi_memory_take(d->memory, count, size);
    d->failed = d->failed || !block;
    return block;
}

static void add_linked(draft *d, const char *key, const char *text, const char *link)
{
    const char *kept[2] = {TRMI_JOIN(&d->texts, key), TRMI_JOIN(&d->texts, text)};
    d->failed = d->failed || !kept[0] || !kept[1];
    if (d->pairs < MAX_PAIRS)
        d->pair[d->pairs++] = (trmi_page_pair){kept[0], kept[1], link};
}

static void add_pair(draft *d, const char *key, const char *text)
{
    add_linked(d, key, text, NULL);
}

// ---- numbers ----

static void add_left_out(draft *d)
{
    char text[200];
    int64_t count = trmi_study_data_undone(d->data);
    snprintf(text, sizeof text,
             "%" PRId64 " %s not done: nothing on this page counts what %s recorded", count,
             count == 1 ? "run that is" : "runs that are", count == 1 ? "it has" : "they have");
    if (count > 0)
        add_pair(d, "left out", text);
}

static void add_statistics(draft *d, const trmi_study_column *c)
{
    double n = 0, mean = 0, square = 0;
    int64_t low = -1, high = -1;
    char text[2000];
    for (int64_t i = 0; i < d->data->rows; i++) {
        double y = c->value[i];
        if (!isfinite(y))
            continue;
        n++;
        double before = mean; // West's recursion: without cancellation
        mean += (y - mean) / n;
        square += (y - before) * (y - mean);
        low = low < 0 || y < c->value[low] ? i : low;
        high = high < 0 || y > c->value[high] ? i : high;
    }
    if (n == 0)
        return;
    snprintf(text, sizeof text, "mean %.6g, deviation %.3g, %.6g .. %.6g %s", mean,
             n > 1 ? sqrt(square / (n - 1)) : 0, c->value[low], c->value[high], c->unit);
    add_pair(d, c->name, text);
    for (int k = 0; k < 2; k++) {
        int64_t row = k ? high : low;
        char key[200];
        snprintf(key, sizeof key, "%s %.100s", k ? "largest" : "smallest", c->name);
        trmi_text command = {0};
        snprintf(text, sizeof text, "run %.0f: ", d->data->column[0].value[row]);
        trmi_text_add(&command, text);
        trmi_study_command(&command, d->pages, row);
        d->failed = d->failed || command.failed;
        if (!d->failed)
            add_linked(d, key, command.data,
                       trmi_study_link(d->pages, (int64_t)d->data->column[0].value[row]));
        trmi_text_free(&command);
    }
}

// in place of indices
static const char TOO_FEW[] = "not known: too few values, or all are the same";

// a line of indices, those of the first order or the total ones
static void add_index_pair(draft *d, const trmi_study_column *c, const char *what, const double *y,
                           bool total)
{
    char text[2000] = "", key[200];
    int parameters = d->plan->study->parameters;
    bool known = false;
    for (int k = 0; k < d->parameters; k++) {
        const trmi_sobol_indices i =
            trmi_total_order_index(y, d->plan->study->runs / (parameters + 2), parameters, k);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%.60s %.3f +- %.3f", used ? ", " : "",
                 d->parameter[k]->name, total ? i.total : i.first,
                 total ? i.total_error : i.first_error);
        known = known || isfinite(total ? i.total : i.first);
    }
    snprintf(key, sizeof key, "variance of %.100s by%s", c->name, what);
    add_pair(d, key, known ? text : TOO_FEW);
}

// from Saltelli's design, whatever runs of it are done
static void add_all_indices(draft *d, const trmi_study_column *c)
{
    int64_t runs = d->plan->study->runs;
    double *y = take(d, (size_t)runs, sizeof *y);
    if (d->failed)
        return;
    for (int64_t i = 0; i < runs; i++)
        y[i] = NAN;
    for (int64_t i = 0; i < d->data->rows; i++) {
        int64_t run = (int64_t)d->data->column[0].value[i] - 1;
        if (run >= 0 && run < runs)
            y[run] = c->value[i];
    }
    add_index_pair(d, c, " (each alone)", y, false);
    add_index_pair(d, c, " (with interactions)", y, true);
}

static void add_indices(draft *d, const trmi_study_column *c)
{
    if (d->plan->study->sampling == TRMI_SAMPLING_SALTELLI) {
        add_all_indices(d, c);
        return;
    }
    char text[2000] = "";
    bool known = false;
    for (int k = 0; k < d->parameters; k++) {
        double S =
            trmi_first_order_index(d->parameter[k]->value, c->value, d->data->rows, NULL, NULL);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%.60s %.2f", used ? ", " : "",
                 d->parameter[k]->name, S);
        known = known || isfinite(S);
    }
    char key[200];
    snprintf(key, sizeof key, "variance of %.100s by", c->name);
    add_pair(d, key, known ? text : TOO_FEW);
}

// ---- pictures ----

// a histogram as a line of steps
static void add_histogram(draft *d, const trmi_study_column *c, trmi_panel *panel)
{
    double low = INFINITY, high = -INFINITY, n = 0;
    for (int64_t i = 0; i < d->data->rows; i++)
        if (isfinite(c->value[i])) {
            low = fmin(low, c->value[i]);
            high = fmax(high, c->value[i]);
            n++;
        }
    int bins = n > 0 ? (int)fmin(fmax(ceil(sqrt(n)), 1), 60) : 1;
    double width = high > low ? (high - low) / bins : 1;
    double *x = take(d, (size_t)(2 * bins + 2), sizeof *x);
    double *y = take(d, (size_t)(2 * bins + 2), sizeof *y);
    trmi_curve *curve = take(d, 1, sizeof *curve);
    if (d->failed || n == 0)
        return;
    for (int64_t i = 0; i < d->data->rows; i++) {
        int bin = isfinite(c->value[i]) ? (int)((c->value[i] - low) / width) : -1;
        bin = bin >= bins ? bins - 1 : bin;
        if (bin >= 0) {
            y[2 * bin + 1]++;
            y[2 * bin + 2]++;
        }
    }
    for (int k = 0; k <= bins; k++)
        x[2 * k] = x[2 * k + 1] = low + k * width;
    *curve = (trmi_curve){.label = "runs", .x = x, .y = y, .count = 2 * bins + 2};
    *panel = (trmi_panel){
        .title = "histogram", .x_label = c->label, .y_label = "runs", .curve = curve, .curves = 1};
}

// values over a parameter, and the mean of groups: the main effect
static void add_response(draft *d, const trmi_study_column *c, const trmi_study_column *p,
                         trmi_panel *panel)
{
    trmi_curve *curve = take(d, 2, sizeof *curve);
    double *mean = take(d, 2 * TRMI_MAX_GROUPS, sizeof *mean);
    double *x = take(d, 2 * TRMI_MAX_GROUPS, sizeof *x);
    int groups = 0;
    if (d->failed)
        return;
    trmi_first_order_index(p->value, c->value, d->data->rows, mean, &groups);
    for (int k = 0; k < groups; k++) {
        x[k] = mean[2 * k];
        x[TRMI_MAX_GROUPS + k] = mean[2 * k + 1];
    }
    curve[0] = (trmi_curve){
        .label = "runs", .x = p->value, .y = c->value, .count = d->data->rows, .points = true};
    curve[1] = (trmi_curve){
        .label = "mean", .x = x, .y = x + TRMI_MAX_GROUPS, .count = groups, .marked = true};
    *panel = (trmi_panel){.x_label = p->label, .y_label = c->label, .curve = curve, .curves = 2};
}

static void add_plots(draft *d, const trmi_study_column *c)
{
    trmi_panel *panel = take(d, (size_t)d->parameters + 1, sizeof *panel);
    if (d->failed)
        return;
    add_histogram(d, c, &panel[0]);
    bool shown = panel[0].curve != NULL; // some run has a value
    for (int k = 0; k < d->parameters && shown; k++)
        add_response(d, c, d->parameter[k], &panel[1 + k]);
    if (shown)
        d->plot[d->plots++] =
            (trmi_plot){.title = c->label, .panel = panel, .panels = 1 + d->parameters};
}

static void add_envelopes(draft *d, const trmi_study_column *c)
{
    trmi_plot plot = {0};
    if (c->kind != TRMI_STUDY_CHANNEL || d->channels == MAX_CHANNELS)
        return;
    d->channels++;
    d->failed = !trmi_study_envelopes(d->memory, d->plan, d->data, c, &plot);
    if (plot.panels > 0)
        d->plot[d->plots++] = plot;
}

// every run as a line over all columns, each from its smallest value (0) to its largest (1)
static void add_parallel(draft *d)
{
    const trmi_study_column *all[MAX_PARAMETERS + MAX_RECORDED];
    int columns = 0;
    char title[1000] = "";
    for (int k = 0; k < d->parameters; k++)
        all[columns++] = d->parameter[k];
    for (int k = 0; k < d->recordeds; k++)
        all[columns++] = d->recorded[k];
    int64_t lines = d->data->rows < MAX_LINES ? d->data->rows : MAX_LINES;
    int64_t points = lines * (columns + 1);
    double *x = take(d, (size_t)points, sizeof *x), *y = take(d, (size_t)points, sizeof *y);
    trmi_panel *panel = take(d, 1, sizeof *panel);
    trmi_curve *curve = take(d, 1, sizeof *curve);
    if (d->failed || columns < 2 || lines == 0)
        return;
    for (int k = 0; k < columns; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < d->data->rows; i++) {
            low = fmin(low, all[k]->value[i]); // of a NaN the other one
            high = fmax(high, all[k]->value[i]);
        }
        for (int64_t i = 0; i < lines; i++) {
            int64_t row = i * d->data->rows / lines, at = i * (columns + 1) + k;
            x[at] = k + 1;
            y[at] = high > low                     ? (all[k]->value[row] - low) / (high - low)
                    : isfinite(all[k]->value[row]) ? 0.5
                                                   : NAN;
            x[i * (columns + 1) + columns] = y[i * (columns + 1) + columns] = NAN;
        }
        size_t used = strlen(title);
        snprintf(title + used, sizeof title - used, "%s%d %.60s", k ? ", " : "", k + 1,
                 all[k]->name);
    }
    *curve = (trmi_curve){.label = "runs", .x = x, .y = y, .count = points};
    const char *label = TRMI_JOIN(&d->texts, title);
    d->failed = d->failed || !label;
    *panel = (trmi_panel){.x_label = "column",
                          .whole_x = true,
                          .y_label = "from smallest (0) to largest (1)",
                          .curve = curve,
                          .curves = 1};
    d->plot[d->plots++] =
        (trmi_plot){.title = "Parallel coordinates", .caption = label, .panel = panel, .panels = 1};
}

bool trmi_study_report(FILE *out, const trmi_study_pages *pages)
{
    const trmi_plan *plan = pages->plan;
    const trmi_study_data *data = pages->data;
    trmi_memory memory;
    trmi_memory_init(&memory, NULL);
    draft *d = trmi_memory_take(&memory, 1, sizeof *d);
    if (!d)
        return false;
    *d = (draft){.pages = pages,
                 .plan = plan,
                 .data = data,
                 .memory = &memory,
                 .texts = {.memory = &memory}};
    const trmi_study_column *code = trmi_study_data_outcome(data, "exit_code");
    int64_t failed = 0;
    char text[200];
    for (int64_t i = 0; i < data->rows && code; i++)
        failed += code->value[i] != 0;
    for (int k = 0; k < data->columns; k++) {
        const trmi_study_column *c = &data->column[k];
        if (c->kind == TRMI_STUDY_PARAMETER && d->parameters < MAX_PARAMETERS)
            d->parameter[d->parameters++] = c;
        if (c->kind == TRMI_STUDY_RECORDED && d->recordeds < MAX_RECORDED)
            d->recorded[d->recordeds++] = c;
    }
    snprintf(text, sizeof text,
             "%" PRId64 " of %" PRId64 ", %" PRId64 " with an exit code other than 0", data->rows,
             plan->study->runs, failed);
    add_pair(d, "runs", text);
    add_left_out(d);
    add_pair(d, "model", plan->study->model);
    for (int k = 0; k < d->recordeds && !d->failed; k++) {
        add_statistics(d, d->recorded[k]);
        add_indices(d, d->recorded[k]);
        add_plots(d, d->recorded[k]);
    }
    for (int k = 0; k < data->columns && !d->failed; k++)
        add_envelopes(d, &data->column[k]);
    add_parallel(d);
    trmi_page page = {.heading = "Study",
                      .title = plan->study->name ? plan->study->name : plan->study->path,
                      .summary = d->pair,
                      .pairs = d->pairs,
                      .plot = d->plot,
                      .plots = d->plots};
    bool good = !d->failed && trmi_study_runs(&memory, pages, &page);
    good = good && trmi_page_html(out, &page);
    trmi_memory_release_all(&memory);
    return good;
}
