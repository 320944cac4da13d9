// SPDX-License-Identifier: Apache-2.0
// Blocks of the star in space: (G^T lambda)_q, in the notation of row_star.c, with f = sum lambda
// u, Hp = sum lambda c (w u^T - (u.w) 1), n summed likewise:
//
//     BB thth  E_B^T (Hp + b f^T - (f.b) 1) E_B + X_B(n + b x f)
//     fixed    AA thth  E_A^T (Hp + [n] - a f^T + (f.a) 1) E_A - X_A(n + a x f)
//              AB thth  -E_A^T Hp E_B, only with dots
//     turning  AA thth  E_A^T (Hp + a f^T - (f.a) 1 + [n + a x f]) E_A - X_A(n + a x f)
//              AA th,t  -E_A^T [f], and t,th its transpose
//              AB th,t  E_A^T [f];  th,th  -E_A^T (Hp + b f^T - (f.b) 1) E_B
//     BA = AB^T
//
// E is rho times a rotation, so that E^T [n] E = rho [E^T n], E E^T = rho^2 1, and the cross
// product of E^T y and E^T z is rho E^T (y x z). With y, z for E^T y, E^T z, S(y, z) = (y z^T + z
// y^T)/2 and m = sum w x t + b x f, t = sum lambda c u for every axis w of B, the blocks of a body
// with itself are symmetric:
//
//     BB thth  sum S(w, t) + S(b, f) - S(m, x) + (m.x/2 - sum w.t - b.f) 1
//     AA thth  sum S(w, t) +- S(a, f) + S(m, x) - (m.x/2 + sum w.t +- a.f) 1,  fixed: -
#include "modelling/multibody/star/row_star_geometry.h"
#include "modelling/multibody/star/star.h"

// What the multipliers of a joint do: f, and for each axis w of B the sum t of c lambda u.
typedef struct load {
    trmi_v3 f, t[3];
    unsigned axes; // bits of the axes w
} load;

static load load_of(const trmi_constraint *joint, const trmi_star_geometry *g, const double *lambda)
{
    load x = {.axes = joint->axes_B};
    int r = 0;
    if (g->fixed_axes) {
        x.f = trmi_three(lambda, 0);
        r = 3;
    }
    for (; r < joint->rows; r++) {
        const trmi_row_type *type = joint->type[r];
        if (type->shape == TRMI_ROW_SLIDE)
            x.f = trmi_v3_axpy(x.f, lambda[r], g->u[type->axis]);
        for (int i = 0; i < type->dots; i++) {
            trmi_v3 *t = &x.t[type->dot[i].w];
            *t = trmi_v3_axpy(*t, lambda[r] * type->dot[i].coefficient, g->u[type->dot[i].u]);
        }
    }
    return x;
}

// S(y, z), but twice the entries off the diagonal, and -y.z 1: added
static void add_pair(trmi_s3 *S, double *trace, trmi_v3 y, trmi_v3 z)
{
    double xx = y.x * z.x, yy = y.y * z.y, zz = y.z * z.z;
    S->xx += xx;
    S->yy += yy;
    S->zz += zz;
    S->yz += y.y * z.z + y.z * z.y;
    S->zx += y.z * z.x + y.x * z.z;
    S->xy += y.x * z.y + y.y * z.x;
    *trace -= xx + yy + zz;
}

// The block of a body with itself. arm_sign of S(arm, f); turn_sign: 1 for B, -1 for A.
static trmi_s3 own_block(const trmi_star_side *side, const trmi_star_geometry *g, const load *x,
                         double arm_sign, double turn_sign, trmi_v3 chart)
{
    trmi_s3 S = {0};
    double d = 0;
    trmi_v3 arm = trmi_star_along(side->E, side->arm), f = trmi_star_along(side->E, x->f),
            m = trmi_v3_cross(arm, f);
    add_pair(&S, &d, arm, trmi_v3_scale(arm_sign, f));
    for (int i = 0; i < 3; i++)
        if (x->axes >> i & 1) {
            trmi_v3 w = trmi_star_along(side->E, g->w[i]), t = trmi_star_along(side->E, x->t[i]);
            add_pair(&S, &d, w, t);
            m = trmi_v3_add(m, trmi_v3_cross(w, t));
        }
    double half = 0; // -m.x times its sign
    add_pair(&S, &half, m, trmi_v3_scale(-turn_sign, chart));
    d += 0.5 * half;
    return (trmi_s3){S.xx + d, S.yy + d, S.zz + d, 0.5 * S.yz, 0.5 * S.zx, 0.5 * S.xy};
}

static void add_row(double *out, trmi_v3 x)
{
    out[0] += x.x;
    out[1] += x.y;
    out[2] += x.z;
}

// three rows at the positions of `slot`
static const int *add_block(const int *slot, double *out, trmi_m3 block)
{
    for (int i = 0; i < 3; i++)
        add_row(out + slot[i], block.row[i]);
    return slot + 3;
}

// and those of the transpose
static const int *add_both(const int *slot, double *out, trmi_m3 block)
{
    slot = add_block(slot, out, block);
    return add_block(slot, out, trmi_m3_transpose(block));
}

// block += y z^T
static void add_outer(trmi_m3 *block, trmi_v3 y, trmi_v3 z)
{
    block->row[0] = trmi_v3_axpy(block->row[0], y.x, z);
    block->row[1] = trmi_v3_axpy(block->row[1], y.y, z);
    block->row[2] = trmi_v3_axpy(block->row[2], y.z, z);
}

// -E_A^T (sum w t^T + b f^T - (sum w.t + f.b) 1) E_B; fixed axes: without f
static trmi_m3 block_between(const trmi_star_geometry *g, const load *x)
{
    const trmi_m3 *A = g->A.E, *B = g->B.E;
    trmi_m3 block = {0};
    double trace = 0;
    if (!g->fixed_axes) {
        add_outer(&block, trmi_star_along(A, g->B.arm),
                  trmi_v3_scale(-1, trmi_star_along(B, x->f)));
        trace = trmi_v3_dot(x->f, g->B.arm);
    }
    for (int i = 0; i < 3; i++)
        if (x->axes >> i & 1) {
            add_outer(&block, trmi_star_along(A, g->w[i]),
                      trmi_v3_scale(-1, trmi_star_along(B, x->t[i])));
            trace += trmi_v3_dot(g->w[i], x->t[i]);
        }
    for (int i = 0; i < 3; i++)
        add_outer(&block, A->row[i], trmi_v3_scale(trace, B->row[i]));
    return block;
}

// E^T [f] = -([f] E)^T
static trmi_m3 turned_cross(const trmi_m3 *E, trmi_v3 f)
{
    return trmi_m3_transpose(trmi_star_levers(E, f));
}

// x of the chart of a body
static trmi_v3 chart_of(const trmi_kinematics *k, int body)
{
    return trmi_v3_scale(0.25, trmi_three(k->q, trmi_star_coordinate(k->tree, body) + 3));
}

// in the order of trmi_star_announce
void trmi_star_geometric(const trmi_constraints *c, const trmi_constraint *joint,
                         const trmi_star_geometry *g, const trmi_kinematics *k,
                         const double *lambda, double *out)
{
    const int *slot = c->K.slot + joint->first_K;
    load x = load_of(joint, g, lambda);
    bool fixed = g->fixed_axes;
    if (g->B.E)
        slot = add_block(slot, out,
                         trmi_s3_matrix(own_block(&g->B, g, &x, 1, 1, chart_of(k, joint->B))));
    if (!g->A.E)
        return;
    slot = add_block(
        slot, out,
        trmi_s3_matrix(own_block(&g->A, g, &x, fixed ? -1 : 1, -1, chart_of(k, joint->A))));
    if (!fixed) {
        trmi_m3 Ef = turned_cross(g->A.E, x.f);
        slot = add_both(slot, out, trmi_m3_scale(-1, Ef));
        if (g->B.E)
            slot = add_both(slot, out, Ef);
    }
    if (g->B.E && (!fixed || x.axes))
        add_both(slot, out, block_between(g, &x));
}
