// SPDX-License-Identifier: Apache-2.0
// Dense factors of small matrices, column-major with the operations of LAPACK in their order: a
// call there takes longer than the arithmetic.
#ifndef TRMI_SOLVER_LINEAR_SMALL_H
#define TRMI_SOLVER_LINEAR_SMALL_H

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

// column j of U, and what is left of it below, from the columns of L before it, two at a time;
// bodies that no joint or force joins leave many zeros in it
static inline void trmi_small_eliminate(const double *a, int ld, int rows, int j,
                                        double *restrict column)
{
    int k = 0;
    for (; k + 1 < j; k += 2) {
        const double *l = a + (size_t)k * (size_t)ld, *next = l + ld;
        double y = column[k], z = column[k + 1] -= y * l[k + 1];
        for (int i = k + 2; i < rows && (y != 0 || z != 0); i++)
            column[i] = column[i] - y * l[i] - z * next[i];
    }
    for (int i = k + 1; i < rows && k < j; i++)
        column[i] -= column[k] * a[(size_t)k * (size_t)ld + (size_t)i];
}

// P L U = A, rows x columns, rows >= columns, column by column; row exchanges in pivots, from 1
// (dgetrf)
static inline void trmi_small_lu(double *a, int ld, int rows, int columns, int *pivots)
{
    for (int j = 0; j < columns; j++) {
        double *column = a + (size_t)j * (size_t)ld;
        trmi_small_eliminate(a, ld, rows, j, column);
        int p = trmi_small_pivot(column, j, rows);
        pivots[j] = p + 1;
        for (int k = 0; k < columns && p != j; k++) {
            double *other = a + (size_t)k * (size_t)ld, swapped = other[p];
            other[p] = other[j];
            other[j] = swapped;
        }
        double reciprocal = column[j] != 0 ? 1 / column[j] : 1;
        for (int i = j + 1; i < rows; i++)
            column[i] *= reciprocal;
    }
}

// X := X U^-1, X rows x n, with the factors of trmi_small_lu (dtrsm)
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

// X := X L^-1, X rows x n, with the factors of trmi_small_lu (dtrsm)
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

// x := L^-1 x and x := U^-1 x with these factors, by columns (dtrsv)
static inline void trmi_small_left_l(const double *lu, int ld, int n, double *restrict x)
{
    for (int k = 0; k < n; k++) {
        const double *column = lu + (size_t)k * (size_t)ld, y = x[k];
        for (int i = k + 1; i < n && y != 0; i++) // right-hand sides often begin with zeros
            x[i] -= y * column[i];
    }
}

static inline void trmi_small_left_u(const double *lu, int ld, int n, double *restrict x)
{
    for (int k = n - 1; k >= 0; k--) {
        const double *column = lu + (size_t)k * (size_t)ld, y = x[k] /= column[k];
        for (int i = 0; i < k; i++)
            x[i] -= y * column[i];
    }
}

// x := L^-T x and x := U^-T x
static inline void trmi_small_left_lt(const double *lu, int ld, int n, double *x)
{
    for (int k = n - 1; k >= 0; k--) {
        const double *column = lu + (size_t)k * (size_t)ld;
        double y = x[k];
        for (int i = n - 1; i > k; i--)
            y -= column[i] * x[i];
        x[k] = y;
    }
}

static inline void trmi_small_left_ut(const double *lu, int ld, int n, double *x)
{
    for (int k = 0; k < n; k++) {
        const double *column = lu + (size_t)k * (size_t)ld;
        double y = x[k];
        for (int i = 0; i < k; i++)
            y -= column[i] * x[i];
        x[k] = y / column[k];
    }
}

// x := A^-1 x with the factors and exchanges of trmi_small_lu (dgetrs)
static inline void trmi_small_solve(const double *lu, const int *pivots, int n, double *restrict x)
{
    for (int i = 0; i < n; i++) {
        int other = pivots[i] - 1;
        double swapped = x[other];
        x[other] = x[i];
        x[i] = swapped;
    }
    trmi_small_left_l(lu, n, n, x);
    trmi_small_left_u(lu, n, n, x);
}

#endif
