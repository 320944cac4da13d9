// SPDX-License-Identifier: Apache-2.0
// Result files as a page, for the commands that write one.
#ifndef TRMI_PROGRAM_CLI_VIEW_RESULTS_H
#define TRMI_PROGRAM_CLI_VIEW_RESULTS_H

#include "program/cli/command.h"
#include "program/files/json.h"

// Whether this command has the viewer inside; reported if not.
bool trmi_viewer_there(void);

// Adds result files to the data of a page; returns 0, or an exit code after a message. title
// becomes that of the first.
int trmi_add_results(trmi_json *json, const char *const *path, int count, double frames,
                     char *title, size_t size, const trmi_console *console);

// The page of one result file, written to `page`; returns an exit code.
int trmi_view_one(const char *result, const char *page, const trmi_console *console);

#endif
