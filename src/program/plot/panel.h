// SPDX-License-Identifier: Apache-2.0
// One panel of a plot: axes, grid, curves, legend, notes.
#ifndef TRMI_PROGRAM_PLOT_PANEL_H
#define TRMI_PROGRAM_PLOT_PANEL_H

#include "program/plot/axis.h"
#include "program/plot/legend.h"
#include "program/plot/svg.h"
#include "program/plot/trace.h"

typedef struct trmi_panel_view {
    const trmi_panel *panel;
    trmi_axis x, y;
    trmi_range x_range, y_range;
    trmi_left_out left_out;
    trmi_legend legend;
    bool legend_beside; // to the right of title and common power, not below them
    bool x_labelled;    // numbers and label under the x axis; otherwise a panel below has them
    trmi_box area;      // where the curves are
} trmi_panel_view;

// Ranges of the data.
void trmi_panel_measure(trmi_panel_view *view, const trmi_panel *panel);

// Space that the panel needs left of its area. The y axis has its ticks.
double trmi_panel_margin(const trmi_panel_view *view);

// Sets the area, from `top` on, and places axes, ticks of x and legend in it. Returns the lower end
// of the panel.
double trmi_panel_arrange(trmi_panel_view *view, double left, double right, double top,
                          double area_height);

// lines: see trmi_plot. False: no memory for all of it.
bool trmi_panel_draw(FILE *out, const trmi_panel_view *view, trmi_drawn_lines *lines);

#endif
