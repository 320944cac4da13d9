// SPDX-License-Identifier: Apache-2.0
// Rows: one object for constraints and forces. A row between bodies A and B has a value p, a
// gradient gamma and a relative second derivative H, with respect to a point P:
//
//     p' = gamma . xi,   xi = v_B - v_A at P
//     d gamma = dx_A x* gamma + H (dx_B - dx_A)       at fixed P
//
// A constraint is p - u(t) = 0; a force is a law F(p, p', ...) with wrench -F gamma on B. From
// (p, gamma, H) one routine makes G, (Gv)_q, gamma, (G^T lambda)_q, and K, D of the forces
// (row_set.h). P is always the present place of the marker on B, which makes most blocks of H
// vanish.
//
// A holonomic row satisfies s_i.(H - H^T) s_j = gamma.(s_i x s_j) for all motions s_i, s_j.
#ifndef TRMI_MODELLING_MULTIBODY_ROWS_ROW_H
#define TRMI_MODELLING_MULTIBODY_ROWS_ROW_H

#include "base/space.h"

#include <stdbool.h>

// A 6 x 6 matrix in blocks, angular before linear; takes motions to wrenches.
typedef struct trmi_m6 {
    trmi_m3 aa, al, la, ll;
} trmi_m6;

typedef struct trmi_row_value {
    double p; // velocity rows: 0
    trmi_wrench gamma;
    trmi_m6 H;
} trmi_row_value;

// The markers of a pair of bodies at one state, world axes.
typedef struct trmi_view {
    trmi_v3 d;          // from the marker on A to the one on B
    trmi_v3 u[3], w[3]; // axes of the marker on A, on B
    double size;        // the number of the joint: pitch, radius or length
    const void *data;   // what its rows need besides, NULL: nothing
    double t;           // the time, and
    trmi_v3 spin;       // the angular velocity of B against A
    const double *held; // of this row: last accepted angle, rotation vector
    bool straight;      // H is not wanted
    void *memo;         // what the rows of a joint share at one position, NULL: nothing
} trmi_view;

// ---- primitives: u fixed in A, w fixed in B --------------------------------------------------

// p = u.d
trmi_row_value trmi_row_slide(const trmi_view *view, trmi_v3 u);
// p = u.w
trmi_row_value trmi_row_dot(trmi_v3 u, trmi_v3 w);
// p = (d.d - L^2)/(2L): a rod, regular also where d = 0
trmi_row_value trmi_row_rod(const trmi_view *view, double L);
// p = |d|; d = 0 has no direction: gamma = 0
trmi_row_value trmi_row_length(const trmi_view *view);
// component i of the rotation vector theta = log(Q_A^T Q_B); the branch nearest to view->held
trmi_row_value trmi_row_rotation(const trmi_view *view, int i);
// theta itself, in the axes of A
trmi_v3 trmi_rotation_vector(const trmi_view *view);

// velocity row p' = w . velocity of the marker on B against A, w fixed in B
trmi_row_value trmi_row_knife(trmi_v3 w);
// velocity row p' = t . velocity of the point where the rim of a disc touches a plane: centre at
// the marker on B, axle w in B, radius R, normal n and direction t in A
trmi_row_value trmi_row_roll(trmi_v3 w, double R, trmi_v3 n, trmi_v3 t);
// velocity row p' = t . velocity of the point where a sphere touches a plane
trmi_row_value trmi_row_tangent(double R, trmi_v3 n, trmi_v3 t);
// p' = n . angular velocity, n fixed in the world (A must be the ground) or in B
trmi_row_value trmi_row_moment(trmi_v3 n, bool follows);

// ---- rules -----------------------------------------------------------------------------------

enum { TRMI_MAX_COMPOSITE = 5 };

// A function of m rows: value, gradient f_i, second derivatives f_ij (symmetric, i <= j is read).
typedef struct trmi_composition {
    double f, f_i[TRMI_MAX_COMPOSITE], f_ij[TRMI_MAX_COMPOSITE][TRMI_MAX_COMPOSITE];
} trmi_composition;

// gamma = sum f_i gamma_i,  H = sum f_i H_i + sum f_ij gamma_i gamma_j^T
trmi_row_value trmi_row_composite(int m, const trmi_row_value *row, const trmi_composition *c);
// a row formulated with A and B exchanged: gamma = -gamma', H = H' + crossbar(gamma)
trmi_row_value trmi_row_swap(const trmi_row_value *row);

// ---- measures --------------------------------------------------------------------------------

// angle + full turns, the nearest to `to`
double trmi_nearest_turn(double angle, double to);
// atan2(s, c) + full turns, so that it is the nearest to `last`; s = sin, c = cos as dot rows
trmi_row_value trmi_row_angle(const trmi_row_value *c, const trmi_row_value *s, double last);
// sign s phi/sin(phi), cos(phi) = c: of two rows s that are components of sin(phi) the same ones of
// phi, up to half a turn
trmi_row_value trmi_row_tilt(const trmi_row_value *c, const trmi_row_value *s, double sign);
// the row along mean axes (u + w)/|u + w|, where w is the same axis on B: p = (u + w).d/|u + w|
trmi_row_value trmi_row_mean_slide(const trmi_view *view, int axis);
// height of the lowest point of a disc above a plane: n.d - R sqrt(1 - (n.w)^2)
trmi_row_value trmi_row_disc_height(const trmi_view *view, trmi_v3 n, trmi_v3 w, double R);

// ---- 6 x 6 -----------------------------------------------------------------------------------

static inline trmi_v3 trmi_m3_sum_times(trmi_m3 a, trmi_v3 x, trmi_m3 b, trmi_v3 y)
{
    return trmi_v3_add(trmi_m3_times(a, x), trmi_m3_times(b, y));
}

// H m
static inline trmi_wrench trmi_m6_times(const trmi_m6 *H, trmi_motion m)
{
    return (trmi_wrench){trmi_m3_sum_times(H->aa, m.w, H->al, m.v),
                         trmi_m3_sum_times(H->la, m.w, H->ll, m.v)};
}

// H^T m
static inline trmi_wrench trmi_m6_tr_times(const trmi_m6 *H, trmi_motion m)
{
    return (trmi_wrench){trmi_v3_add(trmi_m3_tr_times(H->aa, m.w), trmi_m3_tr_times(H->la, m.v)),
                         trmi_v3_add(trmi_m3_tr_times(H->al, m.w), trmi_m3_tr_times(H->ll, m.v))};
}

// H += s K
static inline void trmi_m6_add(trmi_m6 *H, double s, const trmi_m6 *K)
{
    H->aa = trmi_m3_axpy(H->aa, s, K->aa);
    H->al = trmi_m3_axpy(H->al, s, K->al);
    H->la = trmi_m3_axpy(H->la, s, K->la);
    H->ll = trmi_m3_axpy(H->ll, s, K->ll);
}

// H += s a b^T
static inline void trmi_m6_add_outer(trmi_m6 *H, double s, trmi_wrench a, trmi_wrench b)
{
    H->aa = trmi_m3_axpy(H->aa, s, trmi_m3_outer(a.n, b.n));
    H->al = trmi_m3_axpy(H->al, s, trmi_m3_outer(a.n, b.f));
    H->la = trmi_m3_axpy(H->la, s, trmi_m3_outer(a.f, b.n));
    H->ll = trmi_m3_axpy(H->ll, s, trmi_m3_outer(a.f, b.f));
}

#endif
