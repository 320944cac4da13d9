// SPDX-License-Identifier: Apache-2.0
// Where two bodies touch: the shortest distance p of their surfaces, the direction n of it, from A
// to B, and the point c of B next to A. Against A, with B moving by (w, v) at P, the marker on B,
//
//     dn = n_w w + n_v v,   dc = c_w w + c_v v,   dp = n . (v + w x (c - P))
//
// from which the rows of the gap and of the velocity along the surface follow for any pair. A pair
// is a function of a trmi_form that finds all this.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_TOUCH_H
#define TRMI_MODELLING_MULTIBODY_ROWS_TOUCH_H

#include "modelling/multibody/rows/row_library.h"

typedef struct trmi_touch {
    double p;
    trmi_v3 n, c; // c: from P
    trmi_m3 n_w, n_v, c_w, c_v;
} trmi_touch;

// The shapes of a pair, the data of its rows. The core of A is a box about its marker along the
// axes there; with half edges of 0 it is a rectangle, a line or a point. The core of B is a line
// about its marker.
typedef struct trmi_form {
    void (*find)(const trmi_view *view, trmi_touch *out);
    double half[3];          // of the edges of the box
    double radius, radius_b; // of what surrounds the cores: spheres about all their points
    trmi_v3 axis_b;          // of the line, or the disc, in the axes of the marker on B
    double half_b;           // of its length
} trmi_form;

// Boxes, plates, capsules and spheres against capsules and spheres.
void trmi_touch_cores(const trmi_view *view, trmi_touch *out);
// The rim of a disc with centre at the marker on B, of radius_b, above the plane through the marker
// on A with normal z.
void trmi_touch_rim(const trmi_view *view, trmi_touch *out);

extern const trmi_row_type trmi_touch_gap;     // p; the first row of a set with the three slips
extern const trmi_row_type trmi_touch_slip[3]; // velocity of B against A at c, across n, in the
                                               // axes of A

#endif
