// SPDX-License-Identifier: Apache-2.0
// Numeric part of the block LDL^T: the factorization along the schedule of block_plan.c.
//
// No pivoting: a body must have a positive definite pivot block, a joint a negative definite one.
// Each scalar pivot is compared with the size its diagonal entry had before nodes of the same kind
// were eliminated: bodies take away from bodies, joints from joints, so near rank loss of G shows
// as a small quotient.
#include "solver/linear/block_any.h"
#include "solver/linear/block_link.h"

// Bytes ahead at which memory of factors is fetched while others are computed: two parts, for the
// next one has been filled when a part is eliminated.
enum { FILLED_AHEAD = 32768 };

static block_numbers numbers_of(trmi_block *block)
{
    return (block_numbers){.plan = block,
                           .value = block->base.value,
                           .work = block->work,
                           .reduced = block->reduced,
                           .pivot = &block->base.pivot,
                           .turn = 1};
}

// examines the pivots of a small block when they are wrong or much smaller than any before
static __attribute__((noinline)) trmi_factor_status inspect(trmi_block *block,
                                                            const trmi_block_node *node)
{
    const block_numbers f = numbers_of(block);
    double l[9], inverse[3];
    return node->size == 3 ? find_pivots(&f, node, l, inverse, 3)
                           : find_pivots(&f, node, l, inverse, 2);
}

// In the plane the quotients are only watched down to a factor 2 below the smallest so far, so that
// nothing must be divided for them.

// D^-1 of a body by elimination: minors would lose twice as many digits under a stiff force
KERNEL trmi_factor_status invert_body(trmi_block *block, const trmi_block_node *node)
{
    double *d = block->base.value + node->value;
    const double *reduced = block->reduced + node->x;
    const double half = 0.5 * block->base.pivot.smallest;
    const symmetric3 a = load_symmetric3(d);
    // L D L^T
    const double x = 1 / a.xx, yx = a.yx * x, zx = a.zx * x;
    const double yy = a.yy - yx * a.yx, zy = a.zy - yx * a.zx, y = 1 / yy;
    const double l = zy * y, zz = a.zz - zx * a.zx - l * zy, z = 1 / zz;
    const bool good = a.xx > half * (a.xx + reduced[0]) && yy > half * (a.yy + reduced[1]) &&
                      zz > half * (a.zz + reduced[2]) && a.xx <= DBL_MAX && yy <= DBL_MAX &&
                      zz <= DBL_MAX;
    if (!good) {
        trmi_factor_status status = inspect(block, node);
        if (status != TRMI_FACTOR_OK)
            return status;
    }
    // L^-T D^-1 L^-1, last row first
    const double m = l * yx - zx;
    symmetric3 inverse = {.zz = z, .zy = -l * z, .zx = m * z};
    inverse.yy = y - l * inverse.zy;
    inverse.yx = -yx * y - l * inverse.zx;
    inverse.xx = x + yx * yx * y + m * inverse.zx;
    store_symmetric3(d, inverse);
    return TRMI_FACTOR_OK;
}

// a joint with the diagonal block a (its lower triangle) and its determinant
KERNEL trmi_factor_status check_joint(trmi_block *block, const trmi_block_node *node, rows2 a,
                                      double det)
{
    const double *reduced = block->reduced + node->x;
    const double half = 0.5 * block->base.pivot.smallest, xx = a.x[0], yy = a.y[1];
    const bool good =
        xx < half * (xx - reduced[0]) && det > half * (xx * (yy - reduced[1])) && det <= DBL_MAX;
    if (good)
        return TRMI_FACTOR_OK;
    store_rows2(block->base.value + node->value, a);
    trmi_factor_status status = inspect(block, node);
    return status == TRMI_FACTOR_OK && !(det > 0) ? TRMI_FACTOR_SINGULAR : status;
}

// t -= p; in a diagonal block the upper triangle, which is not used, changes as well
KERNEL void subtract_from(double *t, rows2 p)
{
    store_rows2(t, minus2(load_rows2(t), p));
}

// a joint has lost `own` from its diagonal block to a joint, which is negative definite
KERNEL void note_reduction(trmi_block *block, int x, rows2 own)
{
    store(block->reduced + x, load(block->reduced + x) - (pair){own.x[0], own.y[1]});
}

// a body in the plane
KERNEL trmi_factor_status eliminate_body(trmi_block *block, const trmi_block_node *node)
{
    double *value = block->base.value, *rows = value + node->value + 9;
    const int *target = block->target + node->target, count = node->row_count;
    rows3 a[TRMI_BLOCK_ROWS];
    trmi_factor_status status = invert_body(block, node);
    if (status != TRMI_FACTOR_OK)
        return status;
    const symmetric3 d = load_symmetric3(value + node->value);
    for (int q = 0; q < count; q++) {
        a[q] = load_rows3(rows + 6 * q);
        const rows3 l = times3(a[q], d);
        store_rows3(rows + 6 * q, l);
        // targets are listed for each p, then q >= p
        for (int p = 0, t = q; p <= q; p++, t += count - p)
            subtract_from(value + target[t], product3(l, a[p]));
    }
    return TRMI_FACTOR_OK;
}

// a joint in the plane
KERNEL trmi_factor_status eliminate_joint(trmi_block *block, const trmi_block_node *node)
{
    double *value = block->base.value, *joint = value + node->value, *rows = joint + 4;
    const int *target = block->target + node->target, count = node->row_count;
    rows2 a[TRMI_BLOCK_ROWS], d = load_rows2(joint);
    const double det = d.x[0] * d.y[1] - d.x[1] * d.x[1], r = 1 / det;
    trmi_factor_status status = check_joint(block, node, d, det);
    if (status != TRMI_FACTOR_OK)
        return status;
    const symmetric2 inverse = {d.y[1] * r, -d.x[1] * r, d.x[0] * r};
    store_rows2(joint, (rows2){{inverse.xx, inverse.yx}, {inverse.yx, inverse.yy}});
    for (int q = 0; q < count; q++) {
        a[q] = load_rows2(rows + 4 * q);
        const rows2 l = times2(a[q], inverse);
        store_rows2(rows + 4 * q, l);
        int t = q;
        for (int p = 0; p < q; p++, t += count - p)
            subtract_from(value + target[t], product2(l, a[p]));
        const rows2 own = product2(l, a[q]);
        subtract_from(value + target[t], own);
        note_reduction(block, block->row_x[node->row + q], own);
    }
    return TRMI_FACTOR_OK;
}

// A body, inverted already, and its first joint p, which is coupled with the second joint q only:
//     A_pp, A_qp, A_qq -= [L_p; L_q] [A_p; A_q]^T,   then   A_qq -= A_qp A_pp^-1 A_qp^T
// The last product is formed with the adjugate of A_pp while the determinant is being divided: the
// chain of dependent operations from joint to joint sets the pace.
KERNEL trmi_factor_status eliminate_link(trmi_block *block, const trmi_block_node *body,
                                         link_group group, const int k)
{
    double *value = block->base.value, *rows = value + body->value + 9, *joint = rows + 12;
    double *last = value + block->target[body->target + 2];
    const symmetric3 d = load_symmetric3(value + body->value);
    const rows3 p = load_rows3(rows), q = load_rows3(rows + 6);
    const rows3 lp = times3(p, d), lq = times3(q, d);
    const rows2 pp = minus2(load_rows2(joint), product3(lp, p));
    const rows2 qp = minus2(load_rows2(joint + 4), product3(lq, p));
    const rows2 qq = minus2(load_rows2(last), product3(lq, q));

    const double det = pp.x[0] * pp.y[1] - pp.x[1] * pp.x[1];
    trmi_factor_status status = check_joint(block, body + 1, pp, det);
    if (status != TRMI_FACTOR_OK)
        return status;
    const double r = 1 / det;
    const symmetric2 adjugate = {pp.y[1], -pp.x[1], pp.x[0]};
    const rows2 l = times2(qp, adjugate), own = scale2(product2(l, qp), both(r));
    store_rows2(last, minus2(qq, own));
    note_reduction(block, block->row_x[body->row + 1], own);
    const symmetric2 inverse = {adjugate.xx * r, adjugate.yx * r, adjugate.yy * r};
    store_link(group, k, lp, lq, scale2(l, both(r)), inverse, d);
    return TRMI_FACTOR_OK;
}

// A group of links whose first body is inverted already. A link changes no body, so the next body,
// also that of the next group, is inverted before the present link is eliminated: its divisions run
// beside. *more: there is one.
static trmi_factor_status eliminate_group(trmi_block *block, const trmi_block_node *body,
                                          const trmi_block_node *end, bool *more)
{
    double factors[LINK_FACTORS * TRMI_BLOCK_LINKS];
    const int links = body->links;
    const link_group group = group_at(factors, links);
    trmi_factor_status status = TRMI_FACTOR_OK;
    for (int k = 0; k < links && status == TRMI_FACTOR_OK; k++) {
        const trmi_block_node *link = body + 2 * k;
        *more = link + 2 < end && link[2].shape == TRMI_BLOCK_LINK;
        if (*more)
            status = invert_body(block, link + 2);
        if (status == TRMI_FACTOR_OK)
            status = eliminate_link(block, link, group, k);
    }
    memcpy(block->base.value + body->value, factors,
           (size_t)(LINK_FACTORS * links) * sizeof *factors);
    return status;
}

// all groups from `body` on, up to the last node of the last one
static const trmi_block_node *eliminate_run(trmi_block *block, const trmi_block_node *body,
                                            const trmi_block_node *end, trmi_factor_status *status)
{
    bool more = true;
    *status = invert_body(block, body);
    for (; more && *status == TRMI_FACTOR_OK; body += 2 * body->links)
        *status = eliminate_group(block, body, end, &more);
    return body - 1;
}

static __attribute__((noinline)) trmi_factor_status eliminate_any(trmi_block *block,
                                                                  const trmi_block_node *node)
{
    const block_numbers f = numbers_of(block);
    fetch_node(block, block->base.value, node, FILLED_AHEAD);
    return eliminate_node(&f, node);
}

// the nodes from `node` on up to `end`
static trmi_factor_status eliminate_nodes(trmi_block *block, const trmi_block_node *node,
                                          const trmi_block_node *end)
{
    trmi_factor_status status = TRMI_FACTOR_OK;
    for (; node < end && status == TRMI_FACTOR_OK; node++)
        switch (node->shape) {
        case TRMI_BLOCK_LINK:
            node = eliminate_run(block, node, end, &status);
            break;
        case TRMI_BLOCK_BODY:
            status = eliminate_body(block, node);
            break;
        case TRMI_BLOCK_JOINT:
            status = eliminate_joint(block, node);
            break;
        default:
            status = eliminate_any(block, node);
        }
    return status;
}

static void begin_factor(trmi_block *block)
{
    memset(block->reduced, 0, (size_t)block->base.n * sizeof *block->reduced);
    block->base.pivot = (trmi_pivot){1, 0};
}

trmi_factor_status trmi_block_factor(trmi_solver *solver)
{
    trmi_block *block = (trmi_block *)solver;
    begin_factor(block);
    return eliminate_nodes(block, block->node, block->node + block->node_count);
}

// where the piece of a node begins
static int value_of(const trmi_block *block, int node)
{
    return node < block->node_count ? block->node[node].value : block->base.value_count;
}

trmi_factor_status trmi_block_factor_filled(trmi_solver *solver, trmi_fill *fill, void *user,
                                            double *x)
{
    trmi_block *block = (trmi_block *)solver;
    const trmi_block_part *filled = block->part, *end = block->part + block->part_count;
    trmi_factor_status status = TRMI_FACTOR_OK;
    begin_factor(block);
    for (const trmi_block_part *p = block->part; p < end && status == TRMI_FACTOR_OK; p++) {
        for (; filled < end && filled->node < p->needs; filled++)
            fill(user, value_of(block, filled[0].node), value_of(block, filled[1].node));
        status = eliminate_nodes(block, block->node + p[0].node, block->node + p[1].node);
        if (x && status == TRMI_FACTOR_OK)
            trmi_block_forward(block, block->node + p[0].node, block->node + p[1].node, x);
    }
    return status;
}
