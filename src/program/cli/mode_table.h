// SPDX-License-Identifier: Apache-2.0
// Modes for people and programs: a table, JSON, CSV.
#ifndef TRMI_PROGRAM_CLI_MODE_TABLE_H
#define TRMI_PROGRAM_CLI_MODE_TABLE_H

#include "trammel/model.h"
#include "trammel/modes.h"

#include <stdio.h>

// Modes of a model at a time, everything borrowed.
typedef struct trmi_mode_table {
    const trm_model *model;
    const trm_modes *modes;
    double t;
} trmi_mode_table;

// The kind of state, and a line per mode with the largest coordinates of its shape.
void trmi_mode_table_print(const trmi_mode_table *table);

// The modes as JSON, owned by the caller (free); NULL when there is no memory.
char *trmi_mode_table_json(const trmi_mode_table *table);
// The same as CSV.
char *trmi_mode_table_csv(const trmi_mode_table *table);

// "phi2 1, w4 -0.31+0.2i": the largest of n entries of a shape, which belong to coordinates and
// then states, in the order of their size. imaginary may be NULL.
void trmi_print_shape(const trm_model *model, int n, const double *shape, const double *imaginary);

#endif
