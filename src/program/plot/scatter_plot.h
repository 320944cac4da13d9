// SPDX-License-Identifier: Apache-2.0
// A scatter matrix as SVG: a small panel for each pair of columns, with a point for each row.
#ifndef TRMI_PROGRAM_PLOT_SCATTER_PLOT_H
#define TRMI_PROGRAM_PLOT_SCATTER_PLOT_H

#include "program/plot/plot.h"

typedef struct trmi_scatter_plot_column {
    const char *label;
    const double *value; // of each point; not finite: it has none
} trmi_scatter_plot_column;

typedef struct trmi_scatter_plot {
    const char *title;
    const trmi_scatter_plot_column *column;
    int columns;
    int64_t points;
    const int64_t *number; // of each point, which is a link to the element "run-NUMBER" of the page
} trmi_scatter_plot;

// Writes a complete SVG document, which may also be part of HTML; nothing for less than two columns
// or no point. ferror(out) reports failures.
void trmi_scatter_plot_svg(FILE *out, const trmi_scatter_plot *scatter, double width,
                           trmi_theme theme);

#endif
