// SPDX-License-Identifier: Apache-2.0
// The rotation chart: scaled modified Rodrigues parameters theta = 4 tan(phi/4) n, rational,
// without branches, singular at a full turn only. With x = theta/4, s = x.x, rho = 1/(1 + s):
//
//     C = 1 + 4 (1-s) rho^2 [x] + 8 rho^2 [x]^2       quaternion rho (1-s; 2x)
//     N = (1-s) 1 + 2[x] + 2 x x^T,  T = rho^2 N      omega = W T theta',   T^-1 = N^T
//
// where the rotation is W C and W = R_p A has the constant centre A. Charts are re-centred between
// steps: A becomes A C, and theta 0.
#ifndef TRMI_CHART_H
#define TRMI_CHART_H

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

// X_ij = n . dT_i/dtheta_j, n in chart axes. Inline: it is called for every body of every joint.
static inline trmi_m3 trmi_chart_matrix(trmi_v3 theta, trmi_v3 n)
{
    trmi_v3 x = trmi_v3_scale(0.25, theta);
    double s = trmi_v3_dot(x, x), rho = 1 / (1 + s), xn = trmi_v3_dot(x, n);
    // T^T n = rho^2 b
    trmi_v3 b = trmi_v3_axpy(trmi_v3_scale(1 - s, n), -2, trmi_v3_cross(x, n));
    b = trmi_v3_axpy(b, 2 * xn, x);
    // rho^2/2 (-n x^T + [n] + x.n 1 + x n^T) - rho^3 b x^T, where x n^T - n x^T = [n x x]
    double h = 0.5 * rho * rho, d = h * xn;
    trmi_v3 c = trmi_v3_scale(h, trmi_v3_add(n, trmi_v3_cross(n, x)));
    b = trmi_v3_scale(rho * rho * rho, b);
    return (trmi_m3){{{d - b.x * x.x, -c.z - b.x * x.y, c.y - b.x * x.z},
                      {c.z - b.y * x.x, d - b.y * x.y, -c.x - b.y * x.z},
                      {-c.y - b.z * x.x, c.x - b.z * x.y, d - b.z * x.z}}};
}

#endif
