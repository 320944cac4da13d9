// SPDX-License-Identifier: Apache-2.0
// Tables of a model file: points in the file itself, or columns of a CSV file.
#ifndef TRMI_MODELLING_READER_TABLES_H
#define TRMI_MODELLING_READER_TABLES_H

#include "modelling/reader/reading.h"

// Two columns of a CSV file, by name or number.
typedef struct trmi_table_file {
    const trmi_item *file;      // its path, relative to the folder of the model file
    const trmi_item *column[2]; // x and y; NULL: the first and the second one
} trmi_table_file;

// Reads them into the memory of the model; how many rows there are, 0 after an error, which is
// reported (table_file.c).
int trmi_read_columns(trmi_reading *r, const trmi_table_file *source, double **x, double **y);

#endif
