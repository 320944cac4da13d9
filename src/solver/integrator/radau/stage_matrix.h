// SPDX-License-Identifier: Apache-2.0
// The matrix of all stages of a step at once, each with its own derivatives. Where S(alpha) = sum_k
// alpha^k S_k is the matrix of one leading coefficient (saddle.h), that of s stages coupled by
// h Y'_i = sum_j Gamma_ij Y_j has the blocks
//
//     sum_k h^-k S_k^(i) (Gamma^p)_ij
//
// where p = 0, 1, 2 is how often an entry acts on derivatives: 2 for M, 1 for D, c_v, b_v, A and
// the x' of rates, 0 for all others, which are in the diagonal blocks alone. Rows and multipliers
// are scaled as in saddle.h, with 1/h in place of cj.
//
// Unknown r of stage i is number r s + i, and KLU eliminates blocks of s x s in the order in which
// it eliminated the unknowns of one stage: what fills is s^2 times as much as there. (An ordering
// of its own, blind to which pivots are zero, fills fifty times as much.) Small matrices are
// reduced to the motions that the constraints leave.
#ifndef TRMI_SOLVER_INTEGRATOR_RADAU_STAGE_MATRIX_H
#define TRMI_SOLVER_INTEGRATOR_RADAU_STAGE_MATRIX_H

#include "solver/formulation/nullspace_basis.h"

enum { TRMI_MAX_STACK = 7, TRMI_STACK_PARTS = 5, TRMI_STACK_POWERS = 3 };

// Where an entry of a part goes: its s diagonal blocks (power 0), or all s^2 of them.
typedef struct trmi_stack_entry {
    int source; // in the values of the saddle
    int row, column;
    int power;
    int first; // of its places
} trmi_stack_entry;

// The same on the motions that the constraints of each stage leave (stage_matrix_small.c).
typedef struct trmi_stacked_small {
    bool exists, serves; // serves: this matrix is the one that was entered last
    trmi_motions motions[TRMI_MAX_STACK];
    trmi_solver *solver;
    int count[TRMI_STACK_PARTS]; // entries within (q, x, z)
    trmi_stack_entry *entry[TRMI_STACK_PARTS];
    double *left[TRMI_STACK_POWERS];  // N_i^T S of all stages, s n x n_w, by power of Gamma
    double *power[TRMI_STACK_POWERS]; // Gamma^p with its rows n times, s n x s
    double *mixed, *x, *w;
} trmi_stacked_small;

typedef struct trmi_stacked {
    trmi_saddle *saddle; // structure of one stage, borrowed
    int s;
    double gamma[TRMI_STACK_POWERS][TRMI_MAX_STACK][TRMI_MAX_STACK]; // 1, Gamma, Gamma^2
    trmi_solver *solver;
    bool ordered;               // it has an order of elimination:
    int *pivot_row, *pivot_col; // of one stage (KLU), NULL where that has none
    int *row_order, *col_order; // of all stages
    int count[TRMI_STACK_PARTS];
    trmi_stack_entry *entry[TRMI_STACK_PARTS];
    int *place;
    int *diagonal; // n_r s places: of the regularization
    double *part;  // a part of one stage
    double *x;     // a right-hand side
    trmi_stacked_small small;
} trmi_stacked;

// The structure for s stages coupled by gamma (rows of TRMI_MAX_STACK entries, s used), with KLU
// or dense LU as the saddle has it. reducible: as in formulation/shift_matrices.h. False when there
// is no memory.
bool trmi_stacked_create(trmi_stacked *m, trmi_memory *memory, trmi_saddle *saddle, int s,
                         const double gamma[][TRMI_MAX_STACK], bool reducible);

// Takes the order of elimination the saddle's last factors have, unless there is one. False when
// there is no memory.
bool trmi_stacked_order(trmi_stacked *m);

// Begins a new matrix, reduced to motions where that can be, or the whole of it.
void trmi_stacked_clear(trmi_stacked *m, bool whole);
// Enters stage i with the derivatives the evaluator has at present. False: its constraints are too
// close to a loss of rank to be reduced, the whole matrix is needed.
bool trmi_stacked_add(trmi_stacked *m, int i, double h, double regularization);
trmi_factor_status trmi_stacked_factor(trmi_stacked *m);
// Right-hand sides of all stages, in place.
void trmi_stacked_solve(trmi_stacked *m, double h, double *const *rhs);

// What earlier matrices left behind.
void trmi_stacked_archive(trmi_stacked *m, trmi_archive *archive);
void trmi_stacked_destroy(trmi_stacked *m);

// stage_matrix_small.c
bool trmi_stacked_small_create(trmi_stacked *m, trmi_memory *memory);
void trmi_stacked_small_clear(trmi_stacked *m);
bool trmi_stacked_small_add(trmi_stacked *m, int i, double h);
trmi_factor_status trmi_stacked_small_factor(trmi_stacked *m);
void trmi_stacked_small_solve(trmi_stacked *m, double h, double *const *rhs);

#endif
