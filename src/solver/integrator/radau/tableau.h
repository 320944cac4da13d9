// SPDX-License-Identifier: Apache-2.0
// Coefficients of Radau IIA with s stages: collocation at the zeros c_1 < .. < c_s = 1 of
// d^(s-1)/dx^(s-1) [x^(s-1) (x-1)^s], order 2s - 1, stiffly accurate, L-stable. With Gamma = A^-1
//
//     h Y'_i = sum_j Gamma_ij (Y_j - y_n),   T^-1 Gamma T = diag(g, [a b; -b a], ..):
//
// a matrix equation over all stages falls apart into one real and (s-1)/2 complex ones of shifts
// g and a + ib.
#ifndef TRMI_SOLVER_INTEGRATOR_RADAU_TABLEAU_H
#define TRMI_SOLVER_INTEGRATOR_RADAU_TABLEAU_H

#include <complex.h>
#include <stdbool.h>

enum { TRMI_MAX_STAGES = 7, TRMI_MAX_PAIRS = (TRMI_MAX_STAGES - 1) / 2 };
enum { TRMI_RADAU_FAMILIES = 3 }; // of 3, 5 and 7 stages

typedef struct trmi_radau_tableau {
    int s;                            // stages
    double node[TRMI_MAX_STAGES + 1]; // 0, c_1 .. c_s
    double gamma[TRMI_MAX_STAGES][TRMI_MAX_STAGES];
    double integral[TRMI_MAX_STAGES][TRMI_MAX_STAGES];    // Gamma^-1, the matrix A of the method
    double real_shift;                                    // g
    double complex shift[TRMI_MAX_PAIRS];                 // a + ib, b > 0
    double to_stages[TRMI_MAX_STAGES][TRMI_MAX_STAGES];   // T: stages from transformed values
    double from_stages[TRMI_MAX_STAGES][TRMI_MAX_STAGES]; // T^-1
    // The defect of the collocation polynomial at its beginning is y'_n + (1/h) sum_j defect[j]
    // (Y_j - y_n).
    double defect[TRMI_MAX_STAGES];
} trmi_radau_tableau;

// s = 3, 5 or 7; false for any other number.
bool trmi_radau_tableau_fill(trmi_radau_tableau *tableau, int s);

// weight[j] = l_j(x), j = 0 .. s: the polynomial through the values at all nodes, at x (in units of
// the step, 0 at its beginning).
void trmi_radau_weights(const trmi_radau_tableau *tableau, double x, double *weight);

// out = sum_j weight[j] in[j] over count >= 2 vectors of n entries
void trmi_combine(int count, const double *weight, double *const *in, int n, double *restrict out);
// out[i] = factor sum_j m[i][j] (in[j] - origin), i, j < s, piece by piece, so that long vectors
// are read once; origin NULL: 0
void trmi_combine_all(int s, const double m[][TRMI_MAX_STAGES], double factor, double *const *in,
                      double *origin, int n, double *const *out);

#endif
