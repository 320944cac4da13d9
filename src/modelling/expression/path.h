// SPDX-License-Identifier: Apache-2.0
// A plane path given by its curvature kappa(s) over the arc length s, as tracks and roads are.
//
//     psi(s) = int kappa,    x(a, b) = int_a^b cos(psi(s) - psi(a)) ds,    y: likewise with sin
//
// is the place of its point b as seen from its point a, x along the path there. Near points keep
// all digits, however far they are from the beginning of the path.
#ifndef TRMI_MODELLING_EXPRESSION_PATH_H
#define TRMI_MODELLING_EXPRESSION_PATH_H

#include "modelling/expression/interpolant.h"

typedef struct trmi_path_place {
    double x, y;
} trmi_path_place;

// Where point `to` is as seen from point `from`. The curve does not repeat.
trmi_path_place trmi_path_between(const trmi_interpolant *curvature, double from, double to);

// Stores the places of the points of the curve, so that trmi_path_between takes the same time
// however many of them are between; without it they are integrated over. False: no memory.
bool trmi_path_create(trmi_interpolant *curvature, trmi_memory *memory);

#endif
