// SPDX-License-Identifier: Apache-2.0
// Numbers of a channel in a page, small: value k is
//
//     low + step i_k        or, of logarithms,  exp(low + step i_k), and 0 where i_k = 0
//
// with integers i_k of at most `levels`, whose second differences i_k - 2 i_{k-1} + i_{k-2} (those
// before the first are 0) are written as 7-bit groups, the lowest first, the sign in the lowest
// bit, in base64: a smooth curve takes one or two bytes a value. i_k = -1: not a number; no data:
// all are 0. In the page:
// {"low": 0, "step": 1e-4, "count": 3, "log": true, "data": "..."}.
#ifndef TRMI_PROGRAM_VIEW_SERIES_H
#define TRMI_PROGRAM_VIEW_SERIES_H

#include "program/files/json.h"

typedef struct trmi_series_style {
    int64_t levels;   // of the range from the smallest to the largest value
    bool logarithmic; // relative accuracy; values of 0 or less become 0
} trmi_series_style;

// Adds the values of an array.
void trmi_series_add(trmi_json *json, const char *key, const double *value, int64_t count,
                     trmi_series_style style);

#endif
