// SPDX-License-Identifier: Apache-2.0
// What the hardware allows on the chain: the hand-written O(n) evaluation of peer_chain.c under the
// classical Runge-Kutta method of order 4. Not a general code, and without error control.
#include "peer_chain.h"
#include "peer_run.h"

#include <math.h>
#include <stdlib.h>

typedef struct stages {
    double *y, *arg, *k1, *k2, *k3, *k4;
} stages;

static void combine(int size, const double *y, double h, const double *slope, double *out)
{
    for (int i = 0; i < size; i++)
        out[i] = y[i] + h * slope[i];
}

static void step(peer_chain *chain, stages *s, double h)
{
    int size = 2 * chain->n;
    peer_chain_rates(s->y, s->k1, chain);
    combine(size, s->y, 0.5 * h, s->k1, s->arg);
    peer_chain_rates(s->arg, s->k2, chain);
    combine(size, s->y, 0.5 * h, s->k2, s->arg);
    peer_chain_rates(s->arg, s->k3, chain);
    combine(size, s->y, h, s->k3, s->arg);
    peer_chain_rates(s->arg, s->k4, chain);
    for (int i = 0; i < size; i++)
        s->y[i] += h / 6.0 * (s->k1[i] + 2.0 * s->k2[i] + 2.0 * s->k3[i] + s->k4[i]);
}

void peer_floor(const peer_task *task, peer_run *run)
{
    int n = task->system->n_q / 3, size = 2 * n;
    size_t before = peer_heap_bytes();
    peer_chain chain;
    double *memory = calloc(6 * (size_t)size, sizeof *memory);
    if (peer_chain_create(&chain, n) != 0 || memory == NULL) {
        peer_run_fail(run, "no memory");
    } else {
        stages s = {memory,
                    memory + size,
                    memory + 2 * size,
                    memory + 3 * size,
                    memory + 4 * size,
                    memory + 5 * size};
        double span = task->t_end - task->initial->t;
        run->steps = lround(span / task->rtol);
        run->residuals = 4 * run->steps;
        for (long i = 0; i < run->steps; i++)
            step(&chain, &s, span / (double)run->steps);
        peer_chain_expand(n, s.y, run->q, run->v);
        run->t_reached = task->t_end;
        run->heap = peer_heap_bytes() - before;
    }
    peer_chain_destroy(&chain);
    free(memory);
}
