// SPDX-License-Identifier: Apache-2.0
// Experiments as people and programs read them: the paper's numbers beside ours.
#ifndef TRMI_PROGRAM_REPRODUCE_TABLE_H
#define TRMI_PROGRAM_REPRODUCE_TABLE_H

#include "program/reproduce/coverage.h"

#include <stdio.h>

enum { TRMI_CELL_BYTES = 64 };

// "109", "46.5", "1.2e-05"
void trmi_number_text(char out[TRMI_CELL_BYTES], double number);
// "109", "2-7", "-": what was expected in a cell.
void trmi_expected_format(char out[TRMI_CELL_BYTES], const trmi_cell *cell);
// "92 (70-110)": middle and range of the runs; one number when they agree; "failed" when all runs
// did, "-" when there is nothing to show.
void trmi_measured_format(char out[TRMI_CELL_BYTES], const trmi_measured_row *row, int column);
// The rows of an experiment stand in two tables: those that are compared with a paper, and the
// others. Number of rows of one of them.
int trmi_part_rows(const trmi_experiment *experiment, bool published);
// "paper", "expected", or NULL when no row of the part expects anything.
const char *trmi_expected_heading(const trmi_experiment *experiment, bool published);
// Number of the row's reason among the different ones from 1 on; 0 when none is needed.
int trmi_note_number(const trmi_measured *measured, int row);
// Row with the first occurrence of a reason; -1 past the last number.
int trmi_note_row(const trmi_measured *measured, int number);

// Prints an experiment for terminals (table.c).
void trmi_table_print(FILE *out, const trmi_measured *measured);

// Prints what became of the tables and figures of the papers, and the sums over all experiments,
// for terminals (coverage_table.c).
void trmi_coverage_print(FILE *out, const trmi_coverage *coverage, const trmi_measured *measured,
                         int count);
// "3 of 12 rows reproduced; of 60 numbers 8 lie in our range, 10 with slack", or of the other kind.
void trmi_tally_print(FILE *out, const trmi_tally *tally, bool published);

// Prints experiments as a Markdown document (reproduction_page.c). figures: the folder of the
// figures in links, NULL: none.
void trmi_reproduction_markdown(FILE *out, const trmi_measured *measured, int count,
                                const trmi_coverage *coverage, const char *figures);

// Prints experiments as one JSON object (reproduction_json.c); false: no memory.
bool trmi_reproduction_json(FILE *out, const trmi_measured *measured, int count,
                            const trmi_coverage *coverage);

#endif
