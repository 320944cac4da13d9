// SPDX-License-Identifier: Apache-2.0
// Dense factors of small matrices, column-major with the operations of LAPACK in their order: a
// call there takes longer than the arithmetic.
#ifndef TRMI_SMALL_H
#define TRMI_SMALL_H

#include <math.h>
#include <stddef.h>

// largest matrix that is factored and solved without LAPACK
enum { TRMI_SMALL = 64 };

static inline int trmi_small_pivot(const double *column, int k, int n)
{
    int p = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(column[i]) > fabs(column[p]))
            p = i;
    return p;
}

// P L U = A, rows x columns, rows >= columns; row exchanges in pivots, from 1 (dgetrf)
static inline void trmi_small_lu(double *a, int ld, int rows, int columns, int *pivots)
{
    for (int k = 0; k < columns; k++) {
        double *pivot_column = a + (size_t)k * (size_t)ld;
        int p = trmi_small_pivot(pivot_column, k, rows);
        pivots[k] = p + 1;
        for (int j = 0; j < columns && p != k; j++) {
            double *column = a + (size_t)j * (size_t)ld, swapped = column[p];
            column[p] = column[k];
            column[k] = swapped;
        }
        if (pivot_column[k] == 0)
            continue;
        double reciprocal = 1 / pivot_column[k];
        for (int i = k + 1; i < rows; i++)
            pivot_column[i] *= reciprocal;
        for (int j = k + 1; j < columns; j++) {
            double *restrict column = a + (size_t)j * (size_t)ld, y = column[k];
            for (int i = k + 1; i < rows; i++)
                column[i] -= y * pivot_column[i];
        }
    }
}

// X := X U^-1 and X := X L^-1, X rows x n, with the factors of trmi_small_lu (dtrsm)
static inline void trmi_small_right_u(const double *lu, int ld, int n, double *x, int ldx, int rows)
{
    for (int k = 0; k < n; k++) {
        double *restrict column = x + (size_t)k * (size_t)ldx;
        const double *u = lu + (size_t)k * (size_t)ld;
        for (int l = 0; l < k; l++)
            for (int i = 0; i < rows; i++)
                column[i] -= u[l] * x[(size_t)l * (size_t)ldx + (size_t)i];
        for (int i = 0; i < rows; i++)
            column[i] /= u[k];
    }
}

static inline void trmi_small_right_l(const double *lu, int ld, int n, double *x, int ldx, int rows)
{
    for (int k = n - 1; k >= 0; k--) {
        double *restrict column = x + (size_t)k * (size_t)ldx;
        const double *l_column = lu + (size_t)k * (size_t)ld;
        for (int l = k + 1; l < n; l++)
            for (int i = 0; i < rows; i++)
                column[i] -= l_column[l] * x[(size_t)l * (size_t)ldx + (size_t)i];
    }
}

#endif
