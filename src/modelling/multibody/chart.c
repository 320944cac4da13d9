// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/chart.h"

trmi_quaternion trmi_chart_quaternion(trmi_v3 theta)
{
    trmi_v3 x = trmi_v3_scale(0.25, theta);
    double s = trmi_v3_dot(x, x), rho = 1 / (1 + s);
    return (trmi_quaternion){rho * (1 - s), trmi_v3_scale(2 * rho, x)};
}

trmi_v3 trmi_chart_theta(trmi_quaternion e)
{
    double sign = e.s < 0 ? -1 : 1; // e and -e are the same rotation: the short way
    return trmi_v3_scale(4 * sign / (1 + fabs(e.s)), e.v);
}

// c 1 + [a] + 2 (x y^T + y x^T)
static trmi_m3 combine_two(double c, trmi_v3 a, trmi_v3 x, trmi_v3 y)
{
    double xy = 2 * (x.x * y.y + x.y * y.x), yz = 2 * (x.y * y.z + x.z * y.y),
           zx = 2 * (x.z * y.x + x.x * y.z);
    return (trmi_m3){{{c + 4 * x.x * y.x, xy - a.z, zx + a.y},
                      {xy + a.z, c + 4 * x.y * y.y, yz - a.x},
                      {zx - a.y, yz + a.x, c + 4 * x.z * y.z}}};
}

trmi_chart trmi_chart_at(trmi_v3 theta, trmi_v3 rate)
{
    trmi_v3 x = trmi_v3_scale(0.25, theta), x1 = trmi_v3_scale(0.25, rate);
    double s = trmi_v3_dot(x, x), s1 = 2 * trmi_v3_dot(x, x1);
    double rho = 1 / (1 + s), u = rho * rho, u1 = -2 * u * rho * s1;
    trmi_m3 N = trmi_chart_combine(1 - s, trmi_v3_scale(2, x), 2, x),
            N1 = combine_two(-s1, trmi_v3_scale(2, x1), x, x1);
    trmi_chart c = {.T = trmi_m3_scale(u, N)};
    // [x]^2 = x x^T - s 1
    c.C = trmi_chart_combine(1 - 8 * u * s, trmi_v3_scale(4 * u * (1 - s), x), 8 * u, x);
    c.T1 = trmi_m3_axpy(trmi_m3_scale(u1, N), u, N1);
    return c;
}

trmi_m3 trmi_chart_second(trmi_v3 theta, trmi_v3 rate, trmi_v3 acceleration)
{
    trmi_v3 x = trmi_v3_scale(0.25, theta), x1 = trmi_v3_scale(0.25, rate),
            x2 = trmi_v3_scale(0.25, acceleration);
    double s = trmi_v3_dot(x, x), s1 = 2 * trmi_v3_dot(x, x1);
    double s2 = 2 * (trmi_v3_dot(x, x2) + trmi_v3_dot(x1, x1));
    double rho = 1 / (1 + s), u = rho * rho, u1 = -2 * u * rho * s1;
    double u2 = 6 * u * u * s1 * s1 - 2 * u * rho * s2;
    trmi_m3 N = trmi_chart_combine(1 - s, trmi_v3_scale(2, x), 2, x),
            N1 = combine_two(-s1, trmi_v3_scale(2, x1), x, x1);
    // N'' = -s'' 1 + 2[x''] + 2 (x'' x^T + x x''^T) + 4 x' x'^T
    trmi_m3 N2 = combine_two(-s2, trmi_v3_scale(2, x2), x, x2);
    N2 = trmi_m3_axpy(N2, 4, trmi_m3_outer(x1, x1));
    return trmi_m3_axpy(trmi_m3_axpy(trmi_m3_scale(u2, N), 2 * u1, N1), u, N2);
}

bool trmi_chart_reexpress(trmi_quaternion from, trmi_quaternion to, trmi_v3 *theta, trmi_v3 *rate,
                          trmi_v3 *acceleration)
{
    trmi_quaternion turn = trmi_quaternion_mul(trmi_quaternion_conjugate(to), from);
    trmi_m3 R = trmi_quaternion_matrix(turn);
    trmi_v3 moved = trmi_chart_theta(trmi_quaternion_mul(turn, trmi_chart_quaternion(*theta)));
    trmi_chart old = trmi_chart_at(*theta, *rate);
    trmi_v3 omega = trmi_m3_times(R, trmi_m3_times(old.T, *rate));
    // theta' = T^-1 omega = N^T omega,  N = (1 + s)^2 T
    double c = 1 + trmi_v3_dot(moved, moved) / 16;
    trmi_chart fresh = trmi_chart_at(moved, (trmi_v3){0, 0, 0});
    trmi_v3 moved_rate = trmi_v3_scale(c * c, trmi_m3_tr_times(fresh.T, omega));
    if (acceleration) { // alpha = T theta'' + T' theta'
        trmi_v3 alpha = trmi_m3_times(old.T, *acceleration);
        alpha = trmi_m3_times(R, trmi_v3_add(alpha, trmi_m3_times(old.T1, *rate)));
        fresh = trmi_chart_at(moved, moved_rate);
        alpha = trmi_v3_sub(alpha, trmi_m3_times(fresh.T1, moved_rate));
        *acceleration = trmi_v3_scale(c * c, trmi_m3_tr_times(fresh.T, alpha));
    }
    *theta = moved;
    *rate = moved_rate;
    return trmi_v3_length(moved) <= TRMI_CHART_REACH;
}
