// SPDX-License-Identifier: Apache-2.0
#include "solver/system/groups.h"

#include <string.h>

enum { NONE = -1 };

static int larger(int a, int b)
{
    return a > b ? a : b;
}

bool trmi_groups_create(trmi_groups *g, trmi_memory *memory, int rows, int columns, int most)
{
    *g = (trmi_groups){.rows = rows, .columns = columns};
    if (!TRMI_TAKE(memory, g->group, columns + 1))
        return false;
    g->group[columns] = NONE;
    return TRMI_TAKE(memory, g->row_start, rows + 1) && TRMI_TAKE(memory, g->row_column, most) &&
           TRMI_TAKE(memory, g->column_start, columns + 1) &&
           TRMI_TAKE(memory, g->column_row, most) && TRMI_TAKE(memory, g->degree, columns) &&
           TRMI_TAKE(memory, g->order, columns) && TRMI_TAKE(memory, g->best, columns) &&
           TRMI_TAKE(memory, g->key, columns) && TRMI_TAKE(memory, g->head, columns + 1) &&
           TRMI_TAKE(memory, g->next, columns) && TRMI_TAKE(memory, g->previous, columns) &&
           TRMI_TAKE(memory, g->seen, columns + 1);
}

// lists of `other` by `key`, as start[key] .. start[key+1]-1
static void sort_entries(int n, int n_other, int count, const int *key, const int *other,
                         int *start, int *list)
{
    memset(start, 0, (size_t)(n + 1) * sizeof *start);
    for (int k = 0; k < count; k++)
        if (key[k] >= 0 && key[k] < n && other[k] >= 0 && other[k] < n_other)
            start[key[k]]++;
    for (int i = 0, sum = 0; i <= n; i++) { // each start at the end of its list
        sum += start[i];
        start[i] = sum;
    }
    for (int k = count - 1; k >= 0; k--) // and back to its beginning
        if (key[k] >= 0 && key[k] < n && other[k] >= 0 && other[k] < n_other)
            list[--start[key[k]]] = other[k];
}

// A walk over the columns that intersect column j, each once: seen[] holds the last visitor.
typedef struct walk {
    const trmi_groups *g;
    int j, visitor;
    int row, place; // position: entry of column j, and of that row
} walk;

static walk walk_around(const trmi_groups *g, int j, int visitor)
{
    g->seen[j] = visitor;
    int row = g->column_start[j];
    return (walk){g, j, visitor, row,
                  row < g->column_start[j + 1] ? g->row_start[g->column_row[row]] : 0};
}

// the next neighbour, NONE at the end
static int next_neighbour(walk *w)
{
    const trmi_groups *g = w->g;
    while (w->row < g->column_start[w->j + 1]) {
        int i = g->column_row[w->row];
        while (w->place < g->row_start[i + 1]) {
            int s = g->row_column[w->place++];
            if (g->seen[s] != w->visitor) {
                g->seen[s] = w->visitor;
                return s;
            }
        }
        if (++w->row < g->column_start[w->j + 1])
            w->place = g->row_start[g->column_row[w->row]];
    }
    return NONE;
}

static void forget_visits(trmi_groups *g)
{
    for (int j = 0; j <= g->columns; j++)
        g->seen[j] = NONE;
}

static void read_pattern(trmi_groups *g, int count, const int *row, const int *column)
{
    sort_entries(g->rows, g->columns, count, row, column, g->row_start, g->row_column);
    sort_entries(g->columns, g->rows, count, column, row, g->column_start, g->column_row);
    forget_visits(g);
    g->bound = 0;
    for (int i = 0; i < g->rows; i++) { // different columns of a row
        int length = 0;
        for (int k = g->row_start[i]; k < g->row_start[i + 1]; k++) {
            length += g->seen[g->row_column[k]] != i;
            g->seen[g->row_column[k]] = i;
        }
        g->bound = larger(g->bound, length);
    }
    forget_visits(g);
    for (int j = 0; j < g->columns; j++) {
        walk w = walk_around(g, j, j);
        for (g->degree[j] = 0; next_neighbour(&w) != NONE;)
            g->degree[j]++;
    }
}

// ---- buckets: doubly linked lists of the columns with equal keys ----

static void put(trmi_groups *g, int j, int key)
{
    int first = g->head[key];
    g->key[j] = key;
    g->previous[j] = NONE;
    g->next[j] = first;
    if (first != NONE)
        g->previous[first] = j;
    g->head[key] = j;
}

static void take(trmi_groups *g, int j)
{
    if (g->previous[j] == NONE)
        g->head[g->key[j]] = g->next[j];
    else
        g->next[g->previous[j]] = g->next[j];
    if (g->next[j] != NONE)
        g->previous[g->next[j]] = g->previous[j];
    g->key[j] = NONE; // ordered
}

static void clear_buckets(trmi_groups *g)
{
    for (int k = 0; k <= g->columns; k++)
        g->head[k] = NONE;
}

// ---- orders ----

static void order_naturally(trmi_groups *g)
{
    for (int j = 0; j < g->columns; j++)
        g->order[j] = j;
}

// From the last place to the first: a column of least degree among those left. Where the least
// degree is one less than the number left, they all intersect: no fewer groups than that.
static void order_smallest_last(trmi_groups *g)
{
    int least = 0;
    bool clique = false;
    clear_buckets(g);
    forget_visits(g);
    for (int j = g->columns - 1; j >= 0; j--)
        put(g, j, g->degree[j]);
    for (int left = g->columns; left > 0; left--) {
        while (g->head[least] == NONE)
            least++;
        if (!clique && least > 0 && least == left - 1) {
            clique = true;
            g->bound = larger(g->bound, left);
        }
        int j = g->head[least], s;
        g->order[left - 1] = j;
        take(g, j);
        walk w = walk_around(g, j, left);
        while ((s = next_neighbour(&w)) != NONE)
            if (g->key[s] != NONE) {
                int key = g->key[s] - 1;
                take(g, s);
                put(g, s, key);
            }
        least = larger(least - 1, 0);
    }
}

// the column of largest degree among the first `most` of a list
static int find_largest(const trmi_groups *g, int key, int most)
{
    int best = g->head[key];
    for (int j = best; j != NONE && most > 0; j = g->next[j], most--)
        if (g->degree[j] > g->degree[best])
            best = j;
    return best;
}

// Next: the column with most ordered neighbours, of those one of large degree. Lists are searched
// no further than sum rho^2 / n, so that the search costs no more than the walks.
static void order_incidence_degree(trmi_groups *g)
{
    int most = 0;
    double search = 1;
    for (int i = 0; i < g->rows; i++) {
        double length = g->row_start[i + 1] - g->row_start[i];
        search += length * length / larger(g->columns, 1);
    }
    clear_buckets(g);
    forget_visits(g);
    for (int j = g->columns - 1; j >= 0; j--)
        put(g, j, 0);
    for (int place = 0; place < g->columns; place++) {
        while (g->head[most] == NONE)
            most--;
        int j = find_largest(g, most, search < g->columns ? (int)search : g->columns), s;
        g->order[place] = j;
        take(g, j);
        walk w = walk_around(g, j, place);
        while ((s = next_neighbour(&w)) != NONE)
            if (g->key[s] != NONE) {
                int key = g->key[s] + 1;
                take(g, s);
                put(g, s, key);
            }
        most++;
    }
}

static void order_largest_first(trmi_groups *g)
{
    int place = 0;
    clear_buckets(g);
    for (int j = g->columns - 1; j >= 0; j--)
        put(g, j, g->degree[j]);
    for (int degree = g->columns - 1; degree >= 0; degree--)
        for (int j = g->head[degree]; j != NONE; j = g->next[j])
            g->order[place++] = j;
}

// ---- colouring ----

// in that order, each column into the first group where it meets none of its neighbours
static int color(trmi_groups *g, int *group)
{
    int count = 0, *used = g->key; // the last column that met this group
    for (int j = 0; j < g->columns; j++)
        group[j] = used[j] = NONE;
    forget_visits(g);
    for (int place = 0; place < g->columns; place++) {
        int j = g->order[place], s, first = 0;
        if (g->column_start[j] == g->column_start[j + 1])
            continue;
        walk w = walk_around(g, j, j);
        while ((s = next_neighbour(&w)) != NONE)
            if (group[s] != NONE)
                used[group[s]] = j;
        while (used[first] == j)
            first++;
        group[j] = first;
        count = larger(count, first + 1);
    }
    return count;
}

static void order_columns(trmi_groups *g, trmi_group_order order)
{
    static void (*const orders[])(trmi_groups *) = {
        [TRMI_ORDER_NATURAL] = order_naturally,
        [TRMI_ORDER_SMALLEST_LAST] = order_smallest_last,
        [TRMI_ORDER_INCIDENCE_DEGREE] = order_incidence_degree,
        [TRMI_ORDER_LARGEST_FIRST] = order_largest_first};
    orders[order](g);
}

void trmi_groups_form_by(trmi_groups *g, int count, const int *row, const int *column,
                         trmi_group_order order)
{
    read_pattern(g, count, row, column);
    order_columns(g, order);
    g->count = color(g, g->group);
}

void trmi_groups_form(trmi_groups *g, int count, const int *row, const int *column)
{
    trmi_groups_form_by(g, count, row, column, TRMI_ORDER_SMALLEST_LAST);
    for (int order = TRMI_ORDER_INCIDENCE_DEGREE;
         order <= TRMI_ORDER_LARGEST_FIRST && g->count > g->bound; order++) {
        order_columns(g, (trmi_group_order)order);
        int better = color(g, g->best);
        if (better >= g->count)
            continue;
        g->count = better;
        memcpy(g->group, g->best, (size_t)g->columns * sizeof *g->group);
    }
}
