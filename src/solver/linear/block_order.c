// SPDX-License-Identifier: Apache-2.0
// Symbolic part of the block LDL^T: the order of elimination.
//
// Minimum degree on the graph of nodes; among equal degrees the node touched last goes first, which
// walks along a chain and keeps the factor in memory order. A joint has a zero diagonal block and
// waits until all its bodies are eliminated: its pivot is then -G S^-1 G^T, negative definite.
//
// The order found is then walked as a tree, each node right before the first one it changes: fewest
// things lie between a node and its targets.
//
// Eliminating a node connects its remaining neighbours with each other; they are its row blocks.
// Edges live in one pool with a list through both ends and a hash table, so that a pair is tested
// in constant time and the whole work is proportional to the number of targets.
#include "solver/linear/block.h"

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

// edges of the graph from the positions; joints wait for their bodies
static bool build_graph(graph *g, const trmi_structure *structure, const int *node_of)
{
    if (!take_graph(g, structure))
        return false;
    int last_a = -1, last_b = -1;
    for (int i = 0; i < structure->count; i++) {
        int a = node_of[structure->row[i]], b = node_of[structure->col[i]];
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

// ---- order ----

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

// the place of the first of the rows of place k: its parent in the tree; -1: a root
static int parent_of(const graph *g, int k)
{
    int parent = -1;
    for (int i = g->row_start[k]; i < g->row_start[k + 1]; i++)
        parent = parent < 0 || g->rank[g->rows[i]] < parent ? g->rank[g->rows[i]] : parent;
    return parent;
}

// The tree of places: children in the order in which they are visited, the heaviest first, so that
// the light ones come right before their parent.
typedef struct tree {
    int *parent, *size; // size: nodes of the subtree
    int *child, *next;  // first child, next sibling; -1 ends. The roots are children of `count`
} tree;

static bool grow_tree(tree *t, const graph *g)
{
    int count = g->node_count;
    if (!TRMI_TAKE(g->scratch, t->parent, count) ||
        !take_filled(g->scratch, &t->size, count + 1, 1) ||
        !take_filled(g->scratch, &t->child, count + 1, -1) ||
        !TRMI_TAKE(g->scratch, t->next, count))
        return false;
    for (int k = 0; k < count; k++) { // children come before their parents
        int parent = parent_of(g, k);
        t->parent[k] = parent < 0 ? count : parent;
        t->size[t->parent[k]] += t->size[k];
    }
    for (int k = count - 1; k >= 0; k--) {
        int *child = &t->child[t->parent[k]];
        bool heaviest = *child < 0 || t->size[k] >= t->size[*child];
        int *at = heaviest ? child : &t->next[*child];
        t->next[k] = *at;
        *at = k;
    }
    return true;
}

// places in the order of the walk: children, then their parent
static void walk(const tree *t, int count, int *place)
{
    int k = count, done = 0;
    for (;;) {
        while (t->child[k] >= 0)
            k = t->child[k];
        while (k < count && t->next[k] < 0) {
            place[done++] = k;
            k = t->parent[k];
        }
        if (k == count)
            return;
        place[done++] = k;
        k = t->next[k];
    }
}

// the same elimination in the order of the walk
static bool reorder_nodes(graph *g)
{
    tree t;
    int count = g->node_count, *place, *order, *rows, *row_start;
    if (!grow_tree(&t, g) || !TRMI_TAKE(g->scratch, place, count) ||
        !TRMI_TAKE(g->scratch, order, count) || !TRMI_TAKE(g->scratch, row_start, count + 1) ||
        !TRMI_TAKE(g->scratch, rows, g->row_start[count]))
        return false;
    walk(&t, count, place);
    for (int k = 0; k < count; k++) {
        int from = g->row_start[place[k]], length = g->row_start[place[k] + 1] - from;
        order[k] = g->order[place[k]];
        g->rank[order[k]] = k;
        memcpy(rows + row_start[k], g->rows + from, (size_t)length * sizeof *rows);
        row_start[k + 1] = row_start[k] + length;
    }
    g->order = order;
    g->rows = rows;
    g->row_start = row_start;
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

bool trmi_block_find_order(trmi_block_order *out, trmi_memory *scratch,
                           const trmi_structure *structure, const int *node_of)
{
    graph g = {.scratch = scratch};
    if (!build_graph(&g, structure, node_of) || !order_nodes(&g) || !reorder_nodes(&g))
        return false;
    sort_rows(&g);
    *out = (trmi_block_order){g.node_count, g.order, g.rank, g.rows, g.row_start};
    return true;
}
