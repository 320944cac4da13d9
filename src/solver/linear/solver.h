// SPDX-License-Identifier: Apache-2.0
// Square linear systems of fixed structure: one interface, three implementations (dense LU through
// LAPACK, sparse LU through KLU, block LDL^T on the graph of bodies and joints).
//
// Life cycle: a solver is created for a structure (a list of positions); entries are added to
// `value[position(row, column)]`; factor; solve any number of times. No memory is allocated after
// creation, except by KLU when a refactorization must choose new pivots.
#ifndef TRMI_SOLVER_LINEAR_SOLVER_H
#define TRMI_SOLVER_LINEAR_SOLVER_H

#include "base/archive.h"
#include "base/memory.h"

// The structure of a square matrix, for creation.
typedef struct trmi_structure {
    int n;                // order
    int count;            // number of positions; duplicates are allowed
    const int *row, *col; // positions that may be non-zero
    // Partition into nodes, needed by the block solver only (otherwise node_count = 0). Unknowns
    // node_first[k] .. node_first[k+1]-1 form node k. The first body_count nodes have positive
    // definite diagonal blocks once everything between bodies is eliminated; the others (joints)
    // have zero diagonal blocks and are eliminated after all bodies they touch.
    int node_count, body_count;
    const int *node_first;
    int constraints; // the last so many unknowns have no diagonal entries to take as pivots
} trmi_structure;

// The pivot that is closest to zero.
typedef struct trmi_pivot {
    double smallest; // smallest pivot relative to the size of its row
    int row;         // its row (original numbering)
} trmi_pivot;

typedef enum trmi_factor_status {
    TRMI_FACTOR_OK = 0,
    TRMI_FACTOR_SINGULAR = 1,   // a pivot is zero or not finite
    TRMI_FACTOR_WRONG_SIGN = 2, // block LDL^T only: a pivot block has the wrong signature
    TRMI_FACTOR_MEMORY = 3
} trmi_factor_status;

typedef struct trmi_solver trmi_solver;

// Sets value[begin] .. value[end-1] of a solver to the entries of its matrix.
typedef void trmi_fill(void *user, int begin, int end);

typedef struct trmi_solver_type {
    const char *name;
    bool symmetric; // stores one triangle: position(i, j) == position(j, i)
    trmi_factor_status (*factor)(trmi_solver *solver);
    // Factors the matrix while it is filled, so that memory is swept once: `fill` sets value[begin]
    // .. value[end-1], part after part. The forward substitution of x (may be NULL) is done at the
    // same time; x is undefined after a failure. NULL: not available.
    trmi_factor_status (*factor_filled)(trmi_solver *solver, trmi_fill *fill, void *user,
                                        double *x);
    // The backward substitution that completes the solution of factor_filled.
    void (*finish)(trmi_solver *solver, double *x);
    // Solves for `count` right-hand sides (1 or 2), each n long, one after the other in x.
    void (*solve)(trmi_solver *solver, double *x, int count);
    // Solves for one right-hand side where only the unknowns of joints are needed; the others are
    // undefined. NULL: not faster than solve.
    void (*solve_constraints)(trmi_solver *solver, double *x);
    // Solves for one right-hand side whose entries are 0 except those of joints; the others are not
    // read. NULL: not faster than solve.
    void (*solve_from_constraints)(trmi_solver *solver, double *x);
    // Index into solver->value of an entry of the structure, or -1.
    int (*position)(const trmi_solver *solver, int row, int col);
    // Discards what was kept of earlier matrices (pivots, a chosen split); NULL: nothing is kept.
    void (*forget)(trmi_solver *solver);
    // Saves or restores what was kept of earlier matrices, and the factors if they are kept; NULL:
    // nothing is kept.
    void (*archive)(trmi_solver *solver, trmi_archive *archive);
    // Creates a second solver that shares structure and ordering with this one and must not outlive
    // it; NULL: not available.
    trmi_solver *(*create_twin)(trmi_memory *memory, const trmi_solver *solver);
    // Creates a solver for complex entries of the same structure (complex_solver.h); NULL: not
    // available.
    struct trmi_complex_solver *(*create_complex)(trmi_memory *memory, const trmi_solver *solver);
    // Frees what is not owned by `memory`; NULL: everything is.
    void (*destroy)(trmi_solver *solver);
} trmi_solver_type;

// Common head of every implementation.
struct trmi_solver {
    const trmi_solver_type *type;
    int n;
    int value_count;
    double *value;     // entries of the matrix; destroyed by factor in dense and block
    trmi_pivot pivot;  // of the last factorization
    long full_factors; // KLU: factorizations with new pivots
};

// Dense LU. `memory` owns the solver. NULL: no memory.
trmi_solver *trmi_dense_create(trmi_memory *memory, const trmi_structure *structure);

// Sparse LU. `memory` owns the solver, except for the factors. NULL: no memory.
trmi_solver *trmi_klu_create(trmi_memory *memory, const trmi_structure *structure);

// Block LDL^T. `memory` owns the solver. NULL: no memory, or the structure does not fit (an entry
// between two joints, a node of 0 or more than 6 unknowns, too much fill).
trmi_solver *trmi_block_create(trmi_memory *memory, const trmi_structure *structure);

// True for solvers made by trmi_block_create.
bool trmi_is_block(const trmi_solver *solver);

// The node of a block solver in whose part of `value` an entry is stored; 0 for other solvers.
int trmi_block_piece(const trmi_solver *solver, int row, int col);

// The smallest |u_ii| relative to the largest one of the diagonal u[0], u[step], .. of n entries,
// and its index as row; 0 where an entry is zero or not finite, 1 for n = 0.
trmi_pivot trmi_smallest_pivot(const double *u, size_t step, int n);

// Sets all entries of the matrix to zero.
void trmi_solver_clear(trmi_solver *solver);

// Discards what was kept of earlier matrices. NULL is allowed.
void trmi_solver_forget(trmi_solver *solver);

// Saves or restores the solver.
void trmi_solver_archive(trmi_solver *solver, trmi_archive *archive);

// Frees what is not owned by its memory. NULL is allowed.
void trmi_solver_destroy(trmi_solver *solver);

#endif
