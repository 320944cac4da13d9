// SPDX-License-Identifier: Apache-2.0
// An axis: the range of its data, its place in the picture, its ticks.
#ifndef TRMI_PROGRAM_PLOT_AXIS_H
#define TRMI_PROGRAM_PLOT_AXIS_H

#include "program/plot/plot.h"
#include "program/plot/ticks.h"

// From the smallest to the largest value; low > high when there is none.
typedef struct trmi_range {
    double low, high;
} trmi_range;

static const trmi_range trmi_range_empty = {1, -1};

bool trmi_range_is_empty(trmi_range range);
trmi_range trmi_range_with(trmi_range range, double value);
trmi_range trmi_range_union(trmi_range a, trmi_range b);

typedef struct trmi_axis {
    bool logarithmic;
    bool whole;       // only whole numbers are marked
    trmi_range data;  // without margin; empty: an axis without ticks
    trmi_range shown; // with it
    double from, to;  // pixels of shown.low and shown.high
    trmi_tick tick[TRMI_MAX_TICKS];
    int ticks;
    trmi_tick_labels labels;
} trmi_axis;

// A value that has a place on an axis of this kind: finite, and positive on a logarithmic one.
bool trmi_axis_can_show(bool logarithmic, double value);

// Sets the range shown: that of the data with `margin` (relative to its length) on both sides. A
// range without length gets one that suits its value.
void trmi_axis_set(trmi_axis *axis, bool logarithmic, trmi_range data, double margin);

// Makes the shown range of a linear axis so long, on both sides alike. A shorter one is as it was.
void trmi_axis_lengthen(trmi_axis *axis, double length);

// Chooses about `target` ticks and their labels.
void trmi_axis_mark(trmi_axis *axis, int target);

// Pixel of a value that can be shown.
double trmi_axis_place(const trmi_axis *axis, double value);

// Pixel of tick `index`.
double trmi_axis_tick(const trmi_axis *axis, int index);

// The widest label, pixels.
double trmi_axis_label_width(const trmi_axis *axis, double size);

#endif
