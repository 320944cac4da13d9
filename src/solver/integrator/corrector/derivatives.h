// SPDX-License-Identifier: Apache-2.0
// Derivatives that are kept over steps: B = dF/dy of one point, and how they follow the
// excitations,
//
//     dF/dy at U ~ B + sum_i D_i (U_i - U_i,B),      U = (u, u', u'')
//
//     partitioned   D = 0
//     extended      D_i = d2F/dU_i dy at the start, by differences                          (26)
//     secant        D learned: each evaluation with w_i = (U_i - U_i,B) / sc_i, |w|^2 > 1e-4, adds
//                   (B_new - B - sum_k D_k dU_k) w_i / (sc_i |w|^2), sc_i the largest |U_i| so far;
//                   an entry follows while, at the last evaluation, B with D came nearer to B_new
//                   than B alone
//
// What the equations do not use of U is left out. M and G are never kept: they are part of the
// equations and belong to the present point, as does f_lambda beside G^T where the system supplies
// it.
#ifndef TRMI_SOLVER_INTEGRATOR_CORRECTOR_DERIVATIVES_H
#define TRMI_SOLVER_INTEGRATOR_CORRECTOR_DERIVATIVES_H

#include "solver/system/evaluator.h"
#include "trammel/options.h"

typedef struct trmi_derivatives {
    trmi_evaluator *e;
    trmi_values *values; // of the step, from which they are taken and to which they are applied
    trmi_values probe;   // derivatives with moved excitations; extended only
    uint64_t quantities; // that are kept
    int size;            // their entries together
    double *base;        // B
    trm_jacobian_update rule;
    int count;         // excitations that are followed
    int *input;        // which of U
    double *slope;     // D, count x size
    bool *worse;       // per entry: at the last evaluation B with D was not nearer than B
    double *at;        // U_B
    double *at_matrix; // U of the last matrix
    double *largest;   // |U_i| so far
    double *shift;     // 3 n_u scratch
    bool exists;       // B does
    bool known;        // D is: computed, or learned
    int failures;      // re-formed matrices with D in a row that did not converge
} trmi_derivatives;

// quantities: 0 where nothing is kept. rule: partitioned, extended or secant.
bool trmi_derivatives_create(trmi_derivatives *d, trmi_memory *memory, trmi_values *values,
                             uint64_t quantities, trm_jacobian_update rule);
// excitations.c, where excitations are followed. Which of them the equations use, found out at
// three states around the point; to be called after creation. False when there is no memory.
bool trmi_derivatives_probe(trmi_derivatives *d, trmi_memory *memory, const trmi_point *point);
// extended: D at the point, once; t_end: end of the interval in which the size of the excitations
// is found. Returns how many excitations could not be moved and are not followed.
int trmi_derivatives_extend(trmi_derivatives *d, const trmi_point *point, double t_end);

// Keeps the present values, and learns from them.
void trmi_derivatives_take(trmi_derivatives *d);
// The kept ones, at the present excitations, become the values.
void trmi_derivatives_apply(trmi_derivatives *d);
// Whether the excitations have moved since the last matrix, so that `apply` gives another one.
bool trmi_derivatives_moved(const trmi_derivatives *d);
// Whether Newton converged with a re-formed matrix. What was learned is forgotten when it failed
// twice in a row.
void trmi_derivatives_judge(trmi_derivatives *d, bool converged);
// Forgets B and what was learned; all: also what was computed, which belongs to other coordinates.
void trmi_derivatives_reset(trmi_derivatives *d, bool all);

void trmi_derivatives_archive(trmi_derivatives *d, trmi_archive *archive);

#endif
