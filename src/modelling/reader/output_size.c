// SPDX-License-Identifier: Apache-2.0
// How much a run writes, rows of the output grid times channels, and whether that was meant.
#include "modelling/reader/reading.h"

#include <math.h>

// bytes of a result file that need no max_output
static const double MAX_BYTES = 1e10;

double trmi_schedule_rows(const trm_schedule *s)
{
    if (s->output_interval == 0)
        return 0;
    return ceil((s->end - s->start) / s->output_interval * (1 - 1e-12)) + 1;
}

double trmi_schedule_row(const trm_schedule *s, int64_t k)
{
    bool last = (double)k >= trmi_schedule_rows(s) - 1;
    return last ? s->end : s->start + (double)k * s->output_interval;
}

// the next larger number of two digits
static double round_up(double x)
{
    double unit = pow(10, floor(log10(x)) - 1);
    return ceil(x / unit) * unit;
}

void trmi_check_extent(trmi_reading *r)
{
    const trm_schedule *s = &r->model->schedule;
    const trmi_item *interval = trmi_item_path(r->root, "simulate.output_interval");
    const trmi_item *max_output = trmi_item_path(r->root, "simulate.max_output");
    double limit = MAX_BYTES, row = (double)sizeof(double) * trmi_model_channels(r->model);
    if (trmi_read_number(r, max_output, &limit) && !(limit > 0))
        trmi_report(r->document, max_output,
                    "max_output must be a positive number of bytes, not %g", limit);
    if (trmi_document_errors(r->document) > 0 || !interval || trmi_item_null(interval))
        return; // the default interval is a sensible one
    double rows = trmi_schedule_rows(s), bytes = rows * row;
    if (bytes > limit)
        trmi_report(r->document, interval,
                    "%.3g rows of %d channels are %.3g GB, more than the %.3g GB of max_output; "
                    "use an output_interval of %.2g, or max_output: %.2g if so much is meant",
                    rows, trmi_model_channels(r->model), 1e-9 * bytes, 1e-9 * limit,
                    round_up((s->end - s->start) * row / limit), round_up(bytes));
}
