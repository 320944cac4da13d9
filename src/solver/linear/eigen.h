// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of dense matrices.
#ifndef TRMI_SOLVER_LINEAR_EIGEN_H
#define TRMI_SOLVER_LINEAR_EIGEN_H

#include "base/memory.h"

#include <complex.h>

// Eigenvalues of a general real matrix of order n. Conjugate pairs are neighbours, the one with
// positive imaginary part first; its vector is vector[i] + i vector[i + 1] (columns).
typedef struct trmi_eigen {
    int n;
    double *real, *imaginary; // n
    double *vector;           // n x n, column-major
    double *uncertainty;      // n: eps |A| / cos(angle of left and right vectors)
} trmi_eigen;

typedef enum trmi_eigen_status {
    TRMI_EIGEN_OK,
    TRMI_EIGEN_MEMORY,
    TRMI_EIGEN_FAILED // not finite, or the QR iteration did not converge
} trmi_eigen_status;

// Entries of a block (rows x columns, column-major, columns `stride` apart) of quantities of one
// kind that are roundoff beside the largest one of their row or column become 0: balancing would
// raise them to the size of the others, and with them the roundoff of vectors. work: rows +
// columns.
void trmi_clear_roundoff(double *block, int stride, int rows, int columns, double *work);

// Finds the eigenvalues of a (n x n, column-major), which is overwritten.
trmi_eigen_status trmi_eigen_general(trmi_eigen *out, trmi_memory *memory, double *a, int n);

// Eigenvalues of a general complex matrix of order n.
typedef struct trmi_eigen_complex {
    double complex *value;  // n
    double complex *vector; // n x n, column-major, unit length
    double *condition;      // n: cos(angle of left and right vectors)
} trmi_eigen_complex;

// Finds the eigenvalues of a (n x n, column-major), which is overwritten.
trmi_eigen_status trmi_eigen_general_complex(trmi_eigen_complex *out, trmi_memory *memory,
                                             double complex *a, int n);

// Eigenvalues of a symmetric matrix (lower triangle), ascending; a is replaced by the vectors.
trmi_eigen_status trmi_eigen_symmetric(double *value, trmi_memory *memory, double *a, int n);

#endif
