// SPDX-License-Identifier: Apache-2.0
// Names in CSV files: the labels of columns, the paths of the files beside.
#ifndef TRMI_PROGRAM_FILES_CSV_NAMES_H
#define TRMI_PROGRAM_FILES_CSV_NAMES_H

#include "program/files/format.h"
#include "program/files/text.h"

// "group/name [unit]" as a field; group "" is left out, and so is an empty unit unless the name
// itself ends with ']'.
void trmi_csv_add_label(trmi_text *text, const char *group, const char *name, const char *unit);

// Takes a label apart, in place. group is "" when there is none.
void trmi_csv_split_label(char *label, const char **group, const char **name, const char **unit);

// The path of a part of the result at `path`: of "run.csv" that itself, "run-steps.csv" and
// "run-events.csv". Owned by the caller (free), NULL without memory.
char *trmi_csv_part_path(const char *path, trmi_file_part part);

#endif
