// SPDX-License-Identifier: Apache-2.0
// The gap between a curve of body A and a point, a circle or another curve of body B, in the plane
// x, y of the marker on A. With the nearest points, the tangent t and the normal n from A to B
// there, the curvatures k_A, k_B towards n (k_A of the parallel curve through the point of B) and
// r from the marker on B to its nearest point, against B that moves by (x, y) and turns by phi:
//
//     g_x = n,   g_phi = n.(z x r),   u = t.(x + z x r phi)
//     g'' = -k_A k_B/K u^2 + 2 s k_A/K u phi - phi^2/K - n.r phi^2,    K = k_B - k_A, s = n.(z x t)
//
// and of a point (k_B infinite) g'' = -k_A u^2.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_PATH_ROW_H
#define TRMI_MODELLING_MULTIBODY_ROWS_PATH_ROW_H

#include "modelling/multibody/rows/plane_curve.h"
#include "modelling/multibody/rows/row_library.h"

// The data of the row, in the axes of the markers.
typedef struct trmi_path_pair {
    trmi_plane_curve first, second; // second.samples = 0: a point at the marker on B,
    double radius;                  // the centre of a circle
    double side;                    // 1: B is to the left of the curve of A, -1: to the right
} trmi_path_pair;

// g, its first and second derivatives by x, y, phi; NAN where the curves have no nearest points.
typedef struct trmi_path_gap {
    double g, by[3], second[3][3];
} trmi_path_gap;
trmi_path_gap trmi_path_gap_at(const trmi_path_pair *pair, double x, double y, double phi);

extern const trmi_row_type trmi_path_row;

#endif
