// SPDX-License-Identifier: Apache-2.0
// Coordinate split of a full-rank constraint Jacobian G (m x n, m <= n), p = n - m:
//
//     E G^T = [L1; L2] U,  E = [Y X]^T        LU of G^T with row pivoting
//     (GY)^T = L1 U,  Q^T = (GX)^T (GY)^-T = L2 L1^-1        (m x p)
//
// Y are the m dependent coordinates (pivot rows), X the p independent ones.
//
// Or, orthonormal, by QR: G^T = [Y X] [R; 0], GY = R^T, Q = 0. X and Y are then combinations of all
// coordinates, P = X^T has orthonormal rows, and no coordinates are independent.
#ifndef TRMI_SOLVER_LINEAR_SPLIT_H
#define TRMI_SOLVER_LINEAR_SPLIT_H

#include "base/archive.h"
#include "base/memory.h"

typedef struct trmi_split {
    int n, m, p;
    int *dependent;   // m coordinates Y, in pivot order
    int *independent; // p coordinates X, ascending
    double *lu;       // n x m, column-major: [L1; L2] U of the rows in the order (Y, X)
    double *q;        // m x p, column-major: Q = (GY)^-1 G X
    double max_q;     // largest |Q_ij|
    double pivot;     // |smallest U_ii| / |largest U_ii|
    int pivot_column; // its column: the constraint row at fault
    long changes;     // how often the choice of Y changed (as a set)
    bool chosen;
    double *basis; // orthonormal: n x n, [Y X]; otherwise NULL
    double *tau;   // orthonormal: 2 n scratch
    double *work;  // n x m scratch
    int *order;    // 2 n scratch: row order or marks, marks of the last choice
    int *pivots;   // m scratch
} trmi_split;

// Allocates a split of m rows in n coordinates; false: no memory, or m > n.
bool trmi_split_create(trmi_split *split, trmi_memory *memory, int n, int m);

// The same by QR.
bool trmi_split_create_orthonormal(trmi_split *split, trmi_memory *memory, int n, int m);

// Copies choice and factors between splits of the same size.
void trmi_split_copy(trmi_split *to, const trmi_split *from);

// Copies the choice of coordinates alone.
void trmi_split_copy_choice(trmi_split *to, const trmi_split *from);

// Saves or restores the factors and what the next factorization depends on.
void trmi_split_archive(trmi_split *split, trmi_archive *archive);

// Relative pivot of G, or of G M^-1 G^T, below which the constraints have lost rank to all
// purposes: multipliers and null space are noise.
#define TRMI_RANK_PIVOT 1e-6
// The usual keep_bound: hysteresis against changing the choice to and fro.
#define TRMI_SPLIT_KEEP 3

// Factors for the Jacobian gt = G^T (n x m, column-major). Keeps the present choice of Y while
// max|Q| <= keep_bound; otherwise chooses by partial pivoting and, if max|Q| > 10 then, improves
// the choice by exchanging the largest |Q_ij| > 2 until none is left (bounded number of times).
// keep_bound = 0 forces a new choice; keep_bound = infinity never changes the set (only pivots
// inside Y). Returns false if rank(G) < m to working precision (pivot <= 1e-12).
bool trmi_split_factor(trmi_split *split, const double *gt, double keep_bound);

// c := (GY)^-T c, from the order of `dependent` (Y^T r) to the order of the constraint rows.
void trmi_split_solve_transposed(const trmi_split *split, double *c);

// c := (GY)^-1 c, from the order of the constraint rows to the order of `dependent`.
void trmi_split_solve(const trmi_split *split, double *c);

// out (m) = Y^T r, in the order of `dependent`
void trmi_split_dependent(const trmi_split *split, const double *r, double *out);

// |Q|, root of the sum of squares
double trmi_split_norm(const trmi_split *split);

// out (p) = N^T r = r_X - Q^T r_Y
void trmi_split_reduce(const trmi_split *split, const double *r, double *out);

// out (n) = N xi + Y y:   out_X = xi, out_Y = y - Q xi     (y may be NULL: zero)
void trmi_split_expand(const trmi_split *split, const double *xi, const double *y, double *out);

#endif
