// SPDX-License-Identifier: Apache-2.0
// What a mechanism has become: tree, cuts, coordinates.
#ifndef TRMI_PROGRAM_CLI_MECHANISM_REPORT_H
#define TRMI_PROGRAM_CLI_MECHANISM_REPORT_H

#include "modelling/reader/model.h"
#include "program/cli/report.h"

// Nothing for other models.
void trmi_print_mechanism(const trm_model *model);

// Joints whose reactions are not unique because constraints are redundant, if there are some.
void trmi_print_shared(const trm_model *model, const trm_simulation *simulation);

// For trm_options: messages, those about a constraint with its place in the file.
typedef struct trmi_model_console {
    const trmi_console *console;
    const trm_model *model;
} trmi_model_console;
void trmi_print_placed_log(trm_log_level level, const char *text, void *model_console);
void trmi_print_placed_row(trm_log_level level, int row, const char *text, void *model_console);

#endif
