// SPDX-License-Identifier: Apache-2.0
// Numeric part of the block LDL^T: factor and solve along the schedule of block_order.c.
//
// No pivoting: a body must have a positive definite pivot block, a joint a negative definite one.
// Each scalar pivot is compared with the size its diagonal entry had before nodes of the same kind
// were eliminated: bodies take away from bodies, joints from joints, so near rank loss of G shows
// as a small quotient.
//
// Kernels are written once for general sizes; called with constant sizes they are unrolled.
#include "linear/block.h"
#include "linear/block_plane.h"

#include <float.h>
#include <math.h>
#include <string.h>

// gcc at -O2 unrolls loops of constant length only when told so
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 6")
#endif

// a quotient at or below is zero to working precision
static const double zero_pivot = 1e-14;

// which kernel a node wants: in the plane a body (3 unknowns) or a joint (2) with any or the given
// number of row blocks, all of them joints of 2. LINK is a body between joints p and q, followed by
// LINK_END, the joint p with the only row q: the step along a chain, taken at once.
enum { ANY, BODY, BODY_2, JOINT, JOINT_1, LINK, LINK_END };

// l (m x s) = a (m x s) d (s x s)
KERNEL void multiply(double *l, const double *a, const double *d, const int m, const int s)
{
    UNROLL for (int j = 0; j < s; j++) UNROLL for (int i = 0; i < m; i++)
    {
        double sum = a[i] * d[j * s];
        UNROLL for (int k = 1; k < s; k++) sum += a[i + k * m] * d[k + j * s];
        l[i + j * m] = sum;
    }
}

// t (mq x mp) -= l (mq x s) a^T (s x mp)
KERNEL void subtract(double *t, const double *l, const double *a, const int mq, const int mp,
                     const int s)
{
    UNROLL for (int j = 0; j < mp; j++) UNROLL for (int i = 0; i < mq; i++)
    {
        double sum = l[i] * a[j];
        UNROLL for (int k = 1; k < s; k++) sum += l[i + k * mq] * a[j + k * mp];
        t[i + j * mq] -= sum;
    }
}

// the same for the lower triangle of a diagonal block; reduced += |what is subtracted on the
// diagonal| unless NULL
KERNEL void subtract_lower(double *t, double *reduced, const double *l, const double *a,
                           const int m, const int s)
{
    UNROLL for (int j = 0; j < m; j++) UNROLL for (int i = j; i < m; i++)
    {
        double sum = l[i] * a[j];
        UNROLL for (int k = 1; k < s; k++) sum += l[i + k * m] * a[j + k * m];
        t[i + j * m] -= sum;
        if (reduced && i == j)
            reduced[i] += fabs(sum);
    }
}

// the scalar pivots of a diagonal block one by one: d = L D L^T with l = unit lower triangle.
// Updates the smallest quotient.
static trmi_factor_status find_pivots(trmi_block *block, const trmi_block_node *node, double *l,
                                      double *pivot)
{
    const double *d = block->base.value + node->value, *reduced = block->reduced + node->x;
    const double sign = node->x < block->body_end ? 1 : -1;
    int s = node->size;
    for (int j = 0; j < s; j++) {
        double sum = d[j + j * s];
        for (int k = 0; k < j; k++)
            sum -= l[j + k * s] * l[j + k * s] * pivot[k];
        double quotient = fabs(sum) / (fabs(d[j + j * s]) + reduced[j]);
        bool zero = !(quotient > zero_pivot) || !(fabs(sum) <= DBL_MAX);
        if (zero || quotient < block->base.pivot.smallest)
            block->base.pivot = (trmi_pivot){isfinite(quotient) ? quotient : 0, node->x + j};
        if (zero)
            return TRMI_FACTOR_SINGULAR;
        if (sign * sum < 0) {
            block->base.pivot = (trmi_pivot){quotient, node->x + j};
            return TRMI_FACTOR_WRONG_SIGN;
        }
        pivot[j] = sum;
        for (int i = j + 1; i < s; i++) {
            double entry = d[i + j * s];
            for (int k = 0; k < j; k++)
                entry -= l[i + k * s] * pivot[k] * l[j + k * s];
            l[i + j * s] = entry / sum;
        }
    }
    return TRMI_FACTOR_OK;
}

// d := d^-1 = L^-T D^-1 L^-1 for any size
static trmi_factor_status invert_any(trmi_block *block, const trmi_block_node *node)
{
    double l[TRMI_BLOCK_SIZE * TRMI_BLOCK_SIZE], pivot[TRMI_BLOCK_SIZE];
    trmi_factor_status status = find_pivots(block, node, l, pivot);
    if (status != TRMI_FACTOR_OK)
        return status;
    int s = node->size;
    // l := L^-1, column by column
    for (int j = 0; j < s; j++)
        for (int i = j + 1; i < s; i++) {
            double sum = -l[i + j * s];
            for (int k = j + 1; k < i; k++)
                sum -= l[i + k * s] * l[k + j * s];
            l[i + j * s] = sum;
        }
    double *d = block->base.value + node->value;
    for (int j = 0; j < s; j++)
        for (int i = j; i < s; i++) {
            double sum = (i == j ? 1 : l[i + j * s]) / pivot[i];
            for (int k = i + 1; k < s; k++)
                sum += l[k + i * s] * l[k + j * s] / pivot[k];
            d[i + j * s] = d[j + i * s] = sum;
        }
    return TRMI_FACTOR_OK;
}

// a look at the pivots one by one when they are wrong or much smaller than any before
static __attribute__((noinline)) trmi_factor_status inspect(trmi_block *block,
                                                            const trmi_block_node *node)
{
    double l[9], pivot[3];
    return find_pivots(block, node, l, pivot);
}

// The inverse by minors, of a positive definite block times `sign`. The quotients are only watched
// down to a factor 2, so that nothing must be divided for them.
KERNEL trmi_factor_status invert_body(trmi_block *block, const trmi_block_node *node,
                                      symmetric3 *inverse)
{
    double *d = block->base.value + node->value;
    const double *reduced = block->reduced + node->x;
    const double half = 0.5 * block->base.pivot.smallest;
    symmetric3 a = load_symmetric3(d);
    double xx = a.yy * a.zz - a.zy * a.zy, yx = a.zx * a.zy - a.yx * a.zz;
    double zx = a.yx * a.zy - a.zx * a.yy, zz = a.xx * a.yy - a.yx * a.yx;
    double det = a.xx * xx + a.yx * yx + a.zx * zx;
    bool good = a.xx > half * (a.xx + reduced[0]) && zz > half * (a.xx * (a.yy + reduced[1])) &&
                det > half * (zz * (a.zz + reduced[2])) && det <= DBL_MAX;
    if (!good) {
        trmi_factor_status status = inspect(block, node);
        if (status != TRMI_FACTOR_OK)
            return status;
    }
    double r = 1 / det;
    *inverse = (symmetric3){.xx = xx * r,
                            .yx = yx * r,
                            .zx = zx * r,
                            .yy = (a.xx * a.zz - a.zx * a.zx) * r,
                            .zy = (a.yx * a.zx - a.xx * a.zy) * r,
                            .zz = zz * r};
    store_symmetric3(d, *inverse);
    return TRMI_FACTOR_OK;
}

KERNEL trmi_factor_status invert_joint(trmi_block *block, const trmi_block_node *node,
                                       symmetric2 *inverse)
{
    double *d = block->base.value + node->value;
    const double *reduced = block->reduced + node->x;
    const double half = 0.5 * block->base.pivot.smallest;
    symmetric2 a = load_symmetric2(d);
    double det = a.xx * a.yy - a.yx * a.yx;
    bool good = -a.xx > half * (reduced[0] - a.xx) && det > half * (a.xx * (a.yy - reduced[1])) &&
                det <= DBL_MAX;
    if (!good) {
        trmi_factor_status status = inspect(block, node);
        if (status != TRMI_FACTOR_OK)
            return status;
    }
    double r = 1 / det;
    *inverse = (symmetric2){a.yy * r, -a.yx * r, a.xx * r};
    store_symmetric2(d, *inverse);
    return TRMI_FACTOR_OK;
}

// a body between two joints
KERNEL trmi_factor_status eliminate_body_2(trmi_block *block, const trmi_block_node *node)
{
    double *value = block->base.value, *rows = value + node->value + 9;
    const int *target = block->target + node->target;
    symmetric3 d;
    trmi_factor_status status = invert_body(block, node, &d);
    if (status != TRMI_FACTOR_OK)
        return status;
    rows3 p = load_rows3(rows), q = load_rows3(rows + 6);
    rows3 lp = times3(p, d), lq = times3(q, d);
    store_rows3(rows, lp);
    store_rows3(rows + 6, lq);
    subtract_from(value + target[0], product3(lp, p));
    subtract_from(value + target[1], product3(lq, p));
    subtract_from(value + target[2], product3(lq, q));
    return TRMI_FACTOR_OK;
}

// A body and its first joint p, coupled with the second joint q only:
//     A_pp, A_qp, A_qq -= [Lp; Lq] [p; q]^T,   then   A_qq -= A_qp A_pp^-1 A_qp^T
// The last product is formed with the adjugate of A_pp while the determinant is still divided: the
// chain of dependent operations from joint to joint sets the pace.
KERNEL trmi_factor_status eliminate_link(trmi_block *block, const trmi_block_node *node)
{
    double *value = block->base.value, *rows = value + node->value + 9, *joint = rows + 12;
    double *reduced = block->reduced + node[1].x;
    const int *x = block->row_x + node->row;
    double *last = value + block->target[node->target + 2];
    symmetric3 d;
    trmi_factor_status status = invert_body(block, node, &d);
    if (status != TRMI_FACTOR_OK)
        return status;
    rows3 p = load_rows3(rows), q = load_rows3(rows + 6);
    rows3 lp = times3(p, d), lq = times3(q, d);
    store_rows3(rows, lp);
    store_rows3(rows + 6, lq);
    rows2 pp = minus2(load_rows2(joint), product3(lp, p));
    rows2 qp = minus2(load_rows2(joint + 4), product3(lq, p));
    rows2 qq = minus2(load_rows2(last), product3(lq, q));

    symmetric2 a = {pp.x[0], pp.x[1], pp.y[1]}, adjugate = {a.yy, -a.yx, a.xx};
    double det = a.xx * a.yy - a.yx * a.yx;
    const double half = 0.5 * block->base.pivot.smallest;
    bool good = -a.xx > half * (reduced[0] - a.xx) && det > half * (a.xx * (a.yy - reduced[1])) &&
                det <= DBL_MAX;
    if (!good) {
        store_rows2(joint, pp);
        status = inspect(block, node + 1);
        if (status != TRMI_FACTOR_OK)
            return status;
    }
    const pair r = both(1 / det);
    rows2 l = times2(qp, adjugate), own = product2(l, qp);
    own = (rows2){own.x * r, own.y * r};
    store_rows2(last, minus2(qq, own));
    store(block->reduced + x[1], load(block->reduced + x[1]) - (pair){own.x[0], own.y[1]});
    store(joint, (pair){a.yy, -a.yx} * r);
    store(joint + 2, (pair){-a.yx, a.xx} * r);
    store_rows2(joint + 4, (rows2){l.x * r, l.y * r});
    return TRMI_FACTOR_OK;
}

// a body with any number of joints
KERNEL trmi_factor_status eliminate_body(trmi_block *block, const trmi_block_node *node,
                                         const int count)
{
    double *value = block->base.value, *rows = value + node->value + 9;
    const int *target = block->target + node->target;
    rows3 a[TRMI_BLOCK_ROWS];
    symmetric3 d;
    trmi_factor_status status = invert_body(block, node, &d);
    if (status != TRMI_FACTOR_OK)
        return status;
    for (int q = 0; q < count; q++) {
        a[q] = load_rows3(rows + 6 * q);
        rows3 l = times3(a[q], d);
        store_rows3(rows + 6 * q, l);
        // the targets are listed for each p the rows q >= p
        for (int p = 0, t = q; p <= q; p++, t += count - p)
            subtract_from(value + target[t], product3(l, a[p]));
    }
    return TRMI_FACTOR_OK;
}

// a joint with any number of later joints
KERNEL trmi_factor_status eliminate_joint(trmi_block *block, const trmi_block_node *node,
                                          const int count)
{
    double *value = block->base.value, *rows = value + node->value + 4;
    const int *target = block->target + node->target, *x = block->row_x + node->row;
    rows2 a[TRMI_BLOCK_ROWS];
    symmetric2 d;
    trmi_factor_status status = invert_joint(block, node, &d);
    if (status != TRMI_FACTOR_OK)
        return status;
    for (int q = 0; q < count; q++) {
        a[q] = load_rows2(rows + 4 * q);
        rows2 l = times2(a[q], d);
        store_rows2(rows + 4 * q, l);
        int t = q;
        for (int p = 0; p < q; p++, t += count - p)
            subtract_from(value + target[t], product2(l, a[p]));
        rows2 own = product2(l, a[q]); // negative definite
        subtract_from(value + target[t], own);
        store(block->reduced + x[q], load(block->reduced + x[q]) - (pair){own.x[0], own.y[1]});
    }
    return TRMI_FACTOR_OK;
}

// L and the targets for any row blocks
KERNEL void eliminate_rows(trmi_block *block, const trmi_block_node *node, const int s)
{
    double *value = block->base.value, *work = block->work;
    const int *x = block->row_x + node->row, *size = block->row_size + node->row;
    const int *from = block->row_value + node->row, *target = block->target + node->target;
    const double *d = value + node->value;
    const bool body = node->x < block->body_end;
    int count = node->row_count, start = node->value + s * s;
    if (count == 0)
        return;
    for (int q = 0; q < count; q++)
        multiply(work + from[q] - start, value + from[q], d, size[q], s);
    for (int p = 0; p < count; p++) {
        const double *a = value + from[p];
        double *reduced = body == (x[p] < block->body_end) ? block->reduced + x[p] : NULL;
        subtract_lower(value + *target++, reduced, work + from[p] - start, a, size[p], s);
        for (int q = p + 1; q < count; q++)
            subtract(value + *target++, work + from[q] - start, a, size[q], size[p], s);
    }
    int end = from[count - 1] + size[count - 1] * s;
    memcpy(value + start, work, (size_t)(end - start) * sizeof *work);
}

static __attribute__((noinline)) trmi_factor_status eliminate_any(trmi_block *block,
                                                                  const trmi_block_node *node)
{
    trmi_factor_status status = invert_any(block, node);
    if (status != TRMI_FACTOR_OK)
        return status;
    switch (node->size) {
    case 1:
        eliminate_rows(block, node, 1);
        break;
    case 2:
        eliminate_rows(block, node, 2);
        break;
    case 3:
        eliminate_rows(block, node, 3);
        break;
    case 4:
        eliminate_rows(block, node, 4);
        break;
    case 5:
        eliminate_rows(block, node, 5);
        break;
    default:
        eliminate_rows(block, node, 6);
    }
    return TRMI_FACTOR_OK;
}

static trmi_factor_status factor(trmi_solver *solver)
{
    trmi_block *block = (trmi_block *)solver;
    memset(block->reduced, 0, (size_t)solver->n * sizeof *block->reduced);
    solver->pivot = (trmi_pivot){1, 0};
    for (int k = 0; k < block->node_count; k++) {
        const trmi_block_node *node = &block->node[k];
        trmi_factor_status status;
        switch (node->shape) {
        case LINK:
            status = eliminate_link(block, node);
            k++;
            break;
        case BODY_2:
            status = eliminate_body_2(block, node);
            break;
        case JOINT_1:
            status = eliminate_joint(block, node, 1);
            break;
        case BODY:
            status = eliminate_body(block, node, node->row_count);
            break;
        case JOINT:
            status = eliminate_joint(block, node, node->row_count);
            break;
        default:
            status = eliminate_any(block, node);
        }
        if (status != TRMI_FACTOR_OK)
            return status;
    }
    return TRMI_FACTOR_OK;
}

// Solution. forward: x_q -= L_q y for the rows of a node; backward: y := D^-1 y - sum_q L_q^T x_q

KERNEL void forward_body(const trmi_block *block, const trmi_block_node *node, double *x,
                         const int rows, const int sides)
{
    const double *l = block->base.value + node->value + 9;
    const int *row_x = block->row_x + node->row;
    for (int c = 0; c < sides; c++) {
        const rows3 y = spread3(x + node->x + c * block->base.n);
        for (int q = 0; q < rows; q++) {
            double *r = x + row_x[q] + c * block->base.n;
            store(r, load(r) - apply3(load_rows3(l + 6 * q), y));
        }
    }
}

KERNEL void forward_joint(const trmi_block *block, const trmi_block_node *node, double *x,
                          const int rows, const int sides)
{
    const double *l = block->base.value + node->value + 4;
    const int *row_x = block->row_x + node->row;
    for (int c = 0; c < sides; c++) {
        const pair y = load(x + node->x + c * block->base.n);
        for (int q = 0; q < rows; q++) {
            double *r = x + row_x[q] + c * block->base.n;
            store(r, load(r) - apply2(load_rows2(l + 4 * q), y));
        }
    }
}

KERNEL void forward_link(const trmi_block *block, const trmi_block_node *node, double *x,
                         const int sides)
{
    const double *rows = block->base.value + node->value + 9;
    const rows3 lp = load_rows3(rows), lq = load_rows3(rows + 6);
    const rows2 l = load_rows2(rows + 16);
    const int *row_x = block->row_x + node->row, n = block->base.n;
    for (int c = 0; c < sides; c++) {
        const rows3 y = spread3(x + node->x + c * n);
        double *xp = x + row_x[0] + c * n, *xq = x + row_x[1] + c * n;
        pair q = load(xq) - apply3(lq, y);
        pair p = load(xp) - apply3(lp, y);
        store(xp, p);
        store(xq, q - apply2(l, p));
    }
}

KERNEL void backward_body(const trmi_block *block, const trmi_block_node *node, double *x,
                          const int rows, const int sides)
{
    const double *d = block->base.value + node->value, *l = d + 9;
    const int *row_x = block->row_x + node->row;
    const symmetric3 s = load_symmetric3(d);
    for (int c = 0; c < sides; c++) {
        rows3 sum = {both(0), both(0), both(0)};
        for (int q = 0; q < rows; q++)
            sum = add_scaled(sum, load_rows3(l + 6 * q), load(x + row_x[q] + c * block->base.n));
        finish3(x + node->x + c * block->base.n, s, sum);
    }
}

KERNEL void backward_joint(const trmi_block *block, const trmi_block_node *node, double *x,
                           const int rows, const int sides)
{
    const double *d = block->base.value + node->value, *l = d + 4;
    const int *row_x = block->row_x + node->row;
    const rows2 s = load_rows2(d);
    for (int c = 0; c < sides; c++) {
        double *y = x + node->x + c * block->base.n;
        pair sum = apply2(s, load(y));
        for (int q = 0; q < rows; q++)
            sum -= apply_transposed2(load_rows2(l + 4 * q), load(x + row_x[q] + c * block->base.n));
        store(y, sum);
    }
}

// node is the body
KERNEL void backward_link(const trmi_block *block, const trmi_block_node *node, double *x,
                          const int sides)
{
    const double *d = block->base.value + node->value, *rows = d + 9;
    const symmetric3 s = load_symmetric3(d);
    const rows3 lp = load_rows3(rows), lq = load_rows3(rows + 6);
    const rows2 dp = load_rows2(rows + 12), l = load_rows2(rows + 16);
    const int *row_x = block->row_x + node->row, n = block->base.n;
    for (int c = 0; c < sides; c++) {
        double *xp = x + row_x[0] + c * n;
        const pair q = load(x + row_x[1] + c * n);
        const pair p = apply2(dp, load(xp)) - apply_transposed2(l, q);
        store(xp, p);
        rows3 sum = {lq.x * q, lq.y * q, lq.z * q};
        finish3(x + node->x + c * n, s, add_scaled(sum, lp, p));
    }
}

static void forward_any(const trmi_block *block, const trmi_block_node *node, double *x)
{
    const int s = node->size, *size = block->row_size + node->row;
    const int *row_x = block->row_x + node->row;
    const double *l = block->base.value + node->value + s * s, *y = x + node->x;
    for (int q = 0; q < node->row_count; q++) {
        double *r = x + row_x[q];
        for (int k = 0; k < s; k++, l += size[q])
            for (int i = 0; i < size[q]; i++)
                r[i] -= l[i] * y[k];
    }
}

static void backward_any(const trmi_block *block, const trmi_block_node *node, double *x)
{
    const int s = node->size, *size = block->row_size + node->row;
    const int *row_x = block->row_x + node->row;
    const double *d = block->base.value + node->value, *l = d + s * s;
    double y[TRMI_BLOCK_SIZE];
    multiply(y, x + node->x, d, 1, s);
    for (int q = 0; q < node->row_count; q++) {
        const double *r = x + row_x[q];
        for (int k = 0; k < s; k++, l += size[q])
            for (int i = 0; i < size[q]; i++)
                y[k] -= l[i] * r[i];
    }
    memcpy(x + node->x, y, (size_t)s * sizeof *y);
}

KERNEL void solve_sides(const trmi_block *block, double *x, const int sides)
{
    for (int k = 0; k < block->node_count; k++) {
        const trmi_block_node *node = &block->node[k];
        switch (node->shape) {
        case LINK:
            forward_link(block, node, x, sides);
            k++;
            break;
        case BODY_2:
            forward_body(block, node, x, 2, sides);
            break;
        case JOINT_1:
            forward_joint(block, node, x, 1, sides);
            break;
        case BODY:
            forward_body(block, node, x, node->row_count, sides);
            break;
        case JOINT:
            forward_joint(block, node, x, node->row_count, sides);
            break;
        default:
            for (int c = 0; c < sides; c++)
                forward_any(block, node, x + c * block->base.n);
        }
    }
    for (int k = block->node_count - 1; k >= 0; k--) {
        const trmi_block_node *node = &block->node[k];
        switch (node->shape) {
        case LINK_END:
            backward_link(block, node - 1, x, sides);
            k--;
            break;
        case BODY_2:
            backward_body(block, node, x, 2, sides);
            break;
        case JOINT_1:
            backward_joint(block, node, x, 1, sides);
            break;
        case BODY:
            backward_body(block, node, x, node->row_count, sides);
            break;
        case JOINT:
            backward_joint(block, node, x, node->row_count, sides);
            break;
        default:
            for (int c = 0; c < sides; c++)
                backward_any(block, node, x + c * block->base.n);
        }
    }
}

static void solve(trmi_solver *solver, double *x, int count)
{
    const trmi_block *block = (const trmi_block *)solver;
    if (count == 2)
        solve_sides(block, x, 2);
    else
        solve_sides(block, x, 1);
}

// any entry of a block has a place, also where the structure has none
static int position(const trmi_solver *solver, int row, int col)
{
    const trmi_block *block = (const trmi_block *)solver;
    if (row < 0 || row >= solver->n || col < 0 || col >= solver->n)
        return -1;
    if (block->node_of[row] < block->node_of[col] ||
        (block->node_of[row] == block->node_of[col] && row < col)) {
        int t = row;
        row = col;
        col = t;
    }
    const trmi_block_node *node = &block->node[block->node_of[col]];
    const trmi_block_node *later = &block->node[block->node_of[row]];
    int i = row - later->x, j = col - node->x;
    if (node == later)
        return node->value + i + j * node->size;
    for (int q = node->row; q < node->row + node->row_count; q++)
        if (block->row_x[q] == later->x)
            return block->row_value[q] + i + j * block->row_size[q];
    return -1;
}

// the kernel of a node, from the sizes and the kind
static int shape_of(const trmi_block *block, const trmi_block_node *node)
{
    const int *size = block->row_size + node->row, *x = block->row_x + node->row;
    bool body = node->x < block->body_end;
    if (node->size != (body ? 3 : 2))
        return ANY;
    for (int q = 0; q < node->row_count; q++)
        if (size[q] != 2 || x[q] < block->body_end)
            return ANY;
    if (body)
        return node->row_count == 2 ? BODY_2 : BODY;
    return node->row_count == 1 ? JOINT_1 : JOINT;
}

// joins a body with the joint after it where they are a step along a chain
static void find_links(trmi_block *block)
{
    for (int k = 0; k + 1 < block->node_count; k++) {
        trmi_block_node *node = &block->node[k];
        const int *x = block->row_x + node->row;
        if (node[0].shape == BODY_2 && node[1].shape == JOINT_1 && node[1].x == x[0] &&
            block->row_x[node[1].row] == x[1]) {
            node[0].shape = LINK;
            node[1].shape = LINK_END;
        }
    }
}

trmi_solver *trmi_block_create(trmi_memory *memory, const trmi_structure *structure)
{
    static const trmi_solver_type type = {"block", true, factor, solve, position, NULL};
    trmi_block *block;
    if (!TRMI_TAKE(memory, block, 1) || !trmi_block_plan(block, memory, structure))
        return NULL;
    int longest = 0;
    for (int k = 0; k < block->node_count; k++) {
        trmi_block_node *node = &block->node[k];
        node->shape = shape_of(block, node);
        int next = k + 1 < block->node_count ? block->node[k + 1].value : block->base.value_count;
        if (next - node->value > longest)
            longest = next - node->value;
    }
    find_links(block);
    block->base.type = &type;
    block->base.n = structure->n;
    if (!TRMI_TAKE(memory, block->reduced, structure->n) ||
        !TRMI_TAKE(memory, block->work, longest))
        return NULL;
    return &block->base;
}
