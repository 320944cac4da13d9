// SPDX-License-Identifier: Apache-2.0
// The end of a run on the console.
#ifndef TRMI_PROGRAM_CLI_RUN_REPORT_H
#define TRMI_PROGRAM_CLI_RUN_REPORT_H

#include "program/run/run.h"

#include <stdio.h>

// How the run ended, with which method, what it cost, how accurate it is: a few lines.
void trmi_run_print_end(FILE *out, const trmi_run *run);

#endif
