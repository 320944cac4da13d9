// SPDX-License-Identifier: Apache-2.0
// The matrix of the index-1 form,
//
//     [ M  G^T ] [ a      ]   [ f      ]
//     [ G  0   ] [ lambda ] = [ -gamma ],
//
// factorized with KLU: one symbolic analysis, then refactorizations while they are accurate.
#ifndef PEER_KKT_H
#define PEER_KKT_H

#include "peer_system.h"

#include <suitesparse/klu.h>

typedef struct peer_kkt {
    peer_system *peer;
    peer_block block[3]; ///< M, G, G^T
    peer_sparse sparse;
    int *start, *row;
    double *value;
    double *x; ///< n + m: right-hand side and solution
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    long factorizations;
} peer_kkt;

/// The quantities a peer_kkt needs.
#define PEER_KKT_MATRICES (TRM_BIT(MASS) | TRM_BIT(CONSTRAINT_Q))
#define PEER_KKT_VECTORS (TRM_BIT(FORCE) | TRM_BIT(GAMMA))

/// peer stays borrowed. Returns 0 or -1.
int peer_kkt_create(peer_kkt *kkt, peer_system *peer);
void peer_kkt_destroy(peer_kkt *kkt);

/// Factorizes with the matrices that peer holds. Returns 0, or 1 when the matrix is singular.
int peer_kkt_factor(peer_kkt *kkt);

/// Solves in place: kkt->x.
void peer_kkt_solve(peer_kkt *kkt);

/// Accelerations and multipliers at a state; the matrix stays factorized. lambda may be NULL.
int peer_kkt_accelerations(peer_kkt *kkt, const trm_state *state, double *a, double *lambda);

#endif
