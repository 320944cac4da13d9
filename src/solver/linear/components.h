// SPDX-License-Identifier: Apache-2.0
// Groups of constraint rows whose rank can be judged group by group, in time linear in the entries.
//
// Rows without a common column never depend on each other: without bodies the groups are the
// connected components. Rows that join bodies act on both with opposite forces. Then the groups are
// the biconnected components of the graph of bodies (vertices), rows (edges) and the ground: loops
// that meet in one body do not load each other through it. A group leaves out the columns of its
// `root`, the body through which it hangs on the rest; combinations of rows that vanish in all
// others vanish there too, which whoever uses the group should verify.
#ifndef TRMI_SOLVER_LINEAR_COMPONENTS_H
#define TRMI_SOLVER_LINEAR_COMPONENTS_H

#include "base/memory.h"

// A sparse matrix row by row: row i has column[start[i]] .. column[start[i+1]-1].
typedef struct trmi_sparse_rows {
    int m, n; // rows, columns
    int *start, *column;
    double *value;
} trmi_sparse_rows;

typedef struct trmi_components {
    int count;
    int *start, *row; // component c: row[start[c]] .. row[start[c+1]-1]
    int *root;        // its body whose columns are left out, or -1
} trmi_components;

// Creates m rows from `count` entries (row, column, value) in any order, without those that are
// zero or roundoff. Several entries of one position are kept; the caller adds them. False: no
// memory.
bool trmi_sparse_rows_create(trmi_sparse_rows *rows, trmi_memory *memory, int m, int n, int count,
                             const int *row, const int *column, const double *value);

// Finds the components. body_of: the body of each of the n columns; NULL: no bodies. False: no
// memory.
bool trmi_components_find(trmi_components *out, trmi_memory *memory, const trmi_sparse_rows *rows,
                          const int *body_of, int bodies);

// The columns that the rows of component c touch, without those of its root; returns their number.
// stamp: n ints, all different from `mark`, which the columns taken receive. column: NULL to count.
int trmi_component_columns(const trmi_components *components, int c, const trmi_sparse_rows *rows,
                           const int *body_of, int *stamp, int mark, int *column);

#endif
