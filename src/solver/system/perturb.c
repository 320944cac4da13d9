// SPDX-License-Identifier: Apache-2.0
#include "solver/system/perturb.h"

#include <math.h>

static const double PERTURBATION = 1e-3;

// a number between -1 and 1; the same in every run
static double random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*seed >> 11) / (double)(INT64_C(1) << 52) - 1;
}

// out = in, moved by up to a thousandth of the scale, or of the size where that is larger
static void perturb(double *out, const double *in, const double *scale, int n, uint64_t *seed)
{
    for (int i = 0; i < n; i++)
        out[i] =
            in[i] + PERTURBATION * random_number(seed) * fmax(scale ? scale[i] : 1, fabs(in[i]));
}

void trmi_perturb_point(const trmi_evaluator *e, const trmi_point *from, trmi_point *to,
                        uint64_t *seed)
{
    const trm_system *u = &e->user;
    to->t = from->t;
    perturb(to->q, from->q, u->q_scale, e->n_q, seed);
    perturb(to->v, from->v, u->v_scale, e->n_q, seed);
    perturb(to->a, from->a, NULL, e->n_q, seed);
    perturb(to->x, from->x, u->x_scale, e->n_x, seed);
    perturb(to->z, from->z, u->z_scale, e->n_z, seed);
    perturb(to->lambda, from->lambda, NULL, e->n_r, seed);
}
