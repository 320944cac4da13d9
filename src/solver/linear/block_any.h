// SPDX-License-Identifier: Apache-2.0
// The block LDL^T for nodes of any size, 1 to 6, and numbers of either kind (block_number.h).
//
// Pivots are not searched for. S = M + D/alpha + K/alpha^2 with M, D, K >= 0 takes any vector to
// the sector between 1 and alpha^-2, and all pivots of bodies lie there; those of joints, of
// -G S^-1 G^T, lie between -1 and -alpha^2. With turn = alpha/|alpha|, then,
//
//     Re(turn pivot) > 0  of bodies,      Re(conj(turn) pivot) < 0  of joints
//
// and where that holds no factor grows by more than about 1/Re(turn). Real numbers: their signs.
#ifndef TRMI_SOLVER_LINEAR_BLOCK_ANY_H
#define TRMI_SOLVER_LINEAR_BLOCK_ANY_H

#include "base/fetch.h"
#include "solver/linear/block.h"
#include "solver/linear/block_number.h"

#include <float.h>

enum { MAX_LANES = TRMI_BLOCK_SIZE / LANE_ROWS };

// a quotient at or below is zero to working precision
static const double zero_pivot = 1e-14;

// What a factorization works on.
typedef struct block_numbers {
    const trmi_block *plan;
    number *value, *work;
    double *reduced;
    trmi_pivot *pivot;
    number turn;
} block_numbers;

// action(n) with n known where it is compiled
#define WITH_SIZE(n, action)                                                                       \
    switch (n) {                                                                                   \
    case 1:                                                                                        \
        action(1);                                                                                 \
        break;                                                                                     \
    case 2:                                                                                        \
        action(2);                                                                                 \
        break;                                                                                     \
    case 3:                                                                                        \
        action(3);                                                                                 \
        break;                                                                                     \
    case 4:                                                                                        \
        action(4);                                                                                 \
        break;                                                                                     \
    case 5:                                                                                        \
        action(5);                                                                                 \
        break;                                                                                     \
    case 6:                                                                                        \
        action(6);                                                                                 \
        break;                                                                                     \
    }

// ---- products of blocks ----

// `columns` (1 or 2) of c from lane `first` on: c = a (m x s) b or c -= a b
KERNEL void multiply_columns(number *c, const number *a, const number *b, const int m, const int s,
                             const int row_step, const int column_step, const bool subtract,
                             const int columns, const int first)
{
    pair sum[2][MAX_LANES] = {{{0, 0}}};
    UNROLLED
    for (int k = 0; k < s; k++) {
        const number left = b[k * row_step];
        const number right = columns > 1 ? b[k * row_step + column_step] : left;
        UNROLLED
        for (int i = 0; i < lanes_of(m); i++) {
            if (i < first)
                continue;
            const pair rows = load_lane(a + k * m, i, m);
            sum[0][i] += scale_lane(rows, left);
            if (columns > 1)
                sum[1][i] += scale_lane(rows, right);
        }
    }
    UNROLLED
    for (int i = 0; i < lanes_of(m); i++)
        for (int j = 0; j < columns; j++)
            if (i >= first) {
                const pair old = subtract ? load_lane(c + j * m, i, m) : both(0);
                store_lane(c + j * m, i, m, subtract ? old - sum[j][i] : sum[j][i]);
            }
}

// c (m x n) = a (m x s) b, or c -= a b; b_kj = b[k row_step + j column_step]. Two columns share
// what is read of a.
KERNEL void multiply_rows(number *c, const number *a, const number *b, const int m, const int n,
                          const int s, const int row_step, const int column_step,
                          const bool subtract)
{
    int j = 0;
    ROLLED
    for (; j + 1 < n; j += 2, c += 2 * m, b += 2 * column_step)
        multiply_columns(c, a, b, m, s, row_step, column_step, subtract, 2, 0);
    if (j < n)
        multiply_columns(c, a, b, m, s, row_step, column_step, subtract, 1, 0);
}

// c (m x m) -= l a^T, the lower triangle and a little of the upper
KERNEL void subtract_triangle(number *c, const number *l, const number *a, const int m, const int s)
{
    UNROLLED
    for (int j = 0; j + 1 < m; j += 2)
        multiply_columns(c + j * m, l, a + j, m, s, m, 1, true, 2, j / LANE_ROWS);
    if (m % 2 == 1)
        multiply_columns(c + (m - 1) * m, l, a + m - 1, m, s, m, 1, true, 1, (m - 1) / LANE_ROWS);
}

// the same with m known where they are compiled
#define MULTIPLY(M) multiply_rows(c, a, b, M, n, s, row_step, column_step, subtract)
KERNEL void multiply(number *c, const number *a, const number *b, const int m, const int n,
                     const int s, const int row_step, const int column_step, const bool subtract)
{
    WITH_SIZE(m, MULTIPLY)
}

#define SUBTRACT(M) subtract_triangle(c, l, a, M, s)
KERNEL void subtract_square(number *c, const number *l, const number *a, const int m, const int s)
{
    WITH_SIZE(m, SUBTRACT)
}

// sum[k] + l_k^T r for the s columns of l (m x s), the rows of a lane still apart
KERNEL void add_columns(pair *sum, const number *l, const number *r, const int m, const int s)
{
    UNROLLED
    for (int k = 0; k < s; k++) {
        UNROLLED
        for (int i = 0; i < lanes_of(m); i++)
            sum[k] += times_lane(load_lane(l + k * m, i, m), load_lane(r, i, m));
    }
}

#define ADD(M) add_columns(sum, l, r, M, s)
KERNEL void add_transposed(pair *sum, const number *l, const number *r, const int m, const int s)
{
    WITH_SIZE(m, ADD)
}

// ---- factorization ----

// The scalar pivots of a diagonal block one by one: block = L D L^T, l = unit lower triangle,
// inverse = D^-1. Updates the smallest quotient.
KERNEL trmi_factor_status find_pivots(const block_numbers *f, const trmi_block_node *node,
                                      number *l, number *inverse, const int s)
{
    const number *d = f->value + node->value;
    const double *reduced = f->reduced + node->x;
    const bool body = node->x < f->plan->body_end;
    number column[TRMI_BLOCK_SIZE]; // L_jk D_k
    UNROLLED
    for (int j = 0; j < s; j++) {
        number pivot = d[j + j * s];
        UNROLLED
        for (int k = 0; k < j; k++) {
            // column k of L is still multiplied by D_k below row j
            column[k] = l[j + k * s];
            l[j + k * s] = times(column[k], inverse[k]);
            pivot -= times(column[k], l[j + k * s]);
        }
        double quotient = size_of(pivot) / (size_of(d[j + j * s]) + reduced[j]);
        bool zero = !(quotient > zero_pivot && size_of(pivot) <= DBL_MAX);
        bool wrong = body ? ahead(pivot, f->turn) < 0 : ahead_back(pivot, f->turn) > 0;
        if (zero || wrong || quotient < f->pivot->smallest)
            *f->pivot = (trmi_pivot){isfinite(quotient) ? quotient : 0, node->x + j};
        if (zero || wrong)
            return zero ? TRMI_FACTOR_SINGULAR : TRMI_FACTOR_WRONG_SIGN;
        inverse[j] = reciprocal(pivot);
        UNROLLED
        for (int i = j + 1; i < s; i++) {
            l[i + j * s] = d[i + j * s];
            UNROLLED
            for (int k = 0; k < j; k++)
                l[i + j * s] -= times(l[i + k * s], l[j + k * s]);
        }
    }
    return TRMI_FACTOR_OK;
}

// d := d^-1 = L^-T D^-1 L^-1, the whole square
KERNEL trmi_factor_status invert_any(const block_numbers *f, const trmi_block_node *node,
                                     const int s)
{
    number l[TRMI_BLOCK_SIZE * TRMI_BLOCK_SIZE] = {(number){0}}, inverse[TRMI_BLOCK_SIZE];
    trmi_factor_status status = find_pivots(f, node, l, inverse, s);
    if (status != TRMI_FACTOR_OK)
        return status;
    // l := L^-1, column by column
    UNROLLED
    for (int j = 0; j < s; j++) {
        UNROLLED
        for (int i = j + 1; i < s; i++) {
            number sum = -l[i + j * s];
            UNROLLED
            for (int k = j + 1; k < i; k++)
                sum -= times(l[i + k * s], l[k + j * s]);
            l[i + j * s] = sum;
        }
    }
    number *d = f->value + node->value;
    UNROLLED
    for (int i = 0; i < s; i++) {
        number row[TRMI_BLOCK_SIZE]; // column i of D^-1 L^-1
        row[i] = inverse[i];
        UNROLLED
        for (int k = i + 1; k < s; k++)
            row[k] = times(inverse[k], l[k + i * s]);
        UNROLLED
        for (int j = 0; j <= i; j++) {
            number sum = i == j ? row[i] : times(row[i], l[i + j * s]);
            UNROLLED
            for (int k = i + 1; k < s; k++)
                sum += times(row[k], l[k + j * s]);
            d[i + j * s] = d[j + i * s] = sum;
        }
    }
    return TRMI_FACTOR_OK;
}

// L and the targets of any node
KERNEL void eliminate_rows(const block_numbers *f, const trmi_block_node *node, const int s)
{
    const trmi_block *plan = f->plan;
    number *value = f->value, *work = f->work;
    const int *x = plan->row_x + node->row;
    const unsigned char *size = plan->row_size + node->row;
    const int *target = plan->target + node->target;
    const bool body = node->x < plan->body_end;
    const int count = node->row_count, start = node->value + s * s;
    int end = start;
    for (int q = 0; q < count; q++) {
        multiply(work + end - start, value + end, value + node->value, size[q], s, s, 1, s, false);
        end += size[q] * s;
    }
    const number *a = value + start, *l = work;
    for (int p = 0, m; p < count; p++, a += m * s) {
        m = size[p];
        number *own = value + *target++, before[TRMI_BLOCK_SIZE];
        for (int i = 0; i < m; i++)
            before[i] = own[i + i * m];
        subtract_square(own, l, a, m, s);
        if (body == (x[p] < plan->body_end))
            for (int i = 0; i < m; i++)
                f->reduced[x[p] + i] += size_of(before[i] - own[i + i * m]);
        l += m * s;
        const number *below = l;
        for (int q = p + 1; q < count; below += size[q++] * s)
            multiply(value + *target++, below, a, size[q], m, s, m, 1, true);
    }
    memcpy(value + start, work, (size_t)(end - start) * sizeof *work);
}

KERNEL trmi_factor_status eliminate_size(const block_numbers *f, const trmi_block_node *node,
                                         const int s)
{
    trmi_factor_status status = invert_any(f, node, s);
    if (status == TRMI_FACTOR_OK)
        eliminate_rows(f, node, s);
    return status;
}

#define ELIMINATE(S) status = eliminate_size(f, node, S)
KERNEL trmi_factor_status eliminate_node(const block_numbers *f, const trmi_block_node *node)
{
    trmi_factor_status status = TRMI_FACTOR_OK;
    WITH_SIZE(node->size, ELIMINATE)
    return status;
}

// ---- solution ----

// Bytes ahead at which factors are fetched: each sweep reads them all, and those of a long chain do
// not stay in the caches.
enum { AHEAD = 3712 };

// as much as this node has
KERNEL void fetch_node(const trmi_block *plan, const number *value, const trmi_block_node *node,
                       const int ahead)
{
    const trmi_block_node *last = plan->node + plan->node_count - 1;
    const int count = node < last ? node[1].value - node->value : 0;
    trmi_fetch(value + node->value, ahead, (size_t)count * sizeof *value);
}

KERNEL void forward_size(const trmi_block *plan, const number *value, const trmi_block_node *node,
                         number *x, const int s)
{
    const number *l = value + node->value + s * s;
    for (int q = node->row; q < node->row + node->row_count; l += plan->row_size[q++] * s)
        multiply(x + plan->row_x[q], l, x + node->x, plan->row_size[q], 1, s, 1, 0, true);
}

KERNEL void backward_size(const trmi_block *plan, const number *value, const trmi_block_node *node,
                          number *x, const int s)
{
    number y[TRMI_BLOCK_SIZE];
    pair sum[TRMI_BLOCK_SIZE] = {{0, 0}};
    const number *l = value + node->value + s * s;
    for (int q = node->row; q < node->row + node->row_count; l += plan->row_size[q++] * s)
        add_transposed(sum, l, x + plan->row_x[q], plan->row_size[q], s);
    multiply_rows(y, value + node->value, x + node->x, s, 1, s, 1, 0, false);
    for (int k = 0; k < s; k++)
        x[node->x + k] = y[k] - sum_of_lane(sum[k]);
}

#define FORWARD(S) forward_size(plan, value, node, x, S)
KERNEL void forward_node(const trmi_block *plan, const number *value, const trmi_block_node *node,
                         number *x)
{
    fetch_node(plan, value, node, AHEAD);
    WITH_SIZE(node->size, FORWARD)
}

#define BACKWARD(S) backward_size(plan, value, node, x, S)
KERNEL void backward_node(const trmi_block *plan, const number *value, const trmi_block_node *node,
                          number *x)
{
    fetch_node(plan, value, node, -AHEAD);
    WITH_SIZE(node->size, BACKWARD)
}

#endif
