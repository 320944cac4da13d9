// SPDX-License-Identifier: Apache-2.0
// Solution with the block LDL^T, for one or two right-hand sides (`sides`), n apart in x:
//
//     forward, in elimination order:   x_q -= L_q x_k    for the rows q of node k
//     backward, in reverse order:      x_k := D_k^-1 x_k - sum_q L_q^T x_q
//
// Where only joints are wanted, and no node waits for a body, backward leaves the bodies out.
#include "linear/block_any.h"

// as much as a link has
KERNEL void fetch_link(const double *here, const int ahead)
{
    trmi_fetch(here, ahead, 29 * sizeof *here);
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

// body, then its joint p with the only row q
KERNEL void forward_link(const trmi_block *block, const trmi_block_node *body, double *x,
                         const int sides)
{
    const double *rows = block->base.value + body->value + 9;
    const rows3 lp = load_rows3(rows), lq = load_rows3(rows + 6);
    const rows2 l = load_rows2(rows + 16);
    const int *row_x = block->row_x + body->row, n = block->base.n;
    fetch_link(rows, AHEAD);
    for (int c = 0; c < sides; c++) {
        const rows3 y = spread3(x + body->x + c * n);
        double *xp = x + row_x[0] + c * n, *xq = x + row_x[1] + c * n;
        const pair q = load(xq) - apply3(lq, y);
        const pair p = load(xp) - apply3(lp, y);
        store(xp, p);
        store(xq, q - apply2(l, p));
    }
}

KERNEL void backward_link(const trmi_block *block, const trmi_block_node *body, double *x,
                          const int sides)
{
    const double *d = block->base.value + body->value, *rows = d + 9;
    const symmetric3 s = load_symmetric3(d);
    const rows3 lp = load_rows3(rows), lq = load_rows3(rows + 6);
    const rows2 dp = load_rows2(rows + 12), l = load_rows2(rows + 16);
    const int *row_x = block->row_x + body->row, n = block->base.n;
    fetch_link(d, -AHEAD);
    for (int c = 0; c < sides; c++) {
        double *xp = x + row_x[0] + c * n;
        const pair q = load(x + row_x[1] + c * n);
        const pair p = apply2(dp, load(xp)) - apply_transposed2(l, q);
        store(xp, p);
        const rows3 sum = {lq.x * q, lq.y * q, lq.z * q};
        finish3(x + body->x + c * n, s, add_transposed3(sum, lp, p));
    }
}

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
            forward_link(block, node, x, sides);
            node++;
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
            node--;
            backward_link(block, node, x, sides);
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
        if (node->x >= block->body_end) {
            if (node->shape == TRMI_BLOCK_ANY)
                backward_any(block, node, x);
            else
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
