// SPDX-License-Identifier: Apache-2.0
// The matrix of a step (saddle.h) for several leading coefficients at once, one real and some
// complex ones, from one set of derivatives:
//
//     S(alpha) = sum_k alpha^k S_k,   k = -2 .. 2
//
// The parts S_k are kept, so that other coefficients need no derivatives and M, G, K, D always
// belong to one point. Small matrices are reduced to the motions their constraints leave.
//
// Where bodies and joints are declared all of them are block LDL^T, while that will do: a pivot of
// the wrong sign, or a part of D and K that is not symmetric and would slow Newton down, makes the
// factorization fail, and the whole matrix is to be used from there on.
#ifndef TRMI_SOLVER_FORMULATION_SHIFT_MATRICES_H
#define TRMI_SOLVER_FORMULATION_SHIFT_MATRICES_H

#include "solver/formulation/nullspace_basis.h"
#include "solver/linear/complex_solver.h"

enum { TRMI_SHIFT_PARTS = 5, TRMI_MAX_SHIFTS = 3 };

// A derivative of the set, for products.
typedef enum trmi_kept {
    TRMI_KEPT_MASS,
    TRMI_KEPT_DAMPING,
    TRMI_KEPT_RATE_V,
    TRMI_KEPT_ALGEBRAIC_V,
    TRMI_KEPT_ROLLING,
    TRMI_KEPT_COUNT
} trmi_kept;

// The same on the motions that the constraints of the set leave.
typedef struct trmi_shifted_small {
    bool exists, serves; // serves: the factors are these
    trmi_motions motions;
    trmi_solver *real;
    trmi_complex_solver *pair[TRMI_MAX_SHIFTS];
    double *part[TRMI_SHIFT_PARTS]; // N^T S_k N
    double *left;                   // N^T S_k
    double *w, *omega;              // n_w and n numbers, real parts, then imaginary ones
    double complex *omega_pair;
} trmi_shifted_small;

// The matrices themselves.
typedef struct trmi_shifted_form {
    trmi_saddle saddle; // structure; its solver has the real coefficient
    trmi_complex_solver *pair[TRMI_MAX_SHIFTS];
    double *part[TRMI_SHIFT_PARTS]; // S_-2 .. S_2, NULL where it is zero
} trmi_shifted_form;

typedef struct trmi_shifted {
    trmi_shifted_form block, whole; // without a solver where they are not needed yet
    trmi_shifted_form *form;        // in use
    const trmi_evaluator *e;
    trmi_values *values; // the set is taken from these; borrowed
    trmi_memory *memory;
    trm_solver choice;
    int n, pairs;                  // order; complex ones at most
    double asymmetry[2];           // of S_-2 and S_-1, in units of M: what blocks do not see
    double *scratch;               // blocks: a zero for every value
    double *kept[TRMI_KEPT_COUNT]; // values of the blocks, NULL where there are none
    double regularization;         // of the constraint rows
    trmi_shifted_small small;
} trmi_shifted;

// reducible: no right-hand side has entries in the rows of constraints, and multipliers are not
// needed where the equations do not contain them. blocks: masses make good ones.
trm_status trmi_shifted_create(trmi_shifted *s, trmi_memory *memory, trmi_values *values,
                               trm_solver choice, int pairs, bool reducible, bool blocks,
                               trm_error *error);

bool trmi_shifted_in_blocks(const trmi_shifted *s);
// The whole matrix in their place, without a set or factors; false: no memory.
bool trmi_shifted_leave_blocks(trmi_shifted *s);

// Takes the present derivatives of the values as the set.
void trmi_shifted_take(trmi_shifted *s, double regularization);

// Factors S(real) and S(shift[k]), k < count, of the set, the constraint rows with their
// regularization.
trmi_factor_status trmi_shifted_factor(trmi_shifted *s, double real, const double complex *shift,
                                       int count);

void trmi_shifted_solve(trmi_shifted *s, double *x);
void trmi_shifted_solve_pair(trmi_shifted *s, int k, double complex *x);

// y += block x with a derivative of the set
void trmi_shifted_multiply(const trmi_shifted *s, trmi_kept which, const double *x, double *y);

// The largest entry of (K + N)/alpha^2, f_x and f_z included, against that of M.
double trmi_shifted_stiffness(const trmi_shifted *s, double alpha);

void trmi_shifted_archive(trmi_shifted *s, trmi_archive *archive);
void trmi_shifted_destroy(trmi_shifted *s);

#endif
