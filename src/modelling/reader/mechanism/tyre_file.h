// SPDX-License-Identifier: Apache-2.0
// Coefficients of a law of tyres under reading, and tyre property files (.tir).
#ifndef TRMI_MODELLING_READER_MECHANISM_TYRE_FILE_H
#define TRMI_MODELLING_READER_MECHANISM_TYRE_FILE_H

#include "modelling/reader/mechanism/draft.h"

enum { TRMI_TYRE_LISTED = 300 };

typedef struct trmi_tyre_reading {
    trmi_draft *draft;
    const trmi_tyre_law *law;
    double *value;                 // per coefficient; NAN: not yet given
    int *line;                     // of the file that gave it; 0: none
    char unused[TRMI_TYRE_LISTED]; // names of the file that are not 0 and not used
} trmi_tyre_reading;

// The number of a coefficient, or TRMI_NOTHING.
int trmi_tyre_find_coefficient(const trmi_tyre_law *law, const char *name);

// Appends a name to a list in a text, as far as there is space.
void trmi_tyre_list_name(char *list, size_t size, const char *name);

// Reads the file that an item names, relative to the folder of the model. False: reported.
bool trmi_tyre_read_file(trmi_tyre_reading *t, const trmi_item *file);

#endif
