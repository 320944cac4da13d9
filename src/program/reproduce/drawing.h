// SPDX-License-Identifier: Apache-2.0
// The figures of an experiment, drawn from runs of their own.
#ifndef TRMI_PROGRAM_REPRODUCE_DRAWING_H
#define TRMI_PROGRAM_REPRODUCE_DRAWING_H

#include "program/reproduce/trial.h"

// Writes FOLDER/<name>.svg for every figure. The result files of the runs are made in a temporary
// folder (TMPDIR) and removed. An exit code; what is wrong has been reported.
int trmi_drawings_write(const trmi_experiment *experiment, const trmi_reproduce_context *context,
                        const char *folder);

#endif
