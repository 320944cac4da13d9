// SPDX-License-Identifier: Apache-2.0
// Models that begin in equilibrium: at rest where the forces lead to from their start, or in the
// steady motion that their section `equilibrium` describes.
#ifndef TRMI_PROGRAM_CLI_REST_H
#define TRMI_PROGRAM_CLI_REST_H

#include "program/cli/command.h"
#include "program/cli/equilibrium_report.h"
#include "program/run/console.h"

// Loads a model, with the parameters of its section `equilibrium`, and finds its equilibrium.
// False: it was reported, and *exit_code is set. trmi_rest_release in any case.
bool trmi_rest_find(trmi_rest *rest, const trmi_arguments *arguments, const char *path,
                    const trmi_console *console, int *exit_code);
void trmi_rest_release(trmi_rest *rest);

// Loads a model as trmi_load_model does, with its `initial` values those of its equilibrium, and
// with the parameters that were found.
trm_model *trmi_load_at_rest(const trmi_arguments *arguments, const char *path,
                             const trmi_console *console, int *exit_code);

#endif
