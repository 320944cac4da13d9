// SPDX-License-Identifier: Apache-2.0
// How much longer an element of a beam is than it was, between the markers of its ends. Against the
// left one the right one is at (X, Y) and turned by theta; the cubic between them, of length L, is
// shorter than X by int w'^2/2 (beam.h), so that to second order
//
//     p = X - L + 3 Y^2/(5 L) - Y theta/10 + L theta^2/15
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_STRETCHING_H
#define TRMI_MODELLING_MULTIBODY_ROWS_STRETCHING_H

#include "modelling/multibody/rows/row_library.h"

extern const trmi_row_type trmi_stretching; // L: the size of the pair

#endif
