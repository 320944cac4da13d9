// SPDX-License-Identifier: Apache-2.0
// Rod i has the direction u = (c, s), the normal n = (-s, c) and, at its two ends, the forces l_i
// and -l_{i+1}. With mass 1, half length h = 1/2 and inertia I = 1/12:
//
//     a_i = g + l_i - l_{i+1}              I alpha_i = -h u_i x (l_i + l_{i+1})
//
// The ends of rods i-1 and i that meet in joint i have equal accelerations, which gives
//
//     E_{i-1} l_{i-1} + D_i l_i + E_i l_{i+1} = -h w_i^2 u_i - h w_{i-1}^2 u_{i-1}
//     D_i = 2 + k n_i n_i^T + k n_{i-1} n_{i-1}^T,    E_i = -1 + k n_i n_i^T,    k = h^2 / I = 3.
//
// At joint 0 the ground replaces rod -1: D_0 = 1 + k n_0 n_0^T and -g on the right.
#define _GNU_SOURCE // sincos
#include "peer_chain.h"

#include <math.h>
#include <stdlib.h>

static const double half = 0.5, k = 3.0, gravity = -9.81;

typedef struct vector {
    double x, y;
} vector;

/// A symmetric 2 x 2 matrix.
typedef struct matrix {
    double xx, xy, yy;
} matrix;

struct peer_chain_joint {
    matrix inverse; ///< of the eliminated diagonal block
    matrix coupling;
    vector right;
    vector u;
};

int peer_chain_create(peer_chain *chain, int n)
{
    chain->n = n;
    chain->joint = calloc((size_t)n + 1, sizeof *chain->joint);
    return chain->joint != NULL ? 0 : -1;
}

void peer_chain_destroy(peer_chain *chain)
{
    free(chain->joint);
    chain->joint = NULL;
}

// Forces decay along the chain until they underflow, and subnormal numbers are slow: cut them off.
static inline vector flush(vector a)
{
    return (vector){fabs(a.x) < 1e-60 ? 0.0 : a.x, fabs(a.y) < 1e-60 ? 0.0 : a.y};
}

static inline matrix invert(matrix a)
{
    double d = 1.0 / (a.xx * a.yy - a.xy * a.xy);
    return (matrix){a.yy * d, -a.xy * d, a.xx * d};
}

static inline vector multiply(matrix a, vector b)
{
    return (vector){a.xx * b.x + a.xy * b.y, a.xy * b.x + a.yy * b.y};
}

// From the pinned end to the free end: D_i - E D^-1 E and the same for the right-hand side.
static void eliminate(const double *y, const peer_chain *chain)
{
    const double *omega = y + chain->n;
    matrix outer_before = {0.0, 0.0, 0.0}, coupling = {0.0, 0.0, 0.0}, inverse = {0.0, 0.0, 0.0};
    vector centrifugal_before = {0.0, gravity}, right_before = {0.0, 0.0};
    double mass = 1.0; // 1 at the ground, 2 between two rods
    for (int i = 0; i < chain->n; i++) {
        struct peer_chain_joint *joint = &chain->joint[i];
        double s, c;
        sincos(y[i], &s, &c);
        matrix outer = {k * s * s, -k * s * c, k * c * c};
        double w = half * omega[i] * omega[i];
        vector centrifugal = {w * c, w * s};
        // X = D^-1 E of the joint before, which need not be symmetric
        double x00 = inverse.xx * coupling.xx + inverse.xy * coupling.xy;
        double x01 = inverse.xx * coupling.xy + inverse.xy * coupling.yy;
        double x10 = inverse.xy * coupling.xx + inverse.yy * coupling.xy;
        double x11 = inverse.xy * coupling.xy + inverse.yy * coupling.yy;
        matrix diagonal = {
            mass + outer.xx + outer_before.xx - coupling.xx * x00 - coupling.xy * x10,
            outer.xy + outer_before.xy - coupling.xx * x01 - coupling.xy * x11,
            mass + outer.yy + outer_before.yy - coupling.xy * x01 - coupling.yy * x11};
        vector right = {
            -centrifugal.x - centrifugal_before.x - x00 * right_before.x - x10 * right_before.y,
            -centrifugal.y - centrifugal_before.y - x01 * right_before.x - x11 * right_before.y};
        inverse = invert(diagonal);
        coupling = (matrix){outer.xx - 1.0, outer.xy, outer.yy - 1.0};
        *joint = (struct peer_chain_joint){inverse, coupling, right, {c, s}};
        outer_before = outer;
        centrifugal_before = centrifugal;
        right_before = flush(right);
        mass = 2.0;
    }
}

void peer_chain_rates(const double *y, double *dy, void *user)
{
    const peer_chain *chain = user;
    int n = chain->n;
    eliminate(y, chain);
    vector next = {0.0, 0.0}; // l_{i+1}
    for (int i = n - 1; i >= 0; i--) {
        const struct peer_chain_joint *joint = &chain->joint[i];
        vector e = multiply(joint->coupling, next);
        vector right = {joint->right.x - e.x, joint->right.y - e.y};
        vector l = flush(multiply(joint->inverse, right));
        vector sum = {l.x + next.x, l.y + next.y};
        dy[i] = y[n + i];
        dy[n + i] = -k / half * (joint->u.x * sum.y - joint->u.y * sum.x);
        next = l;
    }
}

void peer_chain_expand(int n, const double *y, double *q, double *v)
{
    vector p = {0.0, 0.0}, dp = {0.0, 0.0}; // joint i
    for (int i = 0; i < n; i++) {
        double c = cos(y[i]), s = sin(y[i]), w = y[n + i];
        q[3 * i] = p.x + half * c;
        q[3 * i + 1] = p.y + half * s;
        q[3 * i + 2] = y[i];
        v[3 * i] = dp.x - half * w * s;
        v[3 * i + 1] = dp.y + half * w * c;
        v[3 * i + 2] = w;
        p = (vector){p.x + c, p.y + s};
        dp = (vector){dp.x - w * s, dp.y + w * c};
    }
}
