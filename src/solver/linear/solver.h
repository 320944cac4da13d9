// SPDX-License-Identifier: Apache-2.0
// Square linear systems of fixed structure: one interface, three implementations (dense LU through
// LAPACK, sparse LU through KLU, block LDL^T on the graph of bodies and joints).
//
// Life cycle: a type is created for a structure (list of positions); entries are added into
// `value[position(row, column)]`; factor; solve as often as wanted. No memory is taken after
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

// What a factorization found.
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
    // The same with entries that come in meanwhile, so that memory is swept once: `fill` enters
    // value[begin] .. value[end-1], part after part. Solving for x (may be NULL) is begun on the
    // way and ended by `finish`; x is lost where this fails. NULL: there is no such way.
    trmi_factor_status (*factor_filled)(trmi_solver *solver, trmi_fill *fill, void *user,
                                        double *x);
    void (*finish)(trmi_solver *solver, double *x);
    // Solves for `count` right-hand sides (1 or 2), each n long, one after the other in x.
    void (*solve)(trmi_solver *solver, double *x, int count);
    // The same for one of them when only the unknowns of joints are wanted; the others come out as
    // they like. NULL: nothing is gained.
    void (*solve_constraints)(trmi_solver *solver, double *x);
    // The same when all entries but those of joints are 0, and not given. NULL likewise.
    void (*solve_from_constraints)(trmi_solver *solver, double *x);
    // Index into solver->value of an entry of the structure, or -1.
    int (*position)(const trmi_solver *solver, int row, int col);
    // Forgets what earlier matrices left behind (pivots, a chosen split); NULL: nothing is.
    void (*forget)(trmi_solver *solver);
    // Visits what earlier matrices left behind, and the factors where they are kept; NULL: nothing.
    void (*archive)(trmi_solver *solver, trmi_archive *archive);
    // Another solver of the same structure and ordering, which must not live longer; NULL: none.
    trmi_solver *(*create_twin)(trmi_memory *memory, const trmi_solver *solver);
    // The same for complex entries (complex_solver.h); NULL: none.
    struct trmi_complex_solver *(*create_complex)(trmi_memory *memory, const trmi_solver *solver);
    void (*destroy)(trmi_solver *solver); // frees what is not in `memory`; may be NULL
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

// Each returns NULL when there is no memory (or, for block, when the structure does not fit: an
// entry between two joints, a node of 0 or more than 6 unknowns, too much fill). `memory` owns what
// lives; symbolic work space is taken from a memory of their own and released before they return.
trmi_solver *trmi_dense_create(trmi_memory *memory, const trmi_structure *structure);
trmi_solver *trmi_klu_create(trmi_memory *memory, const trmi_structure *structure);
trmi_solver *trmi_block_create(trmi_memory *memory, const trmi_structure *structure);

// True for solvers made by trmi_block_create.
bool trmi_is_block(const trmi_solver *solver);
// The node of such a solver in whose piece of `value` an entry stands; 0 for the others.
int trmi_block_piece(const trmi_solver *solver, int row, int col);

// value[...] = 0
void trmi_solver_clear(trmi_solver *solver);
void trmi_solver_forget(trmi_solver *solver); // NULL is allowed
void trmi_solver_archive(trmi_solver *solver, trmi_archive *archive);
void trmi_solver_destroy(trmi_solver *solver); // NULL is allowed

#endif
