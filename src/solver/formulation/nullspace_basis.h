// SPDX-License-Identifier: Apache-2.0
// The matrix of a step (saddle.h) on the motions its constraints leave. With w = (q, x, z) and
//
//     dw = N domega,   N = [ N_q 0; 0 1 ],   G N_q = 0
//
// a system [S G^T; G 0] whose right-hand side has no entries in the rows of G becomes N^T S N: of
// order 1 instead of 41 for Andrews' squeezer in absolute coordinates. N_q is that of the
// coordinate split of G (linear/split.h); the multipliers are not found.
//
// For small systems with holonomic constraints whose equations do not see the multipliers. Where G
// comes near a loss of rank N would amplify, and the whole matrix serves.
#ifndef TRMI_SOLVER_FORMULATION_NULLSPACE_BASIS_H
#define TRMI_SOLVER_FORMULATION_NULLSPACE_BASIS_H

#include "solver/formulation/saddle.h"
#include "solver/linear/split.h"

// An entry of S: its place in the values of the saddle's solver, row and column.
typedef struct trmi_motions_entry {
    int source, row, column;
} trmi_motions_entry;

typedef struct trmi_motions {
    const trmi_saddle *saddle; // structure, borrowed
    int n_w;                   // n_q + n_x + n_z
    int n;                     // n_w - n_r, order of N^T S N
    int count, count_g;
    trmi_motions_entry *entry;      // S
    trmi_motions_entry *constraint; // G
    trmi_split split;
    double *gt;         // G^T, n_q x n_r
    int *where;         // n_w: place in omega, or -(i + 1) of the dependent coordinate i
    double *dependence; // Q by rows
} trmi_motions;

// Whether a matrix can be reduced and is small enough for it to pay.
bool trmi_motions_suits(const trmi_evaluator *e);
// False when there is no memory.
bool trmi_motions_create(trmi_motions *r, trmi_memory *memory, const trmi_saddle *saddle);

// N from the G among these values (those of part 0); false: too close to a loss of rank.
bool trmi_motions_split(trmi_motions *r, const double *value);

// What the next split depends on, and N.
void trmi_motions_archive(trmi_motions *r, trmi_archive *archive);

// the row of Q of a dependent coordinate
static inline const double *trmi_motions_dependence(const trmi_motions *r, int where)
{
    return r->dependence - r->split.p * (where + 1);
}

// left (n) += number (N^T)_w, the column w of N^T
static inline void trmi_motions_add_row(const trmi_motions *r, int w, double number,
                                        double *restrict left)
{
    int where = r->where[w], p = r->split.p;
    if (where >= 0) {
        left[where] += number;
        return;
    }
    const double *q = trmi_motions_dependence(r, where);
    for (int j = 0; j < p; j++)
        left[j] -= q[j] * number;
}

// left = N^T S, n x n_w, column-major
void trmi_motions_left(const trmi_motions *r, const double *value, double *left);
// out += left N, rows x n_w and rows x n
void trmi_motions_right(const trmi_motions *r, const double *left, int rows, double *out);

// omega (n) = N^T w
void trmi_motions_restrict(const trmi_motions *r, const double *w, double *omega);
// w = N omega
void trmi_motions_expand(const trmi_motions *r, const double *omega, double *w);

#endif
