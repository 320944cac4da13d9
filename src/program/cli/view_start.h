// SPDX-License-Identifier: Apache-2.0
// A model at its start, for the page of `trammel view MODEL`: assembled, with what check finds
// wrong.
#ifndef TRMI_PROGRAM_CLI_VIEW_START_H
#define TRMI_PROGRAM_CLI_VIEW_START_H

#include "program/cli/command.h"
#include "program/files/json.h"

// Adds the model of the command line's first word; returns 0, or an exit code after a message. A
// mechanism that cannot be assembled is added as the file describes it, and *exit_code is that of
// check.
int trmi_view_start(const trmi_arguments *arguments, const trmi_console *console, trmi_json *json,
                    char *title, size_t size, int *exit_code);

#endif
