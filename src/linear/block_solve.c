// SPDX-License-Identifier: Apache-2.0
// Solution with the block LDL^T, for one or two right-hand sides (`sides`), n apart in x:
//
//     forward, in elimination order:   x_q -= L_q x_k    for the rows q of node k
//     backward, in reverse order:      x_k := D_k^-1 x_k - sum_q L_q^T x_q
//
// Where only joints are wanted, and no node waits for a body, backward leaves the bodies out.
#include "linear/block_any.h"
#include "linear/block_link.h"

#include <stdint.h>

// Each sweep reads all factors, and those of a long chain do not stay in the caches: while a group
// is at work the same place of the next one is fetched, `count` numbers at each link.
enum { GROUP = LINK_PIECE * TRMI_BLOCK_LINKS, CACHE_LINE = 8 };

// that there are none at the ends does no harm
KERNEL void fetch(const double *here, const int ahead, const int count)
{
    const uintptr_t there = (uintptr_t)here + (uintptr_t)(ahead * (int)sizeof *here);
    UNROLLED
    for (int i = 0; i < count; i += CACHE_LINE)
        __builtin_prefetch((const void *)(there + (uintptr_t)i * sizeof *here));
}

// body in the plane
KERNEL void forward_body(const trmi_block *block, const trmi_block_node *node, double *x,
                         const int sides)
{
    const double *l = block->base.value + node->value + 9;
    const int *row_x = block->row_x + node->row, n = block->base.n;
    for (int c = 0; c < sides; c++) {
        const rows3 y = spread3(x + node->x + c * n);
        for (int q = 0; q < node->row_count; q++) {
            double *r = x + row_x[q] + c * n;
            store(r, load(r) - apply3(load_rows3(l + 6 * q), y));
        }
    }
}

// y := s y - sum
KERNEL void finish3(double *y, symmetric3 s, rows3 sum)
{
    const double x0 = y[0], x1 = y[1], x2 = y[2];
    y[0] = s.xx * x0 + s.yx * x1 + s.zx * x2 - (sum.x[0] + sum.x[1]);
    y[1] = s.yx * x0 + s.yy * x1 + s.zy * x2 - (sum.y[0] + sum.y[1]);
    y[2] = s.zx * x0 + s.zy * x1 + s.zz * x2 - (sum.z[0] + sum.z[1]);
}

KERNEL void backward_body(const trmi_block *block, const trmi_block_node *node, double *x,
                          const int sides)
{
    const double *d = block->base.value + node->value, *l = d + 9;
    const int *row_x = block->row_x + node->row, n = block->base.n;
    const symmetric3 s = load_symmetric3(d);
    for (int c = 0; c < sides; c++) {
        rows3 sum = {both(0), both(0), both(0)};
        for (int q = 0; q < node->row_count; q++)
            sum = add_transposed3(sum, load_rows3(l + 6 * q), load(x + row_x[q] + c * n));
        finish3(x + node->x + c * n, s, sum);
    }
}

// joint in the plane
KERNEL void forward_joint(const trmi_block *block, const trmi_block_node *node, double *x,
                          const int sides)
{
    const double *l = block->base.value + node->value + 4;
    const int *row_x = block->row_x + node->row, n = block->base.n;
    for (int c = 0; c < sides; c++) {
        const pair y = load(x + node->x + c * n);
        for (int q = 0; q < node->row_count; q++) {
            double *r = x + row_x[q] + c * n;
            store(r, load(r) - apply2(load_rows2(l + 4 * q), y));
        }
    }
}

KERNEL void backward_joint(const trmi_block *block, const trmi_block_node *node, double *x,
                           const int sides)
{
    const double *d = block->base.value + node->value, *l = d + 4;
    const int *row_x = block->row_x + node->row, n = block->base.n;
    const rows2 s = load_rows2(d);
    for (int c = 0; c < sides; c++) {
        double *y = x + node->x + c * n;
        pair sum = apply2(s, load(y));
        for (int q = 0; q < node->row_count; q++)
            sum -= apply_transposed2(load_rows2(l + 4 * q), load(x + row_x[q] + c * n));
        store(y, sum);
    }
}

// ---- groups of links ----

// Where the unknowns of a group are.
typedef struct link_places {
    int body, joint;           // of the first link: body and joint p
    int next_body, next_joint; // from link to link
} link_places;

KERNEL link_places places_of(const trmi_block *block, const trmi_block_node *first)
{
    const int *row_x = block->row_x + first->row;
    return (link_places){first->x, row_x[0], first->links > 1 ? first[2].x - first->x : 0,
                         row_x[1] - row_x[0]};
}

// body, then its joint p with the only row q, which is the p of the next link
KERNEL void forward_group(const trmi_block *block, const trmi_block_node *first, double *x,
                          const int sides)
{
    const int links = first->links, n = block->base.n;
    const link_group g = group_at(block->base.value + first->value, links);
    const link_places at = places_of(block, first);
    double *body = x + at.body, *joint = x + at.joint;
    pair p[2];
    for (int c = 0; c < sides; c++)
        p[c] = load(joint + c * n);
    for (int k = 0; k < links; k++, body += at.next_body, joint += at.next_joint) {
        const rows3 lp = load_rows3(g.rows + 12 * k), lq = load_rows3(g.rows + 12 * k + 6);
        const rows2 l = load_rows2(g.below + 4 * k);
        fetch(g.rows + 16 * k, GROUP, 16);
        for (int c = 0; c < sides; c++) {
            const rows3 y = spread3(body + c * n);
            const pair q = load(joint + at.next_joint + c * n) - apply3(lq, y);
            p[c] -= apply3(lp, y);
            store(joint + c * n, p[c]);
            p[c] = q - apply2(l, p[c]);
        }
    }
    for (int c = 0; c < sides; c++)
        store(joint + c * n, p[c]);
}

// bodies: false where only joints are wanted
KERNEL void backward_group(const trmi_block *block, const trmi_block_node *first, double *x,
                           const int sides, const bool bodies)
{
    const int links = first->links, n = block->base.n;
    const link_group g = group_at(block->base.value + first->value, links);
    const link_places at = places_of(block, first);
    double *body = x + at.body + links * at.next_body,
           *joint = x + at.joint + links * at.next_joint;
    pair q[2];
    for (int c = 0; c < sides; c++)
        q[c] = load(joint + c * n);
    for (int k = links; k-- > 0;) {
        const rows2 dp = load_joint(g, k), l = load_rows2(g.below + 4 * k);
        body -= at.next_body;
        joint -= at.next_joint;
        fetch(bodies ? g.rows + LINK_FACTORS * k : g.below + 7 * k, -GROUP, bodies ? 25 : 7);
        for (int c = 0; c < sides; c++) {
            const pair p = apply2(dp, load(joint + c * n)) - apply_transposed2(l, q[c]);
            store(joint + c * n, p);
            if (bodies) {
                const rows3 lp = load_rows3(g.rows + 12 * k), lq = load_rows3(g.rows + 12 * k + 6);
                const rows3 sum = {lq.x * q[c], lq.y * q[c], lq.z * q[c]};
                finish3(body + c * n, load_body(g, k), add_transposed3(sum, lp, p));
            }
            q[c] = p;
        }
    }
}

// ---- all nodes ----

static void forward_any(const trmi_block *block, const trmi_block_node *node, double *x)
{
    forward_node(block, block->base.value, node, x);
}

static void backward_any(const trmi_block *block, const trmi_block_node *node, double *x)
{
    backward_node(block, block->base.value, node, x);
}

KERNEL void forward(const trmi_block *block, const trmi_block_node *node,
                    const trmi_block_node *end, double *x, const int sides)
{
    for (; node < end; node++)
        switch (node->shape) {
        case TRMI_BLOCK_LINK:
            forward_group(block, node, x, sides);
            node += 2 * node->links - 1;
            break;
        case TRMI_BLOCK_BODY:
            forward_body(block, node, x, sides);
            break;
        case TRMI_BLOCK_JOINT:
            forward_joint(block, node, x, sides);
            break;
        default:
            for (int c = 0; c < sides; c++)
                forward_any(block, node, x + c * block->base.n);
        }
}

KERNEL void backward(const trmi_block *block, double *x, const int sides)
{
    for (const trmi_block_node *node = block->node + block->node_count; node-- > block->node;)
        switch (node->shape) {
        case TRMI_BLOCK_LINK_END:
            node -= 2 * node->links - 1;
            backward_group(block, node, x, sides, true);
            break;
        case TRMI_BLOCK_BODY:
            backward_body(block, node, x, sides);
            break;
        case TRMI_BLOCK_JOINT:
            backward_joint(block, node, x, sides);
            break;
        default:
            for (int c = 0; c < sides; c++)
                backward_any(block, node, x + c * block->base.n);
        }
}

void trmi_block_forward(const trmi_block *block, const trmi_block_node *node,
                        const trmi_block_node *end, double *x)
{
    forward(block, node, end, x, 1);
}

void trmi_block_finish(trmi_solver *solver, double *x)
{
    backward((const trmi_block *)solver, x, 1);
}

// the joints alone
static void backward_joints(const trmi_block *block, double *x)
{
    for (const trmi_block_node *node = block->node + block->node_count; node-- > block->node;)
        switch (node->x < block->body_end ? TRMI_BLOCK_BODY : node->shape) {
        case TRMI_BLOCK_LINK_END:
            node -= 2 * node->links - 1;
            backward_group(block, node, x, 1, false);
            break;
        case TRMI_BLOCK_ANY:
            backward_any(block, node, x);
            break;
        case TRMI_BLOCK_JOINT:
            backward_joint(block, node, x, 1);
        }
}

void trmi_block_solve_joints(trmi_solver *solver, double *x)
{
    const trmi_block *block = (const trmi_block *)solver;
    trmi_block_forward(block, block->node, block->node + block->node_count, x);
    if (block->waits_for_body)
        trmi_block_finish(solver, x);
    else
        backward_joints(block, x);
}

void trmi_block_solve(trmi_solver *solver, double *x, int count)
{
    const trmi_block *block = (const trmi_block *)solver;
    const trmi_block_node *end = block->node + block->node_count;
    if (count == 2) {
        forward(block, block->node, end, x, 2);
        backward(block, x, 2);
    } else {
        trmi_block_forward(block, block->node, end, x);
        trmi_block_finish(solver, x);
    }
}
