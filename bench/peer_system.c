// SPDX-License-Identifier: Apache-2.0
#include "peer_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *take(peer_system *peer, size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    peer->block[peer->blocks++] = memory;
    return memory;
}

static int is_supplied(const trm_system *system, trm_quantity quantity)
{
    return system->function[quantity] != NULL || (system->evaluates & TRM_BIT_OF(quantity)) != 0;
}

// Writes a dense or a diagonal pattern, or blocks, out as entries.
static int expand_pattern(peer_system *peer, trm_quantity quantity)
{
    int rows, columns;
    trm_system_shape(peer->system, quantity, &rows, &columns);
    trm_pattern pattern = peer->system->pattern[quantity];
    if (pattern.count > 0 && !pattern.block) {
        peer->pattern[quantity] = pattern;
        return 0;
    }
    int diagonal = pattern.count == TRM_PATTERN_DIAGONAL;
    int count = pattern.count > 0 ? pattern.count : diagonal ? rows : rows * columns;
    int *row = take(peer, 2 * (size_t)count, sizeof *row);
    if (row == NULL)
        return -1;
    int *column = row + count;
    for (int k = 0; k < count; k++) {
        row[k] = diagonal ? k : k % rows;
        column[k] = diagonal ? k : k / rows;
    }
    trm_pattern_list(&pattern, row, column);
    peer->pattern[quantity] = (trm_pattern){.count = count, .row = row, .column = column};
    return 0;
}

static int prepare(peer_system *peer, trm_quantity quantity)
{
    if (peer->system->pattern[quantity].count == TRM_PATTERN_ZERO)
        return 0;
    if (!is_supplied(peer->system, quantity) || expand_pattern(peer, quantity) != 0)
        return -1;
    peer->value[quantity] = take(peer, (size_t)peer->pattern[quantity].count, sizeof(double));
    return peer->value[quantity] != NULL ? 0 : -1;
}

static int call(peer_system *peer, const trm_state *state, uint64_t wanted)
{
    const trm_system *system = peer->system;
    double *want[TRM_QUANTITY_COUNT] = {0};
    int together = 0;
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
        int quantity = __builtin_ctzll(rest);
        if (peer->value[quantity] == NULL)
            continue;
        if (system->evaluates & TRM_BIT_OF(quantity)) {
            want[quantity] = peer->value[quantity];
            together = 1;
        } else {
            int rc = system->function[quantity](state, peer->value[quantity], system->user);
            if (rc != 0)
                return rc;
        }
    }
    return together ? system->evaluate(state, want, system->user) : 0;
}

int peer_system_open(peer_system *peer, const trm_system *system, uint64_t needed,
                     const trm_state *initial)
{
    *peer = (peer_system){.system = system, .n = system->n_q, .m = system->n_g};
    if (system->n_x > 0 || system->n_z > 0 || system->n_a > 0 || system->n_u > 0)
        return -1;
    for (int quantity = 0; quantity < TRM_QUANTITY_COUNT; quantity++)
        if ((needed & TRM_BIT_OF(quantity)) && prepare(peer, (trm_quantity)quantity) != 0) {
            peer_system_close(peer);
            return -1;
        }
    return call(peer, initial, needed & system->constant);
}

void peer_system_close(peer_system *peer)
{
    for (int k = 0; k < peer->blocks; k++)
        free(peer->block[k]);
    peer->blocks = 0;
}

int peer_system_evaluate(peer_system *peer, const trm_state *state, uint64_t wanted)
{
    return call(peer, state, wanted & ~peer->system->constant);
}

void peer_add_product(const peer_system *peer, trm_quantity quantity, double s, const double *x,
                      double *y)
{
    const trm_pattern pattern = peer->pattern[quantity];
    const double *value = peer->value[quantity];
    for (int k = 0; k < pattern.count; k++)
        y[pattern.row[k]] += s * value[k] * x[pattern.column[k]];
}

void peer_add_transposed(const peer_system *peer, trm_quantity quantity, double s, const double *x,
                         double *y)
{
    const trm_pattern pattern = peer->pattern[quantity];
    const double *value = peer->value[quantity];
    for (int k = 0; k < pattern.count; k++)
        y[pattern.column[k]] += s * value[k] * x[pattern.row[k]];
}

typedef struct entry {
    int row, column;
    int *slot;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

// Bucket sort by column, then a small sort by row within each column.
static void sort_entries(const entry *from, entry *to, int count, int64_t *start, int n)
{
    memset(start, 0, (size_t)(n + 1) * sizeof *start);
    for (int k = 0; k < count; k++)
        start[from[k].column + 1]++;
    for (int j = 0; j < n; j++)
        start[j + 1] += start[j];
    for (int k = 0; k < count; k++)
        to[start[from[k].column]++] = from[k];
    for (int j = n; j > 0; j--)
        start[j] = start[j - 1];
    start[0] = 0;
    for (int j = 0; j < n; j++)
        qsort(to + start[j], (size_t)(start[j + 1] - start[j]), sizeof *to, compare_entries);
}

static void list_entries(peer_block *block, int blocks, entry *list, int *slots)
{
    for (int b = 0; b < blocks; b++) {
        block[b].slot = slots;
        for (int k = 0; k < block[b].pattern.count; k++) {
            int row = block[b].pattern.row[k], column = block[b].pattern.column[k];
            list->row = block[b].row0 + (block[b].transposed ? column : row);
            list->column = block[b].column0 + (block[b].transposed ? row : column);
            list++->slot = slots++;
        }
    }
}

int peer_sparse_create(peer_sparse *sparse, int n, peer_block *block, int blocks)
{
    int total = 0;
    for (int b = 0; b < blocks; b++)
        total += block[b].pattern.count;
    entry *list = malloc(2 * (size_t)(total + 1) * sizeof *list);
    *sparse = (peer_sparse){.n = n};
    sparse->start = malloc((size_t)(n + 1) * sizeof *sparse->start);
    sparse->row = malloc((size_t)(total + 1) * sizeof *sparse->row);
    sparse->slots = malloc((size_t)(total + 1) * sizeof *sparse->slots);
    if (list == NULL || sparse->start == NULL || sparse->row == NULL || sparse->slots == NULL) {
        free(list);
        peer_sparse_destroy(sparse);
        return -1;
    }
    entry *sorted = list + total + 1;
    list_entries(block, blocks, list, sparse->slots);
    sort_entries(list, sorted, total, sparse->start, n);
    int column = -1, count = 0;
    for (int k = 0; k < total; k++) {
        int same = k > 0 && compare_entries(&sorted[k], &sorted[k - 1]) == 0;
        while (column < sorted[k].column)
            sparse->start[++column] = count;
        if (!same)
            sparse->row[count++] = sorted[k].row;
        *sorted[k].slot = count - 1;
    }
    while (column < n)
        sparse->start[++column] = count;
    sparse->count = count;
    free(list);
    return 0;
}

void peer_sparse_destroy(peer_sparse *sparse)
{
    free(sparse->start);
    free(sparse->row);
    free(sparse->slots);
    *sparse = (peer_sparse){0};
}

void peer_block_add(const peer_block *block, double s, const double *value, double *data)
{
    for (int k = 0; k < block->pattern.count; k++)
        data[block->slot[k]] += s * value[k];
}

int *peer_range(int n)
{
    int *range = malloc((size_t)n * sizeof *range);
    for (int k = 0; range != NULL && k < n; k++)
        range[k] = k;
    return range;
}

double peer_max(const double *x, int n)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++) {
        if (isnan(x[k]))
            return x[k];
        largest = fmax(largest, fabs(x[k]));
    }
    return largest;
}
