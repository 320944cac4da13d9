// SPDX-License-Identifier: Apache-2.0
// Complex linear systems with the structure of a real solver: the shifted matrices of implicit
// Runge-Kutta methods. Entry k of `value` has the position of entry k of the real solver. Dense LU
// through LAPACK, sparse LU through KLU with the ordering of the real solver, block LDL^T of
// symmetric matrices with its plan.
#ifndef TRMI_SOLVER_LINEAR_COMPLEX_SOLVER_H
#define TRMI_SOLVER_LINEAR_COMPLEX_SOLVER_H

#include "solver/linear/solver.h"

#include <complex.h>

typedef struct trmi_complex_solver trmi_complex_solver;

typedef struct trmi_complex_type {
    trmi_factor_status (*factor)(trmi_complex_solver *solver);
    void (*solve)(trmi_complex_solver *solver, double complex *x);
    void (*archive)(trmi_complex_solver *solver, trmi_archive *archive);
    void (*destroy)(trmi_complex_solver *solver); // may be NULL
} trmi_complex_type;

struct trmi_complex_solver {
    const trmi_complex_type *type;
    int n, value_count;
    double complex *value; // destroyed by factor in dense and block
    double complex turn;   // block: where its pivots must lie (block_any.h), 1 after creation
};

// The complex twin of a dense, KLU or block solver, which must live as long; NULL when there is no
// memory or the real solver is of another kind.
trmi_complex_solver *trmi_complex_create(trmi_memory *memory, const trmi_solver *real);

// Saves or restores the factors.
void trmi_complex_archive(trmi_complex_solver *solver, trmi_archive *archive);

// Frees what is not owned by its memory. NULL is allowed.
void trmi_complex_destroy(trmi_complex_solver *solver);

// The complex solver that belongs to a dense, KLU or block solver: create_complex of their types.
trmi_complex_solver *trmi_dense_complex_create(trmi_memory *memory, const trmi_solver *real);
trmi_complex_solver *trmi_klu_complex_create(trmi_memory *memory, const trmi_solver *real);
trmi_complex_solver *trmi_block_complex_create(trmi_memory *memory, const trmi_solver *real);

#endif
