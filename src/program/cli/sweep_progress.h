// SPDX-License-Identifier: Apache-2.0
// The progress line of a study, on the standard error:
//     tolerance study  42 %  420/1000 runs  left 0:07  failed 3  58 runs/s
#ifndef TRMI_PROGRAM_CLI_SWEEP_PROGRESS_H
#define TRMI_PROGRAM_CLI_SWEEP_PROGRESS_H

#include "program/cli/progress.h"
#include "program/study/crew.h"

typedef struct trmi_sweep_progress {
    trmi_progress_mode mode;
    const char *name;
    double interval, began, shown;
    bool open; // there is an unfinished line on the terminal
} trmi_sweep_progress;

void trmi_sweep_progress_begin(trmi_sweep_progress *progress, const char *when, const char *name);
// For trmi_crew_request.
void trmi_sweep_progress_update(const trmi_study_progress *now, void *progress);
void trmi_sweep_progress_end(trmi_sweep_progress *progress);

#endif
