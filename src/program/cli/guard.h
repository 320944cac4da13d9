// SPDX-License-Identifier: Apache-2.0
// Commands that read result files. A damaged one, or one made to do harm, can crash the HDF5
// library or keep it busy for ever, so such a command works in a process of its own.
#ifndef TRMI_PROGRAM_CLI_GUARD_H
#define TRMI_PROGRAM_CLI_GUARD_H

#include "program/cli/command.h"

// Whether a result file is among the arguments.
bool trmi_reads_results(const trmi_arguments *arguments);

// act(arguments) in another process; its exit code, or after a message that of results which cannot
// be read.
int trmi_guarded(int (*act)(const trmi_arguments *arguments), const trmi_arguments *arguments);

#endif
