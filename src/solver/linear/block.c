// SPDX-License-Identifier: Apache-2.0
// The block LDL^T as a solver: creation from the plan of block_plan.c, the kernels its nodes want,
// places of entries. Factorization in block_ldl.c, solution in block_solve.c.
#include "solver/linear/block.h"
#include "solver/linear/complex_solver.h"

// entries of `value` in a part: half of a usual first level of the cache
enum { PART_ENTRIES = 2048 };
// links of a group: fewer are quicker one by one
enum { MIN_LINKS = 4 };

// any entry of a block has a place, also where the structure has none
static int position(const trmi_solver *solver, int row, int col)
{
    const trmi_block *block = (const trmi_block *)solver;
    if (row < 0 || row >= solver->n || col < 0 || col >= solver->n)
        return -1;
    int first = block->node_of[col], second = block->node_of[row];
    if (second < first || (second == first && row < col))
        return position(solver, col, row);
    const trmi_block_node *node = &block->node[first], *later = &block->node[second];
    int i = row - later->x, j = col - node->x;
    if (node == later)
        return node->value + i + j * node->size;
    int place = node->value + node->size * node->size;
    for (int q = node->row; q < node->row + node->row_count; q++) {
        if (block->row_x[q] == later->x)
            return place + i + j * block->row_size[q];
        place += block->row_size[q] * node->size;
    }
    return -1;
}

int trmi_block_piece(const trmi_solver *solver, int row, int col)
{
    if (!trmi_is_block(solver))
        return 0;
    const int *node_of = ((const trmi_block *)solver)->node_of;
    return node_of[row] < node_of[col] ? node_of[row] : node_of[col];
}

static unsigned char shape_of(const trmi_block *block, const trmi_block_node *node)
{
    bool body = node->x < block->body_end;
    if (node->size != (body ? 3 : 2))
        return TRMI_BLOCK_ANY;
    for (int q = node->row; q < node->row + node->row_count; q++)
        if (block->row_size[q] != 2 || block->row_x[q] < block->body_end)
            return TRMI_BLOCK_ANY;
    return body ? TRMI_BLOCK_BODY : TRMI_BLOCK_JOINT;
}

// Parts of PART_ENTRIES or a little more.
static bool find_parts(trmi_block *block, trmi_memory *memory)
{
    trmi_block_part *part;
    int count = 0, node_count = block->node_count, needs = 0, begin = 0;
    if (!TRMI_TAKE(memory, block->part, block->base.value_count / PART_ENTRIES + 2))
        return false;
    part = block->part;
    for (int k = 0; k < node_count; k++) {
        const trmi_block_node *node = &block->node[k];
        bool full = node->value - begin >= PART_ENTRIES;
        if (full)
            part[count++].needs = needs;
        if (full || k == 0) {
            part[count].node = k;
            begin = node->value;
        }
        int last =
            node->row_count ? block->node_of[block->row_x[node->row + node->row_count - 1]] : k;
        needs = last + 1 > needs ? last + 1 : needs;
    }
    part[count++].needs = node_count;
    part[count].node = node_count;
    block->part_count = count;
    return true;
}

// whether a body and the joint after it are a step along a chain
static bool is_link(const trmi_block *block, const trmi_block_node *body,
                    const trmi_block_node *end)
{
    const trmi_block_node *joint = body + 1;
    if (joint >= end)
        return false;
    const int *x = block->row_x + body->row;
    return body->shape == TRMI_BLOCK_BODY && body->row_count == 2 &&
           joint->shape == TRMI_BLOCK_JOINT && joint->row_count == 1 && joint->x == x[0] &&
           block->row_x[joint->row] == x[1];
}

// whether one link follows the other at the given distances between the unknowns of their bodies
// (distance[0]) and joints (distance[1])
static bool follows(const trmi_block *block, const trmi_block_node *link,
                    const trmi_block_node *next, const int *distance)
{
    const int *x = block->row_x + link->row, *later = block->row_x + next->row;
    return next->x - link->x == distance[0] && later[0] == x[1] && later[1] - x[1] == distance[1];
}

// how many links follow each other from here on, those of a group at most
static int count_links(const trmi_block *block, const trmi_block_node *first,
                       const trmi_block_node *end)
{
    if (!is_link(block, first, end))
        return 0;
    const trmi_block_node *link = first;
    const int *x = block->row_x + first->row;
    const int distance[] = {first + 2 < end ? first[2].x - first->x : 0, x[1] - x[0]};
    int links = 1;
    for (; links < TRMI_BLOCK_LINKS && is_link(block, link + 2, end); links++, link += 2)
        if (!follows(block, link, link + 2, distance))
            break;
    return links;
}

// Enough links that follow each other within a part become groups (block_link.h).
static void find_groups(trmi_block *block)
{
    for (const trmi_block_part *part = block->part; part < block->part + block->part_count;
         part++) {
        trmi_block_node *node = block->node + part[0].node, *end = block->node + part[1].node;
        while (node < end) {
            int links = count_links(block, node, end);
            if (links < MIN_LINKS) {
                node++;
                continue;
            }
            node[0].links = node[2 * links - 1].links = (unsigned char)links;
            for (int k = 0; k < links; k++, node += 2) {
                node[0].shape = TRMI_BLOCK_LINK;
                node[1].shape = TRMI_BLOCK_LINK_END;
            }
        }
    }
}

// what a factorization writes
static bool take_work(trmi_block *block, trmi_memory *memory, int n)
{
    return TRMI_TAKE(memory, block->reduced, n) && TRMI_TAKE(memory, block->work, block->longest);
}

static trmi_solver *create_twin(trmi_memory *memory, const trmi_solver *solver)
{
    trmi_block *block;
    if (!TRMI_TAKE(memory, block, 1))
        return NULL;
    *block = *(const trmi_block *)solver;
    bool good = TRMI_TAKE(memory, block->base.value, solver->value_count) &&
                take_work(block, memory, solver->n);
    return good ? &block->base : NULL;
}

static const trmi_solver_type block_type = {.name = "block",
                                            .symmetric = true,
                                            .factor = trmi_block_factor,
                                            .factor_filled = trmi_block_factor_filled,
                                            .finish = trmi_block_finish,
                                            .solve = trmi_block_solve,
                                            .solve_constraints = trmi_block_solve_joints,
                                            .solve_from_constraints = trmi_block_solve_from_joints,
                                            .position = position,
                                            .create_twin = create_twin,
                                            .create_complex = trmi_block_complex_create};

bool trmi_is_block(const trmi_solver *solver)
{
    return solver->type == &block_type;
}

trmi_solver *trmi_block_create(trmi_memory *memory, const trmi_structure *structure)
{
    trmi_block *block;
    if (!TRMI_TAKE(memory, block, 1) || !trmi_block_plan(block, memory, structure))
        return NULL;
    for (int k = 0; k < block->node_count; k++) {
        trmi_block_node *node = &block->node[k];
        node->shape = shape_of(block, node);
        int next = k + 1 < block->node_count ? node[1].value : block->base.value_count;
        block->longest =
            next - node->value >= block->longest ? next - node->value + 1 : block->longest;
    }
    const trmi_block_node *last = &block->node[block->node_count - 1];
    for (int q = 0; q < last->row + last->row_count; q++)
        block->waits_for_body = block->waits_for_body || block->row_x[q] < block->body_end;
    block->base.type = &block_type;
    block->base.n = structure->n;
    if (!find_parts(block, memory) || !take_work(block, memory, structure->n))
        return NULL;
    find_groups(block);
    return &block->base;
}
