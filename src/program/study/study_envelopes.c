// SPDX-License-Identifier: Apache-2.0
// Envelopes of whole channels: at every time the smallest and the largest value of all runs, their
// mean, and the quantiles of 5 and 95 %. Runs that have no value at a time are left out there.
#include "program/study/study_report.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// of sorted values, linear between them: the first at p = 0, the last at p = 1
static double quantile(const double *sorted, int64_t count, double p)
{
    double at = p * (double)(count - 1);
    int64_t below = (int64_t)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

void trmi_envelope_at(double *value, int64_t count, double out[TRMI_ENVELOPES])
{
    static const double probability[TRMI_ENVELOPES] = {
        [TRMI_ENVELOPE_LARGEST] = 1, [TRMI_ENVELOPE_HIGH] = 0.95, [TRMI_ENVELOPE_LOW] = 0.05};
    int64_t n = 0;
    double mean = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(value[i]))
            value[n++] = value[i];
    qsort(value, (size_t)n, sizeof *value, compare_numbers);
    for (int64_t i = 0; i < n; i++)
        mean += (value[i] - mean) / (double)(i + 1);
    for (int k = 0; k < TRMI_ENVELOPES; k++)
        out[k] = n > 0 ? quantile(value, n, probability[k]) : NAN;
    if (n > 0)
        out[TRMI_ENVELOPE_MEAN] = mean;
}

bool trmi_study_envelopes(trmi_memory *memory, const trmi_plan *plan, const trmi_study_data *data,
                          const trmi_study_column *c, trmi_plot *out)
{
    static const char *const label[TRMI_ENVELOPES] = {"largest", "95 %", "mean", "5 %", "smallest"};
    trmi_panel *panel = trmi_memory_take(memory, 1, sizeof *panel);
    trmi_curve *curve = trmi_memory_take(memory, TRMI_ENVELOPES, sizeof *curve);
    double *y = trmi_memory_take(memory, (size_t)TRMI_ENVELOPES * (size_t)c->width, sizeof *y);
    double *value = malloc(((size_t)data->rows + 1) * sizeof *value);
    bool good = panel && curve && y && value, any = false;
    for (int i = 0; i < c->width && good; i++) {
        double here[TRMI_ENVELOPES];
        for (int64_t run = 0; run < data->rows; run++)
            value[run] = c->value[run * c->width + i];
        trmi_envelope_at(value, data->rows, here);
        any = any || isfinite(here[TRMI_ENVELOPE_MEAN]);
        for (int k = 0; k < TRMI_ENVELOPES; k++)
            y[k * c->width + i] = here[k];
    }
    for (int k = 0; k < TRMI_ENVELOPES && good; k++)
        curve[k] = (trmi_curve){.label = label[k],
                                .x = plan->time,
                                .y = y + k * c->width,
                                .count = c->width,
                                .dashed = k == TRMI_ENVELOPE_HIGH || k == TRMI_ENVELOPE_LOW};
    if (good && any) {
        *panel = (trmi_panel){.title = "all runs",
                              .x_label = "t [s]",
                              .y_label = c->label,
                              .curve = curve,
                              .curves = TRMI_ENVELOPES};
        *out = (trmi_plot){.title = c->label, .panel = panel, .panels = 1};
    }
    free(value);
    return good;
}
