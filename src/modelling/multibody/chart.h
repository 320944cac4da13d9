// SPDX-License-Identifier: Apache-2.0
// The rotation chart: scaled modified Rodrigues parameters theta = 4 tan(phi/4) n, rational,
// without branches, singular at a full turn only. With x = theta/4, s = x.x, rho = 1/(1 + s):
//
//     C = 1 + 4 (1-s) rho^2 [x] + 8 rho^2 [x]^2       quaternion rho (1-s; 2x)
//     N = (1-s) 1 + 2[x] + 2 x x^T,  T = rho^2 N      omega = W T theta',   T^-1 = N^T
//
// T = rho O, where O is the rotation of the quaternion (1; x), half the way of C = O O.
//
// where the rotation is W C and W = R_p A has the constant centre A. Charts are re-centred between
// steps: A becomes A C, and theta 0.
#ifndef TRMI_MODELLING_MULTIBODY_CHART_H
#define TRMI_MODELLING_MULTIBODY_CHART_H

#include "base/space.h"

#include <stdbool.h>

// Beyond this |theta| an accepted point is re-centred.
#define TRMI_CHART_LIMIT 0.5
// Beyond this |theta| (270 degrees are 4 tan(3 pi/8) = 9.7) a point is not worth keeping.
#define TRMI_CHART_REACH 3.0

// The chart at a point: C, T, and dT/dt along the motion.
typedef struct trmi_chart {
    trmi_m3 C, T, T1;
} trmi_chart;

trmi_quaternion trmi_chart_quaternion(trmi_v3 theta);
// The theta of a unit quaternion, |theta| <= 4.
trmi_v3 trmi_chart_theta(trmi_quaternion e);

trmi_chart trmi_chart_at(trmi_v3 theta, trmi_v3 rate);
// d2T/dt2
trmi_m3 trmi_chart_second(trmi_v3 theta, trmi_v3 rate, trmi_v3 acceleration);

// A point (theta, theta', theta'') of the chart with centre `from` in that with centre `to`.
// acceleration may be NULL. False: it lies beyond TRMI_CHART_REACH there.
bool trmi_chart_reexpress(trmi_quaternion from, trmi_quaternion to, trmi_v3 *theta, trmi_v3 *rate,
                          trmi_v3 *acceleration);

// c 1 + [a] + k x x^T
static inline trmi_m3 trmi_chart_combine(double c, trmi_v3 a, double k, trmi_v3 x)
{
    double xy = k * x.x * x.y, yz = k * x.y * x.z, zx = k * x.z * x.x;
    return (trmi_m3){{{c + k * x.x * x.x, xy - a.z, zx + a.y},
                      {xy + a.z, c + k * x.y * x.y, yz - a.x},
                      {zx - a.y, yz + a.x, c + k * x.z * x.z}}};
}

// scale times |e|^2 times the rotation of a quaternion e
static inline trmi_m3 trmi_chart_rotation(double scale, trmi_quaternion e)
{
    return trmi_chart_combine(scale * (e.s * e.s - trmi_v3_dot(e.v, e.v)),
                              trmi_v3_scale(2 * scale * e.s, e.v), 2 * scale, e.v);
}

// X(n)_ij = n . dT_i/dtheta_j from m = rho T^T n:  X = 1/2 ([m] - m x^T - x m^T + x.m 1).
// T = rho O, and dT/dtheta_j = rho/2 (-x_j + [e_j + x x e_j]) T, O^T (1 + [x]) = 1 - [x].
static inline trmi_m3 trmi_chart_matrix(trmi_v3 x, trmi_v3 m)
{
    trmi_v3 h = trmi_v3_scale(0.5, m);
    double xy = h.x * x.y + h.y * x.x, yz = h.y * x.z + h.z * x.y, zx = h.z * x.x + h.x * x.z;
    double d = trmi_v3_dot(h, x);
    return (trmi_m3){{{d - m.x * x.x, -xy - h.z, -zx + h.y},
                      {-xy + h.z, d - m.y * x.y, -yz - h.x},
                      {-zx - h.y, -yz + h.x, d - m.z * x.z}}};
}

#endif
