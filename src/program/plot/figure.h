// SPDX-License-Identifier: Apache-2.0
// Panels of curves from result files: what `plot` and `reproduce` draw.
#ifndef TRMI_PROGRAM_PLOT_FIGURE_H
#define TRMI_PROGRAM_PLOT_FIGURE_H

#include "program/files/reader.h"
#include "program/plot/page.h"
#include "program/plot/plot.h"

enum { TRMI_FIGURE_PANELS = 12, TRMI_FIGURE_CURVES = 24 };

// A figure under construction. Texts are kept in it; curves borrow from their results.
typedef struct trmi_figure {
    trmi_plot plot;
    trmi_panel panel[TRMI_FIGURE_PANELS];
    trmi_curve curve[TRMI_FIGURE_PANELS][TRMI_FIGURE_CURVES];
    char label[TRMI_FIGURE_PANELS][TRMI_FIGURE_CURVES][110];
    const char *curve_unit[TRMI_FIGURE_PANELS][TRMI_FIGURE_CURVES]; // of their channels
    bool mixed[TRMI_FIGURE_PANELS]; // curves of several units: the legend names them
    char y_label[TRMI_FIGURE_PANELS][80], x_label[TRMI_FIGURE_PANELS][80];
    char group[TRMI_FIGURE_PANELS][200], unit[TRMI_FIGURE_PANELS][40]; // of the first curve
    char names[TRMI_FIGURE_PANELS][50]; // of the channels, "x, y"; empty: too many to be named
} trmi_figure;

// The name of a channel in a picture: its own, or of a derivative "d NAME/d PARAMETER", from its
// group "sensitivity/PARAMETER/...", in `text`.
const char *trmi_shown_name(const trmi_channel *channel, char *text, size_t size);

// Adds a panel; its number, -1 when there are too many.
int trmi_figure_panel(trmi_figure *figure, bool log_y);

// Adds a channel of a result to a panel, over the time or over the channel x (NULL: the time).
// `legend` is its text in the legend (NULL: its name). Over a channel of the same unit the scales
// of the panel become equal: a path keeps its shape.
trm_status trmi_figure_add(trmi_figure *figure, int panel, trmi_result *result, const char *channel,
                           const char *x, const char *legend, trm_error *error);

// Writes the figure as SVG, or as a page when the name ends in .html.
trm_status trmi_figure_write(const trmi_figure *figure, trmi_result *result, const char *path,
                             trm_error *error);

#endif
