// SPDX-License-Identifier: Apache-2.0
// The rotation vector as rows: theta = log(Q_A^T Q_B), with s = theta.theta and
//
//     gamma_i = (E_A (e_i + theta x e_i/2 + k (theta theta_i - s e_i)); 0)
//     H_aa = E_A N_i T E_A^T,   T = 1 - [theta]/2 + k [theta]^2
//     N_i = -[e_i]/2 + 2 k' (theta theta_i - s e_i) theta^T + k (theta_i 1 + theta e_i^T - 2 e_i
//     theta^T) k(s) = (1 - h cot h)/s,  h = sqrt(s)/2,   k' = dk/ds
#include "modelling/multibody/rows/row.h"

// k and k' = dk/ds; the series where the closed form cancels
static void cotangent_factor(double s, double *k, double *slope)
{
    if (s < 0.5) {
        static const double c[] = {1.0 / 12,         1.0 / 720,      1.0 / 30240,
                                   1.0 / 1209600,    1.0 / 47900160, 691.0 / 1307674368000,
                                   1.0 / 74724249600};
        *k = *slope = 0;
        for (int i = 6; i >= 0; i--) {
            *slope = *slope * s + *k;
            *k = *k * s + c[i];
        }
        return;
    }
    double root = sqrt(s), h = root / 2, sine = sin(h), cot = cos(h) / sine;
    *k = (1 - h * cot) / s;
    *slope = (-(cot - h / (sine * sine)) / (4 * root) - *k) / s;
}

static trmi_v3 rotation_of_matrix(const trmi_view *view)
{
    const trmi_v3 *u = view->u, *w = view->w;
    trmi_m3 R;
    for (int i = 0; i < 3; i++)
        R.row[i] =
            (trmi_v3){trmi_v3_dot(u[i], w[0]), trmi_v3_dot(u[i], w[1]), trmi_v3_dot(u[i], w[2])};
    trmi_quaternion e = trmi_quaternion_of(R);
    double n = trmi_v3_length(e.v);
    // atan(n/s)/n -> 1/s where n vanishes
    double scale = n > 1e-8 ? 2 * atan2(n, e.s) / n : 2 / e.s;
    return trmi_v3_scale(scale, e.v);
}

// theta and theta - 2 pi theta/|theta| are the same rotation: the one nearer to what was held
trmi_v3 trmi_rotation_vector(const trmi_view *view)
{
    const double turn = 2 * TRMI_PI;
    trmi_v3 theta = rotation_of_matrix(view);
    double angle = trmi_v3_length(theta);
    if (!view->held || angle < 1e-8)
        return theta;
    trmi_v3 other = trmi_v3_scale(1 - turn / angle, theta), last = trmi_v3_of(view->held);
    double near = trmi_v3_length(trmi_v3_sub(theta, last));
    return trmi_v3_length(trmi_v3_sub(other, last)) < near ? other : theta;
}

static trmi_v3 unit_vector(int i)
{
    return (trmi_v3){i == 0, i == 1, i == 2};
}

// E M E^T, E with the columns u
static trmi_m3 turn_matrix(const trmi_v3 u[3], trmi_m3 M)
{
    trmi_m3 Et = {{u[0], u[1], u[2]}};
    return trmi_m3_mul(trmi_m3_transpose(Et), trmi_m3_mul(M, Et));
}

trmi_row_value trmi_row_rotation(const trmi_view *view, int i)
{
    trmi_v3 theta = trmi_rotation_vector(view), e = unit_vector(i);
    double s = trmi_v3_dot(theta, theta), theta_i = trmi_v3_dot(theta, e), k, slope;
    cotangent_factor(s, &k, &slope);
    trmi_v3 z = trmi_v3_axpy(trmi_v3_scale(theta_i, theta), -s, e); // theta theta_i - s e_i
    trmi_v3 t = trmi_v3_axpy(trmi_v3_axpy(e, 0.5, trmi_v3_cross(theta, e)), k, z);
    trmi_v3 n = {0};
    for (int m = 0; m < 3; m++)
        n = trmi_v3_axpy(n, trmi_v3_dot(t, unit_vector(m)), view->u[m]);
    if (view->straight)
        return (trmi_row_value){.p = theta_i, .gamma = {n, {0, 0, 0}}};
    trmi_m3 cross = trmi_m3_cross(theta), one = trmi_m3_unit();
    trmi_m3 T = trmi_m3_axpy(trmi_m3_axpy(one, -0.5, cross), k, trmi_m3_mul(cross, cross));
    trmi_m3 N = trmi_m3_axpy(trmi_m3_outer(theta, e), -2, trmi_m3_outer(e, theta));
    N = trmi_m3_scale(k, trmi_m3_axpy(N, theta_i, one));
    N = trmi_m3_axpy(N, -0.5, trmi_m3_cross(e));
    N = trmi_m3_axpy(N, 2 * slope, trmi_m3_outer(z, theta));
    return (trmi_row_value){.p = theta_i,
                            .gamma = {n, {0, 0, 0}},
                            .H = {.aa = turn_matrix(view->u, trmi_m3_mul(N, T))}};
}
