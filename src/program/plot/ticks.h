// SPDX-License-Identifier: Apache-2.0
// Ticks as decimal numbers, and their labels. Digits and exponent stay apart until the end, so that
// a label shows exactly the number of its tick.
#ifndef TRMI_PROGRAM_PLOT_TICKS_H
#define TRMI_PROGRAM_PLOT_TICKS_H

#include <stdbool.h>
#include <stdint.h>

enum { TRMI_MAX_TICKS = 32, TRMI_LABEL_SIZE = 48 };

// digits * 10^exponent
typedef struct trmi_tick {
    int64_t digits;
    int exponent;
} trmi_tick;

// Between 3 and about `target` round numbers in [low, high]: multiples of 1, 2, 2.5 or 5 times a
// power of ten; on a logarithmic axis powers of ten, with 2 and 5 times them where these are fewer
// than three, or as on a linear axis where even those are. Returns their number, not above
// `maximum`; fewer than 3 only where `maximum` requires it or low and high are hardly different
// doubles, 0 where low < high does not hold, one is not finite, or low <= 0 on a logarithmic axis.
// Either all exponents are the same (and the digits in arithmetic progression on a linear axis), or
// all digits are 1 (powers of ten on a logarithmic axis).
int trmi_ticks_choose(double low, double high, bool logarithmic, int target, trmi_tick *tick,
                      int maximum);

// the nearest double
double trmi_tick_value(trmi_tick tick);

// The texts of the ticks, and what all of them have in common:
//     tick = text * 10^power + offset
// "^-3" is a superscript; the minus sign is U+2212, the space U+00A0.
typedef struct trmi_tick_labels {
    char text[TRMI_MAX_TICKS][TRMI_LABEL_SIZE];
    char common[2 * TRMI_LABEL_SIZE]; // "×10^-3", "+ 1.5", "×10^-13 + 1"; "" when nothing
} trmi_tick_labels;

// count <= TRMI_MAX_TICKS ticks of trmi_ticks_choose
void trmi_ticks_label(trmi_tick_labels *labels, const trmi_tick *tick, int count);

#endif
