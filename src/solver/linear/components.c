// SPDX-License-Identifier: Apache-2.0
// Biconnected components by depth-first search (Hopcroft and Tarjan), with a stack instead of
// recursion: chains are as deep as they are long.
#include "solver/linear/components.h"

#include <float.h>
#include <math.h>
#include <string.h>

// entries up to this part of the largest one are roundoff: a row of nothing else has no direction
static const double ROUNDOFF = 4 * DBL_EPSILON;

bool trmi_sparse_rows_create(trmi_sparse_rows *rows, trmi_memory *memory, int m, int n, int count,
                             const int *row, const int *column, const double *value)
{
    *rows = (trmi_sparse_rows){.m = m, .n = n};
    if (!TRMI_TAKE(memory, rows->start, m + 2) || !TRMI_TAKE(memory, rows->column, count) ||
        !TRMI_TAKE(memory, rows->value, count))
        return false;
    int *next = rows->start + 1; // ends as the starts of the rows
    double least = ROUNDOFF * trmi_max_abs(value, count);
    for (int k = 0; k < count; k++)
        next[row[k] + 1] += fabs(value[k]) > least;
    for (int i = 0; i < m; i++)
        next[i + 1] += next[i];
    for (int k = 0; k < count; k++)
        if (fabs(value[k]) > least) {
            int place = next[row[k]]++;
            rows->column[place] = column[k];
            rows->value[place] = value[k];
        }
    return true;
}

// ---- connected components ----

static int find_leader(int *leader, int i)
{
    while (leader[i] != i)
        i = leader[i] = leader[leader[i]];
    return i;
}

// label[i] = a column that represents all those connected with row i; zero rows have own labels
static bool label_connected(int *label, trmi_memory *scratch, const trmi_sparse_rows *rows)
{
    int *leader;
    if (!TRMI_TAKE(scratch, leader, rows->n))
        return false;
    for (int j = 0; j < rows->n; j++)
        leader[j] = j;
    for (int i = 0; i < rows->m; i++)
        for (int k = rows->start[i] + 1; k < rows->start[i + 1]; k++)
            leader[find_leader(leader, rows->column[k])] =
                find_leader(leader, rows->column[rows->start[i]]);
    for (int i = 0; i < rows->m; i++)
        label[i] = rows->start[i] < rows->start[i + 1]
                       ? find_leader(leader, rows->column[rows->start[i]])
                       : rows->n + i;
    return true;
}

// ---- biconnected components ----

// Vertex 0 is the ground, b + 1 body b. Edge e belongs to row edge_row[e].
typedef struct graph {
    int vertices, edges;
    int *end[2];            // of the edges
    int *edge_row;          //
    int *start, *incidence; // edges of vertex v: incidence[start[v]] .. incidence[start[v+1]-1]
} graph;

static void add_edge(graph *g, int a, int b, int row)
{
    if (g->edge_row) {
        g->end[0][g->edges] = a;
        g->end[1][g->edges] = b;
        g->edge_row[g->edges] = row;
    }
    g->edges++;
}

// A row of one body joins it with the ground, one of several bodies in a ring: all its edges come
// to lie in one component. seen: per body, the last row that touched it, plus 1.
static void add_edges(graph *g, const trmi_sparse_rows *rows, const int *body_of, int *seen)
{
    memset(seen, 0, (size_t)g->vertices * sizeof *seen);
    g->edges = 0;
    for (int i = 0; i < rows->m; i++) {
        int first = -1, last = -1, count = 0;
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
            int b = body_of[rows->column[k]];
            if (seen[b] == i + 1)
                continue;
            seen[b] = i + 1;
            if (count++ > 0)
                add_edge(g, last + 1, b + 1, i);
            else
                first = b;
            last = b;
        }
        if (count == 1)
            add_edge(g, 0, first + 1, i);
        else if (count > 2)
            add_edge(g, last + 1, first + 1, i);
    }
}

static bool create_graph(graph *g, trmi_memory *scratch, const trmi_sparse_rows *rows,
                         const int *body_of, int bodies)
{
    int *seen;
    *g = (graph){.vertices = bodies + 1};
    if (!TRMI_TAKE(scratch, seen, bodies + 1))
        return false;
    add_edges(g, rows, body_of, seen);
    if (!TRMI_TAKE(scratch, g->end[0], g->edges) || !TRMI_TAKE(scratch, g->end[1], g->edges) ||
        !TRMI_TAKE(scratch, g->edge_row, g->edges) ||
        !TRMI_TAKE(scratch, g->start, g->vertices + 2) ||
        !TRMI_TAKE(scratch, g->incidence, 2 * g->edges))
        return false;
    add_edges(g, rows, body_of, seen);
    int *next = g->start + 1;
    for (int e = 0; e < g->edges; e++)
        for (int k = 0; k < 2; k++)
            next[g->end[k][e] + 1]++;
    for (int v = 0; v < g->vertices; v++)
        next[v + 1] += next[v];
    for (int e = 0; e < g->edges; e++)
        for (int k = 0; k < 2; k++)
            g->incidence[next[g->end[k][e]]++] = e;
    return true;
}

// The search: `found` numbers the vertices as they are met, `low` is the least number that the
// subtree of a vertex reaches. Where it does not reach above the parent, the edges since then are a
// component, and the parent is its root.
typedef struct search {
    const graph *graph;
    int *found;                  // per vertex: number in the order of the search, 0: not yet
    int *low;                    // per vertex: least number reached from its subtree
    int *next;                   // per vertex: next edge to follow
    int *path, *entry, depth;    // vertices from the root on, and the edges that led to them
    int *pending, pending_count; // edges of components that are not complete yet
    int clock;
    int *label, labels; // per row
    int *root;          // per label, as a body
} search;

static bool create_search(search *s, trmi_memory *scratch, const graph *g)
{
    s->graph = g;
    return TRMI_TAKE(scratch, s->found, g->vertices) && TRMI_TAKE(scratch, s->low, g->vertices) &&
           TRMI_TAKE(scratch, s->next, g->vertices) && TRMI_TAKE(scratch, s->path, g->vertices) &&
           TRMI_TAKE(scratch, s->entry, g->vertices) && TRMI_TAKE(scratch, s->pending, g->edges) &&
           TRMI_TAKE(scratch, s->root, g->edges);
}

static void enter(search *s, int vertex, int edge)
{
    s->found[vertex] = s->low[vertex] = ++s->clock;
    s->next[vertex] = s->graph->start[vertex];
    s->path[s->depth] = vertex;
    s->entry[s->depth++] = edge;
}

// the last vertex of the path is done
static void leave(search *s)
{
    int vertex = s->path[--s->depth], edge = s->entry[s->depth];
    if (s->depth == 0)
        return;
    int parent = s->path[s->depth - 1], last;
    s->low[parent] = s->low[vertex] < s->low[parent] ? s->low[vertex] : s->low[parent];
    if (s->low[vertex] < s->found[parent])
        return;
    do {
        last = s->pending[--s->pending_count];
        s->label[s->graph->edge_row[last]] = s->labels;
    } while (last != edge);
    s->root[s->labels++] = parent - 1;
}

static void explore(search *s, int from)
{
    const graph *g = s->graph;
    enter(s, from, -1);
    while (s->depth > 0) {
        int vertex = s->path[s->depth - 1];
        if (s->next[vertex] == g->start[vertex + 1]) {
            leave(s);
            continue;
        }
        int edge = g->incidence[s->next[vertex]++];
        int other = g->end[g->end[0][edge] == vertex][edge];
        if (edge == s->entry[s->depth - 1] || s->found[other] > s->found[vertex])
            continue; // the way here, or an edge seen from its other end
        s->pending[s->pending_count++] = edge;
        if (!s->found[other])
            enter(s, other, edge);
        else if (s->found[other] < s->low[vertex])
            s->low[vertex] = s->found[other];
    }
}

// ---- both ----

// rows with equal labels together, in the order in which the labels appear
static bool collect(trmi_components *out, trmi_memory *memory, trmi_memory *scratch,
                    const int *label, int labels, int m, const int *root)
{
    int *number, *next;
    if (!TRMI_TAKE(scratch, number, labels) || !TRMI_TAKE(memory, out->start, m + 2) ||
        !TRMI_TAKE(memory, out->row, m) || !TRMI_TAKE(memory, out->root, m))
        return false;
    next = out->start + 1;
    for (int i = 0; i < m; i++) {
        if (!number[label[i]]) {
            out->root[out->count] = root ? root[label[i]] : -1;
            number[label[i]] = ++out->count;
        }
        next[number[label[i]]]++;
    }
    for (int c = 0; c < out->count; c++)
        next[c + 1] += next[c];
    for (int i = 0; i < m; i++)
        out->row[next[number[label[i]] - 1]++] = i;
    return true;
}

static bool find_biconnected(trmi_components *out, trmi_memory *memory, trmi_memory *scratch,
                             const trmi_sparse_rows *rows, const int *body_of, int bodies,
                             int *label)
{
    graph g;
    search s = {.label = label};
    int *root;
    if (!create_graph(&g, scratch, rows, body_of, bodies) || !create_search(&s, scratch, &g) ||
        !TRMI_TAKE(scratch, root, g.edges + rows->m))
        return false;
    for (int v = 0; v < g.vertices; v++)
        if (!s.found[v])
            explore(&s, v);
    memcpy(root, s.root, (size_t)s.labels * sizeof *root);
    for (int i = 0; i < rows->m; i++)
        if (rows->start[i] == rows->start[i + 1]) { // zero rows are on their own
            root[s.labels] = -1;
            label[i] = s.labels++;
        }
    return collect(out, memory, scratch, label, s.labels, rows->m, root);
}

bool trmi_components_find(trmi_components *out, trmi_memory *memory, const trmi_sparse_rows *rows,
                          const int *body_of, int bodies)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    int *label;
    *out = (trmi_components){0};
    bool good = TRMI_TAKE(&scratch, label, rows->m);
    if (good && body_of)
        good = find_biconnected(out, memory, &scratch, rows, body_of, bodies, label);
    else if (good)
        good = label_connected(label, &scratch, rows) &&
               collect(out, memory, &scratch, label, rows->n + rows->m, rows->m, NULL);
    trmi_memory_release_all(&scratch);
    return good;
}

int trmi_component_columns(const trmi_components *components, int c, const trmi_sparse_rows *rows,
                           const int *body_of, int *stamp, int mark, int *column)
{
    int count = 0, root = components->root[c];
    for (int i = components->start[c]; i < components->start[c + 1]; i++)
        for (int k = rows->start[components->row[i]]; k < rows->start[components->row[i] + 1];
             k++) {
            int j = rows->column[k];
            if (stamp[j] == mark || (root >= 0 && body_of[j] == root))
                continue;
            stamp[j] = mark;
            if (column)
                column[count] = j;
            count++;
        }
    return count;
}
