// SPDX-License-Identifier: Apache-2.0
// Models that begin at rest: in the equilibrium that the forces lead to from their start.
#ifndef TRMI_PROGRAM_CLI_REST_H
#define TRMI_PROGRAM_CLI_REST_H

#include "program/cli/command.h"
#include "program/run/console.h"
#include "trammel/equilibrium.h"
#include "trammel/model.h"

// The equilibrium of a model, found from its start. NULL: it was reported, and *exit_code is set.
// *instance is what its state belongs to; both are the caller's.
trm_equilibrium *trmi_find_rest(const trm_model *model, const trmi_console *console,
                                trm_instance **instance, int *exit_code);

// Loads a model as trmi_load_model does, with its `initial` values those of its equilibrium.
trm_model *trmi_load_at_rest(const trmi_arguments *arguments, const char *path,
                             const trmi_console *console, int *exit_code);

#endif
