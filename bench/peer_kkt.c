// SPDX-License-Identifier: Apache-2.0
#include "peer_kkt.h"

#include <stdlib.h>
#include <string.h>

int peer_kkt_create(peer_kkt *kkt, peer_system *peer)
{
    int n = peer->n, m = peer->m, size = n + m;
    *kkt = (peer_kkt){.peer = peer};
    kkt->block[0] = (peer_block){.pattern = peer->pattern[TRM_QUANTITY_MASS]};
    kkt->block[1] = (peer_block){.pattern = peer->pattern[TRM_QUANTITY_CONSTRAINT_Q], .row0 = n};
    kkt->block[2] = (peer_block){
        .pattern = peer->pattern[TRM_QUANTITY_CONSTRAINT_Q], .column0 = n, .transposed = 1};
    if (peer_sparse_create(&kkt->sparse, size, kkt->block, 3) != 0)
        return -1;
    kkt->start = malloc((size_t)(size + 1) * sizeof *kkt->start);
    kkt->row = malloc((size_t)kkt->sparse.count * sizeof *kkt->row);
    kkt->value = malloc((size_t)kkt->sparse.count * sizeof *kkt->value);
    kkt->x = malloc((size_t)size * sizeof *kkt->x);
    if (kkt->start == NULL || kkt->row == NULL || kkt->value == NULL || kkt->x == NULL)
        return -1;
    for (int j = 0; j <= size; j++)
        kkt->start[j] = (int)kkt->sparse.start[j];
    for (int k = 0; k < kkt->sparse.count; k++)
        kkt->row[k] = (int)kkt->sparse.row[k];
    klu_defaults(&kkt->common);
    kkt->common.scale = 0; // M and G are of the same size in the problems compared
    kkt->symbolic = klu_analyze(size, kkt->start, kkt->row, &kkt->common);
    return kkt->symbolic != NULL ? 0 : -1;
}

void peer_kkt_destroy(peer_kkt *kkt)
{
    klu_free_numeric(&kkt->numeric, &kkt->common);
    klu_free_symbolic(&kkt->symbolic, &kkt->common);
    peer_sparse_destroy(&kkt->sparse);
    free(kkt->start);
    free(kkt->row);
    free(kkt->value);
    free(kkt->x);
}

int peer_kkt_factor(peer_kkt *kkt)
{
    klu_common *common = &kkt->common;
    memset(kkt->value, 0, (size_t)kkt->sparse.count * sizeof *kkt->value);
    peer_block_add(&kkt->block[0], 1.0, kkt->peer->value[TRM_QUANTITY_MASS], kkt->value);
    peer_block_add(&kkt->block[1], 1.0, kkt->peer->value[TRM_QUANTITY_CONSTRAINT_Q], kkt->value);
    peer_block_add(&kkt->block[2], 1.0, kkt->peer->value[TRM_QUANTITY_CONSTRAINT_Q], kkt->value);
    kkt->factorizations++;
    if (kkt->numeric != NULL) {
        int ok =
            klu_refactor(kkt->start, kkt->row, kkt->value, kkt->symbolic, kkt->numeric, common);
        if (ok && klu_rcond(kkt->symbolic, kkt->numeric, common) && common->rcond > 1e-14)
            return 0;
        klu_free_numeric(&kkt->numeric, common);
    }
    kkt->numeric = klu_factor(kkt->start, kkt->row, kkt->value, kkt->symbolic, common);
    return kkt->numeric != NULL ? 0 : 1;
}

void peer_kkt_solve(peer_kkt *kkt)
{
    klu_solve(kkt->symbolic, kkt->numeric, kkt->sparse.n, 1, kkt->x, &kkt->common);
}

int peer_kkt_accelerations(peer_kkt *kkt, const trm_state *state, double *a, double *lambda)
{
    peer_system *peer = kkt->peer;
    int n = peer->n, m = peer->m;
    int rc = peer_system_evaluate(peer, state, PEER_KKT_MATRICES | PEER_KKT_VECTORS);
    if (rc != 0 || peer_kkt_factor(kkt) != 0)
        return 1;
    memcpy(kkt->x, peer->value[TRM_QUANTITY_FORCE], (size_t)n * sizeof *kkt->x);
    for (int i = 0; i < m; i++)
        kkt->x[n + i] = -peer->value[TRM_QUANTITY_GAMMA][i];
    peer_kkt_solve(kkt);
    memcpy(a, kkt->x, (size_t)n * sizeof *a);
    if (lambda != NULL)
        memcpy(lambda, kkt->x + n, (size_t)m * sizeof *lambda);
    return 0;
}
