// SPDX-License-Identifier: Apache-2.0
// What a paper prints: its tables and figures with every number in them. A file
// experiments/papers/*.yaml, to which the rows of experiments refer:
//
//     trammel-paper: 1
//     title: "J. Yen and L. Petzold, TR 96-028 (1996)"
//     contents:                       # all tables and figures, in the order of the paper
//       - name: Figure 5.2
//         sketch: a mass on a circle with a spring            # nothing that could be compared
//       - name: Table 5.2
//         shows: counters of a mass with a stiff spring
//         columns: [steps, fevals]
//         rows:                       # as printed; null where nothing is printed
//           "TOL 1e-3, GGL": [109, 383]
//         missing: {fevals: why no experiment compares this column}
//       - name: Figure 5.1
//         shows: total energy
//         missing: why it is not there                        # one text for all that is missing
//       - {name: Table 4.1, elsewhere: Table 5.1 of the report} # where its numbers are counted
//
// A number belongs to one table only: numbers are counted here, and nowhere else.
#ifndef TRMI_PROGRAM_REPRODUCE_PAPER_H
#define TRMI_PROGRAM_REPRODUCE_PAPER_H

#include "modelling/reader/yaml/document.h"

enum { TRMI_PAPER_COLUMNS = 16 };

// A table or figure.
typedef struct trmi_printed_table {
    const char *name;  // "Table 5.2"
    const char *shows; // NULL: not stated
    bool sketch;       // there is nothing to compare
    const char *column[TRMI_PAPER_COLUMNS];
    const char *missing[TRMI_PAPER_COLUMNS]; // why a column is not compared; NULL: not stated
    const char *absent;                      // why the rest is not there; NULL: not stated
    const char *elsewhere;                   // where its numbers are counted; NULL: here
    int columns;
    const char **row; // names
    int rows;
    double *number; // rows x columns, NaN: nothing printed
} trmi_printed_table;

typedef struct trmi_paper {
    const char *title;
    trmi_printed_table *table;
    int tables;
} trmi_paper;

// Reads a file; what is wrong is reported, and counted in *errors. NULL: it cannot be read at all,
// or, with *errors 0, there is no memory. The paper lives as long as memory.
trmi_paper *trmi_paper_read(trmi_memory *memory, const char *path, int *errors,
                            trm_diagnostic_function *report, void *user);

// The table of that name, NULL when there is none.
const trmi_printed_table *trmi_paper_find(const trmi_paper *paper, const char *name);
// The number of a row, -1 when there is none.
int trmi_printed_row(const trmi_printed_table *table, const char *name);
// The number of a column, likewise.
int trmi_printed_column(const trmi_printed_table *table, const char *name);

#endif
