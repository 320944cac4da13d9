// SPDX-License-Identifier: Apache-2.0
// Integrals of the polynomial p through rates f_0, f_1, ... at t_0, t_1, ..., over [from, to]: with
// h = to - from, u = (to - s)/h and the products P_i(s) = (s - t_0) ... (s - t_{i-1}) / h^i of
// Newton's form p = sum_i P_i h^i f[t_0 .. t_i],
//
//     integral[m][i] = 1/h integral u^m/m! P_i ds   so that
//
//     integral of p          = h   sum_i integral[0][i] h^i f[t_0 .. t_i]
//     integral of (to - s) p = h^2 sum_i integral[1][i] h^i f[t_0 .. t_i]
//
// They follow from integral[m][0] = 1/(m + 1)! without any quadrature:
//
//     integral[m][i+1] = (to - t_i)/h integral[m][i] - (m + 1) integral[m+1][i]
#ifndef TRMI_SOLVER_INTEGRATOR_EXPLICIT_QUADRATURE_H
#define TRMI_SOLVER_INTEGRATOR_EXPLICIT_QUADRATURE_H

enum { TRMI_MAX_NODES = 12 };

typedef struct trmi_quadrature {
    int count;
    double h;
    double integral[3][TRMI_MAX_NODES];
} trmi_quadrature;

// Integrals 0 .. count - 1 for nodes t[0] .. t[count - 2].
void trmi_quadrature_fill(trmi_quadrature *quadrature, const double *t, int count, double from,
                          double to);

// h^(count-1) f[t_0 .. t_(count-1)] = sum_j weight[j] f_j: the weights.
void trmi_difference_weights(const double *t, int count, double h, double *weight);

// Lagrange's form of the first two integrals of the polynomial through `count` nodes:
// sum_j v[j] f_j, sum_j q[j] f_j.
void trmi_quadrature_weights(const trmi_quadrature *quadrature, const double *t, int count,
                             double *v, double *q);

#endif
