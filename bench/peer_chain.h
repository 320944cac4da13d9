// SPDX-License-Identifier: Apache-2.0
// The pendulum chain in minimal coordinates, written by hand: n uniform rods (1 m, 1 kg), pinned at
// the origin. y = (angles, angular velocities). The joint forces follow from a block-tridiagonal
// system of 2 x 2 blocks, so that one evaluation is O(n).
#ifndef PEER_CHAIN_H
#define PEER_CHAIN_H

typedef struct peer_chain {
    int n;
    struct peer_chain_joint *joint; ///< n + 1, the last one is the free end
} peer_chain;

/// Returns 0 or -1 (memory).
int peer_chain_create(peer_chain *chain, int n);
void peer_chain_destroy(peer_chain *chain);

/// dy/dt.
void peer_chain_rates(const double *y, double *dy, void *chain);

/// Absolute coordinates (x, y, angle of each rod) and their velocities.
void peer_chain_expand(int n, const double *y, double *q, double *v);

#endif
