// SPDX-License-Identifier: Apache-2.0
// Pages of the viewer for runs of a study, which are simulated again for that.
#ifndef TRMI_PROGRAM_CLI_SWEEP_VIEWS_H
#define TRMI_PROGRAM_CLI_SWEEP_VIEWS_H

#include "program/run/console.h"
#include "program/study/study_report.h"

typedef struct trmi_sweep_views {
    const trmi_plan *plan;
    const trmi_study_data *data;
    const char *report; // "page.html": the pages are "page.run-17.html" beside it
    int count;          // at most
    const trmi_stop *stop;
    const trmi_console *console;
} trmi_sweep_views;

// Writes the pages; *view, in that memory, has those that there are, and *views how many. An exit
// code, after a message.
int trmi_sweep_views_write(const trmi_sweep_views *request, trmi_memory *memory,
                           trmi_study_view **view, int *views);

#endif
