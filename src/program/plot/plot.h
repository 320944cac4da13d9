// SPDX-License-Identifier: Apache-2.0
// Line plots as SVG, and pages (HTML) that hold several of them. Without a library.
#ifndef TRMI_PROGRAM_PLOT_PLOT_H
#define TRMI_PROGRAM_PLOT_PLOT_H

#include "trammel/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct trmi_curve {
    const char *label;
    const double *x, *y; // NaN: a gap
    int64_t count;
    bool points;         // markers instead of a line
    const double *error; // a band y - error .. y + error around the line; NULL: none
    bool marked;         // a line with markers
    bool dashed;         // in a pattern of its own: what lies below shows through
} trmi_curve;

// Curves over common axes.
typedef struct trmi_panel {
    const char *title;             // may be NULL
    const char *x_label, *y_label; // with unit, "t [s]"
    bool log_x, log_y;
    const trmi_curve *curve;
    int curves;
    bool equal;   // a metre is as long in x as in y; not on logarithmic axes
    bool whole_x; // only whole numbers are marked on the axis of x
} trmi_panel;

typedef enum trmi_theme { TRMI_THEME_AUTO, TRMI_THEME_LIGHT, TRMI_THEME_DARK } trmi_theme;

typedef struct trmi_drawn_lines trmi_drawn_lines; // twice.h

typedef struct trmi_plot {
    const char *title; // may be NULL
    const trmi_panel *panel;
    int panels;                 // one above the other; equal x labels share the range of x
    double width, panel_height; // pixels; 0: 760 and 260. Large legends add to the height
    trmi_theme theme;           // AUTO: follows the viewer's preference
    trmi_drawn_lines *lines;    // of a document that has the plot twice; NULL: it has not
    const char *caption;        // below it in pages; may be NULL
} trmi_plot;

// Writes a complete SVG document, which may also be part of HTML; ferror(out) reports failures, and
// false that there was no memory for all of it.
// Texts are UTF-8; ^2 and ^-3 in labels of axes are superscripts. Curves with many points are
// thinned so that the picture stays the same (minimum and maximum per pixel). Infinite values, and
// values <= 0 on logarithmic axes, are left out, and a note shows how many.
bool trmi_plot_svg(FILE *out, const trmi_plot *plot);

#endif
