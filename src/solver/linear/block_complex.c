// SPDX-License-Identifier: Apache-2.0
// Block LDL^T of complex symmetric matrices, on the plan of a real one. Factors of groups of links
// are kept as there (block_link.h).
#define COMPLEX_ENTRIES
#include "solver/linear/block_any.h"
#include "solver/linear/block_link.h"
#include "solver/linear/complex_solver.h"

typedef struct block_complex {
    trmi_complex_solver base;
    const trmi_block *plan;
    double complex *work;
    double *reduced;
    trmi_pivot pivot;
} block_complex;

// complex numbers as the pairs that they are in memory
static number *numbers_of(double complex *value)
{
    return (number *)value;
}

// ---- groups of links ----

typedef struct number_group {
    number *rows, *below, *joint, *body;
} number_group;

static number_group numbers_at(number *value, int links)
{
    return (number_group){value, value + 12 * links, value + 16 * links, value + 19 * links};
}

// the group that ends with this joint, once its links are eliminated
static void pack_group(number *value, const trmi_block_node *last)
{
    const int links = last->links;
    const trmi_block_node *first = last - 2 * links + 1;
    number factors[LINK_FACTORS * TRMI_BLOCK_LINKS], *piece = value + first->value;
    const number_group g = numbers_at(factors, links);
    for (int k = 0; k < links; k++, piece += LINK_PIECE) {
        const number *d = piece, *joint = piece + 21;
        const number body[] = {d[0], d[1], d[2], d[4], d[5], d[8]};
        memcpy(g.body + 6 * k, body, sizeof body);
        memcpy(g.rows + 12 * k, piece + 9, 12 * sizeof *piece);
        memcpy(g.joint + 3 * k, (const number[]){joint[0], joint[1], joint[3]}, 3 * sizeof *piece);
        memcpy(g.below + 4 * k, joint + 4, 4 * sizeof *piece);
    }
    memcpy(value + first->value, factors, (size_t)(LINK_FACTORS * links) * sizeof *factors);
}

// l (2 x columns) times y, row i
KERNEL number apply_row(const number *l, const number *y, const int columns, const int i)
{
    number sum = times(l[i], y[0]);
    UNROLLED
    for (int j = 1; j < columns; j++)
        sum += times(l[i + 2 * j], y[j]);
    return sum;
}

// l^T (columns x 2) times r, row j
KERNEL number apply_column(const number *l, const number *r, const int j)
{
    return times(l[2 * j], r[0]) + times(l[2 * j + 1], r[1]);
}

static void forward_group(const trmi_block *plan, number *value, const trmi_block_node *first,
                          number *x)
{
    const number_group g = numbers_at(value + first->value, first->links);
    const link_places at = places_of(plan, first);
    number *y = x + at.body, *joint = x + at.joint, p[2] = {joint[0], joint[1]};
    for (int k = 0; k < first->links; k++, y += at.next_body) {
        const number *lp = g.rows + 12 * k, *lq = lp + 6, *l = g.below + 4 * k;
        trmi_fetch(g.rows + 16 * k, GROUP * (int)sizeof *x, 16 * sizeof *x);
        joint[0] = p[0] -= apply_row(lp, y, 3, 0);
        joint[1] = p[1] -= apply_row(lp, y, 3, 1);
        joint += at.next_joint;
        const number q[] = {joint[0] - apply_row(lq, y, 3, 0) - apply_row(l, p, 2, 0),
                            joint[1] - apply_row(lq, y, 3, 1) - apply_row(l, p, 2, 1)};
        p[0] = q[0];
        p[1] = q[1];
    }
    joint[0] = p[0];
    joint[1] = p[1];
}

// y := s y - l_p^T p - l_q^T q
KERNEL void finish_body(number *y, const number *s, const number *lp, const number *p,
                        const number *q)
{
    const number *lq = lp + 6, y0 = y[0], y1 = y[1], y2 = y[2];
    y[0] = times(s[0], y0) + times(s[1], y1) + times(s[2], y2);
    y[1] = times(s[1], y0) + times(s[3], y1) + times(s[4], y2);
    y[2] = times(s[2], y0) + times(s[4], y1) + times(s[5], y2);
    UNROLLED
    for (int j = 0; j < 3; j++)
        y[j] -= apply_column(lp, p, j) + apply_column(lq, q, j);
}

static void backward_group(const trmi_block *plan, number *value, const trmi_block_node *first,
                           number *x)
{
    const int links = first->links;
    const number_group g = numbers_at(value + first->value, links);
    const link_places at = places_of(plan, first);
    number *y = x + at.body + links * at.next_body, *joint = x + at.joint + links * at.next_joint;
    number q[2] = {joint[0], joint[1]};
    for (int k = links; k-- > 0;) {
        const number *d = g.joint + 3 * k, *l = g.below + 4 * k;
        y -= at.next_body;
        joint -= at.next_joint;
        trmi_fetch(g.rows + LINK_FACTORS * k, -GROUP * (int)sizeof *x, LINK_FACTORS * sizeof *x);
        const number p[] = {times(d[0], joint[0]) + times(d[1], joint[1]) - apply_column(l, q, 0),
                            times(d[1], joint[0]) + times(d[2], joint[1]) - apply_column(l, q, 1)};
        finish_body(y, g.body + 6 * k, g.rows + 12 * k, p, q);
        joint[0] = q[0] = p[0];
        joint[1] = q[1] = p[1];
    }
}

// ---- the whole ----

static trmi_factor_status factor(trmi_complex_solver *solver)
{
    block_complex *block = (block_complex *)solver;
    const trmi_block *plan = block->plan;
    const block_numbers f = {.plan = plan,
                             .value = numbers_of(solver->value),
                             .work = numbers_of(block->work),
                             .reduced = block->reduced,
                             .pivot = &block->pivot,
                             .turn = {creal(solver->turn), cimag(solver->turn)}};
    trmi_factor_status status = TRMI_FACTOR_OK;
    memset(block->reduced, 0, (size_t)solver->n * sizeof *block->reduced);
    block->pivot = (trmi_pivot){1, 0};
    for (int k = 0; k < plan->node_count && status == TRMI_FACTOR_OK; k++) {
        const trmi_block_node *node = &plan->node[k];
        status = eliminate_node(&f, node);
        if (node->shape == TRMI_BLOCK_LINK_END && node->links > 0)
            pack_group(f.value, node);
    }
    return status;
}

static void solve(trmi_complex_solver *solver, double complex *unknowns)
{
    const trmi_block *plan = ((const block_complex *)solver)->plan;
    const trmi_block_node *end = plan->node + plan->node_count, *node;
    number *value = numbers_of(solver->value), *x = numbers_of(unknowns);
    for (node = plan->node; node < end; node++)
        if (node->shape == TRMI_BLOCK_LINK) {
            forward_group(plan, value, node, x);
            node += 2 * node->links - 1;
        } else {
            forward_node(plan, value, node, x);
        }
    for (node = end; node-- > plan->node;)
        if (node->shape == TRMI_BLOCK_LINK_END) {
            node -= 2 * node->links - 1;
            backward_group(plan, value, node, x);
        } else {
            backward_node(plan, value, node, x);
        }
}

static void archive(trmi_complex_solver *solver, trmi_archive *a)
{
    trmi_archive_bytes(a, solver->value, (size_t)solver->value_count * sizeof *solver->value);
}

trmi_complex_solver *trmi_block_complex_create(trmi_memory *memory, const trmi_solver *real)
{
    static const trmi_complex_type type = {.factor = factor, .solve = solve, .archive = archive};
    const trmi_block *plan = (const trmi_block *)real;
    block_complex *block;
    if (!TRMI_TAKE(memory, block, 1) || !TRMI_TAKE(memory, block->base.value, real->value_count) ||
        !TRMI_TAKE(memory, block->work, plan->longest) ||
        !TRMI_TAKE(memory, block->reduced, real->n))
        return NULL;
    block->base.type = &type;
    block->base.n = real->n;
    block->base.value_count = real->value_count;
    block->base.turn = 1;
    block->plan = plan;
    return &block->base;
}
