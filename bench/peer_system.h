// SPDX-License-Identifier: Apache-2.0
// A trm_system as the peers see it: explicit patterns, one array of values per quantity, and
// sparse matrices put together from blocks. The peers call the same kernels as the library.
#ifndef PEER_SYSTEM_H
#define PEER_SYSTEM_H

#include <trammel/trammel.h>

#include <stdint.h>

typedef struct peer_system {
    const trm_system *system;
    int n, m;                                ///< coordinates, constraints
    trm_pattern pattern[TRM_QUANTITY_COUNT]; ///< explicit entries; count 0 where there are none
    double *value[TRM_QUANTITY_COUNT];       ///< written by peer_system_evaluate
    void *block[2 * TRM_QUANTITY_COUNT];     ///< owned memory
    int blocks;
} peer_system;

/// Prepares every quantity whose bit is set in `needed`. Constant ones are evaluated here, once, at
/// the initial state. Returns 0, or -1 when the system has more than q, v and g, or when a needed
/// quantity is not supplied.
int peer_system_open(peer_system *peer, const trm_system *system, uint64_t needed,
                     const trm_state *initial);
void peer_system_close(peer_system *peer);

/// Fills peer->value of the quantities in `wanted`; constant ones are skipped.
/// Returns what the callback returned.
int peer_system_evaluate(peer_system *peer, const trm_state *state, uint64_t wanted);

/// y += s A x for a quantity A.
void peer_add_product(const peer_system *peer, trm_quantity quantity, double s, const double *x,
                      double *y);
/// y += s A^T x for a quantity A.
void peer_add_transposed(const peer_system *peer, trm_quantity quantity, double s, const double *x,
                         double *y);

/// A block of a sparse matrix: entries (row0 + row[k], column0 + column[k]), or transposed.
typedef struct peer_block {
    trm_pattern pattern;
    int row0, column0;
    int transposed;
    int *slot; ///< place of entry k in peer_sparse.value, set by peer_sparse_create
} peer_block;

/// A square sparse matrix by columns.
typedef struct peer_sparse {
    int n, count;
    int64_t *start; ///< n + 1
    int64_t *row;   ///< count, ascending within a column
    int *slots;     ///< memory of all peer_block.slot
} peer_sparse;

/// Merges the blocks; entries that meet share a slot. Returns 0 or -1 (memory).
int peer_sparse_create(peer_sparse *sparse, int n, peer_block *block, int blocks);
void peer_sparse_destroy(peer_sparse *sparse);

/// data[slot] += s * value[k] for the entries of a block.
void peer_block_add(const peer_block *block, double s, const double *value, double *data);

/// 0, 1, ..., n-1: with it as row and column, a pattern is a diagonal. To be freed.
int *peer_range(int n);

/// Largest absolute value; NaN if there is one.
double peer_max(const double *x, int n);

#endif
