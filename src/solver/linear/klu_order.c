// SPDX-License-Identifier: Apache-2.0
// The structure of a sparse matrix for KLU: compressed columns, and the order of elimination.
#include "solver/linear/klu.h"

#include "solver/linear/block.h"

#include <math.h>

// start[k+1] = number of positions with key <= k; then each place is filled once
static void count_keys(int *start, const int *key, int count, int n)
{
    for (int i = 0; i < count; i++)
        start[key[i] + 1]++;
    for (int k = 0; k < n; k++)
        start[k + 1] += start[k];
}

// positions by column, rows ascending, each once: bucket sort by row, then by column
static bool compress(trmi_klu_structure *s, trmi_memory *memory, trmi_memory *scratch,
                     const trmi_structure *structure)
{
    int n = structure->n, count = structure->count;
    int *by_row, *start, *place, *column;
    if (!TRMI_TAKE(scratch, by_row, count) || !TRMI_TAKE(scratch, start, n + 2) ||
        !TRMI_TAKE(scratch, place, n + 2) || !TRMI_TAKE(scratch, column, count) ||
        !TRMI_TAKE(memory, s->column_start, n + 1))
        return false;
    count_keys(place, structure->row, count, n);
    for (int i = 0; i < count; i++)
        by_row[place[structure->row[i]]++] = i;
    count_keys(start, structure->col, count, n);
    for (int k = 0; k <= n; k++)
        place[k] = start[k];
    for (int i = 0; i < count; i++)
        column[place[structure->col[by_row[i]]]++] = structure->row[by_row[i]];
    int kept = 0;
    for (int k = 0; k < n; k++) {
        int first = kept;
        for (int i = start[k]; i < start[k + 1]; i++)
            if (kept == first || column[kept - 1] != column[i])
                column[kept++] = column[i];
        s->column_start[k + 1] = kept;
    }
    if (!TRMI_TAKE(memory, s->row, kept))
        return false;
    for (int i = 0; i < kept; i++)
        s->row[i] = column[i];
    return true;
}

bool trmi_klu_compress(trmi_klu_structure *s, trmi_memory *memory, const trmi_structure *structure)
{
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    bool done = compress(s, memory, &scratch, structure);
    trmi_memory_release_all(&scratch);
    return done;
}

// A constraint has no diagonal entry and takes the row of one of its unknowns as pivot. Where such
// an unknown is coupled to nearly all others (the frame of a beam), its row spreads over the whole
// matrix if that happens early: the constraint has to wait. order: n, of the ordering.
static bool postpone(const trmi_klu_structure *s, trmi_memory *scratch, int n, int constraints,
                     int *order)
{
    int late = 0, early = 0, *tail;
    const double dense = fmax(16, 10 * sqrt((double)n)); // as AMD judges
    if (!TRMI_TAKE(scratch, tail, n))
        return false;
    for (int k = 0; k < n; k++) {
        int column = s->symbolic->Q[k];
        bool wide = false;
        for (int i = s->column_start[column]; i < s->column_start[column + 1]; i++) {
            int row = s->row[i];
            wide = wide || s->column_start[row + 1] - s->column_start[row] > dense;
        }
        if (wide && column >= n - constraints)
            tail[late++] = column;
        else
            order[early++] = column;
    }
    for (int k = 0; k < late; k++)
        order[early + k] = tail[k];
    return late > 0;
}

// Bodies and joints have an order in which no pivot has to be searched for: a joint comes after its
// bodies and has a diagonal block by then. Other orders meet zeros there, and with what KLU takes
// instead the factors of a spatial chain are full.
static bool order_nodes(trmi_memory *scratch, const trmi_structure *structure, int *order)
{
    const int *first = structure->node_first;
    trmi_block_order nodes;
    int *node_of, count = 0;
    if (structure->node_count == 0 || !TRMI_TAKE(scratch, node_of, structure->n))
        return false;
    for (int k = 0; k < structure->node_count; k++)
        for (int i = first[k]; i < first[k + 1]; i++)
            node_of[i] = k;
    if (!trmi_block_find_order(&nodes, scratch, structure, node_of))
        return false;
    for (int k = 0; k < nodes.count; k++)
        for (int i = first[nodes.order[k]]; i < first[nodes.order[k] + 1]; i++)
            order[count++] = i;
    return count == structure->n;
}

bool trmi_klu_analyze(trmi_klu_structure *s, const trmi_memory *memory,
                      const trmi_structure *structure)
{
    int n = structure->n, *order;
    trmi_memory scratch;
    trmi_memory_init(&scratch, &memory->allocator);
    bool good = TRMI_TAKE(&scratch, order, n);
    if (good && order_nodes(&scratch, structure, order))
        s->symbolic = klu_analyze_given(n, s->column_start, s->row, order, order, &s->common);
    else
        s->symbolic = klu_analyze(n, s->column_start, s->row, &s->common);
    if (s->symbolic && good && structure->node_count == 0 &&
        postpone(s, &scratch, n, structure->constraints, order)) {
        klu_free_symbolic(&s->symbolic, &s->common);
        s->symbolic = klu_analyze_given(n, s->column_start, s->row, order, order, &s->common);
    }
    trmi_memory_release_all(&scratch);
    return s->symbolic != NULL;
}
