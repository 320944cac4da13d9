// SPDX-License-Identifier: Apache-2.0
// The legend of a panel: samples and labels in columns of equal width.
#ifndef TRMI_PROGRAM_PLOT_LEGEND_H
#define TRMI_PROGRAM_PLOT_LEGEND_H

#include "program/plot/plot.h"

typedef struct trmi_legend {
    int columns, rows; // 0: no legend
    double column_width, width, height;
} trmi_legend;

// As few rows as fit into `width` pixels. No legend where the label of the y axis already names the
// only curve.
trmi_legend trmi_legend_arrange(const trmi_panel *panel, double width);

void trmi_legend_draw(FILE *out, const trmi_legend *legend, const trmi_panel *panel, double left,
                      double top);

#endif
