// SPDX-License-Identifier: Apache-2.0
// Solution with the block LDL^T, for one or two right-hand sides (`sides`), n apart in x:
//
//     forward, in elimination order:   x_q -= L_q x_k    for the rows q of node k
//     backward, in reverse order:      x_k := D_k^-1 x_k - sum_q L_q^T x_q
//
// Where no node waits for a body, forward leaves the bodies out if only joints are given, backward
// if only joints are wanted.
#include "solver/linear/block_any.h"
#include "solver/linear/block_link.h"

// Each sweep reads all factors, and those of a long chain do not stay in the caches: while a group
// is at work the same place of the next one is fetched, some numbers at each link. That there are
// none at the ends does no harm.
enum { LINE = TRMI_CACHE_LINE / sizeof(double) };

KERNEL void fetch(const double *here, const int ahead, const int count)
{
    UNROLLED
    for (int i = 0; i < count; i += LINE)
        trmi_fetch_line(here, (ahead + i) * (int)sizeof *here);
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

// What backward does with bodies.
typedef enum bodies { GIVEN, NOT_GIVEN, NOT_WANTED } bodies;

// y := s y - sum, or -sum
KERNEL void finish3(double *y, const double *d, const bool packed, rows3 sum, const bool given)
{
    double x0 = 0, x1 = 0, x2 = 0;
    if (given) {
        const symmetric3 s = packed ? load_packed3(d) : load_symmetric3(d);
        x0 = s.xx * y[0] + s.yx * y[1] + s.zx * y[2];
        x1 = s.yx * y[0] + s.yy * y[1] + s.zy * y[2];
        x2 = s.zx * y[0] + s.zy * y[1] + s.zz * y[2];
    }
    y[0] = x0 - (sum.x[0] + sum.x[1]);
    y[1] = x1 - (sum.y[0] + sum.y[1]);
    y[2] = x2 - (sum.z[0] + sum.z[1]);
}

KERNEL void backward_body(const trmi_block *block, const trmi_block_node *node, double *x,
                          const int sides, const bool given)
{
    const double *d = block->base.value + node->value, *l = d + 9;
    const int *row_x = block->row_x + node->row, n = block->base.n;
    for (int c = 0; c < sides; c++) {
        rows3 sum = {both(0), both(0), both(0)};
        for (int q = 0; q < node->row_count; q++)
            sum = add_transposed3(sum, load_rows3(l + 6 * q), load(x + row_x[q] + c * n));
        finish3(x + node->x + c * n, d, false, sum, given);
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

// Body, then its joint p with the only row q, which is the p of the next link. bodies: false where
// they are not given, which means 0.
KERNEL void forward_group(const trmi_block *block, const trmi_block_node *first, double *x,
                          const int sides, const bool bodies)
{
    const int links = first->links, n = block->base.n;
    const link_group g = group_at(block->base.value + first->value, links);
    const link_places at = places_of(block, first);
    double *body = x + at.body, *joint = x + at.joint;
    pair p[2];
    for (int c = 0; c < sides; c++)
        p[c] = load(joint + c * n);
    for (int k = 0; k < links; k++, body += at.next_body, joint += at.next_joint) {
        const rows2 l = load_rows2(g.below + 4 * k);
        fetch(bodies ? g.rows + 16 * k : g.below + 4 * k, GROUP, bodies ? 16 : 4);
        for (int c = 0; c < sides; c++) {
            pair q = load(joint + at.next_joint + c * n);
            if (bodies) {
                const rows3 y = spread3(body + c * n);
                q -= apply3(load_rows3(g.rows + 12 * k + 6), y);
                p[c] -= apply3(load_rows3(g.rows + 12 * k), y);
            }
            store(joint + c * n, p[c]);
            p[c] = q - apply2(l, p[c]);
        }
    }
    for (int c = 0; c < sides; c++)
        store(joint + c * n, p[c]);
}

KERNEL void backward_group(const trmi_block *block, const trmi_block_node *first, double *x,
                           const int sides, const bodies mode)
{
    const int links = first->links, n = block->base.n;
    const link_group g = group_at(block->base.value + first->value, links);
    const link_places at = places_of(block, first);
    const int each = mode == GIVEN ? LINK_FACTORS : mode == NOT_GIVEN ? 19 : 7;
    double *body = x + at.body + links * at.next_body;
    double *joint = x + at.joint + links * at.next_joint;
    pair q[2];
    for (int c = 0; c < sides; c++)
        q[c] = load(joint + c * n);
    for (int k = links; k-- > 0;) {
        const rows2 dp = load_joint(g, k), l = load_rows2(g.below + 4 * k);
        body -= at.next_body;
        joint -= at.next_joint;
        fetch((mode == NOT_WANTED ? g.below : g.rows) + each * k, -GROUP, each);
        for (int c = 0; c < sides; c++) {
            const pair p = apply2(dp, load(joint + c * n)) - apply_transposed2(l, q[c]);
            store(joint + c * n, p);
            if (mode != NOT_WANTED) {
                const rows3 lp = load_rows3(g.rows + 12 * k), lq = load_rows3(g.rows + 12 * k + 6);
                const rows3 sum = {lq.x * q[c], lq.y * q[c], lq.z * q[c]};
                finish3(body + c * n, g.body + 6 * k, true, add_transposed3(sum, lp, p),
                        mode == GIVEN);
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

static bool is_body(const trmi_block *block, const trmi_block_node *node)
{
    return node->x < block->body_end;
}

KERNEL void forward(const trmi_block *block, const trmi_block_node *node,
                    const trmi_block_node *end, double *x, const int sides)
{
    for (; node < end; node++)
        switch (node->shape) {
        case TRMI_BLOCK_LINK:
            forward_group(block, node, x, sides, true);
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
            backward_group(block, node, x, sides, GIVEN);
            break;
        case TRMI_BLOCK_BODY:
            backward_body(block, node, x, sides, true);
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

// ---- joints alone ----

static void forward_joints(const trmi_block *block, double *x)
{
    const trmi_block_node *end = block->node + block->node_count;
    for (const trmi_block_node *node = block->node; node < end; node++)
        switch (node->shape) {
        case TRMI_BLOCK_LINK:
            forward_group(block, node, x, 1, false);
            node += 2 * node->links - 1;
            break;
        case TRMI_BLOCK_JOINT:
            forward_joint(block, node, x, 1);
            break;
        case TRMI_BLOCK_ANY:
            if (!is_body(block, node))
                forward_any(block, node, x);
        }
}

// a body that is wanted, but was not given
static void backward_other_body(const trmi_block *block, const trmi_block_node *node, double *x)
{
    if (node->shape == TRMI_BLOCK_BODY) {
        backward_body(block, node, x, 1, false);
        return;
    }
    memset(x + node->x, 0, node->size * sizeof *x);
    backward_any(block, node, x);
}

// mode: NOT_GIVEN or NOT_WANTED
KERNEL void backward_joints(const trmi_block *block, double *x, const bodies mode)
{
    for (const trmi_block_node *node = block->node + block->node_count; node-- > block->node;)
        if (node->shape == TRMI_BLOCK_LINK_END) {
            node -= 2 * node->links - 1;
            backward_group(block, node, x, 1, mode);
        } else if (node->shape == TRMI_BLOCK_JOINT) {
            backward_joint(block, node, x, 1);
        } else if (!is_body(block, node)) {
            backward_any(block, node, x);
        } else if (mode == NOT_GIVEN) {
            backward_other_body(block, node, x);
        }
}

void trmi_block_solve_joints(trmi_solver *solver, double *x)
{
    const trmi_block *block = (const trmi_block *)solver;
    trmi_block_forward(block, block->node, block->node + block->node_count, x);
    if (block->waits_for_body)
        trmi_block_finish(solver, x);
    else
        backward_joints(block, x, NOT_WANTED);
}

void trmi_block_solve_from_joints(trmi_solver *solver, double *x)
{
    const trmi_block *block = (const trmi_block *)solver;
    if (block->waits_for_body) {
        memset(x, 0, (size_t)block->body_end * sizeof *x);
        trmi_block_solve(solver, x, 1);
        return;
    }
    forward_joints(block, x);
    backward_joints(block, x, NOT_GIVEN);
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
