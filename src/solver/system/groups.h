// SPDX-License-Identifier: Apache-2.0
// Column groups: columns of which no two have an entry in the same row can be differenced together,
//
//     J_ir = (F_i(y + sum_{r in group} d_r e_r) - F_i(y)) / d_r.
//
// The groups are a colouring of the column intersection graph, r ~ s where some row has both. A
// greedy colouring is as good as its order; three orders (Coleman and More, 1983) are tried and the
// best is kept, or the first that reaches the lower bound. All of it costs O(sum_i rho_i^2), rho_i
// the entries of row i.
#ifndef TRMI_SOLVER_SYSTEM_GROUPS_H
#define TRMI_SOLVER_SYSTEM_GROUPS_H

#include "base/memory.h"

typedef enum trmi_group_order {
    TRMI_ORDER_NATURAL,          // as the columns are numbered
    TRMI_ORDER_SMALLEST_LAST,    // the column of least degree among those left goes to the end
    TRMI_ORDER_INCIDENCE_DEGREE, // next: most neighbours already ordered
    TRMI_ORDER_LARGEST_FIRST     // by degree, descending
} trmi_group_order;

// Groups of a pattern, with capacity for patterns that grow: no memory is allocated after creation.
typedef struct trmi_groups {
    int rows, columns;
    int count;  // number of groups
    int bound;  // no grouping has fewer: the longest row, or a set of columns that all intersect
    int *group; // of each column, -1 where it has no entry and for one beyond the last
    // the pattern by rows and by columns
    int *row_start, *row_column, *column_start, *column_row;
    // work: degrees in the graph, order of the columns, buckets of columns with equal keys
    int *degree, *order, *best, *key, *head, *next, *previous, *seen;
} trmi_groups;

// For patterns with up to `most` entries.
bool trmi_groups_create(trmi_groups *g, trmi_memory *memory, int rows, int columns, int most);

// Groups of the pattern of `count` entries (row[k], column[k]); entries with a row or column out of
// range are left out (rows that were dropped), entries may repeat.
void trmi_groups_form(trmi_groups *g, int count, const int *row, const int *column);

// The same by one order alone.
void trmi_groups_form_by(trmi_groups *g, int count, const int *row, const int *column,
                         trmi_group_order order);

#endif
