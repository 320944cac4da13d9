// SPDX-License-Identifier: Apache-2.0
// Symbolic part of the block LDL^T: nodes, layout and targets, with the order of block_order.c.
//
// A spatial body whose translations and rotations are not coupled with each other is two nodes:
// what couples it with other bodies concerns the rotations alone, and half the fill is saved.
#include "solver/linear/block.h"

#include <limits.h>
#include <stdint.h>

// the nodes must cover the unknowns, each with 1 to 6 of them
static bool assign_nodes(trmi_block *block, const trmi_structure *structure)
{
    const int *first = structure->node_first;
    int count = structure->node_count, bodies = structure->body_count;
    if (count <= 0 || count > INT_MAX / 64 || bodies < 0 || bodies > count || first[0] != 0 ||
        first[count] != structure->n)
        return false;
    for (int k = 0; k < count; k++) {
        int size = first[k + 1] - first[k];
        if (size < 1 || size > TRMI_BLOCK_SIZE)
            return false;
        for (int i = 0; i < size; i++)
            block->node_of[first[k] + i] = k;
    }
    block->body_end = first[bodies];
    return true;
}

// places of all blocks in `value`, node after node
static bool lay_out(trmi_block *block, trmi_memory *memory, const trmi_block_order *order,
                    const int *node_first)
{
    int rows = order->row_start[order->count];
    int64_t value = 0, target = 0;
    if (!TRMI_TAKE(memory, block->node, order->count) || !TRMI_TAKE(memory, block->row_x, rows) ||
        !TRMI_TAKE(memory, block->row_size, rows))
        return false;
    block->node_count = order->count;
    for (int k = 0; k < order->count; k++) {
        const int *first = &node_first[order->order[k]];
        int size = first[1] - first[0], count = order->row_start[k + 1] - order->row_start[k];
        block->node[k] = (trmi_block_node){.x = first[0],
                                           .value = (int)value,
                                           .row = order->row_start[k],
                                           .target = (int)target,
                                           .size = (unsigned char)size,
                                           .row_count = (unsigned char)count};
        value += size * size;
        for (int i = order->row_start[k]; i < order->row_start[k + 1]; i++) {
            const int *later = &node_first[order->order[order->rows[i]]];
            block->row_x[i] = later[0];
            block->row_size[i] = (unsigned char)(later[1] - later[0]);
            value += size * block->row_size[i];
        }
        target += count * (count + 1) / 2;
        if (value > INT_MAX || target > INT_MAX)
            return false;
    }
    block->base.value_count = (int)value;
    return TRMI_TAKE(memory, block->target, target) && TRMI_TAKE(memory, block->base.value, value);
}

// targets of node k: A_qp lies in node p, whose rows contain those of node k after p
static void find_targets(trmi_block *block, const trmi_block_order *order)
{
    int *target = block->target;
    for (int k = 0; k < order->count; k++)
        for (int p = order->row_start[k]; p < order->row_start[k + 1]; p++) {
            int column = order->rows[p], row = order->row_start[column];
            int size = block->node[column].size, place = block->node[column].value;
            *target++ = place;
            place += size * size;
            for (int q = p + 1; q < order->row_start[k + 1]; q++) {
                while (order->rows[row] != order->rows[q])
                    place += size * block->row_size[row++];
                *target++ = place;
            }
        }
}

// Halves of bodies that are not coupled become nodes of their own: replaces the nodes and bodies of
// the structure; `node_of` belongs to the nodes before. False: no memory.
static bool split_bodies(trmi_structure *structure, trmi_memory *scratch, const int *node_of)
{
    int bodies = structure->body_count, count = 0, *first;
    const int *old = structure->node_first;
    bool *whole;
    if (!TRMI_TAKE(scratch, first, structure->node_count + bodies + 1) ||
        !TRMI_TAKE(scratch, whole, structure->node_count))
        return false;
    for (int i = 0; i < structure->count; i++) {
        int node = node_of[structure->row[i]], middle = old[node] + TRMI_BLOCK_SIZE / 2;
        if (node == node_of[structure->col[i]] &&
            (structure->row[i] < middle) != (structure->col[i] < middle))
            whole[node] = true;
    }
    for (int k = 0; k < structure->node_count; k++) {
        first[count++] = old[k];
        if (k < bodies && old[k + 1] - old[k] == TRMI_BLOCK_SIZE && !whole[k]) {
            first[count++] = old[k] + TRMI_BLOCK_SIZE / 2;
            structure->body_count++;
        }
    }
    first[count] = structure->n;
    structure->node_count = count;
    structure->node_first = first;
    return true;
}

bool trmi_block_plan(trmi_block *block, trmi_memory *memory, const trmi_structure *given)
{
    trmi_structure structure = *given;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    trmi_block_order order;
    bool done = TRMI_TAKE(memory, block->node_of, structure.n) && assign_nodes(block, &structure) &&
                split_bodies(&structure, &scratch, block->node_of) &&
                assign_nodes(block, &structure) &&
                trmi_block_find_order(&order, &scratch, &structure, block->node_of) &&
                lay_out(block, memory, &order, structure.node_first);
    if (done) {
        find_targets(block, &order);
        for (int i = 0; i < structure.n; i++)
            block->node_of[i] = order.rank[block->node_of[i]];
    }
    trmi_memory_release_all(&scratch);
    return done;
}
