// SPDX-License-Identifier: Apache-2.0
// The few SVG elements that a line plot needs.
#ifndef TRMI_PROGRAM_PLOT_SVG_H
#define TRMI_PROGRAM_PLOT_SVG_H

#include "program/plot/plot.h"

// Different colours; after them come dashes (lines) or other shapes (markers).
enum { TRMI_SVG_COLOURS = 6, TRMI_SVG_PATTERNS = 4 };

typedef struct trmi_box {
    double left, top, right, bottom;
} trmi_box;

// Class of the root element, which all rules of the style begin with: an SVG inside a page shares
// its rules with the whole page.
const char *trmi_svg_class(trmi_theme theme);

// The <style> element. Light rules first and dark ones in a media query, no variables: viewers that
// know neither show the light picture.
void trmi_svg_style(FILE *out, trmi_theme theme);

// x with at most two decimals, in every locale with a point. |x| < 1e7.
void trmi_svg_number(FILE *out, double x);

// " name="x""
void trmi_svg_attribute(FILE *out, const char *name, double x);

void trmi_svg_line(FILE *out, const char *style_class, double x1, double y1, double x2, double y2);

typedef struct trmi_svg_label {
    const char *text;        // NULL or empty: nothing is written
    const char *style_class; // may be NULL
    const char *anchor;      // "middle", "end"; NULL: start
    double x, y, size;
    double limit; // pixels; longer texts end in an ellipsis and have a <title>. 0: none
    bool upward;  // turned by 90 degrees
    bool rich;    // ^2, ^-3 are superscripts
} trmi_svg_label;

void trmi_svg_text(FILE *out, const trmi_svg_label *label);

#endif
