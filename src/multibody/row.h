// SPDX-License-Identifier: Apache-2.0
// Rows: one object for constraints and forces. A row between bodies A and B has a value p, a
// gradient gamma and a relative second derivative H, with respect to a point P (the marker on B):
//
//     p' = gamma . xi,   xi = v_B - v_A at P
//     d gamma = dx_A x* gamma + H (dx_B - dx_A)       at fixed P
//
// A constraint is p - u(t) = 0; a force is a law F(p, p', ...) with wrench -F gamma on B. From
// (p, gamma, H) one routine makes G, (Gv)_q, gamma, (G^T lambda)_q, and K, D of the forces.
#ifndef TRMI_ROW_H
#define TRMI_ROW_H

#include "multibody/tree.h"

// A 6 x 6 matrix in blocks, angular before linear.
typedef struct trmi_m6 {
    trmi_m3 aa, al, la, ll;
} trmi_m6;

typedef struct trmi_row_value {
    double p; // velocity rows: 0
    trmi_wrench gamma;
    trmi_m6 H;
} trmi_row_value;

#endif
