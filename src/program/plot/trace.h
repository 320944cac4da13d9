// SPDX-License-Identifier: Apache-2.0
// A curve as an SVG path.
#ifndef TRMI_PROGRAM_PLOT_TRACE_H
#define TRMI_PROGRAM_PLOT_TRACE_H

#include "program/plot/twice.h"

// Values that have no place in the picture. NaN is a gap on purpose and not counted.
typedef struct trmi_left_out {
    int64_t shown; // points drawn
    int64_t not_positive, infinite;
} trmi_left_out;

// Extends the ranges by the points of a curve: x by every x, y where both have a place.
void trmi_trace_measure(const trmi_curve *curve, bool log_x, bool log_y, trmi_range *x,
                        trmi_range *y, trmi_left_out *left_out);

// Draws the band of the curve, where it is wider than the line. False: no memory.
bool trmi_band_draw(FILE *out, const trmi_curve *curve, int index, const trmi_axis *x,
                    const trmi_axis *y, trmi_drawn_lines *lines);

// Draws the curve in the colour and pattern of its index. Points between gaps become markers.
void trmi_trace_draw(FILE *out, const trmi_curve *curve, int index, const trmi_axis *x,
                     const trmi_axis *y, trmi_drawn_lines *lines);

// No point of the curve has a place.
bool trmi_trace_is_empty(const trmi_curve *curve, bool log_x, bool log_y);

// The sample in the legend: from (left, middle) to the right.
enum { TRMI_TRACE_SAMPLE = 22 }; // pixels
void trmi_trace_sample(FILE *out, const trmi_curve *curve, int index, double left, double middle);

#endif
