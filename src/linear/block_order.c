// SPDX-License-Identifier: Apache-2.0
// Symbolic part of the block LDL^T.
//
// Minimum degree on the graph of nodes; among equal degrees the node touched last goes first, which
// walks along a chain and keeps the factor in memory order. A joint has a zero diagonal block and
// waits until all its bodies are eliminated: its pivot is then -G S^-1 G^T, negative definite.
//
// Eliminating a node connects its remaining neighbours with each other; they are its row blocks.
// Edges live in one pool with a list through both ends and a hash table, so that a pair is tested
// in constant time and the whole work is proportional to the number of targets.
#include "linear/block.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

typedef struct edge {
    int node[2];
    int next[2]; // next edge at node[0], node[1]; -1 ends
} edge;

typedef struct graph {
    trmi_memory *scratch;
    int node_count, body_count;
    int edge_count, edge_capacity, original_count; // the first original_count are not fill
    edge *edges;
    int *slot; // hash table: edge + 1, 0 = free; twice as many as edges, a power of two
    int slot_mask;
    int *first_edge; // per node, -1 = none
    int *degree;     // per node: neighbours not yet eliminated
    int *waiting;    // per joint node: its bodies not yet eliminated
    // nodes that may be eliminated, by degree: doubly linked lists
    int *bucket; // per degree: first node, -1 = none
    int *before, *after;
    bool *listed;
    int lowest; // no list below is occupied
    int *rank;  // per node: place in the elimination order, -1 before
    int *order; // nodes in elimination order
    // row blocks: nodes coupled with order[k] and eliminated later, row_start[k] .. row_start[k+1]
    int *rows, *row_start;
    int row_capacity;
} graph;

// array of `count` integers set to `value`
static bool take_filled(trmi_memory *memory, int **out, int count, int value)
{
    if (!TRMI_TAKE(memory, *out, count))
        return false;
    for (int i = 0; i < count; i++)
        (*out)[i] = value;
    return true;
}

static unsigned hash_pair(int a, int b)
{
    uint64_t key = (uint64_t)(unsigned)a << 32 | (unsigned)b;
    return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

// slot that holds the edge a < b, or the free one where it belongs
static int find_slot(const graph *g, int a, int b)
{
    int i = (int)(hash_pair(a, b) & (unsigned)g->slot_mask);
    while (g->slot[i] != 0) {
        const edge *e = &g->edges[g->slot[i] - 1];
        if (e->node[0] == a && e->node[1] == b)
            break;
        i = (i + 1) & g->slot_mask;
    }
    return i;
}

static bool grow_edges(graph *g)
{
    edge *edges;
    if (g->edge_capacity > INT_MAX / 8)
        return false;
    int capacity = g->edge_capacity > 0 ? 2 * g->edge_capacity : 64;
    while (capacity < 2 * g->node_count && capacity < INT_MAX / 8)
        capacity *= 2;
    if (!TRMI_TAKE(g->scratch, edges, capacity) || !TRMI_TAKE(g->scratch, g->slot, 2 * capacity))
        return false;
    if (g->edge_count > 0)
        memcpy(edges, g->edges, (size_t)g->edge_count * sizeof *edges);
    g->edges = edges;
    g->edge_capacity = capacity;
    g->slot_mask = 2 * capacity - 1;
    for (int i = 0; i < g->edge_count; i++)
        g->slot[find_slot(g, edges[i].node[0], edges[i].node[1])] = i + 1;
    return true;
}

// connects two nodes if they are not connected yet; false: no memory
static bool connect(graph *g, int a, int b)
{
    if (a > b) {
        int t = a;
        a = b;
        b = t;
    }
    int slot = find_slot(g, a, b);
    if (g->slot[slot] != 0)
        return true;
    if (g->edge_count == g->edge_capacity) {
        if (!grow_edges(g))
            return false;
        slot = find_slot(g, a, b);
    }
    g->edges[g->edge_count] = (edge){{a, b}, {g->first_edge[a], g->first_edge[b]}};
    g->first_edge[a] = g->first_edge[b] = g->edge_count;
    g->slot[slot] = ++g->edge_count;
    g->degree[a]++;
    g->degree[b]++;
    return true;
}

// takes a node out of the list of its degree
static void unlist(graph *g, int node)
{
    if (!g->listed[node])
        return;
    g->listed[node] = false;
    if (g->before[node] >= 0)
        g->after[g->before[node]] = g->after[node];
    else
        g->bucket[g->degree[node]] = g->after[node];
    if (g->after[node] >= 0)
        g->before[g->after[node]] = g->before[node];
}

// puts a node in front of the list of its degree, unless it is a joint that must wait
static void list(graph *g, int node)
{
    int degree = g->degree[node], head = g->bucket[degree];
    if (g->waiting[node] > 0)
        return;
    g->listed[node] = true;
    g->before[node] = -1;
    g->after[node] = head;
    if (head >= 0)
        g->before[head] = node;
    g->bucket[degree] = node;
    if (degree < g->lowest)
        g->lowest = degree;
}

static bool take_graph(graph *g, const trmi_structure *structure)
{
    trmi_memory *scratch = g->scratch;
    int count = structure->node_count;
    g->node_count = count;
    g->body_count = structure->body_count;
    g->row_capacity = 4 * count + TRMI_BLOCK_ROWS;
    return take_filled(scratch, &g->first_edge, count, -1) &&
           take_filled(scratch, &g->bucket, count, -1) &&
           take_filled(scratch, &g->rank, count, -1) && TRMI_TAKE(scratch, g->degree, count) &&
           TRMI_TAKE(scratch, g->waiting, count) && TRMI_TAKE(scratch, g->before, count) &&
           TRMI_TAKE(scratch, g->after, count) && TRMI_TAKE(scratch, g->listed, count) &&
           TRMI_TAKE(scratch, g->order, count) && TRMI_TAKE(scratch, g->row_start, count + 1) &&
           TRMI_TAKE(scratch, g->rows, g->row_capacity) && grow_edges(g);
}

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

// edges of the graph from the positions; joints wait for their bodies
static bool build_graph(graph *g, const trmi_block *block, const trmi_structure *structure)
{
    if (!take_graph(g, structure))
        return false;
    int last_a = -1, last_b = -1;
    for (int i = 0; i < structure->count; i++) {
        int a = block->node_of[structure->row[i]], b = block->node_of[structure->col[i]];
        if (a == b || (a == last_a && b == last_b))
            continue;
        if ((a >= g->body_count && b >= g->body_count) || !connect(g, a, b))
            return false;
        last_a = a;
        last_b = b;
    }
    g->original_count = g->edge_count;
    for (int k = g->body_count; k < g->node_count; k++)
        g->waiting[k] = g->degree[k];
    for (int k = 0; k < g->node_count; k++)
        list(g, k);
    return true;
}

// the remaining neighbours of `node` become its rows; -1: too many, or no memory
static int collect_rows(graph *g, int node, int start)
{
    int count = g->degree[node];
    if (count > TRMI_BLOCK_ROWS || (start + count) / TRMI_BLOCK_FILL > g->node_count)
        return -1;
    if (start + count > g->row_capacity) {
        int *rows;
        if (!TRMI_TAKE(g->scratch, rows, 2 * g->row_capacity))
            return -1;
        memcpy(rows, g->rows, (size_t)start * sizeof *rows);
        g->rows = rows;
        g->row_capacity *= 2;
    }
    int *row = g->rows + start;
    for (int e = g->first_edge[node]; e >= 0;) {
        int end = g->edges[e].node[1] == node, other = g->edges[e].node[1 - end];
        if (g->rank[other] < 0) {
            *row++ = other;
            if (e < g->original_count && node < g->body_count && other >= g->body_count)
                g->waiting[other]--;
        }
        e = g->edges[e].next[end];
    }
    return count;
}

static bool eliminate(graph *g, int node, int place)
{
    int start = g->row_start[place];
    unlist(g, node);
    g->order[place] = node;
    g->rank[node] = place;
    int count = collect_rows(g, node, start);
    if (count < 0)
        return false;
    g->row_start[place + 1] = start + count;
    const int *row = g->rows + start;
    for (int i = 0; i < count; i++)
        unlist(g, row[i]);
    for (int i = 0; i < count; i++) {
        g->degree[row[i]]--;
        for (int j = 0; j < i; j++)
            if (!connect(g, row[j], row[i]))
                return false;
    }
    for (int i = 0; i < count; i++)
        list(g, row[i]);
    return true;
}

static bool order_nodes(graph *g)
{
    for (int place = 0; place < g->node_count; place++) {
        while (g->bucket[g->lowest] < 0)
            g->lowest++;
        if (!eliminate(g, g->bucket[g->lowest], place))
            return false;
    }
    return true;
}

// rows of each node as ranks, ascending; there are few
static void sort_rows(graph *g)
{
    for (int k = 0; k < g->node_count; k++)
        for (int i = g->row_start[k]; i < g->row_start[k + 1]; i++) {
            int rank = g->rank[g->rows[i]], j = i;
            for (; j > g->row_start[k] && g->rows[j - 1] > rank; j--)
                g->rows[j] = g->rows[j - 1];
            g->rows[j] = rank;
        }
}

// places of all blocks in `value`, node after node
static bool lay_out(trmi_block *block, trmi_memory *memory, const graph *g, const int *node_first)
{
    int rows = g->row_start[g->node_count];
    int64_t value = 0, target = 0;
    if (!TRMI_TAKE(memory, block->node, g->node_count) || !TRMI_TAKE(memory, block->row_x, rows) ||
        !TRMI_TAKE(memory, block->row_size, rows) || !TRMI_TAKE(memory, block->row_value, rows))
        return false;
    block->node_count = g->node_count;
    for (int k = 0; k < g->node_count; k++) {
        const int *first = &node_first[g->order[k]];
        int size = first[1] - first[0], count = g->row_start[k + 1] - g->row_start[k];
        block->node[k] =
            (trmi_block_node){size, count, first[0], (int)value, g->row_start[k], (int)target, 0};
        value += size * size;
        for (int i = g->row_start[k]; i < g->row_start[k + 1]; i++) {
            const int *later = &node_first[g->order[g->rows[i]]];
            block->row_x[i] = later[0];
            block->row_size[i] = later[1] - later[0];
            block->row_value[i] = (int)value;
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
static void find_targets(trmi_block *block, const graph *g)
{
    int *target = block->target;
    for (int k = 0; k < g->node_count; k++)
        for (int p = g->row_start[k]; p < g->row_start[k + 1]; p++) {
            int column = g->rows[p], row = g->row_start[column];
            *target++ = block->node[column].value;
            for (int q = p + 1; q < g->row_start[k + 1]; q++) {
                while (g->rows[row] != g->rows[q])
                    row++;
                *target++ = block->row_value[row];
            }
        }
}

bool trmi_block_plan(trmi_block *block, trmi_memory *memory, const trmi_structure *structure)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    graph g = {.scratch = &scratch};
    bool done = TRMI_TAKE(memory, block->node_of, structure->n) && assign_nodes(block, structure) &&
                build_graph(&g, block, structure) && order_nodes(&g);
    if (done) {
        sort_rows(&g);
        done = lay_out(block, memory, &g, structure->node_first);
    }
    if (done) {
        find_targets(block, &g);
        for (int i = 0; i < structure->n; i++)
            block->node_of[i] = g.rank[block->node_of[i]];
    }
    trmi_memory_release_all(&scratch);
    return done;
}
