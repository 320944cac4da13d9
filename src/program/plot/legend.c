// SPDX-License-Identifier: Apache-2.0
// Columns of equal width, filled row by row.
#include "program/plot/legend.h"

#include "program/plot/markup.h"
#include "program/plot/svg.h"
#include "program/plot/trace.h"

#include <math.h>
#include <string.h>

static const double text_size = 11.5, row_height = 17, gap = 6, column_gap = 16;
static const double widest_label = 220;

static const char *const no_values = " (no values)";

static const char *label_of(const trmi_curve *curve)
{
    return curve->label ? curve->label : "";
}

trmi_legend trmi_legend_arrange(const trmi_panel *panel, double width)
{
    trmi_legend legend = {0};
    const char *first = panel->curves > 0 ? label_of(panel->curve) : "";
    bool named = panel->y_label && strncmp(panel->y_label, first, strlen(first)) == 0;
    if (panel->curves < 1 || (panel->curves == 1 && (!*first || named)))
        return legend;
    double widest = 0;
    for (int k = 0; k < panel->curves; k++) {
        const trmi_curve *curve = &panel->curve[k];
        double text = fmin(trmi_markup_width(label_of(curve), text_size), widest_label);
        if (trmi_trace_is_empty(curve, panel->log_x, panel->log_y))
            text += trmi_markup_width(no_values, text_size);
        widest = fmax(widest, text);
    }
    legend.column_width = fmin(TRMI_TRACE_SAMPLE + gap + widest + column_gap, width + column_gap);
    int columns = (int)fmax(1, fmin((width + column_gap) / legend.column_width, panel->curves));
    legend.rows = (panel->curves + columns - 1) / columns;
    legend.columns = (panel->curves + legend.rows - 1) / legend.rows; // rows of similar length
    legend.width = legend.columns * legend.column_width - column_gap;
    legend.height = legend.rows * row_height + 5;
    return legend;
}

void trmi_legend_draw(FILE *out, const trmi_legend *legend, const trmi_panel *panel, double left,
                      double top)
{
    for (int k = 0; k < panel->curves && legend->columns > 0; k++) {
        const trmi_curve *curve = &panel->curve[k];
        double x = left + k % legend->columns * legend->column_width;
        double y = top + k / legend->columns * row_height + row_height / 2;
        double start = x + TRMI_TRACE_SAMPLE + gap;
        double space = legend->column_width - TRMI_TRACE_SAMPLE - gap - column_gap;
        bool empty = trmi_trace_is_empty(curve, panel->log_x, panel->log_y);
        if (empty)
            space -= trmi_markup_width(no_values, text_size);
        trmi_trace_sample(out, curve, k, x, y);
        trmi_svg_text(out, &(trmi_svg_label){.text = label_of(curve),
                                             .x = start,
                                             .y = y + 0.36 * text_size,
                                             .size = text_size,
                                             .limit = fmax(space, 1) + 0.01});
        double used = fmin(trmi_markup_width(label_of(curve), text_size), space);
        trmi_svg_text(out, &(trmi_svg_label){.text = empty ? no_values + 1 : NULL,
                                             .style_class = "n",
                                             .x = start + used + 4,
                                             .y = y + 0.36 * text_size,
                                             .size = text_size});
    }
}
