// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of largest modulus of an operator that can only be applied, x -> A x: Arnoldi's
// process with several vectors to begin with, so that eigenvalues that occur several times are
// found as often (up to TRMI_KRYLOV_WIDTH). Orthonormal vectors V, one more for each product:
//
//     A V_j = V_j B + R,   B = V_j^H A V_j,   R = new vectors times the lowest rows of the columns
//
// Ritz values theta, B y = theta y, have vectors V_j y and leave |R y| of A V_j y - theta V_j y.
#ifndef TRMI_SOLVER_ANALYSIS_KRYLOV_H
#define TRMI_SOLVER_ANALYSIS_KRYLOV_H

#include "base/memory.h"

#include <complex.h>

enum { TRMI_KRYLOV_WIDTH = 4 };

typedef void trmi_operator(void *context, const double complex *x, double complex *out);

typedef struct trmi_krylov {
    trmi_memory *memory; // of the vectors, which are allocated one by one
    int n;               // length of the vectors
    int most;            // largest number of vectors
    trmi_operator *apply;
    void *context;
    int count;               // vectors
    int done;                // the first of them, to which A was applied
    double complex **vector; // most
    double complex *b;       // most x most, column-major
} trmi_krylov;

// One eigenvalue of B.
typedef struct trmi_ritz {
    double complex value;
    const double complex *y; // done
    double residual;         // |R y|, |y| = 1
    double condition;        // cosine between left and right vector
} trmi_ritz;

// Allocates up to `most` vectors and computes the first ones: A^2 applied to fixed vectors, so that
// they have no part that A maps to zero. False: no memory.
bool trmi_krylov_create(trmi_krylov *k, trmi_memory *memory, int n, int most, trmi_operator *apply,
                        void *context);

// Applies A to the next vectors, at most `columns` of them; false: no memory. Where done = count
// afterwards, there are no more: the vectors span all that A reaches.
bool trmi_krylov_extend(trmi_krylov *k, int columns);

// All `done` Ritz values in `memory`; NULL: none, or no memory.
trmi_ritz *trmi_krylov_ritz(const trmi_krylov *k, trmi_memory *memory);

// out = V y
void trmi_krylov_expand(const trmi_krylov *k, const double complex *y, double complex *out);

#endif
