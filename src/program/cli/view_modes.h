// SPDX-License-Identifier: Apache-2.0
// Modes as a page: every mode is a run of one period, in which the machine swings with its shape.
#ifndef TRMI_PROGRAM_CLI_VIEW_MODES_H
#define TRMI_PROGRAM_CLI_VIEW_MODES_H

#include "program/cli/command.h"
#include "program/cli/mode_table.h"

// Writes the page; `at` is the state of the modes, `held` its held values. Returns an exit code.
int trmi_view_modes(const trmi_mode_table *table, trm_instance *instance, const trm_initial *at,
                    const double *held, const char *page, const trmi_console *console);

#endif
