// SPDX-License-Identifier: Apache-2.0
// Documents that have every plot twice, for wide and for narrow screens: the second drawing uses
// the paths of the first.
#ifndef TRMI_PROGRAM_PLOT_TWICE_H
#define TRMI_PROGRAM_PLOT_TWICE_H

#include "program/plot/axis.h"

// Where something was drawn.
typedef struct trmi_drawn_line {
    bool written; // some of it is in the picture
    trmi_range x, y;
    double left, right, bottom, top; // pixels of these ranges
} trmi_drawn_line;

// Lines and bands, in the order in which they are drawn.
struct trmi_drawn_lines {
    trmi_drawn_line *line;
    int count, capacity;
    int next;     // of the second drawing
    bool repeats; // this is the second drawing
};

// A curve, or its band, between two axes.
typedef struct trmi_placed_curve {
    const trmi_curve *curve;
    int index;
    const trmi_axis *x, *y;
    // Writes an element with id="cID", none for -1; false: nothing is in the picture.
    bool (*draw)(FILE *out, const struct trmi_placed_curve *drawing, int id);
    void *scratch; // for draw
} trmi_placed_curve;

// Draws it, or refers to the first drawing of it by an element with these attributes. lines may be
// NULL: the document has it once.
void trmi_draw_once(FILE *out, const trmi_placed_curve *drawing, const char *attributes,
                    trmi_drawn_lines *lines);

#endif
