// SPDX-License-Identifier: Apache-2.0
// The explicit Runge-Kutta method of order 8 with estimates of orders 5 and 3 and a dense output of
// order 7: Dormand and Prince; coefficients of DOP853, E. Hairer, S. P. Norsett, G. Wanner, Solving
// Ordinary Differential Equations I, 2nd edition, section II.10.
//
// For y'' = f, with y' = v a stage needs no other stage's velocity: with A = (a_ij)
//
//     v_i = v_0 + h sum_j a_ij f_j,   q_i = q_0 + c_i h v_0 + h^2 sum_j (A A)_ij f_j
//
// is the same method with half the vectors. Everything that is linear in the rates has this pair of
// rows: weights of v and of q.
#ifndef TRMI_SOLVER_INTEGRATOR_EXPLICIT_TABLEAU_853_H
#define TRMI_SOLVER_INTEGRATOR_EXPLICIT_TABLEAU_853_H

enum {
    TRMI_STAGES_853 = 12,
    TRMI_RESULT_853 = 12, // row of the result, and rate at the new point
    TRMI_RATES_853 = 16   // with those of the dense output
};

// Weights of the rates, in units of h for v, of h^2 for q.
typedef struct trmi_row_853 {
    int count; // rates from 0 to count - 1 take part
    double v[TRMI_RATES_853], q[TRMI_RATES_853];
} trmi_row_853;

typedef struct trmi_tableau_853 {
    double c[TRMI_RATES_853];
    trmi_row_853 stage[TRMI_RATES_853]; // [0]: the beginning, [TRMI_RESULT_853]: the end
    trmi_row_853 error5, error3;
    trmi_row_853 dense[4];
} trmi_tableau_853;

void trmi_tableau_853_fill(trmi_tableau_853 *tableau);

#endif
